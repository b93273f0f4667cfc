//! Situations that a server on this framework gets wrong unless it is built not to. Each must end well.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    engine::TomlEngine,
    server::{TestServer, change, frame},
};

const URI: &str = "file:///w/.jp/config.toml";

fn initialized(engine: TomlEngine) -> TestServer {
    let mut server = TestServer::with(engine);
    server.initialize(&json!({}));
    server
}

fn error(code: i64, message: &str) -> Result<Value, Value> {
    Err(json!({ "code": code, "message": message }))
}

fn cancelled() -> Result<Value, Value> {
    error(-32800, "the request was cancelled")
}

#[test]
fn row_1_exit_after_shutdown_ends_at_once_though_the_input_stays_open() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    assert_eq!(server.leave(), 0);
}

#[test]
fn row_1_shutdown_and_exit_in_one_write_are_both_obeyed() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    let shutdown = frame(&json!({ "jsonrpc": "2.0", "id": "s", "method": "shutdown" }).to_string());
    let exit = frame(&json!({ "jsonrpc": "2.0", "method": "exit" }).to_string());
    server.raw(&[shutdown, exit].concat());
    assert_eq!(server.answer(&json!("s")), Ok(Value::Null));
    assert_eq!(server.wait(), 0);
}

#[test]
fn row_2_exit_without_shutdown_is_code_1() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    server.notify("exit", Value::Null);
    assert_eq!(server.wait(), 1);
}

#[test]
fn row_2_exit_before_initialize_is_code_1() {
    let mut server = TestServer::binary();
    server.notify("exit", Value::Null);
    assert_eq!(server.wait(), 1);
}

#[test]
fn row_3_a_busy_handler_delays_nobody() {
    let mut server = initialized(TomlEngine::new());
    let busy = server.ask("test/block", Value::Null);
    assert!(server.call("test/state", Value::Null).is_ok());
    assert!(server.call("test/release", Value::Null).is_ok());
    assert_eq!(server.answer(&busy), Ok(json!("unblocked")));
}

#[test]
fn row_4_a_late_answer_to_a_cancelled_request_of_the_server_is_harmless() {
    let mut server = initialized(TomlEngine::new());
    let asking = server.ask("test/askUser", Value::Null);
    let (question, _) = server.request("window/showMessageRequest");
    server.notify("$/cancelRequest", json!({ "id": asking }));
    assert_eq!(server.answer(&asking), cancelled());
    server.respond(&question, json!({ "title": "yes" }));
    server.respond(&question, json!({ "title": "twice" }));
    server.respond(&json!(4711), Value::Null);
    assert!(server.call("test/state", Value::Null).is_ok());
}

#[test]
fn row_5_a_panicking_handler_is_an_internal_error_and_the_server_lives() {
    let mut server = initialized(TomlEngine::new());
    let message = "the request failed inside the server: asked to panic";
    assert_eq!(
        server.call("test/panic", Value::Null),
        error(-32603, message)
    );
    assert_eq!(
        server.notification("window/logMessage"),
        json!({ "type": 1, "message": message })
    );
    assert!(server.call("test/state", Value::Null).is_ok());
}

#[test]
fn what_is_answered_at_once_may_panic_and_may_turn_out_to_wait() {
    let mut server = initialized(TomlEngine::new());
    server.tolerate("window/logMessage");
    let mut ask = |what: &str| server.call("test/atOnce", json!({ "what": what }));
    assert_eq!(ask("answer"), Ok(json!({ "mayBlock": false })));
    assert_eq!(ask("panic").unwrap_err()["code"], -32603);
    assert_eq!(ask("wait"), Ok(json!({ "mayBlock": true })));
    assert_eq!(ask("answer"), Ok(json!({ "mayBlock": false })));
}

#[test]
fn what_is_answered_at_once_has_a_reading_though_none_is_made_yet() {
    let (open, engine) = TomlEngine::gated();
    let mut server = initialized(engine);
    server.tolerate("textDocument/publishDiagnostics");
    server.open("file:///w/a.toml", 1, "x = 1\n");
    let read = server.call("test/atOnce", json!({ "what": "read" }));
    assert!(read.is_ok(), "{read:?}");
    drop(open);
}

#[test]
fn row_5_a_panic_in_the_loop_is_told_to_the_user_and_ends_the_server() {
    let mut server = initialized(TomlEngine {
        panics_in_loop: true,
        ..TomlEngine::new()
    });
    let message = "the jp language server failed and ends; the editor may start it again";
    assert_eq!(
        server.notification("window/showMessage"),
        json!({ "type": 1, "message": message })
    );
    assert_eq!(server.wait(), 101);
}

#[test]
fn row_6_handlers_that_wait_for_the_user_hold_nobody_up() {
    let mut server = initialized(TomlEngine::new());
    let asking: Vec<Value> = (0..64)
        .map(|_| server.ask("test/askUser", Value::Null))
        .collect();
    let questions: Vec<Value> = asking
        .iter()
        .map(|_| server.request("window/showMessageRequest").0)
        .collect();
    server.open(URI, 1, "a = 1");
    assert_eq!(server.published(), ("config.toml".into(), Some(1), vec![]));
    assert_eq!(
        server.call("test/text", json!({ "uri": URI })),
        Ok(json!({ "version": 1, "text": "a = 1" }))
    );
    server.notify("$/cancelRequest", json!({ "id": asking[0] }));
    assert_eq!(server.answer(&asking[0]), cancelled());
    for question in &questions {
        server.respond(question, json!({ "title": "yes" }));
    }
    for id in &asking[1..] {
        assert_eq!(server.answer(id), Ok(json!("yes")));
    }
}

#[test]
fn row_7_the_user_answers_after_a_flood_of_notifications() {
    let mut server = initialized(TomlEngine::new());
    let asking: Vec<Value> = (0..8)
        .map(|_| server.ask("test/askUser", Value::Null))
        .collect();
    let questions: Vec<Value> = asking
        .iter()
        .map(|_| server.request("window/showMessageRequest").0)
        .collect();
    for _ in 0..1000 {
        server.notify("$/unknown", json!({}));
    }
    for question in &questions {
        server.respond(question, json!({ "title": "yes" }));
    }
    for id in &asking {
        assert_eq!(server.answer(id), Ok(json!("yes")));
    }
}

#[test]
fn row_8_a_notification_is_done_before_the_next_one_and_before_a_request() {
    let mut server = initialized(TomlEngine::new());
    server.open(URI, 1, "");
    // A change that is complained about does more than one that is not; the order must hold all the same.
    server.change(URI, 1, json!([{ "text": "first" }]));
    server.change(URI, 2, json!([{ "text": "second" }]));
    assert_eq!(
        server.call("test/text", json!({ "uri": URI })),
        Ok(json!({ "version": 2, "text": "second" }))
    );
    let complaint =
        "version 1 of `/w/.jp/config.toml` does not follow version 1: versions must grow";
    assert_eq!(
        server.notification("window/logMessage"),
        json!({ "type": 2, "message": complaint })
    );
    while server.published().1 != Some(2) {}
}

#[test]
fn row_9_pipelined_changes_are_applied_in_order() {
    let mut server = initialized(TomlEngine::new());
    server.open(URI, 0, "");
    let expected: String = (1..=40).map(|number| format!("{number};")).collect();
    let mut end = 0;
    for number in 1..=40 {
        let text = format!("{number};");
        let at = json!({ "line": 0, "character": end });
        end += text.len();
        server.change(
            URI,
            number,
            json!([{ "range": { "start": at, "end": at }, "text": text }]),
        );
    }
    assert_eq!(
        server.call("test/text", json!({ "uri": URI })),
        Ok(json!({ "version": 40, "text": expected }))
    );
    while server.published().1 != Some(40) {}
}

#[test]
fn row_10_a_request_sees_the_state_of_its_own_arrival() {
    let mut server = initialized(TomlEngine::new());
    server.open(URI, 0, "");
    let mut bytes = Vec::new();
    for number in 1..=60 {
        bytes.extend(frame(
            &change(URI, number, json!([{ "text": format!("v = {number}") }])).to_string(),
        ));
        let get = json!({ "jsonrpc": "2.0", "id": format!("get {number}"), "method": "test/text", "params": { "uri": URI } });
        bytes.extend(frame(&get.to_string()));
    }
    server.raw(&bytes);
    for number in 1..=60 {
        let expected = json!({ "version": number, "text": format!("v = {number}") });
        assert_eq!(server.answer(&json!(format!("get {number}"))), Ok(expected));
    }
    while server.published().1 != Some(60) {}
}

#[test]
fn row_11_a_broken_frame_is_answered_and_the_server_goes_on() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    server.raw(&frame("{\"jsonrpc\":\"2.0\",\"method\":"));
    let message =
        "the frame's content is not valid JSON: EOF while parsing a value at line 1 column 26";
    assert_eq!(server.answer(&Value::Null), error(-32700, message));
    assert_eq!(
        server.call("x", Value::Null),
        error(-32601, "the method `x` is not known")
    );
}

#[test]
fn row_11_every_request_of_a_batch_is_answered() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    server.send(&json!([{ "jsonrpc": "2.0", "id": 71, "method": "x" }, 1, { "jsonrpc": "2.0", "id": "72", "method": "y" }]));
    assert_eq!(
        server.answer(&json!(71)),
        error(-32601, "the method `x` is not known")
    );
    assert_eq!(
        server.answer(&Value::Null),
        error(-32600, "a message must be a JSON object")
    );
    assert_eq!(
        server.answer(&json!("72")),
        error(-32601, "the method `y` is not known")
    );
}

#[test]
fn row_12_shutdown_may_carry_null_parameters() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    server.send(&json!({ "jsonrpc": "2.0", "id": 9, "method": "shutdown", "params": null }));
    assert_eq!(server.answer(&json!(9)), Ok(Value::Null));
    server.notify("exit", Value::Null);
    assert_eq!(server.wait(), 0);
}

#[test]
fn row_13_a_notification_that_cannot_be_decoded_is_logged() {
    let mut server = TestServer::binary();
    server.initialize(&json!({}));
    server.notify(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": 7 } }),
    );
    assert_eq!(
        server.notification("window/logMessage"),
        json!({
            "type": 2,
            "message": "`textDocument/didOpen` was ignored, its parameters do not fit: invalid type: integer `7`, expected a string representing an URL",
        })
    );
}

#[test]
fn row_14_a_client_that_does_not_read_stalls_nothing() {
    let mut server = TestServer::binary_unread();
    server.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } }));
    let padding = "x".repeat(200);
    for id in 1..=5000 {
        server.send(&json!({ "jsonrpc": "2.0", "id": id, "method": padding }));
    }
    // All of that was written although the pipe behind the server is full; only then is it read.
    server.resume();
    for id in 1..=5000 {
        assert_eq!(
            server.answer(&json!(id)),
            error(-32601, &format!("the method `{padding}` is not known"))
        );
    }
    assert!(server.answer(&json!(0)).is_ok());
    assert_eq!(server.leave(), 0);
}
