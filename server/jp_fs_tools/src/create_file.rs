//! `fs_create_file`: a file with the given content, replacing an existing one only after a question.
//!
//! ```json
//! {"path": "src/placeholder.rs", "content": "//! Empty.\n"}
//! ```

use jp_tool::{Question, Tool};
use serde::Deserialize;

use crate::{
    access::{Capability, OpenWorkspace, Target},
    error::Error,
    invocation,
    reply::{Reply, consent},
    text,
    tree::EntryKind,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    #[serde(default)]
    content: Option<String>,
}

/// Shows what the tool is about to write.
pub(crate) fn format(tool: &Tool) -> Result<Reply, Error> {
    let arguments: Arguments = invocation::arguments(tool)?;
    let path = text::visible_line(&arguments.path);
    let content = arguments.content.unwrap_or_default();
    if content.is_empty() {
        return Ok(Reply::Done(format!("Create empty file '{path}'")));
    }
    let extension = camino::Utf8Path::new(&arguments.path).extension();
    let body = text::numbered(&text::visible(&content));
    Ok(Reply::Done(format!(
        "Create file '{path}' with content:\n\n{}",
        text::fenced(text::language(extension), &body)
    )))
}

/// Runs the tool.
pub(crate) fn run(workspace: &OpenWorkspace<'_>, tool: &Tool) -> Result<Reply, Error> {
    let arguments: Arguments = invocation::arguments(tool)?;
    let target = workspace.entry_for_file(&arguments.path)?;
    let content = arguments.content.unwrap_or_default();
    match target.kind()? {
        None => create(workspace, &target, &content)?,
        Some(EntryKind::File) => {
            workspace.require(Capability::Update, &target)?;
            let question = || {
                Question::boolean(
                    "overwrite_file",
                    format!("File '{}' exists. Overwrite?", target.path()),
                )
                .with_default(false)
            };
            let refused = || "Path points to existing file.".to_owned();
            if let Some(ask) = consent(tool, "overwrite_file", question, refused)? {
                return Ok(ask);
            }
            overwrite(&target, &content)?;
        }
        Some(EntryKind::Directory) => {
            return Err(Error::Invalid("Path is an existing directory.".to_owned()));
        }
        Some(EntryKind::Symlink) => {
            return Err(Error::Invalid(
                "Path is an existing symlink. Name the file that it points to.".to_owned(),
            ));
        }
        Some(EntryKind::Other) => {
            return Err(Error::Invalid(
                "Path exists and is not a regular file.".to_owned(),
            ));
        }
    }
    Ok(Reply::Done(format!(
        "File '{}' created. File size: {}",
        target.path(),
        content.len()
    )))
}

fn create(workspace: &OpenWorkspace<'_>, target: &Target, content: &str) -> Result<(), Error> {
    workspace.require(Capability::Create, target)?;
    target
        .place_with_parents()
        .and_then(|place| place.create(content.as_bytes()))
        .map_err(|source| target.error("create", source))
}

fn overwrite(target: &Target, content: &str) -> Result<(), Error> {
    let place = target
        .place()
        .map_err(|source| target.error("open", source))?;
    place
        .original()
        .and_then(|original| place.replace(content.as_bytes(), &original))
        .map_err(|source| target.error("overwrite", source))
}

#[cfg(test)]
#[path = "create_file_tests.rs"]
mod tests;
