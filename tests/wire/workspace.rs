//! Whole workspaces: what one file says decides about another, whichever of them is open, and wherever it changes.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::{Desk, client_watches, line};

const CONFIG: &str = ".jp/config.toml";
const EDIT: &str = ".jp/tools/edit.toml";

/// A policy in one file, the parameters that it is about in another.
const SPLIT: &str = r#"//- .jp/config.toml
extends = ["tools/*.toml"]

[conversation.tools.edit.policy]
run = [{ arg = "/path", const = "src", mode = "ask" }, { mode = "ask" }]
//- .jp/tools/edit.toml
[conversation.tools.edit]
source = "local"
command = "edit {{tool}}"
enable = true

[conversation.tools.edit.parameters.path]
type = "path"
"#;

/// What `config.toml` shows when the parameter that its policy names has another name.
const UNRESOLVED: &str = "3:17-21 arg-unresolved";

/// A file with one mistake, of which this is shown.
const MISTAKEN: &str = "[conversation.tools.more]\nsummery = \"x\"\nsource = \"local\"\ncommand = \"more {{tool}}\"\nenable = true\n";
const MISTAKE: &str = "1:0-7 unknown-key";

#[test]
fn an_edit_of_the_parameters_is_shown_at_the_policy_in_the_other_file() {
    let mut desk = Desk::new(SPLIT);
    desk.open(CONFIG);
    desk.open(EDIT);
    desk.shows(CONFIG, &[]);
    desk.replace(EDIT, "parameters.path", "parameters.file");
    desk.shows(CONFIG, &[UNRESOLVED]);
    desk.replace(EDIT, "parameters.file", "parameters.path");
    desk.shows(CONFIG, &[]);
    desk.replace(EDIT, "type = \"path\"", "type = \"boolean\"");
    desk.shows(CONFIG, &["3:32-37 matcher-value-type"]);
    desk.shows(EDIT, &[]);
}

#[test]
fn an_open_buffer_wins_until_it_is_closed() {
    let mut desk = Desk::new(SPLIT);
    let saved = desk.read(EDIT);
    desk.write(EDIT, saved.replace("parameters.path", "parameters.file"));
    desk.open(CONFIG);
    desk.shows(CONFIG, &[UNRESOLVED]);
    desk.open_with(EDIT, &saved);
    desk.shows(CONFIG, &[]);
    desk.close(EDIT);
    desk.shows(CONFIG, &[UNRESOLVED]);
}

#[test]
fn changes_on_disk_are_seen_where_the_client_does_not_watch() {
    let mut desk = Desk::new(SPLIT);
    let edit = desk.read(EDIT);
    desk.open(CONFIG);
    desk.shows(CONFIG, &[]);
    desk.write(EDIT, edit.replace("parameters.path", "parameters.file"));
    desk.shows(CONFIG, &[UNRESOLVED]);
    desk.write(EDIT, &edit);
    desk.shows(CONFIG, &[]);

    desk.write(".jp/tools/more.toml", MISTAKEN);
    desk.shows(".jp/tools/more.toml", &[MISTAKE]);
    fs::rename(desk.path(".jp/tools/more.toml"), desk.path("aside")).unwrap();
    desk.shows(".jp/tools/more.toml", &[]);

    fs::remove_file(desk.path(EDIT)).unwrap();
    desk.write(
        ".jp/tools/again.toml",
        edit.replace("parameters.path", "parameters.other"),
    );
    desk.shows(CONFIG, &[UNRESOLVED]);
}

#[test]
fn changes_on_disk_are_seen_where_the_client_tells_them() {
    let mut desk = Desk::with(SPLIT, json!({ "capabilities": client_watches() }));
    let edit = desk.read(EDIT);
    desk.open(CONFIG);
    desk.shows(CONFIG, &[]);
    desk.write(EDIT, edit.replace("parameters.path", "parameters.file"));
    desk.tell_changed(&[EDIT]);
    desk.shows(CONFIG, &[UNRESOLVED]);
    desk.write(".jp/tools/more.toml", MISTAKEN);
    desk.tell_changed(&[".jp/tools/more.toml"]);
    desk.shows(".jp/tools/more.toml", &[MISTAKE]);
    fs::remove_file(desk.path(".jp/tools/more.toml")).unwrap();
    desk.tell_changed(&[".jp/tools/more.toml"]);
    desk.shows(".jp/tools/more.toml", &[]);
}

#[test]
fn the_persons_own_config_is_watched_even_where_the_client_watches() {
    let params = json!({ "capabilities": client_watches() });
    let mut desk = Desk::with(
        "//- .jp/config.toml\nassistant.model.id = \"mine\"\n[conversation.tools.'*']\nrun = \"ask\"\n",
        params,
    );
    desk.open(CONFIG);
    desk.shows(CONFIG, &["0:21-27 alias-unknown"]);
    fs::create_dir(desk.home("config")).unwrap();
    let alias = "providers.llm.aliases.mine = \"anthropic/claude-sonnet-5\"\n";
    fs::write(desk.home("config/config.toml"), alias).unwrap();
    desk.shows(CONFIG, &[]);
    fs::write(
        desk.home("config/config.toml"),
        format!("{alias}mistake = 1\n"),
    )
    .unwrap();
    desk.shows("home/config/config.toml", &["1:0-7 unknown-key"]);
}

#[test]
fn a_glob_that_is_typed_brings_files_in_and_takes_them_out() {
    let mut desk = Desk::new(SPLIT);
    desk.write(".jp/other/more.toml", MISTAKEN);
    desk.open(CONFIG);
    desk.shows(CONFIG, &[]);
    desk.shows(".jp/other/more.toml", &[]);
    desk.replace(CONFIG, "tools/*.toml", "*/*.toml");
    desk.shows(".jp/other/more.toml", &[MISTAKE]);
    desk.replace(CONFIG, "*/*.toml", "tools/none.toml");
    desk.shows(".jp/other/more.toml", &[]);
    desk.shows(
        CONFIG,
        &["0:11-28 extends-missing", "2:20-24 missing-required"],
    );
}

#[test]
fn a_jp_folder_may_come_and_go() {
    let mut desk = Desk::new("");
    desk.write(CONFIG, "mistake = 1\n");
    desk.shows(CONFIG, &["0:0-7 unknown-key"]);
    fs::remove_dir_all(desk.path(".jp")).unwrap();
    desk.shows(CONFIG, &[]);
    desk.write(CONFIG, "mistake = 1\nother = 2\n");
    desk.shows(CONFIG, &["0:0-7 unknown-key", "1:0-5 unknown-key"]);
}

#[test]
fn folders_are_judged_apart_and_may_be_added_and_removed() {
    let fixture = format!(
        "//- a/{CONFIG}\nmistake = 1\n//- b/{CONFIG}\n\nmistake = 1\n//- c/{CONFIG}\n\n\nmistake = 1\n"
    );
    let mut desk = Desk::with(
        &fixture,
        json!({ "capabilities": {}, "workspaceFolders": [] }),
    );
    let (a, b, c) = (
        desk.as_folder("a"),
        desk.as_folder("b"),
        desk.as_folder("c"),
    );
    let change =
        |added: Value, removed: Value| json!({ "event": { "added": added, "removed": removed } });
    let method = "workspace/didChangeWorkspaceFolders";
    desk.server.notify(method, change(json!([a, b]), json!([])));
    desk.shows("a/.jp/config.toml", &["0:0-7 unknown-key"]);
    desk.shows("b/.jp/config.toml", &["1:0-7 unknown-key"]);
    desk.shows("c/.jp/config.toml", &[]);
    desk.server.notify(method, change(json!([c]), json!([a])));
    desk.shows("c/.jp/config.toml", &["2:0-7 unknown-key"]);
    desk.shows("a/.jp/config.toml", &[]);
    desk.shows("b/.jp/config.toml", &["1:0-7 unknown-key"]);
}

#[test]
fn a_workspace_inside_another_has_its_own_config() {
    let outer = SPLIT.replace("parameters.path", "parameters.file");
    let inner = SPLIT.replace("//- .jp", "//- inner/.jp");
    let mut desk = Desk::new(&(outer + &inner));
    desk.open(CONFIG);
    desk.open("inner/.jp/config.toml");
    desk.shows(CONFIG, &[UNRESOLVED]);
    desk.shows("inner/.jp/config.toml", &[]);
    desk.open("inner/.jp/tools/edit.toml");
    desk.replace(
        "inner/.jp/tools/edit.toml",
        "parameters.path",
        "parameters.other",
    );
    desk.shows("inner/.jp/config.toml", &[UNRESOLVED]);
    desk.open(EDIT);
    desk.replace(EDIT, "parameters.file", "parameters.path");
    desk.shows(CONFIG, &[]);
    desk.shows("inner/.jp/config.toml", &[UNRESOLVED]);
}

#[test]
fn a_buffer_in_a_folder_that_does_not_exist_yet_is_judged() {
    let mut desk = Desk::new("");
    let text = "[conversation.tools.edit]\nrun = \"asc\"\nsource = \"local\"\ncommand = \"edit {{tool}}\"\n";
    desk.open_with(CONFIG, text);
    desk.shows(CONFIG, &["1:6-11 invalid-value"]);
    desk.replace(CONFIG, "asc", "ask");
    desk.shows(CONFIG, &[]);
    desk.write(CONFIG, "mistake = 1\n");
    desk.close(CONFIG);
    desk.shows(CONFIG, &["0:0-7 unknown-key"]);
}

#[test]
fn local_files_between_the_root_and_the_folder_take_part() {
    let fixture = "//- .jp/config.toml\n//- sub/.jp.toml\nassistant.model.id = \"mine\"\n";
    let params = json!({ "capabilities": {}, "workspaceFolders": [] });
    let mut desk = Desk::with(fixture, params);
    let sub = desk.as_folder("sub");
    desk.server.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": { "added": [sub], "removed": [] } }),
    );
    desk.shows("sub/.jp.toml", &["0:21-27 alias-unknown"]);
    desk.write(
        CONFIG,
        "providers.llm.aliases.mine = \"anthropic/claude-sonnet-5\"\n",
    );
    desk.shows("sub/.jp.toml", &[]);
}

#[test]
fn parameters_in_json_and_yaml_count() {
    let fixture = r#"//- .jp/config.toml
extends = ["edit.yaml", "more.json"]

[conversation.tools.edit.policy]
run = [{ arg = "/path", const = "src", mode = "ask" }, { mode = "ask" }]

[conversation.tools.more.policy]
run = [{ arg = "/path", const = "src", mode = "ask" }, { mode = "ask" }]
//- .jp/edit.yaml
conversation:
  tools:
    edit:
      source: local
      command: "edit {{tool}}"
      parameters:
        path:
          type: path
//- .jp/more.json
{ "conversation": { "tools": { "more": {
  "source": "local", "command": "more {{tool}}", "parameters": { "path": { "type": "path" } }
} } } }
"#;
    let mut desk = Desk::new(fixture);
    desk.open(CONFIG);
    desk.shows(CONFIG, &[]);
    let yaml = desk.read(".jp/edit.yaml");
    desk.write(
        ".jp/edit.yaml",
        yaml.replace("        path:", "        file:"),
    );
    desk.shows(CONFIG, &[UNRESOLVED]);
    desk.open(".jp/more.json");
    desk.replace(".jp/more.json", "\"path\": {", "\"file\": {");
    desk.shows(CONFIG, &[UNRESOLVED, "6:17-21 arg-unresolved"]);
    desk.replace(".jp/more.json", "\"conversation\":", "");
    assert_eq!(desk.shows_some(".jp/more.json").len(), 1);
}

#[test]
fn a_client_that_asks_gets_related_files_with_its_own() {
    let capabilities =
        json!({ "textDocument": { "diagnostic": { "relatedDocumentSupport": true } } });
    let fixture = SPLIT.replace("parameters.path", "parameters.file") + "summery = 1\n";
    let mut desk = Desk::with(&fixture, json!({ "capabilities": capabilities }));
    desk.open(CONFIG);
    let params = json!({ "textDocument": { "uri": desk.uri(CONFIG) } });
    let answer = desk.server.call("textDocument/diagnostic", params).unwrap();
    let lines =
        |items: &Value| -> Vec<String> { items.as_array().unwrap().iter().map(line).collect() };
    assert_eq!(lines(&answer["items"]), [UNRESOLVED]);
    let related = &answer["relatedDocuments"][desk.uri(EDIT)];
    assert_eq!(related["kind"], "full");
    assert_eq!(lines(&related["items"]), ["7:0-7 unknown-key"]);
    let answer = desk
        .server
        .call("workspace/diagnostic", json!({ "previousResultIds": [] }))
        .unwrap();
    let mut all: Vec<(String, Vec<String>)> = answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            (
                item["uri"].as_str().unwrap().to_owned(),
                lines(&item["items"]),
            )
        })
        .collect();
    all.retain(|(_, items)| !items.is_empty());
    all.sort();
    let expected = [
        (desk.uri(CONFIG), vec![UNRESOLVED.to_owned()]),
        (desk.uri(EDIT), vec!["7:0-7 unknown-key".to_owned()]),
    ];
    assert_eq!(all, expected);
}

#[test]
fn places_are_counted_in_the_units_that_were_agreed_on() {
    let text = SPLIT.replace("\"src\", mode = \"ask\"", "\"ä𝄞\", mode = \"asc\"");
    let row = text.lines().find(|row| row.starts_with("run")).unwrap();
    let before = row.split_once("\"asc\"").unwrap().0;
    for (encoding, start) in [
        ("utf-8", before.len()),
        ("utf-16", before.encode_utf16().count()),
        ("utf-32", before.chars().count()),
    ] {
        let capabilities = json!({ "general": { "positionEncodings": [encoding] } });
        let mut desk = Desk::with(&text, json!({ "capabilities": capabilities }));
        desk.open(CONFIG);
        let expected = format!("3:{start}-{} invalid-value", start + 5);
        desk.shows(CONFIG, &[expected.as_str()]);
    }
}

#[test]
fn the_released_dialect_is_chosen_by_an_option() {
    let options = json!({ "dialect": "released" });
    let params = json!({ "capabilities": {}, "initializationOptions": options });
    let mut desk = Desk::with(SPLIT, params);
    desk.open(CONFIG);
    let found = desk.shows_some(CONFIG);
    assert_eq!(found, ["2:25-31 released-jp-rejects"]);
}

#[test]
fn an_editor_learns_which_files_elsewhere_are_config() {
    let capabilities = json!({ "experimental": { "jp": { "configFiles": true } } });
    let mut desk = Desk::with(
        "//- .jp/config.toml\nextends = [\"../shared/team.toml\"]\n//- shared/team.toml\n",
        json!({ "capabilities": capabilities }),
    );
    let told = |desk: &mut Desk| desk.server.notification("jp/configFiles")["files"].clone();
    let (config, team) = (desk.uri(CONFIG), desk.uri("shared/team.toml"));
    assert_eq!(told(&mut desk), json!([config, team]));
    desk.open(CONFIG);
    desk.replace(CONFIG, "extends", "# extends");
    assert_eq!(told(&mut desk), json!([config]));
    // What changes no file is not told again.
    desk.append(CONFIG, "# more\n");
    desk.replace(CONFIG, "# extends", "extends");
    assert_eq!(told(&mut desk), json!([config, team]));
}
