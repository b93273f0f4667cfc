//! Hover, navigation, reading aids, formatting and explanations over the wire, in two encodings, with text before the cursor that each
//! of them counts differently.
//!
//! One file: every request is about the same two files.

#![expect(
    clippy::string_slice,
    reason = "a position within a character fails the test"
)]

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::TestServer;

const CONFIG: &str = r#"extends = ["tools/edit.toml"]
# ä😀
[conversation.tools.edit]
summary = "ä😀"
policy.run = [{ arg = "/ä😀", const = "😀", mode = "ask" }, { arg = "/path", prefix = "src", mode = "unattended" }]
policy.result = [
    { mode = "ask" },
]
[assistant]
tool_choice = "edit"
[assistant.model]
id = "schön"
[providers.llm.aliases]
"schön" = "anthropic/claude-haiku-4"
"#;

const TOOL: &str = r#"[conversation.tools.edit]
source = "local"
parameters = { "ä😀" = { type = "string" }, path = { type = "path" } }
"#;

/// A client that counts in one encoding, with `config.toml` open.
struct Reader {
    server: TestServer,
    folder: TempDir,
    encoding: &'static str,
    text: String,
    capabilities: Value,
}

impl Reader {
    fn new(encoding: &'static str, options: Value) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join(".jp/tools")).unwrap();
        fs::write(folder.path().join(".jp/config.toml"), CONFIG).unwrap();
        fs::write(folder.path().join(".jp/tools/edit.toml"), TOOL).unwrap();
        let mut server = TestServer::binary();
        server.tolerate("textDocument/publishDiagnostics");
        server.tolerate("window/showMessage");
        let root = url::Url::from_file_path(folder.path()).unwrap();
        let result = server.initialize_with(json!({
            "capabilities": {
                "general": { "positionEncodings": [encoding] },
                "textDocument": {
                    "hover": { "contentFormat": ["markdown", "plaintext"] },
                    "signatureHelp": { "signatureInformation": {
                        "documentationFormat": ["markdown"],
                        "parameterInformation": { "labelOffsetSupport": true },
                    } },
                    "rename": { "prepareSupport": true },
                    "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                },
                "workspace": { "workspaceEdit": { "documentChanges": true }, "didChangeWatchedFiles": {} },
            },
            "initializationOptions": options,
            "workspaceFolders": [{ "uri": root, "name": "w" }],
        }));
        let mut reader = Self {
            server,
            folder,
            encoding,
            text: CONFIG.to_owned(),
            capabilities: result["capabilities"].clone(),
        };
        let uri = reader.uri("config.toml");
        reader.server.open(&uri, 1, CONFIG);
        reader
    }

    fn uri(&self, name: &str) -> String {
        let path = self.folder.path().join(".jp").join(name);
        url::Url::from_file_path(path).unwrap().to_string()
    }

    fn units(&self, text: &str) -> usize {
        match self.encoding {
            "utf-8" => text.len(),
            _ => text.encode_utf16().count(),
        }
    }

    /// The position before the first place where the text continues with `before` and then `after`.
    fn at(&self, before: &str, after: &str) -> Value {
        let offset = self.text.find(&format!("{before}{after}")).unwrap() + before.len();
        let head = &self.text[..offset];
        let line = head.matches('\n').count();
        let start = head.rfind('\n').map_or(0, |end| end + 1);
        json!({ "line": line, "character": self.units(&head[start..]) })
    }

    /// The text of a range in one of the files.
    fn slice<'t>(&self, text: &'t str, range: &Value) -> &'t str {
        let offset = |position: &Value| {
            let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
            let units = usize::try_from(position["character"].as_u64().unwrap()).unwrap();
            let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            let rest = &text[start..];
            let ends = rest.char_indices().map(|(end, _)| end).chain([rest.len()]);
            let found = ends
                .into_iter()
                .find(|end| self.units(&rest[..*end]) == units);
            start + found.expect("a position between characters")
        };
        &text[offset(&range["start"])..offset(&range["end"])]
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Result<Value, Value> {
        params["textDocument"] = json!({ "uri": self.uri("config.toml") });
        self.server.call(method, params)
    }

    fn ask_at(&mut self, method: &str, before: &str, after: &str) -> Result<Value, Value> {
        let position = self.at(before, after);
        self.ask(method, json!({ "position": position }))
    }
}

fn in_each_encoding(test: impl Fn(Reader)) {
    for encoding in ["utf-8", "utf-16"] {
        test(Reader::new(encoding, json!({})));
    }
}

#[test]
fn hover_marks_what_it_is_about() {
    in_each_encoding(|mut reader| {
        let hover = reader
            .ask_at("textDocument/hover", "prefix = \"sr", "c")
            .unwrap();
        assert_eq!(hover["contents"]["kind"], "markdown");
        assert_eq!(reader.slice(CONFIG, &hover["range"]), "\"src\"");
        let text = hover["contents"]["value"].as_str().unwrap();
        assert!(text.contains("Reached by `{\"path\":\"src/x\"}`"), "{text}");
        let nothing = reader.ask_at("textDocument/hover", "# ä", "😀").unwrap();
        assert_eq!(nothing, Value::Null);
    });
}

#[test]
fn a_parameter_is_defined_used_and_renamed_across_files() {
    in_each_encoding(|mut reader| {
        let tool = reader.uri("tools/edit.toml");
        let found = reader
            .ask_at("textDocument/definition", "\"/ä", "😀")
            .unwrap();
        assert_eq!(found[0]["uri"], tool);
        assert_eq!(reader.slice(TOOL, &found[0]["range"]), "\"ä😀\"");

        let position = reader.at("arg = \"/pa", "th");
        let found = reader
            .ask(
                "textDocument/references",
                json!({ "position": position, "context": { "includeDeclaration": true } }),
            )
            .unwrap();
        let texts: Vec<_> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|found| {
                let text = if found["uri"] == tool { TOOL } else { CONFIG };
                reader.slice(text, &found["range"])
            })
            .collect();
        assert_eq!(texts, ["path", "path"]);

        let lit = reader
            .ask_at("textDocument/documentHighlight", "tool_choice = \"e", "dit")
            .unwrap();
        assert_eq!(lit.as_array().unwrap().len(), 2);

        let prepared = reader
            .ask_at("textDocument/prepareRename", "arg = \"/pa", "th")
            .unwrap();
        assert_eq!(prepared["placeholder"], "path");
        assert_eq!(reader.slice(CONFIG, &prepared["range"]), "path");
        let edit = reader
            .ask(
                "textDocument/rename",
                json!({ "position": position, "newName": "datei/ß" }),
            )
            .unwrap();
        let changes: Vec<_> = edit["documentChanges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|change| {
                let (name, text) = if change["textDocument"]["uri"] == tool {
                    ("tool", TOOL)
                } else {
                    ("config", CONFIG)
                };
                let edits = change["edits"].as_array().unwrap();
                assert_eq!(edits.len(), 1);
                (
                    name,
                    change["textDocument"]["version"].as_i64(),
                    reader.slice(text, &edits[0]["range"]),
                    edits[0]["newText"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        assert_eq!(
            changes,
            [
                ("config", Some(1), "path", "datei~1ß".to_owned()),
                ("tool", None, "path", "\"datei/ß\"".to_owned()),
            ]
        );
        let refused = reader.ask_at("textDocument/prepareRename", "assis", "tant");
        assert_eq!(refused.unwrap_err()["code"], -32803);
    });
}

#[test]
fn the_outline_folds_and_selects() {
    in_each_encoding(|mut reader| {
        let symbols = reader
            .ask("textDocument/documentSymbol", json!({}))
            .unwrap();
        let names: Vec<_> = symbols
            .as_array()
            .unwrap()
            .iter()
            .map(|symbol| symbol["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "extends",
                "conversation.tools.edit",
                "assistant",
                "assistant.model",
                "providers.llm.aliases"
            ]
        );
        let alias = &symbols[4]["children"][0];
        assert_eq!(reader.slice(CONFIG, &alias["selectionRange"]), "\"schön\"");

        let found = reader
            .server
            .call("workspace/symbol", json!({ "query": "pth" }))
            .unwrap();
        assert_eq!(found[0]["name"], "path");
        assert_eq!(found[0]["containerName"], "edit");

        let folds = reader.ask("textDocument/foldingRange", json!({})).unwrap();
        let lines: Vec<_> = folds
            .as_array()
            .unwrap()
            .iter()
            .map(|fold| {
                (
                    fold["startLine"].as_u64().unwrap(),
                    fold["endLine"].as_u64().unwrap(),
                )
            })
            .collect();
        assert_eq!(lines, [(2, 7), (5, 7), (8, 9), (10, 11), (12, 13)]);

        let position = reader.at("const = \"", "😀");
        let ranges = reader
            .ask(
                "textDocument/selectionRange",
                json!({ "positions": [position] }),
            )
            .unwrap();
        assert_eq!(reader.slice(CONFIG, &ranges[0]["range"]), "😀");
        assert_eq!(
            reader.slice(CONFIG, &ranges[0]["parent"]["range"]),
            "\"😀\""
        );
    });
}

/// The words that an answer of semantic tokens marks.
fn words<'t>(reader: &Reader, text: &'t str, data: &Value) -> Vec<(&'t str, u64)> {
    let data: Vec<u64> = data
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .collect();
    let (mut line, mut character) = (0, 0);
    data.chunks(5).map(|token| {
        line += token[0];
        character = if token[0] == 0 { character + token[1] } else { token[1] };
        let range = json!({ "start": { "line": line, "character": character }, "end": { "line": line, "character": character + token[2] } });
        (reader.slice(text, &range), token[3])
    }).collect()
}

#[test]
fn tokens_come_whole_in_part_and_as_changes() {
    in_each_encoding(|mut reader| {
        let full = reader
            .ask("textDocument/semanticTokens/full", json!({}))
            .unwrap();
        let all = words(&reader, CONFIG, &full["data"]);
        assert_eq!(
            all[..4],
            [
                ("extends", 1),
                ("\"tools/edit.toml\"", 6),
                ("# ä😀", 0),
                ("conversation", 2)
            ]
        );
        assert!(
            all.contains(&("\"😀\"", 6)) && all.contains(&("\"ask\"", 8)),
            "{all:?}"
        );

        let range = json!({ "start": { "line": 3, "character": 0 }, "end": { "line": 3, "character": 20 } });
        let part = reader
            .ask(
                "textDocument/semanticTokens/range",
                json!({ "range": range }),
            )
            .unwrap();
        assert_eq!(
            words(&reader, CONFIG, &part["data"]),
            [("summary", 1), ("\"ä😀\"", 6)]
        );

        let uri = reader.uri("config.toml");
        let at = reader.at("id = ", "\"schön\"");
        let change = json!([{ "range": { "start": at, "end": at }, "text": "\"ü\" # " }]);
        reader.server.change(&uri, 2, change);
        reader.text = CONFIG.replace("id = ", "id = \"ü\" # ");
        let id = full["resultId"].clone();
        let delta = reader
            .ask(
                "textDocument/semanticTokens/full/delta",
                json!({ "previousResultId": id }),
            )
            .unwrap();
        let mut data = full["data"].as_array().unwrap().clone();
        for edit in delta["edits"].as_array().unwrap() {
            let start = usize::try_from(edit["start"].as_u64().unwrap()).unwrap();
            let count = usize::try_from(edit["deleteCount"].as_u64().unwrap()).unwrap();
            assert!(count < data.len() / 2, "only what changed is sent");
            data.splice(
                start..start + count,
                edit["data"].as_array().unwrap().clone(),
            );
        }
        let now = reader
            .ask("textDocument/semanticTokens/full", json!({}))
            .unwrap();
        assert_eq!(Value::from(data), now["data"]);
        assert_eq!(delta["resultId"], now["resultId"]);
    });
}

#[test]
fn hints_and_lenses_say_what_is_not_written() {
    in_each_encoding(|mut reader| {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
        let hints = reader
            .ask("textDocument/inlayHint", json!({ "range": range }))
            .unwrap();
        let shown: Vec<_> = hints
            .as_array()
            .unwrap()
            .iter()
            .map(|hint| {
                let label = &hint["label"];
                let part = label.as_str().or_else(|| label[0]["value"].as_str());
                (hint["position"].clone(), part.unwrap().to_owned())
            })
            .collect();
        assert_eq!(
            shown,
            [
                (
                    reader.at("mode = \"ask\" }", ", { arg"),
                    "reached by {\"ä😀\":\"😀\"}".to_owned()
                ),
                (
                    reader.at("mode = \"unattended\" }]", "\n"),
                    "otherwise: ask".to_owned()
                ),
                (
                    reader.at("mode = \"unattended\" }]", "\n"),
                    "reached by {\"path\":\"src/x\"}".to_owned()
                ),
                (
                    reader.at("id = \"schön\"", "\n"),
                    "= anthropic/claude-haiku-4".to_owned()
                ),
            ]
        );
        let lenses = reader.ask("textDocument/codeLens", json!({})).unwrap();
        let titles: Vec<_> = lenses
            .as_array()
            .unwrap()
            .iter()
            .map(|lens| lens["command"]["title"].as_str().unwrap())
            .collect();
        assert_eq!(titles, ["2 rules, explain a call…"]);
        let hints = hints.as_array().unwrap();
        let mut parts = hints.iter().map(|hint| &hint["label"][0]);
        let part = parts.find(|part| part["value"] == "reached by {\"path\":\"src/x\"}");
        let command = part.unwrap()["command"].clone();
        let answer = reader
            .server
            .call(
                "workspace/executeCommand",
                json!({ "command": command["command"], "arguments": command["arguments"] }),
            )
            .unwrap();
        assert_eq!(answer["mode"], "unattended");
        let command = lenses[0]["command"].clone();
        let answer = reader
            .server
            .call(
                "workspace/executeCommand",
                json!({ "command": command["command"], "arguments": command["arguments"] }),
            )
            .unwrap();
        assert_eq!(answer["rules"][0]["mode"], "ask");
    });
}

#[test]
fn the_calls_of_rules_are_switched_off_alone() {
    let mut reader = Reader::new("utf-8", json!({ "disabled": ["ruleExamples"] }));
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = reader
        .ask("textDocument/inlayHint", json!({ "range": range }))
        .unwrap();
    let labels: Vec<_> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|hint| &hint["label"])
        .collect();
    assert_eq!(labels, ["otherwise: ask", "= anthropic/claude-haiku-4"]);
}

#[test]
fn a_rule_shows_the_form_that_its_parameter_allows() {
    in_each_encoding(|mut reader| {
        let help = reader
            .ask_at("textDocument/signatureHelp", "const = \"", "😀")
            .unwrap();
        let signatures = help["signatures"].as_array().unwrap();
        let labels: Vec<_> = signatures
            .iter()
            .map(|signature| {
                let label = signature["label"].as_str().unwrap();
                label.split_once(", mode").unwrap().0
            })
            .collect();
        assert_eq!(labels, ["{ arg = \"/ä😀\", const = string"]);
        assert_eq!(help["activeSignature"], 0);
        assert_eq!(help["activeParameter"], 1);
        // Parts of a label are counted in UTF-16 units in every encoding.
        let parameter = &signatures[0]["parameters"][1];
        assert_eq!(parameter["label"], json!([16, 30]));
        assert_eq!(parameter["documentation"]["kind"], "markdown");
        let nothing = reader
            .ask_at("textDocument/signatureHelp", "summary = \"", "ä")
            .unwrap();
        assert_eq!(nothing, Value::Null);
    });
}

#[test]
fn reading_aids_can_be_switched_off() {
    let mut reader = Reader::new(
        "utf-16",
        json!({ "disabled": ["inlayHint", "codeLens", "semanticTokens", "signatureHelp"] }),
    );
    for provider in [
        "inlayHintProvider",
        "codeLensProvider",
        "semanticTokensProvider",
        "signatureHelpProvider",
    ] {
        assert_eq!(reader.capabilities.get(provider), None, "{provider}");
    }
    assert_eq!(
        reader.ask("textDocument/codeLens", json!({})),
        Ok(Value::Null)
    );
    let help = reader.ask_at("textDocument/signatureHelp", "const = ", "\"😀");
    assert_eq!(help, Ok(Value::Null));
}

#[test]
fn files_are_links() {
    in_each_encoding(|mut reader| {
        let links = reader.ask("textDocument/documentLink", json!({})).unwrap();
        assert_eq!(links.as_array().unwrap().len(), 1);
        assert_eq!(links[0]["target"], reader.uri("tools/edit.toml"));
        assert_eq!(reader.slice(CONFIG, &links[0]["range"]), "tools/edit.toml");
    });
}

#[test]
fn formatting_follows_the_project_and_says_why_not() {
    in_each_encoding(|mut reader| {
        fs::write(
            reader.folder.path().join(".taplo.toml"),
            "[formatting]\ncompact_entries = true\n",
        )
        .unwrap();
        let options = json!({ "tabSize": 4, "insertSpaces": true });
        let edits = reader
            .ask("textDocument/formatting", json!({ "options": options }))
            .unwrap();
        let mut text = CONFIG.to_owned();
        for edit in edits.as_array().unwrap().iter().rev() {
            let old = reader.slice(CONFIG, &edit["range"]);
            let start = old.as_ptr() as usize - CONFIG.as_ptr() as usize;
            text.replace_range(start..start + old.len(), edit["newText"].as_str().unwrap());
        }
        assert!(
            text.contains("\nsummary=\"ä😀\"\n") && text.contains("\nid=\"schön\"\n"),
            "{text}"
        );

        let range =
            json!({ "start": { "line": 9, "character": 0 }, "end": { "line": 9, "character": 1 } });
        let edits = reader
            .ask(
                "textDocument/rangeFormatting",
                json!({ "range": range, "options": options }),
            )
            .unwrap();
        let touched: Vec<_> = edits
            .as_array()
            .unwrap()
            .iter()
            .map(|edit| reader.slice(CONFIG, &edit["range"]))
            .collect();
        assert_eq!(touched, ["tool_choice = \"edit\"\n"]);

        let uri = reader.uri("config.toml");
        reader
            .server
            .change(&uri, 2, json!([{ "text": "a = {\n}\n" }]));
        let refused = reader
            .ask("textDocument/formatting", json!({ "options": options }))
            .unwrap_err();
        assert_eq!(refused["code"], -32803);
        assert!(
            refused["message"].as_str().unwrap().contains("TOML 1.1"),
            "{refused}"
        );
    });
}

#[test]
fn decisions_are_explained() {
    let mut reader = Reader::new("utf-16", json!({}));
    let answer = reader
        .server
        .call(
            "jp/explain",
            json!({ "kind": "policy", "tool": "edit", "input": { "path": "src/a" } }),
        )
        .unwrap();
    assert_eq!(answer["mode"], "unattended");
    assert_eq!(
        answer["rule"],
        json!({ "index": 1, "path": ".jp/config.toml", "line": 5 })
    );
    let answer = reader
        .server
        .call(
            "jp/explain",
            json!({ "kind": "policy", "tool": "edit", "result": true, "input": { "path": 1 } }),
        )
        .unwrap();
    assert_eq!(
        answer,
        json!({ "error": "invalid arguments: `path` must be string, not number" })
    );
    let answer = reader
        .server
        .call(
            "jp/explain",
            json!({ "kind": "access", "tool": "edit", "input": { "env": "HOME" } }),
        )
        .unwrap();
    assert_eq!(answer["allowed"], true);
    let answer = reader
        .server
        .call(
            "jp/explain",
            json!({ "kind": "config", "input": "assistant.tool_choice" }),
        )
        .unwrap();
    assert_eq!(answer["value"], "edit");
    let error = reader
        .server
        .call(
            "jp/explain",
            json!({ "kind": "policy", "tool": "nope", "input": {} }),
        )
        .unwrap_err();
    assert_eq!(error["code"], -32803);
    let error = reader
        .server
        .call(
            "workspace/executeCommand",
            json!({ "command": "jp.nonsense", "arguments": [] }),
        )
        .unwrap_err();
    assert_eq!(error["code"], -32602);
}
