//! Completion and code actions over the wire, in two encodings, with text before the cursor that each of them counts differently.

#![expect(
    clippy::string_slice,
    reason = "a position within a character fails the test"
)]

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::TestServer;

const ENCODINGS: [&str; 2] = ["utf-8", "utf-16"];

/// What an editor that can do everything says of itself.
fn capable() -> Value {
    json!({
        "textDocument": {
            "completion": { "completionItem": {
                "snippetSupport": true,
                "documentationFormat": ["markdown", "plaintext"],
                "resolveSupport": { "properties": ["documentation"] },
            } },
            "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } },
                "dataSupport": true,
                "resolveSupport": { "properties": ["edit"] },
            },
        },
        "workspace": { "workspaceEdit": { "documentChanges": true } },
    })
}

/// What an editor says that knows actions and nothing more.
fn simple() -> Value {
    json!({ "textDocument": {
        "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } },
    } })
}

/// An editor with `config.toml` open, its cursor at the `$0` of the text.
struct Writer {
    server: TestServer,
    folder: TempDir,
    encoding: &'static str,
    text: String,
    cursor: usize,
    offered: Value,
}

impl Writer {
    fn new(encoding: &'static str, capabilities: &Value, marked: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join(".jp/größe")).unwrap();
        let cursor = marked.find("$0").unwrap();
        let text = marked.replacen("$0", "", 1);
        fs::write(folder.path().join(".jp/config.toml"), "").unwrap();
        let mut server = TestServer::binary();
        server.tolerate("textDocument/publishDiagnostics");
        let mut capabilities = capabilities.clone();
        capabilities["general"] = json!({ "positionEncodings": [encoding] });
        let root = url::Url::from_file_path(folder.path()).unwrap();
        let result = server.initialize_with(json!({
            "capabilities": capabilities,
            "workspaceFolders": [{ "uri": root, "name": "w" }],
        }));
        let mut writer = Self {
            server,
            folder,
            encoding,
            text,
            cursor,
            offered: result["capabilities"].clone(),
        };
        let uri = writer.uri();
        writer.server.open(&uri, 7, &writer.text);
        writer
    }

    fn uri(&self) -> String {
        let path = self.folder.path().join(".jp/config.toml");
        url::Url::from_file_path(path).unwrap().to_string()
    }

    fn units(&self, text: &str) -> usize {
        match self.encoding {
            "utf-8" => text.len(),
            _ => text.encode_utf16().count(),
        }
    }

    fn position(&self) -> Value {
        let head = &self.text[..self.cursor];
        let start = head.rfind('\n').map_or(0, |end| end + 1);
        json!({ "line": head.matches('\n').count(), "character": self.units(&head[start..]) })
    }

    fn offset(&self, position: &Value) -> usize {
        let number = |key: &str| usize::try_from(position[key].as_u64().unwrap()).unwrap();
        let lines = self.text.split_inclusive('\n').take(number("line"));
        let start: usize = lines.map(str::len).sum();
        let rest = &self.text[start..];
        let mut ends = rest.char_indices().map(|(end, _)| end).chain([rest.len()]);
        let within = ends.find(|end| self.units(&rest[..*end]) == number("character"));
        start + within.expect("the position lies between characters")
    }

    /// The text after some edits.
    fn edited(&self, edits: &[Value]) -> String {
        let mut edits = edits.to_vec();
        edits.sort_by_key(|edit| std::cmp::Reverse(self.offset(&edit["range"]["start"])));
        let mut text = self.text.clone();
        for edit in &edits {
            let start = self.offset(&edit["range"]["start"]);
            let end = self.offset(&edit["range"]["end"]);
            text.replace_range(start..end, edit["newText"].as_str().unwrap());
        }
        text
    }

    fn complete(&mut self) -> Vec<Value> {
        let mut list = self.completion(None);
        serde_json::from_value(list["items"].take()).unwrap()
    }

    /// What the editor gets that asks by itself behind a character, or for a person.
    fn completion(&mut self, typed: Option<&str>) -> Value {
        let mut params =
            json!({ "textDocument": { "uri": self.uri() }, "position": self.position() });
        params["context"] = match typed {
            Some(typed) => json!({ "triggerKind": 2, "triggerCharacter": typed }),
            None => json!({ "triggerKind": 1 }),
        };
        self.server.call("textDocument/completion", params).unwrap()
    }

    fn item(&mut self, label: &str) -> Value {
        let items = self.complete();
        let item = items.iter().find(|item| item["label"] == label);
        item.unwrap_or_else(|| panic!("no {label} in {items:#?}"))
            .clone()
    }

    fn actions(&mut self, only: Option<&str>) -> Vec<Value> {
        self.actions_about(only, &json!([]))
    }

    fn actions_about(&mut self, only: Option<&str>, diagnostics: &Value) -> Vec<Value> {
        let at = self.position();
        let mut context = json!({ "diagnostics": diagnostics });
        if let Some(only) = only {
            context["only"] = json!([only]);
        }
        let params = json!({
            "textDocument": { "uri": self.uri() },
            "range": { "start": at, "end": at },
            "context": context,
        });
        let actions = self.server.call("textDocument/codeAction", params).unwrap();
        serde_json::from_value(actions).unwrap()
    }
}

fn titles(actions: &[Value]) -> Vec<&str> {
    actions
        .iter()
        .map(|action| action["title"].as_str().unwrap())
        .collect()
}

const PATH: &str =
    "[conversation.tools]\na = { summary = \"ä😀\", access.fs = [{ path = \".jp/gr$0\" }] }\n";

#[test]
fn an_item_replaces_what_is_typed_in_every_encoding() {
    for encoding in ENCODINGS {
        let mut writer = Writer::new(encoding, &capable(), PATH);
        let item = writer.item(".jp/größe/");
        assert_eq!(
            writer.edited(&[item["textEdit"].clone()]),
            "[conversation.tools]\na = { summary = \"ä😀\", access.fs = [{ path = \".jp/größe/\" }] }\n"
        );
    }
}

const KEY: &str = "[conversation.tools]\na = { summary = \"ä😀\", re$0 }\n";

#[test]
fn documentation_comes_when_an_item_is_shown() {
    for encoding in ENCODINGS {
        let mut writer = Writer::new(encoding, &capable(), KEY);
        assert_eq!(
            writer.offered["completionProvider"]["resolveProvider"],
            true
        );
        let item = writer.item("result");
        assert_eq!(
            item["textEdit"]["newText"],
            "result = \"${1|unattended,ask,edit,skip|}\""
        );
        assert_eq!(item["insertTextFormat"], 2);
        assert_eq!(item["documentation"], Value::Null);
        let resolved = writer.server.call("completionItem/resolve", item).unwrap();
        assert_eq!(resolved["documentation"]["kind"], "markdown");
        let text = resolved["documentation"]["value"].as_str().unwrap();
        assert!(text.contains("Type: one of `unattended`"), "{text}");
    }
}

#[test]
fn a_simple_client_gets_plain_text_and_all_at_once() {
    for encoding in ENCODINGS {
        let mut writer = Writer::new(encoding, &simple(), KEY);
        assert_eq!(
            writer.offered["completionProvider"]["resolveProvider"],
            false
        );
        let item = writer.item("result");
        assert_eq!(item["insertTextFormat"], Value::Null);
        assert_eq!(item["documentation"]["kind"], "plaintext");
        assert_eq!(
            writer.edited(&[item["textEdit"].clone()]),
            "[conversation.tools]\na = { summary = \"ä😀\", result = \"unattended\" }\n"
        );
    }
}

#[test]
fn enter_behind_a_bracket_takes_no_item() {
    let rules = |list: &str| format!("[conversation.tools.a.policy]\nrun = {list}\n");
    for list in ["[$0", "[$0]", "[\n    { mode = \"ask\" },$0\n]"] {
        let mut writer = Writer::new("utf-8", &capable(), &rules(list));
        for typed in ["[", ","] {
            assert_eq!(writer.completion(Some(typed)), Value::Null, "{list}");
        }
        assert_eq!(writer.item("{ mode }")["kind"], 15, "{list}");
    }
    let mut writer = Writer::new("utf-8", &capable(), "[$0");
    let headers = writer.completion(Some("["));
    assert_eq!(headers["items"][0]["label"], "assistant");
    let mut writer = Writer::new("utf-8", &capable(), &rules("[{ mode = \"ask\",$0 }]"));
    let keys = writer.completion(Some(","));
    assert_eq!(keys["items"][0]["label"], "arg");
}

const MISTAKE: &str =
    "[conversation.tools]\na = { examples = \"ä😀\", summ$0ery = \"x\", source = \"builtin\" }\n";
const FIXED: &str =
    "[conversation.tools]\na = { examples = \"ä😀\", summary = \"x\", source = \"builtin\" }\n";

#[test]
fn a_fix_is_found_again_when_it_is_picked() {
    for encoding in ENCODINGS {
        let mut writer = Writer::new(encoding, &capable(), MISTAKE);
        let actions = writer.actions(Some("quickfix"));
        assert_eq!(titles(&actions), ["Write `summary`"]);
        assert_eq!(actions[0]["edit"], Value::Null);
        assert_eq!(actions[0]["isPreferred"], true);
        assert_eq!(actions[0]["diagnostics"][0]["code"], "unknown-key");
        let resolved = writer
            .server
            .call("codeAction/resolve", actions[0].clone())
            .unwrap();
        let change = &resolved["edit"]["documentChanges"][0];
        assert_eq!(
            change["textDocument"],
            json!({ "uri": writer.uri(), "version": 7 })
        );
        assert_eq!(writer.edited(change["edits"].as_array().unwrap()), FIXED);
    }
}

#[test]
fn a_fix_is_offered_wherever_the_editor_shows_the_mistake() {
    let marked = MISTAKE.replace("$0", "").replacen("a =", "$0a =", 1);
    for capabilities in [capable(), simple()] {
        let mut writer = Writer::new("utf-16", &capabilities, &marked);
        assert_eq!(writer.actions(Some("quickfix")), Vec::<Value>::new());
        let shown = |line: u32, source: &str| {
            let range = json!({ "start": { "line": line, "character": 23 }, "end": { "line": line, "character": 30 } });
            json!({ "range": range, "message": "unknown key", "source": source })
        };
        let diagnostics = json!([shown(1, "other"), shown(900, "jp")]);
        let actions = writer.actions_about(Some("quickfix"), &diagnostics);
        assert_eq!(actions, Vec::<Value>::new());
        let diagnostics = json!([shown(900, "jp"), shown(1, "jp"), shown(1, "jp")]);
        let mut actions = writer.actions_about(Some("quickfix"), &diagnostics);
        assert_eq!(titles(&actions), ["Write `summary`"]);
        let mut action = actions.remove(0);
        if action["edit"].is_null() {
            action = writer.server.call("codeAction/resolve", action).unwrap();
        }
        let documents = &action["edit"]["documentChanges"][0]["edits"];
        let edits = match documents.as_array() {
            Some(edits) => edits,
            None => action["edit"]["changes"][&writer.uri()].as_array().unwrap(),
        };
        assert_eq!(writer.edited(edits), FIXED);
    }
}

#[test]
fn an_action_for_another_version_is_refused() {
    let mut writer = Writer::new("utf-16", &capable(), MISTAKE);
    let action = writer.actions(None).remove(0);
    let uri = writer.uri();
    writer.server.change(&uri, 8, json!([{ "text": "" }]));
    let refused = writer.server.call("codeAction/resolve", action);
    assert_eq!(refused.unwrap_err()["code"], -32801);
}

#[test]
fn a_simple_client_gets_the_changes_with_the_action() {
    for encoding in ENCODINGS {
        let mut writer = Writer::new(encoding, &simple(), MISTAKE);
        let actions = writer.actions(Some("quickfix"));
        let edits = actions[0]["edit"]["changes"][&writer.uri()].as_array();
        assert_eq!(writer.edited(edits.unwrap()), FIXED);
    }
}

#[test]
fn a_missing_file_is_created_by_a_client_that_creates_files() {
    let text = "extends = [\"größe/$0missing.toml\"]\n";
    let title = "Create `.jp/größe/missing.toml`";
    let mut creating = capable();
    creating["workspace"]["workspaceEdit"]["resourceOperations"] = json!(["create"]);
    let mut writer = Writer::new("utf-16", &creating, text);
    let actions = writer.actions(Some("quickfix"));
    let action = actions.iter().find(|action| action["title"] == title);
    let action = action.unwrap_or_else(|| panic!("no {title} in {actions:#?}"));
    assert_eq!(action["diagnostics"][0]["code"], "extends-missing");
    let resolved = writer.server.call("codeAction/resolve", action.clone());
    let missing = writer.folder.path().join(".jp/größe/missing.toml");
    assert_eq!(
        resolved.unwrap()["edit"],
        json!({ "documentChanges": [{
            "kind": "create",
            "uri": url::Url::from_file_path(&missing).unwrap(),
            "options": { "overwrite": false, "ignoreIfExists": true },
        }] })
    );
    assert!(!missing.exists(), "the editor creates it, not the server");
    for cannot in [capable(), simple()] {
        let mut writer = Writer::new("utf-16", &cannot, text);
        let actions = writer.actions(Some("quickfix"));
        assert!(titles(&actions).contains(&"Remove this entry"));
        assert!(!titles(&actions).contains(&title), "{actions:#?}");
    }
}

#[test]
fn findings_that_need_the_same_word_are_told_apart() {
    let text =
        "$0[conversation.tools.a]\nsummery = \"x\"\n[conversation.tools.b]\nsummery = \"y\"\n";
    let mut writer = Writer::new("utf-16", &capable(), text);
    let params = json!({
        "textDocument": { "uri": writer.uri() },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 4, "character": 0 } },
        "context": { "diagnostics": [], "only": ["quickfix"] },
    });
    let actions = writer.server.call("textDocument/codeAction", params);
    let actions: Vec<Value> = serde_json::from_value(actions.unwrap()).unwrap();
    let words: Vec<Value> = actions
        .into_iter()
        .filter(|action| action["title"] == "Write `summary`")
        .collect();
    let lines: Vec<Value> = words
        .into_iter()
        .map(|action| {
            let action = writer.server.call("codeAction/resolve", action).unwrap();
            action["edit"]["documentChanges"][0]["edits"][0]["range"]["start"]["line"].clone()
        })
        .collect();
    assert_eq!(lines, [json!(1), json!(3)]);
}

#[test]
fn why_a_rewrite_cannot_be_is_for_those_who_look_for_one() {
    let text = "[conversation.tools.a]\n[conversation.tools.a.st$0yle]\n[conversation.tools.a.style.error]\n";
    let mut able = simple();
    able["textDocument"]["codeAction"]["disabledSupport"] = json!(true);
    let braces = |writer: &mut Writer, only: Option<&str>| {
        let mut actions = writer.actions(only);
        actions.retain(|action| {
            action["title"] == "Write the table in braces, in `[conversation.tools.a]`"
        });
        actions
    };
    let mut writer = Writer::new("utf-16", &able, text);
    let found = braces(&mut writer, Some("refactor"));
    assert_eq!(
        found[0]["disabled"]["reason"],
        "other headers hold parts of `conversation.tools.a.style`"
    );
    assert_eq!(found[0]["edit"], Value::Null);
    assert_eq!(braces(&mut writer, None), Vec::<Value>::new());
    let mut writer = Writer::new("utf-16", &simple(), text);
    assert_eq!(braces(&mut writer, Some("refactor")), Vec::<Value>::new());
}

#[test]
fn fixing_everything_is_for_those_who_ask() {
    let text = "$0[assistent]\nname = \"ä😀\"\n\n[conversation]\ntitel.generate.auto = true\n";
    for encoding in ENCODINGS {
        let mut writer = Writer::new(encoding, &simple(), text);
        let actions = writer.actions(None);
        assert!(
            !titles(&actions)
                .iter()
                .any(|title| title.starts_with("Fix all"))
        );
        let actions = writer.actions(Some("source.fixAll"));
        assert_eq!(titles(&actions), ["Fix all 2 problems with a safe fix"]);
        let edits = actions[0]["edit"]["changes"][&writer.uri()].as_array();
        assert_eq!(
            writer.edited(edits.unwrap()),
            "[assistant]\nname = \"ä😀\"\n\n[conversation]\ntitle.generate.auto = true\n"
        );
    }
}

#[test]
fn rewrites_are_offered_by_kind() {
    let text = "[conversation.tools]\na = { summary = \"ä😀\", ena$0ble = \"always\" }\n";
    for encoding in ENCODINGS {
        let mut writer = Writer::new(encoding, &simple(), text);
        let actions = writer.actions(Some("refactor"));
        assert_eq!(titles(&actions), ["Write `enable` as a table"]);
        let edits = actions[0]["edit"]["changes"][&writer.uri()].as_array();
        assert_eq!(
            writer.edited(edits.unwrap()),
            "[conversation.tools]\na = { summary = \"ä😀\", enable = { state = true, allow_toggle = \"never\" } }\n"
        );
    }
}

#[test]
fn a_client_that_knows_commands_only_is_offered_no_actions() {
    let writer = Writer::new("utf-16", &json!({}), "$0");
    assert_eq!(writer.offered["codeActionProvider"], Value::Null);
}

/// Types what a person would type for the labels of items, and accepts each; gives the text.
#[test]
fn a_tool_can_be_written_from_items_alone() {
    let mut text = String::new();
    let steps: &[(&str, &str)] = &[
        ("[conversation.tools.edit]\n$0", "source"),
        ("\n$0", "command"),
        ("\n$0", "enable"),
        ("\n\n$0", "[[conversation.tools.edit.access.fs]]"),
        ("$0", "read"),
        (
            "\n\n[conversation.tools.edit.param$0",
            "parameters.<parameter>",
        ),
        ("\n$0", "type"),
        ("\n\n[conversation.tools.edit.po$0", "policy"),
        ("\nru$0", "run"),
    ];
    for (typed, label) in steps {
        let marked = format!("{text}{typed}");
        let mut writer = Writer::new("utf-8", &simple(), &marked);
        let item = writer.item(label);
        text = writer.edited(&[item["textEdit"].clone()]);
    }
    let text = text.replace("command = \"\"", "command = \"edit {{context}}\"");
    let mut writer = Writer::new("utf-8", &simple(), &format!("{text}$0"));
    let (_, _, messages) = writer.server.published();
    assert_eq!(messages, Vec::<String>::new(), "{text}");
}

#[test]
fn a_tool_moves_into_a_file_that_the_editor_creates() {
    let text =
        "extends = []\n[conversation.tools.gr$0ep]\nsource = \"local\"\ncommand = \"grep\"\n";
    let title = "Move the tool to `.jp/tools/grep.toml`";
    let mut creating = capable();
    creating["workspace"]["workspaceEdit"]["resourceOperations"] = json!(["create"]);
    let mut writer = Writer::new("utf-16", &creating, text);
    let actions = writer.actions(Some("refactor"));
    let action = actions.iter().find(|action| action["title"] == title);
    let action = action.unwrap_or_else(|| panic!("no {title} in {actions:#?}"));
    let resolved = writer.server.call("codeAction/resolve", action.clone());
    let new = writer.folder.path().join(".jp/tools/grep.toml");
    let new = url::Url::from_file_path(&new).unwrap();
    let edit = resolved.unwrap()["edit"].clone();
    let changes = edit["documentChanges"].as_array().unwrap();
    assert_eq!(
        changes[..2],
        [
            json!({ "kind": "create", "uri": new, "options": { "overwrite": false, "ignoreIfExists": false } }),
            json!({
                "textDocument": { "uri": new, "version": null },
                "edits": [{
                    "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
                    "newText": "[conversation.tools.grep]\nsource = \"local\"\ncommand = \"grep\"\n",
                }],
            }),
        ]
    );
    let own = changes[2]["edits"].as_array().unwrap();
    assert_eq!(writer.edited(own), "extends = [\"tools/grep.toml\"]\n");
    let mut plain = Writer::new("utf-16", &capable(), text);
    assert!(!titles(&plain.actions(Some("refactor"))).contains(&title));
}
