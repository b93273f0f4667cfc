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

mod change;
mod protected;
mod report;

use std::{io::Write, sync::Arc};

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};
use jp_analysis::explain::{
    ExplainError, PathResolver as _, PolicyExplainer, PolicyOrigin, PolicyQuestion, RulePlace,
    ToolPolicy, view_of_tool,
};
use jp_config::{graph::Graph, view::View};
use jp_history::{Call, History, Limits, Reason, Subject, Suggestions, Withheld, suggest};
use jp_policy::{RawRule, RunMode, UnresolvedArg, target};

use self::{
    change::{Change, Checked},
    report::{Offer, Report},
};
use crate::{
    disk::{
        config_files::DiskFiles,
        paths::DiskPaths,
        workspace::{self, Location, WorkspaceError},
    },
    runtime::{SessionError, conversations::history_sources},
};

/// What to suggest rules for.
#[derive(Debug, Args)]
pub struct SuggestArguments {
    /// The tool.
    #[arg(long)]
    pub tool: String,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub format: SuggestFormat,
    /// The workspace, or a directory in it; the working directory by default.
    #[arg(long)]
    pub workspace: Option<Utf8PathBuf>,
}

/// How to print suggestions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum SuggestFormat {
    /// For people.
    #[default]
    Human,
    /// One JSON object.
    Json,
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
    let view = view_of_tool(&graph, &arguments.tool)?;
    let explainer = PolicyExplainer::new(&view, &arguments.tool, PolicyQuestion::Run)?;
    let history = History::read(&history_sources(&root)?, Limits::default());
    let tool = Tool {
        name: &arguments.tool,
        view: &view,
        paths: DiskPaths::new(root),
    };
    let rules = explainer.run_rules();
    let report = rules.map(|rules| tool.report(rules, &roots, &history));
    let report = report.unwrap_or_default();
    match arguments.format {
        SuggestFormat::Human => report.print(output)?,
        SuggestFormat::Json => writeln!(output, "{}", report.to_json())?,
    }
    Ok(0)
}

/// The tool that rules are suggested for.
struct Tool<'a> {
    name: &'a str,
    view: &'a View,
    paths: DiskPaths,
}

impl Tool<'_> {
    fn report(
        &self,
        policy: &ToolPolicy<RunMode>,
        roots: &jp_config::graph::Roots,
        history: &History,
    ) -> Report {
        let (rules, numbers) = rules_of(policy);
        let protected = protected::paths(self.view, self.name, &self.paths);
        let canonical = |path: &str| self.paths.canonical(path);
        let subject = Subject {
            rules: &rules,
            parameters: &policy.parameters,
            unresolved: UnresolvedArg::Skip,
            canonical: &canonical,
            protected: &protected,
        };
        let calls = history
            .calls()
            .filter(|call: &Call<'_>| call.tool() == self.name);
        let mut suggestions: Suggestions = suggest(subject, calls);
        let mut offers = Vec::new();
        for suggestion in std::mem::take(&mut suggestions.offered) {
            let mut planned = rules.clone();
            planned.insert(suggestion.position, suggestion.rule.clone());
            let change = Change {
                view: self.view,
                tool: self.name,
                roots,
                planned: &planned,
                position: numbers.get(suggestion.position).copied(),
                rule: &suggestion.rule,
            };
            match change.checked() {
                Checked::Dirty(finding) => suggestions.withheld.push(Withheld {
                    rule: suggestion.rule,
                    covers: suggestion.covers,
                    reason: Reason::Invalid(finding),
                }),
                checked => {
                    let before = numbers.get(suggestion.position).and_then(|number| {
                        let place = policy.places.get(*number).copied()??;
                        Some(RulePlace::new(self.view.graph(), *number, place))
                    });
                    offers.push(Offer {
                        suggestion,
                        before,
                        diff: match checked {
                            Checked::Clean(diff) => Some(diff),
                            _ => None,
                        },
                    });
                }
            }
        }
        Report {
            tool: self.name.to_owned(),
            suggestions,
            offers,
        }
    }
}

/// The rules that can decide, and the number of each in the list as it is.
///
/// Rules of the tool defaults whose argument this tool does not have decide nothing about it, and would be wrong in a list of its own.
fn rules_of(policy: &ToolPolicy<RunMode>) -> (Vec<RawRule<RunMode>>, Vec<usize>) {
    let is_shared = matches!(policy.origin, PolicyOrigin::DefaultsPolicy);
    let resolves = |rule: &RawRule<RunMode>| {
        let arg = rule.arg.as_deref();
        arg.is_none_or(|arg| policy.parameters.open || target(arg, &policy.parameters).is_some())
    };
    (0..policy.policy.len())
        .filter_map(|number| Some((policy.policy.rule(number)?, number)))
        .filter(|(rule, _)| !is_shared || resolves(rule))
        .map(|(rule, number)| (rule.clone(), number))
        .unzip()
}
