//! Which files a listing or a search covers.
//!
//! ```text
//! prefix            names                     walked
//! ""  "."           the workspace             from the root, `.ignore` honoured
//! "docs"            a directory               from the root, only below `docs`
//! "docs/dist"       an ignored directory      from `docs/dist`, `.ignore` disregarded
//! "docs/rfd/D"      the start of some names   from the root, only names that begin so
//! "README.md"       a file                    not at all
//! "fork"            an external mount         from where it leads, shown as `fork/..`
//! ```
//!
//! The walk goes from handle to handle and follows no symlink, so a directory that is swapped for one under its feet
//! shows it no names from elsewhere.

mod ignored;

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use self::ignored::Ignored;

use crate::{
    access::{Capability, OpenWorkspace, Target},
    error::{Error, shown},
    suppress::Suppress,
    tree::EntryKind,
};

/// Files in the order of their paths, and what was left out.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// The files, each once.
    pub(crate) files: Vec<Target>,
    /// One sentence for everything that was asked for by name and withheld.
    pub(crate) notes: Vec<String>,
}

/// Lists what `prefixes` name, restricted to `extensions`.
///
/// An empty list restricts nothing, like an absent one: models write `[]` for "not used", and "no files" would read as
/// if there were none.
pub(crate) fn list(
    workspace: &OpenWorkspace<'_>,
    suppress: &Suppress,
    prefixes: Option<&[String]>,
    extensions: Option<&[String]>,
) -> Result<Listing, Error> {
    let everything = [String::new()];
    let mut collector = Collector {
        workspace,
        suppress,
        extensions: extensions.filter(|extensions| !extensions.is_empty()),
        unapplied: BTreeSet::new(),
        files: BTreeMap::new(),
        notes: Vec::new(),
        unreadable: 0,
    };
    let prefixes = prefixes.filter(|prefixes| !prefixes.is_empty());
    for prefix in prefixes.unwrap_or(&everything) {
        collector.add(prefix)?;
    }
    collector.notes.dedup();
    collector
        .notes
        .extend(collector.unapplied.iter().map(|path| {
            format!(
                "'{path}' was not applied: it is no regular file of at most 1 MiB and 10000 lines."
            )
        }));
    collector
        .notes
        .extend(skipped("path", collector.unreadable));
    Ok(Listing {
        files: collector.files.into_values().collect(),
        notes: collector.notes,
    })
}

/// What to say of so many things that could not be read, if any.
pub(crate) fn skipped(noun: &str, count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {noun} could not be read and was skipped.")),
        _ => Some(format!(
            "{count} {noun}s could not be read and were skipped."
        )),
    }
}

struct Collector<'a> {
    workspace: &'a OpenWorkspace<'a>,
    suppress: &'a Suppress,
    extensions: Option<&'a [String]>,
    /// The `.ignore` files that could not be applied.
    unapplied: BTreeSet<Utf8PathBuf>,
    files: BTreeMap<Utf8PathBuf, Target>,
    notes: Vec<String>,
    unreadable: usize,
}

/// One walk over a directory.
struct Walk<'a> {
    /// Where it begins; files below are shown relative to this directory's own path.
    start: &'a Target,
    /// What the shown path has to begin with.
    filter: String,
    honours_ignore_files: bool,
}

impl Collector<'_> {
    fn add(&mut self, prefix: &str) -> Result<(), Error> {
        if prefix.is_empty() || Utf8Path::new(prefix) == Utf8Path::new(".") {
            let start = self.workspace.root_target();
            self.walk(&Walk {
                start: &start,
                filter: String::new(),
                honours_ignore_files: true,
            });
            return Ok(());
        }
        let target = self.workspace.resolved(prefix)?;
        if target.path().as_str().is_empty() {
            return self.add("");
        }
        let kind = target.kind()?;
        let is_directory = kind == Some(EntryKind::Directory);
        if self.suppress.hides(target.path(), is_directory) {
            self.notes
                .push(Error::Suppressed(target.path().to_owned()).to_string());
            return Ok(());
        }
        let before = self.files.len();
        match kind {
            Some(EntryKind::File) => self.keep(target.clone()),
            Some(EntryKind::Directory) => self.add_directory(&target),
            _ => {
                let start = self.workspace.root_target();
                self.walk(&Walk {
                    start: &start,
                    filter: target.path().to_string(),
                    honours_ignore_files: true,
                });
            }
        }
        if self.files.len() == before {
            self.explain(&target, kind);
        }
        Ok(())
    }

    fn add_directory(&mut self, target: &Target) {
        if target.is_mount() || self.is_ignored(target.path()) {
            self.walk(&Walk {
                start: target,
                filter: String::new(),
                honours_ignore_files: target.is_mount(),
            });
        } else {
            let start = self.workspace.root_target();
            self.walk(&Walk {
                start: &start,
                filter: format!("{}/", target.path()),
                honours_ignore_files: true,
            });
        }
    }

    /// Says why a prefix that was asked for by name gave nothing, where that is not plain.
    fn explain(&mut self, target: &Target, kind: Option<EntryKind>) {
        let path = target.path();
        if self.files.contains_key(path) {
            return;
        }
        if !self.workspace.permits(Capability::Read, path) {
            self.notes.push(format!(
                "'{}' was left out: this tool may not read it. The user can say what it holds.",
                shown(path)
            ));
        } else if kind.is_none() {
            self.notes
                .push(format!("'{}' names no file or directory.", shown(path)));
        }
    }

    /// Whether the workspace walk leaves out this directory.
    fn is_ignored(&self, path: &Utf8Path) -> bool {
        let top = self.workspace.root_target();
        let mut rules = Ignored::default();
        let mut directory = Utf8PathBuf::new();
        for component in path.components() {
            // What cannot be read hides nothing, and the walk will say so.
            if let Ok(tree) = top.join(&directory).subtree() {
                rules = rules.below(&directory, &tree).0;
            }
            directory.push(component.as_str());
            if rules.hides(&directory, true) {
                return true;
            }
        }
        false
    }

    fn keep(&mut self, target: Target) {
        let has_extension = self.extensions.is_none_or(|extensions| {
            target.path().extension().is_some_and(|extension| {
                extensions
                    .iter()
                    .any(|wanted| wanted.strip_prefix('.').unwrap_or(wanted) == extension)
            })
        });
        if has_extension
            && !self.suppress.hides(target.path(), false)
            && self.workspace.permits(Capability::Read, target.path())
        {
            self.files.insert(target.path().to_owned(), target);
        }
    }

    fn walk(&mut self, walk: &Walk<'_>) {
        let mut pending = vec![(Utf8PathBuf::new(), Ignored::default())];
        while let Some((path, rules)) = pending.pop() {
            let directory = walk.start.join(&path);
            let read = directory
                .subtree()
                .and_then(|tree| Ok((tree.entries()?, tree)));
            let Ok((entries, tree)) = read else {
                self.unreadable = self.unreadable.saturating_add(1);
                continue;
            };
            let rules = if walk.honours_ignore_files {
                let (rules, unapplied) = rules.below(&path, &tree);
                self.unapplied
                    .extend(unapplied.map(|path| walk.start.path().join(path)));
                rules
            } else {
                rules
            };
            for (name, kind) in entries {
                let is_directory = kind == EntryKind::Directory;
                if !is_directory && kind != EntryKind::File {
                    continue;
                }
                let Some(name) = name.to_str() else {
                    let is_wanted = leads_to(&directory.path().join("x"), false, &walk.filter);
                    self.unreadable = self.unreadable.saturating_add(usize::from(is_wanted));
                    continue;
                };
                let below = path.join(name);
                let target = walk.start.join(&below);
                if !leads_to(target.path(), is_directory, &walk.filter)
                    || self.suppress.hides(target.path(), is_directory)
                    || rules.hides(&below, is_directory)
                {
                    continue;
                }
                if is_directory {
                    pending.push((below, rules.clone()));
                } else {
                    self.keep(target);
                }
            }
        }
    }
}

/// Whether an entry is what the filter wants, or a directory on the way there.
fn leads_to(path: &Utf8Path, is_directory: bool, filter: &str) -> bool {
    if is_directory {
        let directory = format!("{path}/");
        directory.starts_with(filter) || filter.starts_with(&directory)
    } else {
        path.as_str().starts_with(filter)
    }
}
