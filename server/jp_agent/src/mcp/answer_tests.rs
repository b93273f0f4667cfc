use pretty_assertions::assert_eq;

use super::*;

/// What is passed on of a line: itself as `passed`, the words of an error with the id in front, or nothing.
fn came(line: &[u8]) -> String {
    let Line::Passed(passed) = readable(line.to_vec()) else {
        return "lost".to_owned();
    };
    if passed == line {
        return "passed".to_owned();
    }
    if passed.is_empty() {
        return "dropped".to_owned();
    }
    let error: Value = serde_json::from_slice(&passed).unwrap();
    assert!(serde_json::from_slice::<ServerJsonRpcMessage>(&passed).is_ok());
    format!(
        "{} {}",
        error["id"],
        error["error"]["message"].as_str().unwrap()
    )
}

#[test]
fn messages_pass() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r",
        "",
        "listening on port 80",
        // What the library leaves out by itself, and nobody waits for.
        r#"{"jsonrpc":"2.0","method":"notifications/else","params":7}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"#,
        r#"{"level":"info","#,
    ] {
        assert_eq!(came(format!("{line}\n").as_bytes()), "passed", "{line}");
    }
}

#[test]
fn an_answer_that_cannot_be_read_is_an_error_for_its_call() {
    let cases: [(&[u8], &str); 10] = [
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":\"\xff\"}}",
            "7 its server answered with bytes that are not UTF-8",
        ),
        (
            b"{\"result\":{\"a\":\"\xc3\x28\"},\"jsonrpc\":\"2.0\",\"id\":\"n\"}",
            "\"n\" its server answered with bytes that are not UTF-8",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\xff",
            "7 its server answered with bytes that are not UTF-8",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"result\":{\"a\": \xff},\"id\":7}",
            "7 its server answered with bytes that are not UTF-8",
        ),
        (
            br#"{"jsonrpc":"2.0","id":7,"result":{"a":"b}}"#,
            "7 its server answered with broken JSON (EOF while parsing a string at line 1 column 42)",
        ),
        (
            br#"{"jsonrpc":"2.0","id":7"#,
            "7 its server answered with broken JSON (EOF while parsing an object at line 1 column 23)",
        ),
        (
            br#"{"jsonrpc":"1.0","id":7,"result":{}}"#,
            "7 its server answered with what is no message of MCP",
        ),
        (
            br#"{"id":7,"result":{}}"#,
            "7 its server answered with what is no message of MCP",
        ),
        (
            br#"{"jsonrpc":"2.0","id":7,"error":"no"}"#,
            "7 its server answered with what is no message of MCP",
        ),
        (
            br#"{"jsonrpc":"2.0","id":7}"#,
            "7 its server answered with what is no message of MCP",
        ),
    ];
    for (line, expected) in cases {
        assert_eq!(came(line), expected, "{}", String::from_utf8_lossy(line));
    }
}

#[test]
fn what_nobody_waits_for_is_dropped_and_what_anybody_may_wait_for_ends_the_connection() {
    let cases: [(&[u8], &str); 5] = [
        (b"starting \xff\n", "dropped"),
        (
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"a\":\"\xff\"}}",
            "dropped",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"",
            "dropped",
        ),
        (b"{\"jsonrpc\":\"2.0\",\"\xffid\":7,\"result\":{", "lost"),
        (br#"{"jsonrpc":"2.0",,"id":7,"result":{}"#, "lost"),
    ];
    for (line, expected) in cases {
        assert_eq!(came(line), expected, "{}", String::from_utf8_lossy(line));
    }
}
