//! Config changes of tools in whole turns: when they land, when they are dropped, what the next cycle makes of them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that goes wrong"
)]

#[path = "support/harness.rs"]
mod harness;

use std::sync::{Arc, Mutex};

use expect_test::{Expect, expect};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use harness::{ONE_CALL, Warnings, World, approved, rejected, request, responses, shell};
use jp_agent::{
    Builtin, BuiltinCall, Builtins, EventSink, Interrupt, PromptOutcome, PromptRequest,
    PromptSubject, Prompts, TurnControl, TurnHandle,
};
use jp_tool::Outcome;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const CHANGING_AND_SLOW: &str = r#"
[[cycles]]
batches = [[
    { tool_call = { id = "c1", name = "changing", arguments = {} } },
    { tool_call = { id = "c2", name = "slow", arguments = {} } },
]]
[[cycles]]
batches = [[{ text = "Done." }]]
"#;

/// A tool that sets `assistant.name` once a person agrees, and one that ends only the second time.
fn changing_and_slow() -> Value {
    let mut changing = shell(
        r#"
        n=$(ls runs* 2>/dev/null | wc -l); touch "runs$n"
        echo '{"type":"success","content":"changed","config":{"assistant":{"name":"x"}}}'
    "#,
    );
    changing["access"] = json!({"config": [{"path": "assistant.name", "write": true}]});
    json!({
        "changing": changing,
        "slow": shell("[ -e again ] && echo again && exit; touch slow; while :; do sleep 1; done"),
    })
}

/// Does something to the turn when the change is approved and the slow tool runs.
async fn interrupted(act: impl FnOnce(&World, TurnHandle), expected: &Expect) -> World {
    let world =
        World::new(&changing_and_slow(), CHANGING_AND_SLOW).with_people([approved(), approved()]);
    let recorded = {
        let world = &world;
        world
            .turn_while(|handle| async move {
                world.people.are_asked(1).await;
                while !world.root.join("slow").exists() {
                    tokio::task::yield_now().await;
                }
                act(world, handle);
            })
            .await
    };
    let recorded: Vec<&str> = recorded.lines().skip(4).collect();
    expected.assert_eq(&recorded.join("\n"));
    world
}

#[tokio::test]
async fn stop_and_reply_records_what_was_approved() {
    let world = interrupted(
        |_, handle| handle.interrupt(Interrupt::StopAndReply { text: None }),
        &expect![[r#"
            tool_call_response {"id":"c1","content":"changed","is_error":false}
            tool_call_response {"id":"c2","content":"This tool request was intentionally rejected by the user. Please evaluate and either ask the user why it was rejected, or infer the reason by looking at the historical messages in the conversation.","is_error":false}
            config_delta {"delta":{"assistant":{"name":"x"}},"claims":{"assistant.name":[]}}
            chat_response {"message":"Done."}"#]],
    )
    .await;
    assert_eq!(world.model.requests().len(), 2);
    assert!(
        world
            .log
            .text()
            .contains("changed c1 changing {\"assistant\":{\"name\":\"x\"}} unset []")
    );
}

#[tokio::test]
async fn stop_and_cancel_drop_what_was_approved_and_do_not_claim_it() {
    let ended = expect![[r#"
        tool_call_response {"id":"c1","content":"Tool execution cancelled by user.","is_error":false}
        tool_call_response {"id":"c2","content":"Tool execution cancelled by user.","is_error":false}"#]];
    let world = interrupted(|_, handle| handle.interrupt(Interrupt::Stop), &ended).await;
    assert!(!world.log.text().contains("changed "));
    let world = interrupted(|_, handle| handle.cancel(), &ended).await;
    assert!(!world.log.text().contains("changed "));
}

#[tokio::test]
async fn a_restart_drops_what_was_approved_and_asks_again() {
    let world = interrupted(
        |world, handle| {
            std::fs::write(world.root.join("again"), "").unwrap();
            handle.interrupt(Interrupt::Restart);
        },
        &expect![[r#"
            tool_call_response {"id":"c1","content":"changed","is_error":false}
            tool_call_response {"id":"c2","content":"again\n","is_error":false}
            config_delta {"delta":{"assistant":{"name":"x"}},"claims":{"assistant.name":[]}}
            chat_response {"message":"Done."}"#]],
    )
    .await;
    assert!(world.root.join("runs1").exists());
    assert_eq!(world.people.asked().lines().count(), 2);
}

#[tokio::test]
async fn a_turn_that_is_dropped_leaves_no_change_behind() {
    let world = World::new(&changing_and_slow(), CHANGING_AND_SLOW).with_people([approved()]);
    let writer = world.conversation();
    let id = writer.conversation().id;
    let runtime = world.runtime();
    let (_handle, control) = TurnControl::new();
    tokio::select! {
        _ = runtime.turn(writer, request("Do it."), control) => panic!("the slow tool never ends"),
        () = async {
            world.people.are_asked(1).await;
            while !world.root.join("slow").exists() {
                tokio::task::yield_now().await;
            }
        } => {}
    }
    drop(runtime);
    // The call lets go of the conversation when its task is gone.
    let writer = loop {
        match world.store.open(id) {
            Ok(writer) => break writer,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    drop(writer);
    expect![[r#"
        turn_start {}
        chat_request {"content":"Do it."}
        tool_call_request {"id":"c1","name":"changing","arguments":{}}
        tool_call_request {"id":"c2","name":"slow","arguments":{}}
    "#]]
    .assert_eq(&world.recorded(id));
    assert!(!world.log.text().contains("changed "));
}

#[tokio::test]
async fn a_change_that_cannot_be_resolved_ends_the_turn_and_stays() {
    let mut tool = shell(
        r#"echo '{"type":"success","content":"hidden","config":{"assistant":{"tool_choice":"gone"}}}'"#,
    );
    tool["access"] = json!({"config": [
        {"path": "assistant.tool_choice", "write": true, "apply": "unattended"},
    ]});
    let world = World::new(&json!({"t": tool}), ONE_CALL);
    let recorded = world.turn().await;
    expect![[r#"
        turn_start {}
        chat_request {"content":"Do it."}
        chat_response {"message":"I look."}
        tool_call_request {"id":"c1","name":"t","arguments":{}}
        tool_call_response {"id":"c1","content":"hidden","is_error":false}
        config_delta {"delta":{"assistant":{"tool_choice":"gone"}},"claims":{"assistant.tool_choice":[]}}
    "#]].assert_eq(&recorded);
    let log = world.log.text();
    let end = log.lines().last().unwrap();
    let id = end.rsplit(' ').next().unwrap();
    expect!["end failed: the config is no longer usable after a tool changed it: `assistant.tool_choice`: `gone` is no tool, write `auto`, `none`, `required` or the name of a tool; a config change that the conversation has recorded is the reason: go on with `jp-lsp query --conversation ID --model ID` or `--cfg PATH=VALUE`, or take the last change back with `jp-lsp conversation undo-config ID`"].assert_eq(&end.replace(id.trim_end_matches('`'), "ID"));
    assert_eq!(world.model.requests().len(), 1);
}

#[tokio::test]
async fn a_config_change_lands_as_one_event_and_the_next_cycle_obeys_it() {
    let mut tool = shell(
        r#"
        echo '{"type":"success","content":"switched","config":{"assistant":{"model":{"id":"test/other"}},"conversation":{"tools":{"t":{"enable":false}}}}}'
    "#,
    );
    tool["access"] = json!({"config": [
        {"path": "assistant.model", "write": true, "apply": "unattended"},
        {"path": "conversation.tools.t.enable", "write": true, "apply": "ask"},
    ]});
    let world = World::new(&json!({"t": tool}), ONE_CALL).with_people([approved()]);
    let recorded = world.turn().await;
    let recorded: Vec<&str> = recorded.lines().skip(4).collect();
    expect![[r#"
        tool_call_response {"id":"c1","content":"switched","is_error":false}
        config_delta {"delta":{"assistant":{"model":{"id":{"provider":"test","name":"other"}}},"conversation":{"tools":{"t":{"enable":{"state":false,"allow_toggle":"any"}}}}},"claims":{"assistant.model.id.name":[],"assistant.model.id.provider":[],"conversation.tools.t.enable.allow_toggle":[],"conversation.tools.t.enable.state":[]}}
        chat_response {"message":"Done."}"#]].assert_eq(&recorded.join("\n"));
    let requests = world.model.requests();
    let models: Vec<&str> = requests
        .iter()
        .map(|request| request.model.as_str())
        .collect();
    assert_eq!(models, ["main", "other"]);
    assert!(requests[0].tools.iter().any(|tool| tool.name == "t"));
    assert!(!requests[1].tools.iter().any(|tool| tool.name == "t"));
}

/// Numbers its runs, keeps what it was given in each, and says what `outcome` holds.
fn keeping(outcome: &str, rules: Value) -> Value {
    let mut tool = shell(&format!(
        "n=$(ls given* 2>/dev/null | wc -l); cat > given$n; echo '{outcome}'"
    ));
    tool["access"] = json!({ "config": rules });
    tool
}

const RENAMES: &str =
    r#"{"type":"success","content":"renamed","config":{"assistant":{"name":"x"}}}"#;

/// What became of the one call, and how the turn went on.
fn after_the_call(recorded: &str) -> String {
    let lines: Vec<&str> = recorded.lines().skip(4).collect();
    lines.join("\n")
}

#[tokio::test]
async fn a_skipped_result_does_not_revoke_an_approved_change() {
    let mut tool = keeping(RENAMES, json!([{"path": "assistant.name", "write": true}]));
    tool["result"] = "skip".into();
    let world = World::new(&json!({"t": tool}), ONE_CALL).with_people([approved()]);
    expect![[r#"
        tool_call_response {"id":"c1","content":"Result delivery skipped by configuration.","is_error":false}
        config_delta {"delta":{"assistant":{"name":"x"}},"claims":{"assistant.name":[]}}
        chat_response {"message":"Done."}"#]]
    .assert_eq(&after_the_call(&world.turn().await));
}

#[tokio::test]
async fn a_change_is_settled_before_its_result_is_asked_about() {
    let mut tool = keeping(RENAMES, json!([{"path": "assistant.name", "write": true}]));
    tool["result"] = "ask".into();
    let world = World::new(&json!({"t": tool}), ONE_CALL).with_people([
        rejected(None),
        approved(),
        approved(),
    ]);
    world.turn().await;
    expect![[r#"
        local t: delta assistant.name by /w/conversation.tools.t.access.configSome(0) Some(0)
        local t: delta assistant.name by /w/conversation.tools.t.access.configSome(0) Some(0)
        local t: result "renamed" is_error false edit false by /w/conversation.tools.t.resultNone None"#]]
    .assert_eq(&world.people.asked());
}

#[tokio::test]
async fn a_later_cycle_sees_the_change() {
    let rules =
        json!([{"path": "assistant.name", "read": true, "write": true, "apply": "unattended"}]);
    let world = World::new(
        &json!({"t": keeping(RENAMES, rules)}),
        r#"
        [[cycles]]
        batches = [[{ tool_call = { id = "c1", name = "t", arguments = {} } }]]
        [[cycles]]
        batches = [[{ tool_call = { id = "c2", name = "t", arguments = {} } }]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    world.turn().await;
    let seen = |run: usize| {
        let given = std::fs::read_to_string(world.root.join(format!("given{run}"))).unwrap();
        let given: Value = serde_json::from_str(&given).unwrap();
        given["context"]["config"].clone()
    };
    assert_eq!(seen(0), json!({}));
    assert_eq!(seen(1), json!({"assistant": {"name": "x"}}));
}

#[tokio::test]
async fn an_interrupt_of_the_model_leaves_recorded_changes_alone() {
    let rules = json!([{"path": "assistant.name", "write": true, "apply": "unattended"}]);
    let world = World::new(
        &json!({"t": keeping(RENAMES, rules)}),
        r#"
        [[cycles]]
        batches = [[{ text = "I look." }, { tool_call = { id = "c1", name = "t", arguments = {} } }]]
        [[cycles]]
        batches = [[{ text = "Hm" }], [{ text = " for ever" }]]
        delay_ms = 100000
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    let recorded = {
        let world = &world;
        world
            .turn_while(|handle| async move {
                world.log.hears("text Hm").await;
                handle.interrupt(Interrupt::Restart);
            })
            .await
    };
    expect![[r#"
        tool_call_response {"id":"c1","content":"renamed","is_error":false}
        config_delta {"delta":{"assistant":{"name":"x"}},"claims":{"assistant.name":[]}}
        chat_response {"message":"Done."}"#]]
    .assert_eq(&after_the_call(&recorded));
}

#[tokio::test]
async fn a_formatter_changes_no_config() {
    let mut tool = shell("echo ran");
    tool["style"] = json!({"parameters": {"program": "echo", "args": [RENAMES]}});
    tool["access"] = json!({"config": [
        {"path": "assistant.name", "write": true, "apply": "unattended"},
    ]});
    let world = World::new(&json!({"t": tool}), ONE_CALL);
    let recorded = world.turn().await;
    assert!(
        recorded.contains(r#""rendered_arguments":"renamed""#),
        "{recorded}"
    );
    assert!(!recorded.contains("config_delta"), "{recorded}");
}

/// A builtin that wants more than it may.
#[derive(Debug)]
struct Greedy;

impl Builtin for Greedy {
    fn defaults(&self) -> Value {
        json!({"source": "builtin", "run": "unattended", "result": "unattended"})
    }

    fn execute(&self, _: &BuiltinCall<'_>) -> Outcome {
        Outcome::from_json(RENAMES).unwrap()
    }
}

#[tokio::test]
async fn changes_of_a_builtin_tool_are_dropped_with_a_warning() {
    let world = World::new(&json!({}), ONE_CALL);
    let mut parts = world.parts(Arc::clone(&world.log) as Arc<dyn EventSink>);
    parts.builtins = Builtins::default().with("t", Greedy);
    let warnings = Warnings::default();
    let recorded = {
        let _listening = warnings.listen();
        let (_handle, control) = TurnControl::new();
        let writer = world.conversation();
        let id = writer.conversation().id;
        world
            .runtime_of(parts)
            .turn(writer, request("Do it."), control)
            .await;
        world.recorded(id)
    };
    expect![[r#"
        tool_call_response {"id":"c1","content":"renamed","is_error":false}
        chat_response {"message":"Done."}"#]]
    .assert_eq(&after_the_call(&recorded));
    expect![[r#"WARN jp_agent::delta::review: only local tools can change the config; `config` and `unset` of the outcome are dropped tool="t" source="builtin""#]].assert_eq(warnings.text().trim());
}

#[tokio::test]
async fn a_builtin_cannot_be_called_by_another_name() {
    let world = World::new(&json!({"ask": {"source": "builtin.ask_user"}}), ONE_CALL);
    world.turn().await;
    expect!["end failed: `conversation.tools.ask.source`: there is no builtin tool `ask`, write `local` or `mcp.<server>`"].assert_eq(world.log.text().lines().last().unwrap());
}

#[tokio::test]
async fn grants_that_nobody_understands_refuse_the_change_and_not_the_turn() {
    let mut told = String::new();
    for path in ["assistant..name", "conversation", ""] {
        let mut tool = shell(
            r#"echo '{"type":"success","content":"done","config":{"assistant":{"name":"x"}}}'"#,
        );
        tool["access"] = json!({"config": [{"path": path, "write": true, "apply": "unattended"}]});
        let world = World::new(&json!({"t": tool}), ONE_CALL);
        let recorded = world.turn().await;
        assert!(!recorded.contains("config_delta"), "{recorded}");
        assert_eq!(world.log.text().lines().last(), Some("end completed"));
        told += &format!("{}\n", responses(&recorded));
    }
    expect![[r#"
        {"id":"c1","content":"invalid access policy for tool 't': access.config, rule 1: config path `assistant..name` has an empty segment; write the dots only between keys","is_error":true}
        {"id":"c1","content":"Tool 't' failed to produce a valid config delta after 3 attempts.\nLast error: write not granted at assistant.name.","is_error":true}
        {"id":"c1","content":"invalid access policy for tool 't': access.config, rule 1: the config path is empty; write a path such as `assistant.model`","is_error":true}
    "#]].assert_eq(&told);
}

/// Somebody who agrees to everything, and what changes were said to loosen.
#[derive(Debug, Default)]
struct Agreeing(Mutex<Vec<String>>);

impl Prompts for Agreeing {
    fn ask(&self, request: PromptRequest, _: CancellationToken) -> BoxFuture<'_, PromptOutcome> {
        if let PromptSubject::Delta(delta) = request.subject {
            self.0.lock().unwrap().extend(delta.loosens);
        }
        async { approved() }.boxed()
    }

    fn is_available(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_person_is_told_what_a_change_would_have_meant_for_the_calls_so_far() {
    let change = json!({
        "type": "success",
        "content": "changed",
        "config": {"conversation": {"tools": {"edit": {"policy": {"run": {
            "value": [{"arg": "/path", "prefix": "src", "mode": "unattended"}, {"mode": "ask"}],
            "strategy": "replace",
        }}}}}},
    });
    let mut changing = shell(&format!("echo '{change}'"));
    changing["access"] =
        json!({"config": [{"path": "conversation.tools.edit", "write": true, "delete": true}]});
    let edit = json!({
        "source": "local",
        "command": "echo {{tool.arguments.path}}",
        "policy": {"run": [{"arg": "/path", "prefix": "docs", "mode": "skip"}, {"mode": "ask"}]},
        "parameters": {"path": {"type": "path", "required": true}},
    });
    let world = World::new(
        &json!({"edit": edit, "changing": changing}),
        r#"
        [[cycles]]
        batches = [[{ tool_call = { id = "c1", name = "edit", arguments = { path = "src/main.rs" } } }]]
        [[cycles]]
        batches = [[{ tool_call = { id = "c2", name = "changing", arguments = {} } }]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    let person = Arc::new(Agreeing::default());
    let mut parts = world.parts(Arc::clone(&world.log) as Arc<dyn EventSink>);
    parts.prompts = Arc::clone(&person) as Arc<dyn Prompts>;
    let (_handle, control) = TurnControl::new();
    world
        .runtime_of(parts)
        .turn(world.conversation(), request("Do it."), control)
        .await;
    expect![[r#"
        `edit` would no longer ask before it runs with `path` = "src/main.rs", as in a call of this conversation
        `edit` would ask instead of being skipped for `docs`
        `edit` would no longer ask for `src`"#]].assert_eq(&person.0.lock().unwrap().join("\n"));
}
