use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{matcher::Bound, pattern::Pattern};

fn text() -> impl Strategy<Value = String> {
    "(a|b|/|\\.|é|aé){0,5}"
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-3_i64..4).prop_map(|number| json!(number)),
        (-6_i64..8).prop_map(|half| json!(f64::from(i32::try_from(half).unwrap()) / 2.0)),
        Just(json!(i64::MAX)),
        Just(json!(9_007_199_254_740_993_i64)),
        Just(json!(9_007_199_254_740_992_i64)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => text().prop_map(Value::from),
        4 => number(),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(json!({"a": 1})),
        1 => Just(json!([1])),
        1 => Just(Value::Null),
    ]
}

fn exact(value: &Value) -> ExactNumber {
    match value {
        Value::Number(number) => ExactNumber::new(number).unwrap(),
        other => panic!("{other}"),
    }
}

fn matcher(form: TextForm) -> impl Strategy<Value = Matcher> {
    let bound = || {
        (number(), any::<bool>()).prop_map(|(number, exclusive)| Bound {
            at: exact(&number),
            exclusive,
        })
    };
    prop_oneof![
        3 => value().prop_map(move |value| Matcher::Const(Atom::of_literal(&value, form))),
        2 => prop::collection::vec(value(), 0..4).prop_map(move |values| {
            let mut members: Vec<Atom> =
                values.iter().filter_map(|value| Atom::of_literal(value, form)).collect();
            members.sort();
            Matcher::Enum { members, dead: false }
        }),
        3 => text().prop_map(move |text| Matcher::Prefix(form.key(&text).into_owned())),
        1 => prop::sample::select(vec!["a", "^b", "é$", "a/b", "^$", "\\."])
            .prop_map(|source| Matcher::Pattern(Pattern::compile(source).unwrap())),
        2 => bound().prop_map(Matcher::Lower),
        2 => bound().prop_map(Matcher::Upper),
    ]
}

fn agrees(form: TextForm, matchers: &[Matcher], values: &[Value]) -> Result<(), TestCaseError> {
    let mut index = ArgumentIndex::new(form);
    for (rule, matcher) in (0..).zip(matchers) {
        index.insert(rule, matcher, false);
    }
    index.finish();
    for value in values {
        let atom = Atom::of_value(value, form);
        let all: Vec<u32> = (0..)
            .zip(matchers)
            .filter(|(_, matcher)| matcher.matches(&atom, form))
            .map(|(rule, _)| rule)
            .collect();
        let first = all.first().copied().unwrap_or(NONE);
        prop_assert_eq!(index.first(value, NONE), first, "{}", value);
        prop_assert_eq!(index.first_atom(&atom, false), first, "{}", value);
        prop_assert_eq!(index.first(value, 2), first.min(2), "{}", value);
        let named = index.matching(&atom, false, NONE, 100);
        prop_assert_eq!(named.is_empty(), all.is_empty());
        for rule in &all {
            let is_bound = matches!(
                matchers[usize::try_from(*rule).unwrap()],
                Matcher::Lower(_) | Matcher::Upper(_)
            );
            prop_assert!(is_bound || named.contains(rule), "{} {}", value, rule);
        }
        prop_assert!(named.iter().all(|rule| all.contains(rule)), "{}", value);
    }
    Ok(())
}

proptest! {
    #[test]
    fn finds_the_lowest_rule_among_texts(
        matchers in prop::collection::vec(matcher(TextForm::Plain), 0..12),
        values in prop::collection::vec(value(), 1..8),
    ) {
        agrees(TextForm::Plain, &matchers, &values)?;
    }

    #[test]
    fn finds_the_lowest_rule_among_paths(
        matchers in prop::collection::vec(matcher(TextForm::Path), 0..12),
        values in prop::collection::vec(value(), 1..8),
    ) {
        agrees(TextForm::Path, &matchers, &values)?;
    }
}

#[test]
fn knows_which_texts_go_on() {
    let mut index = ArgumentIndex::new(TextForm::Plain);
    index.insert(0, &Matcher::Prefix("abc".to_owned()), false);
    index.insert(
        1,
        &Matcher::Const(Some(Atom::Text("abd".to_owned()))),
        false,
    );
    for (key, expected) in [
        ("", true),
        ("a", true),
        ("ab", true),
        ("abc", true),
        ("abd", true),
        ("abe", false),
        ("abcd", false),
        ("b", false),
    ] {
        assert_eq!(index.has_text_below(key), expected, "{key}");
    }
}
