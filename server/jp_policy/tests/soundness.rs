//! No rule that decides a call is ever called unreachable, patterns and nested parameters included.

#![expect(
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use jp_policy::{
    CoverageFinding, MatcherKind, Parameter, ParameterType, Parameters, RawRule, RunMode, compile,
    coverage, coverage_of, witnesses,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn parameters() -> Parameters {
    let of = Parameter::of;
    Parameters::new([
        ("text", of(ParameterType::String).required()),
        ("path", of(ParameterType::Path)),
        ("line", of(ParameterType::Number)),
        (
            "items",
            Parameter::array(Parameter {
                types: vec![ParameterType::String, ParameterType::Object],
                properties: [
                    ("name".to_owned(), of(ParameterType::String).required()),
                    (
                        "paths".to_owned(),
                        Parameter::array(of(ParameterType::Path)),
                    ),
                ]
                .into_iter()
                .collect(),
                ..Parameter::default()
            }),
        ),
    ])
}

fn text() -> impl Strategy<Value = String> {
    "(a|b|/|\\.|é){0,3}"
}

fn number() -> impl Strategy<Value = f64> {
    (-3_i32..4).prop_map(|half| f64::from(half) / 2.0)
}

fn rule() -> impl Strategy<Value = RawRule<RunMode>> {
    let mode = || prop::sample::select(vec![RunMode::Ask, RunMode::Unattended, RunMode::Skip]);
    let pointer = || {
        prop::sample::select(vec![
            "/text",
            "/path",
            "/items",
            "/items/name",
            "/items/paths",
        ])
    };
    let pattern = prop::sample::select(vec!["", "^", "a", "^a", "b$", "^a/b$", "[^\\s\\S]", "é"]);
    prop_oneof![
        4 => (pointer(), text(), mode()).prop_map(|(pointer, text, mode)| {
            RawRule::condition(pointer, MatcherKind::Prefix, text, mode)
        }),
        4 => (pointer(), text(), mode()).prop_map(|(pointer, text, mode)| {
            RawRule::condition(pointer, MatcherKind::Const, text, mode)
        }),
        3 => (pointer(), prop::collection::vec(text(), 0..4), mode()).prop_map(
            |(pointer, texts, mode)| RawRule::condition(pointer, MatcherKind::Enum, texts, mode)
        ),
        4 => (pointer(), pattern, mode()).prop_map(|(pointer, pattern, mode)| {
            RawRule::condition(pointer, MatcherKind::Pattern, pattern, mode)
        }),
        2 => (
            prop::sample::select(vec![
                MatcherKind::Minimum,
                MatcherKind::ExclusiveMinimum,
                MatcherKind::Maximum,
                MatcherKind::ExclusiveMaximum,
                MatcherKind::Const,
            ]),
            number(),
            mode(),
        ).prop_map(|(kind, number, mode)| RawRule::condition("/line", kind, number, mode)),
        1 => mode().prop_map(RawRule::catch_all),
    ]
}

fn call() -> impl Strategy<Value = Value> {
    let item = prop_oneof![
        text().prop_map(Value::from),
        (
            text(),
            prop::option::of(prop::collection::vec(text(), 0..3))
        )
            .prop_map(|(name, paths)| match paths {
                Some(paths) => json!({"name": name, "paths": paths}),
                None => json!({"name": name}),
            }),
    ];
    (
        text(),
        prop::option::of(text()),
        prop::option::of(number()),
        prop::option::of(prop::collection::vec(item, 0..3)),
    )
        .prop_map(|(text, path, line, items)| {
            let mut call = json!({"text": text});
            if let Some(path) = path {
                call["path"] = json!(path);
            }
            if let Some(line) = line {
                call["line"] = json!(line);
            }
            if let Some(items) = items {
                call["items"] = json!(items);
            }
            call
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn what_decides_is_never_called_unreachable(
        rules in prop::collection::vec(rule(), 0..8),
        calls in prop::collection::vec(call(), 1..40),
    ) {
        let (policy, problems) = compile(&rules, &parameters());
        prop_assert_eq!(problems, []);
        let findings = coverage(&policy);
        let dead: Vec<usize> = findings
            .iter()
            .filter(|finding| !matches!(
                finding,
                CoverageFinding::MixedArrayHazard { .. }
                    | CoverageFinding::NeverMatches { member: Some(_), .. }
            ))
            .filter_map(CoverageFinding::rule)
            .collect();
        let witnesses = witnesses(&policy);
        for (rule, witness) in witnesses.iter().enumerate() {
            let about = findings.iter().filter(|finding| finding.rule() == Some(rule));
            let about: Vec<_> = about.cloned().collect();
            prop_assert_eq!(coverage_of(&policy, rule), (about, witness.clone()));
            if let Some(witness) = witness {
                prop_assert_eq!(policy.evaluate(witness).rule, Some(rule));
                prop_assert!(!dead.contains(&rule), "{:?} {}", findings, witness);
            }
            let is_pattern = rules[rule]
                .matchers
                .iter()
                .any(|(kind, _)| *kind == MatcherKind::Pattern);
            let has_patterns = rules
                .iter()
                .take(rule)
                .any(|rule| rule.matchers.iter().any(|(kind, _)| *kind == MatcherKind::Pattern));
            // Without patterns before it, a rule either has a witness or is reported, but for a catch-all in last place.
            let is_last_resort = rules[rule].arg.is_none() && rule + 1 == rules.len();
            if !is_pattern && !has_patterns && !is_last_resort {
                prop_assert_eq!(witness.is_none(), dead.contains(&rule), "{} {:?}", rule, findings);
            }
        }
        for call in &calls {
            let (mode, decided_by) = policy.decide(call);
            let evaluation = policy.evaluate(call);
            prop_assert_eq!((evaluation.mode, evaluation.rule), (mode, decided_by), "{}", call);
            if let Some(rule) = decided_by {
                prop_assert!(!dead.contains(&rule), "{} {:?} {}", rule, findings, call);
            }
        }
        for finding in &findings {
            if let CoverageFinding::MixedArrayHazard { rule, witness, .. } = finding {
                prop_assert_eq!(policy.evaluate(witness).rule, Some(*rule), "{}", witness);
            }
        }
    }
}
