//! Everything about a prompt, for editors that show no prompts of their own.
//!
//! ```diff
//! -name = "quick"
//! +name = "strong"
//! ```

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::Prompt;
use jp_conversation::visible;
use lsp_types::MessageType;
use url::Url;

use crate::{
    agent::show_document,
    disk::data::write_whole,
    runtime::documents,
    session::{config_engine::ConfigEngine, content::ContentAddress, request::Context},
};

/// How many characters a message shows.
const MESSAGE: usize = 4000;

/// Shows a prompt as a document, or as a message where the client shows no documents.
pub(super) async fn show(context: &Context<ConfigEngine>, prompt: &Prompt) {
    let client = context.snapshot().client();
    let text = prompt.details();
    let address = ContentAddress::Prompt(prompt.id.clone()).uri();
    if let Some(uri) = address.filter(|_| client.takes_contents())
        && show_document(client, context.outbox(), &uri, true).await
    {
        return;
    }
    if client.shows_documents() {
        let (root, text) = (prompt.root.clone(), text.clone());
        let written = tokio::task::spawn_blocking(move || write(&root, &text)).await;
        match written {
            Ok(Ok(uri)) if show_document(client, context.outbox(), &uri, true).await => return,
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "a prompt has no document"),
            Err(error) => tracing::error!(%error, "a prompt has no document"),
        }
    }
    let shown: String = visible(&text).chars().take(MESSAGE).collect();
    context.outbox().show(MessageType::INFO, shown);
}

/// Writes the one document of a workspace's prompts.
fn write(root: &Utf8Path, text: &str) -> std::io::Result<Url> {
    let directory = documents(root).map_err(std::io::Error::other)?;
    let path: Utf8PathBuf = directory.join("prompt.md");
    write_whole(&path, text)?;
    let absolute = fs::canonicalize(&path)?;
    Url::from_file_path(&absolute).map_err(|()| std::io::Error::other("the path has no URI"))
}
