//! What can go wrong in a turn.

use camino::Utf8PathBuf;
use jp_conversation::{ConversationError, ConversationId};
use jp_llm::LlmError;

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
}
