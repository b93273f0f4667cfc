//! `jp.delta.persist`: writes a config change that a person approved into a config file.
//!
//! ```json
//! {"command": "jp.delta.persist", "arguments": [{"conversation": "jp-c17636666521", "callId": "call_2"}]}
//! {"result": {"file": "file:///w/.jp/config.toml", "applied": true, "leftOut": []}}
//! ```
//!
//! Never automatic. The editor makes the edit, so that its undo takes it back.

mod target;

use std::sync::Arc;

use camino::Utf8Path;
use jp_agent::{AliasMap, delta::persist};
use jp_config::view::View;
use jp_conversation::{ConversationId, visible};
use lsp_types::{
    ApplyWorkspaceEditParams, CodeAction, CodeActionKind, CodeActionOrCommand, Command,
};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    agent,
    blocking::blocking,
    file_edit::{Written, apply},
};
use crate::agent::approved::SettledChange;
use crate::session::{
    config_engine::ConfigEngine, documents::FileKey, error::RequestError, event::Event,
    reading::WorkspaceReading, request::Context,
};

/// The command.
pub(crate) const KEEP: &str = "jp.delta.persist";

/// What to keep, and where.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeepParams {
    /// The conversation.
    pub(crate) conversation: String,
    /// The tool call that proposed the change.
    pub(crate) call_id: String,
    /// A file that the workspace loads, or a new one in `.jp`; `.jp/config.toml` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<Url>,
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeepResult {
    /// The file.
    pub(crate) file: Url,
    /// Whether the file says what was approved: the client made the edit, or there was nothing to edit.
    pub(crate) applied: bool,
    /// What the file cannot say.
    pub(crate) left_out: Vec<LeftOut>,
}

/// A part of a change that is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    /// The config path.
    pub(crate) path: String,
    /// Why.
    pub(crate) reason: String,
}

/// Writes an approved change into a file.
pub(crate) async fn keep(
    context: Context<ConfigEngine>,
    params: KeepParams,
) -> Result<KeepResult, RequestError> {
    let snapshot = context.snapshot();
    let untrusted = || {
        RequestError::Failed(
            "the workspace is not trusted: nothing that was decided in it is kept".to_owned(),
        )
    };
    if !snapshot.trusts_any() {
        return Err(untrusted());
    }
    if !snapshot.client().applies_edits() {
        return Err(RequestError::Failed(
            "the client makes no edits for a server (`workspace/applyEdit`): write the change by hand"
                .to_owned(),
        ));
    }
    let conversation = agent::parse(&params.conversation)?;
    let change = snapshot.approved().find(conversation, &params.call_id);
    let change = change.map_err(|error| RequestError::Failed(error.to_string()))?;
    if !snapshot.trusts(&change.root) {
        return Err(untrusted());
    }
    let outbox = context.outbox().clone();
    let events = context.events().clone();
    let plan = blocking(move || plan(&context, &change, params.file)).await?;
    let Plan {
        file,
        edit,
        left_out,
    } = plan;
    let applied = match edit {
        None => left_out.is_empty(),
        Some(edit) => apply(&outbox, edit).await?,
    };
    if applied {
        events.send(Event::ChangeKept {
            conversation,
            call: params.call_id,
        });
    }
    Ok(KeepResult {
        file,
        applied,
        left_out,
    })
}

/// What is to be done.
struct Plan {
    file: Url,
    edit: Option<ApplyWorkspaceEditParams>,
    left_out: Vec<LeftOut>,
}

/// Finds the file and works out the edit; reads the disk.
fn plan(
    context: &Context<ConfigEngine>,
    change: &SettledChange,
    file: Option<Url>,
) -> Result<Plan, RequestError> {
    let delta = change.approved.clone().unwrap_or_default();
    let target = target::find(context, &change.root, file)?;
    let shown = target
        .path
        .strip_prefix(&change.root)
        .unwrap_or(&target.path);
    let aliases = aliases(context, &change.root)?;
    let persisted = persist(&target.text, &delta, &aliases)
        .map_err(|error| RequestError::Failed(format!("`{shown}` cannot be changed: {error}")))?;
    let left_out = persisted.left_out.into_iter().map(|path| LeftOut {
        path,
        reason: format!("`{shown}` does not set it, another file does"),
    });
    let written = Written {
        label: format!("Keep what {} changed", visible(&change.tool)),
        description: format!("{} {}", change.conversation, visible(&change.call)),
        edits: persisted.edits,
    };
    let edit = written.into_edit(&target, context.snapshot().client())?;
    Ok(Plan {
        file: target.uri,
        edit,
        left_out: left_out.collect(),
    })
}

/// What the config of a workspace calls its models.
fn aliases(context: &Context<ConfigEngine>, root: &Utf8Path) -> Result<AliasMap, RequestError> {
    let reading = context.reading()?;
    let mut graphs = reading.workspaces().map(WorkspaceReading::graph);
    let graph = graphs.find(|graph| graph.workspace == root);
    let config = graph.and_then(|graph| View::new(Arc::clone(graph)).effective(&[]));
    let config = config.map(|config| config.value.to_json());
    Ok(config.as_ref().map(AliasMap::of).unwrap_or_default())
}

/// The actions on a config file that keep what was approved in its workspace.
pub(crate) fn code_actions(context: &Context<ConfigEngine>, uri: &Url) -> Vec<CodeActionOrCommand> {
    let snapshot = context.snapshot();
    let is_able = snapshot.trusts_any() && snapshot.client().applies_edits();
    let key = FileKey::of(uri);
    let path = key.path().filter(|_| is_able);
    let offered = path.into_iter().flat_map(|path| {
        let changes = snapshot.approved().offered(path);
        changes.filter_map(|change| action(change, uri, path))
    });
    offered.collect()
}

fn action(change: &SettledChange, uri: &Url, path: &Utf8Path) -> Option<CodeActionOrCommand> {
    let title = format!(
        "Keep what `{}` changed in `{}` ({})",
        visible(&change.tool),
        path.file_name().unwrap_or("this file"),
        visible(&change.call),
    );
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::REFACTOR_REWRITE),
        command: Some(Command {
            title,
            command: KEEP.to_owned(),
            arguments: Some(vec![argument(change.conversation, &change.call, uri)?]),
        }),
        ..CodeAction::default()
    }))
}

/// The argument of the command for a call.
fn argument(conversation: ConversationId, call: &str, file: &Url) -> Option<serde_json::Value> {
    serde_json::to_value(KeepParams {
        conversation: conversation.to_string(),
        call_id: call.to_owned(),
        file: Some(file.clone()),
    })
    .ok()
}
