//! Holds `docs/PROTOCOL.md` to the types.

use std::{collections::BTreeSet, sync::Arc};

use camino::Utf8PathBuf;
use jp_agent::{Prompt, PromptAnswer};
use jp_config::graph::{Graph, Roots};
use jp_conversation::ConversationEvent;
use lsp_types::notification::Notification as _;
use pretty_assertions::assert_eq;
use serde::de::DeserializeOwned;

use super::*;
use crate::{
    agent::surfaces::{PromptParams, PromptRequest},
    disk::config_files::DiskFiles,
    features::{
        self,
        add_examples::{Added, GenerateParams, SaveParams},
        commands::COMMANDS,
        examples::{TestsParams, TestsResult},
        explain::{ExplainParams, answer_about},
        keep::{KeepParams, KeepResult},
        on_record::{OnRecordParams, OnRecordShown},
        prompts::AnswerParams,
        since_head::{DiffParams, DiffShown},
        suggest::{SuggestParams, Suggested, WriteParams, Written},
    },
    session::{
        client::ClientProfile,
        config_file_list::{ConfigFiles, ConfigFilesParams},
        content::{TextDocumentContent, TextDocumentContentParams, TextDocumentContentResult},
    },
};

const PAGE: &str = include_str!("../../../../docs/PROTOCOL.md");

/// A piece of the page: the heading that it stands under, and its JSON values.
fn examples() -> Vec<(&'static str, Vec<Value>)> {
    let mut heading = "";
    let mut examples = Vec::new();
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("### ").or(line.strip_prefix("## ")) {
            heading = name.trim_matches('`');
        }
        if line == "```json" {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let block = block.join("\n");
            let values = serde_json::Deserializer::from_str(&block).into_iter();
            let values: Result<Vec<Value>, _> = values.collect();
            examples.push((
                heading,
                values.unwrap_or_else(|error| panic!("{error}: {block}")),
            ));
        }
    }
    examples
}

/// The methods and commands that there are.
fn names() -> BTreeSet<String> {
    let routes = features::routes();
    let requests = routes.methods().filter(|method| method.starts_with("jp/"));
    requests
        .chain(NOTIFICATIONS.iter().copied())
        .chain([PromptRequest::METHOD, ConfigFiles::METHOD, TRUST_GRANTED])
        .chain(COMMANDS)
        .map(str::to_owned)
        .collect()
}

/// Checks that a type says everything that an example says.
#[track_caller]
fn says<T: Serialize + DeserializeOwned>(example: &Value) {
    let read: T = serde_json::from_value(example.clone())
        .unwrap_or_else(|error| panic!("{error}: {example:#}"));
    let written = serde_json::to_value(read).unwrap();
    assert_eq!(common(&written, example), *example);
}

/// What of a value is also in the example.
fn common(value: &Value, example: &Value) -> Value {
    match (value, example) {
        (Value::Object(value), Value::Object(example)) => example
            .iter()
            .filter_map(|(key, example)| Some((key.clone(), common(value.get(key)?, example))))
            .collect(),
        (Value::Array(value), Value::Array(example)) if value.len() == example.len() => {
            let pairs = value.iter().zip(example);
            pairs
                .map(|(value, example)| common(value, example))
                .collect()
        }
        _ => value.clone(),
    }
}

fn event(example: &Value) {
    says::<ConversationEventParams>(example);
    let event = &example["event"];
    match event["type"].as_str() {
        Some("delta_text" | "retrying" | "call_state" | "usage" | "turn_end") => {
            says::<TransientEvent>(event);
        }
        _ => recorded(event),
    }
}

fn recorded(example: &Value) {
    let event = ConversationEvent::from_json(example.clone()).unwrap();
    assert_eq!(event.to_json(), *example);
}

fn params(method: &str, example: &Value) {
    match method {
        TRUST_GRANTED => says::<TrustGrantedParams>(example),
        "jp/configFiles" => says::<ConfigFilesParams>(example),
        "jp/query/start" | "jp.query" => says::<QueryStartParams>(example),
        "jp/query/cancel"
        | "jp/query/interruptChoices"
        | "jp.conversation.show"
        | "jp.config.undo" => says::<ConversationParams>(example),
        "jp/conversation/read" => says::<ConversationReadParams>(example),
        "jp/query/interrupt" => says::<QueryInterruptParams>(example),
        "jp/conversation/list" => says::<Value>(example),
        "jp/conversation/delete" => says::<ConversationParams>(example),
        "jp/conversation/rename" => says::<ConversationRenameParams>(example),
        "jp/conversation/fork" => says::<ConversationForkParams>(example),
        "jp/conversation/search" => says::<ConversationSearchParams>(example),
        "jp/status" => says::<StatusParams>(example),
        "jp/workspaces" => says::<WorkspacesParams>(example),
        "jp.config.create" => says::<CreateParams>(example),
        "jp/conversation/event" => event(example),
        "jp/notice" => says::<NoticeParams>(example),
        "jp/prompt" => says::<PromptParams<Prompt>>(example),
        "jp/promptResolved" => says::<PromptResolvedParams>(example),
        "jp/explain" | "jp.explain" => says::<ExplainParams>(example),
        "jp.prompt.answer" => says::<AnswerParams>(example),
        "jp.delta.persist" => says::<KeepParams>(example),
        "jp.openEffectiveConfig" => says::<EffectiveParams>(example),
        "jp.history.show" => says::<OnRecordParams>(example),
        "jp.diff.show" => says::<DiffParams>(example),
        "jp.tests.save" => says::<SaveParams>(example),
        "jp.tests.generate" => says::<GenerateParams>(example),
        "jp.rules.suggest" => says::<SuggestParams>(example),
        "jp.rules.write" => says::<WriteParams>(example),
        "jp/tests" => says::<TestsParams>(example),
        TextDocumentContent::METHOD => says::<TextDocumentContentParams>(example),
        other => panic!("no type is known for `{other}`"),
    }
}

fn result(method: &str, question: &Value, example: &Value) {
    match method {
        "jp/query/start" | "jp.query" => says::<ConversationParams>(example),
        "jp/query/cancel" | "jp/query/interrupt" => assert_eq!(*example, Value::Null),
        "jp/query/interruptChoices" => {
            let choices: Vec<InterruptChoice> = serde_json::from_value(example.clone()).unwrap();
            assert_eq!(choices, InterruptChoice::all(TurnPhase::ToolCalls));
        }
        "jp/conversation/list" | "jp/conversation/search" => {
            says::<Vec<ConversationListed>>(example);
        }
        "jp/conversation/rename" => says::<ConversationRenamed>(example),
        "jp/conversation/delete" => assert_eq!(*example, Value::Null),
        "jp/conversation/fork" => says::<ConversationParams>(example),
        "jp/status" => says::<Status>(example),
        "jp/workspaces" => says::<Vec<NamedWorkspace>>(example),
        "jp.config.create" => says::<CreateResult>(example),
        "jp/conversation/read" => {
            says::<ConversationRecord>(example);
            let events = example["events"].as_array().unwrap();
            events.iter().for_each(recorded);
        }
        "jp/prompt" => says::<PromptAnswer>(example),
        "jp/explain" => assert_eq!(explained(question), *example),
        "jp.prompt.answer" => says::<AnswerResult>(example),
        "jp.delta.persist" => says::<KeepResult>(example),
        "jp.conversation.show" => says::<ConversationShown>(example),
        "jp.config.undo" => says::<ConfigUndone>(example),
        "jp.openEffectiveConfig" => says::<EffectiveResult>(example),
        "jp.history.show" => says::<OnRecordShown>(example),
        "jp.diff.show" => says::<DiffShown>(example),
        "jp.tests.save" | "jp.tests.generate" => says::<Added>(example),
        "jp.rules.suggest" => says::<Suggested>(example),
        "jp.rules.write" => says::<Written>(example),
        "jp/tests" => says::<TestsResult>(example),
        TextDocumentContent::METHOD => says::<TextDocumentContentResult>(example),
        other => panic!("no result is known for `{other}`"),
    }
}

/// What is explained in the workspace of the page.
fn explained(question: &Value) -> Value {
    let (_, config) = PAGE.split_once("```toml\n").unwrap();
    let (config, _) = config.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let root = Utf8PathBuf::from_path_buf(root).unwrap();
    std::fs::create_dir(root.join(".jp")).unwrap();
    std::fs::write(root.join(".jp/config.toml"), config).unwrap();
    let roots = Roots::workspace_only(root.clone());
    let graph = Arc::new(Graph::load(&roots, &DiskFiles::trusted()));
    let question = serde_json::from_value(question.clone()).unwrap();
    let answer = answer_about(&graph, &question).unwrap().to_string();
    let answer = answer.replace(&format!("file://{root}"), "file:///w");
    serde_json::from_str(&answer).unwrap()
}

#[test]
fn every_example_is_what_is_spoken() {
    for (heading, values) in examples() {
        let mut asked: Option<(String, Value)> = None;
        for value in values {
            let message = value.as_object().unwrap();
            let question = match (message.get("method"), message.get("command")) {
                (Some(method), None) => Some((method, message["params"].clone())),
                (None, Some(command)) => Some((command, message["arguments"][0].clone())),
                _ => None,
            };
            if let Some((name, question)) = question {
                let name = name.as_str().unwrap();
                assert_eq!(name, heading);
                assert_eq!(message.len(), 2, "{value}");
                params(name, &question);
                asked = Some((name.to_owned(), question));
            } else if let Some(answer) = message.get("result") {
                let (name, question) = asked.take().unwrap();
                result(&name, &question, answer);
            } else {
                assert_eq!(heading, "Initialization");
                let profile = ClientProfile::from_json(&value);
                assert_eq!(profile.complaints, Vec::<String>::new());
            }
        }
    }
}

#[test]
fn everything_that_is_spoken_has_an_example_and_nothing_else() {
    let names = names();
    let shown: BTreeSet<String> = examples()
        .into_iter()
        .map(|(heading, _)| heading.to_owned())
        .filter(|heading| heading.starts_with("jp"))
        .collect();
    assert_eq!(shown, names);
    let mentioned = PAGE.split('`').filter(|text| {
        let is_name = |character: char| character.is_ascii_alphabetic() || "/.".contains(character);
        (text.starts_with("jp/") || text.starts_with("jp.")) && text.chars().all(is_name)
    });
    for name in mentioned {
        assert!(names.contains(name), "`{name}` is no method and no command");
    }
}
