use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

use super::parse;

fn check(text: &str, expected: &Expect) {
    let (offset, problem) = parse(text).unwrap_err();
    let line = text.get(..offset).unwrap().lines().count().max(1);
    expected.assert_eq(&format!("{line}: {problem}"));
}

#[test]
fn severities_are_read() {
    let set = parse("# why\n[severity]\nmerge-trap = \"off\"\nmissing-catch-all = \"error\"\n");
    let mut expected = jp_analysis::Severities::default();
    expected.set("merge-trap", "off").unwrap();
    expected.set("missing-catch-all", "error").unwrap();
    assert_eq!(set.unwrap(), expected);
    assert_eq!(parse("").unwrap(), jp_analysis::Severities::default());
}

#[test]
fn mistakes_are_said_with_their_line() {
    check(
        "[severity",
        &expect!["1: unclosed table header: write `]` after the name"],
    );
    check(
        "[severities]\n",
        &expect!["1: unknown key `severities`, the one table here is `[severity]`"],
    );
    check(
        "severity = \"off\"\n",
        &expect![[
            r#"1: `severity` is a table: write `[severity]`, and below it lines such as `missing-catch-all = "error"`"#
        ]],
    );
    check(
        "[severity]\n\nmerge-trp = \"off\"\n",
        &expect!["2: unknown code `merge-trp`, did you mean `merge-trap`?"],
    );
    check(
        "[severity]\nmerge-trap = \"warn\"\n",
        &expect![
            "1: unknown severity `warn`: write `error`, `warning`, `information`, `hint` or `off`"
        ],
    );
    check(
        "[severity]\nmerge-trap = false\n",
        &expect![[
            r#"1: the severity of `merge-trap` is a text: write `"error"`, `"warning"`, `"information"`, `"hint"` or `"off"`"#
        ]],
    );
}
