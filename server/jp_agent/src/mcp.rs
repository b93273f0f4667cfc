//! MCP servers and their tools.
//!
//! ```toml
//! [providers.mcp.github]
//! type = "stdio"
//! command = "github-mcp-server"
//!
//! [conversation.tools.search]
//! source = "mcp.github.search_code"
//! ```
//!
//! A server gets the few environment variables that every program needs and those that its config names, so that no
//! key reaches it that was meant for somebody else.

mod checksum;

use std::collections::HashMap;
use std::ffi::OsString;
use std::process::Stdio;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jp_conversation::visible;
use jp_llm::ToolDefinition;
use jp_tool::Outcome;
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ResourceContents};
use rmcp::service::{RunningService, serve_client};
use tokio::process::Command;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::config::{McpServerConfig, ToolConfig, TurnConfig};
use crate::definition::mcp_definition;
use crate::delta::without_changes;
use crate::error::AgentError;
use crate::ports::{Execution, Executor, ToolRun, ToolSuccess};
use crate::process::{Group, ProcessLimits};
use crate::trust::TrustedWorkspace;

/// What every program may need to know of its surroundings.
const ENVIRONMENT: [&str; 12] = [
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "SYSTEMROOT",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_RUNTIME_DIR",
];

/// The servers that have been started, kept from cycle to cycle and from turn to turn.
#[derive(Debug)]
pub(crate) struct McpServers {
    limits: ProcessLimits,
    running: Mutex<HashMap<String, Started>>,
}

#[derive(Debug)]
struct Started {
    config: McpServerConfig,
    server: Arc<Server>,
}

/// A server that runs.
#[derive(Debug)]
struct Server {
    service: RunningService<RoleClient, ()>,
    tools: Vec<rmcp::model::Tool>,
    /// Ends the processes when the last user is gone.
    _group: Group,
}

impl McpServers {
    pub(crate) fn new(limits: ProcessLimits) -> Self {
        Self {
            limits,
            running: Mutex::default(),
        }
    }

    /// Makes a tool ready, and its server first; where an optional server does not have it, says why.
    pub(crate) async fn tool(
        &self,
        workspace: &TrustedWorkspace,
        config: &TurnConfig,
        server: &str,
        tool: &ToolConfig,
    ) -> Result<Result<(ToolDefinition, Arc<dyn Executor>), String>, AgentError> {
        let settings = config.servers.get(server).ok_or_else(|| {
            AgentError::config(
                format!("conversation.tools.{}.source", tool.name),
                format!("there is no MCP server `{server}`, add `providers.mcp.{server}`"),
            )
        })?;
        let found = match self.server(workspace, server, settings).await {
            Ok(running) => find(&running, tool)
                .map(|found| (running, found))
                .ok_or_else(|| format!("it has no tool `{}`", tool.own_name())),
            Err(problem) => Err(problem),
        };
        match found {
            Ok((running, found)) => {
                let description = found.description.as_deref();
                let definition = mcp_definition(tool, description, &found.input_schema);
                let executor = McpTool {
                    server: running,
                    tool: found.name.clone().into_owned(),
                    limits: self.limits,
                };
                Ok(Ok((definition, Arc::new(executor))))
            }
            Err(problem) if settings.is_optional => {
                let name = &tool.name;
                let lost = format!("tool `{name}` is left out: MCP server `{server}`: {problem}");
                Ok(Err(visible(&lost).into_owned()))
            }
            Err(problem) => Err(AgentError::Mcp {
                server: server.to_owned(),
                problem,
            }),
        }
    }

    async fn server(
        &self,
        workspace: &TrustedWorkspace,
        name: &str,
        config: &McpServerConfig,
    ) -> Result<Arc<Server>, String> {
        let mut running = self.running.lock().await;
        if let Some(started) = running.get(name)
            && started.config == *config
            && !started.server.service.is_closed()
        {
            return Ok(Arc::clone(&started.server));
        }
        running.remove(name);
        let seconds = config.startup_timeout.as_secs();
        let started = timeout(config.startup_timeout, start(workspace, config)).await;
        let server = Arc::new(started.unwrap_or_else(|_| {
            Err(format!(
                "it did not start within {seconds} seconds, see `providers.mcp.{name}.startup_timeout_secs`"
            ))
        })?);
        running.insert(
            name.to_owned(),
            Started {
                config: config.clone(),
                server: Arc::clone(&server),
            },
        );
        Ok(server)
    }
}

fn find(server: &Server, tool: &ToolConfig) -> Option<rmcp::model::Tool> {
    let mut tools = server.tools.iter();
    tools.find(|found| found.name == tool.own_name()).cloned()
}

async fn start(workspace: &TrustedWorkspace, config: &McpServerConfig) -> Result<Server, String> {
    let program = match &config.checksum {
        // The file that was looked at is the one that runs, whatever `PATH` says a moment later.
        Some(checksum) => checksum::verified(&config.command, workspace.root(), checksum).await?,
        None => config.command.clone().into(),
    };
    let variables = ENVIRONMENT
        .into_iter()
        .chain(config.variables.iter().map(String::as_str))
        .filter_map(|name| Some((name.to_owned(), std::env::var_os(name)?)));
    let variables: Vec<(String, OsString)> = variables.collect();
    let mut command = Command::new(&program);
    command
        .args(&config.arguments)
        .current_dir(workspace.root())
        .env_clear()
        .envs(variables)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut group = Group::spawn(&mut command)
        .map_err(|error| format!("`{}` cannot be started: {error}", config.command))?;
    let streams = (group.child.stdout.take(), group.child.stdin.take());
    let (Some(stdout), Some(stdin)) = streams else {
        return Err("its streams are not open".to_owned());
    };
    let service = serve_client((), (stdout, stdin))
        .await
        .map_err(|error| format!("it does not speak MCP: {error}"))?;
    let tools = service
        .list_all_tools()
        .await
        .map_err(|error| format!("it does not list its tools: {error}"))?;
    Ok(Server {
        service,
        tools,
        _group: group,
    })
}

/// A tool of a server.
#[derive(Debug)]
struct McpTool {
    server: Arc<Server>,
    tool: String,
    limits: ProcessLimits,
}

impl McpTool {
    async fn call(&self, run: ToolRun) -> Execution {
        let request = CallToolRequestParams::new(self.tool.clone()).with_arguments(run.arguments);
        let name = &run.name;
        match timeout(self.limits.timeout, self.server.service.call_tool(request)).await {
            Err(_) => Execution::Error(format!(
                "Tool '{name}' did not finish within {} seconds and was stopped.",
                self.limits.timeout.as_secs()
            )),
            Ok(Err(error)) => Execution::Error(format!("Tool '{name}' failed: {error}")),
            Ok(Ok(result)) => {
                let content = content(&result);
                if content.len() > self.limits.output {
                    Execution::Error(format!(
                        "Tool '{name}' returned more than {} bytes.",
                        self.limits.output
                    ))
                } else if result.is_error == Some(true) {
                    Execution::Error(content)
                } else {
                    Execution::Success(success(content, name))
                }
            }
        }
    }
}

impl Executor for McpTool {
    fn execute(
        &self,
        _: &TrustedWorkspace,
        run: ToolRun,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Execution> {
        async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Execution::Cancelled,
                execution = self.call(run) => execution,
            }
        }
        .boxed()
    }
}

/// A result is text, also where it looks like the outcome of a local tool; a config change in it is dropped.
fn success(content: String, tool: &str) -> ToolSuccess {
    match Outcome::from_json(&content) {
        Ok(Outcome::Success { config, unset, .. }) => {
            let success = ToolSuccess {
                content,
                config,
                unset,
            };
            without_changes(success, tool, "mcp")
        }
        _ => ToolSuccess::content(content),
    }
}

/// The texts of a result; images and sounds are left out.
fn content(result: &CallToolResult) -> String {
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            ContentBlock::Resource(resource) => match &resource.resource {
                ResourceContents::TextResourceContents { text, .. } => Some(text.as_str()),
                ResourceContents::BlobResourceContents { blob, .. } => Some(blob.as_str()),
                _ => None,
            },
            _ => None,
        })
        .collect();
    match (&result.structured_content, texts.is_empty()) {
        (Some(value), true) => value.to_string(),
        _ => texts.join("\n\n"),
    }
}
