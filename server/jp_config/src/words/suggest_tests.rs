use pretty_assertions::assert_eq;

use super::suggest;

#[test]
fn slips_other_cases_and_abbreviations_are_recognised() {
    let keys = ["run", "result", "parameters", "base_url", "insecure_allow"];
    for (written, expected) in [
        ("rnu", Some("run")),
        ("Run", Some("run")),
        ("results", Some("result")),
        ("paramters", Some("parameters")),
        ("param", Some("parameters")),
        ("base-url", Some("base_url")),
        ("insecure", Some("insecure_allow")),
        ("in", None),
        ("r", None),
        ("", None),
        ("xyz", None),
    ] {
        assert_eq!(suggest(written, keys), expected, "{written}");
    }
}

#[test]
fn an_abbreviation_of_several_names_is_none_of_them() {
    assert_eq!(suggest("minim", ["minimum_a", "minimum_b_long"]), None);
}

#[test]
fn hostile_names_are_not_compared() {
    assert_eq!(suggest(&"run".repeat(100_000), ["run"]), None);
}
