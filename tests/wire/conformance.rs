//! What the protocol demands of every server.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    engine::TomlEngine,
    program::program,
    server::{TestServer, frame},
};

fn error(code: i64, message: &str) -> Result<Value, Value> {
    Err(json!({ "code": code, "message": message }))
}

#[test]
fn the_binary_offers_what_it_has_and_no_more() {
    let mut server = TestServer::binary();
    let everything = json!({
        "general": { "positionEncodings": ["utf-16", "utf-8"] },
        "textDocument": { "diagnostic": {}, "hover": {}, "completion": {}, "codeAction": {} },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    });
    let result = server.initialize(&everything);
    assert_eq!(
        result["serverInfo"],
        json!({ "name": "jp-lsp", "version": env!("CARGO_PKG_VERSION") })
    );
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-8");
    assert_eq!(
        result["capabilities"]["textDocumentSync"],
        json!({ "openClose": true, "change": 2 })
    );
    assert_eq!(
        result["capabilities"]["workspace"]["workspaceFolders"],
        json!({ "supported": true, "changeNotifications": true })
    );
}

#[test]
fn diagnostics_to_be_pulled_are_offered_only_to_who_can_be_refreshed() {
    let offered = |capabilities: Value| {
        let mut server = TestServer::with(TomlEngine::new());
        server.initialize(&capabilities)["capabilities"]["diagnosticProvider"].clone()
    };
    let pull = json!({ "diagnostic": {} });
    assert_eq!(offered(json!({ "textDocument": pull })), Value::Null);
    assert_eq!(
        offered(
            json!({ "textDocument": pull, "workspace": { "diagnostics": { "refreshSupport": true } } })
        ),
        json!({ "identifier": "jp", "interFileDependencies": true, "workspaceDiagnostics": true })
    );
}

#[test]
fn a_request_before_initialize_is_refused_and_a_notification_dropped() {
    let mut server = TestServer::binary();
    server.open("file:///w/a.toml", 1, "x");
    let refused = error(
        -32002,
        "the server is not initialized: send `initialize` first",
    );
    assert_eq!(server.call("textDocument/hover", json!({})), refused);
    assert_eq!(server.call("shutdown", Value::Null), refused);
    server.initialize(&json!({}));
}

#[test]
fn initialize_works_once() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    assert_eq!(
        server.call("initialize", json!({ "capabilities": {} })),
        error(-32600, "the server is initialized already")
    );
}

#[test]
fn initialize_may_be_tried_again_after_malformed_parameters() {
    let mut server = TestServer::binary();
    assert_eq!(
        server.call("initialize", json!([])),
        error(-32602, "the parameters of `initialize` must be an object")
    );
    server.initialize(&json!({}));
}

#[test]
fn unknown_kinds_of_capability_do_not_keep_the_server_from_starting() {
    let mut server = TestServer::binary();
    server.initialize(&json!({ "textDocument": { "completion": 7, "diagnostic": [] }, "workspace": { "resourceOperations": ["fly"] }, "general": null }));
}

#[test]
fn nothing_works_after_shutdown_but_exit() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    assert_eq!(server.call("shutdown", Value::Null), Ok(Value::Null));
    let refused = error(-32600, "the server is shut down: send `exit`");
    assert_eq!(server.call("textDocument/hover", json!({})), refused);
    assert_eq!(server.call("shutdown", Value::Null), refused);
    assert_eq!(
        server.call("initialize", json!({ "capabilities": {} })),
        error(-32600, "the server is initialized already")
    );
    server.notify("exit", Value::Null);
    assert_eq!(server.wait(), 0);
}

#[test]
fn unknown_methods_are_told_and_unknown_notifications_ignored() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    server.notify("$/unknown", json!({}));
    server.notify("unknown", json!({}));
    server.notify("$/cancelRequest", json!({ "id": "of nothing" }));
    server.notify("$/cancelRequest", json!([]));
    assert_eq!(
        server.call("$/unknown", json!({})),
        error(-32601, "the method `$/unknown` is not known")
    );
    assert_eq!(
        server.call("unknown", json!({})),
        error(-32601, "the method `unknown` is not known")
    );
}

#[test]
fn ids_may_be_strings_and_are_not_confused_with_numbers() {
    let mut server = TestServer::with(TomlEngine::new());
    server.initialize(&json!({}));
    server.send(&json!({ "jsonrpc": "2.0", "id": "100", "method": "test/askUser" }));
    server.send(&json!({ "jsonrpc": "2.0", "id": 100, "method": "test/askUser" }));
    let (first, _) = server.request("window/showMessageRequest");
    let (second, _) = server.request("window/showMessageRequest");
    server.notify("$/cancelRequest", json!({ "id": "100" }));
    assert_eq!(
        server.answer(&json!("100")),
        error(-32800, "the request was cancelled")
    );
    for question in [first, second] {
        server.respond(&question, json!({ "title": "yes" }));
    }
    assert_eq!(server.answer(&json!(100)), Ok(json!("yes")));
}

#[test]
fn an_id_in_use_is_refused_and_a_free_one_may_be_used_again() {
    let mut server = TestServer::with(TomlEngine::new());
    server.initialize(&json!({}));
    let ask = json!({ "jsonrpc": "2.0", "id": "same", "method": "test/askUser" });
    server.send(&ask);
    server.send(&ask);
    assert_eq!(
        server.answer(&json!("same")),
        error(
            -32600,
            "the id `\"same\"` belongs to a request that is not answered yet: use another"
        )
    );
    for _ in 0..2 {
        let (question, _) = server.request("window/showMessageRequest");
        server.respond(&question, json!({ "title": "yes" }));
        assert_eq!(server.answer(&json!("same")), Ok(json!("yes")));
        server.send(&ask);
    }
    server.notify("$/cancelRequest", json!({ "id": "same" }));
    assert_eq!(
        server.answer(&json!("same")),
        error(-32800, "the request was cancelled")
    );
    server.request("window/showMessageRequest");
}

#[test]
fn nothing_overtakes_the_answer_to_initialize() {
    let mut server = TestServer::with(TomlEngine::new());
    let initialize = json!({ "jsonrpc": "2.0", "id": "i", "method": "initialize", "params": { "capabilities": {}, "initializationOptions": { "trusted": 1 } } });
    let open = json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {
        "textDocument": { "uri": "file:///w/a.toml", "languageId": "toml", "version": 1, "text": "x" } } });
    let exit = json!({ "jsonrpc": "2.0", "method": "exit" });
    server.raw(&[frame(&initialize.to_string()), frame(&open.to_string())].concat());
    let first = server.published();
    assert_eq!(first, ("a.toml".into(), Some(1), vec!["syntax".into()]));
    server.send(&exit);
    let kinds: Vec<String> = server
        .drain()
        .iter()
        .map(|message| message.get("method").unwrap_or(&message["id"]).to_string())
        .collect();
    assert_eq!(kinds, ["\"i\"", "\"window/showMessage\""]);
    assert_eq!(server.wait(), 1);
}

#[test]
fn every_request_has_one_answer_also_when_the_input_ends() {
    let mut child = Command::new(program())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } });
    input.write_all(&frame(&initialize.to_string())).unwrap();
    for id in 1..=20 {
        input.write_all(&frame(&json!({ "jsonrpc": "2.0", "id": id, "method": "textDocument/diagnostic", "params": { "textDocument": { "uri": "file:///x" } } }).to_string())).unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let output = String::from_utf8(output.stdout).unwrap();
    for id in 0..=20 {
        assert_eq!(output.matches(&format!("\"id\":{id}}}")).count(), 1, "{id}");
    }
}

#[test]
fn the_input_may_end_after_shutdown() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    assert_eq!(server.call("shutdown", Value::Null), Ok(Value::Null));
    server.close_input();
    assert_eq!(server.wait(), 0);
}

#[cfg(unix)]
#[test]
fn the_server_ends_with_the_process_that_the_client_named() {
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let mut server = TestServer::binary();
    server
        .call(
            "initialize",
            json!({ "processId": gone.id(), "capabilities": {} }),
        )
        .unwrap();
    assert_eq!(server.wait(), 1);
}

#[test]
fn watchers_are_registered_only_where_the_client_can_take_them() {
    let engine = || {
        let mut engine = TomlEngine::new();
        engine.globs = vec!["**/.jp/**".into()];
        engine
    };
    let mut able = TestServer::with(engine());
    able.initialize(
        &json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } }),
    );
    let (id, params) = able.request("client/registerCapability");
    assert_eq!(
        params,
        json!({ "registrations": [{
            "id": "jp/watch",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": [{ "globPattern": "**/.jp/**" }] },
        }] })
    );
    able.respond(&id, Value::Null);
    let mut unable = TestServer::with(engine());
    unable.initialize(&json!({}));
    assert!(unable.call("test/state", Value::Null).is_ok());
}

#[test]
fn trust_and_options_reach_the_engine() {
    let mut server = TestServer::with(TomlEngine::new());
    server.initialize_with(json!({
        "capabilities": {},
        "workspaceFolders": [{ "uri": "file:///a", "name": "a" }],
        "initializationOptions": { "dialect": "released" },
    }));
    let state = |trusted: bool| {
        Ok(json!({ "trusted": trusted, "folders": ["file:///a"], "dialect": "Released" }))
    };
    assert_eq!(server.call("test/state", Value::Null), state(false));
    server.notify("jp/trustGranted", json!({}));
    assert_eq!(server.call("test/state", Value::Null), state(true));
}

#[test]
fn folders_come_and_go() {
    let mut server = TestServer::with(TomlEngine::new());
    let folder = |name: &str| json!({ "uri": format!("file:///{name}"), "name": name });
    server.initialize_with(
        json!({ "capabilities": {}, "workspaceFolders": [folder("a"), folder("b")] }),
    );
    let event =
        json!({ "event": { "added": [folder("c"), folder("b")], "removed": [folder("a")] } });
    server.notify("workspace/didChangeWorkspaceFolders", event);
    assert_eq!(
        server.call("test/state", Value::Null).unwrap()["folders"],
        json!(["file:///b", "file:///c"])
    );
}
