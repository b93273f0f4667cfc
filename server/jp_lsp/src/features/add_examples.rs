//! The commands that add examples to `.jp/policy.tests.toml`: a call or an access as it is decided now, or all at the borders of a tool's rules.
//!
//! ```json
//! { "command": "jp.tests.save", "arguments": [{ "tool": "read", "input": { "path": "src/lib.rs" }, "workspace": "file:///w" }] }
//! { "command": "jp.tests.generate", "arguments": [{ "tool": "read", "workspace": "file:///w" }] }
//! { "file": "file:///w/.jp/policy.tests.toml", "applied": true, "cases": 1 }
//! ```
//!
//! Never automatic: the editor makes the edit and shows the file, which a person saves or not. What a call was made with may be private.

use std::sync::Arc;

use jp_analysis::examples::{self, Asked, append, generate, tools_with_conditions, write_case};
use jp_config::graph::Graph;
use jp_conversation::visible;
use lsp_types::{
    ApplyWorkspaceEditParams, CodeAction, CodeActionKind, CodeActionOrCommand, Command, Range,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::{
    blocking::blocking,
    file_edit::{Target, Written, apply},
};
use crate::{
    agent::show_document,
    disk::{config_files::DiskFiles, paths::DiskPaths},
    session::{
        config_engine::ConfigEngine,
        documents::FileKey,
        error::RequestError,
        examples::HeldExamples,
        reading::{ConfigReading, WorkspaceReading},
        request::Context,
    },
};

/// The command that adds one example.
pub(crate) const SAVE: &str = "jp.tests.save";
/// The command that adds those at the borders of the rules.
pub(crate) const GENERATE: &str = "jp.tests.generate";

/// What one example is to ask.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SaveParams {
    /// The tool.
    tool: String,
    /// The arguments of a call, or a question about access, as `jp/explain` takes them.
    input: Value,
    /// Whether the input is a question about access.
    #[serde(default)]
    kind: InputKind,
    /// Whether the result of the call is meant instead of its run.
    #[serde(default)]
    result: bool,
    /// A file or folder of the workspace; the first by default.
    #[serde(default)]
    workspace: Option<Url>,
}

/// What the input is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum InputKind {
    #[default]
    Policy,
    Access,
}

/// Whose borders are meant.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GenerateParams {
    /// The tool.
    tool: String,
    /// A file or folder of the workspace; the first by default.
    #[serde(default)]
    workspace: Option<Url>,
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Added {
    /// The file of examples.
    file: Url,
    /// Whether the client made the edit; with no case there was nothing to edit.
    applied: bool,
    /// How many examples were added.
    cases: usize,
}

/// Adds one example.
pub(crate) async fn save(
    context: Context<ConfigEngine>,
    params: SaveParams,
) -> Result<Added, RequestError> {
    let title = format!("Save a call of {} as an example", visible(&params.tool));
    let workspace = params.workspace.clone();
    let write = move |graph: &Arc<Graph>, _: &str| {
        let asked = match (params.kind, params.result) {
            (InputKind::Access, _) => Asked::Access,
            (InputKind::Policy, true) => Asked::Result,
            (InputKind::Policy, false) => Asked::Run,
        };
        let paths = DiskPaths::new(graph.workspace.clone());
        let case = write_case(graph, &params.tool, asked, &params.input, &paths);
        case.map(|case| vec![case])
            .map_err(|error| RequestError::Failed(error.to_string()))
    };
    add(context, workspace, title, write).await
}

/// Adds the examples at the borders of a tool's rules that are not there yet.
pub(crate) async fn add_borders(
    context: Context<ConfigEngine>,
    params: GenerateParams,
) -> Result<Added, RequestError> {
    let title = format!("Add examples at the borders of {}", visible(&params.tool));
    let workspace = params.workspace.clone();
    let write = move |graph: &Arc<Graph>, text: &str| {
        let paths = DiskPaths::new(graph.workspace.clone());
        let made = generate(graph, &params.tool, &paths, text);
        made.map(|made| made.cases)
            .map_err(|error| RequestError::Failed(error.to_string()))
    };
    add(context, workspace, title, write).await
}

/// Has the client add cases to the file of examples, and shows it.
async fn add(
    context: Context<ConfigEngine>,
    workspace: Option<Url>,
    title: String,
    write: impl FnOnce(&Arc<Graph>, &str) -> Result<Vec<String>, RequestError> + Send + 'static,
) -> Result<Added, RequestError> {
    if !context.snapshot().client().applies_edits() {
        return Err(RequestError::Failed(
            "the client makes no edits for a server (`workspace/applyEdit`): write the example by hand, or use `jp-lsp test --generate`"
                .to_owned(),
        ));
    }
    let context = Arc::new(context);
    let work = Arc::clone(&context);
    let planned = blocking(move || {
        let reading = work.reading()?;
        let workspace = reading
            .meant(workspace.as_ref())
            .ok_or_else(RequestError::no_workspace)?;
        let target = target(&work, workspace)?;
        let cases = write(workspace.graph(), &target.text)?;
        let edit = match cases.is_empty() {
            true => None,
            false => edit(&work, &target, title, &cases)?,
        };
        Ok((target.uri, edit, cases.len()))
    });
    let (file, edit, cases) = planned.await?;
    let Some(edit) = edit else {
        return Ok(Added {
            file,
            applied: true,
            cases: 0,
        });
    };
    let outbox = context.outbox();
    let applied = apply(outbox, edit).await?;
    if applied {
        show_document(context.snapshot().client(), outbox, &file, true).await;
    }
    Ok(Added {
        file,
        applied,
        cases: if applied { cases } else { 0 },
    })
}

/// The file of examples as it is; an open buffer counts more than the disk.
fn target(
    context: &Context<ConfigEngine>,
    workspace: &WorkspaceReading,
) -> Result<Target, RequestError> {
    let path = HeldExamples::path_in(workspace.root());
    let key = FileKey::of_path(&path);
    if let Some(document) = context.snapshot().documents().get(&key) {
        return Ok(Target::of_buffer(document, path));
    }
    let uri = key
        .uri()
        .ok_or_else(|| RequestError::Failed(format!("`{path}` has no address")))?;
    let roots = jp_config::graph::Roots::workspace_only(workspace.root());
    let text = DiskFiles::untrusted(&roots).examples(&path);
    let text = text
        .map_err(|problem| RequestError::Failed(format!("`{path}` cannot be read: {problem}")))?;
    Ok(Target::of_disk(uri, path, text))
}

fn edit(
    context: &Context<ConfigEngine>,
    target: &Target,
    title: String,
    cases: &[String],
) -> Result<Option<ApplyWorkspaceEditParams>, RequestError> {
    let added = append(&target.text, cases);
    let added = added.map_err(|error| RequestError::Failed(error.to_string()))?;
    let end = target.text.len();
    let written = Written {
        label: title,
        description: examples::PATH.to_owned(),
        edits: vec![jp_agent::delta::TextEdit {
            range: end..end,
            text: added,
        }],
    };
    written.into_edit(target, context.snapshot().client())
}

/// The actions on a file of examples: the borders of the tool whose case is at the place; in a file without a case, of any tool that has some.
///
/// Nothing where `uri` is no file of examples.
pub(crate) fn code_actions(
    context: &Context<ConfigEngine>,
    reading: &ConfigReading,
    uri: &Url,
    range: Range,
) -> Option<Vec<CodeActionOrCommand>> {
    let key = FileKey::of(uri);
    let kept = reading.examples_at(key.path()?)?;
    if !context.snapshot().client().applies_edits() {
        return Some(Vec::new());
    }
    let held = kept.held(context.snapshot()).ok().flatten();
    let cases = held.iter().flat_map(|held| &held.cases);
    let at: Vec<String> = cases
        .filter(|(case, _)| {
            held.as_ref()
                .is_some_and(|held| held.range(case.span).start.line <= range.start.line)
        })
        .map(|(case, _)| case.tool.clone())
        .collect();
    let with_borders = tools_with_conditions(kept.graph());
    let is_empty = held.is_none_or(|held| held.cases.is_empty());
    let meant = with_borders.into_iter().filter(|tool| match at.last() {
        Some(own) => own == tool,
        None => is_empty,
    });
    let actions = meant.take(10).map(|tool| action(&tool, uri));
    Some(actions.collect())
}

fn action(tool: &str, uri: &Url) -> CodeActionOrCommand {
    let title = format!(
        "Add examples at the borders of the rules of `{}`",
        visible(tool)
    );
    CodeActionOrCommand::CodeAction(CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::REFACTOR_REWRITE),
        command: Some(Command {
            title,
            command: GENERATE.to_owned(),
            arguments: Some(vec![json!({ "tool": tool, "workspace": uri })]),
        }),
        ..CodeAction::default()
    })
}
