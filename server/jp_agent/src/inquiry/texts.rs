//! What the model is told of questions that got no answer.
//!
//! ```json
//! {"type": "tool_call_response", "content": "Tool input cancelled by user.", "is_error": false}
//! ```

/// A person cancelled the question, or the turn ended.
pub(super) const CANCELLED: &str = "Tool input cancelled by user.";

/// Nobody is there to ask (RFD 083, "Non-interactive behavior").
pub(super) fn no_person(tool: &str) -> String {
    format!(
        "{tool} cannot run because no interactive terminal is available. Do not retry this tool call in this turn; \
         continue without user input or explain what information is missing."
    )
}

/// The config sends a question to the assistant that only a person may answer.
pub(super) fn assistant_denied(tool: &str) -> String {
    format!(
        "{tool} requires a human answer and cannot be routed to the assistant. Do not retry this tool call in this turn."
    )
}

/// The configured answer does not fit; the model is not to blame.
pub(super) fn invalid_static_answer(tool: &str, question: &str) -> String {
    format!(
        "{tool}: the configured conversation.tools.{tool}.questions.{question}.answer value does not match the \
         question's answer_type. Update the configuration; do not retry."
    )
}

/// The model that was to answer did not.
pub(super) fn backend_failed(tool: &str, question: &str, error: &str) -> String {
    format!(
        "The tool '{tool}' asked a follow-up question (\"{question}\") that was routed to a secondary assistant for \
         resolution, but the secondary assistant failed to provide a valid answer. Error: {error} You may retry the \
         tool call or end the turn."
    )
}
