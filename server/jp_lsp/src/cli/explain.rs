//! `jp-lsp explain`: what the config decides, and why.
//!
//! ```text
//! $ echo '{"path":"src/lib.rs"}' | jp-lsp explain policy --tool fs_modify_file
//! {"mode":"unattended","rule":{"index":0,"path":".jp/config.toml","line":7},"values":["src/lib.rs"],"trace":[…]}
//! ```
//!
//! ```text
//! $ jp-lsp explain policy --tool fs_modify_file path=src/lib.rs
//! fs_modify_file runs without asking, by rule 1 at .jp/config.toml:7.
//! ```
//!
//! Questions that come one JSON value a line on standard input are answered by one line each: a decision, or `{"error": "…"}`.
//! A question in the words of the command line is answered in words; `--format` asks for the other kind of answer.
//! In JSON, lines of files count from 1 and indexes from 0; paths are relative to the workspace.
//! Where no turn starts with the config, each answer about a policy says so in `refused`, and standard error in words.

mod sandbox;
mod server;

use std::{
    io::{BufRead, Read as _, Write},
    sync::Arc,
};

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};
use jp_analysis::explain::{
    self, AccessExplainer, ExplainError, PolicyExplainer, PolicyQuestion, view_of_tool,
    words::{self, Style},
};
use jp_config::{graph::Graph, refusal::Refusal, view::View};
use jp_conversation::visible;
use jp_tool::AccessRuleError;
use serde_json::{Value, json};

use super::{
    answer_format::AnswerFormat,
    page::{self, PageError},
};
use crate::{
    disk::{
        config_files::DiskFiles,
        paths::DiskPaths,
        user_settings::UserSettingsError,
        workspace::{self, Location, WorkspaceError},
    },
    runtime::refusal,
};

/// The longest question that is read, in bytes.
const MAXIMUM_LINE: u64 = 16 << 20;

/// What to explain.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    #[command(subcommand)]
    topic: Topic,
}

#[derive(Debug, Subcommand)]
enum Topic {
    /// Tells what happens to calls: `NAME=VALUE` on the command line, or one JSON object a line on standard input.
    Policy {
        /// The tool that is called.
        #[arg(long)]
        tool: String,
        /// Ask whether the result is delivered instead of whether the tool runs.
        #[arg(long)]
        result: bool,
        /// The arguments of the call, such as `path=src/lib.rs`; several values of one name make a list.
        #[arg(value_name = "NAME=VALUE")]
        arguments: Vec<String>,
        #[command(flatten)]
        answer: Answer,
    },
    /// Tells whether a tool may reach targets: `read=PATH`, `net=URL`, `env=NAME`, `config.write=CONFIG_PATH` and the like on the command line,
    /// or one JSON object a line on standard input.
    Access {
        /// The tool that wants access.
        #[arg(long)]
        tool: String,
        /// The targets, such as `update=src/lib.rs`.
        #[arg(value_name = "ACCESS=TARGET")]
        targets: Vec<String>,
        #[command(flatten)]
        answer: Answer,
    },
    /// Prints what the kernel of this machine holds of the grants of a tool or of an MCP server, and what not.
    Sandbox {
        /// The tool that is held.
        #[arg(long, required_unless_present = "server")]
        tool: Option<String>,
        /// The MCP server that is held to what the person's own `lsp.toml` lets it do.
        #[arg(long, conflicts_with = "tool")]
        server: Option<String>,
        #[command(flatten)]
        answer: Answer,
    },
    /// Tells what runs without a question, and what each tool may touch.
    Summary {
        #[command(flatten)]
        answer: Answer,
    },
    /// Prints the effective value of a config path and every layer that sets it.
    Config {
        /// A dotted config path, such as `assistant.model.id`.
        path: String,
        #[command(flatten)]
        answer: Answer,
    },
    /// The code of a finding, such as `rule-shadowed`: prints its page. `codes` lists them.
    #[command(external_subcommand)]
    Code(Vec<String>),
}

#[derive(Debug, Args)]
struct Answer {
    /// The workspace, or a directory in it; the working directory by default.
    #[arg(long)]
    workspace: Option<Utf8PathBuf>,
    /// Words or JSON; words where the question stands on the command line, and JSON for `config` and for questions on standard input.
    #[arg(long, value_enum)]
    format: Option<AnswerFormat>,
}

/// Why nothing was explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainCommandError {
    /// There is no workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The config answers nothing about this.
    #[error(transparent)]
    Explain(#[from] ExplainError),
    /// No turn starts with the config, and nothing can be decided with it either.
    #[error("{}", visible(&refusal::in_words(.0)))]
    Refused(Refusal),
    /// Nothing says what the tool wants to reach.
    #[error(
        "nothing to answer: write what `{0}` wants to reach, such as `read=src/lib.rs`, `net=https://example.org` or `env=HOME`"
    )]
    NoTarget(String),
    /// The grants cannot be held as they are.
    #[error(transparent)]
    Sandbox(AccessRuleError),
    /// There is no such server.
    #[error("there is no MCP server `{0}`: the servers are in `providers.mcp`")]
    NoServer(String),
    /// What the person has set cannot be heeded.
    #[error("{}", visible(&.0.to_string()))]
    Settings(#[from] UserSettingsError),
    /// There is no such page.
    #[error(transparent)]
    Page(#[from] PageError),
    /// Standard input or output failed.
    #[error("the questions cannot be answered: {0}")]
    Io(#[from] std::io::Error),
}

/// Answers every question of the command line, or else of `input` on `output`; answers the exit code.
///
/// `input` is nothing where standard input is a terminal, at which nobody is made to write JSON.
///
/// # Errors
///
/// No workspace, no such tool or path, a config that cannot be decided with, or a question on the command line that cannot be answered; a
/// question of `input` that cannot be answered is no error.
pub fn run(
    arguments: &ExplainArguments,
    input: Option<impl BufRead>,
    output: &mut dyn Write,
) -> Result<u8, ExplainCommandError> {
    match &arguments.topic {
        Topic::Policy {
            tool,
            result,
            arguments,
            answer,
        } => {
            let question = match result {
                true => PolicyQuestion::Result,
                false => PolicyQuestion::Run,
            };
            policy(tool, question, arguments, answer, input, output)
        }
        Topic::Access {
            tool,
            targets,
            answer,
        } => access(tool, targets, answer, input, output),
        Topic::Sandbox {
            tool,
            server,
            answer,
        } => {
            let (graph, paths) = load(answer)?;
            let Some(tool) = tool else {
                let name = server.as_deref().unwrap_or_default();
                server::print(&View::new(graph), name, &paths, answer.format, output)?;
                return Ok(0);
            };
            let view = view_of_tool(&graph, tool)?;
            let explainer = AccessExplainer::new(&view, tool, &paths)?;
            let command = view.effective(&["conversation", "tools", tool, "command"]);
            let command = command.map(|command| command.to_json());
            let subject = sandbox::Subject {
                tool,
                explainer: &explainer,
                command: command.as_ref(),
                root: paths.root(),
            };
            sandbox::print(&subject, answer.format, output)?;
            Ok(0)
        }
        Topic::Summary { answer } => {
            let (graph, _) = load(answer)?;
            let refusal = refusal::refusal(&graph);
            let tools = words::summarize(&View::new(graph));
            if answer.format == Some(AnswerFormat::Json) {
                let tools: Vec<Value> = tools.iter().map(words::ToolSummary::to_json).collect();
                let told = refusal::beside(json!({ "tools": tools }), refusal.as_ref());
                writeln!(output, "{told}")?;
            } else {
                writeln!(output, "{}", words::summary(&tools, Style::PLAIN))?;
                if let Some(refusal) = &refusal {
                    warn(&refusal::in_words(refusal));
                }
            }
            Ok(0)
        }
        Topic::Config { path, answer } => {
            let (graph, _) = load(answer)?;
            let value = explain::config(&View::new(graph), path)?;
            match answer.format {
                Some(AnswerFormat::Human) => {
                    writeln!(output, "{}", words::config(&value, Style::PLAIN))?;
                }
                _ => writeln!(output, "{}", value.to_json())?,
            }
            Ok(0)
        }
        Topic::Code(names) => {
            for name in names {
                page::print(name, output)?;
            }
            Ok(0)
        }
    }
}

fn policy(
    tool: &str,
    question: PolicyQuestion,
    given: &[String],
    answer: &Answer,
    input: Option<impl BufRead>,
    output: &mut dyn Write,
) -> Result<u8, ExplainCommandError> {
    let (graph, paths) = load(answer)?;
    let view = view_of_tool(&graph, tool)?;
    let refusal = refusal::refusal(&graph);
    let in_words = |call: Option<&Value>| {
        let refusal = refusal.as_ref();
        words::policy(&view, tool, question, call, refusal, &paths, Style::PLAIN)
    };
    let explainer = PolicyExplainer::new(&view, tool, question);
    let call = match given {
        [] => None,
        given => Some(words::arguments_from_words(&view, tool, given)?),
    };
    let is_asked_in_words = call.is_some() || input.is_none();
    let code = u8::from(explainer.is_err()) * 2;
    match (answer.format, input) {
        (None | Some(AnswerFormat::Human), _) if is_asked_in_words => {
            writeln!(output, "{}", in_words(call.as_ref())?)?;
            if call.is_none() {
                let hint = format!("`jp-lsp explain policy --tool {tool} NAME=VALUE…`");
                warn(&format!("{hint} tells what happens to a call"));
            }
            return Ok(code);
        }
        (Some(AnswerFormat::Human), Some(input)) => {
            answer_lines(input, output, |call| {
                let told = in_words(Some(&call?)).map_err(|error| error.to_string())?;
                Ok(format!("{told}\n"))
            })?;
            return Ok(code);
        }
        (_, input) => {
            let explainer = match explainer {
                Ok(explainer) => explainer,
                Err(error) => {
                    let answer = json!({ "error": error.to_string() });
                    writeln!(output, "{}", refusal::beside(answer, refusal.as_ref()))?;
                    return Err(refusal.map_or_else(|| error.into(), ExplainCommandError::Refused));
                }
            };
            if let Some(refusal) = &refusal {
                warn(&refusal::in_words(refusal));
            }
            let answered = |call: &Value| explainer.explain(call, &paths);
            match (call, input) {
                (Some(call), _) => {
                    let answer = refusal::beside(answered(&call)?, refusal.as_ref());
                    writeln!(output, "{answer}")?;
                }
                (None, Some(input)) => answer_lines(input, output, |call| {
                    Ok(in_json(call, refusal.as_ref(), answered))
                })?,
                (None, None) => {
                    let overview = refusal::beside(explainer.overview(), refusal.as_ref());
                    writeln!(output, "{overview}")?;
                }
            }
        }
    }
    Ok(0)
}

fn access(
    tool: &str,
    targets: &[String],
    answer: &Answer,
    input: Option<impl BufRead>,
    output: &mut dyn Write,
) -> Result<u8, ExplainCommandError> {
    let (graph, paths) = load(answer)?;
    let view = view_of_tool(&graph, tool)?;
    let explainer = AccessExplainer::new(&view, tool, &paths)?;
    let in_words =
        |question: &Value| words::access(&explainer, tool, question, &paths, Style::PLAIN);
    let answered = |question: &Value| explainer.explain(question, &paths);
    for target in targets {
        let question = words::question_from_words(target)?;
        match answer.format {
            Some(AnswerFormat::Json) => writeln!(output, "{}", answered(&question)?)?,
            _ => writeln!(output, "{}", in_words(&question)?)?,
        }
    }
    match input {
        _ if !targets.is_empty() => {}
        None => return Err(ExplainCommandError::NoTarget(tool.to_owned())),
        Some(input) if answer.format == Some(AnswerFormat::Human) => {
            answer_lines(input, output, |question| {
                in_words(&question?).map_err(|error| error.to_string())
            })?;
        }
        Some(input) => answer_lines(input, output, |question| {
            Ok(in_json(question, None, answered))
        })?,
    }
    Ok(0)
}

/// The answer to a line of JSON as a line of JSON.
fn in_json(
    question: Result<Value, String>,
    refusal: Option<&Refusal>,
    answer: impl Fn(&Value) -> Result<Value, ExplainError>,
) -> String {
    let answered =
        question.and_then(|question| answer(&question).map_err(|error| error.to_string()));
    let answered = answered.unwrap_or_else(|error| json!({ "error": error }));
    refusal::beside(answered, refusal).to_string()
}

fn load(answer: &Answer) -> Result<(Arc<Graph>, DiskPaths), ExplainCommandError> {
    let Location { root, directory } = workspace::locate(answer.workspace.as_deref())?;
    let roots = workspace::roots(&root, &directory);
    let graph = Arc::new(Graph::load(&roots, &DiskFiles::trusted()));
    Ok((graph, DiskPaths::new(root)))
}

#[expect(
    clippy::print_stderr,
    reason = "standard output belongs to the answers"
)]
fn warn(message: &str) {
    eprintln!("jp-lsp: {}", visible(message));
}

/// Answers each line of JSON; what cannot be answered is told on its line.
fn answer_lines(
    mut input: impl BufRead,
    output: &mut dyn Write,
    answer: impl Fn(Result<Value, String>) -> Result<String, String>,
) -> std::io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input
            .by_ref()
            .take(MAXIMUM_LINE)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let question =
            serde_json::from_slice(&line).map_err(|error| format!("invalid JSON: {error}"));
        let answered =
            answer(question).unwrap_or_else(|error| format!("error: {}", visible(&error)));
        writeln!(output, "{answered}")?;
        // Whoever asks line by line waits for each answer.
        output.flush()?;
    }
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
