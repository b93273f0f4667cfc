//! What two processes say to each other that show the same prompts, one JSON object a line.
//!
//! ```json
//! {"show": {"prompt": {"id": "17636666521-3"}, "mayRemember": true, "root": "/w"}}
//! {"answer": {"number": 1, "id": "17636666521-3", "digest": "9f2c…", "answer": {"action": "approve"}, "answerer": {}}}
//! {"received": {"number": 1, "reception": "decided"}}
//! {"resolved": {"id": "17636666521-3", "resolution": "approve"}}
//! ```

use camino::Utf8PathBuf;
use jp_conversation::Answerer;
use serde::{Deserialize, Serialize};

use super::{Reception, Resolution};
use crate::prompt::{AnswerError, Prompt, PromptAnswer};
use crate::source_range::SourceRange;

/// What the process says whose turn asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum FromHost {
    /// Show this prompt.
    Show(Box<Shared>),
    /// The prompt waits no more.
    Resolved { id: String, resolution: Resolution },
    /// What became of an answer.
    Received { number: u64, reception: Received },
}

/// What the process says that shows the prompts as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum FromGuest {
    /// Somebody answers.
    Answer(Box<Answer>),
    /// Nobody there can decide this prompt.
    Pass { id: String },
}

/// An answer to a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) number: u64,
    pub(super) id: String,
    pub(super) digest: String,
    pub(super) answer: PromptAnswer,
    pub(super) answerer: Answerer,
}

/// A prompt with what `jp/prompt` does not carry, but surfaces need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shared {
    prompt: Prompt,
    may_remember: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
    root: Utf8PathBuf,
}

/// Where a rule stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    file: Utf8PathBuf,
    start: (u32, u32),
    end: (u32, u32),
}

impl From<&Prompt> for Shared {
    fn from(prompt: &Prompt) -> Self {
        Self {
            prompt: prompt.clone(),
            may_remember: prompt.may_remember,
            note: prompt.note.clone(),
            place: prompt.place.as_ref().map(|place| Place {
                file: place.file.clone(),
                start: place.start,
                end: place.end,
            }),
            root: prompt.root.clone(),
        }
    }
}

impl From<Shared> for Prompt {
    fn from(shared: Shared) -> Self {
        Self {
            may_remember: shared.may_remember,
            note: shared.note,
            place: shared.place.map(|place| SourceRange {
                file: place.file,
                start: place.start,
                end: place.end,
            }),
            root: shared.root,
            ..shared.prompt
        }
    }
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Received {
    Decided,
    Undecided,
    NotPending,
    WrongDigest,
    /// It does not fit, in words.
    Unfit(String),
}

impl From<Result<Reception, AnswerError>> for Received {
    fn from(received: Result<Reception, AnswerError>) -> Self {
        match received {
            Ok(Reception::Decided) => Self::Decided,
            Ok(Reception::Undecided) => Self::Undecided,
            Err(AnswerError::NotPending { .. }) => Self::NotPending,
            Err(AnswerError::WrongDigest { .. }) => Self::WrongDigest,
            Err(error) => Self::Unfit(error.to_string()),
        }
    }
}

impl Received {
    /// The same for the one who answered the prompt `id`.
    pub(super) fn of(self, id: String) -> Result<Reception, AnswerError> {
        match self {
            Self::Decided => Ok(Reception::Decided),
            Self::Undecided => Ok(Reception::Undecided),
            Self::NotPending => Err(AnswerError::NotPending { id }),
            Self::WrongDigest => Err(AnswerError::WrongDigest { id }),
            Self::Unfit(text) => Err(AnswerError::Unfit(text)),
        }
    }
}
