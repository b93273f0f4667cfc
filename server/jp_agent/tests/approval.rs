//! Who is asked about which calls, when, and what holds of the answer, with files that change in between.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that goes wrong"
)]

#[path = "support/harness.rs"]
mod harness;

use std::collections::VecDeque;
use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex};

use camino::Utf8Path;
use expect_test::expect;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use harness::{World, approved, request, responses};
use jp_agent::{
    FinishedTurn, Prompt, PromptOutcome, PromptRequest, Prompts, TurnControl, WaitingCall,
};
use jp_conversation::markdown;
use jp_llm::{AssistantContent, Message};
use jp_policy::{MatcherKind, RawRule, RunMode};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A local tool with path parameters and a policy.
fn tool(script: &str, parameters: &[&str], run: &Value) -> Value {
    let arguments = parameters
        .iter()
        .map(|name| format!("{{{{tool.arguments.{name}}}}}"));
    let args: Vec<String> = ["-c".to_owned(), script.to_owned(), "sh".to_owned()]
        .into_iter()
        .chain(arguments)
        .collect();
    let parameters: serde_json::Map<String, Value> = parameters
        .iter()
        .map(|name| {
            (
                (*name).to_owned(),
                json!({"type": "path", "required": true}),
            )
        })
        .collect();
    json!({
        "source": "local",
        "command": {"program": "sh", "args": args},
        "parameters": parameters,
        "policy": {"run": run},
    })
}

/// What asks for `.env`, and for nothing else.
fn guarded(parameters: &[&str]) -> Value {
    let rule = |name: &&str| json!({"arg": format!("/{name}"), "prefix": ".env", "mode": "ask"});
    let mut rules: Vec<Value> = parameters.iter().map(rule).collect();
    rules.push(json!({"mode": "unattended"}));
    rules.into()
}

fn read() -> Value {
    tool("cat \"$1\"", &["path"], &guarded(&["path"]))
}

/// One answer with these calls, then the end.
fn script(calls: &[(&str, Value)]) -> String {
    let batch: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(number, (name, arguments))| {
            json!({"tool_call": {"id": format!("c{number}"), "name": name, "arguments": arguments}})
        })
        .collect();
    let script = json!({"cycles": [{"batches": [batch]}, {"batches": [[{"text": "Done."}]]}]});
    toml_of(&script)
}

/// JSON as an inline TOML document; strings are written alike in both.
fn toml_of(value: &Value) -> String {
    fn inline(value: &Value) -> String {
        match value {
            Value::Object(table) => {
                let entries = table
                    .iter()
                    .map(|(key, value)| format!("{} = {}", json!(key), inline(value)));
                format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
            }
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(inline).collect();
                format!("[{}]", items.join(", "))
            }
            scalar => scalar.to_string(),
        }
    }
    let entries = value.as_object().unwrap().iter();
    entries
        .map(|(key, value)| format!("{key} = {}\n", inline(value)))
        .collect()
}

type Deed = Box<dyn FnOnce(&Utf8Path) -> PromptOutcome + Send>;

/// A person who does something to the files while a prompt is open, and then answers.
struct Busy {
    deeds: Mutex<VecDeque<Deed>>,
    seen: Mutex<Vec<String>>,
    /// The calls that a rule could have answered.
    waiting: Mutex<Vec<WaitingCall>>,
}

impl std::fmt::Debug for Busy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Busy")
    }
}

impl Busy {
    fn new(deeds: Vec<Deed>) -> Arc<Self> {
        Arc::new(Self {
            deeds: Mutex::new(deeds.into()),
            seen: Mutex::default(),
            waiting: Mutex::default(),
        })
    }

    fn seen(&self) -> String {
        self.seen.lock().unwrap().join("\n")
    }
}

impl Prompts for Busy {
    fn ask(&self, request: PromptRequest, _: CancellationToken) -> BoxFuture<'_, PromptOutcome> {
        let prompt = Prompt::new("1".to_owned(), &request);
        let titles: Vec<String> = prompt.choices().into_iter().map(|it| it.title).collect();
        let line = format!(
            "{} {}: {} [{}]",
            prompt.kind_word(),
            prompt.tool.call_id,
            prompt.message.replace('\n', " | "),
            titles.join(" / ")
        );
        self.seen.lock().unwrap().push(line);
        let waiting = prompt.waiting.into_iter().map(|call| *call);
        self.waiting.lock().unwrap().extend(waiting);
        let deed = self.deeds.lock().unwrap().pop_front();
        let outcome = deed.map_or_else(
            || PromptOutcome::Unavailable {
                reason: "nobody".to_owned(),
            },
            |deed| deed(&request.root),
        );
        async move { outcome }.boxed()
    }

    fn is_available(&self) -> bool {
        true
    }
}

trait KindWord {
    fn kind_word(&self) -> String;
}

impl KindWord for Prompt {
    fn kind_word(&self) -> String {
        json!(self.kind).as_str().unwrap().to_owned()
    }
}

/// Runs a turn with such a person; what became of the calls.
async fn turn_with(world: &World, person: &Arc<Busy>) -> String {
    let (_handle, control) = TurnControl::new();
    let mut parts = world.parts(Arc::clone(&world.log) as _);
    parts.prompts = Arc::clone(person) as Arc<dyn Prompts>;
    let writer = world.conversation();
    let id = writer.conversation().id;
    let FinishedTurn { writer, .. } = world
        .runtime_of(parts)
        .turn(writer, request("Do it."), control)
        .await;
    drop(writer.unwrap());
    world.recorded(id)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_moves_a_link_does_not_open_the_way_for_the_next() {
    let tools = json!({
        "move": tool("mv \"$1\" \"$2\"", &["from", "to"], &guarded(&["from", "to"])),
        "read": read(),
    });
    let calls = script(&[
        ("move", json!({"from": "src/d/link", "to": "src/link"})),
        ("read", json!({"path": "src/link"})),
    ]);
    for _ in 0..20 {
        let world = World::new(&tools, &calls);
        std::fs::create_dir_all(world.root.join("src/d")).unwrap();
        std::fs::write(world.root.join(".env"), "SECRET").unwrap();
        symlink("../.env", world.root.join("src/d/link")).unwrap();
        expect![[r#"
            {"id":"c0","content":"","is_error":false}
            {"id":"c1","content":"Tool 'read' was not run because it needs approval and nobody is available to give it. Do not retry this tool call in this turn; continue without it or explain what is missing.","is_error":true}"#]]
        .assert_eq(&responses(&world.turn().await));
    }
}

#[tokio::test]
async fn what_a_person_approves_is_what_runs() {
    let tools = json!({"read": tool("cat \"$1\"", &["path"], &json!("ask"))});
    let world = World::new(&tools, &script(&[("read", json!({"path": "notes"}))]));
    std::fs::write(world.root.join("notes"), "notes").unwrap();
    std::fs::write(world.root.join(".env"), "SECRET").unwrap();
    let swap = |root: &Utf8Path, target: &str| {
        std::fs::remove_file(root.join("notes")).unwrap();
        symlink(target, root.join("notes")).unwrap();
    };
    let person = Busy::new(vec![
        Box::new(move |root| {
            swap(root, ".env");
            approved()
        }),
        Box::new(move |root| {
            swap(root, "/etc/hostname");
            PromptOutcome::Approved { remember: true }
        }),
        Box::new(|_| harness::rejected(Some("no"))),
    ]);
    let recorded = turn_with(&world, &person).await;
    expect![[r#"{"id":"c0","content":"Tool skipped by user: no","is_error":false}"#]]
        .assert_eq(&responses(&recorded));
    expect![[r#"
        run c0: sh -c 'cat "$1"' sh notes [Reject / Reject, and other calls that this rule asks for, in this turn / Reject with a Reason… / Run / Run, and other calls that this rule asks for, in this turn / Edit Arguments… / Show Details]
        run c0: This call was decided before, and where its paths lead has changed since. | notes leads to .env | sh -c 'cat "$1"' sh notes [Reject / Reject, and other calls that this rule asks for, in this turn / Reject with a Reason… / Run / Run, and other calls that this rule asks for, in this turn / Edit Arguments… / Show Details]
        run c0: This call was decided before, and where its paths lead has changed since. | notes leads out of the workspace | sh -c 'cat "$1"' sh notes [Reject / Reject with a Reason… / Run / Edit Arguments… / Show Details]"#]].assert_eq(&person.seen());
}

#[tokio::test]
async fn a_link_that_turns_up_while_a_question_waits_is_decided_anew() {
    let question = r#"{"type":"needs_input","question":{"id":"q","text":"Sure?","answer_type":{"type":"boolean"}}}"#;
    let script_of_tool =
        format!("if [ -e asked ]; then cat \"$1\"; else touch asked; echo '{question}'; fi");
    let mut ask = tool(
        &script_of_tool,
        &["path"],
        &json!([
            {"arg": "/path", "prefix": ".env", "mode": "skip"},
            {"mode": "unattended"},
        ]),
    );
    ask["questions"] = json!({"q": {"target": "user"}});
    let world = World::new(
        &json!({"read": ask}),
        &script(&[("read", json!({"path": "notes"}))]),
    );
    std::fs::write(world.root.join("notes"), "notes").unwrap();
    std::fs::write(world.root.join(".env"), "SECRET").unwrap();
    let person = Busy::new(vec![Box::new(|root| {
        std::fs::remove_file(root.join("notes")).unwrap();
        symlink(".env", root.join("notes")).unwrap();
        PromptOutcome::Answered {
            value: json!(true),
            remember: false,
        }
    })]);
    let recorded = turn_with(&world, &person).await;
    expect![[r#"{"id":"c0","content":"Tool skipped by user.","is_error":false}"#]]
        .assert_eq(&responses(&recorded));
}

/// What was decided about each call, after a turn with such a person.
async fn decided_with(world: &World, person: &Arc<Busy>) -> String {
    let known = world.store.list().unwrap().len();
    turn_with(world, person).await;
    let conversations = world.store.list().unwrap();
    assert_eq!(conversations.len(), known + 1);
    world.decisions(conversations.last().unwrap().id)
}

#[tokio::test]
async fn what_a_person_has_said_stays_on_record_when_nobody_would_be_asked_any_more() {
    let world = World::new(
        &json!({"read": read()}),
        &script(&[("read", json!({"path": "notes"}))]),
    );
    std::fs::write(world.root.join(".env"), "SECRET").unwrap();
    symlink(".env", world.root.join("notes")).unwrap();
    let person = Busy::new(vec![Box::new(|root| {
        std::fs::remove_file(root.join("notes")).unwrap();
        std::fs::write(root.join("notes"), "plain").unwrap();
        approved()
    })]);
    let decisions = decided_with(&world, &person).await;
    expect![[r#"
        c0 {"run":{"mode":"ask","rule":{"index":0,"digest":"14b3abf1e4722090"},"outcome":"allowed","by":"person"},"result":{"mode":"unattended","rule":null,"outcome":"allowed","by":"policy"}}
    "#]].assert_eq(&decisions);
}

#[tokio::test]
async fn arguments_that_a_person_wrote_are_shown_again_where_they_lead_elsewhere() {
    let tools = json!({"read": tool("cat \"$1\"", &["path"], &json!("ask"))});
    let calls = script(&[("read", json!({"path": "notes"}))]);
    let world = World::new(&tools, &calls);
    std::fs::write(world.root.join("notes"), "notes").unwrap();
    std::fs::write(world.root.join(".env"), "SECRET").unwrap();
    symlink(".env", world.root.join("link")).unwrap();
    let edited = |path: &'static str| -> Deed {
        Box::new(move |_| PromptOutcome::Edited {
            value: json!({"path": path}),
        })
    };
    let person = Busy::new(vec![
        edited("link"),
        Box::new(|_| harness::rejected(Some("a secret"))),
    ]);
    let recorded = turn_with(&world, &person).await;
    expect![[r#"{"id":"c0","content":"Tool skipped by user: a secret","is_error":false}"#]]
        .assert_eq(&responses(&recorded));
    expect![[r#"
        run c0: sh -c 'cat "$1"' sh notes [Reject / Reject, and other calls that this rule asks for, in this turn / Reject with a Reason… / Run / Run, and other calls that this rule asks for, in this turn / Edit Arguments… / Show Details]
        run c0: link leads to .env | sh -c 'cat "$1"' sh link [Reject / Reject, and other calls that this rule asks for, in this turn / Reject with a Reason… / Run / Run, and other calls that this rule asks for, in this turn / Edit Arguments… / Show Details]"#]].assert_eq(&person.seen());
    // What leads where it says runs as it was written, also in place of what did not.
    for given in ["notes", "link"] {
        let world = World::new(&tools, &script(&[("read", json!({"path": given}))]));
        std::fs::write(world.root.join("notes"), "notes").unwrap();
        std::fs::write(world.root.join(".env"), "SECRET").unwrap();
        symlink(".env", world.root.join("link")).unwrap();
        let person = Busy::new(vec![edited("./notes")]);
        let recorded = turn_with(&world, &person).await;
        assert_eq!(
            responses(&recorded),
            format!(
                r#"{{"id":"c0","content":"notes","is_error":false,"metadata":{{"arguments":{{"path":"./notes"}},"original_arguments":{{"path":"{given}"}}}}}}"#
            )
        );
    }
}

#[tokio::test]
async fn a_remembered_approval_holds_for_the_rules_that_asked() {
    let rules = json!([
        {"arg": "/path", "prefix": ".git", "mode": "ask"},
        {"arg": "/path", "prefix": ".jp", "mode": "ask"},
        {"arg": "/path", "prefix": "free", "mode": "unattended"},
        {"mode": "ask"},
    ]);
    let tools = json!({"t": tool("echo ran", &["path"], &rules)});
    let calls: Vec<(&str, Value)> = [
        "notes/a",
        ".git/hooks/x",
        "notes/b",
        ".jp/x",
        ".git/config",
        "free",
        "../out",
    ]
    .into_iter()
    .map(|path| ("t", json!({"path": path})))
    .collect();
    // One call an answer, so that each is decided after the one before was approved.
    let cycles: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(number, (name, arguments))| {
            json!({"batches": [[{"tool_call": {"id": format!("c{number}"), "name": name, "arguments": arguments}}]]})
        })
        .chain([json!({"batches": [[{"text": "Done."}]]})])
        .collect();
    let world = World::new(&tools, &toml_of(&json!({"cycles": cycles})));
    let remember = || -> Deed { Box::new(|_| PromptOutcome::Approved { remember: true }) };
    let person = Busy::new((0..5).map(|_| remember()).collect());
    let recorded = turn_with(&world, &person).await;
    assert_eq!(responses(&recorded).matches("ran").count(), 7, "{recorded}");
    expect![[r#"
        run c0: sh -c 'echo ran' sh notes/a [Reject / Reject, and other calls that this rule asks for, in this turn / Reject with a Reason… / Run / Run, and other calls that this rule asks for, in this turn / Edit Arguments… / Show Details]
        run c1: sh -c 'echo ran' sh .git/hooks/x [Reject / Reject, and other calls that this rule asks for, in this turn / Reject with a Reason… / Run / Run, and other calls that this rule asks for, in this turn / Edit Arguments… / Show Details]
        run c3: sh -c 'echo ran' sh .jp/x [Reject / Reject, and other calls that this rule asks for, in this turn / Reject with a Reason… / Run / Run, and other calls that this rule asks for, in this turn / Edit Arguments… / Show Details]
        run c6: ../out leads out of the workspace | sh -c 'echo ran' sh ../out [Reject / Reject with a Reason… / Run / Edit Arguments… / Show Details]
        result c6: ../out leads out of the workspace | ran [Withhold / Withhold with a Reason… / Deliver / Edit Result… / Show Details]"#]].assert_eq(&person.seen());
}

#[tokio::test]
async fn what_a_person_wrote_stands_in_the_next_prompt_with_the_error() {
    let mut edit = tool("echo $1", &["path"], &json!("edit"));
    edit["parameters"]["count"] = json!({"type": "integer"});
    let world = World::new(&json!({"t": edit}), &script(&[("t", json!({"path": "a"}))]));
    let edited = |value: Value| -> Deed { Box::new(move |_| PromptOutcome::Edited { value }) };
    let person = Busy::new(vec![
        edited(json!({"path": "b", "count": "many"})),
        edited(json!({"path": "b", "count": 3})),
    ]);
    let recorded = turn_with(&world, &person).await;
    expect![[r#"
        edit c0: path: a [Reject / Reject with a Reason… / Edit Arguments… / Show Details]
        edit c0: Invalid arguments: `count` must be integer, not string. | path: b | count: many [Reject / Reject with a Reason… / Edit Arguments… / Show Details]"#]].assert_eq(&person.seen());
    expect![[r#"{"id":"c0","content":"b\n","is_error":false,"metadata":{"arguments":{"path":"b","count":3},"original_arguments":{"path":"a"}}}"#]].assert_eq(&responses(&recorded));
}

#[tokio::test]
async fn a_note_about_wrong_arguments_ends_with_them() {
    let world = World::new(
        &json!({"read": tool("cat \"$1\"", &["path"], &json!("ask"))}),
        &script(&[("read", json!({"path": "notes"}))]),
    );
    std::fs::write(world.root.join("notes"), "notes").unwrap();
    std::fs::write(world.root.join(".env"), "SECRET").unwrap();
    symlink(".env", world.root.join("link")).unwrap();
    let edited = |value: Value| -> Deed { Box::new(move |_| PromptOutcome::Edited { value }) };
    let person = Busy::new(vec![
        edited(json!({"path": 1})),
        edited(json!({"path": "link"})),
        Box::new(|_| harness::rejected(None)),
    ]);
    turn_with(&world, &person).await;
    expect![[r#"
        run c0: sh -c 'cat "$1"' sh notes [Reject / Reject, and other calls that this rule asks for, in this turn / Reject with a Reason… / Run / Run, and other calls that this rule asks for, in this turn / Edit Arguments… / Show Details]
        edit c0: Invalid arguments: `path` must be string, not number. | path: 1 [Reject / Reject with a Reason… / Edit Arguments… / Show Details]
        run c0: link leads to .env | sh -c 'cat "$1"' sh link [Reject / Reject, and other calls that this rule asks for, in this turn / Reject with a Reason… / Run / Run, and other calls that this rule asks for, in this turn / Edit Arguments… / Show Details]"#]].assert_eq(&person.seen());
}

#[tokio::test]
async fn a_prompt_knows_all_rules_that_a_new_one_would_stand_among() {
    let world = World::new(
        &json!({"read": read()}),
        &script(&[("read", json!({"path": ".env"}))]),
    );
    std::fs::write(world.root.join(".env"), "SECRET").unwrap();
    let person = Busy::new(vec![Box::new(|_| approved())]);
    turn_with(&world, &person).await;
    let waiting = person.waiting.lock().unwrap();
    assert_eq!(
        *waiting,
        [WaitingCall {
            root: world.root.clone(),
            tool: "read".to_owned(),
            arguments: serde_json::Map::from_iter([("path".to_owned(), json!(".env"))]),
            rules: vec![
                RawRule::condition("/path", MatcherKind::Prefix, ".env", RunMode::Ask),
                RawRule::catch_all(RunMode::Unattended),
            ],
        }]
    );
}

/// Lets the call `c1` run for the rest of the turn, and only then writes into `c0` what does not fit.
#[derive(Debug, Default)]
struct Hasty {
    remembered: CancellationToken,
    seen: Mutex<Vec<String>>,
}

impl Prompts for Hasty {
    fn ask(&self, request: PromptRequest, _: CancellationToken) -> BoxFuture<'_, PromptOutcome> {
        let prompt = Prompt::new("1".to_owned(), &request);
        let line = format!("{} {}", prompt.kind_word(), prompt.tool.call_id);
        let is_first_time = !self.seen.lock().unwrap().contains(&line);
        self.seen.lock().unwrap().push(line.clone());
        async move {
            match line.as_str() {
                "run c0" if is_first_time => {
                    self.remembered.cancelled().await;
                    PromptOutcome::Edited {
                        value: json!({"path": "b", "count": "many"}),
                    }
                }
                "run c1" => {
                    self.remembered.cancel();
                    PromptOutcome::Approved { remember: true }
                }
                _ => harness::rejected(Some("no")),
            }
        }
        .boxed()
    }

    fn is_available(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_remembered_approval_lets_no_arguments_run_that_do_not_fit() {
    let mut t = tool("echo $1; touch \"ran-$1\"", &["path"], &json!("ask"));
    t["parameters"]["count"] = json!({"type": "integer"});
    let world = World::new(
        &json!({"t": t}),
        &script(&[("t", json!({"path": "a"})), ("t", json!({"path": "c"}))]),
    );
    let person = Arc::new(Hasty::default());
    let mut parts = world.parts(Arc::clone(&world.log) as _);
    parts.prompts = Arc::clone(&person) as Arc<dyn Prompts>;
    let (_handle, control) = TurnControl::new();
    world
        .runtime_of(parts)
        .turn(world.conversation(), request("Do it."), control)
        .await;
    assert_eq!(
        *person.seen.lock().unwrap(),
        ["run c0", "run c1", "edit c0"]
    );
    assert!(!world.root.join("ran-b").exists());
    assert!(world.root.join("ran-c").exists());
}

#[tokio::test]
async fn edited_arguments_stand_on_record_and_in_the_next_request() {
    let world = World::new(
        &json!({"t": tool("echo $1", &["path"], &json!("ask"))}),
        &script(&[("t", json!({"path": "a"})), ("t", json!({"path": "b"}))]),
    );
    let person = Busy::new(vec![
        Box::new(|_| PromptOutcome::Edited {
            value: json!({"path": "c"}),
        }),
        Box::new(|_| approved()),
    ]);
    let writer = world.conversation();
    let id = writer.conversation().id;
    drop(writer);
    let recorded = turn_with(&world, &person).await;
    expect![[r#"
        {"id":"c0","content":"c\n","is_error":false,"metadata":{"arguments":{"path":"c"},"original_arguments":{"path":"a"}}}
        {"id":"c1","content":"b\n","is_error":false}"#]].assert_eq(&responses(&recorded));
    let requests = world.model.requests();
    let arguments: Vec<String> = requests[1]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Assistant(parts) => Some(parts),
            _ => None,
        })
        .flatten()
        .filter_map(|part| match &part.content {
            AssistantContent::ToolCall { id, arguments, .. } => {
                Some(format!("{id} {}", json!(arguments)))
            }
            _ => None,
        })
        .collect();
    assert_eq!(arguments, [r#"c0 {"path":"c"}"#, r#"c1 {"path":"b"}"#]);
    let _ = id;
    let conversations = world.store.list().unwrap();
    let latest = conversations.last().unwrap().id;
    let events = world.store.read(latest).unwrap();
    expect![[""]].assert_eq(&markdown(events.events()));
}

/// However many threads decide, prompts come in the order of the calls.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn prompts_come_in_the_order_of_the_calls() {
    let mut formatted = tool("echo ran", &["path"], &json!("ask"));
    formatted["style"] = json!({"parameters": "echo shown"});
    let tools = json!({
        "asks": tool("echo ran", &["path"], &json!("ask")),
        "formatted": formatted,
        "runs": tool("echo ran", &["path"], &json!("unattended")),
        "skips": tool("echo ran", &["path"], &json!("skip")),
    });
    let names = ["asks", "runs", "asks", "formatted", "skips"];
    let calls: Vec<(&str, Value)> = (0..40)
        .map(|number| {
            (
                names[number % names.len()],
                json!({"path": format!("p{number}")}),
            )
        })
        .collect();
    let asked: Vec<usize> = (0..40)
        .filter(|number| matches!(names[number % names.len()], "asks" | "formatted"))
        .collect();
    for _ in 0..5 {
        let world = World::new(&tools, &script(&calls));
        let person = Busy::new(
            asked
                .iter()
                .map(|_| -> Deed { Box::new(|_| approved()) })
                .collect(),
        );
        let recorded = turn_with(&world, &person).await;
        let order: Vec<String> = person
            .seen()
            .lines()
            .map(|line| line.split([' ', ':']).nth(1).unwrap().to_owned())
            .collect();
        let expected: Vec<String> = asked.iter().map(|number| format!("c{number}")).collect();
        assert_eq!(order, expected);
        assert_eq!(responses(&recorded).lines().count(), 40);
    }
}
