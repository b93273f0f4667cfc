use super::argument_at;

/// The argument that is found at the `$0` of a text.
fn at(marked: &str) -> Option<String> {
    let cursor = marked.find("$0").unwrap();
    let text = marked.replacen("$0", "", 1);
    argument_at(&text, cursor).map(ToOwned::to_owned)
}

#[test]
fn the_argument_at_the_place_or_the_only_one_is_meant() {
    let path = || Some("path".to_owned());
    assert_eq!(at("\"{{tool.arg$0uments.path}}\""), path());
    assert_eq!(at("\"{{tool.arguments.path$0 | default('x')}}\""), path());
    assert_eq!(at("\"{{ tool.arguments.path | def$0ault('x') }}\""), path());
    assert_eq!(at("\"{$0{ tool.arguments.path }}\""), path());
    assert_eq!(at("\"{{ tool.arguments.path }$0}\""), path());
    let two = "\"{{ tool.arguments.a ~ $0'/' ~ tool.arguments.path }}\"";
    assert_eq!(at(two), None);
    let second = "\"{{ tool.arguments.a }}{{ tool.arguments.$0path }}\"";
    assert_eq!(at(second), path());
}

#[test]
fn outside_of_templates_nothing_is_meant() {
    for marked in [
        "\"a$0 {{ tool.arguments.path }}\"",
        "\"{{ tool.arguments.path }}$0 b\"",
        "\"{{ tool.arguments.path }} b$0\"",
        "\"{{ tool.arguments.pa$0th\"",
        "\"{{ tool.na$0me }}\"",
        "$0",
    ] {
        assert_eq!(at(marked), None, "{marked}");
    }
}
