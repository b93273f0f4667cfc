//! Workspaces below the folder that is open, as in a repository of several projects.

use std::path::Path;

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::Desk;

const APP: &str = "packages/app/.jp/config.toml";

/// A tool that a person has to see before anything of the workspace runs.
const TOOL: &str = r#"assistant.model.id = "test/model"
conversation.tools.'*'.run = "ask"

[conversation.tools.note]
source = "local"
command = { program = "touch", args = ["noted"] }
"#;

const NOTES: &str = r#"
[[cycles]]
batches = [[{ tool_call = { id = "call_1", name = "note" } }]]

[[cycles]]
batches = [[{ text = "Noted." }]]
"#;

fn desk(folders: &[&str], trusted: bool) -> Desk {
    let files: Vec<String> = folders
        .iter()
        .map(|folder| format!("//- {folder}/.jp/config.toml\n{TOOL}"))
        .collect();
    let fixture = format!("//- README.md\nMany projects.\n{}", files.concat());
    let params = json!({
        "capabilities": { "experimental": { "jp": { "prompts": true } } },
        "initializationOptions": { "trusted": trusted },
    });
    let mut desk = Desk::with_script(&fixture, params, Some(&NOTES.repeat(4)));
    desk.server.tolerate("jp/conversation/event");
    desk.server.tolerate("jp/promptResolved");
    desk
}

fn start(desk: &mut Desk, workspace: Option<&str>) -> Result<String, String> {
    let mut query = json!({ "text": "Leave a note", "conversation": "new" });
    if let Some(workspace) = workspace {
        query["workspace"] = json!(desk.uri(workspace));
    }
    let started = desk.server.call("jp/query/start", query);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    started
        .map(|started| text(&started["conversation"]))
        .map_err(|error| text(&error["message"]))
}

/// Answers the next prompt, and says what it asks.
fn decide(desk: &mut Desk, action: &str) -> String {
    let (id, prompt) = desk.server.request("jp/prompt");
    desk.server.respond(&id, json!({ "action": action }));
    let asked = format!("{}\n{}", prompt["title"], prompt["preview"]["text"]);
    without_folder(desk, &asked)
}

fn without_folder(desk: &Desk, text: &str) -> String {
    text.replace(
        desk.path("").to_str().unwrap().trim_end_matches('/'),
        "/mono",
    )
}

fn end(desk: &mut Desk) -> (String, String) {
    loop {
        let event = desk.server.notification("jp/conversation/event");
        let text = |name: &str| event["event"][name].as_str().unwrap_or_default().to_owned();
        if event["event"]["type"] == "turn_end" {
            return (text("outcome"), text("error"));
        }
    }
}

fn workspaces(desk: &mut Desk, file: Option<&str>) -> String {
    let params = file.map_or(json!({}), |file| json!({ "file": desk.uri(file) }));
    let named = desk.server.call("jp/workspaces", params).unwrap();
    without_folder(desk, &named.to_string())
}

#[test]
fn a_turn_begins_in_the_only_workspace_below_once_a_person_has_seen_what_it_starts() {
    let mut desk = desk(&["packages/app"], true);
    start(&mut desk, None).unwrap();
    expect![[r#"
        "Trust what the config of `/mono/packages/app` starts and sends?"
        "  conversation.tools.note.command: starts `touch noted` (.jp/config.toml:6)""#]]
    .assert_eq(&decide(&mut desk, "reject"));
    assert_eq!(end(&mut desk).0, "failed");

    start(&mut desk, None).unwrap();
    decide(&mut desk, "approve");
    assert!(decide(&mut desk, "approve").starts_with("\"Run local note tool?\""));
    assert_eq!(end(&mut desk), ("completed".to_owned(), String::new()));
    assert!(desk.path("packages/app/noted").exists());

    // It was said once and for all.
    start(&mut desk, None).unwrap();
    assert!(decide(&mut desk, "reject").starts_with("\"Run local note tool?\""));
    assert_eq!(end(&mut desk).0, "completed");
}

#[test]
fn a_turn_begins_where_the_file_lies_and_nobody_guesses_where_none_does() {
    let mut desk = desk(&["packages/app", "packages/app/plugin", "site"], true);
    let refused = start(&mut desk, None).unwrap_err();
    expect!["several folders below have a `.jp`: say which one is meant, as `workspace`: `file:///mono/site`, `file:///mono/packages/app`, `file:///mono/packages/app/plugin`"]
        .assert_eq(&without_folder(&desk, &refused));
    let refused = start(&mut desk, Some("README.md")).unwrap_err();
    expect!["`file:///mono/README.md` lies in no open workspace with a `.jp` folder"]
        .assert_eq(&without_folder(&desk, &refused));

    for (file, folder) in [
        ("packages/app/src/main.rs", "packages/app"),
        ("packages/app/plugin/x.rs", "packages/app/plugin"),
        ("site", "site"),
    ] {
        start(&mut desk, Some(file)).unwrap();
        let asked = decide(&mut desk, "approve");
        let title = format!("\"Trust what the config of `/mono/{folder}` starts");
        assert!(asked.starts_with(&title), "{asked}");
        decide(&mut desk, "approve");
        assert_eq!(end(&mut desk).0, "completed");
        assert!(desk.path(folder).join("noted").exists());
    }
}

#[test]
fn clients_hear_which_workspaces_can_be_meant() {
    let mut desk = desk(&["packages/app", "site"], false);
    let all = r#"[{"uri":"file:///mono/site","name":"site"},{"uri":"file:///mono/packages/app","name":"packages/app"}]"#;
    assert_eq!(workspaces(&mut desk, None), all);
    assert_eq!(workspaces(&mut desk, Some("README.md")), all);
    let app = r#"[{"uri":"file:///mono/packages/app","name":"packages/app"}]"#;
    assert_eq!(workspaces(&mut desk, Some("packages/app/a/b.rs")), app);
    // A workspace that the folder lies in comes before those below.
    desk.write(".jp/config.toml", TOOL);
    let own = r#"[{"uri":"file:///mono","name":"w"}]"#;
    assert_eq!(workspaces(&mut desk, None), own);
    assert_eq!(workspaces(&mut desk, Some("packages/app/a/b.rs")), app);
    let elsewhere = json!({ "file": "file:///nowhere/x" });
    let named = desk.server.call("jp/workspaces", elsewhere).unwrap();
    assert_eq!(without_folder(&desk, &named.to_string()), own);
}

#[test]
fn the_status_is_that_of_the_workspace_where_the_file_lies() {
    let mut desk = desk(&["packages/app", "site"], false);
    desk.write(
        "site/.jp/config.toml",
        "assistant.model.id = \"test/other\"\n",
    );
    let mut model = |file: Option<&str>| {
        let uri = file.map(|file| desk.uri(file));
        let params = uri.map_or(json!({}), |uri| json!({ "workspace": uri }));
        let status = desk.server.call("jp/status", params);
        status.map(|status| status["model"]["id"].as_str().unwrap().to_owned())
    };
    assert_eq!(model(Some("packages/app/x.rs")).unwrap(), "test/model");
    assert_eq!(model(Some("site/x.rs")).unwrap(), "test/other");
    assert_eq!(model(None).unwrap_err()["code"], -32602);
    desk.open(APP);
    desk.shows(APP, &[]);
    let params = json!({ "workspace": desk.uri("site/x.rs") });
    let status = desk.server.call("jp/status", params).unwrap();
    assert_eq!(status["model"]["id"], "test/other");
}

#[test]
fn nothing_below_runs_before_the_folder_is_trusted_or_where_a_link_leads_out() {
    let mut desk = desk(&["packages/app"], false);
    let untrusted = "the workspace is not trusted: nothing runs in it before a person says so";
    assert_eq!(start(&mut desk, None).unwrap_err(), untrusted);
    assert_eq!(
        start(&mut desk, Some("packages/app")).unwrap_err(),
        untrusted
    );
    desk.server.notify("jp/trustGranted", json!({}));
    start(&mut desk, Some("packages/app")).unwrap();
    decide(&mut desk, "reject");
    assert_eq!(end(&mut desk).0, "failed");
    #[cfg(unix)]
    {
        let outside = desk.home("outside");
        std::fs::create_dir_all(outside.join(".jp")).unwrap();
        std::fs::write(outside.join(".jp/config.toml"), TOOL).unwrap();
        std::os::unix::fs::symlink(&outside, desk.path("packages/link")).unwrap();
        let refused = start(&mut desk, Some("packages/link")).unwrap_err();
        expect!["`file:///mono/packages/link` lies in no open workspace with a `.jp` folder"]
            .assert_eq(&without_folder(&desk, &refused));
    }
}

#[test]
fn what_was_said_below_is_listed_goes_on_there_and_its_config_is_read() {
    let mut desk = desk(&["packages/app", "site"], true);
    let explain = |desk: &mut Desk| {
        let site = desk.uri("site");
        let params = json!({ "kind": "config", "input": "assistant.model.id", "workspace": site });
        desk.server.call("jp/explain", params).is_ok()
    };
    assert!(!explain(&mut desk));
    let older = start(&mut desk, Some("packages/app")).unwrap();
    decide(&mut desk, "approve");
    decide(&mut desk, "reject");
    assert_eq!(end(&mut desk).0, "completed");
    let id = start(&mut desk, Some("site")).unwrap();
    decide(&mut desk, "approve");
    decide(&mut desk, "reject");
    assert_eq!(end(&mut desk).0, "completed");
    // A rule for a call that asks is written into config that the server reads.
    assert!(explain(&mut desk));

    let listed = desk.server.call("jp/conversation/list", Value::Null);
    let listed = listed.unwrap();
    let site = desk.uri("site");
    assert_eq!(listed[1]["id"], older);
    assert_eq!(
        (
            &listed[0]["id"],
            &listed[0]["workspace"],
            &listed[0]["workspaceName"]
        ),
        (&json!(id), &json!(site), &json!("site"))
    );
    let query = json!({ "text": "Another", "conversation": id });
    let again = desk.server.call("jp/query/start", query).unwrap();
    assert_eq!(again["conversation"], id);
    decide(&mut desk, "approve");
    assert_eq!(end(&mut desk).0, "completed");
    assert!(desk.path("site/noted").exists());
    assert!(!desk.path("packages/app/noted").exists());
}

#[test]
fn a_turn_below_a_folder_that_is_closed_ends() {
    let mut desk = desk(&["site"], true);
    start(&mut desk, None).unwrap();
    let (prompt, _) = desk.server.request("jp/prompt");
    let removed = json!({ "event": { "added": [], "removed": [desk.as_folder("")] } });
    desk.server
        .notify("workspace/didChangeWorkspaceFolders", removed);
    assert_eq!(end(&mut desk).0, "cancelled");
    desk.server.respond(&prompt, json!({ "action": "approve" }));
    assert!(start(&mut desk, None).is_err());
    assert!(!desk.path("site/noted").exists());
}

#[test]
fn what_a_folder_was_trusted_with_ends_when_it_is_closed() {
    let mut desk = desk(&["packages/app"], true);
    let folder = desk.as_folder("packages/app");
    let change = |desk: &mut Desk, added: &[&Value], removed: &[&Value]| {
        let event = json!({ "event": { "added": added, "removed": removed } });
        desk.server
            .notify("workspace/didChangeWorkspaceFolders", event);
    };
    change(&mut desk, &[&folder], &[]);
    desk.server.notify("jp/trustGranted", json!({}));
    start(&mut desk, Some("packages/app")).unwrap();
    assert!(decide(&mut desk, "reject").starts_with("\"Run local note tool?\""));
    assert_eq!(end(&mut desk).0, "completed");

    change(&mut desk, &[], &[&folder]);
    start(&mut desk, Some("packages/app")).unwrap();
    assert!(decide(&mut desk, "reject").starts_with("\"Trust what the config"));
    assert_eq!(end(&mut desk).0, "failed");
}

#[test]
#[cfg(unix)]
fn what_was_put_in_the_place_of_a_workspace_while_it_was_asked_about_does_not_run() {
    let put_link = |other: &Path, app: &Path| std::os::unix::fs::symlink(other, app).unwrap();
    let put_folder = |other: &Path, app: &Path| std::fs::rename(other, app).unwrap();
    let put_settings = |other: &Path, app: &Path| {
        std::fs::create_dir(app).unwrap();
        std::fs::rename(other.join(".jp"), app.join(".jp")).unwrap();
    };
    let puts: [fn(&Path, &Path); 3] = [put_link, put_folder, put_settings];
    for put in puts {
        let mut desk = desk(&["packages/app", "site"], true);
        start(&mut desk, Some("packages/app")).unwrap();
        let (id, _) = desk.server.request("jp/prompt");
        let app = desk.path("packages/app");
        std::fs::rename(&app, desk.path("packages/before")).unwrap();
        put(&desk.path("site"), &app);
        desk.server.respond(&id, json!({ "action": "approve" }));
        let (outcome, error) = end(&mut desk);
        assert_eq!(outcome, "failed");
        expect!["nothing was started: `/mono/packages/app` is not the folder any more that it was, or what is yours alone is not found for it any more; begin again, and look at what it starts and sends"]
            .assert_eq(&without_folder(&desk, &error));
        // Neither folder has come to be trusted by it, and beginning again asks.
        start(&mut desk, Some("packages/app")).unwrap();
        let asked = decide(&mut desk, "reject");
        assert!(asked.starts_with("\"Trust what the config of"), "{asked}");
        assert_eq!(end(&mut desk).0, "failed");
        assert!(!app.join("noted").exists());
    }
}

#[test]
#[cfg(unix)]
fn a_folder_that_links_in_circles_keeps_no_other_from_its_conversations() {
    let mut desk = desk(&["site", "app"], true);
    std::os::unix::fs::symlink("conversations", desk.path("app/.jp/conversations")).unwrap();
    let id = start(&mut desk, Some("site")).unwrap();
    decide(&mut desk, "reject");
    assert_eq!(end(&mut desk).0, "failed");
    let listed = desk.server.call("jp/conversation/list", Value::Null);
    assert_eq!(listed.unwrap()[0]["id"], json!(id));
    let query = json!({ "text": "Another", "conversation": id });
    let again = desk.server.call("jp/query/start", query).unwrap();
    assert_eq!(again["conversation"], json!(id));
    decide(&mut desk, "reject");
    assert_eq!(end(&mut desk).0, "failed");
}

#[test]
#[cfg(unix)]
fn a_folder_whose_settings_lie_elsewhere_is_no_workspace_below() {
    let mut desk = desk(&["packages/app"], true);
    let outside = desk.home("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("config.toml"), TOOL).unwrap();
    std::fs::create_dir(desk.path("site")).unwrap();
    std::os::unix::fs::symlink(&outside, desk.path("site/.jp")).unwrap();
    let refused = start(&mut desk, Some("site")).unwrap_err();
    expect!["`file:///mono/site` lies in no open workspace with a `.jp` folder"]
        .assert_eq(&without_folder(&desk, &refused));
}

#[test]
fn nobody_guesses_in_which_of_two_workspaces_a_conversation_goes_on() {
    let mut desk = desk(&["a/app", "b/app"], true);
    desk.write("a/app/.jp/.id", "abcde");
    desk.write("b/app/.jp/.id", "abcde");
    let id = start(&mut desk, Some("a/app")).unwrap();
    decide(&mut desk, "reject");
    assert_eq!(end(&mut desk).0, "failed");
    let mut go_on = |workspace: Option<&str>| {
        let mut query = json!({ "text": "Another", "conversation": id });
        if let Some(workspace) = workspace {
            query["workspace"] = json!(desk.uri(workspace));
        }
        let started = desk.server.call("jp/query/start", query);
        started.map_err(|error| without_folder(&desk, error["message"].as_str().unwrap()))
    };
    expect!["several workspaces hold the conversation, as those with one name and `.jp/.id` do: say which one is meant, as `workspace`: `file:///mono/a/app`, `file:///mono/b/app`"]
        .assert_eq(&go_on(None).unwrap_err());
    assert_eq!(go_on(Some("b/app")).unwrap()["conversation"], json!(id));
}

#[test]
fn a_search_that_was_cut_off_picks_no_workspace() {
    let mut desk = desk(&["site"], true);
    // More than is read of what git ignores.
    desk.write("zone/.gitignore", "#".repeat(600 << 10));
    let refused = start(&mut desk, None).unwrap_err();
    expect!["there are too many folders below to look for a `.jp` in all of them: say which one is meant, as `workspace`: `file:///mono/site`"]
        .assert_eq(&without_folder(&desk, &refused));
    start(&mut desk, Some("site")).unwrap();
    decide(&mut desk, "reject");
    assert_eq!(end(&mut desk).0, "failed");
}
