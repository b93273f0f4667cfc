//! Documents that have an address and no file (LSP 3.18), of which `lsp-types` 0.94 knows nothing.
//!
//! ```json
//! { "method": "workspace/textDocumentContent", "params": { "uri": "jp-lsp:/effective/w/config.toml" } }
//! { "result": { "text": "[assistant]\nname = \"Ada\" # .jp/config.toml:2\n" } }
//! { "method": "workspace/textDocumentContent/refresh", "params": { "uri": "jp-lsp:/effective/w/config.toml" } }
//! ```

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use jp_conversation::ConversationId;
use lsp_types::request::Request;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;
use url::Url;

use super::{client::ClientProfile, documents::FileKey};
use crate::wire::Outbox;

/// The scheme of the addresses.
const SCHEME: &str = "jp-lsp";

/// How many documents are remembered that were asked for; of more the client has to ask by itself.
const REMEMBERED: usize = 64;

/// `workspace/textDocumentContent`.
#[derive(Debug)]
pub(crate) enum TextDocumentContent {}

impl Request for TextDocumentContent {
    type Params = TextDocumentContentParams;
    type Result = TextDocumentContentResult;
    const METHOD: &'static str = "workspace/textDocumentContent";
}

/// `workspace/textDocumentContent/refresh`, from the server.
#[derive(Debug)]
pub(crate) enum TextDocumentContentRefresh {}

impl Request for TextDocumentContentRefresh {
    type Params = TextDocumentContentParams;
    type Result = ();
    const METHOD: &'static str = "workspace/textDocumentContent/refresh";
}

/// Which document is meant.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TextDocumentContentParams {
    pub(crate) uri: Url,
}

/// A document.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TextDocumentContentResult {
    pub(crate) text: String,
}

/// What stands in a document without a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ContentAddress {
    /// The effective config of the workspace around a folder.
    Effective(Utf8PathBuf),
    /// Everything about the prompt with this id.
    Prompt(String),
    /// A conversation.
    Conversation(ConversationId),
}

impl ContentAddress {
    /// The address; none for a folder that has none.
    pub(crate) fn uri(&self) -> Option<Url> {
        let path = match self {
            Self::Effective(folder) => {
                let folder = FileKey::of_path(folder).uri()?;
                format!(
                    "/effective{}/config.toml",
                    folder.path().trim_end_matches('/')
                )
            }
            Self::Prompt(id) => format!("/prompt/{id}.md"),
            Self::Conversation(id) => format!("/conversation/{id}.md"),
        };
        Url::parse(&format!("{SCHEME}:{path}")).ok()
    }

    /// What is at an address; none where that is not one of ours.
    pub(crate) fn of(uri: &Url) -> Option<Self> {
        if uri.scheme() != SCHEME {
            return None;
        }
        let path = uri.path();
        if let Some(folder) = path.strip_prefix("/effective") {
            let folder = folder.strip_suffix("/config.toml")?;
            let folder = Url::parse(&format!("file://{folder}/")).ok()?;
            return Some(Self::Effective(FileKey::of(&folder).path()?.to_owned()));
        }
        if let Some(id) = path.strip_prefix("/prompt/") {
            return Some(Self::Prompt(id.strip_suffix(".md")?.to_owned()));
        }
        let id = path.strip_prefix("/conversation/")?.strip_suffix(".md")?;
        id.parse().ok().map(Self::Conversation)
    }
}

/// What the server says of these documents in the result of `initialize`, where the client knows them.
pub(super) fn offer(client: &ClientProfile, result: &mut Value) {
    let workspace = result.pointer_mut("/capabilities/workspace");
    if let Some(Value::Object(workspace)) = workspace.filter(|_| client.takes_contents()) {
        workspace.insert("textDocumentContent".into(), json!({ "schemes": [SCHEME] }));
    }
}

/// Tells the client that a document has another text than it was given.
pub(crate) fn refresh(outbox: &Outbox, uri: Url) {
    // A client that will not ask again has its reasons.
    drop(outbox.request::<TextDocumentContentRefresh>(TextDocumentContentParams { uri }));
}

/// Tells a client that a document grows, at once or when it has answered what it was told before.
///
/// Ends when it is dropped; must be made within a runtime.
#[derive(Debug)]
pub(crate) struct GrowingContent {
    changes: watch::Sender<()>,
}

impl GrowingContent {
    pub(crate) fn new(outbox: Outbox, uri: Url) -> Self {
        let (changes, mut seen) = watch::channel(());
        tokio::spawn(async move {
            while seen.changed().await.is_ok() {
                let params = TextDocumentContentParams { uri: uri.clone() };
                // An error means that the client will not ask again, which is its choice.
                let _ = outbox.request::<TextDocumentContentRefresh>(params).await;
            }
        });
        Self { changes }
    }

    /// Says that there is more.
    pub(crate) fn grow(&self) {
        self.changes.send_replace(());
    }
}

/// What the client was given, and has not been told to ask for again since.
#[derive(Debug, Default)]
pub(super) struct GivenContents {
    /// Each document with the generation that it was made for.
    given: BTreeMap<Url, u64>,
    /// The generation that was settled last.
    settled: u64,
}

impl GivenContents {
    /// Notes that the client was given a document; answers what it is to ask for again at once.
    pub(super) fn give(&mut self, uri: Url, generation: u64) -> Option<Url> {
        if generation < self.settled {
            return Some(uri);
        }
        if self.given.len() < REMEMBERED {
            self.given.insert(uri, generation);
        }
        None
    }

    /// Notes that a generation is settled; answers what the client is to ask for again.
    pub(super) fn settle(&mut self, generation: u64) -> Vec<Url> {
        self.settled = self.settled.max(generation);
        let stale = |given: &u64| *given < generation;
        let uris = self.given.iter().filter(|(_, given)| stale(given));
        let uris: Vec<Url> = uris.map(|(uri, _)| uri.clone()).collect();
        self.given.retain(|_, given| !stale(given));
        uris
    }
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
