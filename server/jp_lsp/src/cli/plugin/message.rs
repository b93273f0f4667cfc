//! What `jp` and a plugin of it say to each other, one JSON object a line (RFD 072).
//!
//! ```json
//! {"type": "describe"}
//! {"type": "describe", "name": "lsp", "version": "0.1.0", "description": "…", "command": ["lsp"]}
//! ```

use std::io::{self, Write};

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the protocol that is spoken here.
pub(super) const VERSION: u32 = 1;

/// What `jp` says and is heeded here.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum HostMessage {
    /// Who are you? One answer, and the end.
    Describe,
    /// Run.
    Init(Box<Init>),
    /// Stop soon.
    Shutdown,
}

/// What to run, and where.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Init {
    /// The version of the protocol that the host speaks.
    pub(super) version: u32,
    /// The workspace that `jp` runs in.
    pub(super) workspace: Workspace,
    /// The whole config as `jp` resolved it.
    #[serde(default)]
    pub(super) config: Value,
    /// What stands behind `jp lsp` on the command line.
    #[serde(default)]
    pub(super) args: Vec<String>,
    /// How much to log: 0 errors, 1 warnings, up to 4 everything.
    #[serde(default)]
    pub(super) log_level: u8,
}

/// The workspace that `jp` runs in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Workspace {
    /// Its folder.
    pub(super) root: Utf8PathBuf,
}

/// What a plugin says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum PluginMessage<'a> {
    /// The answer to `describe`.
    Describe {
        name: &'static str,
        version: &'static str,
        description: &'static str,
        /// The words behind `jp` that lead here.
        command: [&'static str; 1],
        /// What `jp lsp -h` prints.
        help: &'a str,
        repository: &'static str,
    },
    /// `init` is understood.
    Ready,
    /// Text for the person.
    Print {
        text: &'a str,
        channel: &'static str,
        format: &'static str,
    },
    /// Text for who looks for a fault.
    Log {
        level: &'static str,
        message: &'a str,
    },
    /// The end, with the exit code of `jp`.
    Exit {
        code: u8,
        /// What `jp` prints where the code is not 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
    },
}

impl PluginMessage<'_> {
    /// Writes the message as one line, at once.
    pub(super) fn send(&self, output: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *output, self)?;
        output.write_all(b"\n")?;
        output.flush()
    }
}

/// Why a line of the host cannot be heeded.
#[derive(Debug, thiserror::Error)]
pub(super) enum MessageError {
    /// It is no JSON.
    #[error("the host's message is not JSON: {0}")]
    Syntax(serde_json::Error),
    /// It is JSON without a type.
    #[error("the host's message has no `type`: write one of {HEEDED}")]
    Untyped,
    /// It is of a type that is unknown here.
    #[error("the host's message is of the unknown type `{0}`: write one of {HEEDED}")]
    Unknown(String),
    /// Something in it is missing, or not what it should be.
    #[error("the host's `{kind}` cannot be read: {error}")]
    Shape {
        /// The type of the message.
        kind: String,
        /// What is wrong.
        error: serde_json::Error,
    },
    /// It speaks another version of the protocol.
    #[error(
        "the host speaks version {0} of the plugin protocol and jp-lsp {version} speaks version {VERSION}: update the older one",
        version = env!("CARGO_PKG_VERSION")
    )]
    Version(u32),
}

/// The types of messages that are heeded, in words.
const HEEDED: &str = "`describe`, `init`, `shutdown`";

/// One line of the host.
pub(super) fn parse(line: &[u8]) -> Result<HostMessage, MessageError> {
    let value: Value = serde_json::from_slice(line).map_err(MessageError::Syntax)?;
    let kind = value.get("type").and_then(Value::as_str);
    let kind = kind.ok_or(MessageError::Untyped)?.to_owned();
    if !matches!(kind.as_str(), "describe" | "init" | "shutdown") {
        let shown = jp_conversation::visible(&kind).chars().take(80).collect();
        return Err(MessageError::Unknown(shown));
    }
    let message = serde_json::from_value(value);
    match message.map_err(|error| MessageError::Shape { kind, error })? {
        HostMessage::Init(init) if init.version != VERSION => {
            Err(MessageError::Version(init.version))
        }
        message => Ok(message),
    }
}
