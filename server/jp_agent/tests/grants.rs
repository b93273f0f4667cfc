//! What a call was refused, offered to a person, in whole turns (RFD 076).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that goes wrong"
)]

#[path = "support/harness.rs"]
mod harness;

use expect_test::{Expect, expect};
use harness::{World, approved, rejected, request, responses, shell};
use jp_agent::{PromptOutcome, TurnControl};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// A tool that prints the file of its argument as the bundled tools do, by the grants that the host gives it.
fn reading(rules: Value) -> Value {
    let mut tool = shell(
        r#"
        case $CONTEXT in
        *'"path":"'"$FILE"'"'*) cat "$FILE" ;;
        *) printf '{"type":"error","message":"%s","trace":[],"transient":false}' \
            "Access denied: cannot read '$FILE'. Paths granting read: [docs]." ;;
        esac
    "#,
    );
    tool["command"]["program"] = "env".into();
    let script = tool["command"]["args"][1].clone();
    tool["command"]["args"] = json!([
        "CONTEXT={{context}}",
        "FILE={{tool.arguments.file}}",
        "sh",
        "-c",
        script
    ]);
    tool["parameters"] = json!({"file": {"type": "string", "required": true}});
    tool["access"] = json!({"fs": rules});
    json!({"reading": tool})
}

/// A model that reads these files, one after the other.
fn reads(files: &[&str]) -> String {
    let calls = files.iter().enumerate().map(|(number, file)| {
        format!(
            "[[cycles]]\nbatches = [[{{ tool_call = {{ id = \"c{number}\", name = \"reading\", arguments = {{ file = \"{file}\" }} }} }}]]\n"
        )
    });
    let end = "[[cycles]]\nbatches = [[{ text = \"Done.\" }]]\n".to_owned();
    calls.chain([end]).collect()
}

fn world(files: &[&str], people: impl IntoIterator<Item = PromptOutcome>) -> World {
    let tools = reading(json!([{"path": "docs", "read": true}]));
    let world = World::new(&tools, &reads(files)).with_people(people);
    std::fs::create_dir_all(world.root.join("src")).unwrap();
    for file in ["src/a", "src/b", "src/c", "src/d", "src/e"] {
        std::fs::write(world.root.join(file), format!("in {file}")).unwrap();
    }
    world
}

/// Runs a turn: its results, what was asked, how the config has changed, and what is on record of the grants.
async fn check(files: &[&str], people: Vec<PromptOutcome>, expected: Expect) {
    let world = world(files, people);
    let writer = world.conversation();
    let id = writer.conversation().id;
    let (_handle, control) = TurnControl::new();
    let runtime = world.runtime();
    let finished = runtime.turn(writer, request("Do it."), control);
    drop(finished.await.writer);
    let recorded = world.recorded(id);
    let changes = recorded
        .lines()
        .filter(|line| line.starts_with("config_delta"));
    let decisions = world.decisions(id);
    let grants = decisions
        .lines()
        .filter_map(|line| line.split_once("\"grant\":"));
    let text = format!(
        "{}\n\n{}\n\n{}\n\n{}\n",
        responses(&recorded),
        world.people.asked(),
        changes.collect::<Vec<_>>().join("\n"),
        grants
            .map(|(_, grant)| grant)
            .collect::<Vec<_>>()
            .join("\n"),
    );
    expected.assert_eq(&text);
}

#[tokio::test]
async fn a_yes_is_a_change_of_the_config_that_the_next_call_sees() {
    check(&["src/a", "src/a"], vec![approved()], expect![[r#"
        {"id":"c0","content":"{\"type\":\"error\",\"message\":\"Access denied: cannot read 'src/a'. Paths granting read: [docs].\",\"trace\":[],\"transient\":false}\n\nA person has now granted `read` on `src/a` for this conversation. Make the call again.","is_error":true}
        {"id":"c1","content":"in src/a","is_error":false}

        local reading: grant { path = "src/a", read = true } by /w/conversation.tools.reading.access.fsNone None

        config_delta {"delta":{"conversation":{"tools":{"reading":{"access":{"fs":{"value":[{"path":"src/a","read":true}],"strategy":"append"}}}}}},"claims":{"conversation.tools.reading.access.fs":[]}}

        {"rule":"{ path = \"src/a\", read = true }","outcome":"allowed","by":"person"}}
    "#]]).await;
}

#[tokio::test]
async fn a_no_holds_for_the_turn() {
    let no = rejected(Some("it is secret"));
    check(&["src/a", "./src/a"], vec![no], expect![[r#"
        {"id":"c0","content":"{\"type\":\"error\",\"message\":\"Access denied: cannot read 'src/a'. Paths granting read: [docs].\",\"trace\":[],\"transient\":false}\n\nA person was asked to grant `read` on `src/a` and said no. Do not try it again in this turn. The person says: it is secret","is_error":true}
        {"id":"c1","content":"{\"type\":\"error\",\"message\":\"Access denied: cannot read './src/a'. Paths granting read: [docs].\",\"trace\":[],\"transient\":false}","is_error":true}

        local reading: grant { path = "src/a", read = true } by /w/conversation.tools.reading.access.fsNone None



        {"rule":"{ path = \"src/a\", read = true }","outcome":"refused","by":"person"}}
    "#]]).await;
}

#[tokio::test]
async fn nobody_is_worn_down() {
    let files = ["src/a", "src/b", "src/c", "src/d", "src/e"];
    let world = world(&files, (0..5).map(|_| rejected(None)));
    let recorded = world.turn().await;
    assert_eq!(world.people.asked().lines().count(), 3);
    assert_eq!(recorded.matches("said no").count(), 3);
    assert!(!recorded.contains("config_delta"));
}

#[tokio::test]
async fn with_nobody_to_ask_nothing_is_granted() {
    let unavailable = PromptOutcome::Unavailable {
        reason: "nobody".to_owned(),
    };
    check(&["src/a", "src/a"], vec![unavailable], expect![[r#"
        {"id":"c0","content":"{\"type\":\"error\",\"message\":\"Access denied: cannot read 'src/a'. Paths granting read: [docs].\",\"trace\":[],\"transient\":false}","is_error":true}
        {"id":"c1","content":"{\"type\":\"error\",\"message\":\"Access denied: cannot read 'src/a'. Paths granting read: [docs].\",\"trace\":[],\"transient\":false}","is_error":true}

        local reading: grant { path = "src/a", read = true } by /w/conversation.tools.reading.access.fsNone None



        {"rule":"{ path = \"src/a\", read = true }","outcome":"refused","by":"nobody"}}
    "#]]).await;
}

#[tokio::test]
async fn two_grants_of_one_tool_stand_side_by_side() {
    let files = ["src/a", "src/b", "src/a", "src/b"];
    check(&files, vec![approved(), approved()], expect![[r#"
        {"id":"c0","content":"{\"type\":\"error\",\"message\":\"Access denied: cannot read 'src/a'. Paths granting read: [docs].\",\"trace\":[],\"transient\":false}\n\nA person has now granted `read` on `src/a` for this conversation. Make the call again.","is_error":true}
        {"id":"c1","content":"{\"type\":\"error\",\"message\":\"Access denied: cannot read 'src/b'. Paths granting read: [docs].\",\"trace\":[],\"transient\":false}\n\nA person has now granted `read` on `src/b` for this conversation. Make the call again.","is_error":true}
        {"id":"c2","content":"in src/a","is_error":false}
        {"id":"c3","content":"in src/b","is_error":false}

        local reading: grant { path = "src/a", read = true } by /w/conversation.tools.reading.access.fsNone None
        local reading: grant { path = "src/b", read = true } by /w/conversation.tools.reading.access.fsNone None

        config_delta {"delta":{"conversation":{"tools":{"reading":{"access":{"fs":{"value":[{"path":"src/a","read":true}],"strategy":"append"}}}}}},"claims":{"conversation.tools.reading.access.fs":[]}}
        config_delta {"delta":{"conversation":{"tools":{"reading":{"access":{"fs":{"value":[{"path":"src/b","read":true}],"strategy":"append"}}}}}},"claims":{"conversation.tools.reading.access.fs":[]}}

        {"rule":"{ path = \"src/a\", read = true }","outcome":"allowed","by":"person"}}
        {"rule":"{ path = \"src/b\", read = true }","outcome":"allowed","by":"person"}}
    "#]]).await;
}
