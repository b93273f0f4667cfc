//! MCP servers and their tools.
//!
//! ```toml
//! [providers.mcp.github]
//! type = "stdio"
//! command = "github-mcp-server"
//!
//! [conversation.tools.search]
//! source = "mcp.github.search_code"
//!
//! [providers.mcp.docs]
//! type = "http"
//! url = "https://docs.example/mcp"
//! ```
//!
//! A server gets the few environment variables that every program needs and those that its config names, so that no
//! key reaches it that was meant for somebody else.

mod answer;
mod checksum;
mod content;
mod http;
mod last_words;
mod lines;
mod patience;
mod server;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jp_conversation::visible;
use jp_llm::ToolDefinition;
use jp_tool::Outcome;
use rmcp::ServiceError;
use rmcp::model::CallToolRequestParams;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::content::content;
use self::server::{Ground, Server, start};
use crate::config::{McpServerConfig, ToolConfig, TurnConfig};
use crate::definition::mcp_definition;
use crate::delta::without_changes;
use crate::error::AgentError;
use crate::ports::{Execution, Executor, ToolRun, ToolSuccess};
use crate::process::ProcessLimits;
use crate::sandbox::Sandbox;
use crate::trust::TrustedWorkspace;

/// How often a server may end by itself before it is left alone until the next turn.
const MOST_DEATHS: u32 = 3;

/// The servers that have been started, kept from cycle to cycle and from turn to turn.
///
/// A server that has ended is started again when it is needed.
#[derive(Debug)]
pub(crate) struct McpServers {
    limits: ProcessLimits,
    /// How servers are held to what a person lets them do.
    sandbox: Arc<Sandbox>,
    slots: Mutex<BTreeMap<String, Slot>>,
}

/// What is known about one server. Whoever starts it holds the lock, so that it is started once.
type Slot = Arc<tokio::sync::Mutex<State>>;

#[derive(Debug, Default)]
struct State {
    started: Option<(McpServerConfig, Arc<Server>)>,
    /// Why a server with this config is not started again before the next turn.
    given_up: Option<(McpServerConfig, String)>,
    /// How often it has ended by itself since it was last given a chance.
    deaths: u32,
}

impl McpServers {
    pub(crate) fn new(limits: ProcessLimits, sandbox: Sandbox) -> Self {
        Self {
            limits,
            sandbox: Arc::new(sandbox),
            slots: Mutex::default(),
        }
    }

    /// Lets servers that were given up be started again.
    pub(crate) fn give_another_chance(&self) {
        for slot in self.slots().values() {
            // Whoever holds the lock is just giving it one.
            if let Ok(mut state) = slot.try_lock() {
                state.given_up = None;
                state.deaths = 0;
            }
        }
    }

    fn slots(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a tool ready, and its server first; where an optional server does not have it, says why.
    ///
    /// `protected` are the files that the config is made of.
    pub(crate) async fn tool(
        self: &Arc<Self>,
        workspace: &TrustedWorkspace,
        config: &TurnConfig,
        protected: &Arc<[Utf8PathBuf]>,
        server: &str,
        tool: &ToolConfig,
    ) -> Result<Result<(ToolDefinition, Arc<dyn Executor>), String>, AgentError> {
        let settings = config.servers.get(server).ok_or_else(|| {
            AgentError::config(
                format!("conversation.tools.{}.source", tool.name),
                format!("there is no MCP server `{server}`, add `providers.mcp.{server}`"),
            )
        })?;
        let ground = Ground {
            workspace: workspace.clone(),
            sandbox: Arc::clone(&self.sandbox),
            protected: Arc::clone(protected),
        };
        match self.find(&ground, server, settings, tool).await {
            Ok(found) => {
                let description = found.description.as_deref();
                let definition = mcp_definition(tool, description, &found.input_schema);
                let executor = McpTool {
                    servers: Arc::clone(self),
                    server: server.to_owned(),
                    settings: settings.clone(),
                    tool: found.name.clone().into_owned(),
                    ground,
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

    async fn find(
        &self,
        ground: &Ground,
        name: &str,
        settings: &McpServerConfig,
        tool: &ToolConfig,
    ) -> Result<rmcp::model::Tool, String> {
        let server = self.server(ground, name, settings).await?;
        let tools = server.tools(settings.startup_timeout).await?;
        tools
            .into_iter()
            .find(|found| found.name == tool.own_name())
            .ok_or_else(|| format!("it has no tool `{}`", tool.own_name()))
    }

    /// The server as it runs; one that has ended is started again.
    async fn server(
        &self,
        ground: &Ground,
        name: &str,
        config: &McpServerConfig,
    ) -> Result<Arc<Server>, String> {
        let slot = Arc::clone(self.slots().entry(name.to_owned()).or_default());
        let mut state = slot.lock().await;
        match state.started.take() {
            Some((with, server)) if with == *config => {
                if server.is_alive().await {
                    state.started = Some((with, Arc::clone(&server)));
                    return Ok(server);
                }
                state.deaths += 1;
                if state.deaths >= MOST_DEATHS {
                    let deaths = state.deaths;
                    let last = server.last_words().await;
                    let why = format!(
                        "it has ended {deaths} times, at last{last}; it is not started again before the next turn"
                    );
                    state.given_up = Some((with, why));
                }
            }
            _ => {}
        }
        if let Some((with, why)) = &state.given_up
            && with == config
        {
            return Err(why.clone());
        }
        match start(ground, name, config).await {
            Ok(server) => {
                let server = Arc::new(server);
                state.started = Some((config.clone(), Arc::clone(&server)));
                Ok(server)
            }
            Err(problem) => {
                state.given_up = Some((config.clone(), problem.clone()));
                Err(problem)
            }
        }
    }
}

/// A tool of a server.
#[derive(Debug)]
struct McpTool {
    servers: Arc<McpServers>,
    server: String,
    settings: McpServerConfig,
    tool: String,
    ground: Ground,
}

impl McpTool {
    async fn call(&self, run: ToolRun) -> Execution {
        let ToolRun {
            name, arguments, ..
        } = run;
        let ProcessLimits {
            timeout: limit,
            output,
        } = self.servers.limits;
        let server = self
            .servers
            .server(&self.ground, &self.server, &self.settings)
            .await;
        let server = match server {
            Ok(server) => server,
            Err(problem) => {
                return Execution::Error(format!(
                    "Tool '{name}' was not run. MCP server `{}`: {problem}.",
                    self.server
                ));
            }
        };
        let request = CallToolRequestParams::new(self.tool.clone()).with_arguments(arguments);
        match timeout(limit, server.call(request)).await {
            Err(_) => Execution::Error(format!(
                "Tool '{name}' did not answer within {} seconds. Its server was told to cancel the call; whether it has \
                 is not known.",
                limit.as_secs()
            )),
            Ok(Err(ServiceError::TransportClosed | ServiceError::TransportSend(_))) => {
                let last = server.last_words().await;
                Execution::Error(format!(
                    "Tool '{name}' failed: its MCP server `{}` ended during the call{last}. What the call has done until \
                     then is not known. The next call starts the server again.",
                    self.server
                ))
            }
            Ok(Err(ServiceError::McpError(error))) => {
                Execution::Error(format!("Tool '{name}' failed: {}", error.message))
            }
            Ok(Err(error)) => Execution::Error(format!("Tool '{name}' failed: {error}")),
            Ok(Ok(result)) => {
                let content = content(&result);
                if content.len() > output {
                    Execution::Error(format!("Tool '{name}' returned more than {output} bytes."))
                } else if result.is_error == Some(true) {
                    Execution::Error(content)
                } else {
                    Execution::Success(success(content, &name))
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
