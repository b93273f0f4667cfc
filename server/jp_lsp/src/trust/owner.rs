//! Whether a workspace is the person's own.
//!
//! ```text
//! /tmp/.jp, owned by another user, is not the workspace of whoever works below /tmp
//! ```
//!
//! A `.jp` folder and the config files must belong to whoever runs this, links as well as what they lead to.
//! The folder around `.jp`, those between it and a config file, and what a link leads to, may belong to the system's
//! administrator too.

use std::{
    fs::{self, Metadata},
    io,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::view::View;
use jp_tool::spellings;

/// Somebody else can change what a workspace says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "nothing was started: `{path}` belongs to another user (uid {owner}, you are {own}), who decides what would run; \
     work as that user, or make it yours with `chown`"
)]
pub struct ForeignOwner {
    /// What somebody else owns.
    pub path: Utf8PathBuf,
    /// The owner.
    pub owner: u32,
    /// Who runs this.
    pub own: u32,
}

/// Refuses a workspace that somebody else owns.
///
/// Where files have no owners, none is refused.
///
/// # Errors
///
/// [`ForeignOwner`].
pub(super) fn check_workspace(root: &Utf8Path) -> Result<(), ForeignOwner> {
    check(root, Owners::AlsoRoot, Owners::AlsoRoot)?;
    check(&root.join(".jp"), Owners::Own, Owners::Own)
}

/// Refuses config files of a workspace that somebody else owns, or can exchange: the owner of a folder or link on the way.
///
/// # Errors
///
/// [`ForeignOwner`].
pub(super) fn check_files(root: &Utf8Path, view: &View) -> Result<(), ForeignOwner> {
    let mut checked = std::collections::BTreeSet::new();
    for layer in view.layers() {
        let path = view.graph().path(layer.file);
        if jp_config::effects::is_personal(layer.source) || !checked.insert(path) {
            continue;
        }
        // What a workspace extends elsewhere may be installed on the machine.
        let link = match path.starts_with(root) {
            true => Owners::Own,
            false => Owners::AlsoRoot,
        };
        check_way(root, path)?;
        check(path, link, Owners::AlsoRoot)?;
    }
    Ok(())
}

/// Checks every folder and link on the way to a file, from where the way parts with that to the workspace.
fn check_way(root: &Utf8Path, path: &Utf8Path) -> Result<(), ForeignOwner> {
    let canonical = root.canonicalize_utf8();
    let canonical = canonical.as_deref().unwrap_or(root);
    for spelling in spellings(path) {
        let is_on_the_way = |place: &&Utf8Path| {
            // What is above the workspace, or shared with it, decides about the workspace as a whole.
            *place != path && !root.starts_with(place) && !canonical.starts_with(place)
        };
        let mut places: Vec<&Utf8Path> = spelling.ancestors().filter(is_on_the_way).collect();
        places.reverse();
        for place in places {
            let is_inside = place.starts_with(root) || place.starts_with(canonical);
            let is_link = place.is_symlink();
            let owners = match is_inside && is_link {
                true => Owners::Own,
                false => Owners::AlsoRoot,
            };
            check_entry(place, owners)?;
            if is_link {
                // What is behind it has its turn in the next spelling, under its own name.
                break;
            }
        }
    }
    Ok(())
}

/// Who may own something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owners {
    /// Whoever runs this.
    Own,
    /// The administrator as well, who can change everything anyway.
    AlsoRoot,
}

/// Checks who owns an entry of a directory, and what it leads to.
fn check(path: &Utf8Path, entry: Owners, target: Owners) -> Result<(), ForeignOwner> {
    check_entry(path, entry)?;
    check_owner(path, fs::metadata(path), target)
}

fn check_entry(path: &Utf8Path, entry: Owners) -> Result<(), ForeignOwner> {
    check_owner(path, fs::symlink_metadata(path), entry)
}

#[cfg(unix)]
fn check_owner(
    path: &Utf8Path,
    metadata: io::Result<Metadata>,
    owners: Owners,
) -> Result<(), ForeignOwner> {
    use std::os::unix::fs::MetadataExt as _;

    // What is not there says nothing, and what cannot be looked at cannot be read either.
    let Ok(metadata) = metadata else {
        return Ok(());
    };
    let own = rustix::process::geteuid().as_raw();
    let owner = metadata.uid();
    if owner == own || (owner == 0 && owners == Owners::AlsoRoot) {
        return Ok(());
    }
    Err(ForeignOwner {
        path: path.to_owned(),
        owner,
        own,
    })
}

#[cfg(not(unix))]
fn check_owner(_: &Utf8Path, _: io::Result<Metadata>, _: Owners) -> Result<(), ForeignOwner> {
    Ok(())
}
