//! The command `jp.history.show`: the calls on record that a rule decides, or that an edit decides otherwise, as a document.
//!
//! ```json
//! { "command": "jp.history.show", "arguments": [{ "tool": "read", "rule": 0, "workspace": "file:///w" }] }
//! { "uri": "file:///home/ada/.local/share/jp-lsp/documents/w-a1b2c/calls-read.md", "calls": 37 }
//! ```

use std::{fmt::Write as _, sync::Arc};

use camino::Utf8Path;
use jp_analysis::{
    explain::{PathResolver as _, ToolPolicy},
    recorded::run_rules,
    text::markup::{code, one_line},
};
use jp_config::graph::Graph;
use jp_history::{ByRule, Call, History, Judgement, Limits, Replay};
use jp_policy::{Mode as _, RunMode};
use serde::{Deserialize, Serialize};
use url::Url;

use super::shown;
use crate::{
    disk::paths::DiskPaths,
    runtime::conversations::history_sources,
    session::{config_engine::ConfigEngine, error::RequestError, request::Context},
};

/// The command.
pub(crate) const COMMAND: &str = "jp.history.show";

/// How many calls are listed, the newest.
const LISTED: usize = 1_000;

/// Which calls are to be listed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OnRecordParams {
    /// The tool.
    tool: String,
    /// The rule that decides them, from 0; all by default.
    #[serde(default)]
    rule: Option<usize>,
    /// Only those that the rules in the editor decide otherwise than those that are saved.
    #[serde(default)]
    changed: bool,
    /// A file or folder of the workspace that is meant; the first by default.
    #[serde(default)]
    workspace: Option<Url>,
}

/// Where the list is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OnRecordShown {
    /// The document.
    uri: Url,
    /// How many calls it is about.
    calls: usize,
}

/// Writes the list and shows it, where the client can.
pub(crate) async fn show(
    context: Context<ConfigEngine>,
    params: OnRecordParams,
) -> Result<OnRecordShown, RequestError> {
    shown::show(
        context,
        move |context| write(context, &params),
        |shown| &shown.uri,
    )
    .await
}

fn write(
    context: &Context<ConfigEngine>,
    params: &OnRecordParams,
) -> Result<OnRecordShown, RequestError> {
    let reading = context.reading()?;
    let workspace = reading
        .meant(params.workspace.as_ref())
        .ok_or_else(RequestError::no_workspace)?;
    let root = workspace.root();
    let sources = history_sources(root).map_err(|error| RequestError::Failed(error.to_string()))?;
    let mut replay = Replay::new(History::read(&sources, Limits::default()));
    let mut sides = vec![judged(workspace.graph(), root, &mut replay, &params.tool)?];
    if params.changed {
        let saved = Arc::new(workspace.saved(context.snapshot()));
        sides.push(judged(&saved, root, &mut replay, &params.tool)?);
    }
    context.check()?;
    let (text, calls) = listed(&replay, params, &sides);
    let uri = shown::written(root, "calls", &params.tool, &text)?;
    Ok(OnRecordShown { uri, calls })
}

type Decision = ByRule<RunMode>;

/// The rules of a tool, and what they decide.
type Judged = (ToolPolicy<RunMode>, Judgement<RunMode>);

fn judged(
    graph: &Arc<Graph>,
    root: &Utf8Path,
    replay: &mut Replay,
    tool: &str,
) -> Result<Judged, RequestError> {
    let rules = run_rules(graph, tool).map_err(|error| RequestError::Failed(error.to_string()))?;
    let paths = DiskPaths::new(root);
    let mut canonical = |path: &str| paths.canonical(path);
    let judgement = replay.judge(
        tool,
        &rules.policy,
        &rules.parameters,
        &mut canonical,
        &|| true,
    );
    let judgement = judgement.ok_or(RequestError::Cancelled)?;
    Ok((rules, judgement))
}

/// The list, and how many calls it is about. What a model wrote stands in code, on one line.
fn listed(replay: &Replay, params: &OnRecordParams, sides: &[Judged]) -> (String, usize) {
    let decided = |side: usize| {
        let judgement = sides.get(side).map(|(_, judgement)| judgement);
        judgement.map(|judgement| replay.decided(&params.tool, judgement))
    };
    let now = decided(0).unwrap_or_default();
    let before = decided(1);
    let mode = |decision: Decision| decision.map(|(mode, _)| mode);
    let mut found: Vec<(Call<'_>, Decision, Decision)> = Vec::new();
    for (place, (call, decision)) in now.iter().enumerate() {
        let past = before
            .as_ref()
            .and_then(|before| before.get(place))
            .and_then(|(_, decision)| *decision);
        let is_meant = match params.rule {
            Some(rule) => decision.is_some_and(|(_, by)| by == Some(rule)),
            None => true,
        };
        if is_meant && (before.is_none() || mode(past) != mode(*decision)) {
            found.push((*call, *decision, past));
        }
    }
    let what = match (params.rule, params.changed) {
        (_, true) => "calls that this edit decides otherwise".to_owned(),
        (Some(rule), false) => format!("calls that rule {} decides", rule + 1),
        (None, false) => "calls on record".to_owned(),
    };
    let total = now.len();
    let mut text = format!("# {}: {what}\n\n", code(&params.tool));
    let _ = writeln!(
        text,
        "{} of {total} on record, the newest first.\n",
        found.len()
    );
    let word = |decision: Decision| match decision {
        None => "does not fit".to_owned(),
        Some((mode, None)) => format!("{} (no rule)", mode.keyword()),
        Some((mode, Some(rule))) => format!("{} (rule {})", mode.keyword(), rule + 1),
    };
    for (call, now, past) in found.iter().take(LISTED) {
        let decided = match params.changed {
            true => format!("{} -> {}", word(*past), word(*now)),
            false => word(*now),
        };
        let _ = writeln!(
            text,
            "- {} · {decided} · {} · {}",
            call.at(),
            call.answer().words(),
            code(&one_line(call.arguments_text()))
        );
    }
    if found.len() > LISTED {
        let _ = writeln!(text, "\n{} older calls are left out.", found.len() - LISTED);
    }
    (text, found.len())
}
