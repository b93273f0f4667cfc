//! Tools of MCP servers, spoken to over their standard streams.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that goes wrong"
)]

#[path = "support/harness.rs"]
mod harness;

use expect_test::expect;
use harness::{Warnings, World, responses};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const SERVER: &str = r#"#!/bin/sh
echo $$ >> starts
while read -r line; do
    id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
    case $line in
    *'"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"say","description":"Says.","inputSchema":{"type":"object","properties":{"word":{"type":"string"}}}}]}' ;;
    *'"word":"fail"'*) answer '{"content":[{"type":"text","text":"no"}],"isError":true}' ;;
    *'"word":"hang"'*) touch hanging ;;
    *'"word":"all"'*) answer "{\"content\":[{\"type\":\"text\",\"text\":\"$(printf %s "$line" | sed 's/.*"params"://; s/["\\]/ /g')\"}]}" ;;
    *'"word":"config"'*) answer '{"content":[{"type":"text","text":"{\"type\":\"success\",\"content\":\"c\",\"config\":{\"assistant\":{\"name\":\"x\"}}}"}]}' ;;
    *'"word":"env"'*) answer "{\"content\":[{\"type\":\"text\",\"text\":\"${CARGO_MANIFEST_DIR-unset} ${CARGO_PKG_NAME-unset}\"}]}" ;;
    *'"tools/call"'*) answer '{"content":[{"type":"text","text":"one"},{"type":"image","data":"","mimeType":"image/png"},{"type":"text","text":"two"}]}' ;;
    esac
done
"#;

const CALLS: &str = r#"
[[cycles]]
batches = [[
    { tool_call = { id = "c1", name = "talk", arguments = { word = "hi" } } },
    { tool_call = { id = "c2", name = "talk", arguments = { word = "fail" } } },
    { tool_call = { id = "c3", name = "talk", arguments = { word = "env" } } },
]]
[[cycles]]
batches = [[{ text = "Done." }]]
"#;

fn world(server: Value, script: &str) -> World {
    let tool =
        json!({"source": "mcp.s.say", "run": "unattended", "summary": "Ours: {{description}}"});
    let world = World::new(&json!({"talk": tool}), script);
    world.script("server.sh", SERVER);
    let mut settings = json!({"type": "stdio", "command": "sh", "arguments": ["server.sh"]});
    for (key, value) in server.as_object().unwrap() {
        settings[key] = value.clone();
    }
    world.config.lock().unwrap()["providers"]["mcp"]["s"] = settings;
    world
}

fn end(world: &World) -> String {
    let log = world.log.text();
    log.lines().last().unwrap().to_owned()
}

#[tokio::test]
async fn a_tool_of_a_server_is_called_by_its_own_name() {
    let world = world(json!({"variables": ["CARGO_PKG_NAME"]}), CALLS);
    let recorded = world.turn().await;
    expect![[r#"
        {"id":"c1","content":"one\n\ntwo","is_error":false}
        {"id":"c2","content":"no","is_error":true}
        {"id":"c3","content":"unset jp_agent","is_error":false}"#]]
    .assert_eq(&responses(&recorded));
    let requests = world.model.requests();
    let tools = &requests[0].tools;
    let talk = tools.iter().find(|tool| tool.name == "talk").unwrap();
    assert_eq!(talk.description.as_deref(), Some("Ours: Says."));
    assert_eq!(
        talk.parameters.to_string(),
        r#"{"type":"object","properties":{"word":{"type":"string"}}}"#
    );
}

#[tokio::test]
async fn a_server_gets_the_arguments_and_no_options() {
    let world = world(
        json!({}),
        r#"
        [[cycles]]
        batches = [[{ tool_call = { id = "c1", name = "talk", arguments = { word = "all" } } }]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    world.config.lock().unwrap()["conversation"]["tools"]["talk"]["options"] =
        json!({"colour": "blue"});
    let received = responses(&world.turn().await);
    assert!(received.contains("word : all"), "{received}");
    assert!(!received.contains("colour"), "{received}");
}

#[tokio::test]
async fn a_cancelled_call_does_not_wait_for_the_server() {
    let world = world(
        json!({}),
        r#"
        [[cycles]]
        batches = [[{ tool_call = { id = "c1", name = "talk", arguments = { word = "hang" } } }]]
        "#,
    );
    let recorded = {
        let world = &world;
        world
            .turn_while(|handle| async move {
                while !world.root.join("hanging").exists() {
                    tokio::task::yield_now().await;
                }
                handle.cancel();
            })
            .await
    };
    assert_eq!(
        responses(&recorded),
        r#"{"id":"c1","content":"Tool execution cancelled by user.","is_error":false}"#
    );
}

#[tokio::test]
async fn a_server_that_does_not_start_ends_the_turn_unless_it_is_optional() {
    let missing = |optional: bool| {
        world(
            json!({"command": "no-such-server", "optional": optional}),
            CALLS,
        )
    };
    let required = missing(false);
    required.turn().await;
    assert_eq!(
        end(&required),
        "end failed: MCP server `s`: `no-such-server` cannot be started: No such file or directory (os error 2)"
    );
    let optional = missing(true);
    let recorded = optional.turn().await;
    assert_eq!(end(&optional), "end completed");
    assert!(responses(&recorded).contains("Tool 'talk' is not available."));
}

#[tokio::test]
async fn a_server_that_says_nothing_runs_out_of_time() {
    let silent = json!({"arguments": ["-c", "exec sleep 1000"], "startup_timeout_secs": 0});
    let world = world(silent, CALLS);
    world.turn().await;
    assert_eq!(
        end(&world),
        "end failed: MCP server `s`: it did not start within 0 seconds, see `providers.mcp.s.startup_timeout_secs`"
    );
}

#[tokio::test]
async fn a_server_with_another_checksum_is_not_started() {
    use sha2::{Digest as _, Sha256};
    let pinned = |value: &str| json!({"command": "./server.sh", "arguments": [], "checksum": {"value": value}});
    let real = Sha256::digest(SERVER.as_bytes());
    let real: String = real.iter().map(|byte| format!("{byte:02x}")).collect();

    let wrong = world(pinned("00"), CALLS);
    wrong.turn().await;
    assert_eq!(
        end(&wrong).replace(wrong.root.as_str(), "/w"),
        format!(
            "end failed: MCP server `s`: the checksum of `/w/./server.sh` is `{real}` and not the configured one; \
             find out why before you change `checksum.value`"
        )
    );
    assert!(!wrong.root.join("starts").exists());

    let right = world(pinned(&real.to_uppercase()), CALLS);
    make_executable(&right);
    right.turn().await;
    assert_eq!(end(&right), "end completed");
    assert!(right.root.join("starts").exists());
}

fn make_executable(world: &World) {
    use std::os::unix::fs::PermissionsExt as _;
    let file = world.root.join("server.sh");
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn a_server_is_kept_from_cycle_to_cycle() {
    let world = world(
        json!({}),
        r#"
        [[cycles]]
        batches = [[{ tool_call = { id = "c1", name = "talk", arguments = {} } }]]
        [[cycles]]
        batches = [[{ tool_call = { id = "c2", name = "talk", arguments = {} } }]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    world.turn().await;
    let starts = std::fs::read_to_string(world.root.join("starts")).unwrap();
    assert_eq!(starts.lines().count(), 1);
}

#[tokio::test]
async fn changes_of_a_server_are_text_and_a_warning() {
    let world = world(
        json!({}),
        r#"
        [[cycles]]
        batches = [[{ tool_call = { id = "c1", name = "talk", arguments = { word = "config" } } }]]
        [[cycles]]
        batches = [[{ text = "Done." }]]
        "#,
    );
    let warnings = Warnings::default();
    let recorded = {
        let _listening = warnings.listen();
        world.turn().await
    };
    expect![[r#"{"id":"c1","content":"{\"type\":\"success\",\"content\":\"c\",\"config\":{\"assistant\":{\"name\":\"x\"}}}","is_error":false}"#]].assert_eq(&responses(&recorded));
    assert!(!recorded.contains("config_delta"), "{recorded}");
    expect![[r#"WARN jp_agent::delta::review: only local tools can change the config; `config` and `unset` of the outcome are dropped tool="talk" source="mcp""#]].assert_eq(warnings.text().trim());
}
