//! One tool of `conversation.tools`, with what it inherits from `'*'`.
//!
//! ```toml
//! [conversation.tools.grep]
//! source = "local"
//! command = "grep -rn -e {{tool.arguments.text}} ."
//! parameters.text = { type = "string", required = true, summary = "What to look for." }
//! ```

use indexmap::IndexMap;
use jp_config::enable::{AllowToggle, Enable};
use jp_config::source::ToolSource;
use jp_policy::{Mode as _, Parameters, ResultMode, RunMode};
use jp_tool::AccessPolicy;
use serde_json::{Map, Value};

use super::policy::{ToolPolicy, read_policy};
use super::reader::Reader;
use crate::error::AgentError;

/// What the model is told of a cancelled call when the config says nothing else.
pub use jp_config::schema::CANCELLATION_RESPONSE;

/// A tool, all layers, builtin defaults and `'*'` considered.
#[derive(Debug, Clone)]
pub struct ToolConfig {
    /// The key in the config, the name the model knows.
    pub name: String,
    /// Where the tool comes from.
    pub source: ToolSource,
    /// Whether the model may call it.
    pub is_enabled: bool,
    /// What may switch it on and off.
    pub allow_toggle: AllowToggle,
    /// What runs, for a local tool.
    pub command: Option<CommandConfig>,
    /// One line for the model.
    pub summary: Option<String>,
    /// The long text, for `describe_tools` or, without a summary, for the model.
    pub description: Option<String>,
    /// Examples, for `describe_tools`.
    pub examples: Option<String>,
    /// The parameters as configured; for an MCP tool what overrides the server's schema.
    pub parameters: Map<String, Value>,
    /// The parameters as policy and preparation need them.
    pub schema: Parameters,
    /// Whether and how a call runs.
    pub run: ToolPolicy<RunMode>,
    /// Whether and how a result is delivered.
    pub result: ToolPolicy<ResultMode>,
    /// Whether the formatter runs without asking; by default as `run` says.
    pub format: Option<FormatMode>,
    /// What the model is told of a call that is cancelled without a message.
    pub cancellation_response: String,
    /// The command that renders arguments for a person, `style.parameters`.
    pub formatter: Option<CommandConfig>,
    /// Whether the call and its result are hidden from the person, `style.hidden`.
    pub is_hidden: bool,
    /// Who answers its questions.
    pub questions: IndexMap<String, QuestionConfig>,
    /// What the tool gets uninterpreted (RFD 042).
    pub options: Map<String, Value>,
    /// The declared grants; none leaves the workspace open.
    pub access: Option<AccessPolicy>,
}

impl ToolConfig {
    /// The name that the implementation knows.
    #[must_use]
    pub fn own_name(&self) -> &str {
        self.source.tool().unwrap_or(&self.name)
    }

    /// Whether an unattended formatter may run before anybody has approved the call.
    #[must_use]
    pub fn formats_unattended(&self, run: RunMode) -> bool {
        match self.format {
            Some(mode) => mode == FormatMode::Unattended,
            None => run == RunMode::Unattended,
        }
    }
}

/// When a formatter runs: `format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatMode {
    /// Only after a person has approved the call.
    Ask,
    /// Whenever arguments are to be shown.
    Unattended,
}

/// A command, still a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandConfig {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Whether a shell runs it.
    pub shell: bool,
}

/// `questions.<id>`: who answers (RFD 034, RFD 083).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QuestionConfig {
    /// Whom to ask.
    pub target: QuestionTarget,
    /// The fixed answer; nobody is asked then.
    pub answer: Option<Value>,
    /// Who asks, for display.
    pub prompt_label: Option<String>,
}

/// `questions.<id>.target`.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum QuestionTarget {
    /// The person.
    #[default]
    User,
    /// A model, with these overrides of the assistant; empty for the plain `"assistant"`.
    Assistant(Map<String, Value>),
}

/// Reads every tool of `tools`, the value of `conversation.tools`.
pub(crate) fn read_tools(tools: &Value) -> Result<IndexMap<String, ToolConfig>, AgentError> {
    let root = Reader::at(Some(tools), "conversation.tools");
    let defaults = root.get("*");
    root.object()?
        .into_iter()
        .flatten()
        .filter(|(name, value)| name.as_str() != "*" && !value.is_null())
        .map(|(name, _)| {
            let tool = read_tool(tools, name, &root.get(name), &defaults)?;
            Ok((name.clone(), tool))
        })
        .collect()
}

fn read_tool(
    tools: &Value,
    name: &str,
    tool: &Reader<'_>,
    defaults: &Reader<'_>,
) -> Result<ToolConfig, AgentError> {
    tool.object()?;
    let source = read_source(&tool.get("source"))?;
    let enable = read_enable(&defaults.get("enable"))?.merged(read_enable(&tool.get("enable"))?);
    let parameters = tool
        .get("parameters")
        .object()?
        .cloned()
        .unwrap_or_default();
    let schema = Parameters {
        // The schema of an MCP tool is the server's; the config only overrides it.
        open: matches!(source, ToolSource::Mcp { .. }),
        ..Parameters::from_config(&Value::Object(parameters.clone()))
    };
    let access = read_access(&tool.get("access"))?;
    if access.is_some() && !source.is_local() {
        return Err(tool.get("access").error(format!(
            "`access` is only supported on local tools, but `{name}` is a {} tool; remove it",
            source.kind()
        )));
    }
    let inherited = |key: &str| {
        let own = tool.get(key);
        if own.value().is_some() {
            own
        } else {
            defaults.get(key)
        }
    };
    let style = inherited("style");
    Ok(ToolConfig {
        name: name.to_owned(),
        is_enabled: enable.state.unwrap_or(true),
        allow_toggle: enable.allow_toggle.unwrap_or_default(),
        command: read_command(&tool.get("command"))?,
        summary: tool.get("summary").string()?,
        description: tool.get("description").string()?,
        examples: tool.get("examples").string()?,
        run: read_policy(tools, name, "run", RunMode::ASK, &schema)?,
        result: read_policy(tools, name, "result", ResultMode::UNATTENDED, &schema)?,
        format: read_format(&inherited("format"))?,
        cancellation_response: inherited("cancellation_response")
            .string()?
            .unwrap_or_else(|| CANCELLATION_RESPONSE.to_owned()),
        formatter: read_formatter(&style.get("parameters"))?,
        is_hidden: style.get("hidden").bool()?.unwrap_or(false),
        questions: read_questions(&tool.get("questions"))?,
        options: tool.get("options").object()?.cloned().unwrap_or_default(),
        access,
        parameters,
        schema,
        source,
    })
}

fn read_source(source: &Reader<'_>) -> Result<ToolSource, AgentError> {
    let text = source
        .str()?
        .ok_or_else(|| source.error("is missing, write `builtin`, `local` or `mcp.<server>`"))?;
    ToolSource::parse(text).map_err(|error| source.error(error.to_string()))
}

fn read_enable(enable: &Reader<'_>) -> Result<Enable, AgentError> {
    enable.value().map_or_else(
        || Ok(Enable::default()),
        |value| Enable::from_value(value).map_err(|error| enable.error(error.to_string())),
    )
}

fn read_format(format: &Reader<'_>) -> Result<Option<FormatMode>, AgentError> {
    match format.str()? {
        None => Ok(None),
        Some("ask") => Ok(Some(FormatMode::Ask)),
        Some("unattended") => Ok(Some(FormatMode::Unattended)),
        Some(other) => Err(format.error(format!(
            "`{other}` does not fit, write `ask` or `unattended`"
        ))),
    }
}

/// Reads a command: a string that is split into words, or a table.
pub(crate) fn read_command(command: &Reader<'_>) -> Result<Option<CommandConfig>, AgentError> {
    match command.value() {
        None => Ok(None),
        Some(Value::String(text)) => {
            let mut words = shlex::split(text)
                .ok_or_else(|| {
                    command.error(
                        "the quotes do not match, close them or write a table with `program` and `args`",
                    )
                })?
                .into_iter();
            let program = words
                .next()
                .ok_or_else(|| command.error("is empty, write a program"))?;
            Ok(Some(CommandConfig {
                program,
                args: words.collect(),
                shell: false,
            }))
        }
        Some(_) => {
            command.object()?;
            let program = command.get("program");
            Ok(Some(CommandConfig {
                program: program
                    .string()?
                    .filter(|text| !text.is_empty())
                    .ok_or_else(|| program.error("is missing, write a program"))?,
                args: command.get("args").strings()?,
                shell: command.get("shell").bool()?.unwrap_or(false),
            }))
        }
    }
}

fn read_formatter(parameters: &Reader<'_>) -> Result<Option<CommandConfig>, AgentError> {
    match parameters.value() {
        None | Some(Value::Bool(_)) => Ok(None),
        Some(Value::String(style))
            if matches!(style.as_str(), "json" | "function_call" | "off") =>
        {
            Ok(None)
        }
        Some(_) => read_command(parameters),
    }
}

fn read_questions(questions: &Reader<'_>) -> Result<IndexMap<String, QuestionConfig>, AgentError> {
    questions
        .object()?
        .into_iter()
        .flatten()
        .map(|(id, _)| {
            let question = questions.get(id);
            let target = question.get("target");
            let target = match target.value() {
                None => QuestionTarget::User,
                Some(Value::Object(overrides)) => QuestionTarget::Assistant(overrides.clone()),
                Some(_) => match target.str()?.unwrap_or_default() {
                    "user" => QuestionTarget::User,
                    "assistant" => QuestionTarget::Assistant(Map::new()),
                    other => {
                        return Err(target.error(format!(
                            "`{other}` does not fit, write `user`, `assistant` or a table of assistant settings"
                        )));
                    }
                },
            };
            let config = QuestionConfig {
                target,
                answer: question.get("answer").value().cloned(),
                prompt_label: question.get("prompt_label").string()?,
            };
            Ok((id.clone(), config))
        })
        .collect()
}

fn read_access(access: &Reader<'_>) -> Result<Option<AccessPolicy>, AgentError> {
    let Some(value) = access.value() else {
        return Ok(None);
    };
    for key in access.object()?.into_iter().flat_map(Map::keys) {
        if !matches!(key.as_str(), "fs" | "net" | "env" | "config") {
            // A kind that nobody enforces must not look like a restriction.
            return Err(access.error(format!(
                "`{key}` is no kind of access, write `fs`, `net`, `env` or `config`"
            )));
        }
    }
    serde_json::from_value(value.clone())
        .map(Some)
        .map_err(|error| access.error(error.to_string()))
}
