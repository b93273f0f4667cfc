//! The commands `jp.rules.suggest` and `jp.rules.write`: rules that would have answered what a person was asked, and one of them in the config.
//!
//! ```json
//! { "command": "jp.rules.suggest", "arguments": [{ "tool": "read", "workspace": "file:///w" }] }
//! { "offered": 3, "written": { "file": "file:///w/.jp/config.toml", "applied": true, "rule": "{ arg = \"/path\", prefix = \"docs\", mode = \"unattended\" }" } }
//! ```
//!
//! The person sees everything in a document, picks a rule, sees its change and picks the file; then the config and the record are read again,
//! and the rule is written by the editor only where it is still proven.

mod document;
mod write;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::{AnswerError, WaitingCall};
use jp_analysis::recorded::run_rules;
use jp_config::document::PathSegment;
use jp_conversation::visible;
use jp_history::{History, Limits, Suggestions, in_toml};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, MessageActionItem, MessageType,
    Range, ShowMessageRequestParams, request::ShowMessageRequest,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

pub(crate) use self::write::{WriteParams, Written, lets_run, write};
use super::{blocking::blocking, shown, spot::Spot};
use crate::{
    agent::{
        rules::{SUGGEST, WRITE},
        show_document,
    },
    disk::paths::DiskPaths,
    runtime::{
        conversations::history_sources,
        suggestions::{ConfigPlace, Layer, Offer, Report, ToolRules, in_short, in_words},
    },
    session::{
        config_engine::ConfigEngine, documents::FileKey, error::RequestError, event::Event,
        reading::WorkspaceReading, request::Context,
    },
    wire::Outbox,
};

/// What says that nothing is to be done.
const CANCEL: &str = "Cancel";

/// What rules are suggested for: a tool, or the call of a prompt that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SuggestParams {
    /// The tool; that of the prompt by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// A file or folder of the workspace that is meant; the first by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workspace: Option<Url>,
    /// The prompt that asks about a call which the rule is to let run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<PromptName>,
}

/// A prompt that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PromptName {
    /// Its id.
    id: String,
    /// Its digest.
    digest: String,
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Suggested {
    /// How many rules the person could pick from.
    offered: usize,
    /// What was written; none where the person picked no rule.
    written: Option<Written>,
}

/// What rules are looked for.
struct Subject {
    root: Utf8PathBuf,
    tool: String,
    waiting: Option<WaitingCall>,
}

/// What was found for it.
struct Found {
    rules: ToolRules,
    report: Report,
}

impl Subject {
    /// A tool of a workspace, or the call of a prompt, which the queue knows before anything else does.
    async fn of(
        context: &Arc<Context<ConfigEngine>>,
        tool: Option<&str>,
        workspace: Option<&Url>,
        prompt: Option<&PromptName>,
    ) -> Result<Self, RequestError> {
        if let Some(prompt) = prompt {
            let waiting = waiting(context, prompt).await?;
            return Ok(Self {
                root: waiting.root.clone(),
                tool: waiting.tool.clone(),
                waiting: Some(waiting),
            });
        }
        let tool = tool.ok_or_else(|| {
            RequestError::InvalidParams("name a `tool`, or a `prompt` that waits".to_owned())
        })?;
        let (context, workspace) = (Arc::clone(context), workspace.cloned());
        Ok(Self {
            root: blocking(move || root_of(&context, workspace.as_ref())).await?,
            tool: tool.to_owned(),
            waiting: None,
        })
    }

    /// Proves rules by the config as it is in the editor. Reads the record.
    fn find(&self, context: &Context<ConfigEngine>) -> Result<Found, RequestError> {
        let failed = |error: &dyn std::fmt::Display| RequestError::Failed(error.to_string());
        let reading = context.reading()?;
        let workspace = with_root(&reading, &self.root)?;
        let rules = ToolRules::of(workspace.graph(), &self.tool).map_err(|error| failed(&error))?;
        if let Some(waiting) = &self.waiting
            && waiting.rules != rules.as_they_are()
        {
            return Err(RequestError::Failed(format!(
                "the call waits by other rules of `{}` than the config in the editor has: save the config, or take back what the conversation changed",
                visible(&self.tool)
            )));
        }
        let sources = history_sources(&self.root).map_err(|error| failed(&error))?;
        let history = History::read(&sources, Limits::default());
        context.check()?;
        let arguments = self
            .waiting
            .as_ref()
            .map(|waiting| Value::Object(waiting.arguments.clone()));
        let paths = DiskPaths::new(&*self.root);
        let report = with_place(context, workspace, |place| {
            rules.report(place, &paths, arguments.as_ref(), &history)
        });
        Ok(Found { rules, report })
    }
}

/// Lets a person pick a rule, and writes it.
pub(crate) async fn suggest(
    context: Context<ConfigEngine>,
    params: SuggestParams,
) -> Result<Suggested, RequestError> {
    if !context.snapshot().client().applies_edits() {
        return Err(no_edits());
    }
    let context = Arc::new(context);
    let (tool, workspace) = (params.tool.as_deref(), params.workspace.as_ref());
    let subject = Subject::of(&context, tool, workspace, params.prompt.as_ref()).await?;
    let subject = Arc::new(subject);
    let found = {
        let (context, subject) = (Arc::clone(&context), Arc::clone(&subject));
        blocking(move || subject.find(&context)).await?
    };
    let offers: Vec<&Offer> = found
        .report
        .offers
        .iter()
        .filter(|offer| offer.layer.is_some())
        .collect();
    let text = document::of_report(&found.report, subject.waiting.is_some());
    present(&context, &subject, text).await?;
    if offers.is_empty() {
        context
            .outbox()
            .show(MessageType::INFO, nothing(&found.report));
        return Ok(Suggested {
            offered: 0,
            written: None,
        });
    }
    let mut suggested = Suggested {
        offered: offers.len(),
        written: None,
    };
    let question = document::question(&found.report, subject.waiting.is_some());
    let titles = (1..)
        .zip(&offers)
        .map(|(number, offer)| format!("{number}: {}", in_short(&offer.suggestion.rule)));
    let Some(picked) = pick(context.outbox(), question, titles.collect()).await else {
        return Ok(suggested);
    };
    let Some(suggestion) = offers.get(picked).map(|offer| offer.suggestion.clone()) else {
        return Ok(suggested);
    };
    let rule = suggestion.rule.clone();
    let layers = {
        let (context, root) = (Arc::clone(&context), subject.root.clone());
        blocking(move || layers(&context, &root, &found.rules, &suggestion)).await?
    };
    present(&context, &subject, document::of_layers(&rule, &layers)).await?;
    let titles = layers
        .iter()
        .map(|layer| format!("Write into {}", visible(layer.shown.as_str())));
    let question = format!("Write {} into the config?", visible(&in_toml(&rule)));
    let Some(layer) = pick(context.outbox(), question, titles.collect())
        .await
        .and_then(|picked| layers.get(picked))
    else {
        return Ok(suggested);
    };
    let wanted = WriteParams::new(
        &subject.tool,
        &subject.root,
        rule.to_config(),
        &layer.file,
        params.prompt,
    );
    suggested.written = Some(ask_to_write(&context, &wanted).await?);
    Ok(suggested)
}

/// Has the rule written by the state of this moment, which may have changed while a person read.
async fn ask_to_write(
    context: &Context<ConfigEngine>,
    wanted: &WriteParams,
) -> Result<Written, RequestError> {
    let (reply, answered) = tokio::sync::oneshot::channel();
    context.events().send(Event::Ask {
        method: "workspace/executeCommand".to_owned(),
        params: json!({ "command": WRITE, "arguments": [wanted] }),
        cancelled: context.work.cancelled.clone(),
        reply,
    });
    let written = answered
        .await
        .map_err(|_| RequestError::Internal("the server has ended".to_owned()))??;
    serde_json::from_value(written).map_err(|error| RequestError::Internal(error.to_string()))
}

/// The action on a tool for which rules are proven.
pub(crate) fn code_action(
    context: &Context<ConfigEngine>,
    spot: &Spot<'_>,
    uri: &Url,
    range: Range,
) -> Result<Option<CodeActionOrCommand>, RequestError> {
    let record = context.record().of(spot.workspace.root());
    let Some(record) = record.filter(|_| context.snapshot().client().applies_edits()) else {
        return Ok(None);
    };
    let Some(tool) = tool_at(spot, spot.offset(context, range.start)?) else {
        return Ok(None);
    };
    let Some(proposal) = record
        .proposal(&tool)
        .filter(|proposal| proposal.approvals > 0 && proposal.rules > 0)
    else {
        return Ok(None);
    };
    // What is proven holds for the rules that it was proven with.
    let is_present = run_rules(spot.workspace.graph(), &tool)
        .is_ok_and(|rules| rules.policy.is_same(&proposal.policy));
    if !is_present {
        return Ok(None);
    }
    let title = match proposal.approvals {
        1 => "Suggest rules from 1 approval".to_owned(),
        approvals => format!("Suggest rules from {approvals} approvals"),
    };
    let argument = json!({ "tool": tool, "workspace": uri });
    Ok(Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::REFACTOR_REWRITE),
        command: Some(Command::new(
            title,
            SUGGEST.to_owned(),
            Some(vec![argument]),
        )),
        ..CodeAction::default()
    })))
}

/// The tool that a place of a file is about; of a header anywhere on its line.
fn tool_at(spot: &Spot<'_>, offset: usize) -> Option<String> {
    let text = spot.document.text();
    let start = text.get(..offset)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(start..)?.lines().next().unwrap_or_default();
    let header = line.trim_end().strip_suffix(']');
    let last_key = header.map(|header| start + header.len().saturating_sub(1));
    let mut offsets = std::iter::once(offset).chain(last_key);
    offsets.find_map(|offset| match spot.document.at(offset).path.as_slice() {
        [
            PathSegment::Key("conversation"),
            PathSegment::Key("tools"),
            PathSegment::Key(tool),
            ..,
        ] => Some((*tool).to_owned()),
        _ => None,
    })
}

/// The call of a prompt that a rule can answer.
async fn waiting(
    context: &Context<ConfigEngine>,
    name: &PromptName,
) -> Result<WaitingCall, RequestError> {
    let failed = |error: AnswerError| RequestError::Failed(error.to_string());
    let id = || name.id.clone();
    let prompt = context.engine().agent.pending(id()).await;
    let prompt = prompt.ok_or_else(|| failed(AnswerError::NotPending { id: id() }))?;
    if prompt.digest != name.digest {
        return Err(failed(AnswerError::WrongDigest { id: id() }));
    }
    let waiting = prompt.waiting.as_deref().cloned();
    waiting.ok_or_else(|| {
        RequestError::Failed("no rule can answer this prompt: decide it on its own".to_owned())
    })
}

/// The root of the workspace that is meant.
fn root_of(
    context: &Context<ConfigEngine>,
    workspace: Option<&Url>,
) -> Result<Utf8PathBuf, RequestError> {
    let reading = context.reading()?;
    let workspace = reading
        .meant(workspace)
        .ok_or_else(RequestError::no_workspace)?;
    Ok(workspace.root().to_owned())
}

fn layers(
    context: &Context<ConfigEngine>,
    root: &Utf8Path,
    rules: &ToolRules,
    suggestion: &jp_history::Suggestion,
) -> Result<Vec<Layer>, RequestError> {
    let reading = context.reading()?;
    let workspace = with_root(&reading, root)?;
    Ok(with_place(context, workspace, |place| {
        rules.layers(place, suggestion)
    }))
}

/// Why there is nothing to pick from, in a message.
fn nothing(report: &Report) -> String {
    let Suggestions { withheld, .. } = &report.suggestions;
    let tool = visible(&report.tool);
    match withheld.first() {
        None if report.offers.is_empty() => format!("There is no rule to suggest for `{tool}`."),
        None => format!("No edit of one file brings in a rule for `{tool}`: write one by hand."),
        Some(first) => format!(
            "There is no rule to suggest for `{tool}`: {} is withheld, because {}.",
            visible(&in_short(&first.rule)),
            visible(&in_words(&first.reason))
        ),
    }
}

/// Shows what the person is to know before they choose, where the client can.
async fn present(
    context: &Context<ConfigEngine>,
    subject: &Subject,
    text: String,
) -> Result<(), RequestError> {
    let (root, tool) = (subject.root.clone(), subject.tool.clone());
    let uri = blocking(move || shown::written(&root, "rules", &tool, &text)).await?;
    show_document(context.snapshot().client(), context.outbox(), &uri, false).await;
    Ok(())
}

/// Which of the titles a person picks; none where they pick nothing.
async fn pick(outbox: &Outbox, message: String, titles: Vec<String>) -> Option<usize> {
    let buttons = titles.iter().cloned().chain([CANCEL.to_owned()]);
    let params = ShowMessageRequestParams {
        typ: MessageType::INFO,
        message,
        actions: Some(
            buttons
                .map(|title| MessageActionItem {
                    title,
                    properties: std::collections::HashMap::new(),
                })
                .collect(),
        ),
    };
    let picked = outbox
        .request::<ShowMessageRequest>(params)
        .await
        .ok()?
        .ok()??;
    titles.iter().position(|title| *title == picked.title)
}

/// The workspace with this root, which must be open.
fn with_root<'a>(
    reading: &'a crate::session::reading::ConfigReading,
    root: &Utf8Path,
) -> Result<&'a WorkspaceReading, RequestError> {
    let mut workspaces = reading.workspaces();
    workspaces
        .find(|workspace| workspace.root() == root)
        .ok_or_else(RequestError::no_workspace)
}

/// Runs with the files of a workspace as they are in the editor.
fn with_place<T>(
    context: &Context<ConfigEngine>,
    workspace: &WorkspaceReading,
    run: impl FnOnce(ConfigPlace<'_>) -> T,
) -> T {
    let files = || workspace.files(context.snapshot());
    run(ConfigPlace {
        roots: workspace.roots(),
        files: &files,
    })
}

fn no_edits() -> RequestError {
    RequestError::Failed(
        "the client makes no edits for a server (`workspace/applyEdit`): run `jp-lsp suggest` and write the rule by hand".to_owned(),
    )
}

/// The URI of a file on disk.
fn uri_of(file: &Utf8Path) -> Option<Url> {
    FileKey::of_path(file).uri()
}
