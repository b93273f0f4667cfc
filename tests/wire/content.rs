//! Documents without a file: the effective config, a prompt and a conversation, and when the client is to ask again.

use std::collections::BTreeSet;

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{desk::Desk, server::TestServer};

const CONFIG: &str = "//- .jp/config.toml
assistant.name = \"Ada\"
assistant.model.id = \"test/model\"
[conversation.tools.echo]
source = \"local\"
command = \"echo x\"
run = \"ask\"
";

const CALL: &str = r#"
[[cycles]]
batches = [[{ tool_call = { id = "call_1", name = "echo" } }]]

[[cycles]]
batches = [[{ text = "Then not." }]]
"#;

const REFRESH: &str = "workspace/textDocumentContent/refresh";

/// A desk whose editor shows documents that have no file.
fn desk(is_plugin: bool) -> Desk {
    let params = json!({
        "capabilities": {
            "window": { "showDocument": { "support": true } },
            "workspace": { "textDocumentContent": {} },
            "textDocument": { "codeAction": { "codeActionLiteralSupport": {} } },
            "experimental": { "jp": { "prompts": is_plugin } },
        },
        "initializationOptions": { "trusted": true },
    });
    Desk::with_script(CONFIG, params, Some(CALL))
}

fn execute(desk: &mut Desk, command: &str, argument: &Value) -> Value {
    let params = json!({ "command": command, "arguments": [argument] });
    desk.server.ask("workspace/executeCommand", params)
}

/// The address of the document that the server has shown, and whether it takes the focus.
fn shown(desk: &mut Desk) -> (Value, Value) {
    let (id, mut shown) = desk.server.request("window/showDocument");
    desk.server.respond(&id, json!({ "success": true }));
    (shown["uri"].take(), shown["takeFocus"].take())
}

fn content(desk: &mut Desk, uri: &Value) -> String {
    let params = json!({ "uri": uri });
    let content = desk.server.call("workspace/textDocumentContent", params);
    content.unwrap()["text"].as_str().unwrap().to_owned()
}

/// Waits until the client is to ask again, and gives for what.
fn refreshed(desk: &mut Desk) -> Value {
    let (id, mut params) = desk.server.request(REFRESH);
    desk.server.respond(&id, Value::Null);
    params["uri"].take()
}

#[test]
fn documents_are_offered_to_who_asks_for_such() {
    for (capabilities, expected) in [
        (
            json!({ "workspace": { "textDocumentContent": { "dynamicRegistration": true } } }),
            json!({ "schemes": ["jp-lsp"] }),
        ),
        (json!({ "workspace": {} }), Value::Null),
    ] {
        let mut server = TestServer::binary();
        let result = server.initialize(&capabilities);
        let offered = &result["capabilities"]["workspace"]["textDocumentContent"];
        assert_eq!(*offered, expected);
    }
}

#[test]
fn the_effective_config_is_asked_for_again_when_something_changed() {
    let mut desk = desk(false);
    desk.open(".jp/config.toml");
    let folder = json!({ "workspace": desk.uri("") });
    let asked = execute(&mut desk, "jp.openEffectiveConfig", &folder);
    let (uri, takes_focus) = shown(&mut desk);
    let folder = desk.uri("").replace("file://", "");
    assert_eq!(
        uri,
        format!(
            "jp-lsp:/effective{}/config.toml",
            folder.trim_end_matches('/')
        )
    );
    assert_eq!(takes_focus, true);
    let answer = desk.server.answer(&asked).unwrap();
    let text = content(&mut desk, &uri);
    assert_eq!(answer, json!({ "text": text, "uri": uri }));
    assert!(
        text.contains("name = \"Ada\" # .jp/config.toml:1\n"),
        "{text}"
    );
    desk.replace(".jp/config.toml", "Ada", "Bea");
    assert_eq!(refreshed(&mut desk), uri);
    // Once is enough, until it has asked.
    desk.replace(".jp/config.toml", "Bea", "Eve");
    desk.shows(".jp/config.toml", &[]);
    let text = content(&mut desk, &uri);
    assert!(text.contains("name = \"Eve\""), "{text}");
    desk.replace(".jp/config.toml", "Eve", "Ida");
    assert_eq!(refreshed(&mut desk), uri);
}

#[test]
fn a_plugin_shows_the_effective_config_itself() {
    let mut desk = desk(true);
    // Whatever comes behind the answer, such as the start of a watch, may be a change.
    desk.server.tolerate(REFRESH);
    let asked = execute(&mut desk, "jp.openEffectiveConfig", &json!({}));
    let answer = desk.server.answer(&asked).unwrap();
    assert_eq!(content(&mut desk, &answer["uri"]), answer["text"]);
}

#[test]
fn a_prompt_and_its_conversation_are_documents() {
    let mut desk = desk(false);
    desk.server.tolerate("jp/conversation/event");
    let query = json!({ "text": "What does it say?", "conversation": "new" });
    let asked = execute(&mut desk, "jp.query", &query);
    let started = desk.server.answer(&asked).unwrap();
    let conversation = json!({ "conversation": started["conversation"] });
    let (message, _) = desk.server.request("window/showMessageRequest");
    desk.server.respond(&message, Value::Null);
    desk.shows(".jp/config.toml", &["5:6-11 pending-prompt"]);

    let asked = execute(&mut desk, "jp.conversation.show", &conversation);
    let (talk, _) = shown(&mut desk);
    let id = started["conversation"].as_str().unwrap();
    assert_eq!(talk, format!("jp-lsp:/conversation/{id}.md"));
    assert_eq!(desk.server.answer(&asked).unwrap(), json!({ "uri": talk }));
    let before = content(&mut desk, &talk);
    assert!(before.contains("> What does it say?"), "{before}");

    let range =
        json!({ "start": { "line": 5, "character": 7 }, "end": { "line": 5, "character": 7 } });
    let at = json!({ "textDocument": { "uri": desk.uri(".jp/config.toml") }, "range": range, "context": { "diagnostics": [] } });
    let actions = desk.server.call("textDocument/codeAction", at).unwrap();
    let pick = |title: &str| {
        let mut actions = actions.as_array().unwrap().iter();
        let is_meant = |action: &&Value| action["title"].as_str().unwrap().starts_with(title);
        let action = actions.find(is_meant).unwrap();
        action["command"]["arguments"][0].clone()
    };
    let asked = execute(&mut desk, "jp.prompt.answer", &pick("Show Details"));
    let (prompt, takes_focus) = shown(&mut desk);
    assert_eq!(takes_focus, true);
    desk.server.answer(&asked).unwrap();
    let folder = desk.path("");
    let told = content(&mut desk, &prompt).replace(folder.to_str().unwrap(), "W/");
    expect![[r#"
        # Prompt

        ```
        Run local echo tool?
        ```

        ```
        echo x
        ```

        ```
        decided by W/.jp/config.toml:6
        ```

    "#]]
    .assert_eq(told.split("```\necho call_1").next().unwrap());

    let asked = execute(&mut desk, "jp.prompt.answer", &pick("Reject \u{2014}"));
    desk.server.answer(&asked).unwrap();
    // How often the conversation grew before is a matter of time.
    let mut stale = BTreeSet::new();
    while stale.len() < 2 {
        stale.insert(refreshed(&mut desk).to_string());
    }
    assert_eq!(stale, [&talk, &prompt].map(Value::to_string).into());
    assert_eq!(
        shown(&mut desk),
        (talk.clone(), json!(false)),
        "the answer is shown"
    );
    assert_eq!(
        content(&mut desk, &prompt),
        "This question waits no more.\n"
    );
    let after = content(&mut desk, &talk);
    assert!(
        after.starts_with(&before) && after.contains("> Then not."),
        "{after}"
    );
    assert!(
        !desk.home("data/jp-lsp/documents").exists(),
        "no file is written"
    );
    desk.server.tolerate(REFRESH);
}

#[test]
fn what_is_no_document_is_said() {
    let mut desk = desk(false);
    let mut refused = |uri: &str| {
        let params = json!({ "uri": uri });
        let refused = desk.server.call("workspace/textDocumentContent", params);
        refused.unwrap_err()["message"].as_str().unwrap().to_owned()
    };
    let told = [
        "file:///etc/passwd",
        "jp-lsp:/effective/etc/config.toml",
        "jp-lsp:/conversation/jp-c17636666521.md",
        "jp-lsp:/prompt/nothing",
    ]
    .map(&mut refused);
    expect![[r#"
        there is no document `file:///etc/passwd`: addresses begin with `jp-lsp:/effective/`, `jp-lsp:/prompt/` or `jp-lsp:/conversation/`
        `/etc` is no workspace that is open
        there is no conversation `jp-c17636666521` in the open workspaces
        there is no document `jp-lsp:/prompt/nothing`: addresses begin with `jp-lsp:/effective/`, `jp-lsp:/prompt/` or `jp-lsp:/conversation/`"#]].assert_eq(&told.join("\n"));
}
