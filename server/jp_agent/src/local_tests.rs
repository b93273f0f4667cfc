use std::collections::BTreeSet;
use std::time::Duration;

use camino::Utf8PathBuf;
use expect_test::{Expect, expect};
use indexmap::IndexMap;
use jp_conversation::{ConversationId, Timestamp};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::LocalTool;
use crate::config::TurnConfig;
use crate::ports::{Execution, Executor as _, ToolRun};
use crate::process::ProcessLimits;
use crate::trust::TrustedWorkspace;

fn tool(tool: Value) -> LocalTool {
    let mut config = json!({"assistant": {"model": {"id": "test/model"}}});
    config["conversation"]["tools"]["t"] = tool;
    config["conversation"]["tools"]["t"]["source"] = "local.own".into();
    let config = TurnConfig::resolve(&config, &IndexMap::new()).unwrap();
    let limits = ProcessLimits {
        timeout: Duration::from_secs(60),
        output: 10_000,
    };
    LocalTool::new(&config.tools["t"], limits)
}

struct Workspace {
    directory: TempDir,
    trusted: TrustedWorkspace,
}

fn workspace() -> Workspace {
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
    Workspace {
        trusted: TrustedWorkspace::granted(root, "abcde"),
        directory,
    }
}

fn call(arguments: Value) -> ToolRun {
    let Value::Object(arguments) = arguments else {
        panic!("an object");
    };
    ToolRun {
        name: "t".to_owned(),
        arguments,
        answers: IndexMap::from([("q".to_owned(), json!(true))]),
        secrets: BTreeSet::new(),
        config: Some(json!({"assistant": {"name": "x"}})),
        delta_rejection: None,
        conversation: ConversationId::at(Timestamp::EPOCH),
    }
}

async fn execute(config: Value, arguments: Value) -> Execution {
    let workspace = workspace();
    tool(config)
        .execute(
            &workspace.trusted,
            call(arguments),
            CancellationToken::new(),
        )
        .await
}

async fn script(script: &str, expected: Expect) {
    let command = json!({"command": {"program": "sh", "args": ["-c", script, "{{tool.name}}"]}});
    let text = match execute(command, json!({})).await {
        Execution::Success(success) => format!("success: {}", success.content),
        Execution::Error(error) => format!("error: {error}"),
        other => format!("{other:?}"),
    };
    expected.assert_eq(&text);
}

#[tokio::test]
async fn a_command_without_templates_gets_one_document_on_standard_input() {
    let workspace = workspace();
    let config = json!({
        "command": "cat",
        "options": {"deep": {"a.b": [1]}},
        "access": {"fs": [{"path": "./src/", "read": true}]},
    });
    let ran = tool(config)
        .execute(
            &workspace.trusted,
            call(json!({"a": 1})),
            CancellationToken::new(),
        )
        .await;
    let Execution::Success(success) = ran else {
        panic!("{ran:?}");
    };
    let text = success
        .content
        .replace(workspace.trusted.root().as_str(), "/w");
    let document: Value = serde_json::from_str(&text).unwrap();
    expect![[r#"
        {
          "tool": {
            "name": "own",
            "arguments": {
              "a": 1
            },
            "answers": {
              "q": true
            },
            "options": {
              "deep": {
                "a.b": [
                  1
                ]
              }
            }
          },
          "context": {
            "root": "/w",
            "action": "run",
            "access": {
              "fs": [
                {
                  "path": "src",
                  "lexical_path": "src",
                  "external": false,
                  "approved_target": null,
                  "read": true,
                  "write": null,
                  "create": null,
                  "update": null,
                  "delete": null,
                  "execute": null
                }
              ],
              "net": [],
              "env": []
            },
            "workspace_id": "abcde",
            "conversation_id": "jp-c0",
            "config": {
              "assistant": {
                "name": "x"
              }
            }
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&document).unwrap());
}

#[tokio::test]
async fn options_are_the_users_and_not_the_models() {
    let echo = |options: Value| json!({"command": {"program": "printf", "args": ["%s", "{{tool}}"]}, "options": options});
    for (options, arguments, expected) in [
        (json!({}), json!({"options": {"a": 1}}), json!({})),
        (
            json!({"a": 2}),
            json!({"options": {"a": 1}}),
            json!({"a": 2}),
        ),
    ] {
        let Execution::Success(success) = execute(echo(options), arguments.clone()).await else {
            panic!("no success");
        };
        let tool: Value = serde_json::from_str(&success.content).unwrap();
        assert_eq!(tool["options"], expected);
        assert_eq!(tool["arguments"], arguments);
    }
}

/// What a tool with an `external` rule for `shared`, a link to `out` beside the workspace, gets to see of its grants.
async fn external(approvals: Option<&str>, expected: Expect) {
    let base = tempfile::tempdir().unwrap();
    let base = Utf8PathBuf::from_path_buf(base.path().canonicalize().unwrap()).unwrap();
    let root = base.join("w");
    std::fs::create_dir_all(&root).unwrap();
    std::fs::create_dir_all(base.join("out")).unwrap();
    std::os::unix::fs::symlink("../out", root.join("shared")).unwrap();
    let file = base.join("approvals.json");
    if let Some(text) = approvals {
        std::fs::write(&file, text.replace("<base>", base.as_str())).unwrap();
    }
    let trusted = TrustedWorkspace::granted(root, "abcde").with_approvals(Some(file));
    let tool = tool(json!({
        "command": {"program": "printf", "args": ["%s", "{{context.access.fs}}"]},
        "access": {"fs": [{"path": "shared", "external": true, "read": true}]},
    }));
    let mut text = tool.access_notices(&trusted).join("\n");
    let ran = tool
        .execute(&trusted, call(json!({})), CancellationToken::new())
        .await;
    let Execution::Success(success) = ran else {
        panic!("{ran:?}");
    };
    let rules: Vec<Value> = serde_json::from_str(&success.content).unwrap();
    for rule in rules {
        text.push_str(&format!(
            "\n{} -> {}, read {}",
            rule["path"], rule["approved_target"], rule["read"]
        ));
    }
    expected.assert_eq(&text.replace(base.as_str(), "<base>"));
}

#[tokio::test]
#[cfg(unix)]
async fn an_external_rule_leads_where_a_person_has_approved() {
    external(
        Some(r#"{"mounts": [{"rule_path": "shared", "canonical_target": "<base>/out"}]}"#),
        expect![[r#"

            "shared" -> "<base>/out", read true"#]],
    )
    .await;
}

#[tokio::test]
#[cfg(unix)]
async fn an_external_rule_without_approval_grants_nothing() {
    external(
        None,
        expect![[r#"
            tool `t`: external rule `shared` leads to `<base>/out`, which is not approved; the rule is left out; approve it with `--mount shared=<base>/out` of `jp`
            "." -> null, read null"#]],
    )
    .await;
    external(
        Some(r#"{"mounts": [{"rule_path": "shared", "canonical_target": "<base>/elsewhere"}]}"#),
        expect![[r#"
            tool `t`: external rule `shared` leads to `<base>/out`, which is not approved; the rule is left out; approve it with `--mount shared=<base>/out` of `jp`
            "." -> null, read null"#]],
    )
    .await;
    external(
        Some("{\"mounts\": ["),
        expect![[r#"
            tool `t`: `<base>/approvals.json` approves nothing: EOF while parsing a list at line 1 column 12; repair or remove it
            tool `t`: external rule `shared` leads to `<base>/out`, which is not approved; the rule is left out; approve it with `--mount shared=<base>/out` of `jp`
            "." -> null, read null"#]],
    )
    .await;
}

#[tokio::test]
async fn a_formatter_gets_options_and_access_and_no_config() {
    let workspace = workspace();
    let config = json!({
        "style": {"parameters": {"program": "sh", "args": ["-c", "echo \"$0\" | cut -c1-2000", "{{tool}}{{context}}"], "shell": false}},
        "options": {"o": 1},
        "access": {"env": [{"name": "HOME", "read": true}]},
    });
    let rendered = tool(config)
        .format(
            &workspace.trusted,
            &call(json!({"a": 1})),
            &CancellationToken::new(),
        )
        .await
        .unwrap()
        .unwrap();
    expect![[r#"
        {"name":"own","arguments":{"a":1},"answers":{"q":true},"options":{"o":1}}{"root":"/w","action":"format_arguments","access":{"fs":[],"net":[],"env":[{"name":"HOME","read":true}]},"workspace_id":"abcde","conversation_id":"jp-c0"}
    "#]]
    .assert_eq(&rendered.replace(workspace.trusted.root().as_str(), "/w"));
}

#[tokio::test]
async fn plain_output_of_a_success_is_the_result() {
    script("printf 'a\\nb\\n'", expect!["success: a\nb\n"]).await;
}

#[tokio::test]
async fn a_failing_command_tells_both_outputs() {
    script(
        "echo out; echo err >&2; exit 2",
        expect![[
            r#"error: {"message":"Tool 't' execution failed.","ended":"status 2","stderr":"err\n","stdout":"out\n"}"#
        ]],
    )
    .await;
}

#[tokio::test]
async fn an_outcome_counts_more_than_the_status() {
    script(
        r#"echo '{"type":"success","content":"done"}'; exit 1"#,
        expect!["success: done"],
    )
    .await;
}

#[tokio::test]
async fn an_error_is_shorter_when_it_may_pass() {
    script(
        r#"echo '{"type":"error","message":"m","trace":["a"],"transient":true}'"#,
        expect![[r#"error: {"message":"m","trace":["a"]}"#]],
    )
    .await;
    script(
        r#"echo '{"type":"error","message":"m","trace":[],"transient":false}'"#,
        expect![[r#"error: {"type":"error","message":"m","trace":[],"transient":false}"#]],
    )
    .await;
}

#[tokio::test]
async fn half_an_outcome_is_no_success() {
    script(
        r#"printf '{"type":"success","content":"half'"#,
        expect!["error: Tool 't' returned an unusable result: the outcome ends in the middle."],
    )
    .await;
    script(
        r#"echo '{"type":"success"}'"#,
        expect!["error: Tool 't' returned an unusable result: invalid `success` outcome: missing field `content`."],
    )
    .await;
    script(
        r#"echo '{"type":"error","message":"m","unset":["a"]}'"#,
        expect!["error: Tool 't' returned an unusable result: a `error` outcome cannot carry `unset`; return it with the final `success` outcome."],
    )
    .await;
}

#[tokio::test]
async fn invalid_utf8_is_said_to_be_so() {
    script(
        r"printf 'a\377b'",
        expect!["success: a\u{fffd}b\n[The output was not valid UTF-8; what could not be read is shown as \u{fffd}.]"],
    )
    .await;
}

#[tokio::test]
async fn a_flood_is_stopped() {
    script(
        "yes",
        expect!["error: Tool 't' wrote more than 10000 bytes to standard output and was stopped."],
    )
    .await;
}

#[tokio::test]
async fn a_tool_that_closes_its_output_has_an_empty_result() {
    script("exec >&-; exit 0", expect!["success: "]).await;
}

#[tokio::test]
async fn an_argument_above_the_limit_says_what_to_do() {
    let config = json!({"command": "true {{tool}}"});
    let ran = execute(config, json!({"content": "x".repeat(140_000)})).await;
    let Execution::Error(error) = ran else {
        panic!("{ran:?}");
    };
    expect!["Tool 't' was not started: argument 1 of its command is 140075 bytes and the operating system takes 131071; drop `{{tool}}` and `{{context}}` from the command, then the tool gets its input on standard input"]
        .assert_eq(&error);
}

#[tokio::test]
async fn a_policy_that_leads_out_of_the_workspace_starts_nothing() {
    let workspace = workspace();
    let marker = workspace.directory.path().join("ran");
    let config = json!({"command": format!("touch {}", marker.display()), "access": {"fs": [{"path": "../x", "read": true}]}});
    let ran = tool(config)
        .execute(
            &workspace.trusted,
            call(json!({})),
            CancellationToken::new(),
        )
        .await;
    let Execution::Error(error) = ran else {
        panic!("{ran:?}");
    };
    assert!(!marker.exists());
    expect!["invalid access policy for tool 't': access.fs, rule 1: access rule path is not workspace-relative: path escapes the workspace: ../x"].assert_eq(&error);
}

#[tokio::test]
async fn a_tool_without_a_command_says_so() {
    let ran = execute(json!({}), json!({})).await;
    assert_eq!(
        ran,
        Execution::Error("Tool 't' has no command. Set `conversation.tools.t.command`.".to_owned())
    );
}

#[tokio::test]
async fn a_formatter_cannot_ask() {
    let workspace = workspace();
    let question =
        r#"{"type":"needs_input","question":{"id":"q","text":"Sure?","answer_type":"Boolean"}}"#;
    let config =
        json!({"style": {"parameters": {"program": "echo", "args": [question], "shell": false}}});
    let formatted = tool(config)
        .format(
            &workspace.trusted,
            &call(json!({})),
            &CancellationToken::new(),
        )
        .await;
    assert_eq!(
        formatted,
        Err("it asked `Sure?`, and a formatter cannot ask".to_owned())
    );
}
