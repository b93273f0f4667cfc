use expect_test::{Expect, expect};

use super::*;

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn check(text: &str, expected: Expect) {
    let shown: Vec<String> = pieces(text)
        .into_iter()
        .map(|piece| format!("{:?} {}", piece.kind, text.get(piece.range).unwrap()))
        .collect();
    expected.assert_eq(&shown.join("\n"));
}

#[test]
fn what_is_put_in_is_told_from_what_stands_around_it() {
    check(
        r#""find ./{{tool.arguments.path}} é{{ tool }}""#,
        expect![[r#"
            Text "find ./
            Template {{tool.arguments.
            Argument path
            Template }}
            Text  é
            Template {{ tool }}
            Text ""#]],
    );
    check(
        "'{% if tool.arguments.all and tool.arguments.x_1 | length > 1 %}-a{% endif %}{# tool.arguments.no #}'",
        expect![[r#"
            Text '
            Template {% if tool.arguments.
            Argument all
            Template  and tool.arguments.
            Argument x_1
            Template  | length > 1 %}
            Text -a
            Template {% endif %}
            Template {# tool.arguments.no #}
            Text '"#]],
    );
}

#[test]
fn what_is_not_closed_is_text() {
    check(
        "\"{{tool.arguments.path} {% x }}\"",
        expect![[r#"
        Text "
        Template {{tool.arguments.
        Argument path
        Template } {% x }}
        Text ""#]],
    );
    check(
        "\"{{tool.arguments.}}{{\"",
        expect![[r#"
        Text "
        Template {{tool.arguments.}}
        Text {{""#]],
    );
    check("\"}} {\"", expect![[r#"Text "}} {""#]]);
    check("", expect![[""]]);
}
