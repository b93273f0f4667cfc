use expect_test::{Expect, expect};
use jp_conversation::ConfigDelta;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Persisted, TextEdit, persist};
use crate::aliases::AliasMap;

fn delta(config: &Value, unsets: &[&str]) -> ConfigDelta {
    ConfigDelta {
        delta: config.as_object().cloned().unwrap_or_default(),
        unsets: unsets.iter().map(|&path| path.to_owned()).collect(),
        ..ConfigDelta::default()
    }
}

fn aliases() -> AliasMap {
    AliasMap::of(&json!({"providers": {"llm": {"aliases": {
        "quick": "test/quick",
        "strong": {"provider": "test", "name": "strong"},
        "one": "test/twice",
        "two": "one",
    }}}}))
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
    let shown = match persist(text, &delta(&config, unsets), &aliases()) {
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
        expect![[r##"
            # mine
            [assistant.model]
            id = 'anthropic/sonnet' # the good one

            [conversation.tools.'*']
            run = "skip" # always

            [conversation.tools."a.b".enable]
            state = true
        "##]],
    );
}

#[test]
fn a_whole_model_takes_the_place_of_an_alias() {
    check(
        "assistant.model.id = 'quick' # for now\n",
        json!({"assistant": {"model": {"id": {"provider": "anthropic", "name": "opus"}}}}),
        &[],
        expect![[r#"
            assistant.model.id = 'anthropic/opus' # for now
        "#]],
    );
}

#[test]
fn a_model_stays_in_its_short_form() {
    let model =
        |name: &str| json!({"assistant": {"model": {"id": {"provider": "test", "name": name}}}});
    // An alias gives way to the alias of the new model, if there is just one.
    check(
        "[assistant]\nmodel.id = 'quick' # é\n",
        model("strong"),
        &[],
        expect![[r#"
            [assistant]
            model.id = 'strong' # é
        "#]],
    );
    check(
        "assistant.model.id = \"quick\"\n",
        model("twice"),
        &[],
        expect![[r#"
            assistant.model.id = "test/twice"
        "#]],
    );
    check(
        "assistant.model.id = \"test/quick\"\n",
        model("strong"),
        &[],
        expect![[r#"
            assistant.model.id = "test/strong"
        "#]],
    );
    check(
        "[assistant]\nmodel = { id = \"quick\", parameters.top_k = 1 } # m\n",
        model("strong"),
        &[],
        expect![[r#"
            [assistant]
            model = { id = "strong", parameters.top_k = 1 } # m
        "#]],
    );
    // A table stays a table, and what no short form can say becomes one.
    check(
        "[assistant.model.id]\nprovider = 'test' # p\nname = 'quick'\n",
        model("strong"),
        &[],
        expect![[r#"
            [assistant.model.id]
            provider = 'test' # p
            name = 'strong'
        "#]],
    );
    check(
        "assistant.model.id = { name = \"quick\", provider = \"test\" }\n",
        model("strong"),
        &[],
        expect![[r#"
            assistant.model.id = { name = "strong", provider = "test" }
        "#]],
    );
    check(
        "assistant.model.id.provider = \"test\"\nassistant.model.id.name = \"quick\"\n",
        model("strong"),
        &[],
        expect![[r#"
            assistant.model.id.provider = "test"
            assistant.model.id.name = "strong"
        "#]],
    );
    check(
        "assistant.model.id = \"quick\"\n",
        model(" odd "),
        &[],
        expect![[r#"
            assistant.model.id = { provider = "test", name = " odd " }
        "#]],
    );
    // Where nothing stands yet, a person would write the short form.
    check(
        "[assistant]\nname = 'Ada'\n",
        model("strong"),
        &[],
        expect![[r#"
            [assistant]
            name = 'Ada'

            [assistant.model]
            id = "test/strong"
        "#]],
    );
}

#[test]
fn a_switch_stays_in_its_short_form() {
    let enable = |enable: Value| json!({"conversation": {"tools": {"t": {"enable": enable}}}});
    let on = || enable(json!({"state": true, "allow_toggle": "any"}));
    check(
        "[conversation.tools.t]\nenable = false # off\n",
        on(),
        &[],
        expect![[r#"
            [conversation.tools.t]
            enable = true # off
        "#]],
    );
    check(
        "conversation.tools.t = { enable = 'explicit' }\n",
        on(),
        &[],
        expect![[r#"
            conversation.tools.t = { enable = 'on' }
        "#]],
    );
    check(
        "conversation.tools.t.enable = true\n",
        enable(json!({"state": false, "allow_toggle": "if_named"})),
        &[],
        expect![[r#"
            conversation.tools.t.enable = "explicit"
        "#]],
    );
    check(
        "conversation.tools.t.enable = \"explicit\"\n",
        enable(json!({"state": true})),
        &[],
        expect![[r#"
            conversation.tools.t.enable = { state = true, allow_toggle = "if_named" }
        "#]],
    );
    check(
        "[conversation.tools.t]\nenable.state = false\n",
        on(),
        &[],
        expect![[r#"
            [conversation.tools.t]
            enable.state = true
            enable.allow_toggle = "any"
        "#]],
    );
}

#[test]
fn what_is_new_is_written_like_what_stands_beside_it() {
    let parameters = || json!({"assistant": {"model": {"parameters": {"temperature": 0.5}}}});
    check(
        "assistant.model.id = \"quick\" # q\n\n[user]\nname = \"jo\"\n",
        parameters(),
        &[],
        expect![[r#"
            assistant.model.id = "quick" # q
            assistant.model.parameters.temperature = 0.5

            [user]
            name = "jo"
        "#]],
    );
    check(
        "assistant = { name = \"Ada\" } # a\n",
        parameters(),
        &[],
        expect![[r#"
            assistant = { name = "Ada", model.parameters.temperature = 0.5 } # a
        "#]],
    );
    check(
        "assistant = { model = { id = \"quick\" } } # a\n",
        parameters(),
        &[],
        expect![[r#"
            assistant = { model = { id = "quick", parameters.temperature = 0.5 } } # a
        "#]],
    );
    check(
        "[assistant]\nname = \"Ada\"\n\n[user]\nname = \"jo\"\n",
        parameters(),
        &[],
        expect![[r#"
            [assistant]
            name = "Ada"

            [assistant.model.parameters]
            temperature = 0.5

            [user]
            name = "jo"
        "#]],
    );
    check(
        "user.name = 'jo'\n",
        json!({"user": {"name": "O'Hara"}}),
        &[],
        expect![[r#"
            user.name = "O'Hara"
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
fn an_element_that_no_list_of_the_file_holds_is_named() {
    check(
        r#"[[conversation.tools.t.access.fs]]
path = "src"

[[conversation.tools.t.access.fs]]
path = "docs"
"#,
        json!({}),
        &[
            r#"conversation.tools.t.access.fs[{"path":"src"}]"#,
            r#"conversation.tools.t.access.fs[{"path":"lib"}]"#,
        ],
        expect![[r#"

            [[conversation.tools.t.access.fs]]
            path = "docs"
            left out: conversation.tools.t.access.fs[{"path":"lib"}]"#]],
    );
    check(
        "conversation.attachments = [\"file://a\", \"file://b\"]\n",
        json!({}),
        &[
            "conversation.attachments[\"file://b\"]",
            "conversation.attachments[\"file://c\"]",
        ],
        expect![[r#"
            conversation.attachments = ["file://a"]
            left out: conversation.attachments["file://c"]"#]],
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
    let edits = persist(
        text,
        &delta(&json!({"user": {"name": "y"}}), &[]),
        &aliases(),
    )
    .map(|persisted| persisted.edits);
    assert_eq!(
        edits,
        Ok(vec![TextEdit {
            range: 6..22,
            text: "user.name = \"y\"\n".to_owned(),
        }])
    );
}

#[test]
fn line_ends_and_the_mark_at_the_beginning_stay() {
    let text = "\u{feff}# head\r\n\r\n[assistant]\r\nname = \"Ada\" # mine\r\n\r\n[user]\r\nname = \"jo\"\r\n";
    let delta = delta(
        &json!({"assistant": {"name": "Eve"}, "editor": {"cmd": "hx"}}),
        &[],
    );
    let edits = persist(text, &delta, &aliases()).unwrap().edits;
    assert_eq!(
        apply(text, &edits),
        "\u{feff}# head\r\n\r\n[assistant]\r\nname = \"Eve\" # mine\r\n\r\n[user]\r\nname = \"jo\"\r\n\r\n[editor]\r\ncmd = \"hx\"\r\n"
    );
    assert_eq!(
        edits.len(),
        2,
        "what did not change is in no edit: {edits:?}"
    );
}

#[test]
fn nothing_goes_above_the_head_of_a_file() {
    let change = || json!({"assistant": {"name": "Eve"}});
    check(
        "#:schema ./s.json\n",
        change(),
        &[],
        expect![[r#"
            #:schema ./s.json
            [assistant]
            name = "Eve"
        "#]],
    );
    check(
        "# licence",
        change(),
        &[],
        expect![[r#"
            # licence
            [assistant]
            name = "Eve"
        "#]],
    );
    check(
        "#:schema ./s.json\n\n# Who asks.\n[user]\nname = \"jo\"\n",
        change(),
        &[],
        expect![[r#"
            #:schema ./s.json

            # Who asks.
            [user]
            name = "jo"

            [assistant]
            name = "Eve"
        "#]],
    );
}

/// A line of a file that no change touches.
fn other_line() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "# [a-z ]{0,12}", "  # [a-z\"'=]{0,12}",]
}

proptest! {
    /// Lines that a change does not speak of are the same bytes afterwards, in the same order.
    #[test]
    fn every_other_byte_is_untouched(
        is_marked: bool,
        is_windows: bool,
        ends_in_line_feed: bool,
        between in proptest::collection::vec(proptest::collection::vec(other_line(), 0..3), 4),
        sets_known: bool,
    ) {
        let tables = ["", "[user]\nname = 'jo'   # keep", "[assistant]\nname  =  \"Ada\"", "[style.code]\ntheme='x'"];
        let mut lines = Vec::new();
        for (comments, table) in between.iter().zip(tables) {
            lines.extend(table.lines().map(str::to_owned));
            lines.extend(comments.clone());
        }
        let line_end = if is_windows { "\r\n" } else { "\n" };
        let mut text = lines.join(line_end);
        if is_marked {
            text.insert(0, '\u{feff}');
        }
        if ends_in_line_feed {
            text.push_str(line_end);
        }
        let config = match sets_known {
            true => json!({"assistant": {"name": "Eve"}}),
            false => json!({"editor": {"cmd": "hx"}}),
        };
        let changed = apply(&text, &persist(&text, &delta(&config, &[]), &aliases()).unwrap().edits);
        let is_own = |line: &&str| {
            !line.contains("\"Eve\"") && !matches!(*line, "[editor]" | "cmd = \"hx\"")
        };
        let kept: Vec<&str> = changed.split(line_end).filter(is_own).collect();
        let expected = text.split(line_end).filter(|line| !(sets_known && line.contains("Ada")));
        // An empty line may be set before a new table.
        let filled = |lines: Vec<&str>| -> Vec<String> {
            let filled = lines.into_iter().filter(|line| !line.is_empty());
            filled.map(str::to_owned).collect()
        };
        prop_assert_eq!(filled(kept), filled(expected.collect()), "{:?}", changed);
        prop_assert!(!is_windows || !changed.replace("\r\n", "").contains('\n'));
        prop_assert_eq!(changed.starts_with('\u{feff}'), is_marked);
    }
}
