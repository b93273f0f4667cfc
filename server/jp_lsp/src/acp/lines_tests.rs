use expect_test::expect;

use super::pass_at_most;

/// What is passed on of these bytes, of lines of at most 40.
async fn passed(input: &[u8]) -> String {
    let mut output = Vec::new();
    pass_at_most(40, input, &mut output).await.unwrap();
    String::from_utf8(output).unwrap()
}

#[tokio::test]
async fn every_line_that_says_something_is_passed_on_as_text() {
    let lines = [
        b"{\"a\": 1}\n\n  \r\n{\"b\": 2}\r\n".as_slice(),
        b"{\"c\": \"\xff\"}\n",
        b"{\"d\": \"0123456789012345678901234567890123456789\"}\n",
        b"0123456789012345678901234567890123456\xc3\xa9\n",
        b"{\"e\": \"\xc3\xa9\"}",
    ];
    expect![[r#"
        {"a": 1}
        {"b": 2}
        a line is not UTF-8 from its byte 7 on: {"c": "�"}
        a line is too long: {"d": "012345678901234567890123456789012
        0123456789012345678901234567890123456é
        {"e": "é"}
    "#]]
    .assert_eq(&passed(&lines.concat()).await);
}
