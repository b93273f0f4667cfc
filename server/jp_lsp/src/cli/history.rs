//! `jp-lsp history`: what the rules of today decide about the calls that are on record.
//!
//! ```text
//! $ jp-lsp history --tool fs_modify_file --since 30d
//! fs_modify_file: 41 calls
//!   rule 1 (.jp/config.toml:7) unattended: 37 calls, last 2026-11-20; 30 allowed by the policy, 7 allowed by a person
//!   rule 2 (.jp/config.toml:8) ask: no call
//!   no rule ask: 4 calls, last 2026-11-19; 3 allowed by a person, 1 refused by a person
//! ```
//!
//! Nothing runs: recorded arguments are decided as `explain policy` decides them, on the files as they are.

mod report;
mod since;

use std::{collections::BTreeMap, io::Write, sync::Arc};

use camino::Utf8PathBuf;
use clap::Args;
use jp_analysis::explain::{
    ExplainError, PathResolver as _, PolicyExplainer, PolicyQuestion, RulePlace, view_of_tool,
};
use jp_config::graph::Graph;
use jp_conversation::Timestamp;
use jp_history::{Call, History, Limits, tally};
use jp_policy::RunMode;

use self::report::{Overview, RuleLine, ToolReport};
pub use self::since::{Since, SinceError};
use super::answer_format::AnswerFormat;
use crate::{
    disk::{
        config_files::DiskFiles,
        paths::DiskPaths,
        workspace::{self, Location, WorkspaceError},
    },
    runtime::{SessionError, conversations::history_sources},
};

/// What of the record to look at.
#[derive(Debug, Args)]
pub struct HistoryArguments {
    /// One tool; by default all whose calls are on record.
    #[arg(long)]
    pub tool: Option<String>,
    /// How far back to look: `30d`, `12h`, `2w`, or a date such as `2026-11-01`; by default to the beginning.
    #[arg(long, value_name = "AGE")]
    pub since: Option<Since>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub format: AnswerFormat,
    /// The workspace, or a directory in it; the working directory by default.
    #[arg(long)]
    pub workspace: Option<Utf8PathBuf>,
}

/// Why nothing was told.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// There is no workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// There is no place where anything could be on record.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The tool is neither in the config nor on record.
    #[error(transparent)]
    Tool(#[from] ExplainError),
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Prints what is on record; answers the exit code.
///
/// # Errors
///
/// [`HistoryError`]; a config that cannot be decided with is told beside the counts.
pub fn run(arguments: &HistoryArguments, output: &mut dyn Write) -> Result<u8, HistoryError> {
    let Location { root, directory } = workspace::locate(arguments.workspace.as_deref())?;
    let history = History::read(&history_sources(&root)?, Limits::default());
    let graph = Graph::load(&workspace::roots(&root, &directory), &DiskFiles::trusted());
    let (graph, paths) = (Arc::new(graph), DiskPaths::new(root));
    let since = arguments.since.map(|since| since.before(Timestamp::now()));
    let mut by_tool: BTreeMap<&str, Vec<Call<'_>>> = BTreeMap::new();
    let counted = history.calls().filter(|call| Some(call.at()) >= since);
    for call in counted {
        if arguments
            .tool
            .as_deref()
            .is_none_or(|tool| tool == call.tool())
        {
            by_tool.entry(call.tool()).or_default().push(call);
        }
    }
    if let Some(tool) = &arguments.tool
        && !by_tool.contains_key(tool.as_str())
    {
        // A tool that nobody knows is probably a slip of the pen.
        if !history.calls().any(|call| call.tool() == tool) {
            view_of_tool(&graph, tool)?;
        }
        by_tool.insert(tool, Vec::new());
    }
    let tools = by_tool.into_iter();
    let tools = tools
        .map(|(tool, calls)| report(&graph, &paths, tool, &calls))
        .collect();
    let overview = Overview {
        history: &history,
        since,
        tools,
    };
    match arguments.format {
        AnswerFormat::Human => overview.print(output)?,
        AnswerFormat::Json => writeln!(output, "{}", overview.to_json())?,
    }
    Ok(0)
}

/// What is on record of one tool, by the rules of today.
fn report(graph: &Arc<Graph>, paths: &DiskPaths, tool: &str, calls: &[Call<'_>]) -> ToolReport {
    let mut report = ToolReport {
        tool: tool.to_owned(),
        calls: calls.len(),
        ..ToolReport::default()
    };
    if let Err(problem) = judge(graph, paths, calls, &mut report) {
        report.problem = Some(problem.to_string());
    }
    report
}

fn judge(
    graph: &Arc<Graph>,
    paths: &DiskPaths,
    calls: &[Call<'_>],
    report: &mut ToolReport,
) -> Result<(), ExplainError> {
    let view = view_of_tool(graph, &report.tool)?;
    let explainer = PolicyExplainer::new(&view, &report.tool, PolicyQuestion::Run)?;
    let Some(rules) = explainer.run_rules() else {
        return Ok(());
    };
    let canonical = |path: &str| paths.canonical(path);
    let counted = tally(
        calls.iter().copied(),
        &rules.policy,
        &rules.parameters,
        &canonical,
    );
    report.unfit = counted.unfit;
    report.changed = counted.changed;
    report.rules = counted
        .lines
        .into_iter()
        .map(|line| {
            let rule = line.rule.and_then(|index| rules.policy.rule(index));
            let place = line
                .rule
                .and_then(|index| Some((index, rules.places.get(index).copied()??)));
            let place = place.map(|(index, place)| RulePlace::new(graph, index, place));
            RuleLine {
                index: line.rule,
                place,
                mode: rule.map_or(RunMode::Ask, |rule| rule.mode),
                modes: line.modes,
                counts: line.counts,
            }
        })
        .collect();
    Ok(())
}
