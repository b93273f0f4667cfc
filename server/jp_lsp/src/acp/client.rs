//! The client: what it can do, and the way to it.
//!
//! ```json
//! {"clientInfo": {"name": "zed"}, "clientCapabilities": {"elicitation": {"form": {}}}}
//! ```

use std::sync::Arc;

use agent_client_protocol::{
    Client, Error, JsonRpcRequest,
    v1::{
        ConnectionTo,
        schema::{
            ContentChunk, ElicitationCapabilities, InitializeRequest, Notice, NoticeSeverity,
            SessionNotification, SessionUpdate,
        },
    },
};
use jp_conversation::visible;

/// What a client says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Profile {
    /// What it calls itself.
    pub(super) name: Option<String>,
    /// Whether it shows forms.
    pub(super) forms: bool,
    /// Whether it shows notices.
    pub(super) notices: bool,
}

impl Profile {
    /// What a client says when it begins.
    pub(super) fn of(request: &InitializeRequest) -> Self {
        let capabilities = &request.client_capabilities;
        let elicitation = capabilities.elicitation.as_ref();
        let session = capabilities.session.as_ref();
        Self {
            name: request.client_info.as_ref().map(|info| info.name.clone()),
            forms: elicitation.is_some_and(ElicitationCapabilities::supports_form),
            notices: session.is_some_and(|it| it.notices.is_some()),
        }
    }
}

/// The way to the client. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ToClient {
    pub(super) connection: ConnectionTo<Client>,
    pub(super) profile: Arc<Profile>,
}

impl ToClient {
    /// Tells what happens in a session.
    pub(super) fn tell(&self, session: &str, update: SessionUpdate) {
        let notification = SessionNotification::new(session.to_owned(), update);
        if let Err(error) = self.connection.send_notification(notification) {
            tracing::debug!(%error, "the client is gone");
        }
    }

    /// Tells a person something that is no part of the conversation.
    pub(super) fn notice(&self, session: &str, text: &str) {
        let text = visible(text);
        let update = match self.profile.notices {
            true => SessionUpdate::Notice(Notice::new(NoticeSeverity::Info, text)),
            false => {
                let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
                SessionUpdate::AgentMessageChunk(ContentChunk::new(
                    format!("\n\n{quoted}\n").into(),
                ))
            }
        };
        self.tell(session, update);
    }

    /// Asks the client; whoever stops waiting withdraws the request.
    pub(super) async fn ask<R: JsonRpcRequest>(&self, request: R) -> Result<R::Response, Error> {
        self.connection.send_request(request).block_task().await
    }
}
