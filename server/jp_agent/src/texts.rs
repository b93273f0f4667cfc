//! What the model is told when a call has no result of its own.
//!
//! ```json
//! {"type": "tool_call_response", "id": "call_1", "content": "Tool skipped by user.", "is_error": false}
//! ```

use camino::Utf8Path;
use jp_tool::FsCapability;

use crate::config::ToolConfig;

/// A person, or the config, does not want the call to run.
pub(crate) fn skipped(reason: Option<&str>) -> String {
    match reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("Tool skipped by user: {reason}"),
        None => "Tool skipped by user.".to_owned(),
    }
}

/// A person has said so earlier in the turn.
pub(crate) const SKIPPED_REMEMBERED: &str = "Tool skipped by user (remembered).";

/// The call was cancelled.
pub(crate) const CANCELLED: &str = "Tool execution cancelled by user.";

/// The config keeps the result back.
pub(crate) const RESULT_SKIPPED_BY_CONFIG: &str = "Result delivery skipped by configuration.";

/// A person keeps the result back.
pub(crate) const RESULT_SKIPPED_BY_USER: &str = "Result delivery skipped by user.";

/// A person left nothing of the result in the editor.
pub(crate) const RESULT_EMPTIED: &str = "Result withheld by user: it was emptied in the editor.";

/// A person dismissed the question whether to deliver.
pub(crate) const RESULT_CANCELLED: &str = "Result delivery cancelled.";

/// A person dismissed the editor of a result.
pub(crate) const RESULT_EDIT_CANCELLED: &str = "Result edit cancelled.";

/// A call that needs approval, with nobody to give it.
pub(crate) fn nobody_to_approve(name: &str) -> String {
    format!(
        "Tool '{name}' was not run because it needs approval and nobody is available to give it. Do not retry this \
         tool call in this turn; continue without it or explain what is missing."
    )
}

/// A result that needs approval, with nobody to give it.
pub(crate) fn nobody_to_deliver(name: &str) -> String {
    format!(
        "The result of tool '{name}' was not delivered because it needs approval and nobody is available to give it. \
         Do not retry this tool call in this turn; continue without it or explain what is missing."
    )
}

/// The model calls what it may not call.
pub(crate) fn not_available(name: &str) -> String {
    format!(
        "Tool '{name}' is not available. It may have been available earlier in this conversation but is no longer \
         enabled. Do not call it again; continue with the tools that are available."
    )
}

/// A tool asks for a secret again that it was given.
pub(crate) fn secret_not_read(name: &str, id: &str) -> String {
    format!(
        "Tool '{name}' asked for the secret `{id}` again after it was given. A secret is handed over on standard input \
         only, since everybody on the machine can read a command line: the tool has to read the JSON document there, and \
         its command need not hold `{{{{tool}}}}`."
    )
}

/// The tool's own formatter failed.
pub(crate) fn formatter_failed(name: &str, error: &str) -> String {
    format!("Tool '{name}' was not executed because the argument formatter failed: {error}")
}

/// The answer ended in the middle of the call.
pub(crate) const CALL_CUT: &str = "Tool call was not run because the answer was cut off before the call was complete. \
                                   Make the call again, with shorter arguments where possible.";

/// The task of the call ended without a result.
pub(crate) const FAILED_INSIDE: &str = "Tool call ended because of an internal error of the host; it may have run or not. \
                                        Check what it was to do before making it again.";

/// A path of the call leads elsewhere than when the call was decided.
pub(crate) const DECIDED_ANEW: &str =
    "This call was decided before, and where its paths lead has changed since.";

/// The config change of a tool whose grants cannot be understood.
pub(crate) fn change_refused(name: &str, error: &impl std::fmt::Display) -> String {
    format!("The config change that tool '{name}' proposes was not applied: {error}")
}

/// A person has granted what a call lacked.
pub(crate) fn granted(capability: FsCapability, path: &Utf8Path) -> String {
    format!(
        "A person has now granted `{capability}` on `{path}` for this conversation. Make the call again."
    )
}

/// A person was asked to grant what a call lacked.
pub(crate) fn not_granted(
    capability: FsCapability,
    path: &Utf8Path,
    reason: Option<&str>,
) -> String {
    let text = format!(
        "A person was asked to grant `{capability}` on `{path}` and said no. Do not try it again in this turn."
    );
    match reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{text} The person says: {reason}"),
        None => text,
    }
}

/// A person stops the tools and perhaps says why.
pub(crate) fn interrupted(tool: Option<&ToolConfig>, text: Option<&str>) -> String {
    match text.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => format!("Tool run cancelled by user with a custom message:\n\n{text}"),
        None => tool.map_or_else(
            || crate::config::CANCELLATION_RESPONSE.to_owned(),
            |tool| tool.cancellation_response.clone(),
        ),
    }
}
