//! What a turn says, on its way to the client and to the host.
//!
//! ```json
//! {"method": "jp/conversation/event", "params": {"conversation": "jp-c17636666521", "event": {"type": "turn_start"}}}
//! ```

use camino::Utf8PathBuf;
use jp_agent::{CallChange, CallProgress, EventSink, PromptTool, TurnOutcome};
use jp_conversation::{
    ChatResponse, ConfigDelta, ConversationEvent, ConversationId, EventKind, visible,
};
use jp_llm::Usage;
use lsp_types::MessageType;
use serde_json::Value;
use tokio::sync::mpsc;

use super::command::{Command, Recorded};
use crate::{
    agent::{
        approved::SettledChange,
        protocol::{
            ConversationEventParams, ConversationNotification, NoticeNotification, NoticeParams,
            TransientEvent,
        },
    },
    session::event::{Event, EventSender},
    wire::Outbox,
};

/// Tells the client what happens in the turns of one workspace.
#[derive(Debug)]
pub(super) struct ClientSink {
    pub(super) root: Utf8PathBuf,
    pub(super) outbox: Outbox,
    pub(super) host: mpsc::WeakUnboundedSender<Command>,
    /// Where the event loop hears of settled changes.
    pub(super) events: EventSender,
    /// Whether the client knows nothing of our notifications.
    pub(super) is_plain: bool,
    /// Whether the client wants to know what each call is doing, and what the turn has taken.
    pub(super) tells_details: bool,
}

impl ClientSink {
    fn settle(
        &self,
        conversation: ConversationId,
        call: String,
        tool: String,
        approved: Option<ConfigDelta>,
    ) {
        self.events.send(Event::ChangeSettled(SettledChange {
            root: self.root.clone(),
            conversation,
            call,
            tool,
            approved,
            is_kept: false,
        }));
    }
}

/// Sends an event of a conversation to the client.
pub(super) fn tell(outbox: &Outbox, conversation: ConversationId, event: Value) {
    outbox.notify::<ConversationNotification>(ConversationEventParams {
        conversation: conversation.to_string(),
        event,
    });
}

impl From<(String, String)> for ConversationEventParams {
    /// A piece of what the assistant says in a conversation.
    fn from((conversation, text): (String, String)) -> Self {
        let event = TransientEvent::DeltaText { text }.to_json();
        Self {
            conversation,
            event,
        }
    }
}

impl EventSink for ClientSink {
    fn committed(&self, conversation: ConversationId, event: &ConversationEvent) {
        tell(&self.outbox, conversation, event.to_json());
        let recorded = match &event.kind {
            EventKind::ToolCallRequest(call) => Recorded::Called {
                id: call.id.clone(),
                tool: call.name.clone(),
            },
            EventKind::ToolCallResponse(response) => Recorded::Answered {
                id: response.id.clone(),
            },
            EventKind::ChatResponse(ChatResponse::Message(text)) => Recorded::Said(text.clone()),
            _ => Recorded::Other,
        };
        if let Some(host) = self.host.upgrade() {
            // A host that has ended shows nothing any more.
            let _ = host.send(Command::Recorded(conversation, recorded));
        }
    }

    fn delta_text(&self, conversation: ConversationId, text: &str) {
        let conversation = conversation.to_string();
        self.outbox
            .notify_piece::<ConversationNotification>(conversation, text.to_owned());
    }

    fn call_progress(&self, conversation: ConversationId, progress: CallProgress<'_>) {
        if self.tells_details {
            let event = TransientEvent::from(progress).to_json();
            tell(&self.outbox, conversation, event);
        }
        let (id, runs) = match progress {
            CallProgress::Deciding { id, .. } | CallProgress::Finished { id, .. } => (id, false),
            CallProgress::Running { id } => (id, true),
        };
        if let (true, Some(host)) = (runs, self.host.upgrade()) {
            // A host that has ended shows nothing any more.
            let _ = host.send(Command::Runs(conversation, id.to_owned()));
        }
    }

    fn usage(&self, conversation: ConversationId, usage: &Usage, window: Option<u64>) {
        if self.tells_details && *usage != Usage::default() {
            let event = TransientEvent::usage(usage, window).to_json();
            tell(&self.outbox, conversation, event);
        }
    }

    fn tells_usage(&self) -> bool {
        self.tells_details
    }

    fn notice(&self, conversation: ConversationId, text: &str) {
        self.outbox.notify::<NoticeNotification>(NoticeParams {
            conversation: conversation.to_string(),
            text: text.to_owned(),
        });
        if self.is_plain {
            self.outbox.show(MessageType::INFO, visible(text));
        }
    }

    fn retrying(&self, conversation: ConversationId, text: &str) {
        // A message for each attempt would pile up before the one that says how it ended.
        if self.tells_details {
            let text = text.to_owned();
            return tell(
                &self.outbox,
                conversation,
                TransientEvent::Retrying { text }.to_json(),
            );
        }
        self.outbox.notify::<NoticeNotification>(NoticeParams {
            conversation: conversation.to_string(),
            text: text.to_owned(),
        });
    }

    fn config_changed(&self, conversation: ConversationId, changes: &[CallChange]) {
        for change in changes {
            let CallChange {
                call_id,
                tool,
                delta,
            } = change.clone();
            self.settle(conversation, call_id, tool, Some(delta));
        }
    }

    fn change_rejected(&self, conversation: ConversationId, tool: &PromptTool) {
        self.settle(conversation, tool.call_id.clone(), tool.name.clone(), None);
    }

    /// The host says so, once the next turn can begin.
    fn turn_end(&self, _: ConversationId, _: &TurnOutcome) {}
}
