//! `fs_move_file`: renames a file, a symlink or a directory.
//!
//! ```json
//! {"source": "docs/start", "target": "docs/guide/start"}
//! ```
//!
//! Moving a directory moves everything in it.
//! So a rule below the source that keeps something from being deleted stops the move, as does a rule below the target
//! that keeps something from being created: else a denied file would come out under another rule.
//! A directory that holds a protected place, such as a `.git`, moves only with a rule for that place.
//! Nothing moves to a path below which a protected place would come to be, without a rule for that place.

use std::io;

use jp_tool::{Question, Tool};
use serde::Deserialize;

use crate::{
    access::{Capability, OpenWorkspace, Target},
    dirty,
    error::Error,
    invocation,
    reply::{Reply, consent},
    tree::EntryKind,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    source: String,
    target: String,
}

/// Runs the tool.
pub(crate) fn run(workspace: &OpenWorkspace<'_>, tool: &Tool) -> Result<Reply, Error> {
    let arguments: Arguments = invocation::arguments(tool)?;
    let source = workspace.entry(&arguments.source)?;
    let target = match source.kind()? {
        Some(EntryKind::Directory) => workspace.entry(&arguments.target)?,
        _ => workspace.entry_for_file(&arguments.target)?,
    };
    if source.absolute() == target.absolute() {
        return Err(Error::Invalid(
            "Source and target are the same path.".to_owned(),
        ));
    }
    workspace.require(Capability::Delete, &source)?;
    let is_directory = match source.kind()? {
        Some(EntryKind::File | EntryKind::Symlink) => false,
        Some(EntryKind::Directory) => true,
        Some(EntryKind::Other) => {
            return Err(Error::Invalid(format!(
                "Source path '{}' is not a file or directory.",
                source.path()
            )));
        }
        None => {
            return Err(Error::Invalid(format!(
                "Source path '{}' does not exist.",
                source.path()
            )));
        }
    };
    let replaces = target_is_taken(workspace, &target, is_directory)?;
    workspace.require_protected_above(&target)?;
    if is_directory {
        require_beneath(workspace, &source, &target)?;
    }
    if let Some(ask) = ask(tool, &source, &target, is_directory, replaces)? {
        return Ok(ask);
    }
    perform(&source, &target, is_directory, replaces)?;
    let mut message = format!(
        "Moved {} '{}' to '{}'.",
        if is_directory { "directory" } else { "file" },
        source.path(),
        target.path()
    );
    message.push_str(workspace.remove_emptied_parent(&source));
    Ok(Reply::Done(message))
}

/// Whether a file at the target has to give way, after the matching grant was checked.
fn target_is_taken(
    workspace: &OpenWorkspace<'_>,
    target: &Target,
    is_directory: bool,
) -> Result<bool, Error> {
    let kind = target.kind()?;
    let capability = if kind.is_some() {
        Capability::Update
    } else {
        Capability::Create
    };
    workspace.require(capability, target)?;
    match kind {
        None => Ok(false),
        Some(_) if is_directory => Err(Error::Invalid(format!(
            "Target '{}' already exists.",
            target.path()
        ))),
        Some(EntryKind::File) => Ok(true),
        Some(EntryKind::Symlink) => {
            // The link itself gives way, and not what it leads to, so this removes an entry.
            workspace.require(Capability::Delete, target)?;
            Ok(true)
        }
        Some(EntryKind::Directory) => Err(Error::Invalid(format!(
            "Target path '{}' is an existing directory.",
            target.path()
        ))),
        Some(EntryKind::Other) => Err(Error::Invalid(format!(
            "Target path '{}' is not a regular file.",
            target.path()
        ))),
    }
}

/// Checks the rules for what a directory holds, at both ends.
fn require_beneath(
    workspace: &OpenWorkspace<'_>,
    source: &Target,
    target: &Target,
) -> Result<(), Error> {
    if target.absolute().starts_with(source.absolute()) {
        return Err(Error::Invalid(
            "A directory cannot be moved into itself.".to_owned(),
        ));
    }
    workspace.require_beneath(Capability::Delete, source)?;
    workspace.require_beneath(Capability::Create, target)?;
    workspace.require_protected_beneath(source, target)
}

fn ask(
    tool: &Tool,
    source: &Target,
    target: &Target,
    is_directory: bool,
    replaces: bool,
) -> Result<Option<Reply>, Error> {
    if replaces {
        let question = || {
            Question::boolean(
                "overwrite_file",
                format!("Target '{}' exists. Overwrite?", target.path()),
            )
            .with_default(false)
        };
        let refused = || format!("Target '{}' already exists.", target.path());
        if let Some(ask) = consent(tool, "overwrite_file", question, refused)? {
            return Ok(Some(ask));
        }
    }
    let noun = if is_directory { "Directory" } else { "File" };
    let subject = format!("{noun} '{}'", source.path());
    let state = dirty::work_state(source);
    let Some(concern) = dirty::concern(&subject, &state, is_directory) else {
        return Ok(None);
    };
    let question = || {
        Question::boolean("move_dirty_source", format!("{concern} Move anyway?"))
            .with_default(false)
    };
    let refused = || {
        "Not moved: the source holds work that git does not know. Commit or discard it first."
            .to_owned()
    };
    consent(tool, "move_dirty_source", question, refused)
}

fn perform(
    source: &Target,
    target: &Target,
    is_directory: bool,
    replaces: bool,
) -> Result<(), Error> {
    let from = source
        .place()
        .map_err(|error| source.error("move", error))?;
    let to = target
        .place_with_parents()
        .map_err(|error| target.error("create", error))?;
    let moved = if is_directory || replaces {
        from.rename_over(&to)
    } else {
        from.rename_to_vacant(&to)
    };
    moved.map_err(|error| match error.kind() {
        io::ErrorKind::CrossesDevices => Error::Invalid(
            "Source and target are on different file systems. Create the target, then delete the source."
                .to_owned(),
        ),
        _ => source.error("move", error),
    })
}

#[cfg(test)]
#[path = "move_file_tests.rs"]
mod tests;
