use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::Enable;

fn check(values: &[Value], expected: &Expect) {
    let mut out = String::new();
    for value in values {
        match Enable::from_value(value) {
            Ok(enable) => out += &format!("{value} -> {}\n", enable.to_value()),
            Err(error) => out += &format!("{value} -> error: {error}\n"),
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn every_form_becomes_a_table() {
    check(
        &[
            json!(true),
            json!("true"),
            json!("on"),
            json!(false),
            json!("false"),
            json!("off"),
            json!("always"),
            json!("explicit"),
            json!({}),
            json!({ "state": true }),
            json!({ "allow_toggle": "if_named_or_group", "state": null }),
        ],
        &expect![[r#"
            true -> {"state":true,"allow_toggle":"any"}
            "true" -> {"state":true,"allow_toggle":"any"}
            "on" -> {"state":true,"allow_toggle":"any"}
            false -> {"state":false,"allow_toggle":"any"}
            "false" -> {"state":false,"allow_toggle":"any"}
            "off" -> {"state":false,"allow_toggle":"any"}
            "always" -> {"state":true,"allow_toggle":"never"}
            "explicit" -> {"state":false,"allow_toggle":"if_named"}
            {} -> {}
            {"state":true} -> {"state":true}
            {"allow_toggle":"if_named_or_group","state":null} -> {"allow_toggle":"if_named_or_group"}
        "#]],
    );
}

#[test]
fn wrong_forms_say_what_to_write() {
    check(
        &[
            json!(1),
            json!("yes"),
            json!([]),
            json!({ "allow": "any" }),
            json!({ "state": "off" }),
            json!({ "allow_toggle": "always" }),
            json!({ "allow_toggle": 1.5 }),
        ],
        &expect![[r#"
            1 -> error: invalid type: integer `1`, expected a boolean, one of `on`, `off`, `explicit`, `always`, or a table with `state` or `allow_toggle`
            "yes" -> error: unknown variant `yes`, expected one of `on`, `off`, `explicit`, `always`
            [] -> error: invalid type: list, expected a boolean, one of `on`, `off`, `explicit`, `always`, or a table with `state` or `allow_toggle`
            {"allow":"any"} -> error: unknown key `allow`, expected `state` or `allow_toggle`
            {"state":"off"} -> error: invalid type: string `off`, expected a boolean for `state`
            {"allow_toggle":"always"} -> error: unknown variant `always` of `allow_toggle`, expected one of `any`, `never`, `if_named`, `if_named_or_group`
            {"allow_toggle":1.5} -> error: unknown variant `1.5` of `allow_toggle`, expected one of `any`, `never`, `if_named`, `if_named_or_group`
        "#]],
    );
}

#[test]
fn a_shorthand_resets_both_parts_and_a_table_only_its_own() {
    let parse = |value: Value| Enable::from_value(&value).unwrap();
    let locked = parse(json!({ "allow_toggle": "never" }));
    assert_eq!(
        locked.merged(parse(json!({ "state": true }))).to_value(),
        json!({ "state": true, "allow_toggle": "never" })
    );
    assert_eq!(
        locked.merged(parse(json!(true))).to_value(),
        json!({ "state": true, "allow_toggle": "any" })
    );
}
