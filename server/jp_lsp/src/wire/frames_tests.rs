use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use super::Frames;
use crate::wire::{
    message::{self, Message},
    outgoing::framed,
};

/// Feeds `input` in pieces of `piece` bytes; gives the messages that passed and the answers to what did not.
fn guard(input: &[u8], piece: usize) -> (Vec<Value>, Vec<Value>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut input = pieces(input, piece);
        let mut frames = Frames::default();
        let (mut passed, mut answered) = (Vec::new(), Vec::new());
        while frames.read_from(&mut input).await {
            while let Some(frame) = frames.next() {
                let messages = match frame {
                    Ok(body) => message::read(&body),
                    Err(refusal) => vec![Message::Refused(refusal)],
                };
                for message in messages {
                    match message {
                        Message::Refused(refusal) => answered.push(json!(refusal.into_response())),
                        Message::Response(response) => passed.push(json!(response)),
                        Message::Request { id, method, params } => {
                            passed.push(call(Some(json!(id)), &method, params));
                        }
                        Message::Notification { method, params } => {
                            passed.push(call(None, &method, params));
                        }
                    }
                }
            }
        }
        (passed, answered)
    })
}

/// A request or notification as the client wrote it, without what means nothing.
fn call(id: Option<Value>, method: &str, params: Value) -> Value {
    let mut call = json!({ "jsonrpc": "2.0", "method": method });
    if let Some(id) = id {
        call["id"] = id;
    }
    if !params.is_null() {
        call["params"] = params;
    }
    call
}

fn pieces(input: &[u8], piece: usize) -> impl tokio::io::AsyncRead + Unpin {
    let pieces: Vec<Vec<u8>> = input.chunks(piece.max(1)).map(<[u8]>::to_vec).collect();
    pieces.into_iter().map(std::io::Cursor::new).fold(
        Box::new(tokio::io::empty()) as Box<dyn tokio::io::AsyncRead + Unpin>,
        |before, piece| Box::new(before.chain(piece)),
    )
}

fn frames(bodies: &[&str]) -> Vec<u8> {
    bodies
        .iter()
        .flat_map(|body| framed(body.as_bytes()).to_vec())
        .collect()
}

fn refusal(id: impl Into<Value>, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message }, "id": id.into() })
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn ping() -> Value {
    serde_json::from_str(PING).unwrap()
}

/// One broken frame between two whole ones: both pass, and the broken one is answered so.
fn refused(body: &str, id: impl Into<Value>, code: i64, message: &str) {
    assert_eq!(
        guard(&frames(&[PING, body, PING]), usize::MAX),
        (vec![ping(), ping()], vec![refusal(id, code, message)]),
        "{body}"
    );
}

#[test]
fn content_that_is_no_json_is_a_parse_error() {
    refused(
        "{",
        Value::Null,
        -32700,
        "the frame's content is not valid JSON: EOF while parsing an object at line 1 column 1",
    );
    refused(
        "",
        Value::Null,
        -32700,
        "the frame's content is not valid JSON: EOF while parsing a value at line 1 column 0",
    );
    refused(
        r#"{"jsonrpc":"2.0","method":"x","params":["\ud800"]}"#,
        Value::Null,
        -32700,
        "the frame's content is not valid JSON: unexpected end of hex escape at line 1 column 48",
    );
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    refused("7", Value::Null, -32600, "a message must be a JSON object");
    refused(
        r#"{"id":4,"method":"x"}"#,
        4,
        -32600,
        "a message must say `\"jsonrpc\": \"2.0\"`",
    );
    refused(
        r#"{"jsonrpc":"2.0","id":"a","method":7}"#,
        "a",
        -32600,
        "`method` must be a string",
    );
    refused(
        r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#,
        Value::Null,
        -32600,
        "`id` must be a whole number or a string",
    );
    refused(
        r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
        Value::Null,
        -32600,
        "`id` must be a whole number or a string",
    );
    refused(
        r#"{"jsonrpc":"2.0","id":2,"method":"x","params":3}"#,
        2,
        -32600,
        "`params` must be an object or an array",
    );
    refused(
        r#"{"jsonrpc":"2.0","id":2}"#,
        2,
        -32600,
        "a message must have a `method`, a `result` or an `error`",
    );
    refused(
        r#"{"jsonrpc":"2.0","id":2,"id":3,"method":"x"}"#,
        3,
        -32600,
        "a message must not repeat a field",
    );
}

#[test]
fn deep_nesting_is_a_parse_error_and_no_overflow() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","method":"x","params":{}"#,
        "[".repeat(100_000)
    );
    let (passed, answered) = guard(&frames(&[&deep, PING]), usize::MAX);
    assert_eq!(passed, [ping()]);
    assert_eq!(answered[0]["error"]["code"], -32700);
}

#[test]
fn a_frame_without_a_length_is_skipped() {
    let header = refusal(
        Value::Null,
        -32700,
        "a frame must begin with `Content-Length: <bytes>` and an empty line",
    );
    for junk in [
        "Content-Type: x\r\n\r\n",
        "nonsense\r\n\r\n",
        "{}\n",
        "Content-Length: minus\r\n\r\n",
        "Content-Length: 1\r\nnonsense\r\n\r\n",
    ] {
        let input = [junk.as_bytes(), &frames(&[PING])].concat();
        assert_eq!(
            guard(&input, usize::MAX),
            (vec![ping()], vec![header.clone()]),
            "{junk:?}"
        );
    }
}

#[test]
fn headers_are_read_whatever_their_case_and_company() {
    let input = format!(
        "content-LENGTH:{}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{PING}",
        PING.len()
    );
    assert_eq!(guard(input.as_bytes(), usize::MAX), (vec![ping()], vec![]));
}

#[test]
fn endless_headers_are_cut_off() {
    let input = [vec![b'x'; 40_000], b"\r\n\r\n".to_vec(), frames(&[PING])].concat();
    let (passed, answered) = guard(&input, 4096);
    assert_eq!(passed, [ping()]);
    assert!(!answered.is_empty());
}

#[test]
fn a_frame_above_the_limit_is_refused_before_it_is_read() {
    let input = b"Content-Length: 99999999999\r\n\r\nabc";
    let message = "a frame of 99999999999 bytes is too large: send at most 268435456";
    assert_eq!(
        guard(input, usize::MAX),
        (vec![], vec![refusal(Value::Null, -32600, message)])
    );
}

#[test]
fn a_batch_is_taken_apart() {
    let batch = format!("[{PING},7,[],{PING}]");
    let (passed, answered) = guard(&frames(&[&batch, "[]"]), usize::MAX);
    assert_eq!(passed, [ping(), ping()]);
    assert_eq!(
        answered,
        [
            refusal(Value::Null, -32600, "a message must be a JSON object"),
            refusal(
                Value::Null,
                -32600,
                "a batch cannot hold a batch: send one message in each frame"
            ),
            refusal(
                Value::Null,
                -32600,
                "an empty batch asks for nothing: send one message in each frame"
            ),
        ]
    );
}

#[test]
fn responses_pass_whatever_else_they_carry() {
    let (passed, answered) = guard(
        &frames(&[
            r#"{"jsonrpc":"2.0","id":1,"result":null,"extra":1}"#,
            r#"{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no","stack":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":3,"error":"no"}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        ]),
        usize::MAX,
    );
    assert_eq!(
        passed,
        [
            json!({ "jsonrpc": "2.0", "id": 1, "result": null }),
            json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -1, "message": "no" } }),
            json!({ "jsonrpc": "2.0", "id": 3, "error": { "code": -32603, "message": "" } }),
        ]
    );
    assert_eq!(answered, Vec::<Value>::new());
}

proptest! {
    #[test]
    fn frames_pass_however_the_input_is_cut(piece in 1_usize..80, texts in proptest::collection::vec("[a-z€\r\n]{0,40}", 0..6)) {
        let messages: Vec<Value> = texts.iter().map(|text| json!({ "jsonrpc": "2.0", "method": "x", "params": [text] })).collect();
        let bodies: Vec<String> = messages.iter().map(ToString::to_string).collect();
        let input = frames(&bodies.iter().map(String::as_str).collect::<Vec<_>>());
        prop_assert_eq!(guard(&input, piece), (messages, vec![]));
    }

    #[test]
    fn garbage_never_panics(input in proptest::collection::vec(any::<u8>(), 0..400), piece in 1_usize..80) {
        let (passed, _) = guard(&input, piece);
        prop_assert!(passed.is_empty());
    }
}
