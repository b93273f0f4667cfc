//! Four tools that want the config changed in one answer of the model, and a person who decides, over real frames.
//!
//! One file: the story of one turn, told in order.

use std::{fmt::Write as _, fs};

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::Desk;

/// Each tool keeps what it was given in a file per run, and says something once the test has made its gate.
const WORKSPACE: &str = r##"
//- .jp/config.toml
[assistant]
name = "Rob"

[assistant.model]
id = "quick"
parameters = { temperature = 0.5, top_p = 0.9 }

[providers.llm.aliases]
quick = "test/quick"
strong = "test/strong"

[conversation.tools.'*']
run = "unattended"

[conversation.tools.fs_modify_file]
source = "local"
command = "echo modified"
parameters.path = { type = "path", required = true }
access.fs = [{ path = "docs", read = true, write = true }]
policy.run = [
  { arg = "/path", prefix = "docs/", mode = "unattended" },
  { mode = "ask" },
]

[conversation.tools.rm]
source = "local"
command = "rm"
enable = false

[conversation.tools.switch_model]
source = "local"
command = "sh tool.sh switch_model"
[[conversation.tools.switch_model.access.config]]
path = "assistant.model"
read = true
write = true
delete = true

[conversation.tools.tune]
source = "local"
command = "sh tool.sh tune"
[[conversation.tools.tune.access.config]]
path = "assistant.model.parameters"
write = true

[conversation.tools.rename]
source = "local"
command = "sh tool.sh rename"
[[conversation.tools.rename.access.config]]
path = "assistant.name"
write = true
apply = "unattended"

[conversation.tools.loosen]
source = "local"
command = "sh tool.sh loosen"
options = { level = 3 }
[conversation.tools.loosen.parameters.tools]
type = "array"
items = { type = "string" }
[[conversation.tools.loosen.access.config]]
path = "assistant.model"
read = true
[[conversation.tools.loosen.access.config]]
path = "conversation.tools"
write = "insecure_allow"
delete = true

//- tool.sh
run=$(ls "$1".*.json 2>/dev/null | wc -l)
cat > "$1.$run.json"
until [ -e "go.$1" ]; do sleep 0.01; done
if grep -q delta_rejection "$1.$run.json"; then cat "$1.adapted"; else cat "$1.outcome"; fi

//- switch_model.outcome
{"type": "success", "content": "The model is strong.",
 "config": {"assistant": {"model": {"id": "strong", "parameters": {"max_tokens": 100}}}},
 "unset": ["assistant.model.parameters.temperature", "assistant.model.parameters.top_p"]}

//- tune.outcome
{"type": "success", "content": "Tuned.",
 "config": {"assistant": {"model": {"parameters": {"temperature": 0.2, "max_tokens": 200}}}}}

//- rename.outcome
{"type": "success", "content": "Renamed, and the model is quick.",
 "config": {"assistant": {"name": "Robin", "model": {"id": "quick"}}}}

//- rename.adapted
{"type": "success", "content": "Renamed only.", "config": {"assistant": {"name": "Robin"}}}

//- loosen.outcome
{"type": "success", "content": "Everything is allowed.",
 "config": {"conversation": {"tools": {
   "rm": {"enable": true},
   "fs_modify_file": {
     "policy": {"run": [
       {"arg": "/path", "prefix": "docs/", "mode": "unattended"},
       {"arg": "/path", "prefix": "src/", "mode": "unattended"},
       {"mode": "ask"}]},
     "access": {"fs": [{"path": "src", "read": true, "write": true}]}}}}}}

//- loosen.adapted
{"type": "success", "content": "Left as it was."}

"##;

const SCRIPT: &str = r#"
requests = "requests.jsonl"

[[cycles]]
model = "quick"
batches = [[{ tool_call = { id = "call_0", name = "fs_modify_file", arguments = { path = "src/main.rs" } } }]]

[[cycles]]
model = "quick"
batches = [[
  { tool_call = { id = "call_1", name = "switch_model", arguments = {} } },
  { tool_call = { id = "call_2", name = "tune", arguments = {} } },
  { tool_call = { id = "call_3", name = "rename", arguments = {} } },
  { tool_call = { id = "call_4", name = "loosen", arguments = { tools = ["fs_modify_file", "rm"] } } },
]]

[[cycles]]
model = "strong"
batches = [[{ text = "Done." }]]
"#;

/// A turn that is being watched.
struct Turn {
    desk: Desk,
    conversation: String,
}

impl Turn {
    fn start() -> Self {
        let mut desk = Desk::with_script(
            WORKSPACE,
            json!({
                "capabilities": { "experimental": { "jp": { "prompts": true } } },
                "initializationOptions": { "trusted": true },
            }),
            Some(SCRIPT),
        );
        desk.server.tolerate("jp/promptResolved");
        let started = desk.server.call(
            "jp/query/start",
            json!({ "text": "Change things.", "conversation": "new" }),
        );
        let conversation = started.unwrap()["conversation"]
            .as_str()
            .unwrap()
            .to_owned();
        Self { desk, conversation }
    }

    /// Answers the next prompt and gives it, without what differs from run to run.
    fn decide(&mut self, answer: Value) -> String {
        let (id, mut prompt) = self.desk.server.request("jp/prompt");
        self.desk.server.respond(&id, answer);
        let fields = prompt.as_object_mut().unwrap();
        for differing in ["id", "digest", "conversation"] {
            fields.shift_remove(differing);
        }
        let text = serde_json::to_string_pretty(&prompt).unwrap();
        text.replace(self.desk.uri("").trim_end_matches('/'), "file:///w")
    }

    /// Lets a tool speak.
    fn open_gate(&self, tool: &str) {
        self.desk.write(&format!("go.{tool}"), "");
    }

    fn notice(&mut self) -> String {
        let notice = self.desk.server.notification("jp/notice");
        assert_eq!(notice["conversation"], *self.conversation);
        notice["text"].as_str().unwrap().to_owned()
    }

    /// What was recorded until the end of the turn, an event a line.
    fn events(&mut self) -> String {
        let mut text = String::new();
        loop {
            let mut told = self.desk.server.notification("jp/conversation/event");
            let event = told["event"].as_object_mut().unwrap();
            event.shift_remove("timestamp");
            // Who decided is looked at elsewhere.
            event.shift_remove("metadata");
            match event["type"].as_str().unwrap() {
                "delta_text" => continue,
                "turn_end" => {
                    writeln!(text, "{}", told["event"]).unwrap();
                    return text;
                }
                _ => writeln!(text, "{}", told["event"]).unwrap(),
            }
        }
    }

    /// What a tool was given in its run.
    fn input(&self, tool: &str, run: usize) -> Value {
        serde_json::from_str(&self.desk.read(&format!("{tool}.{run}.json"))).unwrap()
    }
}

#[test]
fn four_tools_change_the_config_and_a_person_decides() {
    let mut turn = Turn::start();
    turn.decide(json!({ "action": "approve" }));

    // The second call is approved before the first: the order of the calls decides, not that of the approvals.
    turn.open_gate("tune");
    let tune = turn.decide(json!({ "action": "approve" }));
    turn.open_gate("switch_model");
    let switch = turn.decide(json!({ "action": "approve" }));
    turn.open_gate("rename");
    let denied = turn.notice();
    turn.open_gate("loosen");
    let loosen = turn.decide(json!({ "action": "reject", "reason": "Not for src." }));
    let rejected = turn.notice();
    let events = turn.events();

    expect![[r#"
        {
          "kind": "delta",
          "title": "Apply the config change proposed by tune?",
          "message": "⟳ Configuration delta proposed by tool 'tune':\nassistant.model.parameters.temperature: 0.5 → 0.2\nassistant.model.parameters.max_tokens: (unset) → 200",
          "tool": {
            "name": "tune",
            "callId": "call_2"
          },
          "rule": {
            "index": 0,
            "uri": "file:///w/.jp/config.toml",
            "range": {
              "start": {
                "line": 41,
                "character": 0
              },
              "end": {
                "line": 41,
                "character": 41
              }
            }
          },
          "delta": {
            "changes": [
              {
                "path": "assistant.model.parameters.temperature",
                "op": "set",
                "old": 0.5,
                "new": 0.2
              },
              {
                "path": "assistant.model.parameters.max_tokens",
                "op": "set",
                "new": 200
              }
            ],
            "before": "[assistant.model.parameters]\ntemperature = 0.5\n",
            "after": "[assistant.model.parameters]\ntemperature = 0.2\nmax_tokens = 200\n",
            "loosens": []
          },
          "actions": [
            {
              "id": "reject",
              "title": "Reject"
            },
            {
              "id": "approve",
              "title": "Apply"
            },
            {
              "id": "details",
              "title": "Show Details"
            }
          ],
          "choices": [
            {
              "title": "Reject",
              "effect": {
                "answer": {
                  "action": "reject"
                }
              }
            },
            {
              "title": "Reject with a Reason…",
              "effect": "reason"
            },
            {
              "title": "Apply",
              "effect": {
                "answer": {
                  "action": "approve"
                }
              }
            },
            {
              "title": "Show Details",
              "effect": "details"
            }
          ]
        }"#]].assert_eq(&tune);
    expect![[r#"
        {
          "kind": "delta",
          "title": "Apply the config change proposed by switch_model?",
          "message": "⟳ Configuration delta proposed by tool 'switch_model':\nassistant.model.parameters.temperature: (unset)\nassistant.model.parameters.top_p: (unset)\nassistant.model.id.name: \"quick\" → \"strong\"\nassistant.model.parameters.max_tokens: (unset) → 100\nnothing else changes: assistant.model.id.provider stays \"test\"",
          "tool": {
            "name": "switch_model",
            "callId": "call_1"
          },
          "rule": {
            "index": 0,
            "uri": "file:///w/.jp/config.toml",
            "range": {
              "start": {
                "line": 32,
                "character": 0
              },
              "end": {
                "line": 32,
                "character": 49
              }
            }
          },
          "delta": {
            "changes": [
              {
                "path": "assistant.model.parameters.temperature",
                "op": "unset",
                "old": 0.5
              },
              {
                "path": "assistant.model.parameters.top_p",
                "op": "unset",
                "old": 0.9
              },
              {
                "path": "assistant.model.id.provider",
                "op": "set",
                "old": "test",
                "new": "test"
              },
              {
                "path": "assistant.model.id.name",
                "op": "set",
                "old": "quick",
                "new": "strong"
              },
              {
                "path": "assistant.model.parameters.max_tokens",
                "op": "set",
                "new": 100
              }
            ],
            "before": "[assistant.model.parameters]\ntemperature = 0.5\ntop_p = 0.9\n\n[assistant.model.id]\nprovider = \"test\"\nname = \"quick\"\n",
            "after": "[assistant.model.id]\nprovider = \"test\"\nname = \"strong\"\n\n[assistant.model.parameters]\nmax_tokens = 100\n",
            "loosens": []
          },
          "actions": [
            {
              "id": "reject",
              "title": "Reject"
            },
            {
              "id": "approve",
              "title": "Apply"
            },
            {
              "id": "details",
              "title": "Show Details"
            }
          ],
          "choices": [
            {
              "title": "Reject",
              "effect": {
                "answer": {
                  "action": "reject"
                }
              }
            },
            {
              "title": "Reject with a Reason…",
              "effect": "reason"
            },
            {
              "title": "Apply",
              "effect": {
                "answer": {
                  "action": "approve"
                }
              }
            },
            {
              "title": "Show Details",
              "effect": "details"
            }
          ]
        }"#]].assert_eq(&switch);
    expect![[r#"
        {
          "kind": "delta",
          "title": "Apply the config change proposed by loosen?",
          "message": "⟳ Configuration delta proposed by tool 'loosen':\nconversation.tools.rm.enable.state: false → true\nconversation.tools.fs_modify_file.policy.run: [{\"arg\":\"/path\",\"prefix\":\"docs/\",\"mode\":\"unattended\"},{\"mode\":\"ask\"}] → [{\"arg\":\"/path\",\"prefix\":\"docs/\",\"mode\":\"unattended\"},{\"arg\":\"/path\",\"prefix\":\"src/\",\"mode\":\"unattended\"},{\"mode\":\"ask\"}]\nconversation.tools.fs_modify_file.access.fs: [{\"path\":\"docs\",\"read\":true,\"write\":true}] → [{\"path\":\"docs\",\"read\":true,\"write\":true},{\"path\":\"src\",\"read\":true,\"write\":true}]\nnothing else changes: conversation.tools.rm.enable.allow_toggle stays \"any\"",
          "tool": {
            "name": "loosen",
            "callId": "call_4"
          },
          "rule": {
            "index": 1,
            "uri": "file:///w/.jp/config.toml",
            "range": {
              "start": {
                "line": 63,
                "character": 0
              },
              "end": {
                "line": 63,
                "character": 43
              }
            }
          },
          "delta": {
            "changes": [
              {
                "path": "conversation.tools.rm.enable.state",
                "op": "set",
                "old": false,
                "new": true
              },
              {
                "path": "conversation.tools.rm.enable.allow_toggle",
                "op": "set",
                "old": "any",
                "new": "any"
              },
              {
                "path": "conversation.tools.fs_modify_file.policy.run",
                "op": "set",
                "old": [
                  {
                    "arg": "/path",
                    "prefix": "docs/",
                    "mode": "unattended"
                  },
                  {
                    "mode": "ask"
                  }
                ],
                "new": [
                  {
                    "arg": "/path",
                    "prefix": "docs/",
                    "mode": "unattended"
                  },
                  {
                    "arg": "/path",
                    "prefix": "src/",
                    "mode": "unattended"
                  },
                  {
                    "mode": "ask"
                  }
                ]
              },
              {
                "path": "conversation.tools.fs_modify_file.access.fs",
                "op": "set",
                "old": [
                  {
                    "path": "docs",
                    "read": true,
                    "write": true
                  }
                ],
                "new": [
                  {
                    "path": "docs",
                    "read": true,
                    "write": true
                  },
                  {
                    "path": "src",
                    "read": true,
                    "write": true
                  }
                ]
              }
            ],
            "before": "[conversation.tools.rm.enable]\nstate = false\nallow_toggle = \"any\"\n\n[conversation.tools.fs_modify_file.policy]\nrun = [{ arg = \"/path\", prefix = \"docs/\", mode = \"unattended\" }, { mode = \"ask\" }]\n\n[conversation.tools.fs_modify_file.access]\nfs = [{ path = \"docs\", read = true, write = true }]\n",
            "after": "[conversation.tools.rm.enable]\nstate = true\nallow_toggle = \"any\"\n\n[conversation.tools.fs_modify_file.policy]\nrun = [{ arg = \"/path\", prefix = \"docs/\", mode = \"unattended\" }, { arg = \"/path\", prefix = \"src/\", mode = \"unattended\" }, { mode = \"ask\" }]\n\n[conversation.tools.fs_modify_file.access]\nfs = [{ path = \"docs\", read = true, write = true }, { path = \"src\", read = true, write = true }]\n",
            "loosens": [
              "`fs_modify_file` would no longer ask before it runs with `path` = \"src/main.rs\", as in a call of this conversation",
              "`fs_modify_file` would no longer ask for `src/`",
              "`fs_modify_file` would be allowed to read `src`",
              "`fs_modify_file` would be allowed to create `src`",
              "`fs_modify_file` would be allowed to change `src`",
              "`fs_modify_file` would be allowed to delete `src`",
              "the assistant could call `rm`"
            ]
          },
          "actions": [
            {
              "id": "reject",
              "title": "Reject"
            },
            {
              "id": "approve",
              "title": "Apply"
            },
            {
              "id": "details",
              "title": "Show Details"
            }
          ],
          "choices": [
            {
              "title": "Reject",
              "effect": {
                "answer": {
                  "action": "reject"
                }
              }
            },
            {
              "title": "Reject with a Reason…",
              "effect": "reason"
            },
            {
              "title": "Apply",
              "effect": {
                "answer": {
                  "action": "approve"
                }
              }
            },
            {
              "title": "Show Details",
              "effect": "details"
            }
          ]
        }"#]].assert_eq(&loosen);
    expect![[r#"
        ⚠ Tool 'rename' proposed a config change outside its grants:
          assistant.model.id.provider (write)
          assistant.model.id.name (write)
          Change not applied, tool re-invoked."#]]
    .assert_eq(&denied);
    expect!["Config delta rejected. Tool re-invoked."].assert_eq(&rejected);
    expect![[r#"
        {"type":"turn_start"}
        {"type":"chat_request","content":"Change things."}
        {"type":"tool_call_request","id":"call_0","name":"fs_modify_file","arguments":{"path":"src/main.rs"}}
        {"type":"tool_call_response","id":"call_0","content":"modified\n","is_error":false}
        {"type":"tool_call_request","id":"call_1","name":"switch_model","arguments":{}}
        {"type":"tool_call_request","id":"call_2","name":"tune","arguments":{}}
        {"type":"tool_call_request","id":"call_3","name":"rename","arguments":{}}
        {"type":"tool_call_request","id":"call_4","name":"loosen","arguments":{"tools":["fs_modify_file","rm"]}}
        {"type":"tool_call_response","id":"call_1","content":"The model is strong.","is_error":false}
        {"type":"tool_call_response","id":"call_2","content":"Tuned.","is_error":false}
        {"type":"tool_call_response","id":"call_3","content":"Renamed only.","is_error":false}
        {"type":"tool_call_response","id":"call_4","content":"Left as it was.","is_error":false}
        {"type":"config_delta","delta":{"assistant":{"model":{"id":{"provider":"test","name":"strong"},"parameters":{"temperature":0.2,"max_tokens":200}},"name":"Robin"}},"unsets":["assistant.model.parameters.top_p"],"claims":{"assistant.model.id.name":[],"assistant.model.id.provider":[],"assistant.model.parameters.max_tokens":[],"assistant.model.parameters.temperature":[],"assistant.model.parameters.top_p":[],"assistant.name":[]}}
        {"type":"chat_response","message":"Done."}
        {"type":"turn_end","outcome":"completed"}
    "#]].assert_eq(&events);

    // Whoever runs again gets what it had, and why; the config is that of the start of the cycle.
    for tool in ["rename", "loosen"] {
        let (first, mut again) = (turn.input(tool, 0), turn.input(tool, 1));
        let context = again["context"].as_object_mut().unwrap();
        let rejection = context.shift_remove("delta_rejection").unwrap();
        assert_eq!(first, again);
        match tool {
            "rename" => expect![[r#"
                {
                  "reason": "unauthorized_paths",
                  "fields": [
                    "assistant.model.id.provider",
                    "assistant.model.id.name"
                  ],
                  "detail": "`write` is not granted on `assistant.model.id.provider`: no rule matches, and declared rules deny everything else; `write` is not granted on `assistant.model.id.name`: no rule matches, and declared rules deny everything else"
                }"#]].assert_eq(&pretty(&rejection)),
            _ => expect![[r#"
                {
                  "reason": "user_rejected",
                  "fields": [
                    "conversation.tools.rm.enable.state",
                    "conversation.tools.rm.enable.allow_toggle",
                    "conversation.tools.fs_modify_file.policy.run",
                    "conversation.tools.fs_modify_file.access.fs"
                  ],
                  "detail": "Not for src."
                }"#]].assert_eq(&pretty(&rejection)),
        }
    }
    let given = turn.input("loosen", 1);
    expect![[r#"
        {
          "name": "loosen",
          "arguments": {
            "tools": [
              "fs_modify_file",
              "rm"
            ]
          },
          "answers": {},
          "options": {
            "level": 3
          }
        }"#]]
    .assert_eq(&pretty(&given["tool"]));
    expect![[r#"
        {
          "assistant": {
            "model": {
              "id": {
                "provider": "test",
                "name": "quick"
              },
              "parameters": {
                "temperature": 0.5,
                "top_p": 0.9
              }
            }
          }
        }"#]]
    .assert_eq(&pretty(&given["context"]["config"]));
    assert_eq!(turn.input("tune", 0)["context"].get("config"), None);

    let asked = fs::read_to_string(turn.desk.home("requests.jsonl")).unwrap();
    let mut requests = String::new();
    for line in asked.lines() {
        let request: Value = serde_json::from_str(line).unwrap();
        let parameters = &request["parameters"];
        writeln!(requests, "{} {parameters}", request["model"]).unwrap();
    }
    expect![[r#"
        "quick" {"temperature":0.5,"top_p":0.9,"cache":"short"}
        "quick" {"temperature":0.5,"top_p":0.9,"cache":"short"}
        "strong" {"max_tokens":200,"temperature":0.2,"cache":"short"}
    "#]]
    .assert_eq(&requests);
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}
