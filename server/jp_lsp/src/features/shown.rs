//! Documents that say something about a tool of a workspace.
//!
//! ```text
//! ~/.local/share/jp-lsp/documents/w-a1b2c/calls-read.md
//! ```

use std::sync::Arc;

use camino::Utf8Path;
use url::Url;

use super::blocking::blocking;
use crate::{
    agent::show_document,
    disk::data::write_whole,
    runtime::documents,
    session::{config_engine::ConfigEngine, error::RequestError, request::Context},
};

/// How many characters of a tool's name are in that of a document.
const NAME: usize = 60;

/// Writes a document on a background thread, and shows it where the client can; `uri` is its address in what `write` answers.
///
/// # Errors
///
/// Those of `write`.
pub(super) async fn show<T: Send + 'static>(
    context: Context<ConfigEngine>,
    write: impl FnOnce(&Context<ConfigEngine>) -> Result<T, RequestError> + Send + 'static,
    uri: impl Fn(&T) -> &Url,
) -> Result<T, RequestError> {
    let context = Arc::new(context);
    let work = Arc::clone(&context);
    let shown = blocking(move || write(&work)).await?;
    show_document(
        context.snapshot().client(),
        context.outbox(),
        uri(&shown),
        true,
    )
    .await;
    Ok(shown)
}

/// Writes the one document of its kind about a tool, into the person's own data.
pub(super) fn written(
    root: &Utf8Path,
    kind: &str,
    tool: &str,
    text: &str,
) -> Result<Url, RequestError> {
    let name: String = tool
        .chars()
        .map(|letter| match letter {
            letter if letter.is_alphanumeric() || letter == '_' => letter,
            _ => '-',
        })
        .take(NAME)
        .collect();
    let folder = documents(root).map_err(|error| RequestError::Failed(error.to_string()))?;
    let path = folder.join(format!("{kind}-{name}.md"));
    write_whole(&path, text)
        .map_err(|error| RequestError::Failed(format!("`{path}` cannot be written: {error}")))?;
    Url::from_file_path(&path)
        .map_err(|()| RequestError::Failed(format!("`{path}` has no address")))
}
