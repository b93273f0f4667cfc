//! The workspaces below a folder that an editor has open, as in a repository of several projects.
//!
//! ```text
//! /mono                        # opened, no `.jp`
//! /mono/packages/app/.jp       # found
//! /mono/node_modules/x/.jp     # not looked for
//! /mono/other -> /elsewhere    # a link is not followed
//! ```
//!
//! Only names are read, and of so many folders no more than [`MAXIMUM_NAMES`].

use std::{collections::VecDeque, fs};

use camino::{Utf8Path, Utf8PathBuf};

use super::config_files::SKIPPED;

/// The most names that one search looks at.
const MAXIMUM_NAMES: usize = 20_000;

/// Whether a workspace lies below a folder, by its name and when all links are followed.
#[must_use]
pub(crate) fn lies_below(root: &Utf8Path, folder: &Utf8Path) -> bool {
    let is_named_so = root != folder && root.starts_with(folder);
    is_named_so
        && match (root.canonicalize_utf8(), folder.canonicalize_utf8()) {
            (Ok(root), Ok(folder)) => root != folder && root.starts_with(folder),
            _ => false,
        }
}

/// The folders below a folder that hold `.jp`, the nearest first.
///
/// Folders that are hidden, or hold what others wrote, are not looked into: a workspace there is one for whoever names it.
#[must_use]
pub(crate) fn workspaces_below(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    let mut names_left = MAXIMUM_NAMES;
    let mut ahead = VecDeque::from([folder.to_owned()]);
    while let Some(directory) = ahead.pop_front() {
        let Ok(entries) = fs::read_dir(&directory) else {
            continue;
        };
        let mut folders = Vec::new();
        for entry in entries.flatten() {
            if names_left == 0 {
                return found;
            }
            names_left -= 1;
            // A link is not followed: it is no folder here.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if let Some(name) = entry.file_name().to_str().filter(|_| is_folder) {
                folders.push(name.to_owned());
            }
        }
        folders.sort();
        if directory != folder && folders.iter().any(|name| name == ".jp") {
            found.push(directory.clone());
        }
        let looked_into =
            |name: &&String| !name.starts_with('.') && !SKIPPED.contains(&name.as_str());
        ahead.extend(
            folders
                .iter()
                .filter(looked_into)
                .map(|name| directory.join(name)),
        );
    }
    found
}

#[cfg(test)]
#[path = "below_tests.rs"]
mod tests;
