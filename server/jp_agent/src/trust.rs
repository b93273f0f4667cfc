//! Trust as a precondition: nothing starts in a workspace that nobody has trusted.
//!
//! ```json
//! {"jsonrpc": "2.0", "method": "jp/trustGranted", "params": {}}
//! ```
//!
//! Opening a folder runs nothing: no tool, no formatter, no MCP server, no command from config, no network.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::visible;

/// A workspace that a person has trusted.
///
/// The only way to get one is [`TrustedWorkspace::granted`], and every function that starts a process or talks to a
/// model asks for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedWorkspace {
    root: Utf8PathBuf,
    id: String,
    approvals: Option<Utf8PathBuf>,
}

impl TrustedWorkspace {
    /// The workspace at `root`, an absolute path, after the person who opened it has said that it is trusted.
    ///
    /// `id` is the content of `.jp/.id`, empty without one.
    #[must_use]
    pub fn granted(root: impl Into<Utf8PathBuf>, id: impl Into<String>) -> Self {
        Self {
            root: root.into(),
            id: id.into(),
            approvals: None,
        }
    }

    /// Sets the file with the approved targets of `external` rules, see [`approved_targets`](crate::approved_targets).
    ///
    /// Default: none, so that no rule leads out of the workspace.
    #[must_use]
    pub fn with_approvals(mut self, file: Option<Utf8PathBuf>) -> Self {
        self.approvals = file;
        self
    }

    /// The file with the approved targets of `external` rules.
    #[must_use]
    pub fn approvals(&self) -> Option<&Utf8Path> {
        self.approvals.as_deref()
    }

    /// The absolute path of the workspace.
    #[must_use]
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The id of the workspace, empty without one.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// What a config starts or sends and nobody has trusted as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untrusted {
    /// The workspace.
    pub root: Utf8PathBuf,
    /// Names exactly this content; what [`ConfigSource::trust`](crate::ConfigSource::trust) takes.
    pub digest: String,
    /// The content, a line each, safe to show.
    pub list: String,
}

impl fmt::Display for Untrusted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, list, .. } = self;
        let root = visible(root.as_str());
        write!(
            formatter,
            "nothing was started: the config of `{root}` starts or sends what nobody has trusted:\n{list}\n\
             If you trust it, run `jp-lsp trust {root}`, or repeat the query with `--trust`."
        )
    }
}
