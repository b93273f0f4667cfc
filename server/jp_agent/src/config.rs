//! What one turn needs to know of the configuration.
//!
//! ```json
//! {"assistant": {"model": {"id": "anthropic/claude-sonnet-5"}},
//!  "conversation": {"tools": {"*": {"run": "ask"}, "grep": {"source": "local", "command": "grep"}}}}
//! ```
//!
//! The effective config comes in as JSON, [`TurnConfig`] is what it means: aliases resolved, schema defaults filled in,
//! `'*'` inherited, policies compiled.
//! A config that cannot be understood is an error before anything runs.

pub(crate) mod mcp;
mod model;
mod policy;
pub(crate) mod reader;
mod system_prompt;
pub(crate) mod tool;
mod unheeded;

pub use mcp::{Checksum, ChecksumAlgorithm, McpAddress, McpProgram, McpReach, McpServerConfig};
pub use model::{ModelConfig, provider_settings};
pub use policy::ToolPolicy;
pub use tool::{
    CANCELLATION_RESPONSE, CommandConfig, FormatMode, QuestionConfig, QuestionTarget, ToolConfig,
};

pub use unheeded::unheeded;

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use jp_config::builtin::over_defaults;
use jp_config::merge::{LayerId, Located, merge};
use jp_config::schema::schema;
use jp_llm::ToolChoice;
use serde_json::{Map, Value};

use crate::error::AgentError;
use reader::Reader;

/// The configuration of one cycle of a turn.
#[derive(Debug, Clone)]
pub struct TurnConfig {
    /// The effective config that all of this was read from, builtin tools included.
    pub effective: Arc<Value>,
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// The model.
    pub model: ModelConfig,
    /// Whether the model calls tools.
    pub tool_choice: ToolChoice,
    /// All tools in declaration order, builtins first, disabled ones included.
    pub tools: IndexMap<String, ToolConfig>,
    /// The MCP servers.
    pub servers: IndexMap<String, McpServerConfig>,
    /// What an interrupt does when its sender names no action.
    pub interrupt: InterruptConfig,
}

/// `interrupt`: what an interrupt that names no action does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterruptConfig {
    /// While the model speaks.
    pub streaming: InterruptAction,
    /// While tools run.
    pub tool_call: InterruptAction,
    /// How soon a second interrupt must follow to cancel the turn.
    pub cooldown: Duration,
}

impl Default for InterruptConfig {
    fn default() -> Self {
        Self {
            streaming: InterruptAction::Prompt,
            tool_call: InterruptAction::Prompt,
            cooldown: Duration::from_secs(2),
        }
    }
}

/// What an interrupt does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptAction {
    /// The person is asked.
    Prompt,
    /// The turn goes on as if nothing had happened.
    Continue,
    /// What was said so far is kept and the person's reply is added.
    Reply,
    /// The running calls are started again.
    Restart,
    /// The running calls are cancelled and the model is told.
    Respond,
    /// The turn ends; what was said so far is kept.
    Stop,
    /// The turn ends; what the model was saying is dropped.
    Abort,
}

impl TurnConfig {
    /// Reads the effective config, with the defaults of builtin tools merged under it.
    ///
    /// # Errors
    ///
    /// [`AgentError::Config`] with the path of the value that cannot be used.
    pub fn resolve(
        effective: &Value,
        builtins: &IndexMap<String, Value>,
    ) -> Result<Self, AgentError> {
        let effective = with_builtins(effective, builtins)?;
        let root = Reader::root(&effective);
        let assistant = root.get("assistant");
        let tools = read_tools(&root)?;
        let tool_choice = read_tool_choice(&assistant.get("tool_choice"), &tools)?;
        Ok(Self {
            system_prompt: system_prompt::system_prompt(&assistant)?,
            model: ModelConfig::read(
                &effective,
                &assistant.get("model"),
                &assistant.get("request"),
            )?,
            tool_choice,
            tools,
            servers: read_servers(&root)?,
            interrupt: read_interrupt(&root.get("interrupt"))?,
            effective: Arc::new(effective.clone()),
        })
    }

    /// The model block at `block` put over the assistant's, for a second model: inquiries and question targets.
    ///
    /// `layers` are partial assistants, weakest first (RFD 034).
    ///
    /// # Errors
    ///
    /// As for [`TurnConfig::resolve`].
    pub fn with_assistant(&self, layers: &[&Map<String, Value>]) -> Result<Self, AgentError> {
        let schema = schema();
        let node = schema.child(schema.root(), "assistant");
        let base = self.effective.get("assistant").cloned().unwrap_or_default();
        let stack = std::iter::once(base)
            .chain(layers.iter().map(|layer| Value::Object((*layer).clone())))
            .map(|value| Located::from_json(&value, LayerId(0)))
            .collect();
        let assistant = merge(schema, node, stack).map(|located| located.to_json());
        let mut effective = (*self.effective).clone();
        if let (Some(table), Some(assistant)) = (effective.as_object_mut(), assistant) {
            table.insert("assistant".to_owned(), assistant);
        }
        Self::resolve(&effective, &IndexMap::new())
    }

    /// The model that gives a conversation its title, where the config asks for that; a default asks for nothing.
    ///
    /// # Errors
    ///
    /// As for [`TurnConfig::resolve`].
    pub fn title_model(&self) -> Result<Option<ModelConfig>, AgentError> {
        let generate = self.effective.pointer("/conversation/title/generate");
        let part = |key| generate.and_then(|generate| generate.get(key));
        let model = part("model").filter(|model| !model.is_null());
        match (part("auto").and_then(Value::as_bool), model) {
            (Some(false), _) | (None, None) => Ok(None),
            (Some(true), None) => Ok(Some(self.model.clone())),
            (_, Some(model)) => {
                let layer = Map::from_iter([("model".to_owned(), model.clone())]);
                Ok(Some(self.with_assistant(&[&layer])?.model))
            }
        }
    }

    /// The tools that the model may call.
    pub fn enabled_tools(&self) -> impl Iterator<Item = &ToolConfig> {
        self.tools.values().filter(|tool| tool.is_enabled)
    }
}

/// The tools of a whole config.
pub(crate) fn read_tools(root: &Reader<'_>) -> Result<IndexMap<String, ToolConfig>, AgentError> {
    let tools = root.get("conversation").get("tools");
    tools
        .value()
        .map_or_else(|| Ok(IndexMap::new()), tool::read_tools)
}

/// The MCP servers of a whole config.
pub(crate) fn read_servers(
    root: &Reader<'_>,
) -> Result<IndexMap<String, McpServerConfig>, AgentError> {
    mcp::read_servers(&root.get("providers").get("mcp"))
}

/// Merges the defaults of builtin tools under what the config says of them (RFD 083, "Tool configuration").
fn with_builtins(
    effective: &Value,
    builtins: &IndexMap<String, Value>,
) -> Result<Value, AgentError> {
    let mut effective = effective.clone();
    if builtins.is_empty() {
        return Ok(effective);
    }
    let tools = effective
        .as_object_mut()
        .ok_or_else(|| AgentError::config("", "the config is no table"))?
        .entry("conversation")
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
        .ok_or_else(|| AgentError::config("conversation", "is no table"))?
        .entry("tools")
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
        .ok_or_else(|| AgentError::config("conversation.tools", "is no table"))?;
    let mut merged = Map::new();
    for (name, defaults) in builtins {
        let table = tools.get(name);
        let table = table.map(|table| Located::from_json(table, LayerId(0)));
        let table = over_defaults(name, defaults, table);
        let table = table.map_or(Value::Null, |table| table.to_json());
        merged.insert(name.clone(), table);
    }
    for (name, value) in std::mem::take(tools) {
        merged.entry(name).or_insert(value);
    }
    *tools = merged;
    Ok(effective)
}

fn read_tool_choice(
    choice: &Reader<'_>,
    tools: &IndexMap<String, ToolConfig>,
) -> Result<ToolChoice, AgentError> {
    Ok(match choice.str()?.unwrap_or("auto") {
        "auto" => ToolChoice::Auto,
        "none" => ToolChoice::None,
        "required" => ToolChoice::Required,
        name => match tools.get(name) {
            Some(tool) if tool.is_enabled => ToolChoice::Tool(name.to_owned()),
            Some(_) => {
                return Err(choice.error(format!(
                    "the tool `{name}` is not enabled, set `conversation.tools.{name}.enable = true` or choose `auto`"
                )));
            }
            None => {
                return Err(choice.error(format!(
                    "`{name}` is no tool, write `auto`, `none`, `required` or the name of a tool"
                )));
            }
        },
    })
}

fn read_interrupt(interrupt: &Reader<'_>) -> Result<InterruptConfig, AgentError> {
    let cooldown = interrupt.get("escalation_cooldown_secs").u32()?;
    Ok(InterruptConfig {
        cooldown: cooldown.map_or(InterruptConfig::default().cooldown, |seconds| {
            Duration::from_secs(seconds.into())
        }),
        streaming: read_action(
            &interrupt.get("streaming").get("action"),
            &["prompt", "continue", "stop", "abort", "reply"],
        )?,
        tool_call: read_action(
            &interrupt.get("tool_call").get("action"),
            &["prompt", "continue", "restart", "respond", "stop"],
        )?,
    })
}

fn read_action(action: &Reader<'_>, legal: &[&str]) -> Result<InterruptAction, AgentError> {
    let word = action.str()?.unwrap_or("prompt");
    if !legal.contains(&word) {
        let legal: Vec<String> = legal.iter().map(|word| format!("`{word}`")).collect();
        let legal = legal.join(", ");
        return Err(action.error(format!("`{word}` does not fit, write one of {legal}")));
    }
    Ok(match word {
        "continue" => InterruptAction::Continue,
        "reply" => InterruptAction::Reply,
        "restart" => InterruptAction::Restart,
        "respond" => InterruptAction::Respond,
        "stop" => InterruptAction::Stop,
        "abort" => InterruptAction::Abort,
        _ => InterruptAction::Prompt,
    })
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
