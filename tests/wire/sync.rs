//! The text that the server holds is the text that the editor shows.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{engine::TomlEngine, server::TestServer};

const URI: &str = "file:///w/a.toml";

fn server(encodings: &Value) -> (TestServer, Value) {
    let mut server = TestServer::with(TomlEngine::new());
    let result = server.initialize(&json!({ "general": { "positionEncodings": encodings } }));
    (server, result["capabilities"]["positionEncoding"].clone())
}

fn text(server: &mut TestServer) -> Value {
    server.call("test/text", json!({ "uri": URI })).unwrap()["text"].take()
}

fn insert(line: u32, character: u32, text: &str) -> Value {
    let at = json!({ "line": line, "character": character });
    json!({ "range": { "start": at, "end": at }, "text": text })
}

fn edit_behind_wide_characters(encodings: &Value, expected: &str, character: u32) {
    let (mut server, negotiated) = server(encodings);
    assert_eq!(negotiated, expected);
    server.open(URI, 1, "a = 1\r\ns = \"ä𝄞\" x\r\n");
    server.change(
        URI,
        2,
        json!([insert(1, character, "# "), insert(0, 5, "2")]),
    );
    assert_eq!(text(&mut server), "a = 12\r\ns = \"ä𝄞\" # x\r\n");
    while server.published().1 != Some(2) {}
}

#[test]
fn edits_count_utf_8_when_offered() {
    edit_behind_wide_characters(&json!(["utf-16", "utf-8", "utf-32"]), "utf-8", 13);
}

#[test]
fn edits_count_utf_16_otherwise() {
    edit_behind_wide_characters(&json!(["utf-32", "utf-16"]), "utf-16", 10);
    edit_behind_wide_characters(&Value::Null, "utf-16", 10);
}

#[test]
fn edits_count_utf_32_when_nothing_else_is_offered() {
    edit_behind_wide_characters(&json!(["utf-32"]), "utf-32", 9);
}

#[test]
fn diagnostics_are_placed_in_the_negotiated_encoding() {
    for (encoding, character) in [("utf-8", 13), ("utf-16", 10), ("utf-32", 9)] {
        let (mut server, _) = server(&json!([encoding]));
        server.open(URI, 1, "s = \"ä𝄞\" x");
        let published = server.notification("textDocument/publishDiagnostics");
        assert_eq!(
            published["diagnostics"][0]["range"]["start"],
            json!({ "line": 0, "character": character }),
            "{encoding}"
        );
    }
}

#[test]
fn a_uri_may_be_spelled_differently_and_is_answered_as_it_was_opened() {
    let (mut server, _) = server(&Value::Null);
    server.open("file:///w/%61.toml", 1, "x");
    assert_eq!(
        server.notification("textDocument/publishDiagnostics")["uri"],
        "file:///w/%61.toml"
    );
    server.change(URI, 2, json!([{ "text": "x = 1" }]));
    assert_eq!(text(&mut server), "x = 1");
    let published = server.notification("textDocument/publishDiagnostics");
    assert_eq!(
        published,
        json!({ "uri": "file:///w/%61.toml", "diagnostics": [], "version": 2 })
    );
}

#[test]
fn a_change_of_a_closed_buffer_is_complained_about() {
    let (mut server, _) = server(&Value::Null);
    server.change(URI, 2, json!([{ "text": "x" }]));
    let complaint = "`/w/a.toml` is not open: send `textDocument/didOpen` first";
    assert_eq!(
        server.notification("window/logMessage"),
        json!({ "type": 2, "message": complaint })
    );
    assert_eq!(
        server.call("test/text", json!({ "uri": URI })),
        Err(json!({ "code": -32602, "message": complaint }))
    );
}
