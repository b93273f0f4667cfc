//! Paths of files and directories.
//!
//! ```toml
//! extends = ["config/personas/default.toml"]   # relative to this file
//! access.fs = [{ path = "src" }]               # relative to the workspace
//! ```

use camino::Utf8Path;
use jp_config::{content::ContentFormat, paths::normalize};

use super::{
    context::{Site, ValueSlot},
    item::{ItemKind, Items},
    paths::PathEntry,
};

/// Which files make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Files and directories, and what is below them.
    Everything,
    /// The same, each as a value that can be equal to it.
    Values,
    /// Directories only.
    Directories,
    /// Config files, and the directories that may hold some.
    Config,
}

/// Offers what stands in the directory that the typed text leads to, seen from `base`.
pub(super) fn offer(
    site: &Site<'_>,
    slot: &ValueSlot<'_>,
    base: &Utf8Path,
    wanted: Wanted,
    items: &mut Items,
) {
    let typed = slot.typed.as_str();
    let end = typed.rfind('/').map_or(0, |at| at + 1);
    let (directory, start) = typed.split_at(end);
    if directory.starts_with(['/', '~']) {
        return;
    }
    let target = normalize(&base.join(directory));
    // Outside of the workspace an access rule never applies.
    if wanted != Wanted::Config && !target.starts_with(site.workspace()) {
        return;
    }
    let mut entries = site.paths.list(&target);
    entries.retain(|entry| is_offered(site, &target, entry, start, wanted));
    entries.sort_by(|left, right| {
        (!left.is_directory, &left.name).cmp(&(!right.is_directory, &right.name))
    });
    for entry in entries {
        let path = format!("{directory}{}", entry.name);
        if !entry.is_directory {
            items.push(slot.string(&path, ItemKind::File));
            continue;
        }
        let path = match wanted {
            Wanted::Directories | Wanted::Values => path,
            Wanted::Everything | Wanted::Config => format!("{path}/"),
        };
        items.push(slot.string(&path, ItemKind::Directory).continuing());
    }
}

/// Whether an entry of a directory makes sense; `start` is what is typed of its name.
fn is_offered(
    site: &Site<'_>,
    directory: &Utf8Path,
    entry: &PathEntry,
    start: &str,
    wanted: Wanted,
) -> bool {
    let is_asked_for = match wanted {
        Wanted::Everything | Wanted::Values => true,
        Wanted::Directories => entry.is_directory,
        Wanted::Config => {
            let format = ContentFormat::of(Utf8Path::new(&entry.name));
            // A file cannot extend itself.
            let is_own = directory.join(&entry.name) == *site.view.graph().path(site.file);
            entry.is_directory || (format.is_some() && !is_own)
        }
    };
    let is_hidden = entry.name.starts_with('.') && !start.starts_with('.');
    let is_printable = !entry.name.contains(char::is_control);
    let is_shown = !is_hidden || wanted == Wanted::Directories || entry.name == ".jp";
    is_asked_for && is_printable && is_shown
}
