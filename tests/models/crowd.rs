//! Prompts that wait while everything else goes on, and the client that they wait for in vain.

use expect_test::expect_file;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{aimock::Aimock, editor::Editor, workspace::Workspace};

const CONFIG: &str = r#"
[conversation.tools.'*']
run = "ask"

[conversation.tools.write_note]
source = "local"
command = { program = "sh", args = ["-c", 'echo "$0" > note; echo written', "{{tool.arguments.text}}"] }
parameters.text = { type = "string", required = true }
"#;

/// How many workspaces have a prompt open at the same time.
const PROMPTS: usize = 4;

/// How many messages are queued before any is answered; every fourth is a change, the others are requests.
const MESSAGES: i32 = 500;

#[test]
fn four_open_prompts_hold_nothing_up() {
    let server = Aimock::start("crowd.json");
    let first = Workspace::new("openai", &server.base_url(), CONFIG);
    let more: Vec<Workspace> = (1..PROMPTS)
        .map(|_| Workspace::new("openai", &server.base_url(), CONFIG))
        .collect();
    let mut editor = Editor::open_beside(&first, &more);
    editor.server.tolerate("jp/conversation/event");
    let mut conversations = Vec::new();
    for workspace in std::iter::once(&first).chain(&more) {
        let uri = url::Url::from_file_path(workspace.root()).unwrap();
        let params = json!({ "text": "Write it.", "conversation": "new", "workspace": uri });
        let started = editor.server.call("jp/query/start", params).unwrap();
        let conversation = &started["conversation"];
        assert!(!conversations.contains(conversation), "two have one id");
        conversations.push(conversation.clone());
    }
    let prompts: Vec<(Value, Value)> = (0..PROMPTS)
        .map(|_| editor.server.request("jp/prompt"))
        .collect();

    let uri = editor.uri(".jp/config.toml");
    editor.server.open(&uri, 0, &first.read(".jp/config.toml"));
    let mut asked = Vec::new();
    for number in 0..MESSAGES {
        let document = json!({ "uri": uri });
        let position = json!({ "line": 8, "character": 1 });
        let at = json!({ "textDocument": document, "position": position });
        asked.push(match number % 4 {
            0 => {
                let here = json!({ "line": 0, "character": 0 });
                let text = if number % 8 == 0 { "#" } else { "\n" };
                let change = json!([{ "range": { "start": here, "end": here }, "text": text }]);
                editor.server.change(&uri, number + 1, change);
                continue;
            }
            1 => editor.server.ask("textDocument/hover", at),
            2 => editor.server.ask("textDocument/completion", at),
            _ => editor.server.ask("jp/conversation/list", json!({})),
        });
    }
    for id in &asked {
        editor.server.answer(id).unwrap();
    }

    // All of them still wait, and the last one can be answered first.
    for (id, prompt) in prompts.iter().rev() {
        assert_eq!(prompt["kind"], "run");
        editor.server.respond(id, json!({ "action": "approve" }));
        let resolved = editor.server.notification("jp/promptResolved");
        assert_eq!(resolved, json!({ "id": prompt["id"], "action": "approve" }));
        editor.conversation = prompt["conversation"].as_str().unwrap().to_owned();
        let (id, question) = editor.server.request("jp/prompt");
        assert_eq!(question["kind"], "question");
        assert_eq!(question["conversation"], *editor.conversation);
        let answer = json!({ "action": "answer", "value": true });
        editor.server.respond(&id, answer);
        editor.server.notification("jp/promptResolved");
    }
    let mut ended = 0;
    while ended < PROMPTS {
        let told = editor.server.notification("jp/conversation/event");
        if told["event"]["type"] == "turn_end" {
            assert_eq!(told["event"]["outcome"], "completed");
            assert!(conversations.contains(&told["conversation"]));
            ended += 1;
        }
    }
    for workspace in std::iter::once(&first).chain(&more) {
        assert_eq!(workspace.read("note"), "hello\n");
    }
}

/// What is on record of a conversation whose client was lost while an approval was shown and a question waited.
fn lost(leave: impl FnOnce(&mut Editor<'_>)) {
    let server = Aimock::start("crowd.json");
    let workspace = Workspace::new("openai", &server.base_url(), CONFIG);
    let mut editor = Editor::open(&workspace);
    editor.query("Write it.");
    editor.prompt("call_1");
    editor.hear("inquiry_request");
    for method in ["jp/conversation/event", "jp/promptResolved"] {
        editor.server.tolerate(method);
    }
    let conversation = editor.conversation.clone();
    leave(&mut editor);
    drop(editor);

    let mut editor = Editor::open(&workspace);
    editor.conversation = conversation;
    expect_file!["crowd/lost.txt"].assert_eq(&editor.stored());
    assert!(!workspace.root().join("note").exists());
    assert_eq!(server.journal().len(), 1, "the model was asked again");
}

#[test]
fn a_client_that_closes_its_end_refuses_what_it_was_asked() {
    lost(|editor| {
        editor.server.close_input();
        assert_eq!(editor.server.wait(), 1);
    });
}

#[test]
fn a_client_that_leaves_in_order_refuses_what_it_was_asked() {
    lost(|editor| assert_eq!(editor.server.leave(), 0));
}
