use pretty_assertions::assert_eq;
use tokio::io::AsyncReadExt as _;

use super::*;

/// What comes of lines, long ones shown by their length.
async fn relayed(written: Vec<u8>) -> Vec<String> {
    let mut read = String::new();
    let (mut lines, _) = bounded(std::io::Cursor::new(written));
    lines.read_to_string(&mut read).await.unwrap();
    let shown = read.split_inclusive('\n').map(|line| match line.len() {
        0..200 => line.to_owned(),
        length => format!("{length} bytes\n"),
    });
    shown.collect()
}

fn long() -> String {
    "x".repeat(LIMIT)
}

fn refused(id: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32000,\"message\":\"its server answered with more than 16 MiB, which is the limit\"}}}}\n"
    )
}

#[tokio::test]
async fn lines_pass() {
    assert_eq!(
        relayed(b"{}\n\n{\"a\":1}\nrest".to_vec()).await,
        ["{}\n", "\n", "{\"a\":1}\n", "rest"]
    );
    let whole = format!("{}\n", "x".repeat(LIMIT - 1));
    assert_eq!(
        relayed(whole.into_bytes()).await,
        [format!("{LIMIT} bytes\n")]
    );
}

#[tokio::test]
async fn a_line_that_is_too_long_is_an_error_for_its_call() {
    let long = long();
    let lines = [
        format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":"{long}"}}}}"#),
        r#"{"id":8}"#.to_owned(),
        format!(r#" {{ "jsonrpc": "2.0", "result": {{"id": 1, "a":"{long}"}}, "id" : "n" }}"#),
        r#"{"id":9}"#.to_owned(),
    ];
    assert_eq!(
        relayed(format!("{}\n", lines.join("\n")).into_bytes()).await,
        [
            refused("7"),
            "{\"id\":8}\n".to_owned(),
            refused("\"n\""),
            "{\"id\":9}\n".to_owned()
        ]
    );
}

#[tokio::test]
async fn a_line_that_is_too_long_and_answers_nobody_ends_the_connection() {
    let long = long();
    for line in [
        long.clone(),
        format!(r#"{{"method":"notifications/x","params":{{"id":1,"a":"{long}"}}}}"#),
        format!(r#"{{"result":{{"a":"{long}","id":1}}}}"#),
        format!(r#"{{"id":{{}},"a":"{long}"}}"#),
    ] {
        assert_eq!(
            relayed(format!("{line}\n{{}}\n").into_bytes()).await,
            Vec::<String>::new()
        );
    }
}
