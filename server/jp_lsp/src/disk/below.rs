//! The workspaces below a folder, as in a repository of several projects.
//!
//! ```text
//! /mono                        # named, or open in an editor; no `.jp`
//! /mono/packages/app/.jp       # found
//! /mono/node_modules/x/.jp     # not looked for, nor what git ignores
//! /mono/other -> /elsewhere    # a link is not followed
//! ```
//!
//! Of files only those are read that say what git ignores.

use std::{collections::VecDeque, fs, rc::Rc};

use camino::{Utf8Path, Utf8PathBuf};
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use jp_config::graph::ReadProblem;

use super::config_files::{SKIPPED, read_at_most};

/// The most that all files of a search may say about what git ignores, in bytes; compiling that takes time.
const MAXIMUM_IGNORE_SIZE: usize = 512 << 10;

/// What was found below a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Below {
    /// The folders that hold a `.jp` folder, the nearest first.
    pub(crate) workspaces: Vec<Utf8PathBuf>,
    /// The folders that were looked through.
    pub(crate) searched: Vec<Utf8PathBuf>,
    /// Whether all of it was looked through.
    pub(crate) is_whole: bool,
}

/// Whether a workspace lies below a folder, its `.jp` too, by its name and when all links are followed.
#[must_use]
pub(crate) fn lies_below(root: &Utf8Path, folder: &Utf8Path) -> bool {
    let is_named_so = root != folder && root.starts_with(folder);
    is_named_so
        && match (root.canonicalize_utf8(), folder.canonicalize_utf8()) {
            (Ok(root), Ok(folder)) => {
                root != folder && root.starts_with(folder) && !leads_out(&root)
            }
            _ => false,
        }
}

/// Whether the `.jp` of a folder is a link out of it.
#[must_use]
pub(crate) fn leads_out(folder: &Utf8Path) -> bool {
    let settings = folder.join(".jp");
    match (settings.canonicalize_utf8(), folder.canonicalize_utf8()) {
        (Ok(settings), Ok(folder)) => !settings.starts_with(folder),
        _ => false,
    }
}

/// Looks for workspaces below a folder, at so many names at most.
///
/// Links are not followed, and what git ignores is left out, as are folders that hold what others wrote: a workspace there is
/// one for whoever names it.
#[must_use]
pub(crate) fn below(folder: &Utf8Path, maximum_names: usize) -> Below {
    let mut found = Below::default();
    let mut names_left = maximum_names;
    let mut bytes_left = MAXIMUM_IGNORE_SIZE;
    let mut ahead = VecDeque::from([(folder.to_owned(), Vec::new())]);
    while let Some((directory, above)) = ahead.pop_front() {
        let mut ignored: Vec<Rc<Gitignore>> = above;
        let Some(here) = ignored_in(&directory, &mut bytes_left) else {
            return found;
        };
        ignored.extend(here.into_iter().map(Rc::new));
        let Ok(entries) = fs::read_dir(&directory) else {
            continue;
        };
        let mut folders = Vec::new();
        for entry in entries.filter_map(Result::ok) {
            let Some(left) = names_left.checked_sub(1) else {
                return found;
            };
            names_left = left;
            // A link is not followed: it is no folder here.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if let Some(name) = entry.file_name().to_str().filter(|_| is_folder) {
                folders.push(name.to_owned());
            }
        }
        folders.sort();
        for name in folders {
            let path = directory.join(&name);
            match name.as_str() {
                name if SKIPPED.contains(&name) || is_ignored(&ignored, &path) => {}
                ".jp" if directory != folder => found.workspaces.push(directory.clone()),
                ".jp" => {}
                _ => ahead.push_back((path, ignored.clone())),
            }
        }
        found.searched.push(directory);
    }
    found.is_whole = true;
    found
}

/// Whether the innermost rule about a folder ignores it.
fn is_ignored(ignored: &[Rc<Gitignore>], folder: &Utf8Path) -> bool {
    let rules = ignored.iter().rev();
    let decided = rules.map(|rules| rules.matched(folder, true));
    let mut decided = decided.filter(|decided| !decided.is_none());
    matches!(decided.next(), Some(Match::Ignore(_)))
}

/// What a folder says git ignores in it; none where it says more than is left to read.
fn ignored_in(directory: &Utf8Path, bytes_left: &mut usize) -> Option<Vec<Gitignore>> {
    let mut found = Vec::new();
    for name in [".gitignore", ".ignore"] {
        let text = match read_at_most(&directory.join(name), *bytes_left) {
            Ok(text) => text,
            Err(ReadProblem::TooLarge) => return None,
            Err(_) => continue,
        };
        *bytes_left = bytes_left.saturating_sub(text.len());
        let mut rules = GitignoreBuilder::new(directory);
        for line in text.lines() {
            // A line that is no pattern ignores nothing.
            let _ = rules.add_line(None, line);
        }
        found.extend(rules.build().ok());
    }
    Some(found)
}

#[cfg(test)]
#[path = "below_tests.rs"]
mod tests;
