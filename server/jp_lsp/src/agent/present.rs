//! The end of a turn in an editor that knows nothing of turns.
//!
//! ```json
//! {"method": "window/showDocument", "params": {"uri": "file:///home/me/.local/share/jp-lsp/documents/w/jp-c17636666521.md"}}
//! ```

use jp_agent::TurnOutcome;
use jp_conversation::{ConversationId, visible};
use lsp_types::{MessageType, ShowDocumentParams, request::ShowDocument};
use url::Url;

use super::{command::HostError, document::ConversationDocument, turns::Turn};
use crate::{
    session::{client::ClientProfile, content::ContentAddress},
    wire::Outbox,
};

/// How many characters of an answer stand in a message.
const MESSAGE: usize = 2000;

/// Shows a file, where the client can; answers whether it did.
pub(crate) async fn show_document(
    client: &ClientProfile,
    outbox: &Outbox,
    uri: &Url,
    takes_focus: bool,
) -> bool {
    if !client.shows_documents() {
        return false;
    }
    let shown = outbox.request::<ShowDocument>(ShowDocumentParams {
        uri: uri.clone(),
        external: Some(false),
        take_focus: Some(takes_focus),
        selection: None,
    });
    tokio::select! {
        shown = shown => matches!(shown, Ok(Ok(shown)) if shown.success),
        () = outbox.closed() => false,
    }
}

/// Lets the person see what the assistant said, or why it said nothing.
pub(super) async fn answer(
    turn: Turn,
    conversation: ConversationId,
    outcome: TurnOutcome,
    document: Result<ConversationDocument, HostError>,
) {
    if let TurnOutcome::Failed { error } = &outcome {
        turn.outbox.show(
            MessageType::ERROR,
            format!("jp: the turn failed: {}", visible(error)),
        );
    }
    let address = ContentAddress::Conversation(conversation).uri();
    if let Some(uri) = address.filter(|_| turn.client.takes_contents())
        && show_document(&turn.client, &turn.outbox, &uri, false).await
    {
        return;
    }
    let ready = match document {
        Ok(document) => document.ready().await.map_err(HostError::from),
        Err(error) => Err(error),
    };
    let place = match ready {
        Ok(uri) => {
            if show_document(&turn.client, &turn.outbox, &uri, false).await {
                return;
            }
            Some(uri)
        }
        Err(error) => {
            tracing::warn!(%error, "a conversation has no document");
            None
        }
    };
    if let Some(words) = &turn.words {
        turn.outbox
            .show(MessageType::INFO, message(words, place.as_ref()));
    }
}

/// The words of the assistant, and where the rest of the conversation is.
fn message(words: &str, place: Option<&Url>) -> String {
    let cut: String = words.chars().take(MESSAGE).collect();
    let mut message = format!("jp: {}", visible(&cut));
    if words.chars().nth(MESSAGE).is_some() {
        message.push('\u{2026}');
    }
    let path = place.and_then(|place| place.to_file_path().ok());
    if let Some(path) = path {
        message.push_str(&format!("\n({})", path.display()));
    }
    message
}
