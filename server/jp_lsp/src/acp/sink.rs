//! What turns say, on its way to the owner of the sessions.

use jp_agent::{CallProgress, EventSink, TurnOutcome};
use jp_conversation::{ChatResponse, ConversationEvent, ConversationId, EventKind};

use super::command::{Commands, Heard};

/// Tells the owner of the sessions what happens in the turns of one workspace.
#[derive(Debug)]
pub(super) struct AcpSink {
    pub(super) commands: Commands,
}

impl EventSink for AcpSink {
    /// Words were told as they came, and calls as they were made.
    fn committed(&self, conversation: ConversationId, event: &ConversationEvent) {
        let heard = match &event.kind {
            EventKind::ChatResponse(ChatResponse::Reasoning(text)) => Heard::Thought(text.clone()),
            EventKind::ChatResponse(ChatResponse::Data(data)) => Heard::Data(data.clone()),
            _ => return,
        };
        self.commands.hear(conversation, heard);
    }

    fn delta_text(&self, conversation: ConversationId, text: &str) {
        self.commands
            .hear(conversation, Heard::Text(text.to_owned()));
    }

    fn call_progress(&self, conversation: ConversationId, progress: CallProgress<'_>) {
        let heard = match progress {
            CallProgress::Deciding {
                id,
                name,
                arguments,
            } => Heard::Deciding {
                id: id.to_owned(),
                name: name.to_owned(),
                arguments: arguments.cloned(),
            },
            CallProgress::Running { id } => Heard::Running { id: id.to_owned() },
            CallProgress::Finished {
                id,
                content,
                is_error,
            } => Heard::Finished {
                id: id.to_owned(),
                content: content.to_owned(),
                is_error,
            },
        };
        self.commands.hear(conversation, heard);
    }

    fn notice(&self, conversation: ConversationId, text: &str) {
        self.commands
            .hear(conversation, Heard::Notice(text.to_owned()));
    }

    /// An attempt that another follows is of no interest; what ends the turn is told as its outcome.
    fn retrying(&self, _: ConversationId, _: &str) {}

    /// The owner hears it once the conversation can be written again.
    fn turn_end(&self, _: ConversationId, _: &TurnOutcome) {}
}
