//! What holds from one cycle of a turn to the next.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops at the first thing that goes wrong"
)]

#[path = "support/harness.rs"]
mod harness;

use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use expect_test::expect;
use harness::{ONE_CALL, World, request, responses, shell};
use jp_agent::{Builtin, BuiltinCall, EventSink, Interrupt, TurnControl, TurnOutcome};
use jp_conversation::{ConversationEvent, ConversationId, EventKind, Timestamp, ToolCallRequest};
use jp_llm::{Message, ToolChoice};
use jp_tool::Outcome;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn end(world: &World) -> String {
    world.log.text().lines().last().unwrap().to_owned()
}

fn notices(world: &World) -> String {
    let log = world.log.text();
    let notices = log.lines().filter_map(|line| line.strip_prefix("notice "));
    notices.collect::<Vec<_>>().join("\n")
}

/// A model that calls the tool `t` so many times and is done.
fn calls(count: usize) -> String {
    let mut script = String::new();
    for number in 1..=count {
        write!(
            script,
            "[[cycles]]\nbatches = [[{{ tool_call = {{ id = \"c{number}\", name = \"t\", arguments = {{}} }} }}]]\n"
        )
        .unwrap();
    }
    script + "[[cycles]]\nbatches = [[{ text = \"Done.\" }]]\n"
}

#[tokio::test]
async fn a_forced_choice_holds_until_there_are_results() {
    for (choice, first) in [
        ("required", ToolChoice::Required),
        ("t", ToolChoice::Tool("t".to_owned())),
        ("none", ToolChoice::None),
        ("auto", ToolChoice::Auto),
    ] {
        let world = World::new(&json!({"t": shell("echo ran")}), &calls(2));
        world.config.lock().unwrap()["assistant"]["tool_choice"] = json!(choice);
        world.turn().await;
        let later = match &first {
            ToolChoice::None => ToolChoice::None,
            _ => ToolChoice::Auto,
        };
        let requests = world.model.requests();
        let choices: Vec<ToolChoice> = requests.into_iter().map(|it| it.tool_choice).collect();
        assert_eq!(choices, [first, later.clone(), later]);
    }
}

#[tokio::test]
async fn a_forced_choice_outlives_an_attempt_that_failed() {
    let script = format!(
        "[[cycles]]\nbatches = [[{{ text = \"Let\" }}]]\ntruncated = true\n{}",
        calls(1)
    );
    let world = World::new(&json!({"t": shell("echo ran")}), &script);
    world.config.lock().unwrap()["assistant"]["tool_choice"] = json!("required");
    world.config.lock().unwrap()["assistant"]["request"] = json!({"base_backoff_ms": 1});
    world.turn().await;
    let requests = world.model.requests();
    let choices: Vec<ToolChoice> = requests.into_iter().map(|it| it.tool_choice).collect();
    assert_eq!(
        choices,
        [ToolChoice::Required, ToolChoice::Required, ToolChoice::Auto]
    );
}

#[tokio::test]
async fn a_turn_that_would_not_end_is_stopped_and_can_be_gone_on_with() {
    let mut world = World::new(&json!({"t": shell("echo ran")}), &calls(3));
    world.max_cycles = NonZeroU32::new(2).unwrap();
    let runtime = world.runtime();
    let writer = world.conversation();
    let id = writer.conversation().id;
    let turn = runtime.turn(writer, request("Do it."), TurnControl::new().1);
    let writer = turn.await.writer.unwrap();
    expect![[r#"
        {"id":"c1","content":"ran\n","is_error":false}
        {"id":"c2","content":"ran\n","is_error":false}"#]]
    .assert_eq(&responses(&world.recorded(id)));
    expect!["The turn was stopped after 2 cycles of answers and tool calls, which is the limit. Ask again to go on; `initializationOptions.agent.maxCycles` of the language server, or `JP_LSP_MAX_CYCLES` in the environment, sets another limit."].assert_eq(&notices(&world));
    assert_eq!(end(&world), "end completed");

    let turn = runtime.turn(writer, request("Go on."), TurnControl::new().1);
    drop(turn.await.writer);
    assert_eq!(end(&world), "end completed");
    let recorded = world.recorded(id);
    assert_eq!(
        recorded.lines().last(),
        Some(r#"chat_response {"message":"Done."}"#)
    );
}

#[tokio::test]
async fn a_turn_may_use_all_its_cycles() {
    let mut world = World::new(&json!({"t": shell("echo ran")}), ONE_CALL);
    world.max_cycles = NonZeroU32::new(2).unwrap();
    world.turn().await;
    assert_eq!(notices(&world), "");
}

/// A tool that changes a file of the config, and something that the model is told, unasked.
fn meddling() -> Value {
    let mut tool =
        shell(r#"printf '{"type":"success","content":"x","config":{"assistant":{"name":"x"}}}'"#);
    tool["access"] = json!({"config": [
        {"path": "assistant.name", "write": true, "apply": "unattended"},
    ]});
    tool
}

const MEDDLING: &str = r#"
[[cycles]]
batches = [[{ tool_call = { id = "c1", name = "meddle", arguments = {} } }]]
[[cycles]]
batches = [[{ tool_call = { id = "c2", name = "danger", arguments = {} } }]]
[[cycles]]
batches = [[{ text = "Done." }]]
"#;

#[tokio::test]
async fn a_file_that_changes_during_a_turn_counts_from_the_next_one() {
    let mut danger = shell("touch ran");
    danger["run"] = json!("ask");
    let world = World::new(&json!({"meddle": meddling(), "danger": danger}), MEDDLING);
    let log = Arc::new(Loosening {
        world_config: Arc::clone(&world.config),
        log: Arc::clone(&world.log),
    });
    let runtime = world.runtime_with(log);
    let writer = world.conversation();
    let id = writer.conversation().id;
    let turn = runtime.turn(writer, request("Do it."), TurnControl::new().1);
    drop(turn.await.writer);
    assert!(
        world.recorded(id).contains("config_delta"),
        "{}",
        world.recorded(id)
    );
    assert_eq!(
        world.config.lock().unwrap()["conversation"]["tools"]["danger"]["run"],
        "unattended"
    );
    assert!(!world.root.join("ran").exists());
    assert!(responses(&world.recorded(id)).contains("Tool 'danger' was not run"));
}

/// Loosens the config on disk as soon as the first result is there.
#[derive(Debug)]
struct Loosening {
    world_config: Arc<std::sync::Mutex<Value>>,
    log: Arc<harness::Log>,
}

impl EventSink for Loosening {
    fn committed(
        &self,
        conversation: jp_conversation::ConversationId,
        event: &jp_conversation::ConversationEvent,
    ) {
        if event.kind.tag() == "tool_call_response" {
            self.world_config.lock().unwrap()["conversation"]["tools"]["danger"]["run"] =
                json!("unattended");
        }
        self.log.committed(conversation, event);
    }

    fn delta_text(&self, conversation: jp_conversation::ConversationId, text: &str) {
        self.log.delta_text(conversation, text);
    }

    fn notice(&self, conversation: jp_conversation::ConversationId, text: &str) {
        self.log.notice(conversation, text);
    }

    fn turn_end(
        &self,
        conversation: jp_conversation::ConversationId,
        outcome: &jp_agent::TurnOutcome,
    ) {
        self.log.turn_end(conversation, outcome);
    }
}

fn patient(script: &str, max_retries: u32) -> World {
    let world = World::new(&json!({"t": shell("echo ran >> ran")}), script);
    world.config.lock().unwrap()["assistant"]["request"] =
        json!({"max_retries": max_retries, "base_backoff_ms": 1});
    world
}

fn said(message: &Message) -> String {
    serde_json::to_string(message).unwrap()
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_gone_on_with() {
    let world = patient(
        r#"
        [[cycles]]
        batches = [[{ reasoning = "Hm." }, { text = ["I ", "lo"] }, { tool_call = { id = "c0", name = "t", arguments = {} } }]]
        truncated = true
        [[cycles]]
        batches = [[{ reasoning = "Hm." }]]
        error = { message = "Overloaded", retryable = true }
        [[cycles]]
        batches = [[{ text = "ok." }, { tool_call = { id = "c1", name = "t", arguments = {} } }]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
        2,
    );
    let recorded = world.turn().await;
    expect![[r#"
        turn_start {}
        chat_request {"content":"Do it."}
        chat_response {"reasoning":"Hm.","metadata":{"cut_off":1}}
        chat_response {"message":"I lo","metadata":{"cut_off":1}}
        chat_response {"message":"ok."}
        tool_call_request {"id":"c1","name":"t","arguments":{}}
        tool_call_response {"id":"c1","content":"","is_error":false}
        chat_response {"message":"Done."}
    "#]]
    .assert_eq(&recorded);
    expect![[r#"
        Attempt 1 failed (the answer of test ended early), trying again in 0.0 s.
        Attempt 2 failed (test stopped with an error: Overloaded), trying again in 0.0 s."#]]
    .assert_eq(&notices(&world));
    let ran = std::fs::read_to_string(world.root.join("ran")).unwrap();
    assert_eq!(ran, "ran\n");
    let requests = world.model.requests();
    let shown: Vec<String> = requests[2].messages.iter().map(said).collect();
    expect![[r#"
        {"user":"Do it."}
        {"assistant":[{"content":{"text":"I lo"},"metadata":{"cut_off":1}}]}"#]]
    .assert_eq(&shown.join("\n"));
    let shown: Vec<String> = requests[3].messages.iter().map(said).collect();
    expect![[r#"
        {"user":"Do it."}
        {"assistant":[{"content":{"text":"I lo"},"metadata":{"cut_off":1}}]}
        {"user":"Continue exactly where your answer above ends, and do not repeat any of it."}
        {"assistant":[{"content":{"text":"ok."}},{"content":{"tool_call":{"id":"c1","name":"t","arguments":{}}}}]}
        {"tool":[{"id":"c1","name":"t","content":"","is_error":false}]}"#]]
    .assert_eq(&shown.join("\n"));
}

#[tokio::test]
async fn patience_has_an_end_and_is_new_with_each_answer() {
    let broken = "[[cycles]]\nbatches = [[{ text = \"Half\" }]]\ntruncated = true\n";
    let world = patient(&format!("{broken}{broken}{}", calls(0)), 1);
    world.turn().await;
    assert_eq!(end(&world), "end failed: the answer of test ended early");
    assert_eq!(world.model.requests().len(), 2);

    let call =
        "[[cycles]]\nbatches = [[{ tool_call = { id = \"c1\", name = \"t\", arguments = {} } }]]\n";
    let world = patient(&format!("{broken}{call}{broken}{}", calls(0)), 1);
    world.turn().await;
    assert_eq!(end(&world), "end completed");
}

#[tokio::test]
async fn what_is_hopeless_is_not_asked_again() {
    let world = patient(
        r#"
        [[cycles]]
        batches = [[{ text = "Half" }]]
        error = { message = "Forbidden" }
        "#,
        5,
    );
    world.turn().await;
    assert_eq!(
        end(&world),
        "end failed: test stopped with an error: Forbidden"
    );
}

#[tokio::test]
async fn the_wait_for_another_attempt_can_be_ended() {
    let slow = || {
        let world = patient(
            "[[cycles]]\nbatches = [[{ text = \"Half\" }]]\ntruncated = true\n",
            1,
        );
        world.config.lock().unwrap()["assistant"]["request"] =
            json!({"max_retries": 1, "base_backoff_ms": 3_600_000, "max_backoff_secs": 3600});
        world
    };
    let waits =
        "notice Attempt 1 failed (the answer of test ended early), trying again in 3600.0 s.";
    let cancelled = slow();
    let recorded = {
        let world = &cancelled;
        world
            .turn_while(|handle| async move {
                world.log.hears(waits).await;
                handle.cancel();
            })
            .await
    };
    assert_eq!(end(&cancelled), "end cancelled");
    assert!(recorded.contains("Half"), "{recorded}");

    let stopped = slow();
    let world = &stopped;
    world
        .turn_while(|handle| async move {
            world.log.hears(waits).await;
            handle.interrupt(Interrupt::Stop);
        })
        .await;
    assert_eq!(end(&stopped), "end completed");
}

#[tokio::test]
async fn no_model_sees_again_what_was_refused() {
    let world = World::new(
        &json!({}),
        r#"
        [[cycles]]
        batches = [[{ reasoning = "Hm." }, { text = "I will n" }]]
        finish_reason = "refused"
        [[cycles]]
        batches = [[{ text = "Yes." }]]
        "#,
    );
    let runtime = world.runtime();
    let writer = world.conversation();
    let id = writer.conversation().id;
    let turn = runtime.turn(writer, request("Do it."), TurnControl::new().1);
    let writer = turn.await.writer.unwrap();
    let turn = runtime.turn(writer, request("And this?"), TurnControl::new().1);
    drop(turn.await.writer);
    expect![[r#"
        turn_start {}
        chat_request {"content":"Do it."}
        chat_response {"reasoning":"Hm.","metadata":{"refused":true}}
        chat_response {"message":"I will n","metadata":{"refused":true}}
        turn_start {}
        chat_request {"content":"And this?"}
        chat_response {"message":"Yes."}
    "#]]
    .assert_eq(&world.recorded(id));
    assert_eq!(
        world.model.requests()[1].messages,
        [Message::User("And this?".to_owned())]
    );
}

#[tokio::test]
async fn an_answer_without_a_word_is_told() {
    let world = World::new(
        &json!({}),
        "[[cycles]]\nbatches = [[{ reasoning = \"Hm.\" }]]\n",
    );
    world.turn().await;
    assert_eq!(
        notices(&world),
        "The model ended its answer without a word."
    );
}

/// A builtin that breaks while it runs.
#[derive(Debug)]
struct Breaks;

impl Builtin for Breaks {
    fn defaults(&self) -> Value {
        json!({"source": "builtin", "description": "Breaks.", "run": "unattended"})
    }

    fn execute(&self, _: &BuiltinCall<'_>) -> Outcome {
        panic!("a builtin breaks");
    }
}

#[tokio::test]
async fn a_call_that_breaks_inside_says_so_and_the_others_go_on() {
    let world = World::new(
        &json!({"echo": shell("echo ran")}),
        r#"
        [[cycles]]
        batches = [[
            { tool_call = { id = "c1", name = "breaks", arguments = {} } },
            { tool_call = { id = "c2", name = "echo", arguments = {} } },
        ]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    let mut parts = world.parts(Arc::clone(&world.log) as Arc<dyn EventSink>);
    parts.builtins = parts.builtins.with("breaks", Breaks);
    let writer = world.conversation();
    let id = writer.conversation().id;
    let turn = world
        .runtime_of(parts)
        .turn(writer, request("Do it."), TurnControl::new().1)
        .await;
    drop(turn.writer);
    expect![[r#"
        {"id":"c1","content":"Tool call ended because of an internal error of the host; it may have run or not. Check what it was to do before making it again.","is_error":true}
        {"id":"c2","content":"ran\n","is_error":false}"#]]
    .assert_eq(&responses(&world.recorded(id)));
    assert_eq!(world.log.text().lines().last(), Some("end completed"));
}

/// What is heard of events, with their times.
#[derive(Debug, Default)]
struct Times(Mutex<Vec<(String, Timestamp)>>);

impl EventSink for Times {
    fn committed(&self, _: ConversationId, event: &ConversationEvent) {
        let heard = (event.kind.tag().to_owned(), event.timestamp);
        self.0.lock().unwrap().push(heard);
    }

    fn delta_text(&self, _: ConversationId, _: &str) {}

    fn notice(&self, _: ConversationId, _: &str) {}

    fn turn_end(&self, _: ConversationId, _: &TurnOutcome) {}
}

#[tokio::test]
async fn calls_that_a_crash_left_open_are_closed_for_all_to_hear() {
    let world = World::new(
        &json!({}),
        "[[cycles]]\nbatches = [[{ text = \"Done.\" }]]\n",
    );
    let mut writer = world.conversation();
    let id = writer.conversation().id;
    let call = ToolCallRequest {
        id: "c1".to_owned(),
        name: "t".to_owned(),
        arguments: serde_json::Map::new(),
    };
    let left_open = [
        EventKind::TurnStart,
        EventKind::ChatRequest(request("Before.")),
        EventKind::ToolCallRequest(call),
    ];
    writer
        .append_all(left_open.map(ConversationEvent::new).into())
        .unwrap();
    let before = writer.conversation().events().len();
    let heard = Arc::new(Times::default());
    let runtime = world.runtime_with(Arc::clone(&heard) as Arc<dyn EventSink>);
    drop(
        runtime
            .turn(writer, request("Go on."), TurnControl::new().1)
            .await,
    );
    let recorded: Vec<(String, Timestamp)> = world.store.read(id).unwrap().events()[before..]
        .iter()
        .map(|event| (event.kind.tag().to_owned(), event.timestamp))
        .collect();
    let tags: Vec<&str> = recorded.iter().map(|(tag, _)| tag.as_str()).collect();
    assert_eq!(
        tags,
        [
            "tool_call_response",
            "turn_start",
            "chat_request",
            "chat_response"
        ]
    );
    assert!(recorded.iter().all(|(_, time)| *time == Timestamp::EPOCH));
    assert_eq!(*heard.0.lock().unwrap(), recorded);
}
