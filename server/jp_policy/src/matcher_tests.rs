use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

#[test]
fn matchers_are_legal_for_the_types_of_the_tables() {
    use MatcherKind::*;
    let text = [Const, Enum, Pattern, Prefix];
    let number = [
        Const,
        Enum,
        Minimum,
        Maximum,
        ExclusiveMinimum,
        ExclusiveMaximum,
    ];
    let any = [Const, Enum];
    let table: [(ParameterType, &[MatcherKind]); 7] = [
        (ParameterType::String, &text),
        (ParameterType::Path, &text),
        (ParameterType::Number, &number),
        (ParameterType::Integer, &number),
        (ParameterType::Boolean, &any),
        (ParameterType::Array, &any),
        (ParameterType::Object, &any),
    ];
    for (parameter, expected) in table {
        let legal: Vec<MatcherKind> = MatcherKind::ALL
            .iter()
            .copied()
            .filter(|kind| kind.legal_for(parameter))
            .collect();
        assert_eq!(legal, expected, "{parameter}");
    }
}

#[test]
fn keywords_read_back() {
    for kind in MatcherKind::ALL {
        assert_eq!(MatcherKind::from_keyword(kind.keyword()), Some(*kind));
    }
    assert_eq!(MatcherKind::from_keyword("exclusiveMinimum"), None);
}

#[test]
fn values_are_equal_whatever_the_order_of_keys_and_the_spelling_of_numbers() {
    let equal = |left: &Value, right: &Value| {
        Atom::of_value(left, TextForm::Plain) == Atom::of_value(right, TextForm::Plain)
    };
    assert!(equal(
        &json!({"a": 1, "b": [2.0]}),
        &json!({"b": [2], "a": 1.0})
    ));
    assert!(equal(&json!(1), &json!(1.0)));
    assert!(!equal(&json!(1), &json!("1")));
    assert!(!equal(&json!({"a": "b"}), &json!({"a": ["b"]})));
    assert!(!equal(&json!([1, 2]), &json!([2, 1])));
    assert!(!equal(&json!({"a\":1,\"b": 2}), &json!({"a": 1, "b": 2})));
    assert!(!equal(
        &json!(9_007_199_254_740_993_i64),
        &json!(9_007_199_254_740_992_i64)
    ));
}

#[test]
fn a_path_literal_must_be_in_normal_form() {
    let live = |text: &str| Atom::of_literal(&json!(text), TextForm::Path).is_some();
    assert!(live("src/lib.rs"));
    assert!(live("."));
    assert!(live("/"));
    assert!(live("../x"));
    assert!(!live("./src"));
    assert!(!live("src/"));
    assert!(!live(""));
    assert!(Atom::of_literal(&json!("./src/"), TextForm::Plain).is_some());
}
