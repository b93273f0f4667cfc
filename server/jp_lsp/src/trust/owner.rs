//! Whether a workspace is the person's own.
//!
//! ```text
//! /tmp/.jp, owned by another user, is not the workspace of whoever works below /tmp
//! ```
//!
//! A `.jp` folder and the config files must belong to whoever runs this, links as well as what they lead to.
//! The folder around `.jp`, and what a link leads to, may belong to the system's administrator too.

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::view::View;

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

/// Refuses config files of a workspace that somebody else owns.
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
        check(path, link, Owners::AlsoRoot)?;
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

#[cfg(unix)]
fn check(path: &Utf8Path, entry: Owners, target: Owners) -> Result<(), ForeignOwner> {
    use std::{fs, os::unix::fs::MetadataExt as _};

    let own = rustix::process::geteuid().as_raw();
    // What is not there says nothing, and what cannot be looked at cannot be read either.
    let found = [
        (fs::symlink_metadata(path), entry),
        (fs::metadata(path), target),
    ];
    for (metadata, owners) in found {
        let Ok(metadata) = metadata else {
            continue;
        };
        let owner = metadata.uid();
        if owner != own && !(owner == 0 && owners == Owners::AlsoRoot) {
            return Err(ForeignOwner {
                path: path.to_owned(),
                owner,
                own,
            });
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn check(_: &Utf8Path, _: Owners, _: Owners) -> Result<(), ForeignOwner> {
    Ok(())
}
