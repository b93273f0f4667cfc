//! A prompt as a request for permission, whose options are the prompt's choices.
//!
//! ```json
//! {"method": "session/request_permission", "params": {"sessionId": "jp-c17958000000",
//!  "toolCall": {"toolCallId": "call_1", "title": "Run local leave_note tool?", "content": []},
//!  "options": [{"optionId": "reject", "name": "Reject", "kind": "reject_once"},
//!              {"optionId": "approve", "name": "Run", "kind": "allow_once"}]}}
//! ```

use std::collections::BTreeSet;

use agent_client_protocol::v1::schema::{
    Diff, Meta, PermissionOption, PermissionOptionKind, RequestPermissionRequest, ToolCallContent,
    ToolCallUpdate, ToolCallUpdateFields,
};
use jp_agent::{ChangedFile, ChoiceEffect, Prompt, PromptActionId, PromptAnswer, PromptChoice};
use serde_json::{Value, json};

use super::calls;

/// One option, and what happens when it is picked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Offer {
    pub(super) option: PermissionOption,
    pub(super) effect: ChoiceEffect,
}

/// The choices of a prompt that a client can offer, in their order.
///
/// What needs something written is offered with `forms` only. The details are in the request already.
pub(super) fn offers(prompt: &Prompt, forms: bool) -> Vec<Offer> {
    let mut ids = BTreeSet::new();
    let choices = prompt.choices().into_iter();
    choices
        .filter(|choice| match choice.effect {
            ChoiceEffect::Answer(_) => true,
            ChoiceEffect::Reason | ChoiceEffect::Edit => forms,
            ChoiceEffect::Details => false,
        })
        .map(|choice| {
            let (name, kind) = meaning(&choice);
            let mut id = name.clone();
            let mut number = 1_u32;
            while !ids.insert(id.clone()) {
                number += 1;
                id = format!("{name}-{number}");
            }
            Offer {
                option: PermissionOption::new(id, choice.title, kind),
                effect: choice.effect,
            }
        })
        .collect()
}

/// What a choice is called between programs, and what it does as far as clients tell apart.
fn meaning(choice: &PromptChoice) -> (String, PermissionOptionKind) {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let answer = match &choice.effect {
        ChoiceEffect::Answer(answer) => answer,
        ChoiceEffect::Reason => return ("reject-reason".to_owned(), RejectOnce),
        ChoiceEffect::Edit | ChoiceEffect::Details => return ("edit".to_owned(), AllowOnce),
    };
    let is_no = match answer.action {
        PromptActionId::Reject | PromptActionId::Cancel => true,
        _ => answer.value == Some(Value::Bool(false)),
    };
    let name = match (answer.action, &answer.value) {
        (PromptActionId::Answer, Some(Value::Bool(true))) => "yes",
        (PromptActionId::Answer, Some(Value::Bool(false))) => "no",
        (action, _) => action.as_str(),
    };
    match (is_no, answer.remember.is_some()) {
        (false, false) => (name.to_owned(), AllowOnce),
        (true, false) => (name.to_owned(), RejectOnce),
        (false, true) => (format!("{name}-turn"), AllowAlways),
        (true, true) => (format!("{name}-turn"), RejectAlways),
    }
}

/// The request, which shows everything that is approved.
pub(super) fn request(
    session: &str,
    call: &str,
    prompt: &Prompt,
    offers: &[Offer],
) -> RequestPermissionRequest {
    let arguments = prompt.preview.as_ref().and_then(|it| it.arguments.clone());
    let fields = ToolCallUpdateFields::new()
        .title(prompt.title.clone())
        .content(content(prompt))
        .raw_input(arguments.map(Value::Object));
    let options = offers.iter().map(|offer| offer.option.clone()).collect();
    RequestPermissionRequest::new(
        session.to_owned(),
        ToolCallUpdate::new(call.to_owned(), fields),
        options,
    )
    .meta(meta(prompt))
}

/// What ties a request to a prompt that other windows show as well.
pub(super) fn meta(prompt: &Prompt) -> Meta {
    let about = json!({ "id": prompt.id, "digest": prompt.digest, "kind": prompt.kind });
    Meta::from_iter([("jp".to_owned(), about)])
}

fn content(prompt: &Prompt) -> Vec<ToolCallContent> {
    let details = ToolCallContent::from(prompt.details());
    let diff = delta(prompt).or_else(|| changed_file(prompt));
    let diff = diff.map(ToolCallContent::from);
    diff.into_iter().chain([details]).collect()
}

/// A change of config, as a change of a file of the conversation that is nowhere on disk.
fn delta(prompt: &Prompt) -> Option<Diff> {
    let delta = prompt.delta.as_ref()?;
    let change = ChangedFile {
        path: format!(".jp/{}.toml", prompt.conversation),
        before: delta.before.clone(),
        after: delta.after.clone(),
    };
    Some(calls::diff(&prompt.root, change))
}

fn changed_file(prompt: &Prompt) -> Option<Diff> {
    let preview = prompt.preview.as_ref()?;
    let change = ChangedFile {
        path: preview.path.clone()?,
        before: preview.before.clone()?,
        after: preview.after.clone()?,
    };
    Some(calls::diff(&prompt.root, change))
}

/// The answer with a reason, or with an edited text.
pub(super) fn written(effect: &ChoiceEffect, text: String) -> PromptAnswer {
    match effect {
        ChoiceEffect::Reason => PromptAnswer {
            reason: Some(text),
            ..PromptAnswer::new(PromptActionId::Reject)
        },
        _ => PromptAnswer {
            value: Some(Value::String(text)),
            ..PromptAnswer::new(PromptActionId::Edit)
        },
    }
}

#[cfg(test)]
#[path = "permission_tests.rs"]
pub(in crate::acp) mod tests;
