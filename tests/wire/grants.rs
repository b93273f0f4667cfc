//! A tool that is refused a file, and a person who grants it, over real frames.

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::Desk;

/// The tool asks its grants first, as the bundled ones do; where the kernel holds it, the kernel has to agree.
const WORKSPACE: &str = r##"//- .jp/config.toml
[assistant]
model.id = "test/model"

[conversation.tools.'*']
run = "unattended"

[conversation.tools.read]
source = "local"
command = { program = "sh", args = ["tool.sh", "{{tool.arguments.path}}", "{{context}}"] }
parameters.path = { type = "string", required = true }
access.fs = [
  { path = "tool.sh", read = true }, # itself
]
//- tool.sh
case $2 in
*'"path":"'"$1"'"'*) cat "$1" ;;
*) printf '{"type":"error","message":"%s","trace":[],"transient":false}' \
    "Access denied: cannot read '$1'. Paths granting read: []. If required, ask the user for explicit access." ;;
esac
//- src/a
the text of a
//- src/b
the text of b
"##;

const SCRIPT: &str = r#"
[[cycles]]
batches = [[
  { tool_call = { id = "call_1", name = "read", arguments = { path = "src/a" } } },
  { tool_call = { id = "call_2", name = "read", arguments = { path = ".jp/config.toml" } } },
]]
[[cycles]]
batches = [[
  { tool_call = { id = "call_3", name = "read", arguments = { path = "src/a" } } },
  { tool_call = { id = "call_4", name = "read", arguments = { path = "src/b" } } },
]]
[[cycles]]
batches = [[{ tool_call = { id = "call_5", name = "read", arguments = { path = "src/b" } } }]]
[[cycles]]
batches = [[{ text = "Done." }]]
"#;

/// Answers the next prompt and gives it, without what differs from run to run.
fn decide(desk: &mut Desk, answer: Value) -> Value {
    let (id, mut prompt) = desk.server.request("jp/prompt");
    desk.server.respond(&id, answer);
    let fields = prompt.as_object_mut().unwrap();
    for differing in ["id", "digest", "conversation", "choices"] {
        fields.shift_remove(differing);
    }
    prompt["rule"]["uri"] = "…".into();
    prompt
}

#[test]
fn a_person_grants_what_a_call_was_refused_and_keeps_it() {
    let params = json!({
        "capabilities": { "experimental": { "jp": { "prompts": true } }, "workspace": { "applyEdit": true } },
        "initializationOptions": { "trusted": true },
    });
    let mut desk = Desk::with_script(WORKSPACE, params, Some(SCRIPT));
    desk.server.tolerate("jp/promptResolved");
    let query = json!({ "text": "Read.", "conversation": "new" });
    let started = desk.server.call("jp/query/start", query).unwrap();
    let granted = decide(&mut desk, json!({ "action": "approve" }));
    let declined = decide(&mut desk, json!({ "action": "reject", "reason": "Not b." }));
    let mut results = Vec::new();
    loop {
        let told = desk.server.notification("jp/conversation/event");
        let event = &told["event"];
        match event["type"].as_str().unwrap() {
            "tool_call_response" => {
                let (id, content) = (&event["id"], &event["content"]);
                let grant = &event["metadata"]["decisions"]["grant"];
                results.push(format!("{id} {content} {grant}"));
            }
            "config_delta" => results.push(event["delta"].to_string()),
            "turn_end" => break,
            _ => {}
        }
    }
    expect![[r#"
        {
          "kind": "delta",
          "title": "Grant `read` on `src/a` to read?",
          "message": "read could not read `src/a`, since no rule grants it. This rule would, for the rest of the conversation:\n{ path = \"src/a\", read = true }",
          "tool": {
            "name": "read",
            "callId": "call_1"
          },
          "rule": {
            "uri": "…",
            "range": {
              "start": {
                "line": 10,
                "character": 12
              },
              "end": {
                "line": 12,
                "character": 1
              }
            }
          },
          "delta": {
            "changes": [
              {
                "path": "conversation.tools.read.access.fs",
                "op": "set",
                "old": [
                  {
                    "path": "tool.sh",
                    "read": true
                  }
                ],
                "new": [
                  {
                    "path": "tool.sh",
                    "read": true
                  },
                  {
                    "path": "src/a",
                    "read": true
                  }
                ]
              }
            ],
            "before": "[conversation.tools.read.access]\nfs = [\n  { path = \"tool.sh\", read = true },\n]\n",
            "after": "[conversation.tools.read.access]\nfs = [\n  { path = \"tool.sh\", read = true },\n  { path = \"src/a\", read = true },\n]\n",
            "loosens": [
              "`read` would be allowed to read `src/a`"
            ]
          },
          "actions": [
            {
              "id": "reject",
              "title": "Reject"
            },
            {
              "id": "approve",
              "title": "Grant"
            },
            {
              "id": "details",
              "title": "Show Details"
            }
          ]
        }"#]].assert_eq(&serde_json::to_string_pretty(&granted).unwrap());
    assert_eq!(declined["title"], "Grant `read` on `src/b` to read?");
    expect![[r#"
        "call_1" "{\"type\":\"error\",\"message\":\"Access denied: cannot read 'src/a'. Paths granting read: []. If required, ask the user for explicit access.\",\"trace\":[],\"transient\":false}\n\nA person has now granted `read` on `src/a` for this conversation. Make the call again." {"rule":"{ path = \"src/a\", read = true }","outcome":"allowed","by":"person","surface":"jp/prompt"}
        "call_2" "{\"type\":\"error\",\"message\":\"Access denied: cannot read '.jp/config.toml'. Paths granting read: []. If required, ask the user for explicit access.\",\"trace\":[],\"transient\":false}" null
        {"conversation":{"tools":{"read":{"access":{"fs":{"value":[{"path":"src/a","read":true}],"strategy":"append"}}}}}}
        "call_3" "the text of a\n" null
        "call_4" "{\"type\":\"error\",\"message\":\"Access denied: cannot read 'src/b'. Paths granting read: []. If required, ask the user for explicit access.\",\"trace\":[],\"transient\":false}\n\nA person was asked to grant `read` on `src/b` and said no. Do not try it again in this turn. The person says: Not b." {"rule":"{ path = \"src/b\", read = true }","outcome":"refused","by":"person","surface":"jp/prompt"}
        "call_5" "{\"type\":\"error\",\"message\":\"Access denied: cannot read 'src/b'. Paths granting read: []. If required, ask the user for explicit access.\",\"trace\":[],\"transient\":false}" null"#]].assert_eq(&results.join("\n"));

    desk.open(".jp/config.toml");
    let call = json!({ "conversation": started["conversation"], "callId": "call_1" });
    let asked = desk.server.ask(
        "workspace/executeCommand",
        json!({ "command": "jp.delta.persist", "arguments": [call] }),
    );
    let (id, edit) = desk.server.request("workspace/applyEdit");
    desk.server.respond(&id, json!({ "applied": true }));
    assert_eq!(desk.server.answer(&asked).unwrap()["applied"], true);
    let text = edit["edit"].to_string();
    let text = text.replace(desk.uri("").trim_end_matches('/'), "W");
    expect![[r#"{"changes":{"W/.jp/config.toml":[{"range":{"start":{"line":12,"character":0},"end":{"line":12,"character":0}},"newText":"  { path = \"src/a\", read = true },\n"}]}}"#]].assert_eq(&text);
}
