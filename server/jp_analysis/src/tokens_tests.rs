use expect_test::expect;
use proptest::prelude::*;

use super::*;

#[test]
fn words_are_what_they_mean() {
    let text = r#"# comment
[conversation.tools.'*']
run = "ask"
[conversation.tools.read] # comment
enable = "true"
parameters.path.type = "path"
policy.run = [{ arg = "/path", pattern = "^a", mode = "skip" }]
options.deep = { x = 1.5 }
[[conversation.tools.read.access.fs]]
read = true
[assistant]
tool_choice = "read"
nonsense = 1
"#;
    let document = Document::parse(text);
    let shown: Vec<String> = tokens(&document)
        .into_iter()
        .map(|token| {
            let marks = match (token.declares, token.deprecated) {
                (true, _) => " declares",
                (_, true) => " deprecated",
                _ => "",
            };
            let text = text.get(token.span.range()).expect("a valid span");
            format!("{text} {:?}{marks}", token.kind)
        })
        .collect();
    expect![[r##"
        # comment Comment
        conversation Table
        tools Table
        '*' Table
        run Key
        "ask" Variant
        conversation Table
        tools Table
        read Tool declares
        # comment Comment
        enable Key
        "true" Variant deprecated
        parameters Key
        path Parameter declares
        type Key
        "path" Variant
        policy Key
        run Key
        arg Key
        "/path" Text
        pattern Key
        "^a" Pattern
        mode Key
        "skip" Variant
        options Key
        deep Name declares
        x Name
        1.5 Number
        conversation Table
        tools Table
        read Tool declares
        access Table
        fs Table
        read Key
        true Boolean
        assistant Table
        tool_choice Key
        "read" Tool
        nonsense Key
        1 Number"##]]
    .assert_eq(&shown.join("\n"));
}

proptest! {
    #[test]
    fn tokens_are_in_order_and_apart(text in "[a-c\\[\\]{}=.,\"'#\\n *ä0-1]{0,60}") {
        let document = Document::parse(&text);
        let mut end = 0;
        for token in tokens(&document) {
            prop_assert!(token.span.start >= end);
            prop_assert!(document.text().get(token.span.range()).is_some());
            end = token.span.end;
        }
    }
}
