use expect_test::expect;
use proptest::prelude::*;

use super::*;

#[test]
fn what_runs_unasked_and_grants_of_everything_are_marked() {
    let text = r#"conversation.tools.'*'.run = "unattended"
[conversation.tools.a]
run = "ask"
result = "unattended"
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", prefix = "lib", mode = "ask" },
    { mode = "unattended" },
]
access.fs = [{ path = ".", write = true }, { path = ".", read = true }, { path = "src", write = true }]
access.env = { value = [{ name = "*", read = true }, { name = "*" }, { name = "A*", read = true }] }
[[conversation.tools.a.access.fs]]
path = "./"
execute = true
[[conversation.tools.a.access.config]]
path = "conversation"
write = "insecure_allow"
apply = "unattended"
[assistant]
name = "unattended"
"#;
    let document = Document::parse(text);
    let marked = tokens(&document)
        .into_iter()
        .filter(|token| token.permissive);
    let shown: Vec<String> = marked
        .map(|token| {
            let before = text.get(..token.span.start as usize).unwrap();
            let line = before.matches('\n').count() + 1;
            format!("{line}: {}", text.get(token.span.range()).unwrap())
        })
        .collect();
    expect![[r#"
        1: "unattended"
        6: "unattended"
        8: "unattended"
        10: "."
        11: "*"
        13: "./"
        17: "insecure_allow"
        18: "unattended""#]]
    .assert_eq(&shown.join("\n"));
}

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

#[test]
fn templates_of_commands_are_seen() {
    let text = r#"[conversation.tools.find]
summary = "{{tool}}"
command = { program = "find", args = ["-name", "*{{tool.arguments.name}}*"] }
[conversation.tools.cat]
command = "cat {{tool.arguments.path | default('x')}}"
"#;
    let document = Document::parse(text);
    let shown: Vec<String> = tokens(&document)
        .into_iter()
        .filter(|token| {
            !matches!(
                token.kind,
                TokenKind::Key | TokenKind::Table | TokenKind::Tool
            )
        })
        .map(|token| format!("{} {:?}", text.get(token.span.range()).unwrap(), token.kind))
        .collect();
    expect![[r#"
        "{{tool}}" Text
        "find" Text
        "-name" Text
        "* Text
        {{tool.arguments. Template
        name Parameter
        }} Template
        *" Text
        "cat  Text
        {{tool.arguments. Template
        path Parameter
         | default('x')}} Template
        " Text"#]]
    .assert_eq(&shown.join("\n"));
}

proptest! {
    #[test]
    fn pieces_of_a_text_follow_one_another(text in "([{}%#ä a'|]|tool\\.arguments\\.){0,20}") {
        let pieces = template::pieces(&text);
        let joined: String = pieces.into_iter().map(|piece| text.get(piece.range).unwrap()).collect();
        prop_assert_eq!(joined, text);
    }

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
