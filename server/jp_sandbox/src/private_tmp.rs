//! A `/tmp` of its own for a process.
//!
//! ```text
//! /tmp/jp-lsp-tool-8fK2   mounted over /tmp, so that nothing of what others keep there is seen
//! ```

use camino::Utf8Path;

use crate::{Beyond, Entry, Held, Kind, Mechanisms, Tree};

/// Where everybody's temporary files lie.
pub(crate) const TMP: &str = "/tmp";

/// Whether a tool gets a `/tmp` of its own, and why not; none where nobody asks for that.
pub(crate) fn private_tmp(
    beyond: &Beyond,
    root: &Utf8Path,
    mechanisms: Mechanisms,
    tree: &dyn Tree,
) -> Option<(Held, Option<String>)> {
    if !beyond.private_tmp {
        return None;
    }
    let tmp = Utf8Path::new(TMP);
    let is_folder = |entry: Entry| entry.kind == Kind::Directory;
    let reason = if !mechanisms.hold_files() {
        "nothing holds files on this machine".to_owned()
    } else if !mechanisms.hold_mounts() {
        "this machine lets no process have mounts of its own".to_owned()
    } else if root.starts_with(tmp) {
        "the workspace lies in `/tmp`".to_owned()
    } else if beyond.command.iter().any(|file| file.starts_with(tmp)) {
        "its command lies in `/tmp`".to_owned()
    } else if !tree.entry(tmp).is_some_and(is_folder) {
        "`/tmp` is no folder".to_owned()
    } else {
        return Some((Held::Held, None));
    };
    Some((Held::Not, Some(reason)))
}
