//! A conversation on record, told again to a client that loads it.
//!
//! ```json
//! {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "What does main.rs do?"}}
//! ```

use agent_client_protocol::v1::schema::{ContentChunk, SessionUpdate};
use camino::Utf8Path;
use jp_conversation::{
    ChatResponse, ConversationEvent, DecisionOutcome, EventKind, fenced, visible,
};

use super::calls::{self, Calls};

/// What happened, in order; calls without a result have failed.
pub(super) fn updates(
    root: &Utf8Path,
    calls: &mut Calls,
    events: &[ConversationEvent],
) -> Vec<SessionUpdate> {
    let mut updates = Vec::new();
    for event in events {
        match &event.kind {
            EventKind::ChatRequest(request) => {
                updates.push(SessionUpdate::UserMessageChunk(chunk(&request.content)));
            }
            EventKind::ChatResponse(ChatResponse::Message(text)) => {
                updates.push(SessionUpdate::AgentMessageChunk(chunk(text)));
            }
            EventKind::ChatResponse(ChatResponse::Reasoning(text)) => {
                updates.push(SessionUpdate::AgentThoughtChunk(chunk(text)));
            }
            EventKind::ChatResponse(ChatResponse::Data(data)) => {
                let text = fenced("json", &data.to_string());
                updates.push(SessionUpdate::AgentMessageChunk(chunk(&text)));
            }
            EventKind::ToolCallRequest(call) => {
                let id = calls.begin(&call.id);
                // What the file was like then is not on record.
                let begun = calls::begun((&id, &call.name), Some(&call.arguments), root, None);
                updates.push(SessionUpdate::ToolCall(begun));
            }
            EventKind::ToolCallResponse(response) => {
                if let Some(id) = calls.end(&response.id) {
                    let decided = event.decisions().and_then(|decisions| decisions.run);
                    let is_refused = decided.is_some_and(|run| {
                        use DecisionOutcome::{Refused, Withdrawn};
                        matches!(run.outcome, Refused | Withdrawn)
                    });
                    let is_failed = response.is_error || is_refused;
                    let ended = calls::ended(&id, &response.content, is_failed, false);
                    updates.push(SessionUpdate::ToolCallUpdate(ended));
                }
            }
            EventKind::TurnStart
            | EventKind::InquiryRequest(_)
            | EventKind::InquiryResponse(_)
            | EventKind::ConfigDelta(_)
            | EventKind::Compaction(_)
            | EventKind::Unknown(_) => {}
        }
    }
    let unfinished = calls.end_all().into_iter();
    updates.extend(unfinished.map(|id| {
        let ended = calls::ended(&id, UNFINISHED, true, false);
        SessionUpdate::ToolCallUpdate(ended)
    }));
    updates
}

/// What is said of a call without a result.
pub(super) const UNFINISHED: &str = "The call did not run to its end.";

/// Text that a person or a model wrote.
pub(super) fn chunk(text: &str) -> ContentChunk {
    ContentChunk::new(visible(text).into_owned().into())
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
