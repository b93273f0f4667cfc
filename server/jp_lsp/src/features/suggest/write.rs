//! One of the suggested rules in the config: read and proven again, written by the editor, and in effect at once.
//!
//! ```json
//! { "command": "jp.rules.write", "arguments": [{ "tool": "read", "rule": { "arg": "/path", "prefix": "docs", "mode": "unattended" }, "file": "file:///w/.jp/config.toml" }] }
//! ```

use std::sync::Arc;

use camino::Utf8Path;
use jp_agent::WaitingCall;
use jp_conversation::visible;
use jp_history::in_toml;
use jp_policy::Policy;
use lsp_types::{ApplyWorkspaceEditParams, MessageType, request::ApplyWorkspaceEdit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::{Found, PromptName, Subject, blocking, no_edits, uri_of, with_place, with_root};
use crate::{
    agent::rules::{WrittenRule, answerer},
    disk::paths::DiskPaths,
    features::workspace_edit::{uri, workspace_edit},
    runtime::suggestions::{ToolRules, in_words, let_run},
    session::{
        config_engine::ConfigEngine, documents::FileKey, error::RequestError, event::Event,
        request::Context,
    },
};

/// Which rule is to be written, and where.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WriteParams {
    /// The tool.
    tool: String,
    /// The rule, as the config holds it.
    rule: Value,
    /// The file; the one that holds the tool's rules by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<Url>,
    /// A file or folder of the workspace that is meant; the first by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workspace: Option<Url>,
    /// The prompt that the rule is to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<PromptName>,
}

impl WriteParams {
    pub(super) fn new(
        tool: &str,
        root: &Utf8Path,
        rule: Value,
        file: &Utf8Path,
        prompt: Option<PromptName>,
    ) -> Self {
        Self {
            tool: tool.to_owned(),
            rule,
            file: uri_of(file),
            workspace: uri_of(root),
            prompt,
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Written {
    /// The file.
    file: Url,
    /// Whether the editor made the edit.
    applied: bool,
    /// The rule as TOML.
    rule: String,
    /// How many calls waited for a person that it let run.
    answered: usize,
}

/// What is to be done, worked out by the state of this moment.
struct Plan {
    file: Url,
    edit: ApplyWorkspaceEditParams,
    toml: String,
    rule: WrittenRule,
    policy: Policy<jp_policy::RunMode>,
}

/// Has the editor write a rule that is proven.
pub(crate) async fn write(
    context: Context<ConfigEngine>,
    params: WriteParams,
) -> Result<Written, RequestError> {
    if !context.snapshot().client().applies_edits() {
        return Err(no_edits());
    }
    let context = Arc::new(context);
    let workspace = params.workspace.as_ref();
    let tool = Some(params.tool.as_str());
    let subject = Subject::of(&context, tool, workspace, params.prompt.as_ref()).await?;
    let planned = Arc::clone(&context);
    let plan = blocking(move || plan(&planned, subject, &params)).await?;
    let Plan {
        file,
        edit,
        toml,
        rule,
        policy,
    } = plan;
    let answer = context.outbox().request::<ApplyWorkspaceEdit>(edit).await;
    let answer = answer.map_err(|_| RequestError::Failed("the client is gone".to_owned()))?;
    let answer = answer.map_err(|error| {
        RequestError::Failed(format!("the client refused the edit: {}", error.message))
    })?;
    let mut written = Written {
        file,
        applied: answer.applied,
        rule: toml,
        answered: 0,
    };
    if !answer.applied {
        let reason = answer.failure_reason.unwrap_or_default();
        let message = format!("the rule was not written: {}", visible(&reason));
        context.outbox().log(MessageType::WARNING, message);
        return Ok(written);
    }
    context.events().send(Event::RuleWritten(rule.clone()));
    let root = rule.root.clone();
    let paths = DiskPaths::new(&*root);
    let allows = move |call: &WaitingCall| {
        let is_meant =
            call.root == rule.root && call.tool == rule.tool && call.rules == rule.before;
        is_meant && let_run(&policy, &paths, &call.arguments)
    };
    let agent = &context.engine().agent;
    written.answered = agent.settle(root, Box::new(allows), answerer()).await;
    Ok(written)
}

fn plan(
    context: &Context<ConfigEngine>,
    subject: Subject,
    params: &WriteParams,
) -> Result<Plan, RequestError> {
    let Found { rules, report } = subject.find(context)?;
    let mut offers = report.offers.into_iter().map(|offer| offer.suggestion);
    let Some(suggestion) = offers.find(|offered| offered.rule.to_config() == params.rule) else {
        let mut withheld = report.suggestions.withheld.iter();
        let withheld = withheld.find(|withheld| withheld.rule.to_config() == params.rule);
        let reason = withheld.map_or_else(
            || "it is not among those that are suggested now".to_owned(),
            |withheld| in_words(&withheld.reason),
        );
        return Err(RequestError::Failed(format!(
            "the rule is not written: {}; suggest rules again",
            visible(&reason)
        )));
    };
    let reading = context.reading()?;
    let workspace = with_root(&reading, &subject.root)?;
    let layers = with_place(context, workspace, |place| rules.layers(place, &suggestion));
    let wanted = params.file.as_ref().map(FileKey::of);
    let path = wanted.as_ref().and_then(FileKey::path);
    let layer = layers
        .iter()
        .find(|layer| wanted.is_none() || Some(layer.file.as_path()) == path);
    let Some(layer) = layer else {
        let files: Vec<String> = layers
            .iter()
            .map(|layer| format!("`{}`", layer.shown))
            .collect();
        return Err(RequestError::InvalidParams(match files.as_slice() {
            [] => "no edit of one file brings the rule in: write it by hand".to_owned(),
            files => format!(
                "the rule cannot stand in this file: name one of {}",
                files.join(", ")
            ),
        }));
    };
    let file = uri(context, &layer.file)
        .ok_or_else(|| RequestError::Failed(format!("`{}` has no address", layer.file)))?;
    let planned = rules.planned(&suggestion);
    let toml = in_toml(&suggestion.rule);
    Ok(Plan {
        file,
        edit: ApplyWorkspaceEditParams {
            label: Some(format!("Always run calls of {}", visible(&subject.tool))),
            edit: workspace_edit(context, workspace, &layer.edits),
        },
        toml,
        policy: rules.compiled(&planned),
        rule: WrittenRule {
            before: rules.as_they_are(),
            root: subject.root,
            tool: subject.tool,
            planned,
        },
    })
}

/// Whether a rule that was written lets a call run: the text in the editor must say what was planned, and nothing else.
pub(crate) fn lets_run(context: &Context<ConfigEngine>, call: &WaitingCall) -> bool {
    let Ok(reading) = context.reading() else {
        return false;
    };
    let rules = with_root(&reading, &call.root)
        .ok()
        .and_then(|workspace| ToolRules::of(workspace.graph(), &call.tool).ok());
    let Some(rules) = rules else {
        return false;
    };
    let present = rules.as_they_are();
    let mut written = context.snapshot().rules().for_call(call);
    written.any(|written| written.planned == present)
        && let_run(
            &rules.policy().policy,
            &DiskPaths::new(&*call.root),
            &call.arguments,
        )
}
