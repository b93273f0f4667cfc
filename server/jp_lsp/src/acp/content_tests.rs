use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;

fn asked(blocks: Value) -> Result<String, ContentError> {
    let blocks: Vec<ContentBlock> = serde_json::from_value(blocks).unwrap();
    question(Utf8Path::new("/w"), &blocks)
}

#[test]
fn files_stand_below_the_words_and_links_among_them() {
    let asked = asked(json!([
        { "type": "text", "text": "Compare " },
        { "type": "resource", "resource": { "uri": "file:///w/src/a.rs", "text": "fn a() {}\n```\n" } },
        { "type": "text", "text": " with " },
        { "type": "resource_link", "uri": "file:///else/b%20c.rs", "name": "b" },
        { "type": "text", "text": " and " },
        { "type": "resource_link", "uri": "https://example.com/`x`", "name": "x" },
    ]));
    expect![[r#"
        Compare `src/a.rs` with `/else/b c.rs` and `https://example.com/ x `

        `src/a.rs`:

        ````
        fn a() {}
        ```
        ````"#]]
    .assert_eq(&asked.unwrap());
}

#[test]
fn what_is_no_text_is_refused() {
    let image = json!([{ "type": "text", "text": "See" }, { "type": "image", "data": "", "mimeType": "image/png" }]);
    assert_eq!(asked(image), Err(ContentError::Unsupported("an image")));
    let blob =
        json!([{ "type": "resource", "resource": { "uri": "file:///w/a", "blob": "AA==" } }]);
    assert_eq!(
        asked(blob),
        Err(ContentError::Unsupported("a file that is no text"))
    );
    assert_eq!(asked(json!([])), Err(ContentError::Empty));
    let blank = json!([{ "type": "text", "text": " \n" }]);
    assert_eq!(asked(blank), Err(ContentError::Empty));
}
