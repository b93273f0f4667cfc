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
//! The walker of the `ignore` crate goes by path names, so a directory that is swapped for a symlink under its feet can
//! show it names from elsewhere.
//! Every file it reports is therefore looked up again through the directory handle, which follows no symlink.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use ignore::{IncrementalIgnore, WalkBuilder};

use crate::{
    access::{Capability, Session, Target},
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
    session: &Session<'_>,
    suppress: &Suppress,
    prefixes: Option<&[String]>,
    extensions: Option<&[String]>,
) -> Result<Listing, Error> {
    let everything = [String::new()];
    let mut collector = Collector {
        session,
        suppress,
        extensions: extensions.filter(|extensions| !extensions.is_empty()),
        rules: None,
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
    session: &'a Session<'a>,
    suppress: &'a Suppress,
    extensions: Option<&'a [String]>,
    /// The `.ignore` rules of the workspace, made when the first directory is named.
    rules: Option<IncrementalIgnore>,
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
            let start = self.session.root_target();
            self.walk(&Walk {
                start: &start,
                filter: String::new(),
                honours_ignore_files: true,
            });
            return Ok(());
        }
        let target = self.session.resolved(prefix)?;
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
                let start = self.session.root_target();
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
            let start = self.session.root_target();
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
        if !self.session.permits(Capability::Read, path) {
            self.notes.push(format!(
                "'{}' is not readable by this tool and was skipped. If you need it, ask the user to provide it.",
                shown(path)
            ));
        } else if kind.is_none() {
            self.notes
                .push(format!("'{}' names no file or directory.", shown(path)));
        }
    }

    /// Whether the workspace walk leaves out this directory.
    fn is_ignored(&mut self, path: &Utf8Path) -> bool {
        if self.rules.is_none() {
            let mut builder = WalkBuilder::new(self.session.root());
            configure(&mut builder, true);
            self.rules = builder.build_matchers().into_iter().next();
        }
        self.rules
            .as_mut()
            .is_some_and(|rules| rules.matched(path, true).is_ignore())
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
            && self.session.permits(Capability::Read, target.path())
        {
            self.files.insert(target.path().to_owned(), target);
        }
    }

    fn walk(&mut self, walk: &Walk<'_>) {
        let start = walk.start.absolute().to_owned();
        let mut builder = WalkBuilder::new(&start);
        configure(&mut builder, walk.honours_ignore_files);
        builder.filter_entry(descends(
            start.clone(),
            walk.start.path().to_owned(),
            walk.filter.clone(),
            self.suppress.clone(),
        ));
        let mut directory = None;
        for entry in builder.build() {
            let Ok(entry) = entry else {
                self.unreadable = self.unreadable.saturating_add(1);
                continue;
            };
            if entry.file_type().is_none_or(|kind| !kind.is_file()) {
                continue;
            }
            let relative =
                Utf8Path::from_path(entry.path()).and_then(|path| path.strip_prefix(&start).ok());
            let Some(relative) = relative else {
                self.unreadable = self.unreadable.saturating_add(1);
                continue;
            };
            let target = walk.start.join(relative);
            if target.path().as_str().starts_with(&walk.filter)
                && target.is_file_within(&mut directory)
            {
                self.keep(target);
            }
        }
    }
}

fn configure(builder: &mut WalkBuilder, honours_ignore_files: bool) {
    builder
        .standard_filters(false)
        .follow_links(false)
        .ignore(honours_ignore_files);
}

/// Whether the walk goes on below an entry: not into what is suppressed, and only towards the filter.
fn descends(
    start: Utf8PathBuf,
    shown: Utf8PathBuf,
    filter: String,
    suppress: Suppress,
) -> impl Fn(&ignore::DirEntry) -> bool + Send + Sync + 'static {
    move |entry| {
        // A name that is no UTF-8 is counted as unreadable later, if it stands where names are wanted.
        let relative = entry.path().strip_prefix(&start).unwrap_or(entry.path());
        if relative.as_os_str().is_empty() {
            return true;
        }
        let path = shown.join(relative.to_string_lossy().as_ref());
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        let leads_to_filter = if is_directory {
            let directory = format!("{path}/");
            directory.starts_with(&filter) || filter.starts_with(&directory)
        } else {
            path.as_str().starts_with(&filter)
        };
        leads_to_filter && !suppress.hides(&path, is_directory)
    }
}
