use expect_test::{Expect, expect};
use jp_conversation::ConfigDelta;
use serde_json::{Value, json};

use super::{Persisted, TextEdit, persist};

fn delta(config: &Value, unsets: &[&str]) -> ConfigDelta {
    ConfigDelta {
        delta: config.as_object().cloned().unwrap_or_default(),
        unsets: unsets.iter().map(|&path| path.to_owned()).collect(),
        ..ConfigDelta::default()
    }
}

fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.range.clone(), &edit.text);
    }
    text
}

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn check(text: &str, config: Value, unsets: &[&str], expected: Expect) {
    let shown = match persist(text, &delta(&config, unsets)) {
        Ok(Persisted { edits, left_out }) if left_out.is_empty() => apply(text, &edits),
        Ok(Persisted { edits, left_out }) => {
            format!("{}left out: {}", apply(text, &edits), left_out.join(", "))
        }
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&shown);
}

#[test]
fn comments_order_and_quotes_stay() {
    check(
        r#"# mine
[assistant.model]
id = 'anthropic/opus' # the good one
parameters.temperature = 0.5

[conversation.tools.'*']
run = "ask" # always
"#,
        json!({"assistant": {"model": {"id": {"name": "sonnet"}}}, "conversation": {"tools": {"*": {"run": "skip"}, "a.b": {"enable": {"state": true}}}}}),
        &["assistant.model.parameters.temperature"],
        expect![[r#"
            # mine
            [assistant.model]
            id = { provider = "anthropic", name = "sonnet" } # the good one

            [conversation.tools.'*']
            run = "skip" # always

            [conversation.tools."a.b".enable]
            state = true
        "#]],
    );
}

#[test]
fn a_whole_model_takes_the_place_of_an_alias() {
    check(
        "assistant.model.id = 'quick' # for now\n",
        json!({"assistant": {"model": {"id": {"provider": "anthropic", "name": "opus"}}}}),
        &[],
        expect![[r#"
            assistant.model.id = { provider = "anthropic", name = "opus" } # for now
        "#]],
    );
}

#[test]
fn list_elements_join_the_list_of_the_file() {
    check(
        r#"[conversation]
attachments = [
    "file://a", # first
    "file://b",
]
[[conversation.tools.t.access.fs]]
path = "src"
"#,
        json!({"conversation": {"attachments": ["file://c"], "tools": {"t": {"access": {"fs": [{"path": "docs", "read": true}]}}}}}),
        &["conversation.attachments[\"file://b\"]"],
        expect![[r#"
            [conversation]
            attachments = [
                "file://a", # first
                "file://c",
            ]
            [[conversation.tools.t.access.fs]]
            path = "src"

            [[conversation.tools.t.access.fs]]
            path = "docs"
            read = true
        "#]],
    );
}

#[test]
fn wrappers_replace() {
    check(
        "conversation.attachments = [\"file://a\"]\n",
        json!({"conversation": {"attachments": {"value": ["file://c"], "strategy": "replace"}}}),
        &[],
        expect![[r#"
            conversation.attachments = { value = ["file://c"], strategy = "replace" }
        "#]],
    );
}

#[test]
fn what_the_file_does_not_set_is_named() {
    check(
        "user.name = \"n\"\n",
        json!({}),
        &["user.name", "assistant.name"],
        expect!["left out: assistant.name"],
    );
}

#[test]
fn a_file_that_cannot_take_the_change_is_left_alone() {
    check(
        "a = [\n",
        json!({"user": {"name": "x"}}),
        &[],
        expect![[r#"
        the file is not valid TOML, correct it first: unclosed array, expected `]`"#]],
    );
    check(
        "assistant = 1\n",
        json!({"assistant": {"name": "x"}}),
        &[],
        expect!["`assistant` is not a table in this file, remove it or pick another file"],
    );
    check(
        "assistant.model.id = \"haiku\"\n",
        json!({"assistant": {"model": {"id": {"name": "x"}}}}),
        &[],
        expect![
            "`assistant.model.id` names the model by an alias in this file, write `<provider>/<model>` there first"
        ],
    );
}

#[test]
fn only_changed_lines_are_edited() {
    let text = "a = 1\nuser.name = \"x\"\nb = 2\n";
    let edits = persist(text, &delta(&json!({"user": {"name": "y"}}), &[]))
        .map(|persisted| persisted.edits);
    assert_eq!(
        edits,
        Ok(vec![TextEdit {
            range: 6..22,
            text: "user.name = \"y\"\n".to_owned(),
        }])
    );
}
