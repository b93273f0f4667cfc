//! Every decision about a call is on record: its mode, its rule, what came of it and who said so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that goes wrong"
)]

#[path = "support/harness.rs"]
mod harness;

use std::sync::Arc;

use expect_test::{Expect, expect};
use harness::{ONE_CALL, World, approved, rejected, request};
use jp_agent::{
    Broker, BrokerConfig, PromptActionId, PromptAnswer, PromptOutcome, Prompts, Runtime,
    SurfaceEvent, TurnControl,
};
use jp_conversation::{Answerer, ConversationId, markdown};
use serde_json::{Value, json};

fn tool(policy: &Value) -> Value {
    json!({"t": {
        "source": "local",
        "command": {"program": "echo", "args": ["ran"]},
        "policy": policy,
    }})
}

async fn decided(policy: &Value, outcomes: Vec<PromptOutcome>) -> String {
    let world = World::new(&tool(policy), ONE_CALL).with_people(outcomes);
    decisions_of(&world, world.runtime()).await.0
}

/// Runs a turn: what was decided, and the conversation.
async fn decisions_of(world: &World, runtime: Runtime) -> (String, ConversationId) {
    let writer = world.conversation();
    let id = writer.conversation().id;
    let (_handle, control) = TurnControl::new();
    let finished = runtime.turn(writer, request("Do it."), control).await;
    drop(finished.writer);
    (world.decisions(id), id)
}

async fn check(policy: Value, outcomes: Vec<PromptOutcome>, expected: Expect) {
    expected.assert_eq(&decided(&policy, outcomes).await);
}

#[tokio::test]
async fn a_policy_that_asks_nobody_is_on_record() {
    check(
        json!({"run": [{"mode": "unattended"}]}),
        vec![],
        expect![[r#"
            c1 {"run":{"mode":"unattended","rule":{"index":0,"digest":"a3b156b01d222e9e"},"outcome":"allowed","by":"policy"},"result":{"mode":"unattended","rule":null,"outcome":"allowed","by":"policy"}}
        "#]],
    )
    .await;
    check(
        json!({"run": "skip"}),
        vec![],
        expect![[r#"
            c1 {"run":{"mode":"skip","rule":{"index":0,"digest":"65912b3d3a13b793"},"outcome":"refused","by":"policy"}}
        "#]],
    )
    .await;
    check(
        json!({"run": "unattended", "result": "skip"}),
        vec![],
        expect![[r#"
            c1 {"run":{"mode":"unattended","rule":{"index":0,"digest":"a3b156b01d222e9e"},"outcome":"allowed","by":"policy"},"result":{"mode":"skip","rule":{"index":0,"digest":"65912b3d3a13b793"},"outcome":"refused","by":"policy"}}
        "#]],
    )
    .await;
}

#[tokio::test]
async fn what_a_person_says_is_on_record() {
    check(
        json!({"run": "ask", "result": "ask"}),
        vec![approved(), rejected(None)],
        expect![[r#"
            c1 {"run":{"mode":"ask","rule":{"index":0,"digest":"dfde4055588b59e0"},"outcome":"allowed","by":"person"},"result":{"mode":"ask","rule":{"index":0,"digest":"dfde4055588b59e0"},"outcome":"refused","by":"person"}}
        "#]],
    )
    .await;
    check(
        json!({"run": []}),
        vec![rejected(Some("no"))],
        expect![[r#"
            c1 {"run":{"mode":"ask","rule":null,"outcome":"refused","by":"person"}}
        "#]],
    )
    .await;
    let edited = PromptOutcome::Edited { value: json!({}) };
    check(
        json!({"run": "edit"}),
        vec![edited],
        expect![[r#"
            c1 {"run":{"mode":"edit","rule":{"index":0,"digest":"e04fb9055812afa5"},"outcome":"edited","by":"person"},"result":{"mode":"unattended","rule":null,"outcome":"allowed","by":"policy"}}
        "#]],
    )
    .await;
    let nobody = PromptOutcome::Unavailable {
        reason: "gone".to_owned(),
    };
    check(
        json!({"run": "ask"}),
        vec![nobody],
        expect![[r#"
            c1 {"run":{"mode":"ask","rule":{"index":0,"digest":"dfde4055588b59e0"},"outcome":"refused","by":"nobody"}}
        "#]],
    )
    .await;
}

#[tokio::test]
async fn what_was_said_earlier_in_the_turn_is_told_from_what_was_asked() {
    let script = r#"
[[cycles]]
batches = [[{ tool_call = { id = "c1", name = "t", arguments = {} } }]]
[[cycles]]
batches = [[{ tool_call = { id = "c2", name = "t", arguments = {} } }]]
[[cycles]]
batches = [[{ text = "Done." }]]
"#;
    let world = World::new(&tool(&json!({"run": "ask"})), script)
        .with_people([PromptOutcome::Approved { remember: true }]);
    let (decisions, _) = decisions_of(&world, world.runtime()).await;
    expect![[r#"
        c1 {"run":{"mode":"ask","rule":{"index":0,"digest":"dfde4055588b59e0"},"outcome":"allowed","by":"person"},"result":{"mode":"unattended","rule":null,"outcome":"allowed","by":"policy"}}
        c2 {"run":{"mode":"ask","rule":{"index":0,"digest":"dfde4055588b59e0"},"outcome":"allowed","by":"person","remembered":true},"result":{"mode":"unattended","rule":null,"outcome":"allowed","by":"policy"}}
    "#]].assert_eq(&decisions);
}

#[tokio::test]
async fn who_answered_is_on_record_and_in_the_markdown() {
    let world = World::new(&tool(&json!({"run": "ask"})), ONE_CALL);
    let broker = Broker::start(BrokerConfig { deadline: None });
    let mut surface = broker
        .on(Answerer::new("jp/prompt", Some("An `editor`\u{202e}")))
        .attach();
    let person = tokio::spawn(async move {
        while let Some(event) = surface.next().await {
            if let SurfaceEvent::Show(prompt) = event {
                let answer = PromptAnswer::new(PromptActionId::Approve);
                let answered = surface.broker().answer(&prompt.id, &prompt.digest, answer);
                answered.await.unwrap();
            }
        }
    });
    let mut parts = world.parts(Arc::clone(&world.log) as _);
    parts.prompts = Arc::new(broker) as Arc<dyn Prompts>;
    let (decisions, id) = decisions_of(&world, world.runtime_of(parts)).await;
    person.abort();
    expect![[r#"
        c1 {"run":{"mode":"ask","rule":{"index":0,"digest":"dfde4055588b59e0"},"outcome":"allowed","by":"person","surface":"jp/prompt","client":"An `editor`(turned)"},"result":{"mode":"unattended","rule":null,"outcome":"allowed","by":"policy"}}
    "#]].assert_eq(&decisions.replace('\u{202e}', "(turned)"));
    let shown = markdown(world.store.read(id).unwrap().events());
    let line = shown.lines().find(|line| line.starts_with("Call "));
    expect![[
        r#"Call allowed by a person (`jp/prompt`, ``An `editor`\u{202e}``): `ask` by rule 1"#
    ]]
    .assert_eq(line.unwrap());
}
