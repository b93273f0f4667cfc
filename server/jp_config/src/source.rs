//! The grammar of a tool's `source`.
//!
//! ```toml
//! source = "builtin"             # the builtin tool of the same name
//! source = "local.grep"          # a local tool that calls itself `grep`
//! source = "mcp.github.search"   # the tool `search` of the MCP server `github`
//! ```

use std::fmt;

/// Where a tool comes from.
#[derive(Debug, Clone, Eq, PartialEq, Hash)]
pub enum ToolSource {
    /// A tool inside `jp`.
    Builtin {
        /// Its name there, where it differs from the key in the config.
        tool: Option<String>,
    },
    /// A command on this machine.
    Local {
        /// Its own name, where it differs from the key in the config.
        tool: Option<String>,
    },
    /// A tool of an MCP server.
    Mcp {
        /// The key of the server under `providers.mcp`.
        server: String,
        /// Its name on the server, where it differs from the key in the config; it may contain dots.
        tool: Option<String>,
    },
}

/// Why a text is no tool source.
#[derive(Debug, Clone, Eq, PartialEq, thiserror::Error)]
pub enum ToolSourceError {
    /// The part before the first dot is none of the known kinds.
    #[error("unknown tool source `{0}`, must be one of: `builtin`, `local`, `mcp`")]
    Unknown(String),
    /// `mcp` names no server.
    #[error("an MCP tool source must name a server: use `mcp.<server>` or `mcp.<server>.<tool>`")]
    MissingServer,
    /// A dot is followed by nothing.
    #[error("tool source `{0}` ends in a dot: name the tool after it, or drop the dot")]
    MissingTool(String),
}

impl ToolSource {
    /// Reads a source: the kind ends at the first dot, and for MCP the server at the second one.
    ///
    /// # Errors
    ///
    /// Fails on an unknown kind, and where a name is empty.
    pub fn parse(text: &str) -> Result<Self, ToolSourceError> {
        let (kind, rest) = split(text);
        let name = |rest: Option<&str>| match rest {
            Some("") => Err(ToolSourceError::MissingTool(text.to_owned())),
            rest => Ok(rest.map(str::to_owned)),
        };
        match kind {
            "builtin" => Ok(Self::Builtin { tool: name(rest)? }),
            "local" => Ok(Self::Local { tool: name(rest)? }),
            "mcp" => {
                let (server, tool) = split(rest.unwrap_or_default());
                if server.is_empty() {
                    return Err(ToolSourceError::MissingServer);
                }
                Ok(Self::Mcp {
                    server: server.to_owned(),
                    tool: name(tool)?,
                })
            }
            other => Err(ToolSourceError::Unknown(other.to_owned())),
        }
    }

    /// The name that the source gives the tool, if it gives one.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Builtin { tool } | Self::Local { tool } | Self::Mcp { tool, .. } => {
                tool.as_deref()
            }
        }
    }

    /// The word for the kind: `builtin`, `local` or `mcp`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Builtin { .. } => "builtin",
            Self::Local { .. } => "local",
            Self::Mcp { .. } => "mcp",
        }
    }

    /// Whether a command of this machine runs the tool.
    #[must_use]
    pub fn is_local(&self) -> bool {
        matches!(self, Self::Local { .. })
    }
}

impl fmt::Display for ToolSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind())?;
        if let Self::Mcp { server, .. } = self {
            write!(formatter, ".{server}")?;
        }
        match self.tool() {
            Some(tool) => write!(formatter, ".{tool}"),
            None => Ok(()),
        }
    }
}

fn split(text: &str) -> (&str, Option<&str>) {
    match text.split_once('.') {
        Some((head, rest)) => (head, Some(rest)),
        None => (text, None),
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
