//! `jp-lsp suggest`: rules that would have answered what a person was asked, each proven before it is shown.
//!
//! ```text
//! $ jp-lsp suggest --tool read
//! read: 11 of 41 recorded calls needed a person, who allowed 8 and refused 3
//! 1. { arg = "/path", prefix = "docs", mode = "unattended" }
//!    covers every call whose `path` lies in `docs`
//!    would have answered 7 of 8 approvals
//! ```
//!
//! Nothing runs and nothing is written: what is shown is a diff for a person to apply.

mod report;

use std::{io::Write, sync::Arc};

use camino::Utf8PathBuf;
use clap::Args;
use jp_analysis::explain::ExplainError;
use jp_config::graph::Graph;
use jp_history::{History, Limits};

use super::answer_format::AnswerFormat;
use crate::{
    disk::{
        config_files::DiskFiles,
        paths::DiskPaths,
        workspace::{self, Location, WorkspaceError},
    },
    runtime::{
        SessionError,
        conversations::history_sources,
        suggestions::{ConfigPlace, ToolRules},
    },
};

/// What to suggest rules for.
#[derive(Debug, Args)]
pub struct SuggestArguments {
    /// The tool.
    #[arg(long)]
    pub tool: String,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub format: AnswerFormat,
    /// The workspace, or a directory in it; the working directory by default.
    #[arg(long)]
    pub workspace: Option<Utf8PathBuf>,
}

/// Why nothing was suggested.
#[derive(Debug, thiserror::Error)]
pub enum SuggestError {
    /// There is no workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// There is no place where anything could be on record.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// There is no such tool, or its rules cannot be decided with.
    #[error(transparent)]
    Tool(#[from] ExplainError),
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Prints what is suggested; answers the exit code.
///
/// # Errors
///
/// [`SuggestError`]; that there is nothing to suggest is no error.
pub fn run(arguments: &SuggestArguments, output: &mut dyn Write) -> Result<u8, SuggestError> {
    let Location { root, directory } = workspace::locate(arguments.workspace.as_deref())?;
    let roots = workspace::roots(&root, &directory);
    let graph = Arc::new(Graph::load(&roots, &DiskFiles::trusted()));
    let rules = ToolRules::of(&graph, &arguments.tool)?;
    let history = History::read(&history_sources(&root)?, Limits::default());
    let place = ConfigPlace {
        roots: &roots,
        files: &|| Box::new(DiskFiles::trusted()),
    };
    let report = rules.report(place, &DiskPaths::new(root), None, &history);
    match arguments.format {
        AnswerFormat::Human => report::print(&report, output)?,
        AnswerFormat::Json => writeln!(output, "{}", report::to_json(&report))?,
    }
    Ok(0)
}
