//! Which file of a crate names which other, as its `use` lines and paths say.
//!
//! A name that a file re-exports counts as one of the file that defines it, and what is compiled for tests alone counts for nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use syn::{
    Attribute, Item, ItemMod, ItemUse, Meta, UseTree, Visibility,
    visit::{self, Visit},
};

/// A path inside the crate, without `crate`.
type Segments = Vec<String>;

/// The files of a crate, and for each those that it names.
pub(crate) struct Imports {
    named: BTreeMap<String, BTreeSet<String>>,
}

impl Imports {
    /// Reads a crate, from its `lib.rs` on.
    pub(crate) fn of(krate: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(krate)
            .join("src");
        let mut modules = BTreeMap::new();
        load(&root.join("lib.rs"), &root, Vec::new(), &mut modules);
        let named = modules.iter().map(|(own, module)| {
            let named = module
                .paths
                .iter()
                .filter_map(|path| resolve(path, &modules, 0))
                .filter(|other| other != own)
                .map(|other| modules[&other].file.clone());
            (module.file.clone(), named.collect())
        });
        Self {
            named: named.collect(),
        }
    }

    /// Each file with one that it names.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.named
            .iter()
            .flat_map(|(file, named)| named.iter().map(|other| (file.as_str(), other.as_str())))
    }

    /// The sets of files that name one another, directly or through others.
    pub(crate) fn rings(&self) -> Vec<BTreeSet<&str>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = self
            .named
            .keys()
            .map(|file| (file.as_str(), self.reached_from(file)))
            .collect();
        let rings = reached.iter().map(|(file, others)| {
            let others = others.iter().copied();
            let ring = others.filter(|other| reached[other].contains(file));
            ring.collect::<BTreeSet<&str>>()
        });
        let rings: BTreeSet<BTreeSet<&str>> = rings.filter(|ring| ring.len() > 1).collect();
        rings.into_iter().collect()
    }

    fn reached_from<'a>(&'a self, file: &'a str) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&str> = vec![file];
        while let Some(file) = next.pop() {
            let others = self.named[file].iter().map(String::as_str);
            next.extend(others.filter(|other| reached.insert(*other)));
        }
        reached
    }
}

struct Module {
    /// Relative to `src`.
    file: String,
    /// What the file names, as paths of the crate.
    paths: Vec<Segments>,
    /// What other files can name through this one.
    exported: BTreeMap<String, Segments>,
}

fn load(file: &Path, root: &Path, own: Segments, modules: &mut BTreeMap<Segments, Module>) {
    let text = fs::read_to_string(file).unwrap();
    let syntax = syn::parse_file(&text).unwrap();
    let mut reader = Reader {
        own: own.clone(),
        children: children(&syntax.items)
            .map(|it| it.ident.to_string())
            .collect(),
        imported: BTreeMap::new(),
        paths: Vec::new(),
        exported: BTreeMap::new(),
    };
    // A path may stand before the `use` line that explains it.
    for item in &syntax.items {
        if let Item::Use(item) = item {
            reader.read_use(item);
        }
    }
    reader.visit_file(&syntax);
    let folder = match file.file_stem().unwrap().to_str().unwrap() {
        "lib" => root.to_owned(),
        stem => file.with_file_name(stem),
    };
    for child in children(&syntax.items) {
        let name = child.ident.to_string();
        let mut path = own.clone();
        path.push(name.clone());
        let file: PathBuf = folder.join(format!("{name}.rs"));
        load(&file, root, path, modules);
    }
    let module = Module {
        file: file
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned(),
        paths: reader.paths,
        exported: reader.exported,
    };
    modules.insert(own, module);
}

/// The modules of a file that are files of their own.
fn children(items: &[Item]) -> impl Iterator<Item = &ItemMod> {
    items.iter().filter_map(|item| match item {
        Item::Mod(item) if item.content.is_none() && !is_for_tests(&item.attrs) => Some(item),
        _ => None,
    })
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

/// The module that a path leads to; none for one that leads out of the crate.
fn resolve(
    path: &[String],
    modules: &BTreeMap<Segments, Module>,
    followed: usize,
) -> Option<Segments> {
    let mut module = Segments::new();
    for (index, segment) in path.iter().enumerate() {
        let mut child = module.clone();
        child.push(segment.clone());
        if modules.contains_key(&child) {
            module = child;
            continue;
        }
        let Some(target) = modules[&module].exported.get(segment) else {
            break;
        };
        assert!(followed < 16, "{path:?} is exported in a circle");
        let mut target = target.clone();
        target.extend_from_slice(&path[index + 1..]);
        return resolve(&target, modules, followed + 1);
    }
    (!path.is_empty()).then_some(module)
}

/// Reads what one file names.
struct Reader {
    own: Segments,
    children: BTreeSet<String>,
    imported: BTreeMap<String, Segments>,
    paths: Vec<Segments>,
    exported: BTreeMap<String, Segments>,
}

impl Reader {
    fn read_use(&mut self, item: &ItemUse) {
        if is_for_tests(&item.attrs) {
            return;
        }
        let mut leaves = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut leaves);
        for (name, path) in leaves {
            let Some(path) = self.of_crate(&path) else {
                continue;
            };
            if matches!(item.vis, Visibility::Inherited) {
                self.paths.push(path.clone());
            } else {
                self.exported.insert(name.clone(), path.clone());
            }
            self.imported.insert(name, path);
        }
    }

    /// A path as one of the crate; none when it begins elsewhere.
    fn of_crate(&self, path: &[String]) -> Option<Segments> {
        let (first, rest) = path.split_first()?;
        let mut whole = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.own.clone(),
            "super" => self.own[..self.own.len().checked_sub(1)?].to_vec(),
            name if self.children.contains(name) => {
                let mut child = self.own.clone();
                child.push(name.to_owned());
                child
            }
            name => self.imported.get(name)?.clone(),
        };
        let further = rest
            .iter()
            .take_while(|segment| *segment == "super")
            .count();
        whole.truncate(whole.len().saturating_sub(further));
        whole.extend_from_slice(&rest[further..]);
        Some(whole)
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Use(_) => return,
            _ => return visit::visit_item(self, item),
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    /// `pub(super)` names nothing of the parent.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|it| it.ident.to_string());
        let segments: Segments = segments.collect();
        self.paths.extend(self.of_crate(&segments));
        visit::visit_path(self, path);
    }
}

/// The leaves of a `use` tree: the name that each brings in, and its path.
fn flatten(tree: &UseTree, path: &mut Segments, leaves: &mut Vec<(String, Segments)>) {
    match tree {
        UseTree::Path(branch) => {
            path.push(branch.ident.to_string());
            flatten(&branch.tree, path, leaves);
            path.pop();
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, path, leaves);
            }
        }
        UseTree::Name(name) if name.ident == "self" => {
            leaves.push((path.last().cloned().unwrap_or_default(), path.clone()));
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            leaves.push((name.clone(), [path.as_slice(), &[name]].concat()));
        }
        UseTree::Rename(rename) => {
            let path = [path.as_slice(), &[rename.ident.to_string()]].concat();
            leaves.push((rename.rename.to_string(), path));
        }
        UseTree::Glob(_) => leaves.push(("*".to_owned(), path.clone())),
    }
}
