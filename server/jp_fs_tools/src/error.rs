//! Why a tool call did not do what it was asked to.
//!
//! Every error becomes an outcome that the model reads:
//!
//! ```json
//! {"type": "error", "message": "File not found.", "trace": [], "transient": true}
//! ```
//!
//! The messages are sentences, in the form that the released `jp` uses, since models and people know them.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::FsCapability as Capability;

/// Everything that can go wrong in a tool call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The context or the tool document could not be read.
    #[error("Invalid {document} document: {source}")]
    Document {
        /// Which document, `context` or `tool`.
        document: &'static str,
        /// What the JSON reader says.
        source: serde_json::Error,
    },

    /// The tool has a name that this binary does not serve.
    #[error(
        "Unknown tool '{0}'. Use one of: fs_create_file, fs_delete_file, fs_grep_files, fs_list_files, fs_modify_file, \
         fs_move_file, fs_read_file."
    )]
    UnknownTool(String),

    /// The arguments do not have the shape that the tool declares.
    #[error("Invalid arguments: {0}.")]
    Arguments(String),

    /// An option in the tool's configuration has the wrong type or value.
    #[error("Invalid option `{name}`: {problem}.")]
    Option {
        /// The option's name.
        name: String,
        /// What is wrong, and what to write instead.
        problem: String,
    },

    /// An answer is not of the type that the question asked for.
    #[error("Invalid answer to `{0}`: write `true` or `false`.")]
    Answer(&'static str),

    /// The workspace root cannot be opened.
    #[error("Cannot open the workspace root '{root}': {source}.")]
    Root {
        /// The root, as the context names it.
        root: Utf8PathBuf,
        /// Why not.
        source: io::Error,
    },

    /// A path argument is empty, or names the workspace root where a file is wanted.
    #[error("Path must not be empty.")]
    PathEmpty,

    /// A path argument is absolute and not under the workspace root.
    #[error("Path must be relative.")]
    PathAbsolute,

    /// A path argument leaves the workspace, lexically or through a symlink.
    #[error("Path must not escape the workspace root.")]
    PathEscapes,

    /// A path argument has too many components.
    #[error("Path must be at most 20 components long.")]
    PathTooDeep,

    /// A component of a path argument is too long.
    #[error("Individual path components must be at most 100 bytes long.")]
    PathComponentTooLong,

    /// A path argument ends like one of a directory where a file is going to be.
    #[error("Path ends in '/', which names a directory. Name the file.")]
    PathNamesDirectory,

    /// A path argument holds a NUL byte.
    #[error("Path must not contain a NUL byte.")]
    PathHoldsNul,

    /// A path argument, or what it resolves to, is not valid UTF-8.
    #[error("Path '{0}' cannot be resolved: {1}.")]
    PathUnresolvable(Utf8PathBuf, String),

    /// The grants in the context cannot be understood, so nothing is granted.
    #[error("Invalid access policy: {0}.")]
    Policy(String),

    /// No rule grants the capability on the path.
    #[error(
        "Access denied: cannot {capability} '{path}'. Paths granting {capability}: [{}]. If required, ask the user for \
         explicit access.",
        grants.iter().map(|path| shown(path)).collect::<Vec<_>>().join(", ")
    )]
    Denied {
        /// What the tool wanted to do.
        capability: Capability,
        /// The canonical path that it wanted to do it on.
        path: Utf8PathBuf,
        /// The paths of the rules that grant the capability.
        grants: Vec<Utf8PathBuf>,
    },

    /// The path lies in a protected place, and no rule is about that place.
    #[error(
        "Access denied: cannot {capability} '{path}'. '{place}' is protected, because config and hooks decide what runs, \
         and a wider grant does not open it. It takes a rule of its own in the tool's `access.fs`: {}. If required, ask \
         the user for explicit access.",
        rule_to_write(*capability, place, *has_rules)
    )]
    Protected {
        /// What the tool wanted to do.
        capability: Capability,
        /// The canonical path that it wanted to do it on.
        path: Utf8PathBuf,
        /// The protected place, relative to the workspace.
        place: Utf8PathBuf,
        /// Whether the tool has rules on files at all.
        has_rules: bool,
    },

    /// The path is hidden by the `suppress` option.
    #[error(
        "'{0}' is suppressed from this tool's results. If you need it, ask the user to provide it."
    )]
    Suppressed(Utf8PathBuf),

    /// Nothing stands at the path.
    #[error("File not found.")]
    NotFound,

    /// The path is a directory, a pipe or a device.
    #[error("Path is not a file.")]
    NotAFile,

    /// The file is no text.
    #[error("File '{0}' is not valid UTF-8 text.")]
    NotText(Utf8PathBuf),

    /// The file, or the part asked for, is larger than the tool handles.
    #[error("{0}")]
    TooLarge(String),

    /// The operating system refused.
    #[error("Cannot {action} '{path}': {source}.")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which path.
        path: Utf8PathBuf,
        /// What the operating system says.
        source: io::Error,
    },

    /// The call cannot be carried out as it is; the model can fix it.
    #[error("{0}")]
    Invalid(String),

    /// A person, or the tool on their behalf, said no.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    /// Whether another attempt with other arguments can succeed.
    ///
    /// A deliberate refusal is final: nothing but a person's word changes it.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        !matches!(
            self,
            Self::Denied { .. }
                | Self::Protected { .. }
                | Self::Suppressed(_)
                | Self::PathEscapes
                | Self::Refused(_)
                | Self::Policy(_)
                | Self::Option { .. }
                | Self::Document { .. }
                | Self::Root { .. }
        )
    }

    /// Wraps an operating system error on `path`.
    pub(crate) fn io(action: &'static str, path: &Utf8Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput => Self::NotAFile,
            _ => Self::Io {
                action,
                path: path.to_owned(),
                source,
            },
        }
    }
}

/// The rule that opens a protected place, and with it the one that keeps the rest open where nothing was closed.
fn rule_to_write(capability: Capability, place: &Utf8Path, has_rules: bool) -> String {
    let rule = format!("{{ path = \"{place}\", {capability} = true }}");
    if has_rules {
        rule
    } else {
        format!("{rule}, beside {{ path = \".\", read = true, write = true }} for everything else")
    }
}

/// A workspace-relative path as messages show it, the root being `.`.
pub(crate) fn shown(path: &Utf8Path) -> &str {
    match path.as_str() {
        "" => ".",
        other => other,
    }
}
