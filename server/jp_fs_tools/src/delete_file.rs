//! `fs_delete_file`: removes a file or a symlink, and the directory that it leaves empty.
//!
//! ```json
//! {"path": "src/deprecated_module.rs"}
//! ```
//!
//! A symlink is removed itself, wherever it points.

use jp_tool::{Question, Tool};
use serde::Deserialize;

use crate::{
    access::{Capability, OpenWorkspace},
    dirty,
    error::Error,
    invocation,
    reply::{Reply, consent},
    tree::EntryKind,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
}

/// Runs the tool.
pub(crate) fn run(workspace: &OpenWorkspace<'_>, tool: &Tool) -> Result<Reply, Error> {
    let arguments: Arguments = invocation::arguments(tool)?;
    let target = workspace.entry(&arguments.path)?;
    workspace.require(Capability::Delete, &target)?;
    match target.kind()? {
        Some(EntryKind::File | EntryKind::Symlink) => {}
        Some(EntryKind::Directory) => {
            return Err(Error::Invalid(
                "This is a directory, and only files are deleted; a directory that becomes empty goes with its last file."
                    .to_owned(),
            ));
        }
        Some(EntryKind::Other) => {
            return Err(Error::Invalid("Path is not a regular file.".to_owned()));
        }
        None => {
            return Err(Error::Invalid(
                "Path points to non-existing entry.".to_owned(),
            ));
        }
    }
    let subject = format!("File '{}'", target.path());
    let state = dirty::work_state(&target);
    if let Some(concern) = dirty::concern(&subject, &state, false) {
        let question = || {
            Question::boolean("delete_dirty_file", format!("{concern} Delete anyway?"))
                .with_default(false)
        };
        let refused = || {
            "Not deleted: the file holds work that git does not know. Commit or discard it first."
                .to_owned()
        };
        if let Some(ask) = consent(tool, "delete_dirty_file", question, refused)? {
            return Ok(ask);
        }
    }
    target
        .place()
        .and_then(|place| place.remove_file())
        .map_err(|source| target.error("delete", source))?;
    let mut message = "File deleted.".to_owned();
    message.push_str(workspace.remove_emptied_parent(&target));
    Ok(Reply::Done(message))
}

#[cfg(test)]
#[path = "delete_file_tests.rs"]
mod tests;
