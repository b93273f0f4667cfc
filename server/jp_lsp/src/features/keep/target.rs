//! The file that a change is written into: one that the workspace loads, or a new one in `.jp`.

use std::fs;

use camino::Utf8Path;
use jp_config::{content::ContentFormat, graph::ReadProblem, paths::is_stored_conversation};
use url::Url;

use super::super::file_edit::Target;
use crate::{
    disk::config_files::read_text,
    session::{
        config_engine::ConfigEngine, documents::FileKey, error::RequestError, request::Context,
    },
};

/// Finds the file. An open buffer counts more than the disk.
///
/// # Errors
///
/// Says which files can be named instead.
pub(super) fn find(
    context: &Context<ConfigEngine>,
    root: &Utf8Path,
    wanted: Option<Url>,
) -> Result<Target, RequestError> {
    let key = wanted.as_ref().map_or_else(
        || FileKey::of_path(&root.join(".jp/config.toml")),
        FileKey::of,
    );
    let refused = |problem: &str| RequestError::InvalidParams(format!("`{key}` {problem}"));
    let path = key
        .path()
        .ok_or_else(|| refused("is no file: name one that the workspace loads"))?
        .to_owned();
    if ContentFormat::of(&path) != Some(ContentFormat::Toml) {
        return Err(refused(
            "is no TOML file: name one whose name ends in `.toml`",
        ));
    }
    let is_new = match fs::symlink_metadata(&path) {
        Ok(_) => false,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => {
            return Err(RequestError::Failed(format!(
                "`{key}` cannot be read: {error}"
            )));
        }
    };
    let reading = context.reading()?;
    let is_loaded = reading.workspaces().any(|workspace| {
        let graph = workspace.graph();
        graph.workspace == root && graph.file_at(&path).is_some()
    });
    let may_be_written = is_loaded || is_new && is_within_jp(&path, root);
    if !may_be_written {
        return Err(refused(
            "is not loaded by the workspace of this conversation: name a file that is, or a new one in its `.jp` folder",
        ));
    }
    let uri = wanted.or_else(|| key.uri());
    let uri = uri.ok_or_else(|| refused("is no absolute path"))?;
    if let Some(document) = context.snapshot().documents().get(&key) {
        return Ok(Target::of_buffer(document, path));
    }
    let text = match read_text(&path) {
        Ok(text) => Some(text),
        Err(ReadProblem::Missing) if is_new => None,
        Err(problem) => return Err(RequestError::Failed(format!("`{key}` {problem}"))),
    };
    Ok(Target::of_disk(uri, path, text))
}

/// Whether a file that does not exist would come to lie in the workspace's `.jp`, whatever links lead there.
fn is_within_jp(path: &Utf8Path, root: &Utf8Path) -> bool {
    let folder = root.join(".jp");
    if !path.starts_with(&folder) || is_stored_conversation(path) {
        return false;
    }
    let Ok(real) = folder.canonicalize_utf8() else {
        return false;
    };
    let existing = path
        .ancestors()
        .skip(1)
        .find(|ancestor| fs::symlink_metadata(ancestor).is_ok());
    existing
        .and_then(|existing| existing.canonicalize_utf8().ok())
        .is_some_and(|existing| existing.starts_with(&real))
}
