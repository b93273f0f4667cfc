//! Whole turns, with the recorded stream asserted.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that goes wrong"
)]

#[path = "turn/approval.rs"]
mod approval;
#[path = "turn/interrupts.rs"]
mod interrupts;

#[path = "support/harness.rs"]
mod harness;

use expect_test::{Expect, expect};
use harness::{ONE_CALL, World, approved, rejected, responses, shell};
use jp_agent::{Interrupt, PromptOutcome};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// One call of the tool `t`, and what becomes of it.
async fn one_call(tool: Value, people: Vec<PromptOutcome>, expected: Expect) -> World {
    let world = World::new(&json!({"t": tool}), ONE_CALL).with_people(people);
    result_of_one_call(&world, expected).await;
    world
}

async fn result_of_one_call(world: &World, expected: Expect) {
    let recorded = world.turn().await;
    expected.assert_eq(&responses(&recorded));
    assert_eq!(
        recorded.lines().last(),
        Some(r#"chat_response {"message":"Done."}"#)
    );
}

fn asking() -> Value {
    json!({"source": "local", "command": "touch ran"})
}

#[tokio::test]
async fn two_calls_run_at_the_same_time_and_answer_in_order() {
    let world = World::new(
        &json!({
            // Each waits for a file that only the other one makes, and the first one ends last.
            "first": shell("touch a; until [ -e b ]; do :; done; echo one"),
            "second": shell("until [ -e a ]; do :; done; echo two; touch b"),
        }),
        r#"
        [[cycles]]
        batches = [
            [{ reasoning = "Both." }, { text = ["I ", "look."] }],
            [{ tool_call = { id = "c1", name = "first", arguments = {} } }],
            [{ tool_call = { id = "c2", name = "second", arguments = {} } }],
        ]
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    let recorded = world.turn().await;
    expect![[r#"
        turn_start {}
        chat_request {"content":"Do it."}
        chat_response {"reasoning":"Both."}
        chat_response {"message":"I look."}
        tool_call_request {"id":"c1","name":"first","arguments":{}}
        tool_call_request {"id":"c2","name":"second","arguments":{}}
        tool_call_response {"id":"c1","content":"one\n","is_error":false}
        tool_call_response {"id":"c2","content":"two\n","is_error":false}
        chat_response {"message":"Done."}
    "#]]
    .assert_eq(&recorded);
    expect![[r#"
        event turn_start
        event chat_request
        text I 
        text look.
        event chat_response
        event chat_response
        event tool_call_request
        event tool_call_request
        event tool_call_response
        event tool_call_response
        text Done.
        event chat_response
        end completed"#]]
    .assert_eq(&world.log.text());
}

#[tokio::test]
async fn calls_that_end_out_of_order_answer_in_order() {
    let tool = |name: &str| {
        let mut tool = shell(&format!("echo {name}"));
        tool["style"] = json!({"parameters": format!("echo {name} {{{{tool.arguments.n}}}}")});
        tool["parameters"] = json!({"n": {"type": "integer"}});
        tool
    };
    let world = World::new(
        &json!({"first": tool("first"), "second": tool("second")}),
        r#"
        [[cycles]]
        batches = [[
            { tool_call = { id = "c1", name = "first", fragments = ['{"n"'], open = true } },
            { tool_call = { id = "c2", name = "second", arguments = { n = 2 } } },
            { arguments = { id = "c1", json = ': 1}' } },
        ]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    let recorded = world.turn().await;
    let recorded: Vec<&str> = recorded.lines().skip(2).collect();
    expect![[r#"
        tool_call_request {"id":"c1","name":"first","arguments":{"n":1},"metadata":{"rendered_arguments":"first 1\n"}}
        tool_call_request {"id":"c2","name":"second","arguments":{"n":2},"metadata":{"rendered_arguments":"second 2\n"}}
        tool_call_response {"id":"c1","content":"first\n","is_error":false}
        tool_call_response {"id":"c2","content":"second\n","is_error":false}
        chat_response {"message":"Done."}"#]]
    .assert_eq(&recorded.join("\n"));
}

#[tokio::test]
async fn a_call_in_which_the_model_was_stopped_does_not_run() {
    for reason in ["max_tokens", "refused", "something_else"] {
        let world = World::new(
            &json!({"t": shell("echo ran")}),
            &format!(
                r#"
                [[cycles]]
                batches = [[
                    {{ tool_call = {{ id = "c1", name = "t", arguments = {{}} }} }},
                    {{ tool_call = {{ id = "c2", name = "t", arguments = {{}} }} }},
                ]]
                finish_reason = "{reason}"
                [[cycles]]
                batches = [[{{ text = "Done." }}]]
                "#
            ),
        );
        result_of_one_call(
            &world,
            expect![[r#"
                {"id":"c1","content":"ran\n","is_error":false}
                {"id":"c2","content":"Tool call was not run because the answer was cut off before the call was complete. Make the call again, with shorter arguments where possible.","is_error":true}"#]],
        )
        .await;
    }
}

#[tokio::test]
async fn an_answer_that_ends_early_runs_and_records_no_call() {
    let world = World::new(
        &json!({"t": shell("touch ran")}),
        r#"
        [[cycles]]
        batches = [[{ text = "Half" }, { tool_call = { id = "c1", name = "t", arguments = {} } }]]
        truncated = true
        "#,
    );
    let mut config = world.config.lock().unwrap().clone();
    config["assistant"]["request"] = json!({"max_retries": 0});
    *world.config.lock().unwrap() = config;
    let recorded = world.turn().await;
    expect![[r#"
        turn_start {}
        chat_request {"content":"Do it."}
        chat_response {"message":"Half"}
    "#]]
    .assert_eq(&recorded);
    assert!(!world.root.join("ran").exists());
    assert_eq!(
        world.log.text().lines().last(),
        Some("end failed: the answer of test ended early")
    );
}

#[tokio::test]
async fn an_emptied_result_is_withheld_in_words() {
    let edited = |text: &str| PromptOutcome::Edited { value: text.into() };
    let told =
        |content: &str| format!("{{\"id\":\"c1\",\"content\":{content:?},\"is_error\":false}}");
    let withheld = "Result withheld by user: it was emptied in the editor.";
    for (command, written, content) in [
        ("echo secret", "", withheld),
        ("echo secret", " \n\t", withheld),
        ("echo secret >&2; exit 3", "", withheld),
        ("echo secret", "public", "public"),
        // A tool that says nothing has said so.
        ("true", "", ""),
    ] {
        let tool = json!({
            "source": "local",
            "command": {"program": command, "shell": true},
            "policy": {"run": "unattended", "result": "edit"},
        });
        let world = World::new(&json!({"t": tool}), ONE_CALL).with_people([edited(written)]);
        assert_eq!(
            responses(&world.turn().await),
            told(content),
            "{command} {written:?}"
        );
    }
}

#[tokio::test]
async fn bad_arguments_never_reach_a_policy() {
    let world = World::new(
        &json!({"t": {"source": "local", "command": "true", "parameters": {"path": {"type": "path"}}}}),
        r#"
        [[cycles]]
        batches = [[
            { tool_call = { id = "c1", name = "t", arguments = { pth = "a" } } },
            { tool_call = { id = "c2", name = "t", fragments = ["{\"path\""] } },
            { tool_call = { id = "c3", name = "u", arguments = {} } },
        ]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    result_of_one_call(
        &world,
        expect![[r#"
            {"id":"c1","content":"Invalid arguments: unknown argument `pth`, did you mean `path`. Call `describe_tools(tools: [\"t\"])` to learn what the tool accepts.","is_error":true}
            {"id":"c2","content":"Invalid arguments: the arguments are no JSON object: EOF while parsing an object at line 1 column 7. Call `describe_tools(tools: [\"t\"])` to learn what the tool accepts.","is_error":true}
            {"id":"c3","content":"Tool 'u' is not available. It may have been available earlier in this conversation but is no longer enabled. Do not call it again; continue with the tools that are available.","is_error":true}"#]],
    )
    .await;
    assert_eq!(world.people.asked(), "");
}

#[tokio::test]
async fn a_tool_asks_and_runs_again_with_the_answer() {
    let tool = json!({
        "source": "local",
        "run": "unattended",
        "command": {"program": "sh", "args": ["-c", r#"
            case $0 in
            null) echo '{"type":"needs_input","question":{"id":"sure","text":"Sure?","answer_type":"Boolean"}}' ;;
            *) echo "answer $0" ;;
            esac
        "#, "{{tool.answers.sure}}"]},
    });
    let world = one_call(
        tool,
        vec![PromptOutcome::Answered {
            value: json!(true),
            remember: false,
        }],
        expect![[r#"{"id":"c1","content":"answer true\n","is_error":false}"#]],
    )
    .await;
    assert_eq!(
        world.people.asked(),
        r#"local t: question "Sure?" label None by /w/conversation.tools.tNone None"#
    );
}

#[tokio::test]
async fn a_tool_that_asks_for_ever_is_stopped() {
    let mut tool = shell(
        r#"echo '{"type":"needs_input","question":{"id":"q","text":"?","answer_type":"Boolean"}}'"#,
    );
    tool["questions"] = json!({"q": {"answer": true}});
    one_call(
        tool,
        vec![],
        expect![[r#"{"id":"c1","content":"Tool 't' asked more than 100 questions and was stopped.","is_error":true}"#]],
    )
    .await;
}

#[tokio::test]
async fn results_are_delivered_as_the_mode_says() {
    let deliver = |result: &str, outcome: Vec<PromptOutcome>| {
        let mut tool = shell("echo secret");
        tool["result"] = result.into();
        (tool, outcome)
    };
    let table = [
        (
            deliver("skip", vec![]),
            "Result delivery skipped by configuration.",
            false,
        ),
        (deliver("ask", vec![approved()]), "secret\\n", false),
        (
            deliver("ask", vec![rejected(None)]),
            "Result delivery skipped by user.",
            false,
        ),
        (
            deliver("ask", vec![PromptOutcome::Cancelled]),
            "Result delivery cancelled.",
            false,
        ),
        (
            deliver("edit", vec![PromptOutcome::Cancelled]),
            "Result edit cancelled.",
            false,
        ),
        (
            deliver(
                "edit",
                vec![PromptOutcome::Edited {
                    value: json!("public"),
                }],
            ),
            "public",
            false,
        ),
    ];
    for ((tool, outcomes), content, is_error) in table {
        let world = World::new(&json!({"t": tool}), ONE_CALL).with_people(outcomes);
        let recorded = world.turn().await;
        let expected = format!(
            "tool_call_response {{\"id\":\"c1\",\"content\":\"{content}\",\"is_error\":{is_error}}}"
        );
        assert_eq!(recorded.lines().nth(4), Some(expected.as_str()));
    }
    let (tool, _) = deliver("ask", vec![]);
    let world = World::new(&json!({"t": tool}), ONE_CALL);
    result_of_one_call(
        &world,
        expect![[r#"{"id":"c1","content":"The result of tool 't' was not delivered because it needs approval and nobody is available to give it. Do not retry this tool call in this turn; continue without it or explain what is missing.","is_error":true}"#]],
    )
    .await;
}

#[tokio::test]
async fn rules_for_results_look_at_the_arguments_and_not_at_the_output() {
    let tool = |output: &str| {
        json!({
            "source": "local",
            "run": "unattended",
            "command": {"program": "echo", "args": [output]},
            "parameters": {"path": {"type": "path"}},
            "policy": {"result": [
                {"arg": "/path", "prefix": "secret", "mode": "skip"},
                {"mode": "unattended"},
            ]},
        })
    };
    let script = r#"
        [[cycles]]
        batches = [[
            { tool_call = { id = "c1", name = "t", arguments = { path = "secret/key" } } },
            { tool_call = { id = "c2", name = "t", arguments = { path = "src" } } },
        ]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
    "#;
    let world = World::new(&json!({"t": tool("secret/key")}), script);
    result_of_one_call(
        &world,
        expect![[r#"
            {"id":"c1","content":"Result delivery skipped by configuration.","is_error":false}
            {"id":"c2","content":"secret/key\n","is_error":false}"#]],
    )
    .await;
}

#[tokio::test]
async fn a_config_that_cannot_be_understood_ends_the_turn_before_anything_runs() {
    let world = World::new(&json!({"t": {"source": "lokal"}}), ONE_CALL);
    let recorded = world.turn().await;
    expect![[r#"
        turn_start {}
        chat_request {"content":"Do it."}
    "#]]
    .assert_eq(&recorded);
    assert_eq!(
        world.log.text().lines().last(),
        Some(
            "end failed: tool `t`, /w/conversation.tools.t.sourceNone:1: `conversation.tools.t.source`: unknown tool source `lokal`, must be one of: `builtin`, `local`, `mcp`"
        )
    );
    assert_eq!(world.model.requests().len(), 0);
}

#[tokio::test]
#[cfg(unix)]
async fn an_external_rule_that_nobody_has_approved_is_told_to_the_person() {
    let mut tool = shell("echo ok");
    tool["access"] = json!({"fs": [{"path": "up", "external": true, "read": true}]});
    let world = World::new(&json!({"t": tool}), ONE_CALL);
    std::os::unix::fs::symlink("..", world.root.join("up")).unwrap();
    world.turn().await;
    let target = world.root.parent().unwrap();
    assert_eq!(
        world.log.text().lines().find(|line| line.starts_with("notice")),
        Some(
            format!(
                "notice tool `t`: external rule `up` leads to `{target}`, which is not approved; the rule is left out; approve it with `--mount up={target}` of `jp`"
            )
            .as_str()
        )
    );
}

/// A tool with a secret question, whose command holds `argument`.
///
/// Its script is on the command line too, so it spells what it looks for there in two parts.
fn asks_for_a_secret(argument: &str) -> Value {
    json!({
        "source": "local",
        "run": "unattended",
        "command": {"program": "sh", "args": ["-c", r#"
            input=$(cat)
            line=$(tr '\0' ' ' < /proc/$$/cmdline)
            case $input in
            *hunter'22'*)
                case $line in
                *hunter'22'*) echo 'everybody can read it' ;;
                *'"answers":{'}*) echo 'read from standard input' ;;
                esac ;;
            *) echo '{"type":"needs_input","question":{"id":"key","text":"Key?","answer_type":{"type":"secret"}}}' ;;
            esac
        "#, argument]},
    })
}

#[tokio::test]
async fn a_secret_is_for_those_who_read_standard_input() {
    let answer = || PromptOutcome::Answered {
        value: json!("hunter22"),
        remember: false,
    };
    let mut deaf = asks_for_a_secret("{{tool}}");
    deaf["command"]["args"][1] = json!(
        r#"echo '{"type":"needs_input","question":{"id":"key","text":"Key?","answer_type":"Secret"}}'"#
    );
    one_call(
        deaf,
        vec![answer()],
        expect![[r#"{"id":"c1","content":"Tool 't' asked for the secret `key` again after it was given. A secret is handed over on standard input only, since everybody on the machine can read a command line: the tool has to read the JSON document there, and its command need not hold `{{tool}}`.","is_error":true}"#]],
    )
    .await;
    one_call(
        asks_for_a_secret("{{ tool.answers.key }}"),
        vec![answer()],
        expect![[r#"{"id":"c1","content":"Tool 't' was not started: its command names the answer `key`, which is a secret, and everybody on the machine can read a command line; read the JSON document on standard input instead.","is_error":true}"#]],
    )
    .await;
}

#[tokio::test]
async fn a_secret_reaches_the_tool_and_nothing_else() {
    let tool = asks_for_a_secret("{{tool}}");
    let world = World::new(&json!({"t": tool}), ONE_CALL).with_people([PromptOutcome::Answered {
        value: json!("hunter22"),
        remember: false,
    }]);
    let recorded = world.turn().await;
    let recorded: Vec<&str> = recorded.lines().skip(4).collect();
    expect![[r#"
        inquiry_request {"id":"c1.key.1","source":{"source":"tool","name":"t"},"question":{"text":"Key?","answer_type":{"type":"secret"}}}
        inquiry_response {"outcome":"redacted","id":"c1.key.1"}
        tool_call_response {"id":"c1","content":"read from standard input\n","is_error":false}
        chat_response {"message":"Done."}"#]].assert_eq(&recorded.join("\n"));
    assert!(!format!("{:?}", world.model.requests()).contains("hunter22"));
    assert!(!world.log.text().contains("hunter22"));
}
