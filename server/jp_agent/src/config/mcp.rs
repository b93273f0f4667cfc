//! `providers.mcp.<server>`.
//!
//! ```toml
//! [providers.mcp.github]
//! type = "stdio"
//! command = "github-mcp-server"
//! arguments = ["stdio"]
//! variables = ["GITHUB_TOKEN"]
//! checksum.value = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
//!
//! [providers.mcp.docs]
//! type = "http"
//! url = "https://docs.example/mcp"
//! bearer_token_env = "DOCS_TOKEN"
//! ```

use std::time::Duration;

use indexmap::IndexMap;
use jp_config::server_address;
use jp_conversation::visible;
use url::Url;

use super::reader::Reader;
use crate::error::AgentError;

/// How long a server may take to start.
const DEFAULT_STARTUP: Duration = Duration::from_secs(60);

/// A server that speaks MCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServerConfig {
    /// How it is reached.
    pub reach: McpReach,
    /// Whether the turn goes on without the server when it does not start. Default `false`.
    pub is_optional: bool,
    /// How long it may take to start. Default 60 seconds.
    pub startup_timeout: Duration,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpReach {
    /// A process that is started here, over its standard streams.
    Stdio(McpProgram),
    /// An address, over HTTP.
    Http(McpAddress),
}

/// A server that is started here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpProgram {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The environment variables that are passed on.
    pub variables: Vec<String>,
    /// What the program file must hash to.
    pub checksum: Option<Checksum>,
}

/// A server that runs elsewhere, or was started by somebody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpAddress {
    /// Where it is: over `https`, or on this machine.
    pub url: Url,
    /// The environment variable with the token that it knows us by.
    pub bearer_token_env: Option<String>,
}

impl McpProgram {
    /// A program and nothing else.
    pub(crate) const fn of(command: String) -> Self {
        Self {
            command,
            arguments: Vec::new(),
            variables: Vec::new(),
            checksum: None,
        }
    }
}

/// A pinned program file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checksum {
    /// How it is hashed. Default SHA-256.
    pub algorithm: ChecksumAlgorithm,
    /// The hash in hexadecimal.
    pub value: String,
}

/// How a program file is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksumAlgorithm {
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
}

/// Reads `providers.mcp`.
pub(crate) fn read_servers(
    servers: &Reader<'_>,
) -> Result<IndexMap<String, McpServerConfig>, AgentError> {
    servers
        .object()?
        .into_iter()
        .flatten()
        .map(|(name, _)| Ok((name.clone(), read_server(&servers.get(name))?)))
        .collect()
}

pub(crate) fn read_server(server: &Reader<'_>) -> Result<McpServerConfig, AgentError> {
    let kind = server.get("type");
    let reach = match kind.str()? {
        None | Some("stdio") => McpReach::Stdio(read_program(server)?),
        Some("http") => McpReach::Http(read_address(server)?),
        Some(other) => {
            return Err(kind.error(format!("`{other}` does not fit, write `stdio` or `http`")));
        }
    };
    Ok(McpServerConfig {
        reach,
        is_optional: server.get("optional").bool()?.unwrap_or(false),
        startup_timeout: server
            .get("startup_timeout_secs")
            .u32()?
            .map_or(DEFAULT_STARTUP, |seconds| {
                Duration::from_secs(seconds.into())
            }),
    })
}

fn read_program(server: &Reader<'_>) -> Result<McpProgram, AgentError> {
    let command = server.get("command");
    Ok(McpProgram {
        command: command
            .string()?
            .filter(|text| !text.is_empty())
            .ok_or_else(|| command.error("is missing, write the program of the server"))?,
        arguments: server.get("arguments").strings()?,
        variables: server.get("variables").strings()?,
        checksum: read_checksum(&server.get("checksum"))?,
    })
}

fn read_address(server: &Reader<'_>) -> Result<McpAddress, AgentError> {
    let address = server.get("url");
    let text = address.str()?.filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| {
        address.error(
            "is missing, write the address of the server, such as `https://docs.example/mcp`",
        )
    })?;
    let url =
        server_address::parse(text).map_err(|error| address.error(visible(&error.to_string())))?;
    Ok(McpAddress {
        url,
        bearer_token_env: server
            .get("bearer_token_env")
            .string()?
            .filter(|name| !name.is_empty()),
    })
}

fn read_checksum(checksum: &Reader<'_>) -> Result<Option<Checksum>, AgentError> {
    if checksum.object()?.is_none() {
        return Ok(None);
    }
    let algorithm = checksum.get("algorithm");
    let algorithm = match algorithm.str()? {
        None | Some("sha256") => ChecksumAlgorithm::Sha256,
        Some("sha1") => ChecksumAlgorithm::Sha1,
        Some(other) => {
            return Err(
                algorithm.error(format!("`{other}` does not fit, write `sha256` or `sha1`"))
            );
        }
    };
    let value = checksum.get("value");
    let value = value
        .string()?
        .ok_or_else(|| value.error("is missing, write the hash of the program in hexadecimal"))?;
    Ok(Some(Checksum { algorithm, value }))
}
