//! Folders that a tool may make, and that are made for it: a rule of the kernel is about something that is there.
//!
//! ```toml
//! [[conversation.tools.build.access.fs]]
//! path = "target"     # does not exist: it is made before the tool starts, and gone after it if it is empty then
//! read = true
//! write = true
//! ```

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{AccessPolicy, AccessRuleError, FsCapability, protected_prefix};

use crate::{Kind, Tree};

/// The folders to make, outermost first.
///
/// A rule that lets a tool make what does not exist names a folder unless its name looks like a file's: with a dot that is not its first
/// character, or with a capital at its start.
///
/// # Errors
///
/// A rule that cannot be evaluated.
pub(crate) fn folders_to_make(
    root: &Utf8Path,
    access: &AccessPolicy,
    tree: &dyn Tree,
) -> Result<BTreeSet<Utf8PathBuf>, AccessRuleError> {
    let policy = access.fs.compiled()?;
    let mut folders = BTreeSet::new();
    let mut paths: Vec<&Utf8Path> = access
        .fs
        .iter()
        .filter(|rule| rule.create() && rule.approved_target().is_none())
        .map(jp_tool::FsRule::path)
        .collect();
    // An outer one is there when an inner one is looked at.
    paths.sort_unstable();
    for path in paths {
        let absolute = root.join(path);
        let is_granted = policy.decide(FsCapability::Create, path).allowed;
        let stands_in_folder = absolute.parent().is_some_and(|parent| {
            let entry = tree.entry(parent);
            folders.contains(parent)
                || (entry.is_some_and(|entry| entry.kind == Kind::Directory)
                    && tree.resolved(parent).as_deref() == Some(parent))
        });
        if is_granted
            && stands_in_folder
            && names_folder(path)
            && protected_prefix(path).is_none()
            && tree.entry(&absolute).is_none()
        {
            folders.insert(absolute);
        }
    }
    Ok(folders)
}

/// Whether a name looks like a folder's.
fn names_folder(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|name| {
        !name.starts_with(|first: char| first.is_ascii_uppercase())
            && !name.trim_start_matches('.').contains('.')
    })
}
