use camino::Utf8PathBuf;
use jp_conversation::ConversationId;

use crate::{
    DeltaPrompt, Prompt, PromptRequest, PromptRule, PromptSubject, PromptTool, SourceRange,
};

#[test]
fn a_config_change_is_a_diff_that_leaves_no_fence() {
    let request = PromptRequest {
        note: None,
        conversation: ConversationId::from_deciseconds(17_636_666_521),
        root: Utf8PathBuf::from("/w"),
        tool: PromptTool {
            name: "rename".to_owned(),
            call_id: "call_1".to_owned(),
            source: "local".to_owned(),
        },
        rule: Some(PromptRule {
            index: Some(0),
            place: Some(SourceRange {
                file: "/w/.jp/config.toml".into(),
                start: (3, 0),
                end: (3, 4),
            }),
            rules: Vec::new(),
        }),
        subject: PromptSubject::Delta(DeltaPrompt {
            changes: Vec::new(),
            before: "[assistant]\nname = \"a\"\n".to_owned(),
            after: "[assistant]\nname = \"```\\n<img src=x>\u{202e}\"\n".to_owned(),
            loosens: vec!["`rename` would no longer ask".to_owned()],
        }),
    };
    let mut prompt = Prompt::new("1".to_owned(), &request);
    prompt.digest = "9f2c".to_owned();
    let text = prompt.details();
    let start = "# Prompt\n\n```\nApply the config change proposed by rename?\n```\n";
    assert!(text.starts_with(start), "{text}");
    for line in [
        "````diff",
        "-name = \"a\"",
        "loosens: `rename` would no longer ask",
        "decided by /w/.jp/config.toml:4",
        "rename call_1, digest 9f2c",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}: {text}");
    }
    assert!(!text.contains('\u{202e}'), "{text}");
}
