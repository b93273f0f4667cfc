use pretty_assertions::assert_eq;
use tokio::io::AsyncReadExt as _;

use super::super::patience::MOST_MESSAGES;
use super::*;

/// What comes of lines, long ones shown by their length.
async fn relayed(written: Vec<u8>) -> Vec<String> {
    let mut read = String::new();
    let (mut lines, _) = bounded(std::io::Cursor::new(written), Arc::default());
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
        r#"{"jsonrpc":"2.0","id":8,"result":{}}"#.to_owned(),
        format!(r#" {{ "jsonrpc": "2.0", "result": {{"id": 1, "a":"{long}"}}, "id" : "n" }}"#),
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#.to_owned(),
    ];
    assert_eq!(
        relayed(format!("{}\n", lines.join("\n")).into_bytes()).await,
        [
            refused("7"),
            "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n".to_owned(),
            refused("\"n\""),
            "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n".to_owned()
        ]
    );
}

#[tokio::test]
async fn a_line_that_is_too_long_and_answers_nobody_ends_the_connection() {
    let long = long();
    for line in [
        long.clone(),
        format!(r#"{{"method":"notifications/x","params":{{"id":1,"a":"{long}"}}}}"#),
        format!(r#"{{"id":1,"method":"notifications/x","params":{{"a":"{long}"}}}}"#),
        format!(r#"{{"result":{{"a":"{long}","id":1}}}}"#),
        format!(r#"{{"id":{{}},"a":"{long}"}}"#),
    ] {
        assert_eq!(
            relayed(format!("{line}\n{{}}\n").into_bytes()).await,
            Vec::<String>::new()
        );
    }
}

#[tokio::test]
async fn a_server_is_not_listened_to_without_end() {
    let notification = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n";
    let patience = Arc::new(Patience::default());
    let written = notification.repeat(MOST_MESSAGES + 2).into_bytes();
    let (mut lines, relay) = bounded(std::io::Cursor::new(written), Arc::clone(&patience));
    let mut read = String::new();
    lines.read_to_string(&mut read).await.unwrap();
    relay.await.unwrap();
    assert_eq!(read.lines().count(), MOST_MESSAGES);
    assert_eq!(
        patience.lost(),
        Some("it sent more than 100000 messages after it was last asked something")
    );
}

#[test]
fn patience_begins_anew_with_each_question() {
    let patience = Patience::default();
    assert!(patience.bears(MOST_BYTES, MOST_MESSAGES));
    patience.renew();
    assert!(patience.bears(MOST_BYTES, MOST_MESSAGES));
    assert!(!patience.bears(1, 0));
    patience.renew();
    assert!(!patience.bears(1, 1));
    assert_eq!(
        patience.lost(),
        Some("it sent more than 512 MiB after it was last asked something")
    );
}
