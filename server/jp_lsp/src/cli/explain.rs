//! `jp-lsp explain`: what the config decides, and why.
//!
//! ```text
//! $ echo '{"path":"src/lib.rs"}' | jp-lsp explain policy --tool fs_modify_file
//! {"mode":"unattended","rule":{"index":0,"path":".jp/config.toml","line":7},"values":["src/lib.rs"],"trace":[…]}
//! ```
//!
//! Questions come one JSON value a line, and each is answered by one line: a decision, or `{"error": "…"}`.
//! Lines of files count from 1, indexes from 0; paths are relative to the workspace.
//! Where no turn starts with the config, each answer about a policy says so in `refused`, and standard error in words.

use std::{
    io::{BufRead, Read as _, Write},
    sync::Arc,
};

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};
use jp_analysis::explain::{
    self, AccessExplainer, ExplainError, PolicyExplainer, PolicyQuestion, view_of_tool,
};
use jp_config::{graph::Graph, refusal::Refusal, view::View};
use jp_conversation::visible;
use serde_json::{Value, json};

use crate::{
    disk::{
        config_files::DiskFiles,
        paths::DiskPaths,
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
    /// Reads the arguments of calls, one JSON object a line, and prints what happens to each.
    Policy {
        /// The tool that is called.
        #[arg(long)]
        tool: String,
        /// Ask whether the result is delivered instead of whether the tool runs.
        #[arg(long)]
        result: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Reads targets, one JSON object a line, and prints whether the tool may reach each.
    Access {
        /// The tool that wants access.
        #[arg(long)]
        tool: String,
        #[command(flatten)]
        place: Place,
    },
    /// Prints the effective value of a config path and every layer that sets it.
    Config {
        /// A dotted config path, such as `assistant.model.id`.
        path: String,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, Args)]
struct Place {
    /// The workspace, or a directory in it; the working directory by default.
    #[arg(long)]
    workspace: Option<Utf8PathBuf>,
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
    /// Standard input or output failed.
    #[error("the questions cannot be answered: {0}")]
    Io(#[from] std::io::Error),
}

/// Answers every question of `input` on `output`; answers the exit code.
///
/// # Errors
///
/// No workspace, no such tool or path, or a config that cannot be decided with; a question that cannot be answered is no error.
pub fn run(
    arguments: &ExplainArguments,
    input: impl BufRead,
    output: &mut dyn Write,
) -> Result<u8, ExplainCommandError> {
    match &arguments.topic {
        Topic::Policy {
            tool,
            result,
            place,
        } => {
            let (graph, paths) = load(place)?;
            let view = view_of_tool(&graph, tool)?;
            let question = if *result {
                PolicyQuestion::Result
            } else {
                PolicyQuestion::Run
            };
            let refusal = refusal::refusal(&graph);
            let explainer = match PolicyExplainer::new(&view, tool, question) {
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
            answer_lines(input, output, refusal.as_ref(), |arguments| {
                explainer.explain(arguments, &paths)
            })?;
        }
        Topic::Access { tool, place } => {
            let (graph, paths) = load(place)?;
            let view = view_of_tool(&graph, tool)?;
            let explainer = AccessExplainer::new(&view, tool, &paths)?;
            answer_lines(input, output, None, |question| {
                explainer.explain(question, &paths)
            })?;
        }
        Topic::Config { path, place } => {
            let (graph, _) = load(place)?;
            let value = explain::config(&View::new(graph), path)?;
            writeln!(output, "{}", value.to_json())?;
        }
    }
    Ok(0)
}

fn load(place: &Place) -> Result<(Arc<Graph>, DiskPaths), ExplainCommandError> {
    let Location { root, directory } = workspace::locate(place.workspace.as_deref())?;
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

fn answer_lines(
    mut input: impl BufRead,
    output: &mut dyn Write,
    refusal: Option<&Refusal>,
    answer: impl Fn(&Value) -> Result<Value, ExplainError>,
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
        let answered = match serde_json::from_slice(&line) {
            Ok(question) => answer(&question).map_err(|error| error.to_string()),
            Err(error) => Err(format!("invalid JSON: {error}")),
        };
        let answered = answered.unwrap_or_else(|error| json!({ "error": error }));
        writeln!(output, "{}", refusal::beside(answered, refusal))?;
        // Whoever asks line by line waits for each answer.
        output.flush()?;
    }
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
