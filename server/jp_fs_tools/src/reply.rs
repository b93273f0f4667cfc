//! What a tool says when nothing went wrong: it is done, or it has a question.

use jp_tool::{Outcome, Question, Tool};

use crate::{error::Error, invocation, text};

/// The result of a tool that was not stopped by an error.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// The work is done, and this is what the model reads.
    Done(String),
    /// The work waits for an answer.
    Ask(Question),
}

impl Reply {
    /// The outcome to print.
    pub(crate) fn into_outcome(self) -> Outcome {
        match self {
            Self::Done(content) => Outcome::success(content),
            Self::Ask(question) => Outcome::NeedsInput { question },
        }
    }
}

/// Makes sure that somebody agreed to go on.
///
/// `None` means that somebody did; `Some` is the question to ask first.
/// A `no` is the refusal given as `refused`.
pub(crate) fn consent(
    tool: &Tool,
    id: &'static str,
    question: impl FnOnce() -> Question,
    refused: impl FnOnce() -> String,
) -> Result<Option<Reply>, Error> {
    match invocation::answer(tool, id)? {
        Some(true) => Ok(None),
        Some(false) => Err(Error::Refused(refused())),
        None => {
            let mut question = question();
            // It names files, and names may hold line feeds and worse.
            question.text = text::visible_line(&question.text);
            Ok(Some(Reply::Ask(question)))
        }
    }
}
