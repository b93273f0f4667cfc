use expect_test::{Expect, expect};

use super::*;

fn check(text: &str, expect: &Expect) {
    let offset = text.find("$0").expect("a marker");
    let text = text.replacen("$0", "", 1);
    let document = Document::parse(&text);
    let shown: Vec<String> = selection(&document, offset)
        .into_iter()
        .map(|span| format!("{:?}", text.get(span.range()).expect("a valid span")))
        .collect();
    expect.assert_eq(&shown.join("\n"));
}

#[test]
fn from_a_string_outwards() {
    check(
        "[a]\npolicy.run = [{ arg = \"/pä$0th\", mode = \"ask\" }]\npolicy.result = 1\n[b]\n",
        &expect![[r#"
            "/päth"
            "\"/päth\""
            "arg = \"/päth\""
            "{ arg = \"/päth\", mode = \"ask\" }"
            "[{ arg = \"/päth\", mode = \"ask\" }]"
            "run = [{ arg = \"/päth\", mode = \"ask\" }]"
            "policy.run = [{ arg = \"/päth\", mode = \"ask\" }]\npolicy.result = 1"
            "[a]\npolicy.run = [{ arg = \"/päth\", mode = \"ask\" }]\npolicy.result = 1"
            "[a]\npolicy.run = [{ arg = \"/päth\", mode = \"ask\" }]\npolicy.result = 1\n[b]\n""#]],
    );
}

#[test]
fn in_a_header() {
    check(
        "x = 1\n[a.b$0c]\ny = 2\n",
        &expect![[r#"
        "bc"
        "[a.bc]"
        "[a.bc]\ny = 2"
        "x = 1\n[a.bc]\ny = 2\n""#]],
    );
}
