//! Diagnostics: pushed or pulled, always of the latest text, also of files that are not open.

use std::{
    fs,
    sync::{Arc, atomic::Ordering},
};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{engine::TomlEngine, server::TestServer};

const A: &str = "file:///w/a.toml";
const B: &str = "file:///w/b.toml";

fn pushing() -> TestServer {
    let mut server = TestServer::with(TomlEngine::new());
    server.initialize(&json!({}));
    server
}

fn pull_capabilities() -> Value {
    json!({
        "textDocument": { "diagnostic": { "relatedDocumentSupport": true } },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    })
}

fn workspace(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join(".jp")).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(".jp").join(name), text).unwrap();
    }
    folder
}

fn uri(folder: &TempDir, name: &str) -> String {
    let path = folder.path().join(name);
    url::Url::from_file_path(path).unwrap().to_string()
}

fn in_folder(engine: TomlEngine, folder: &TempDir, capabilities: &Value) -> TestServer {
    let mut server = TestServer::with(engine);
    let folders = json!([{ "uri": uri(folder, ""), "name": "w" }]);
    server.initialize_with(json!({ "capabilities": capabilities, "workspaceFolders": folders }));
    server
}

fn is(name: &str, version: Option<i64>, messages: &[&str]) -> (String, Option<i64>, Vec<String>) {
    (
        name.into(),
        version,
        messages.iter().map(ToString::to_string).collect(),
    )
}

#[test]
fn every_publication_carries_its_version() {
    let mut server = pushing();
    server.open(A, 1, "a = ");
    assert_eq!(server.published(), is("a.toml", Some(1), &["syntax"]));
    server.change(A, 2, json!([{ "text": "a = 1" }]));
    assert_eq!(server.published(), is("a.toml", Some(2), &[]));
    server.change(A, 7, json!([{ "text": "a = 2" }]));
    assert_eq!(server.published(), is("a.toml", Some(7), &[]));
}

#[test]
fn closing_a_buffer_that_nothing_names_clears_its_diagnostics() {
    let mut server = pushing();
    server.open(A, 1, "a = ");
    assert_eq!(server.published(), is("a.toml", Some(1), &["syntax"]));
    server.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": A } }),
    );
    assert_eq!(server.published(), is("a.toml", None, &[]));
}

#[test]
fn an_edit_of_one_file_changes_the_diagnostics_of_another_and_only_those() {
    let mut server = pushing();
    server.open(A, 1, "");
    assert_eq!(server.published(), is("a.toml", Some(1), &[]));
    server.open(B, 1, "");
    assert_eq!(server.published(), is("b.toml", Some(1), &[]));
    server.change(A, 2, json!([{ "text": "# blame" }]));
    assert_eq!(server.published(), is("a.toml", Some(2), &[]));
    assert_eq!(
        server.published(),
        is("b.toml", Some(1), &["blamed by a.toml"])
    );
    server.change(A, 3, json!([{ "text": "# blame them" }]));
    assert_eq!(server.published(), is("a.toml", Some(3), &[]));
}

#[test]
fn a_burst_of_changes_is_judged_once() {
    let (open, engine) = TomlEngine::gated();
    let finished = Arc::clone(&engine.finished);
    let mut server = TestServer::with(engine);
    server.initialize(&json!({}));
    server.open(A, 0, "");
    for version in 1..=40 {
        server.change(A, version, json!([{ "text": format!("a = {version}") }]));
    }
    // The answer shows that all changes were applied; only then may an analysis come to its end.
    assert_eq!(
        server.call("test/text", json!({ "uri": A })).unwrap()["version"],
        40
    );
    drop(open);
    assert_eq!(server.published(), is("a.toml", Some(40), &[]));
    assert_eq!(finished.load(Ordering::SeqCst), 1);
}

#[test]
fn a_request_that_needs_the_texts_alone_waits_for_no_analysis() {
    let (open, engine) = TomlEngine::gated();
    let finished = Arc::clone(&engine.finished);
    let mut server = TestServer::with(engine);
    server.initialize(&json!({}));
    server.open(A, 0, "");
    for version in 1..=5 {
        let text = "# line\n".repeat(version);
        server.change(A, version.try_into().unwrap(), json!([{ "text": text }]));
        assert_eq!(
            server.call("test/lines", json!({ "uri": A })).unwrap(),
            version
        );
    }
    assert_eq!(finished.load(Ordering::SeqCst), 0);
    drop(open);
    assert_eq!(server.published(), is("a.toml", Some(5), &[]));
}

#[test]
fn an_analysis_that_panics_is_told_and_the_server_lives() {
    let engine = TomlEngine {
        panics: true,
        ..TomlEngine::new()
    };
    let mut server = TestServer::with(engine);
    server.initialize(&json!({}));
    server.open(A, 1, "");
    let message = "the analysis failed; the diagnostics shown may be out of date";
    assert_eq!(
        server.notification("window/logMessage"),
        json!({ "type": 1, "message": message })
    );
    // Once for the world as it was found and once with the file, unless the one has overtaken the other.
    server.tolerate("window/logMessage");
    assert_eq!(
        server.call("test/text", json!({ "uri": A })).unwrap()["version"],
        1
    );
}

#[test]
fn files_on_disk_are_judged_and_buffers_win() {
    let folder = workspace(&[("a.toml", "a = "), ("b.toml", "b = 1")]);
    let capabilities =
        json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let mut server = in_folder(TomlEngine::new(), &folder, &capabilities);
    assert_eq!(server.published(), is("a.toml", None, &["syntax"]));
    server.open(&uri(&folder, ".jp/a.toml"), 1, "a = 1");
    assert_eq!(server.published(), is("a.toml", Some(1), &[]));
    server.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": uri(&folder, ".jp/a.toml") } }),
    );
    assert_eq!(server.published(), is("a.toml", None, &["syntax"]));
}

#[test]
fn changes_on_disk_that_the_client_reports_are_seen() {
    let folder = workspace(&[("a.toml", "a = ")]);
    let capabilities =
        json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let mut server = in_folder(TomlEngine::new(), &folder, &capabilities);
    server.notify("jp/trustGranted", json!({}));
    assert_eq!(server.published(), is("a.toml", None, &["syntax"]));
    fs::write(folder.path().join(".jp/a.toml"), "a = 1").unwrap();
    let changes = json!([{ "uri": uri(&folder, ".jp/a.toml"), "type": 2 }]);
    server.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": changes }),
    );
    assert_eq!(server.published(), is("a.toml", None, &[]));
}

#[test]
fn changes_on_disk_are_seen_without_the_client() {
    let folder = workspace(&[("a.toml", "a = ")]);
    let mut server = in_folder(TomlEngine::new(), &folder, &json!({}));
    server.notify("jp/trustGranted", json!({}));
    assert_eq!(server.published(), is("a.toml", None, &["syntax"]));
    fs::write(folder.path().join(".jp/a.toml"), "a = 1").unwrap();
    assert_eq!(server.published(), is("a.toml", None, &[]));
    fs::write(folder.path().join(".jp/b.toml"), "b = ").unwrap();
    assert_eq!(server.published(), is("b.toml", None, &["syntax"]));
    fs::remove_file(folder.path().join(".jp/b.toml")).unwrap();
    assert_eq!(server.published(), is("b.toml", None, &[]));
}

#[test]
fn a_workspace_that_appears_later_is_seen() {
    let folder = TempDir::new().unwrap();
    let mut server = in_folder(TomlEngine::new(), &folder, &json!({}));
    server.open(A, 1, "");
    assert_eq!(server.published(), is("a.toml", Some(1), &[]));
    fs::create_dir(folder.path().join(".jp")).unwrap();
    fs::write(folder.path().join(".jp/b.toml"), "b = ").unwrap();
    assert_eq!(server.published(), is("b.toml", None, &["syntax"]));
    fs::write(folder.path().join(".jp/c.toml"), "c = ").unwrap();
    assert_eq!(server.published(), is("c.toml", None, &["syntax"]));
    fs::remove_dir_all(folder.path().join(".jp")).unwrap();
    let mut gone = [server.published(), server.published()];
    gone.sort();
    assert_eq!(gone, [is("b.toml", None, &[]), is("c.toml", None, &[])]);
}

#[test]
fn pulled_diagnostics_carry_related_documents_and_unchanged_ones_are_not_repeated() {
    let mut server = TestServer::with(TomlEngine::new());
    server.initialize(&pull_capabilities());
    server.open(A, 1, "a = # blame");
    server.open(B, 1, "");
    let mut first = server
        .call(
            "textDocument/diagnostic",
            json!({ "textDocument": { "uri": A } }),
        )
        .unwrap();
    assert_eq!(
        (&first["kind"], &first["items"][0]["message"]),
        (&json!("full"), &json!("syntax"))
    );
    assert_eq!(
        first["relatedDocuments"][B]["items"][0]["message"],
        "blamed by a.toml"
    );
    let held = first["resultId"].take();
    let again = server.call(
        "textDocument/diagnostic",
        json!({ "textDocument": { "uri": A }, "previousResultId": held }),
    );
    assert_eq!(again, Ok(json!({ "kind": "unchanged", "resultId": held })));
    let other = server.call(
        "textDocument/diagnostic",
        json!({ "textDocument": { "uri": "file:///w/other" } }),
    );
    assert_eq!(other, Ok(json!({ "kind": "full", "items": [] })));
}

#[test]
fn the_whole_workspace_can_be_pulled() {
    let folder = workspace(&[("a.toml", "a = "), ("b.toml", "b = 1")]);
    let mut server = in_folder(TomlEngine::new(), &folder, &pull_capabilities());
    let (a, b, gone) = (
        uri(&folder, ".jp/a.toml"),
        uri(&folder, ".jp/b.toml"),
        uri(&folder, ".jp/gone.toml"),
    );
    server.open(&b, 3, "b = 2");
    let mut answer = server
        .call(
            "workspace/diagnostic",
            json!({ "previousResultIds": [{ "uri": gone, "value": "x" }] }),
        )
        .unwrap();
    let items: Vec<Value> = answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            json!([
                item["uri"],
                item["version"],
                item["items"].as_array().map(Vec::len)
            ])
        })
        .collect();
    assert_eq!(
        items,
        [
            json!([b, 3, 0]),
            json!([a, null, 1]),
            json!([gone, null, 0])
        ]
    );
    let held: Vec<Value> = [0, 1].map(|index| json!({ "uri": answer["items"][index]["uri"].take(), "value": answer["items"][index]["resultId"].take() })).to_vec();
    let answer = server
        .call("workspace/diagnostic", json!({ "previousResultIds": held }))
        .unwrap();
    let kinds: Vec<&Value> = answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["kind"])
        .collect();
    assert_eq!(kinds, ["unchanged", "unchanged"]);
    // The first analysis may have come before anything was pulled; then the client was told to pull.
    server.tolerate("workspace/diagnostic/refresh");
}

#[test]
fn a_pulling_client_is_told_when_another_file_changed() {
    let mut server = TestServer::with(TomlEngine::new());
    server.initialize(&pull_capabilities());
    server.open(A, 1, "");
    server.open(B, 1, "");
    for uri in [A, B] {
        assert_eq!(
            server
                .call(
                    "textDocument/diagnostic",
                    json!({ "textDocument": { "uri": uri } })
                )
                .unwrap()["items"],
            json!([])
        );
    }
    server.change(A, 2, json!([{ "text": "# blame" }]));
    let (id, _) = server.request("workspace/diagnostic/refresh");
    server.respond(&id, Value::Null);
    let answer = server
        .call(
            "textDocument/diagnostic",
            json!({ "textDocument": { "uri": B } }),
        )
        .unwrap();
    assert_eq!(answer["items"][0]["message"], "blamed by a.toml");
}

#[test]
fn a_pull_that_an_edit_overtakes_is_to_be_repeated() {
    let (open, engine) = TomlEngine::gated();
    let mut server = TestServer::with(engine);
    server.initialize(&pull_capabilities());
    server.open(A, 1, "");
    let early = server.ask(
        "textDocument/diagnostic",
        json!({ "textDocument": { "uri": A } }),
    );
    server.change(A, 2, json!([{ "text": "a = " }]));
    let message = "the text changed before the answer was ready: ask again";
    assert_eq!(
        server.answer(&early),
        Err(json!({ "code": -32802, "message": message, "data": { "retriggerRequest": true } }))
    );
    drop(open);
    let late = server
        .call(
            "textDocument/diagnostic",
            json!({ "textDocument": { "uri": A } }),
        )
        .unwrap();
    assert_eq!(late["items"][0]["message"], "syntax");
}

#[test]
fn a_long_first_load_is_shown_to_a_client_that_shows_progress() {
    let (open, engine) = TomlEngine::gated();
    let mut server = TestServer::with(engine);
    server.initialize(&json!({ "window": { "workDoneProgress": true } }));
    server.open(A, 1, "");
    let (id, params) = server.request("window/workDoneProgress/create");
    assert_eq!(params, json!({ "token": "jp/load" }));
    server.respond(&id, Value::Null);
    let begin = json!({ "kind": "begin", "title": "loading the jp config", "cancellable": false });
    assert_eq!(
        server.notification("$/progress"),
        json!({ "token": "jp/load", "value": begin })
    );
    drop(open);
    assert_eq!(
        server.notification("$/progress"),
        json!({ "token": "jp/load", "value": { "kind": "end" } })
    );
    assert_eq!(server.published(), is("a.toml", Some(1), &[]));
}
