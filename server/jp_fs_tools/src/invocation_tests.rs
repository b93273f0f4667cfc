use pretty_assertions::assert_eq;

use super::*;

#[test]
fn reads_both_forms() {
    let context =
        r#"{"action":"run","root":"/w","access":null,"workspace_id":"w","conversation_id":"c"}"#;
    let tool = r#"{"name":"fs_read_file","arguments":{"path":"a"},"answers":{},"options":{}}"#;
    let parts = from_parts(context, tool).unwrap();
    let document =
        from_document(format!(r#"{{"tool":{tool},"context":{context}}}"#).as_bytes()).unwrap();
    assert_eq!(parts, document);
    assert_eq!(parts.tool.name, "fs_read_file");
}

#[test]
fn says_which_part_is_broken() {
    let message = |result: Result<Invocation, Error>| result.unwrap_err().to_string();
    assert_eq!(
        message(from_parts("{", "{}")),
        "Invalid context document: EOF while parsing an object at line 1 column 1"
    );
    assert_eq!(
        message(from_parts(r#"{"action":"run","root":"/w"}"#, "[]")),
        "Invalid tool document: invalid length 0, expected struct Tool with 4 elements at line 1 column 2"
    );
    assert_eq!(
        message(from_document(b"{}")),
        "Invalid invocation document: missing field `tool` at line 1 column 2"
    );
}
