//! From a path as someone wrote it to the one form that file-system rules are compared with.
//!
//! This is RFD 076, "Path evaluation", steps 1 to 4.
//! With the workspace at `/work` and `docs` a link to `manual`:
//!
//! | input | absolute | relative |
//! |---|---|---|
//! | `src//./lib.rs` | `/work/src/lib.rs` | `src/lib.rs` |
//! | `docs/new/page.md` | `/work/manual/new/page.md` | `manual/new/page.md` |
//! | `/work` | `/work` | `.` |
//! | `src/../../etc` | rejected, leaves the workspace | |
//!
//! `..` in the input is resolved lexically, before any link is followed; `..` inside a link's target is resolved the
//! way the kernel does it.
//! Whether a component exists is asked with `lstat`: a dangling link exists, and is followed to where it points.

use std::{borrow::Cow, io};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::FsAccessError;

/// How many symbolic links one path may go through, the limit of the Linux kernel.
pub const MAX_SYMLINKS: usize = 40;

/// Whether two spellings that differ in case can name the same file by default.
const FOLDS_CASE: bool = cfg!(any(target_os = "macos", windows));

/// A path inside the workspace with every symbolic link resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical {
    /// The path to open.
    pub absolute: Utf8PathBuf,

    /// The path that rules are compared with, relative to the workspace; `.` is the workspace itself.
    pub relative: Utf8PathBuf,
}

/// Resolves `input` against the workspace `root`.
///
/// `root` must be absolute and exist; it may be, or lie behind, a symbolic link.
/// An absolute `input` is accepted below `root` as given or as resolved, so that a result can be checked again.
///
/// # Errors
///
/// [`FsAccessError::Outside`] for an absolute input that is not below `root`, [`FsAccessError::Escape`] when `..` or a
/// link leads out of it, and [`FsAccessError::Io`] when the file system does not answer.
pub fn canonicalize(root: &Utf8Path, input: &Utf8Path) -> Result<Canonical, FsAccessError> {
    let resolved = resolve(root, input)?;
    resolved
        .inside()
        .ok_or_else(|| FsAccessError::Escape(input.to_owned()))
}

/// A path with every symbolic link resolved, inside the workspace or not.
#[derive(Debug)]
pub(crate) struct Resolved {
    root: Utf8PathBuf,
    pub(crate) absolute: Utf8PathBuf,
}

impl Resolved {
    /// The canonical form, unless the path lies outside the workspace.
    pub(crate) fn inside(&self) -> Option<Canonical> {
        let relative = self.absolute.strip_prefix(&self.root).ok()?;
        Some(Canonical {
            absolute: self.absolute.clone(),
            relative: dot_if_empty(relative),
        })
    }
}

/// The path itself, or `.` for the empty path.
pub(crate) fn dot_if_empty(path: &Utf8Path) -> Utf8PathBuf {
    if path.as_str().is_empty() {
        Utf8PathBuf::from(".")
    } else {
        path.to_owned()
    }
}

/// Steps 1 to 3: joins, normalizes and follows links, without judging where that ends.
pub(crate) fn resolve(root: &Utf8Path, input: &Utf8Path) -> Result<Resolved, FsAccessError> {
    if !root.is_absolute() {
        return Err(FsAccessError::RelativeRoot(root.to_owned()));
    }
    if input.as_str().contains('\0') {
        return Err(FsAccessError::io(
            input,
            &io::Error::from(io::ErrorKind::InvalidInput),
        ));
    }
    let real_root = root
        .canonicalize_utf8()
        .map_err(|error| FsAccessError::io(root, &error))?;
    let names = below_root(root, &real_root, input)?;
    let absolute = follow(&real_root, names).map_err(|error| FsAccessError::io(input, &error))?;
    Ok(Resolved {
        root: real_root,
        absolute,
    })
}

/// An entry of a directory: the directory as a path below the workspace, and the name in it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) parent: Utf8PathBuf,
    pub(crate) name: String,
}

/// The entry that `input` names, after steps 1 and 2; none for the workspace itself.
pub(crate) fn entry(root: &Utf8Path, input: &Utf8Path) -> Result<Option<Entry>, FsAccessError> {
    let real_root = root
        .canonicalize_utf8()
        .map_err(|error| FsAccessError::io(root, &error))?;
    let mut names = below_root(root, &real_root, input)?;
    Ok(names.pop().map(|name| Entry {
        name: name.to_owned(),
        parent: dot_if_empty(&names.iter().collect::<Utf8PathBuf>()),
    }))
}

/// An absolute path, and what it turns into as each link on it is followed, the resolved path last.
///
/// ```text
/// /w/base.toml   /w/conf/base.toml   /w/settings/base.toml      base.toml -> conf/base.toml, conf -> settings
/// ```
#[must_use]
pub fn spellings(path: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut spellings = vec![path.to_owned()];
    let mut path = path.to_owned();
    while spellings.len() <= MAX_SYMLINKS
        && let Some(next) = first_link_followed(&path)
    {
        path.clone_from(&next);
        spellings.push(next);
    }
    spellings
}

/// The path with the first link on it replaced by its target, `..` in which leads out of resolved directories only.
fn first_link_followed(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut ancestors: Vec<&Utf8Path> = path.ancestors().collect();
    ancestors.reverse();
    let link = ancestors.into_iter().find(|path| path.is_symlink())?;
    let rest = path.strip_prefix(link).ok()?;
    let target = link.parent()?.join(link.read_link_utf8().ok()?);
    let mut followed = Utf8PathBuf::new();
    for component in target.components().chain(rest.components()) {
        match component {
            Utf8Component::ParentDir => {
                // What is behind another link is resolved when its turn comes.
                if followed.is_symlink() {
                    followed = followed.canonicalize_utf8().ok()?;
                }
                followed.pop();
            }
            other => followed.push(other.as_str()),
        }
    }
    Some(followed)
}

/// Steps 1 and 2: the names that lead from the root to the input, in order, after `..` was resolved lexically.
fn below_root<'a>(
    root: &'a Utf8Path,
    real_root: &'a Utf8Path,
    input: &'a Utf8Path,
) -> Result<Vec<&'a str>, FsAccessError> {
    let outside = || FsAccessError::Outside(input.to_owned());
    let (base, rest) = if input.is_absolute() {
        [root, real_root]
            .into_iter()
            .find_map(|base| Some((base, input.strip_prefix(base).ok()?)))
            .ok_or_else(outside)?
    } else {
        (root, input)
    };
    let base = normalized(Vec::new(), base).ok_or_else(outside)?;
    let depth = base.len();
    // A relative path with a root or a drive (Windows) would replace the workspace when joined.
    let joined = normalized(base.clone(), rest).ok_or_else(outside)?;
    match joined.get(..depth) {
        Some(head) if head == base => Ok(joined.into_iter().skip(depth).collect()),
        _ => Err(FsAccessError::Escape(input.to_owned())),
    }
}

/// Appends the components of `path` to `names`, `..` taking the last one away.
/// `None` if `path` has a root or a drive although `names` is not empty.
fn normalized<'a>(mut names: Vec<&'a str>, path: &'a Utf8Path) -> Option<Vec<&'a str>> {
    let anchored = !names.is_empty();
    for component in path.components() {
        match component {
            Utf8Component::Prefix(_) | Utf8Component::RootDir if anchored => return None,
            Utf8Component::Prefix(_) | Utf8Component::RootDir | Utf8Component::CurDir => {}
            Utf8Component::ParentDir => {
                names.pop();
            }
            Utf8Component::Normal(name) => names.push(name),
        }
    }
    Some(names)
}

/// Step 3: walks `names` from the resolved directory `start`, following each link that exists.
fn follow(start: &Utf8Path, names: Vec<&str>) -> io::Result<Utf8PathBuf> {
    let mut pending: Vec<Cow<'_, str>> = names.into_iter().rev().map(Cow::Borrowed).collect();
    let mut current = start.to_owned();
    let mut is_directory = true;
    let mut missing: Option<Utf8PathBuf> = None;
    let mut links = 0_usize;

    while let Some(name) = pending.pop() {
        if name == ".." {
            // Only a link's target brings `..` here, and the kernel refuses it after anything but a directory.
            if missing.is_some() {
                return Err(io::ErrorKind::NotFound.into());
            }
            if !is_directory {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            current.pop();
            continue;
        }
        if missing.is_some() {
            current.push(name.as_ref());
            continue;
        }
        current.push(name.as_ref());
        match current.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => {
                links += 1;
                if links > MAX_SYMLINKS {
                    return Err(io::Error::other("too many levels of symbolic links"));
                }
                let target = current.read_link_utf8()?;
                current.pop();
                if let Some(base) = push_target(&mut pending, &target) {
                    current = base;
                }
                is_directory = true;
            }
            Ok(metadata) => is_directory = metadata.is_dir(),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                missing = Some(current.parent().unwrap_or(start).to_owned());
            }
            Err(error) => return Err(error),
        }
    }

    if FOLDS_CASE {
        return stored_case(&current, missing.as_deref());
    }
    Ok(current)
}

/// Queues the components of a link's target, and returns where to start from if the target is absolute.
fn push_target(pending: &mut Vec<Cow<'_, str>>, target: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut base = Utf8PathBuf::new();
    for component in target.components() {
        if matches!(component, Utf8Component::Prefix(_) | Utf8Component::RootDir) {
            base.push(component.as_str());
        }
    }
    for component in target.components().rev() {
        if matches!(
            component,
            Utf8Component::Normal(_) | Utf8Component::ParentDir
        ) {
            pending.push(Cow::Owned(component.as_str().to_owned()));
        }
    }
    (!base.as_str().is_empty()).then_some(base)
}

/// Spells the existing part the way the file system stores it, so that `.ENV` cannot dodge a rule for `.env`.
fn stored_case(resolved: &Utf8Path, existing: Option<&Utf8Path>) -> io::Result<Utf8PathBuf> {
    let existing = existing.unwrap_or(resolved);
    let tail = resolved.strip_prefix(existing).unwrap_or(Utf8Path::new(""));
    let stored = existing.canonicalize_utf8()?;
    Ok(if tail.as_str().is_empty() {
        stored
    } else {
        stored.join(tail)
    })
}

#[cfg(test)]
#[cfg(unix)]
#[path = "path_tests.rs"]
mod tests;
