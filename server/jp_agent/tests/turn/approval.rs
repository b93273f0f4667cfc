//! Calls that a person decides about.

use pretty_assertions::assert_eq;

use super::*;

#[tokio::test]
async fn an_approved_call_runs_and_the_prompt_shows_what_runs_and_why() {
    let tool = json!({
        "source": "local",
        "command": ["unused"],
        "policy": {"run": [
            {"arg": "/path", "prefix": "src", "mode": "unattended"},
            {"mode": "ask"},
        ]},
        "parameters": {"path": {"type": "path", "default": "README.md"}},
    });
    let mut tool = tool;
    tool["command"] = json!("echo {{tool.arguments.path}}");
    let world = one_call(
        tool,
        vec![approved()],
        expect![[r#"{"id":"c1","content":"README.md\n","is_error":false}"#]],
    )
    .await;
    assert_eq!(
        world.people.asked(),
        r#"local t: run {"path":"README.md"} argv ["echo","README.md"] rendered null by /w/conversation.tools.t.policy.runSome(1) Some(1)"#
    );
}

#[tokio::test]
async fn a_rejected_call_does_not_run() {
    let world = one_call(
        asking(),
        vec![rejected(None)],
        expect![[r#"{"id":"c1","content":"Tool skipped by user.","is_error":false}"#]],
    )
    .await;
    assert!(!world.root.join("ran").exists());
    let world = one_call(
        asking(),
        vec![rejected(Some("Use grep."))],
        expect![[r#"{"id":"c1","content":"Tool skipped by user: Use grep.","is_error":false}"#]],
    )
    .await;
    assert!(!world.root.join("ran").exists());
}

#[tokio::test]
async fn with_nobody_to_ask_a_call_does_not_run() {
    for run in ["ask", "edit"] {
        let mut tool = asking();
        tool["run"] = run.into();
        let world = World::new(&json!({"t": tool}), ONE_CALL);
        result_of_one_call(
            &world,
            expect![[r#"{"id":"c1","content":"Tool 't' was not run because it needs approval and nobody is available to give it. Do not retry this tool call in this turn; continue without it or explain what is missing.","is_error":true}"#]],
        )
        .await;
        assert!(!world.root.join("ran").exists());
    }
}

#[tokio::test]
async fn skip_skips() {
    let mut tool = asking();
    tool["run"] = "skip".into();
    let world = one_call(
        tool,
        vec![],
        expect![[r#"{"id":"c1","content":"Tool skipped by user.","is_error":false}"#]],
    )
    .await;
    assert!(!world.root.join("ran").exists());
    assert_eq!(world.people.asked(), "");
}

#[tokio::test]
async fn a_decision_is_remembered_for_the_turn() {
    let script = r#"
        [[cycles]]
        batches = [[{ tool_call = { id = "c1", name = "t", arguments = {} } }]]
        [[cycles]]
        batches = [[{ tool_call = { id = "c2", name = "t", arguments = {} } }]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
    "#;
    let tools = json!({"t": {"source": "local", "command": "echo ran"}});
    let world =
        World::new(&tools, script).with_people([PromptOutcome::Approved { remember: true }]);
    result_of_one_call(
        &world,
        expect![[r#"
            {"id":"c1","content":"ran\n","is_error":false}
            {"id":"c2","content":"ran\n","is_error":false}"#]],
    )
    .await;
    let world = World::new(&tools, script).with_people([PromptOutcome::Rejected {
        reason: None,
        remember: true,
    }]);
    result_of_one_call(
        &world,
        expect![[r#"
            {"id":"c1","content":"Tool skipped by user.","is_error":false}
            {"id":"c2","content":"Tool skipped by user (remembered).","is_error":false}"#]],
    )
    .await;
}

#[tokio::test]
async fn edited_arguments_are_checked_and_decided_again() {
    let tool = json!({
        "source": "local",
        "command": "echo {{tool.arguments.n}}",
        "parameters": {"n": {"type": "integer", "default": 1}},
        "policy": {"run": [{"arg": "/n", "const": 7, "mode": "skip"}, {"mode": "edit"}]},
    });
    let edited = |n: Value| PromptOutcome::Edited {
        value: json!({"n": n}),
    };
    let world = one_call(
        tool.clone(),
        vec![edited(json!("many")), edited(json!("2"))],
        expect![[r#"{"id":"c1","content":"2\n","is_error":false,"metadata":{"arguments":{"n":2},"original_arguments":{}}}"#]],
    )
    .await;
    assert!(world.log.text().contains(
        "notice Invalid arguments: `n` must be integer, not string. Call `describe_tools(tools: [\"t\"])`"
    ));
    one_call(
        tool,
        vec![edited(json!(7))],
        expect![[r#"{"id":"c1","content":"Tool skipped by user.","is_error":false}"#]],
    )
    .await;
}

#[tokio::test]
async fn a_cancelled_edit_skips_the_call() {
    let mut tool = asking();
    tool["run"] = "edit".into();
    one_call(
        tool,
        vec![PromptOutcome::Cancelled],
        expect![[
            r#"{"id":"c1","content":"Tool skipped by user: Edit cancelled","is_error":false}"#
        ]],
    )
    .await;
}

#[tokio::test]
async fn whatever_else_comes_back_is_no_approval() {
    let answers = [
        PromptOutcome::Cancelled,
        PromptOutcome::Answered {
            value: json!(true),
            remember: false,
        },
        PromptOutcome::Edited {
            value: json!("touch ran"),
        },
    ];
    for answer in answers {
        let world = one_call(
            asking(),
            vec![answer],
            expect![[r#"{"id":"c1","content":"Tool skipped by user.","is_error":false}"#]],
        )
        .await;
        assert!(!world.root.join("ran").exists());
    }
}

#[tokio::test]
async fn an_unattended_formatter_runs_before_the_prompt() {
    let mut tool = asking();
    tool["command"] = "echo ran".into();
    tool["format"] = "unattended".into();
    tool["style"] = json!({"parameters": "echo pretty {{tool.name}} {{context.action}}"});
    let world = World::new(&json!({"t": tool}), ONE_CALL).with_people([approved()]);
    let recorded = world.turn().await;
    assert_eq!(
        recorded.lines().nth(3),
        Some(
            r#"tool_call_request {"id":"c1","name":"t","arguments":{},"metadata":{"rendered_arguments":"pretty t format_arguments\n"}}"#
        )
    );
    assert_eq!(
        world.people.asked(),
        "local t: run {} argv [\"echo\",\"ran\"] rendered \"pretty t format_arguments\\n\" by nowhere None"
    );
}

#[tokio::test]
async fn a_formatter_that_needs_approval_runs_after_it() {
    let tool = |outcome: &str| {
        json!({
            "source": "local",
            "command": "echo ran",
            "style": {"parameters": {"program": "sh", "args": ["-c", format!("touch formatted; {outcome}")], "shell": false}},
        })
    };
    let world = one_call(
        tool("exit 0"),
        vec![rejected(None)],
        expect![[r#"{"id":"c1","content":"Tool skipped by user.","is_error":false}"#]],
    )
    .await;
    assert!(!world.root.join("formatted").exists());
    let world = one_call(
        tool("echo broken >&2; exit 1"),
        vec![approved()],
        expect![[r#"{"id":"c1","content":"Tool 't' was not executed because the argument formatter failed: {\"message\":\"Tool 't' execution failed.\",\"ended\":\"status 1\",\"stderr\":\"broken\\n\",\"stdout\":\"\"}","is_error":true}"#]],
    )
    .await;
    assert!(world.root.join("formatted").exists());
}
