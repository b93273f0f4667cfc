//! Files of settings in the editor: what is wrong with them, what they set while they are typed, and what may stand in them.

use std::fs;

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::{Desk, client_watches};

/// A finding that settings may raise, lower and hide.
const CONFIG: &str = "//- .jp/config.toml
[conversation.tools.edit]
source = \"local\"
command = \"true\"
parameters.line.type = \"integer\"
policy.run = [{ arg = \"/line\", maximum = 5, mode = \"skip\" }]
";

const FILE: &str = ".jp/lsp.toml";

fn desk(settings: &str) -> Desk {
    let capabilities = client_watches();
    Desk::with(
        &format!("{CONFIG}//- {FILE}\n{settings}"),
        json!({ "capabilities": capabilities }),
    )
}

const FOUND: &str = "4:7-10 missing-catch-all";

#[test]
fn mistakes_are_shown_whether_the_file_is_open_or_not() {
    let mut desk = desk("[severity]\nmerge-trap = \"of\"\n");
    desk.open(".jp/config.toml");
    desk.shows(FILE, &["1:0-10 settings-mistake"]);
    desk.shows(".jp/config.toml", &[FOUND]);
    desk.write(
        FILE,
        "[severity]\nmerge-trap = \"off\"\nmissing-catch-all = \"off\"\n",
    );
    desk.tell_changed(&[FILE]);
    desk.shows(FILE, &[]);
    desk.shows(".jp/config.toml", &[]);
    desk.open(FILE);
    desk.replace(FILE, "merge-trap", "merge-trp");
    desk.shows(FILE, &["1:0-9 settings-mistake"]);
    assert_eq!(
        desk.publications(".jp/config.toml"),
        2,
        "the other line counts"
    );
    fs::remove_file(desk.path(FILE)).unwrap();
    desk.close(FILE);
    desk.tell_changed(&[FILE]);
    desk.shows(FILE, &[]);
    desk.shows(".jp/config.toml", &[FOUND]);
}

#[test]
fn what_is_typed_counts_at_once() {
    let mut desk = desk("[severity]\n");
    desk.open(".jp/config.toml");
    desk.open(FILE);
    desk.shows(".jp/config.toml", &[FOUND]);
    desk.append(FILE, "missing-catch-all = \"off");
    desk.shows(FILE, &["1:20-24 settings-mistake"]);
    desk.append(FILE, "\"");
    desk.shows(FILE, &[]);
    desk.shows(".jp/config.toml", &[]);
    desk.replace(FILE, "off", "hint");
    desk.shows(".jp/config.toml", &[FOUND]);
}

#[test]
#[cfg(unix)]
fn a_link_out_of_the_workspace_is_not_followed() {
    let mut desk = desk("");
    desk.write("../secret.toml", "password = \"1234\"\n");
    fs::remove_file(desk.path(FILE)).unwrap();
    std::os::unix::fs::symlink(desk.path("../secret.toml"), desk.path(FILE)).unwrap();
    desk.tell_changed(&[FILE]);
    desk.shows(FILE, &["0:0-0 settings-mistake"]);
}

/// What an editor is told at the end of a buffer.
fn asked(desk: &mut Desk, method: &str, line: u32, character: u32) -> Value {
    let params = json!({
        "textDocument": { "uri": desk.uri(FILE) },
        "position": { "line": line, "character": character },
    });
    desk.server.call(method, params).unwrap()
}

#[test]
fn keys_and_levels_are_offered_and_explained() {
    let mut desk = desk("[severity]\nmerge-trap = \"\"\n");
    desk.open(FILE);
    let found = asked(&mut desk, "textDocument/completion", 1, 14);
    let labels = found["items"].as_array().unwrap().iter();
    let labels: Vec<&str> = labels.map(|item| item["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["error", "warning", "information", "hint", "off"]);
    let found = asked(&mut desk, "textDocument/hover", 1, 3);
    expect![[r#"
        {
          "contents": {
            "kind": "plaintext",
            "value": "a merge whose result is rarely meant\n\nOne of error, warning, information, hint, off\n\nDefault: warning"
          },
          "range": {
            "start": {
              "line": 1,
              "character": 0
            },
            "end": {
              "line": 1,
              "character": 10
            }
          }
        }"#]].assert_eq(&serde_json::to_string_pretty(&found).unwrap());
    assert_eq!(asked(&mut desk, "textDocument/hover", 2, 0), Value::Null);
}

#[test]
fn the_persons_own_settings_are_checked() {
    let mut desk = desk("");
    let file = desk.home("config/lsp.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(
        &file,
        "[sandbox.mcp.github]\nreed = [\"docs\"]\n[severity]\n",
    )
    .unwrap();
    let uri = url::Url::from_file_path(&file).unwrap();
    let changes = json!([{ "uri": uri, "type": 1 }]);
    desk.server.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": changes }),
    );
    desk.shows(
        "home/config/lsp.toml",
        &["1:0-4 settings-mistake", "2:1-9 settings-mistake"],
    );
}
