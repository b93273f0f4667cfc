//! What can go wrong in a turn.

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::refusal::{Refusal, RuleNumber, Subject};
use jp_conversation::{ConversationError, ConversationId};
use jp_llm::LlmError;

use crate::source_range::SourceRange;
use crate::trust::Untrusted;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// A value in the configuration cannot be used.
    #[error("`{path}`: {problem}")]
    Config {
        /// The config path, for example `conversation.tools.grep.command`.
        path: String,
        /// What is wrong and what to write instead.
        problem: String,
    },

    /// No turn starts with the config of the workspace.
    #[error("{0}")]
    Unusable(Box<Refusal>),

    /// The config starts or sends what nobody has trusted as it is.
    #[error("{0}")]
    Untrusted(Box<Untrusted>),

    /// A person does not trust what the config starts or sends.
    #[error(
        "nothing was started: what the config of the workspace starts or sends was not trusted"
    )]
    NotTrusted,

    /// The workspace is nobody's to run anything of, whatever anybody says.
    #[error("{0}")]
    Refused(String),

    /// The model could not be asked, or did not answer in full.
    #[error(transparent)]
    Llm(#[from] LlmError),

    /// The conversation could not be read or written.
    #[error(transparent)]
    Conversation(#[from] ConversationError),

    /// A required MCP server did not start.
    #[error("MCP server `{server}`: {problem}")]
    Mcp {
        /// The key under `providers.mcp`.
        server: String,
        /// What went wrong and what to change.
        problem: String,
    },

    /// The file with a person's approvals cannot be read, so that nothing is approved.
    #[error("`{file}` approves nothing: {problem}; repair or remove it")]
    Approvals {
        /// The file.
        file: Utf8PathBuf,
        /// What is wrong with it.
        problem: String,
    },

    /// The config does not resolve with the change that a tool made; the change stays recorded (RFD 078, "Re-Resolve
    /// Failures").
    #[error("the config is no longer usable after a tool changed it: {0}")]
    Resolve(Box<AgentError>),

    /// The workspace's config alone would do, and not with the changes that the conversation has recorded.
    #[error(
        "{error}; a config change that the conversation has recorded is the reason: go on with \
         `jp-lsp query --conversation {conversation} --model ID` or `--cfg PATH=VALUE`, or take the last change back with \
         `jp-lsp conversation undo-config {conversation}`"
    )]
    Recorded {
        /// The conversation.
        conversation: ConversationId,
        /// What is wrong.
        error: Box<AgentError>,
    },
}

impl AgentError {
    /// A problem with the value at a config path.
    pub(crate) fn config(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Config {
            path: path.into(),
            problem: problem.into(),
        }
    }

    /// A problem with a rule of the policy of a tool, `*` for the defaults of all.
    pub(crate) fn rule(tool: &str, rule: RuleNumber, problem: String) -> Self {
        Self::Unusable(Box::new(Refusal {
            subject: Some(Subject {
                tool: tool.to_owned(),
                rule: Some(rule),
            }),
            place: None,
            problem,
        }))
    }

    /// What is wrong with the config, and where in the workspace at `root`; none for what is no fault of its files.
    ///
    /// `place` looks up a config path and an element of the list there, as [`ConfigSource::place`] does.
    ///
    /// [`ConfigSource::place`]: crate::ConfigSource::place
    #[must_use]
    pub fn refusal(
        &self,
        root: &Utf8Path,
        place: impl Fn(&[&str], Option<usize>) -> Option<SourceRange>,
    ) -> Option<Refusal> {
        let shown = |place: SourceRange| {
            let file = place.file.strip_prefix(root).unwrap_or(&place.file);
            (file.to_owned(), place.start.0 + 1)
        };
        match self {
            Self::Unusable(refusal) => {
                let mut refusal = Refusal::clone(refusal);
                if refusal.place.is_none()
                    && let Some(subject) = &refusal.subject
                    && let (Some(rules), Some(rule)) = (subject.rules(), subject.rule)
                {
                    refusal.place = place(&rules, Some(rule.index)).map(shown);
                }
                Some(refusal)
            }
            Self::Config { path, problem } => {
                let (keys, index) = keys_of(path);
                // What is missing has no place; what it is missing in has one.
                let around = keys.get(..keys.len().saturating_sub(1)).unwrap_or_default();
                let found = place(&keys, index).or_else(|| place(around, None));
                let subject = match keys.as_slice() {
                    ["conversation", "tools", tool, ..] => Some(Subject {
                        tool: (*tool).to_owned(),
                        rule: None,
                    }),
                    _ => None,
                };
                Some(Refusal {
                    subject,
                    place: found.map(shown),
                    problem: format!("`{path}`: {problem}"),
                })
            }
            _ => None,
        }
    }
}

/// The config path `a.b[1]` as keys and the number of an element.
fn keys_of(path: &str) -> (Vec<&str>, Option<usize>) {
    let numbered = path
        .strip_suffix(']')
        .and_then(|path| path.rsplit_once('['))
        .and_then(|(path, index)| Some((path, index.parse().ok()?)));
    match numbered {
        Some((path, index)) => (path.split('.').collect(), Some(index)),
        None => (path.split('.').collect(), None),
    }
}
