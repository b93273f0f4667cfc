//! Where a file is config, or would become it.
//!
//! ```toml
//! # .jp/config.toml, which is config itself
//! extends = ["../tools/**/*.toml"]     # whatever is written there is config, too
//! config_load_paths = ["personas"]     # and there a person picks config
//! ```

use std::{
    collections::{HashMap, HashSet},
    sync::OnceLock,
};

use camino::{Utf8Path, Utf8PathBuf};
use glob::{MatchOptions, Pattern};
use jp_config::{
    content::Content,
    document::Node,
    graph::{FileId, Graph, LoaderKeys},
    paths::normalize,
};
use jp_tool::protected_prefix;

use super::path_index::PathIndex;
use crate::diagnostic::{Place, Related};

/// The extensions of the files that `jp` looks for.
pub(in crate::rules::grants) const EXTENSIONS: [&str; 4] = ["toml", "json", "yaml", "yml"];

/// How `jp` comes to read a file that it looks for by name.
const ALWAYS_READ: &str = "`jp` reads it at every start";

/// How many steps of the way from a file to the config that brings it in are shown.
const LONGEST_CHAIN: usize = 4;

/// Every place of a graph where a file is config; found when first asked for.
#[derive(Debug, Default)]
pub(crate) struct ConfigPlaces(OnceLock<Places>);

/// The places, those that `jp` always reads first, and where to look for them.
#[derive(Debug)]
pub(in crate::rules::grants) struct Places {
    all: Vec<ConfigPlace>,
    /// The places of one file each that are judged.
    pub(in crate::rules::grants) files: PathIndex,
    /// The globs, by the directories that hold all of their files.
    pub(in crate::rules::grants) globs: PathIndex,
    /// What `jp` looks for in the workspace by name: there are only a few.
    pub(in crate::rules::grants) looked_for: Vec<usize>,
    /// Any folder of the workspace, where somebody may start `jp`.
    pub(in crate::rules::grants) any_folder: ConfigPlace,
    /// The entries that name one file each.
    entries: HashMap<String, usize>,
    /// The paths that decide what the config says, which the bundled tools keep closed with all that is below.
    decisive: HashSet<Utf8PathBuf>,
}

/// Files that are config, or become config as soon as they exist.
#[derive(Debug)]
pub(in crate::rules::grants) struct ConfigPlace {
    /// The path or glob of the files, relative to the workspace.
    pattern: String,
    /// The compiled glob, where it is one.
    glob: Option<Pattern>,
    /// Whether the file exists.
    pub(in crate::rules::grants) exists: bool,
    /// Whether writing there is judged; the entry of an existing file is only a step on the way to it.
    is_judged: bool,
    /// Whether the files are read at every start.
    pub(in crate::rules::grants) is_looked_for: bool,
    /// How `jp` comes to read it, for people.
    pub(in crate::rules::grants) how: String,
    /// The entry that brings it in.
    pub(in crate::rules::grants) entry: Option<Related>,
    /// The file that holds the entry.
    declared_by: Option<FileId>,
    /// The entries on the way to it, found when first asked for.
    chain: OnceLock<Vec<Related>>,
}

impl ConfigPlaces {
    pub(in crate::rules::grants) fn of(&self, graph: &Graph) -> &Places {
        self.0.get_or_init(|| {
            let decisive = graph.decisive_paths();
            let decisive = decisive.iter().filter_map(|path| relative(graph, path));
            Places::new(find(graph), decisive.collect())
        })
    }
}

impl Places {
    fn new(all: Vec<ConfigPlace>, decisive: HashSet<Utf8PathBuf>) -> Self {
        let numbered = || all.iter().enumerate();
        let judged = || numbered().filter(|(_, place)| place.is_judged);
        let by_root = |(index, place): (usize, &ConfigPlace)| (place.root(), index);
        let mut entries = HashMap::new();
        for (index, place) in numbered() {
            if place.entry.is_some() && place.glob.is_none() {
                entries.entry(place.pattern.clone()).or_insert(index);
            }
        }
        Self {
            files: PathIndex::new(
                judged()
                    .filter(|(_, place)| place.glob.is_none())
                    .map(by_root),
            ),
            globs: PathIndex::new(
                judged()
                    .filter(|(_, place)| place.glob.is_some())
                    .map(by_root),
            ),
            looked_for: judged()
                .filter(|(_, place)| place.is_looked_for)
                .map(|(index, _)| index)
                .collect(),
            any_folder: ConfigPlace {
                how: "`jp` reads it when started in that folder".to_owned(),
                ..ConfigPlace::new("*/**/.jp.toml".to_owned())
            },
            entries,
            all,
            decisive,
        }
    }

    /// The outermost place around a file that the bundled tools keep closed, as the runtime finds it.
    pub(in crate::rules::grants) fn kept(&self, file: &Utf8Path) -> Option<Utf8PathBuf> {
        let listed = file
            .ancestors()
            .filter(|path| self.decisive.contains(*path));
        protected_prefix(file)
            .into_iter()
            .chain(listed.map(Utf8Path::to_owned))
            .min_by_key(|place| place.components().count())
    }

    pub(in crate::rules::grants) fn get(&self, index: usize) -> Option<&ConfigPlace> {
        self.all.get(index)
    }

    /// The entries by which a file at a place is brought in, from the nearest to the config that `jp` always reads.
    pub(in crate::rules::grants) fn chain<'a>(
        &'a self,
        graph: &Graph,
        place: &'a ConfigPlace,
    ) -> &'a [Related] {
        place.chain.get_or_init(|| {
            let mut chain: Vec<Related> = Vec::new();
            let mut seen = HashSet::new();
            let mut next = match place.entry {
                Some(_) => Some(place),
                None => self.bringing_in(&place.pattern),
            };
            while let Some(place) = next.filter(|_| chain.len() < LONGEST_CHAIN) {
                chain.extend(place.entry.clone());
                let declaring = place.declared_by.filter(|file| seen.insert(*file));
                let path = declaring.and_then(|file| relative(graph, graph.path(file)));
                next = path.and_then(|path| self.bringing_in(path.as_str()));
            }
            chain
        })
    }

    /// The first place whose entry brings a file in.
    fn bringing_in(&self, path: &str) -> Option<&ConfigPlace> {
        let globs = Utf8Path::new(path)
            .ancestors()
            .flat_map(|directory| self.globs.at(directory))
            .filter(|index| {
                self.get(*index)
                    .is_some_and(|place| place.entry.is_some() && place.matches(path))
            });
        let exact = self.entries.get(path).copied();
        self.get(globs.chain(exact).min()?)
    }
}

impl ConfigPlace {
    /// A place of files that need not exist and that nothing brings in.
    fn new(pattern: String) -> Self {
        Self {
            pattern,
            glob: None,
            exists: false,
            is_judged: true,
            is_looked_for: false,
            how: String::new(),
            entry: None,
            declared_by: None,
            chain: OnceLock::new(),
        }
    }

    /// A file of this place at or below a path, if there can be one; `variant` tells several apart.
    pub(in crate::rules::grants) fn witness(
        &self,
        below: &Utf8Path,
        variant: usize,
    ) -> Option<Utf8PathBuf> {
        if self.glob.is_none() {
            let path = Utf8Path::new(&self.pattern);
            return path.starts_with(below).then(|| path.to_owned());
        }
        let pattern: Vec<&str> = components(Utf8Path::new(&self.pattern));
        let path = instance(&pattern, &components(below), variant)?.join("/");
        self.matches(&path).then(|| path.into())
    }

    /// How many files of the place are worth asking for.
    pub(in crate::rules::grants) fn variants(&self) -> usize {
        // More names than there are rules, so that one of them is no rule's path.
        const MOST: usize = 8;
        if self.glob.is_some() { MOST } else { 1 }
    }

    /// The deepest directory that holds all files of the place, or the one file.
    pub(in crate::rules::grants) fn root(&self) -> Utf8PathBuf {
        let literal = components(Utf8Path::new(&self.pattern))
            .into_iter()
            .take_while(|component| self.glob.is_none() || !is_wild(component));
        literal.collect()
    }

    fn matches(&self, path: &str) -> bool {
        let options = MatchOptions {
            require_literal_separator: true,
            ..MatchOptions::default()
        };
        match &self.glob {
            Some(glob) => glob.matches_with(path, options),
            None => self.pattern == path,
        }
    }
}

fn find(graph: &Graph) -> Vec<ConfigPlace> {
    let existing_paths: HashSet<&Utf8Path> =
        graph.files.iter().map(|file| file.path.as_path()).collect();
    let mut places = Vec::new();
    let mut add = |path: &Utf8Path, is_glob: bool, how: String, entry: Option<Related>| {
        let Some(relative) = relative(graph, path) else {
            return;
        };
        let pattern = relative.into_string();
        // What is no glob matches nothing, which is said where it stands.
        let Ok(glob) = is_glob.then(|| Pattern::new(&pattern)).transpose() else {
            return;
        };
        places.push(ConfigPlace {
            is_judged: is_glob || !existing_paths.contains(path),
            is_looked_for: how == ALWAYS_READ,
            glob,
            how,
            declared_by: entry.as_ref().map(|entry| entry.place.file),
            entry,
            ..ConfigPlace::new(pattern)
        });
    };
    let stems = graph.locals.iter().map(|directory| directory.join(".jp"));
    for stem in std::iter::once(graph.workspace.join(".jp/config")).chain(stems) {
        for extension in EXTENSIONS {
            let path = Utf8PathBuf::from(format!("{stem}.{extension}"));
            // A file hides those of later extensions.
            if existing_paths.contains(path.as_path()) {
                break;
            }
            add(&path, false, ALWAYS_READ.to_owned(), None);
        }
    }
    for (index, file) in graph.files.iter().enumerate() {
        let Some(content) = file.content.as_deref() else {
            continue;
        };
        let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
        let base = file.path.parent().unwrap_or(Utf8Path::new(""));
        for entry in LoaderKeys::of(content).extends {
            let how = format!("`extends` brings it in through `{}`", shown(&entry.path));
            let related = entry.span.map(|span| Related {
                place: Place { file: id, span },
                message: "this entry brings it in".to_owned(),
            });
            add(
                &normalize(&base.join(&entry.path)),
                entry.is_glob(),
                how,
                related,
            );
        }
    }
    for (text, place) in load_paths(graph) {
        let how = format!(
            "a person can pick it below the load path `{}`",
            shown(&text)
        );
        let related = place.map(|place| Related {
            place,
            message: "files below this path can be picked".to_owned(),
        });
        let directory = normalize(&graph.workspace.join(&text));
        let all = Pattern::escape(directory.as_str());
        for extension in EXTENSIONS {
            let pattern = format!("{all}/**/*.{extension}");
            add(Utf8Path::new(&pattern), true, how.clone(), related.clone());
        }
    }
    let mut all: Vec<ConfigPlace> = existing(graph).collect();
    all.append(&mut places);
    all
}

/// The files that are config already and lie in the workspace.
fn existing(graph: &Graph) -> impl Iterator<Item = ConfigPlace> {
    graph.files.iter().filter_map(|file| {
        let is_looked_for = is_looked_for(graph, &file.path);
        Some(ConfigPlace {
            exists: true,
            is_looked_for,
            how: match is_looked_for {
                true => ALWAYS_READ.to_owned(),
                false => "it is config already".to_owned(),
            },
            ..ConfigPlace::new(relative(graph, &file.path)?.into_string())
        })
    })
}

/// Whether `jp` looks for a file by its name.
fn is_looked_for(graph: &Graph, path: &Utf8Path) -> bool {
    let directory = path.parent();
    path.with_extension("") == graph.workspace.join(".jp/config")
        || (path.file_stem() == Some(".jp")
            && graph
                .locals
                .iter()
                .any(|local| Some(local.as_path()) == directory))
}

/// The load paths that hold, with the places of their entries.
fn load_paths(graph: &Graph) -> Vec<(String, Option<Place>)> {
    let declaring = graph.layers.iter().rev().find_map(|layer| {
        let content = graph.content(layer.file)?;
        Some((layer.file, content, LoaderKeys::of(content).load_paths?))
    });
    let Some((file, content, paths)) = declaring else {
        return Vec::new();
    };
    let spans: Vec<_> = match content.as_ref() {
        Content::Toml(document) => document
            .root()
            .get("config_load_paths")
            .and_then(|entry| entry.value().as_array())
            .into_iter()
            .flat_map(|array| array.items().map(Node::span).collect::<Vec<_>>())
            .collect(),
        Content::Data(_) => Vec::new(),
    };
    let places = |index: usize| spans.get(index).map(|span| Place { file, span: *span });
    paths
        .into_iter()
        .enumerate()
        .map(|(index, path)| (path, places(index)))
        .collect()
}

fn relative(graph: &Graph, path: &Utf8Path) -> Option<Utf8PathBuf> {
    let escaped = Pattern::escape(graph.workspace.as_str());
    path.strip_prefix(&graph.workspace)
        .or_else(|_| path.strip_prefix(escaped))
        .ok()
        .filter(|path| !path.as_str().is_empty())
        .map(Utf8Path::to_owned)
}

fn components(path: &Utf8Path) -> Vec<&str> {
    let components = path.components().map(|component| component.as_str());
    components.filter(|component| *component != ".").collect()
}

fn is_wild(component: &str) -> bool {
    component.contains(['*', '?', '['])
}

/// A path that begins with `below` and that the components of a glob match.
fn instance(pattern: &[&str], below: &[&str], variant: usize) -> Option<Vec<String>> {
    let Some((first, rest)) = below.split_first() else {
        return Some(filled(pattern, variant));
    };
    let (head, tail) = pattern.split_first()?;
    if *head == "**" {
        if let Some(path) = instance(tail, below, variant) {
            return Some(path);
        }
        let mut path = instance(pattern, rest, variant)?;
        path.insert(0, (*first).to_owned());
        return Some(path);
    }
    if !Pattern::new(head).is_ok_and(|pattern| pattern.matches(first)) {
        return None;
    }
    let mut path = instance(tail, rest, variant)?;
    path.insert(0, (*first).to_owned());
    Some(path)
}

/// The components of a glob with names in place of what is wild.
fn filled(pattern: &[&str], variant: usize) -> Vec<String> {
    let name = match variant {
        0 => "new".to_owned(),
        variant => format!("new{variant}"),
    };
    let last = pattern.len().saturating_sub(1);
    pattern
        .iter()
        .enumerate()
        .filter(|(index, component)| **component != "**" || *index == last)
        .map(|(index, component)| {
            if !is_wild(component) {
                return (*component).to_owned();
            }
            let filled = fill(component, &name);
            if index == last && !filled.contains('.') {
                format!("{filled}.toml")
            } else {
                filled
            }
        })
        .collect()
}

/// One component of a glob with names in place of what is wild.
fn fill(component: &str, name: &str) -> String {
    let mut filled = String::new();
    let mut rest = component.replace("**", "*");
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        match first {
            '*' => filled.push_str(name),
            '?' => filled.push('n'),
            '[' => {
                let class = rest.find(']').unwrap_or(rest.len());
                let inside = rest.get(1..class).unwrap_or_default();
                filled.push(match inside.strip_prefix(['!', '^']) {
                    Some(_) => 'n',
                    None => inside.chars().next().unwrap_or('n'),
                });
                length = (class + 1).min(rest.len());
            }
            other => filled.push(other),
        }
        rest = rest.get(length..).unwrap_or_default().to_owned();
    }
    filled
}

/// A text of the config as a message shows it.
fn shown(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control())
        .collect()
}
