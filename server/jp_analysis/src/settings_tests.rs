use expect_test::{Expect, expect, expect_file};
use pretty_assertions::assert_eq;

use super::*;
use crate::text::markup::MarkupKind;

#[track_caller]
fn check(text: &str, expected: &Expect) {
    let mut told = String::new();
    for Mistake { span, message } in Settings::read(text).mistakes {
        let line = text
            .get(..span.start as usize)
            .unwrap()
            .matches('\n')
            .count()
            + 1;
        told.push_str(&format!("{line}: {message}\n"));
    }
    expected.assert_eq(&told);
}

#[test]
fn severities_are_read() {
    let set =
        Settings::read("# why\n[severity]\nmerge-trap = \"off\"\nmissing-catch-all = \"error\"\n");
    let mut severities = Severities::default();
    severities.set("merge-trap", "off").unwrap();
    severities.set("missing-catch-all", "error").unwrap();
    let expected = Settings {
        severities,
        mistakes: Vec::new(),
    };
    assert_eq!(set, expected);
    assert_eq!(Settings::read(""), Settings::default());
}

#[test]
fn mistakes_are_said_with_their_line() {
    check(
        "[severity",
        &expect![[r#"
        1: unclosed table header: write `]` after the name
    "#]],
    );
    check(
        "[severities]\n",
        &expect![[r#"
        1: unknown key `severities`, the one table here is `[severity]`
    "#]],
    );
    check(
        "severity = \"off\"\n",
        &expect![[r#"
        1: `severity` is a table: write `[severity]`, and below it lines such as `missing-catch-all = "error"`
    "#]],
    );
    check(
        "severity.merge-trp = \"off\"\n[other]\n",
        &expect![[r#"
        1: unknown code `merge-trp`, did you mean `merge-trap`?
        2: unknown key `other`, the one table here is `[severity]`
    "#]],
    );
    check(
        "[severity]\n\nmerge-trap = \"warn\"\nallow-unused = false\nself-escalation = \n",
        &expect![[r#"
            3: unknown severity `warn`: write `error`, `warning`, `information`, `hint` or `off`
            4: the severity of `allow-unused` is a text: write `"error"`, `"warning"`, `"information"`, `"hint"` or `"off"`
            5: missing value: write a value after `=`
        "#]],
    );
}

#[test]
fn what_has_no_mistake_counts() {
    let set =
        Settings::read("[severity]\nmerge-trap = \"of\"\nallow-unused = \"off\"\nunclosed = \"");
    let mut severities = Severities::default();
    severities.set("allow-unused", "off").unwrap();
    assert_eq!(set.severities, severities);
    assert!(!set.mistakes.is_empty());
}

#[test]
fn the_json_schema_is_up_to_date() {
    let text = serde_json::to_string_pretty(json_schema()).unwrap() + "\n";
    expect_file!["../../../schemas/lsp-settings.schema.json"].assert_eq(&text);
}

#[track_caller]
fn check_hover(text: &str, expected: &Expect) {
    let offset = text.find('|').unwrap();
    let text = text.replacen('|', "", 1);
    let document = Document::parse(&text);
    let told = |kind| hover(json_schema(), &document, offset, kind);
    let Some(found) = told(MarkupKind::Markdown) else {
        return expected.assert_eq("nothing");
    };
    let plain = told(MarkupKind::PlainText).unwrap().text;
    let about = text.get(found.span.range()).unwrap();
    expected.assert_eq(&format!("{about}\n---\n{}\n---\n{plain}", found.text));
}

#[test]
fn hover_says_what_a_key_means() {
    check_hover(
        "[sever|ity]\n",
        &expect![[r#"
        severity
        ---
        How bad findings are, by their codes. An error stays one, and what is raised to an error fails `jp-lsp check` but stops no turn.
        ---
        How bad findings are, by their codes. An error stays one, and what is raised to an error fails `jp-lsp check` but stops no turn."#]],
    );
    check_hover(
        "[severity]\nmerge-|trap = \"off\"\n",
        &expect![[r#"
        merge-trap
        ---
        a merge whose result is rarely meant

        One of `error`, `warning`, `information`, `hint`, `off`

        Default: `warning`
        ---
        a merge whose result is rarely meant

        One of error, warning, information, hint, off

        Default: warning"#]],
    );
    check_hover(
        "severity.merge-|trap = \"off\"\n",
        &expect![[r#"
        merge-trap
        ---
        a merge whose result is rarely meant

        One of `error`, `warning`, `information`, `hint`, `off`

        Default: `warning`
        ---
        a merge whose result is rarely meant

        One of error, warning, information, hint, off

        Default: warning"#]],
    );
    check_hover("[severity]\nmerge-|trp = \"off\"\n", &expect!["nothing"]);
    check_hover("[severity]\nmerge-trap = \"o|ff\"\n", &expect!["nothing"]);
    check_hover("# com|ment\n", &expect!["nothing"]);
}
