use std::hash::BuildHasher as _;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn number(value: &Value) -> ExactNumber {
    let Value::Number(number) = value else {
        panic!("`{value}` is not a number");
    };
    ExactNumber::new(number).unwrap()
}

#[test]
fn compares_by_value_without_losing_digits() {
    let ascending = [
        json!(-1e300),
        json!(i64::MIN),
        json!(-1.5),
        json!(-1),
        json!(-0.5),
        json!(0),
        json!(0.1),
        json!(1),
        json!(1.5),
        json!(9_007_199_254_740_992_i64),
        json!(9_007_199_254_740_993_i64),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(18_446_744_073_709_551_616.0),
        json!(1e300),
    ];
    for (left, left_value) in ascending.iter().enumerate() {
        for (right, right_value) in ascending.iter().enumerate() {
            assert_eq!(
                number(left_value).cmp(&number(right_value)),
                left.cmp(&right),
                "{left_value} {right_value}"
            );
        }
    }
}

#[test]
fn whole_doubles_equal_integers() {
    assert_eq!(number(&json!(1)), number(&json!(1.0)));
    assert_eq!(number(&json!(0)), number(&json!(-0.0)));
    assert_eq!(
        number(&json!(9_007_199_254_740_992_i64)),
        number(&json!(9_007_199_254_740_992.0))
    );
    assert!(number(&json!(9_007_199_254_740_993_i64)) != number(&json!(9_007_199_254_740_992.0)));
}

#[test]
fn finds_a_value_between_only_where_json_has_one() {
    fn check(low: &Value, high: &Value, whole: bool, expected: Option<&Value>) {
        let bound = |value: &Value| (!value.is_null()).then(|| number(value));
        let found = ExactNumber::between(bound(low), bound(high), whole);
        assert_eq!(found.and_then(ExactNumber::to_value).as_ref(), expected);
    }
    let none = Value::Null;
    check(&none, &none, true, Some(&json!(0)));
    check(&none, &json!(4), true, Some(&json!(3)));
    check(&json!(4), &none, true, Some(&json!(5)));
    check(&json!(1), &json!(3), false, Some(&json!(2)));
    check(&json!(1), &json!(2), true, None);
    check(&json!(1), &json!(2), false, Some(&json!(1.5)));
    check(&json!(0.5), &json!(0.75), true, None);
    check(&json!(0.5), &json!(1.5), true, Some(&json!(1)));
    // Neither an integer nor a double lies between these two.
    check(&json!(1_i64 << 60), &json!((1_i64 << 60) + 1), false, None);
    let above_one = json!(1.0_f64.next_up());
    check(&json!(1), &above_one, false, None);
    check(
        &json!(u64::MAX),
        &none,
        true,
        Some(&json!(18_446_744_073_709_551_616.0)),
    );
    check(&json!(f64::MAX), &none, false, None);
    check(&none, &json!(f64::MIN), false, None);
    check(&json!(f64::MIN), &json!(f64::MAX), true, Some(&json!(0)));
}

#[test]
fn hashes_by_value() {
    let state = std::hash::RandomState::new();
    let hash = |value: Value| state.hash_one(number(&value));
    assert_eq!(hash(json!(1)), hash(json!(1.0)));
    let hashes: std::collections::HashSet<u64> = (0..100).map(|value| hash(json!(value))).collect();
    assert_eq!(hashes.len(), 100);
}
