//! Keeping what a tool changed: the editor edits a config file, and nothing else is ever written.

use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::Desk;

const CONFIG: &str = r#"//- .jp/config.toml
[assistant]
model.id = "quick" # é, for now

[providers.llm.aliases]
quick = "test/quick"
strong = "test/strong"

[conversation.tools.'*']
run = "unattended"

[conversation.tools.switch_model]
source = "local"
command = { program = "echo", args = ['{"type": "success", "content": "ok", "config": {"assistant": {"model": {"id": "strong"}}}, "unset": ["assistant.model.parameters.temperature"]}'] }

[[conversation.tools.switch_model.access.config]]
path = "assistant"
read = true
write = true
delete = true
apply = "ask"
//- .jp.toml
assistant.model.parameters.temperature = 0.5
//- notes.toml
a = 1
"#;

const SCRIPT: &str = r#"
[[cycles]]
batches = [[{ tool_call = { id = "call_1", name = "switch_model" } }]]

[[cycles]]
batches = [[{ text = "Done." }]]
"#;

fn everything() -> Value {
    json!({
        "experimental": { "jp": { "prompts": true } },
        "textDocument": { "codeAction": { "codeActionLiteralSupport": {} } },
        "workspace": { "applyEdit": true, "workspaceEdit": {
            "documentChanges": true, "resourceOperations": ["create"], "changeAnnotationSupport": {},
        } },
    })
}

/// A desk at which a tool has changed the config, and the conversation.
fn desk(capabilities: Value, approve: bool) -> (Desk, String) {
    let params =
        json!({ "capabilities": capabilities, "initializationOptions": { "trusted": true } });
    let mut desk = Desk::with_script(CONFIG, params, Some(SCRIPT));
    for method in ["jp/conversation/event", "jp/promptResolved", "jp/notice"] {
        desk.server.tolerate(method);
    }
    let query = json!({ "text": "Switch.", "conversation": "new" });
    let started = desk.server.call("jp/query/start", query).unwrap();
    let action = if approve { "approve" } else { "reject" };
    let mut asked = 0;
    while asked < if approve { 1 } else { 4 } {
        let (id, prompt) = desk.server.request("jp/prompt");
        assert_eq!(prompt["kind"], "delta");
        desk.server.respond(&id, json!({ "action": action }));
        asked += 1;
    }
    loop {
        let event = desk.server.notification("jp/conversation/event");
        if event["event"]["type"] == "turn_end" {
            break;
        }
    }
    (desk, started["conversation"].as_str().unwrap().to_owned())
}

fn params(argument: Value) -> Value {
    json!({ "command": "jp.delta.persist", "arguments": [argument] })
}

fn ask(desk: &mut Desk, argument: Value) -> Value {
    desk.server
        .ask("workspace/executeCommand", params(argument))
}

fn refused(desk: &mut Desk, argument: Value) -> String {
    let answer = desk
        .server
        .call("workspace/executeCommand", params(argument));
    answer.unwrap_err()["message"].as_str().unwrap().to_owned()
}

/// An edit without the place of the workspace.
fn check(desk: &Desk, edit: &Value, expected: Expect) {
    let text = serde_json::to_string_pretty(edit).unwrap();
    let root = desk.uri("");
    expected.assert_eq(&text.replace(root.trim_end_matches('/'), "W"));
}

#[test]
fn the_open_buffer_is_edited_with_its_version() {
    let (mut desk, conversation) = desk(everything(), true);
    desk.open(".jp/config.toml");
    desk.replace(".jp/config.toml", "for now", "for now (π)");
    let call = json!({ "conversation": conversation, "callId": "call_1" });
    let asked = ask(&mut desk, call);
    let (id, mut edit) = desk.server.request("workspace/applyEdit");
    edit["edit"]["changeAnnotations"]["edit"]["description"] = "…".into();
    check(
        &desk,
        &edit,
        expect![[r#"
        {
          "label": "Keep what switch_model changed",
          "edit": {
            "documentChanges": [
              {
                "textDocument": {
                  "uri": "W/.jp/config.toml",
                  "version": 2
                },
                "edits": [
                  {
                    "range": {
                      "start": {
                        "line": 1,
                        "character": 0
                      },
                      "end": {
                        "line": 2,
                        "character": 0
                      }
                    },
                    "newText": "model.id = \"strong\" # é, for now (π)\n",
                    "annotationId": "edit"
                  }
                ]
              }
            ],
            "changeAnnotations": {
              "edit": {
                "label": "Keep what switch_model changed",
                "needsConfirmation": false,
                "description": "…"
              }
            }
          }
        }"#]],
    );
    desk.server.respond(&id, json!({ "applied": true }));
    let result = desk.server.answer(&asked).unwrap();
    check(
        &desk,
        &result,
        expect![[r#"
        {
          "file": "W/.jp/config.toml",
          "applied": true,
          "leftOut": [
            {
              "path": "assistant.model.parameters.temperature",
              "reason": "`.jp/config.toml` does not set it, another file does"
            }
          ]
        }"#]],
    );
}

#[test]
fn a_client_without_our_plugin_keeps_by_a_code_action() {
    let mut capabilities = everything();
    capabilities["workspace"]["workspaceEdit"] = json!({});
    let (mut desk, _) = desk(capabilities, true);
    desk.open(".jp/config.toml");
    let position = json!({ "line": 0, "character": 0 });
    let at = json!({ "textDocument": { "uri": desk.uri(".jp/config.toml") },
        "range": { "start": position, "end": position }, "context": { "diagnostics": [] } });
    let keeping = |desk: &mut Desk| -> Vec<Value> {
        let actions = desk
            .server
            .call("textDocument/codeAction", at.clone())
            .unwrap();
        let actions = actions.as_array().unwrap().iter();
        let keeping = actions.filter(|action| action["command"]["command"] == "jp.delta.persist");
        keeping.cloned().collect()
    };
    let [action] = <[Value; 1]>::try_from(keeping(&mut desk)).unwrap();
    assert_eq!(
        action["title"],
        "Keep what `switch_model` changed in `config.toml` (call_1)"
    );
    let command =
        json!({ "command": "jp.delta.persist", "arguments": action["command"]["arguments"] });
    let asked = desk.server.ask("workspace/executeCommand", command);
    let (id, edit) = desk.server.request("workspace/applyEdit");
    check(
        &desk,
        &edit,
        expect![[r#"
        {
          "label": "Keep what switch_model changed",
          "edit": {
            "changes": {
              "W/.jp/config.toml": [
                {
                  "range": {
                    "start": {
                      "line": 1,
                      "character": 0
                    },
                    "end": {
                      "line": 2,
                      "character": 0
                    }
                  },
                  "newText": "model.id = \"strong\" # é, for now\n"
                }
              ]
            }
          }
        }"#]],
    );
    desk.server.respond(&id, json!({ "applied": true }));
    assert_eq!(desk.server.answer(&asked).unwrap()["applied"], true);
    assert_eq!(keeping(&mut desk), Vec::<Value>::new());
}

#[test]
fn a_new_file_is_created_in_the_config_folder_only() {
    let (mut desk, conversation) = desk(everything(), true);
    let at = |file: &str| json!({ "conversation": conversation, "callId": "call_1", "file": file });
    let asked = {
        let file = desk.uri(".jp/kept/strong.toml");
        ask(&mut desk, at(&file))
    };
    let (id, mut edit) = desk.server.request("workspace/applyEdit");
    edit["edit"]["changeAnnotations"] = Value::Null;
    check(
        &desk,
        &edit,
        expect![[r#"
        {
          "label": "Keep what switch_model changed",
          "edit": {
            "documentChanges": [
              {
                "kind": "create",
                "uri": "W/.jp/kept/strong.toml",
                "options": {
                  "overwrite": false,
                  "ignoreIfExists": false
                },
                "annotationId": "edit"
              },
              {
                "textDocument": {
                  "uri": "W/.jp/kept/strong.toml",
                  "version": null
                },
                "edits": [
                  {
                    "range": {
                      "start": {
                        "line": 0,
                        "character": 0
                      },
                      "end": {
                        "line": 0,
                        "character": 0
                      }
                    },
                    "newText": "[assistant.model]\nid = \"test/strong\"\n",
                    "annotationId": "edit"
                  }
                ]
              }
            ],
            "changeAnnotations": null
          }
        }"#]],
    );
    desk.server
        .respond(&id, json!({ "applied": false, "failureReason": "no" }));
    let logged = desk.server.notification("window/logMessage");
    assert_eq!(logged["message"], "an edit was not made: no");
    assert_eq!(desk.server.answer(&asked).unwrap()["applied"], false);

    let problem = "is not loaded by the workspace of this conversation: name a file that is, or a new one in its `.jp` folder";
    for name in ["notes.toml", "new.toml", ".jp/../new.toml", "../new.toml"] {
        let file = desk.uri(name);
        let said = refused(&mut desk, at(&file));
        assert!(said.ends_with(problem), "{name}: {said}");
    }
    #[cfg(unix)]
    {
        std::fs::create_dir(desk.path("outside")).unwrap();
        std::os::unix::fs::symlink(desk.path("outside"), desk.path(".jp/link")).unwrap();
        std::os::unix::fs::symlink(desk.path("nowhere"), desk.path(".jp/dangling.toml")).unwrap();
        for name in [".jp/link/new.toml", ".jp/dangling.toml"] {
            let file = desk.uri(name);
            let said = refused(&mut desk, at(&file));
            assert!(said.ends_with(problem), "{name}: {said}");
        }
    }
    let file = desk.uri(".jp/new.json");
    let said = refused(&mut desk, at(&file));
    assert!(
        said.ends_with("is no TOML file: name one whose name ends in `.toml`"),
        "{said}"
    );
    assert!(!desk.path(".jp/kept").exists());
}

#[test]
fn a_file_that_cannot_take_the_change_says_why() {
    let (mut desk, conversation) = desk(everything(), true);
    let call = json!({ "conversation": conversation, "callId": "call_1" });
    desk.open_with(".jp/config.toml", "[assistant\n");
    let said = refused(&mut desk, call);
    assert!(
        said.starts_with("`.jp/config.toml` cannot be changed: the file is not valid TOML"),
        "{said}"
    );
    let mut call = json!({ "conversation": conversation, "callId": "call_1" });
    call["file"] = desk.uri(".jp.toml").into();
    let asked = ask(&mut desk, call);
    let (id, edit) = desk.server.request("workspace/applyEdit");
    desk.server.respond(&id, json!({ "applied": true }));
    let text = &edit["edit"]["documentChanges"][0]["edits"][0]["newText"];
    assert!(!text.as_str().unwrap().contains("temperature"));
    assert_eq!(desk.server.answer(&asked).unwrap()["leftOut"], json!([]));
}

#[test]
fn what_was_rejected_or_never_happened_is_not_kept() {
    let (mut desk, conversation) = desk(everything(), false);
    let mut keep = |call: &str| {
        let call = json!({ "conversation": conversation, "callId": call });
        refused(&mut desk, call)
    };
    assert_eq!(
        keep("call_1"),
        "the config change of call `call_1` was not approved, so there is nothing to keep"
    );
    let said = keep("call_2");
    assert!(
        said.starts_with("no config change of call `call_2` in `jp-c"),
        "{said}"
    );
}

#[test]
fn a_client_that_makes_no_edits_is_told() {
    let capabilities = json!({ "experimental": { "jp": { "prompts": true } } });
    let (mut desk, conversation) = desk(capabilities, true);
    let call = json!({ "conversation": conversation, "callId": "call_1" });
    assert_eq!(
        refused(&mut desk, call),
        "the client makes no edits for a server (`workspace/applyEdit`): write the change by hand"
    );
}

#[test]
fn nothing_is_kept_in_an_untrusted_workspace() {
    let mut desk = Desk::with(CONFIG, json!({ "capabilities": everything() }));
    let call = json!({ "conversation": "jp-c17636666521", "callId": "call_1" });
    assert_eq!(
        refused(&mut desk, call),
        "the workspace is not trusted: nothing that was decided in it is kept"
    );
}
