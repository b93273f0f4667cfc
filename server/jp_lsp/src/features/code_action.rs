//! `textDocument/codeAction` and `codeAction/resolve`.
//!
//! ```json
//! { "title": "Write `summary`", "kind": "quickfix", "isPreferred": true,
//!   "edit": { "documentChanges": [{ "textDocument": { "uri": "file:///w/.jp/config.toml", "version": 3 }, "edits": [] }] } }
//! ```

use jp_analysis::{
    Analysis,
    actions::{Action, ActionKind, actions, fix_all},
};
use jp_config::document::Span;
use lsp_types::{
    CodeAction, CodeActionDisabled, CodeActionKind, CodeActionOptions, CodeActionOrCommand,
    CodeActionParams, CodeActionProviderCapability, CodeActionResponse, Diagnostic, Range,
    ServerCapabilities, Url, WorkspaceEdit,
    request::{CodeActionRequest, CodeActionResolveRequest},
};
use serde::{Deserialize, Serialize};

use super::{
    add_examples, keep,
    spot::Spot,
    suggest,
    workspace_edit::{with_new_file, workspace_edit},
};
use crate::session::{
    analysis::ConfigAnalysis,
    client::ClientProfile,
    config_engine::ConfigEngine,
    documents::FileKey,
    error::RequestError,
    report::SOURCE,
    request::{Context, Routes},
    to_protocol,
};

/// More diagnostics than this are not on the person's mind.
const DIAGNOSTIC_LIMIT: usize = 16;

pub(crate) fn offer(client: &ClientProfile, capabilities: &mut ServerCapabilities) {
    let kinds = vec![
        CodeActionKind::QUICKFIX,
        CodeActionKind::REFACTOR_REWRITE,
        CodeActionKind::SOURCE_FIX_ALL,
    ];
    capabilities.code_action_provider = if client.takes_code_actions() {
        Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(kinds),
            resolve_provider: Some(client.resolves_code_actions()),
            ..CodeActionOptions::default()
        }))
    } else {
        None
    };
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes
        .on::<CodeActionRequest>(|context, params| code_action(context, &params))
        .on::<CodeActionResolveRequest>(resolve)
}

/// What finds an action again.
#[derive(Debug, Serialize, Deserialize)]
struct Name {
    uri: Url,
    range: Range,
    version: Option<i32>,
    title: String,
    /// Where the finding stands that it answers.
    finding: Option<Range>,
}

/// A file, and what was found in its workspace.
struct Judged<'a> {
    spot: Spot<'a>,
    analysis: &'a Analysis,
}

impl<'a> Judged<'a> {
    fn of(analysis: &'a ConfigAnalysis, uri: &Url) -> Option<Self> {
        let spot = Spot::of(analysis.reading(), uri)?;
        Some(Self {
            analysis: analysis.of_workspace(spot.workspace)?,
            spot,
        })
    }

    /// Where the finding stands that an action answers.
    fn finding(&self, context: &Context<ConfigEngine>, action: &Action) -> Option<Range> {
        let diagnostics = self.analysis.diagnostics(self.spot.file);
        let finding = diagnostics.get(action.diagnostic?)?;
        Some(self.spot.range(context, finding.place.span))
    }
}

fn code_action(
    context: &Context<ConfigEngine>,
    params: &CodeActionParams,
) -> Result<Option<CodeActionResponse>, RequestError> {
    let analysis = context.analysis()?;
    let uri = &params.text_document.uri;
    let Some(judged) = Judged::of(&analysis, uri) else {
        let is_wanted = is_wanted(ActionKind::Rewrite, params.context.only.as_deref());
        let offered = || add_examples::code_actions(context, analysis.reading(), uri, params.range);
        return Ok(is_wanted.then(offered).flatten());
    };
    let lazy = context.snapshot().client().resolves_code_actions();
    // Somebody who comes to a line where a prompt waits comes to answer it.
    let mut response = context.snapshot().prompts().code_actions(
        uri,
        params.range,
        context.snapshot().client().applies_edits(),
    );
    for (range, action) in found(context, &judged, params)? {
        let mut written = written(context, &judged, &action);
        if lazy && action.disabled.is_none() {
            let name = Name {
                uri: uri.clone(),
                range,
                version: version(context, uri),
                title: action.title.clone(),
                finding: judged.finding(context, &action),
            };
            written.data = serde_json::to_value(name).ok();
        } else if action.disabled.is_none() {
            written.edit = Some(edit(context, &judged.spot, &action));
        }
        response.push(CodeActionOrCommand::CodeAction(written));
    }
    if is_wanted(ActionKind::Rewrite, params.context.only.as_deref()) {
        response.extend(suggest::code_action(
            context,
            &judged.spot,
            uri,
            params.range,
        )?);
        response.extend(keep::code_actions(context, uri));
    }
    Ok(Some(response))
}

/// The actions that the client wants, each with where it is found again.
fn found(
    context: &Context<ConfigEngine>,
    judged: &Judged<'_>,
    params: &CodeActionParams,
) -> Result<Vec<(Range, Action)>, RequestError> {
    let only = params.context.only.as_deref();
    let mut found: Vec<(Range, Action)> = Vec::new();
    for range in ranges(params) {
        let is_cursor = range == params.range;
        for action in at(context, judged, range)? {
            let is_known = found.iter().any(|(_, known)| {
                known.diagnostic == action.diagnostic && known.title == action.title
            });
            if !is_known && (is_cursor || action.kind == ActionKind::QuickFix) {
                found.push((range, action));
            }
        }
    }
    if is_wanted(ActionKind::FixAll, only) {
        let all = fix_all(judged.analysis, judged.spot.file);
        found.extend(all.into_iter().map(|action| (params.range, action)));
    }
    found.retain(|(_, action)| {
        let is_shown = action.disabled.is_none() || shows_disabled(context, only);
        is_shown && is_wanted(action.kind, only)
    });
    // Some editors show them in this order.
    found.sort_by_key(|(_, action)| action.rank());
    Ok(found)
}

/// Where to look for actions: at the cursor, and at what the client says is the matter there.
///
/// Editors that show a diagnostic for its whole line send it with a cursor anywhere on the line.
fn ranges(params: &CodeActionParams) -> impl Iterator<Item = Range> {
    let ours = |diagnostic: &&Diagnostic| diagnostic.source.as_deref() == Some(SOURCE);
    let diagnostics = params.context.diagnostics.iter().filter(ours);
    let elsewhere = diagnostics
        .map(|diagnostic| diagnostic.range)
        .filter(|range| *range != params.range)
        .take(DIAGNOSTIC_LIMIT);
    std::iter::once(params.range).chain(elsewhere)
}

fn resolve(
    context: &Context<ConfigEngine>,
    mut action: CodeAction,
) -> Result<CodeAction, RequestError> {
    let Some(data) = action.data.clone() else {
        return Ok(action);
    };
    let name: Name = serde_json::from_value(data).map_err(|error| {
        RequestError::InvalidParams(format!(
            "`data` does not name an action of this server: {error}"
        ))
    })?;
    if name.version != version(context, &name.uri) {
        return Err(RequestError::ContentModified);
    }
    let analysis = context.analysis()?;
    let judged = Judged::of(&analysis, &name.uri).ok_or(RequestError::ContentModified)?;
    let mut found = at(context, &judged, name.range)?;
    if action.kind == Some(CodeActionKind::SOURCE_FIX_ALL) {
        found.extend(fix_all(judged.analysis, judged.spot.file));
    }
    let same = found
        .into_iter()
        .find(|other| other.title == name.title && judged.finding(context, other) == name.finding);
    let same = same.ok_or(RequestError::ContentModified)?;
    action.edit = Some(edit(context, &judged.spot, &same));
    Ok(action)
}

fn at(
    context: &Context<ConfigEngine>,
    Judged { spot, analysis }: &Judged<'_>,
    range: Range,
) -> Result<Vec<Action>, RequestError> {
    let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let start = narrow(spot.offset(context, range.start)?);
    let end = narrow(spot.offset(context, range.end)?);
    let span = Span::new(start.min(end), start.max(end));
    let view = spot.view();
    let mut found = actions(analysis, &view, spot.file, span);
    context.check()?;
    let client = context.snapshot().client();
    if !(client.takes_versioned_edits() && client.creates_files()) {
        found.retain(|action| action.creates.is_none());
    }
    Ok(found)
}

fn kind(kind: ActionKind) -> CodeActionKind {
    match kind {
        ActionKind::QuickFix => CodeActionKind::QUICKFIX,
        ActionKind::Rewrite => CodeActionKind::REFACTOR_REWRITE,
        ActionKind::FixAll => CodeActionKind::SOURCE_FIX_ALL,
    }
}

/// Whether a person who looks for a rewrite is told why one cannot be done.
///
/// On every other occasion it would be in the way.
fn shows_disabled(context: &Context<ConfigEngine>, only: Option<&[CodeActionKind]>) -> bool {
    let refactor = CodeActionKind::REFACTOR;
    let client = context.snapshot().client();
    client.shows_disabled_actions()
        && only.is_some_and(|only| {
            only.iter()
                .any(|kind| kind.as_str().starts_with(refactor.as_str()))
        })
}

/// Whether the client asked for actions of this kind or of one around it.
///
/// "Fix all" is for those who ask for it by name: on save, or from a menu of its own.
fn is_wanted(action: ActionKind, only: Option<&[CodeActionKind]>) -> bool {
    let kind = kind(action);
    let Some(only) = only.filter(|only| !only.is_empty()) else {
        return action != ActionKind::FixAll;
    };
    only.iter().any(|wanted| {
        let rest = kind.as_str().strip_prefix(wanted.as_str());
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with('.') || wanted.as_str().is_empty()
        })
    })
}

fn written(
    context: &Context<ConfigEngine>,
    Judged { spot, analysis }: &Judged<'_>,
    action: &Action,
) -> CodeAction {
    let finding = action
        .diagnostic
        .and_then(|index| analysis.diagnostics(spot.file).get(index).cloned());
    let diagnostics = finding.map(|finding| {
        let graph = analysis.graph();
        vec![to_protocol::diagnostic(
            &finding,
            spot.workspace,
            graph,
            context.snapshot(),
        )]
    });
    CodeAction {
        title: action.title.clone(),
        kind: Some(kind(action.kind)),
        diagnostics,
        is_preferred: action.preferred.then_some(true),
        disabled: action
            .disabled
            .clone()
            .map(|reason| CodeActionDisabled { reason }),
        ..CodeAction::default()
    }
}

fn version(context: &Context<ConfigEngine>, uri: &Url) -> Option<i32> {
    let key = FileKey::of(uri);
    let document = context.snapshot().documents().get(&key)?;
    Some(document.version())
}

fn edit(context: &Context<ConfigEngine>, spot: &Spot<'_>, action: &Action) -> WorkspaceEdit {
    let created = action.creates.as_ref();
    created
        .and_then(|file| with_new_file(context, spot.workspace, file, &action.edits))
        .unwrap_or_else(|| workspace_edit(context, spot.workspace, &action.edits))
}
