use std::sync::Mutex;

use expect_test::expect;
use futures::future::BoxFuture;
use jp_conversation::{ConversationEvent, ConversationId, Timestamp};
use jp_tool::{ConfigRule, DeltaRejection, DeltaRejectionReason};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{AgentError, DeltaPrompt, SourceRange, TurnOutcome};

/// Says the same to every prompt, and remembers what it was asked.
#[derive(Debug)]
struct Person {
    answer: PromptOutcome,
    asked: Mutex<Vec<DeltaPrompt>>,
}

impl Person {
    fn who(answer: PromptOutcome) -> Self {
        Self {
            answer,
            asked: Mutex::default(),
        }
    }

    fn approves() -> Self {
        Self::who(PromptOutcome::Approved { remember: false })
    }
}

impl Prompts for Person {
    fn ask(&self, request: PromptRequest, _: CancellationToken) -> BoxFuture<'_, PromptOutcome> {
        let PromptSubject::Delta(prompt) = request.subject else {
            panic!("only config changes are asked about here");
        };
        self.asked.lock().unwrap().push(prompt);
        let answer = self.answer.clone();
        Box::pin(async move { answer })
    }

    fn is_available(&self) -> bool {
        !matches!(self.answer, PromptOutcome::Unavailable { .. })
    }
}

#[derive(Debug, Default)]
struct Notices(Mutex<Vec<String>>);

impl EventSink for Notices {
    fn committed(&self, _: ConversationId, _: &ConversationEvent) {}
    fn delta_text(&self, _: ConversationId, _: &str) {}
    fn notice(&self, _: ConversationId, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
    fn turn_end(&self, _: ConversationId, _: &TurnOutcome) {}
}

/// No files, but a memory for the keys that were allowed.
#[derive(Debug, Default)]
struct NoFiles(Mutex<Vec<String>>);

impl ConfigSource for NoFiles {
    fn allow_key(&self, key: &jp_llm::KeyUse) -> Result<(), AgentError> {
        let allowed = format!("{} {}", key.variable, key.origin);
        self.0.lock().unwrap().push(allowed);
        Ok(())
    }
    fn effective(&self) -> Result<Value, AgentError> {
        Ok(base())
    }
    fn place(&self, _: &[&str], _: Option<usize>) -> Option<SourceRange> {
        None
    }
}

fn base() -> Value {
    json!({
        "assistant": { "model": { "id": "anthropic/opus", "parameters": { "temperature": 0.5 } } },
        "conversation": { "attachments": ["file://stale.md"] },
        "providers": { "llm": { "aliases": { "sonnet": "anthropic/sonnet" } } },
    })
}

fn rules(apply: &str) -> Grants {
    let rules: Vec<ConfigRule> = serde_json::from_value(json!([
        { "path": "assistant.model", "read": true, "write": true, "delete": true, "apply": apply },
        { "path": "providers.llm.openai", "write": true, "apply": apply },
        { "path": "conversation.attachments", "write": true, "apply": "unattended" },
    ]))
    .unwrap();
    Grants::compile(&rules).unwrap()
}

fn success(content: &str, config: Value, unset: &[&str]) -> ToolSuccess {
    ToolSuccess {
        content: content.to_owned(),
        config: Some(config).filter(|config| !config.is_null()),
        unset: unset.iter().map(|&path| path.to_owned()).collect(),
    }
}

/// What came of it, what the tool was told, what the person was told and asked.
struct Report {
    outcome: DeltaOutcome,
    rejections: Vec<DeltaRejection>,
    notices: Vec<String>,
    prompts: Vec<DeltaPrompt>,
    allowed: Vec<String>,
}

/// Runs a tool that answers with `runs`, one after the other, and with the last one from then on.
async fn process(grants: &Grants, person: Person, runs: &[ToolSuccess]) -> Report {
    let base = CycleConfig::new(&base());
    let notices = Notices::default();
    let files = NoFiles::default();
    let review = DeltaReview {
        conversation: ConversationId::at(Timestamp::now()),
        root: "/work".into(),
        tool: PromptTool {
            name: "change_model".to_owned(),
            call_id: "call_1".to_owned(),
            source: "local".to_owned(),
        },
        grants,
        base: &base,
        calls: &[],
        prompts: &person,
        sink: &notices,
        source: &files,
    };
    let (first, rest) = runs.split_first().expect("at least one run");
    let mut rest = rest.iter().cloned();
    let mut last = first.clone();
    let mut rejections = Vec::new();
    let outcome = loop {
        let told = u8::try_from(rejections.len()).unwrap();
        let cancel = CancellationToken::new();
        match review.judge(last.clone(), told, &cancel).await {
            DeltaOutcome::RunAgain(rejection) => rejections.push(rejection),
            settled => break settled,
        }
        last = rest.next().unwrap_or(last);
    };
    Report {
        outcome,
        rejections,
        notices: notices.0.into_inner().unwrap(),
        prompts: person.asked.into_inner().unwrap(),
        allowed: files.0.into_inner().unwrap(),
    }
}

fn accepted(outcome: &DeltaOutcome) -> (&str, Vec<String>) {
    match outcome {
        DeltaOutcome::Delivered { content, change } => {
            let changes = change.iter().flat_map(LeafSet::changes);
            (content, changes.map(LeafChange::name).collect())
        }
        other => panic!("not delivered: {other:?}"),
    }
}

#[tokio::test]
async fn an_approved_prompt_that_names_a_key_and_an_address_allows_it() {
    let config = json!({ "providers": { "llm": { "openai": { "base_url": "http://127.0.0.1:9", "api_key_env": "X" } } } });
    let change = [success("done", config, &[])];
    let report = process(&rules("ask"), Person::approves(), &change).await;
    assert!(
        report.prompts[0]
            .loosens
            .contains(&"the key in `X` would be sent to http://127.0.0.1:9".to_owned())
    );
    assert_eq!(report.allowed, ["X http://127.0.0.1:9"]);

    let rejecting = Person::who(PromptOutcome::Rejected {
        reason: None,
        remember: false,
    });
    let report = process(&rules("ask"), rejecting, &change).await;
    assert_eq!(report.allowed, [""; 0]);
    // Nobody saw this one.
    let report = process(&rules("unattended"), Person::approves(), &change).await;
    assert_eq!(accepted(&report.outcome).1.len(), 2);
    assert_eq!(report.allowed, [""; 0]);
}

#[tokio::test]
async fn an_outcome_without_changes_passes() {
    let report = process(
        &rules("ask"),
        Person::approves(),
        &[success("done", Value::Null, &[])],
    )
    .await;
    assert_eq!(accepted(&report.outcome), ("done", vec![]));
    assert_eq!(report.prompts, []);
}

#[tokio::test]
async fn one_prompt_lists_every_change() {
    let proposal = success(
        "model changed",
        json!({"assistant": {"model": {"id": "sonnet"}}, "conversation": {"attachments": ["file://new.md"]}}),
        &["assistant.model.parameters.temperature"],
    );
    let report = process(&rules("ask"), Person::approves(), &[proposal]).await;
    assert_eq!(
        accepted(&report.outcome),
        (
            "model changed",
            vec![
                "assistant.model.parameters.temperature".to_owned(),
                "assistant.model.id.provider".to_owned(),
                "assistant.model.id.name".to_owned(),
                "conversation.attachments".to_owned(),
            ]
        )
    );
    let [prompt] = report.prompts.as_slice() else {
        panic!("one prompt");
    };
    expect![[r#"
        {
          "changes": [
            {
              "path": "assistant.model.parameters.temperature",
              "op": "unset",
              "old": 0.5
            },
            {
              "path": "assistant.model.id.provider",
              "op": "set",
              "old": "anthropic",
              "new": "anthropic"
            },
            {
              "path": "assistant.model.id.name",
              "op": "set",
              "old": "opus",
              "new": "sonnet"
            },
            {
              "path": "conversation.attachments",
              "op": "set",
              "old": [
                "file://stale.md"
              ],
              "new": [
                "file://stale.md",
                "file://new.md"
              ]
            }
          ],
          "before": "[assistant.model.parameters]\ntemperature = 0.5\n\n[assistant.model.id]\nprovider = \"anthropic\"\nname = \"opus\"\n\n[conversation]\nattachments = [\"file://stale.md\"]\n",
          "after": "[assistant.model.id]\nprovider = \"anthropic\"\nname = \"sonnet\"\n\n[conversation]\nattachments = [\"file://stale.md\", \"file://new.md\"]\n",
          "loosens": []
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(prompt).unwrap());
}

#[tokio::test]
async fn unattended_rules_ask_nobody() {
    let proposal = success(
        "done",
        json!({"assistant": {"model": {"id": "sonnet"}}}),
        &[],
    );
    let nobody = Person::who(PromptOutcome::Unavailable {
        reason: "no surface".to_owned(),
    });
    let report = process(&rules("unattended"), nobody, &[proposal]).await;
    assert_eq!(accepted(&report.outcome).0, "done");
    assert_eq!(report.prompts, []);
}

#[tokio::test]
async fn with_nobody_to_ask_nothing_is_approved() {
    let proposal = success(
        "done",
        json!({"assistant": {"model": {"id": "sonnet"}}}),
        &[],
    );
    let nobody = Person::who(PromptOutcome::Unavailable {
        reason: "no surface".to_owned(),
    });
    let report = process(
        &rules("ask"),
        nobody,
        &[proposal, success("as before", Value::Null, &[])],
    )
    .await;
    assert_eq!(accepted(&report.outcome), ("as before", vec![]));
    let [rejection] = report.rejections.as_slice() else {
        panic!("one rejection");
    };
    assert_eq!(
        rejection.reason,
        DeltaRejectionReason::ConfirmationUnavailable
    );
    assert_eq!(
        rejection.fields,
        ["assistant.model.id.provider", "assistant.model.id.name"]
    );
}

#[tokio::test]
async fn an_invalid_change_is_explained_and_tried_again() {
    let bogus = success(
        "model changed to bogus",
        json!({"assistant": {"model": {"id": {"provider": "bogus"}}}}),
        &[],
    );
    let corrected = success(
        "model changed",
        json!({"assistant": {"model": {"id": "sonnet"}}}),
        &[],
    );
    let report = process(&rules("ask"), Person::approves(), &[bogus, corrected]).await;
    assert_eq!(accepted(&report.outcome).0, "model changed");
    expect![[r#"
        [
          {
            "reason": "invalid_config",
            "fields": [
              "assistant.model.id.provider"
            ],
            "detail": "unknown variant 'bogus': expected one of anthropic, cerebras, deepseek, google, llamacpp, ollama, openai, openrouter, xai"
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&report.rejections).unwrap());
    expect![[r#"
        ⚠ Tool 'change_model' proposed an invalid config change:
          assistant.model.id.provider = "bogus" (not a valid provider)
          Change not applied, tool re-invoked."#]]
    .assert_eq(&report.notices.join("\n---\n"));
}

#[tokio::test]
async fn the_fourth_failure_ends_the_call() {
    let bogus = success(
        "model changed to bogus",
        json!({"assistant": {"model": {"id": {"provider": "bogus"}}}}),
        &[],
    );
    let report = process(&rules("ask"), Person::approves(), &[bogus]).await;
    assert_eq!(report.rejections.len(), 3);
    assert_eq!(
        report.outcome,
        DeltaOutcome::Failed(
            "Tool 'change_model' failed to produce a valid config delta after 3 attempts.\n\
             Last error: unknown variant 'bogus' at assistant.model.id.provider."
                .to_owned()
        )
    );
    assert_eq!(report.notices.len(), 4);
    assert_eq!(
        report.notices.last().unwrap(),
        "⚠ Tool 'change_model' exceeded delta retry limit. Aborting tool call."
    );
    assert_eq!(report.prompts, []);
}

#[tokio::test]
async fn the_third_rejection_still_leaves_a_chance() {
    let bogus = success("no", json!({"assistant": {"nam": 1}}), &[]);
    let runs = [
        bogus.clone(),
        bogus.clone(),
        bogus,
        success("as before", Value::Null, &[]),
    ];
    let report = process(&rules("ask"), Person::approves(), &runs).await;
    assert_eq!(accepted(&report.outcome), ("as before", vec![]));
}

#[tokio::test]
async fn a_person_who_declines_is_told_so_and_the_tool_adapts() {
    let person = Person::who(PromptOutcome::Rejected {
        reason: Some("not that one".to_owned()),
        remember: false,
    });
    let proposal = success(
        "model changed",
        json!({"assistant": {"model": {"id": "sonnet"}}}),
        &[],
    );
    let report = process(
        &rules("ask"),
        person,
        &[proposal, success("kept opus", Value::Null, &[])],
    )
    .await;
    assert_eq!(accepted(&report.outcome), ("kept opus", vec![]));
    assert_eq!(report.notices, ["Config delta rejected. Tool re-invoked."]);
    let [rejection] = report.rejections.as_slice() else {
        panic!("one rejection");
    };
    assert_eq!(rejection.reason, DeltaRejectionReason::UserRejected);
    assert_eq!(rejection.detail, "not that one");
}

#[tokio::test]
async fn one_leaf_outside_the_grants_refuses_all() {
    let proposal = success(
        "both",
        json!({"assistant": {"name": "x", "model": {"id": "sonnet"}}}),
        &["conversation.attachments[\"file://stale.md\"]"],
    );
    let report = process(
        &rules("unattended"),
        Person::approves(),
        &[proposal, success("none", Value::Null, &[])],
    )
    .await;
    assert_eq!(accepted(&report.outcome), ("none", vec![]));
    expect![[r#"
        [
          {
            "reason": "unauthorized_paths",
            "fields": [
              "conversation.attachments[\"file://stale.md\"]",
              "assistant.name"
            ],
            "detail": "`delete` is not granted on `conversation.attachments[\"file://stale.md\"]`: the rule does not grant it; `write` is not granted on `assistant.name`: no rule matches, and declared rules deny everything else"
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&report.rejections).unwrap());
}

#[tokio::test]
async fn anything_but_an_approval_is_none() {
    let proposal = success(
        "done",
        json!({"assistant": {"model": {"id": "sonnet"}}}),
        &[],
    );
    for answer in [
        PromptOutcome::Cancelled,
        PromptOutcome::Edited { value: json!({}) },
        PromptOutcome::Answered {
            value: json!(true),
            remember: false,
        },
    ] {
        let runs = [proposal.clone(), success("none", Value::Null, &[])];
        let report = process(&rules("ask"), Person::who(answer), &runs).await;
        assert_eq!(accepted(&report.outcome), ("none", vec![]));
        assert_eq!(
            report.rejections.first().unwrap().reason,
            DeltaRejectionReason::UserRejected
        );
    }
}

#[tokio::test]
async fn a_withdrawn_prompt_cancels_the_call() {
    let proposal = success(
        "done",
        json!({"assistant": {"model": {"id": "sonnet"}}}),
        &[],
    );
    let report = process(
        &rules("ask"),
        Person::who(PromptOutcome::Withdrawn),
        &[proposal],
    )
    .await;
    assert_eq!(report.outcome, DeltaOutcome::Cancelled);
    assert_eq!(report.rejections, []);
}

#[test]
fn only_local_tools_change_config() {
    let proposal = success("text", json!({"assistant": {}}), &["user.name"]);
    let kept = without_changes(proposal, "t", "builtin");
    assert_eq!(kept, ToolSuccess::content("text"));
}
