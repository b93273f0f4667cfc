use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn shown(effective: &Value, chosen: Option<&str>) -> String {
    let options = options(effective, chosen, Mode::NoTools);
    let options = serde_json::to_value(options).unwrap();
    let options = options.as_array().unwrap().iter().map(|option| {
        let choices = option["options"].as_array().unwrap().iter();
        let choices: Vec<&str> = choices.map(|it| it["value"].as_str().unwrap()).collect();
        let (id, current) = (&option["id"], &option["currentValue"]);
        format!("{id} {current} {}\n", choices.join(" "))
    });
    options.collect()
}

#[test]
fn the_model_is_one_of_the_aliases_or_what_is_written() {
    let aliases = json!({ "fast": "test/fast", "deep": { "provider": "test", "name": "deep" } });
    let config = json!({ "providers": { "llm": { "aliases": aliases } }, "assistant": { "model": { "id": "fast" } } });
    expect![[r#"
        "mode" "no-tools" default no-tools
        "model" "fast" fast deep
    "#]]
    .assert_eq(&shown(&config, None));
    let table =
        json!({ "assistant": { "model": { "id": { "provider": "test", "name": "other" } } } });
    expect![[r#"
        "mode" "no-tools" default no-tools
        "model" "test/other" test/other
    "#]]
    .assert_eq(&shown(&table, None));
    expect![[r#"
        "mode" "no-tools" default no-tools
        "model" "deep" deep fast
    "#]]
    .assert_eq(&shown(
        &json!({ "providers": { "llm": { "aliases": { "deep": "a/b", "fast": "c/d" } } } }),
        Some("deep"),
    ));
}

#[test]
fn without_a_model_there_is_none_to_choose() {
    assert_eq!(
        shown(&Value::Null, None),
        "\"mode\" \"no-tools\" default no-tools\n"
    );
}

#[test]
fn a_mode_is_known_by_its_name() {
    for mode in Mode::ALL {
        assert_eq!(Mode::of(mode.id()), Some(mode));
    }
    assert_eq!(Mode::of("yolo"), None);
    assert_eq!(Mode::names(), "`default` or `no-tools`");
}
