//! `jp-lsp test`: examples beside the rules, held against what the rules decide.
//!
//! ```text
//! $ jp-lsp test
//! .jp/policy.tests.toml:1: holds: secrets are never read
//! .jp/policy.tests.toml:7: fails: read {"path":"src/a"}
//!   run: expected `ask`, decided `unattended` by rule 2 at .jp/config.toml:8
//! 1 of 2 hold
//! ```
//!
//! `--generate` prints cases at the borders of the rules instead, with what is decided now.
//! Every case is decided as `jp-lsp explain policy` and `jp-lsp explain access` decide it; nothing runs.

mod report;

use std::{io::Write, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, ValueEnum};
use jp_analysis::examples::{
    self, Examples, GenerateError, WriteError, judge, tools_with_conditions,
};
use jp_config::graph::Graph;
use jp_conversation::visible;

use self::report::Report;
use crate::{
    disk::{
        config_files::{DiskFiles, MAXIMUM_EXAMPLES, read_at_most},
        paths::DiskPaths,
        workspace::{self, Location, WorkspaceError},
    },
    runtime::refusal,
};

/// Which examples to hold against their rules.
#[derive(Debug, Args)]
pub struct TestArguments {
    /// The workspace, or a directory in it; the working directory by default.
    #[arg(value_name = "DIR", conflicts_with = "workspace")]
    pub directory: Option<Utf8PathBuf>,
    /// The same, as for other commands.
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<Utf8PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub format: TestFormat,
    /// Prints cases at the borders of the rules instead, as they decide now, for the file of examples.
    #[arg(long, conflicts_with = "format")]
    pub generate: bool,
    /// Of which tool; of every tool that has rules with conditions by default.
    #[arg(long, requires = "generate")]
    pub tool: Option<String>,
}

/// How to print what came of examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum TestFormat {
    /// For people.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// `JUnit` XML, which nearly every build server shows.
    Junit,
}

/// Why nothing was tested.
#[derive(Debug, thiserror::Error)]
pub enum TestError {
    /// There is no workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// What is named is no directory.
    #[error("`{0}` is no directory: name the workspace, or a directory in it")]
    NoDirectory(Utf8PathBuf),
    /// The workspace has no examples.
    #[error(
        "no examples: `{0}` does not exist; write what you expect into it, such as `[[case]]` with `tool = \"NAME\"`, `call = {{ path = \"src\" }}` and `run = \"ask\"`"
    )]
    NoExamples(Utf8PathBuf),
    /// The examples are there and cannot be read.
    #[error("`{path}` cannot be read: {problem}")]
    Unreadable {
        /// The file.
        path: Utf8PathBuf,
        /// What is the matter.
        problem: String,
    },
    /// No cases can be made.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// They cannot follow on what the file has.
    #[error(transparent)]
    Append(#[from] WriteError),
    /// No tool has rules with borders.
    #[error("no tool has a rule with a condition: there is no border to try")]
    NoConditions,
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Prints which examples hold; answers the exit code: 0 where all do, 1 where one does not, 2 where the file has a mistake.
///
/// # Errors
///
/// [`TestError`]; a mistake in the file is told with all others, and is no error.
pub fn run(arguments: &TestArguments, output: &mut dyn Write) -> Result<u8, TestError> {
    let named = arguments.directory.as_deref();
    let named = named.or(arguments.workspace.as_deref());
    if let Some(named) = named.filter(|named| !named.is_dir()) {
        return Err(TestError::NoDirectory(named.to_owned()));
    }
    let Location { root, directory } = workspace::locate(named)?;
    if arguments.generate {
        return generate(&root, &directory, arguments.tool.as_deref(), output);
    }
    let text = read(&root)?;
    let graph = Graph::load(&workspace::roots(&root, &directory), &DiskFiles::trusted());
    let (graph, paths) = (Arc::new(graph), DiskPaths::new(root));
    let examples = Examples::read(&text);
    let judged = judge(&examples.cases, &graph, &paths);
    let refusal = refusal::refusal(&graph);
    let report = Report::new(&text, examples, judged, refusal.as_ref());
    if let Some(refusal) = &refusal {
        tell(&format!("jp-lsp: {}", refusal::in_words(refusal)));
    }
    report.mistakes().for_each(|mistake| tell(&mistake));
    match arguments.format {
        TestFormat::Human if report.has_mistakes() => {}
        TestFormat::Human => report.print(output)?,
        TestFormat::Json => writeln!(output, "{}", report.to_json())?,
        TestFormat::Junit => report.junit(output)?,
    }
    Ok(report.code())
}

/// Prints the cases at the borders of the rules that the file does not have yet.
fn generate(
    root: &Utf8Path,
    directory: &Utf8Path,
    tool: Option<&str>,
    output: &mut dyn Write,
) -> Result<u8, TestError> {
    let text = match read(root) {
        Err(TestError::NoExamples(_)) => String::new(),
        text => text?,
    };
    let graph = Graph::load(&workspace::roots(root, directory), &DiskFiles::trusted());
    let (graph, paths) = (Arc::new(graph), DiskPaths::new(root));
    let tools = match tool {
        Some(tool) => vec![tool.to_owned()],
        None => tools_with_conditions(&graph),
    };
    if tools.is_empty() {
        return Err(TestError::NoConditions);
    }
    let mut cases = Vec::new();
    for tool in tools {
        let made = examples::generate(&graph, &tool, &paths, &text)?;
        tell(&format!("jp-lsp: {}", made.in_words(&tool)));
        cases.extend(made.cases);
    }
    if !cases.is_empty() {
        write!(output, "{}", examples::append(&text, &cases)?)?;
    }
    Ok(0)
}

fn read(root: &Utf8Path) -> Result<String, TestError> {
    let path = root.join(examples::PATH);
    // A link that leads nowhere is there, and cannot be read.
    if std::fs::symlink_metadata(&path).is_err() {
        return Err(TestError::NoExamples(path));
    }
    read_at_most(&path, MAXIMUM_EXAMPLES).map_err(|problem| TestError::Unreadable {
        path,
        problem: problem.to_string(),
    })
}

#[expect(
    clippy::print_stderr,
    reason = "standard output belongs to what came of the examples"
)]
fn tell(line: &str) {
    eprintln!("{}", visible(line).replace('\n', " "));
}
