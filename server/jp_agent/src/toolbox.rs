//! The tools of one cycle: what the model is told of them, and what runs them.
//!
//! ```toml
//! [conversation.tools]
//! grep = { source = "local", command = "grep -rn -e {{tool.arguments.text}} ." }
//! search = { source = "mcp.github.search_code" }
//! describe_tools = { source = "builtin" }
//! ```

use std::sync::Arc;

use camino::Utf8PathBuf;
use indexmap::IndexMap;
use jp_config::source::ToolSource;
use jp_llm::ToolDefinition;

use crate::builtin::{BuiltinTool, Builtins};
use crate::config::{ToolConfig, TurnConfig};
use crate::definition::definition;
use crate::environment::key_variables;
use crate::error::AgentError;
use crate::local::LocalTool;
use crate::mcp::McpServers;
use crate::ports::Executor;
use crate::process::ProcessLimits;
use crate::sandbox::Sandbox;
use crate::trust::TrustedWorkspace;

/// What a toolbox is filled from.
#[derive(Debug, Clone)]
pub(crate) struct Workshop {
    pub(crate) workspace: TrustedWorkspace,
    pub(crate) builtins: Builtins,
    pub(crate) limits: ProcessLimits,
    pub(crate) sandbox: Sandbox,
    pub(crate) servers: Arc<McpServers>,
}

/// The tools of one cycle.
#[derive(Debug, Default)]
pub(crate) struct Toolbox {
    tools: IndexMap<String, Tool>,
    /// Why tools of optional servers are missing.
    lost: Vec<String>,
}

/// A tool that is ready to run.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) definition: ToolDefinition,
    pub(crate) executor: Arc<dyn Executor>,
    /// The same tool, where it is a command: it has a command line to show and perhaps a formatter.
    pub(crate) local: Option<Arc<LocalTool>>,
    /// What holds the server that it is part of, in a line; nothing where no grants are written for that.
    pub(crate) server_held: Option<String>,
}

impl Toolbox {
    /// Makes the enabled tools ready; MCP servers that they need are started.
    ///
    /// `protected` are the files that the config is made of.
    pub(crate) async fn fill(
        workshop: &Workshop,
        config: &Arc<TurnConfig>,
        protected: Arc<[Utf8PathBuf]>,
    ) -> Result<Self, AgentError> {
        let mut toolbox = Self::default();
        workshop.servers.give_another_chance();
        for tool in config.enabled_tools() {
            match make_ready(workshop, config, tool, &protected).await? {
                Readiness::Ready(ready) => {
                    toolbox.tools.insert(tool.name.clone(), ready);
                }
                Readiness::Lost(why) => toolbox.lost.push(why),
            }
        }
        Ok(toolbox)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    /// What a person should know: which tools are missing, and which grants of the local tools do not count.
    pub(crate) fn notices(&self, workspace: &TrustedWorkspace) -> Vec<String> {
        let grants = self
            .tools
            .values()
            .filter_map(|tool| tool.local.as_ref())
            .flat_map(|local| local.access_notices(workspace));
        self.lost.iter().cloned().chain(grants).collect()
    }

    pub(crate) fn definitions(&self) -> Vec<ToolDefinition> {
        self.tools
            .values()
            .map(|tool| tool.definition.clone())
            .collect()
    }
}

/// Whether a tool can be called.
enum Readiness {
    Ready(Tool),
    /// Its server is optional and does not have it, for this reason.
    Lost(String),
}

async fn make_ready(
    workshop: &Workshop,
    config: &Arc<TurnConfig>,
    tool: &ToolConfig,
    protected: &Arc<[Utf8PathBuf]>,
) -> Result<Readiness, AgentError> {
    let name = &tool.name;
    Ok(match &tool.source {
        ToolSource::Local { .. } => {
            let local = LocalTool::new(tool, workshop.limits)
                .with_protected(Arc::clone(protected))
                .with_sandbox(workshop.sandbox.clone())
                .with_key_variables(key_variables(&config.effective));
            let local = Arc::new(local);
            Readiness::Ready(Tool {
                definition: definition(tool),
                executor: Arc::clone(&local) as Arc<dyn Executor>,
                local: Some(local),
                server_held: None,
            })
        }
        ToolSource::Builtin { .. } => {
            let builtin = workshop.builtins.get(name).ok_or_else(|| {
                AgentError::config(
                    format!("conversation.tools.{name}.source"),
                    format!("there is no builtin tool `{name}`, write `local` or `mcp.<server>`"),
                )
            })?;
            Readiness::Ready(Tool {
                definition: definition(tool),
                executor: Arc::new(BuiltinTool::new(Arc::clone(builtin), Arc::clone(config))),
                local: None,
                server_held: None,
            })
        }
        ToolSource::Mcp { server, .. } => workshop
            .servers
            .tool(&workshop.workspace, config, protected, server, tool)
            .await?
            .map_or_else(Readiness::Lost, |(definition, executor)| {
                Readiness::Ready(Tool {
                    definition,
                    executor,
                    local: None,
                    server_held: server_held(workshop, config, protected, server),
                })
            }),
    })
}

/// The line on what holds a server that stands where a person is asked about one of its tools.
fn server_held(
    workshop: &Workshop,
    config: &TurnConfig,
    protected: &[Utf8PathBuf],
    server: &str,
) -> Option<String> {
    let settings = config.servers.get(server)?;
    let root = workshop.workspace.root();
    let account = workshop
        .sandbox
        .account_of_server(server, root, protected, &settings.reach);
    let words = account.ok()??.account.in_words();
    (!words.is_empty()).then_some(words)
}
