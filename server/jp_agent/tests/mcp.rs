//! Tools of MCP servers, spoken to over their standard streams.
#![cfg(unix)]
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
use harness::{Warnings, World, request, responses};
use jp_agent::TurnControl;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const SERVER: &str = r#"#!/bin/sh
echo $$ >> starts
while read -r line; do
    id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
    case $line in
    *'"initialize"'*) client=$(printf %s "$line" | sed 's/.*"clientInfo":\({[^}]*}\).*/\1/; s/["\\]//g'); answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) if [ -e more ]; then extra=',{"name":"more","inputSchema":{"type":"object"}}'; else extra=; fi
        answer '{"tools":[{"name":"say","description":"Says.","inputSchema":{"type":"object","properties":{"word":{"type":"string"}}}}'"$extra"']}' ;;
    *'"word":"die"'*) echo "out of memory" >&2; kill -9 $$ ;;
    *'"word":"flood"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$id"; head -c 17000000 /dev/zero | tr '\0' x; printf '"}]}}\n' ;;
    *'"word":"bytes"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"a\377b"}]}}\n' "$id" ;;
    *'"word":"riddle"'*) printf '{"jsonrpc":"2.0",\377"id":%s,"result":{"content":[]}}\n' "$id" ;;
    *'"word":"broken"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[\n' "$id" ;;
    *'"word":"shape"'*) printf '{"jsonrpc":"2.0","id":%s,"error":"no"}\n' "$id" ;;
    *'"word":"chatter"'*) exec yes '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"still here"}}' ;;
    *'"word":"pings"'*) exec yes '{"jsonrpc":"2.0","id":1,"method":"ping"}' ;;
    *'"word":"kinds"'*) answer '{"content":[{"type":"audio","data":"AAAA","mimeType":"audio/wav"},{"type":"resource_link","uri":"file:///a.md","name":"a","description":"Notes"},{"type":"resource","resource":{"uri":"file:///b.md","text":"The text."}},{"type":"resource","resource":{"uri":"file:///c.bin","mimeType":"application/x","blob":"AAAA"}}]}' ;;
    *'"word":"client"'*) answer "{\"content\":[{\"type\":\"text\",\"text\":\"$client\"}]}" ;;
    *'"word":"more"'*) touch more; printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'; answer '{"content":[]}' ;;
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
        {"id":"c1","content":"one\n\n[image, image/png, 0 bytes, that cannot be shown here]\n\ntwo","is_error":false}
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

/// A model that says these words to the tool `talk`, one a cycle.
fn words(words: &[&str]) -> String {
    let cycles = words.iter().enumerate().map(|(number, word)| {
        format!(
            "[[cycles]]\nbatches = [[{{ tool_call = {{ id = \"c{number}\", name = \"talk\", arguments = {{ word = \"{word}\" }} }} }}]]\n"
        )
    });
    cycles.collect::<String>() + "[[cycles]]\nbatches = [[{ text = \"Done.\" }]]\n"
}

fn starts(world: &World) -> Vec<String> {
    let starts = std::fs::read_to_string(world.root.join("starts")).unwrap();
    starts.lines().map(str::to_owned).collect()
}

fn notices(world: &World) -> String {
    let log = world.log.text();
    let notices = log.lines().filter_map(|line| line.strip_prefix("notice "));
    notices.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_server_that_ends_during_a_call_is_started_for_the_next_one() {
    let world = world(json!({}), &words(&["die", "hi"]));
    expect![[r#"
        {"id":"c0","content":"Tool 'talk' failed: its MCP server `s` ended during the call with signal 9 (KILL); it wrote `out of memory`. What the call has done until then is not known. The next call starts the server again.","is_error":true}
        {"id":"c1","content":"one\n\n[image, image/png, 0 bytes, that cannot be shown here]\n\ntwo","is_error":false}"#]]
    .assert_eq(&responses(&world.turn().await));
    assert_eq!(starts(&world).len(), 2);
}

#[tokio::test]
async fn a_server_that_was_killed_while_idle_is_started_again() {
    let world = world(json!({}), &(words(&["fail"]) + &words(&["fail"])));
    let runtime = world.runtime();
    let writer = world.conversation();
    let id = writer.conversation().id;
    let turn = runtime.turn(writer, request("Do it."), TurnControl::new().1);
    let writer = turn.await.writer.unwrap();
    let pid = starts(&world).remove(0);
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid])
        .status();
    assert!(killed.unwrap().success());
    // Its parent has taken note of its end when it is gone.
    while std::path::Path::new(&format!("/proc/{pid}/cmdline")).exists()
        && !std::fs::read(format!("/proc/{pid}/cmdline"))
            .unwrap_or_default()
            .is_empty()
    {
        tokio::task::yield_now().await;
    }
    let turn = runtime.turn(writer, request("Again."), TurnControl::new().1);
    drop(turn.await.writer);
    assert_eq!(
        responses(&world.recorded(id)),
        "{\"id\":\"c0\",\"content\":\"no\",\"is_error\":true}\n{\"id\":\"c0\",\"content\":\"no\",\"is_error\":true}"
    );
    assert_eq!(starts(&world).len(), 2);
}

#[tokio::test]
async fn a_server_that_always_ends_is_left_alone_until_the_next_turn() {
    let deaths = ["die"; 5];
    let world = world(json!({}), &(words(&deaths) + &words(&["fail"])));
    let runtime = world.runtime();
    let writer = world.conversation();
    let id = writer.conversation().id;
    let turn = runtime.turn(writer, request("Do it."), TurnControl::new().1);
    let writer = turn.await.writer.unwrap();
    assert_eq!(starts(&world).len(), 3);
    let told = responses(&world.recorded(id));
    expect![[r#"{"id":"c3","content":"Tool 'talk' was not run. MCP server `s`: it has ended 3 times, at last with signal 9 (KILL); it wrote `out of memory`; it is not started again before the next turn.","is_error":true}"#]]
        .assert_eq(told.lines().nth(3).unwrap());
    assert!(
        told.lines().nth(4).unwrap().contains("was not run"),
        "{told}"
    );
    let turn = runtime.turn(writer, request("Again."), TurnControl::new().1);
    drop(turn.await.writer);
    assert_eq!(starts(&world).len(), 4);
    assert_eq!(
        responses(&world.recorded(id)).lines().last(),
        Some(r#"{"id":"c0","content":"no","is_error":true}"#)
    );
}

#[tokio::test]
async fn a_server_that_fails_to_start_is_tried_once_for_all_its_tools_and_quoted() {
    let failing = json!({"command": "sh", "arguments": ["-c", "echo $$ >> starts; echo cannot find the license >&2; exit 3"], "optional": true});
    let world = world(failing, &words(&["hi"]));
    world.config.lock().unwrap()["conversation"]["tools"]["other"] =
        json!({"source": "mcp.s.other", "run": "unattended"});
    world.turn().await;
    assert_eq!(starts(&world).len(), 1);
    let told = notices(&world);
    let told: Vec<&str> = told.lines().collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].starts_with("tool `talk` is left out: MCP server `s`: it does not speak MCP: ")
            && told[0].ends_with("; it wrote `cannot find the license`"),
        "{told:?}"
    );
}

#[tokio::test]
async fn an_answer_that_is_too_long_fails_at_once() {
    let world = world(json!({}), &words(&["flood", "fail"]));
    expect![[r#"
        {"id":"c0","content":"Tool 'talk' failed: its server answered with more than 16 MiB, which is the limit","is_error":true}
        {"id":"c1","content":"no","is_error":true}"#]]
    .assert_eq(&responses(&world.turn().await));
    assert_eq!(starts(&world).len(), 1);
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_fails_at_once() {
    let world = world(
        json!({}),
        &words(&["bytes", "broken", "shape", "riddle", "fail"]),
    );
    expect![[r#"
        {"id":"c0","content":"Tool 'talk' failed: its server answered with bytes that are not UTF-8","is_error":true}
        {"id":"c1","content":"Tool 'talk' failed: its server answered with broken JSON (EOF while parsing a list at line 1 column 45)","is_error":true}
        {"id":"c2","content":"Tool 'talk' failed: its server answered with what is no message of MCP","is_error":true}
        {"id":"c3","content":"Tool 'talk' failed: its MCP server `s` ended during the call: it sent an answer that cannot be read, and nobody knows which call it was for. What the call has done until then is not known. The next call starts the server again.","is_error":true}
        {"id":"c4","content":"no","is_error":true}"#]]
    .assert_eq(&responses(&world.turn().await));
    assert_eq!(starts(&world).len(), 2);
}

#[tokio::test]
async fn a_server_that_chatters_without_end_is_ended() {
    let world = world(json!({}), &words(&["chatter", "pings", "fail"]));
    expect![[r#"
        {"id":"c0","content":"Tool 'talk' failed: its MCP server `s` ended during the call: it sent more than 100000 messages after it was last asked something. What the call has done until then is not known. The next call starts the server again.","is_error":true}
        {"id":"c1","content":"Tool 'talk' failed: its MCP server `s` ended during the call: it sent more than 100000 messages after it was last asked something. What the call has done until then is not known. The next call starts the server again.","is_error":true}
        {"id":"c2","content":"no","is_error":true}"#]]
    .assert_eq(&responses(&world.turn().await));
    for server in starts(&world).iter().take(2) {
        assert!(is_gone(server), "{server}");
    }
}

/// Whether a process does nothing any more, once it had time to end.
fn is_gone(process: &str) -> bool {
    let path = format!("/proc/{process}/cmdline");
    while std::fs::read(&path).is_ok_and(|line| !line.is_empty()) {
        std::thread::yield_now();
    }
    true
}

#[tokio::test]
async fn what_is_no_text_is_named() {
    let world = world(json!({}), &words(&["kinds", "client"]));
    expect![[r#"
        {"id":"c0","content":"[sound, audio/wav, 3 bytes, that cannot be shown here]\n\n[resource a at file:///a.md: Notes]\n\nThe text.\n\n[resource file:///c.bin, application/x, 3 bytes, that cannot be shown here]","is_error":false}
        {"id":"c1","content":"{name:jp-lsp,version:0.1.0}","is_error":false}"#]]
    .assert_eq(&responses(&world.turn().await));
}

#[tokio::test]
async fn tools_that_a_server_adds_count_from_the_next_turn() {
    let world = world(json!({"optional": true}), &(words(&["more"]) + &words(&[])));
    world.config.lock().unwrap()["conversation"]["tools"]["more"] =
        json!({"source": "mcp.s.more", "run": "unattended"});
    let runtime = world.runtime();
    let turn = runtime.turn(
        world.conversation(),
        request("Do it."),
        TurnControl::new().1,
    );
    let writer = turn.await.writer.unwrap();
    let turn = runtime.turn(writer, request("And?"), TurnControl::new().1);
    drop(turn.await.writer);
    assert_eq!(
        notices(&world),
        "tool `more` is left out: MCP server `s`: it has no tool `more`"
    );
    let offered: Vec<bool> = world
        .model
        .requests()
        .iter()
        .map(|request| request.tools.iter().any(|tool| tool.name == "more"))
        .collect();
    assert_eq!(offered, [false, false, true]);
}

#[tokio::test]
async fn a_list_of_tools_without_end_is_refused() {
    let endless = |cursor: &str| {
        let listing = format!(
            r#"    *'"tools/list"'*) page=$((page + 1)); answer "{{\"tools\":[],\"nextCursor\":\"{cursor}\"}}" ;;"#
        );
        let others = "    *'\"tools/list\"'*)";
        SERVER.replacen(others, &format!("{listing}\n{others}"), 1)
    };
    for (cursor, problem) in [
        ("c", "its list of tools leads back to a page of its own"),
        ("$page", "its list of tools has more than 100 pages"),
    ] {
        let world = world(json!({}), &words(&[]));
        world.script("server.sh", &endless(cursor));
        world.turn().await;
        assert_eq!(
            end(&world),
            format!("end failed: MCP server `s`: {problem}")
        );
    }
}
