//! Holds the analysis of rule lists to the truth, found by trying every call.
//!
//! The reference below reads RFD D25 word by word and shares no code with the crate.
//! Every list of rules over a small vocabulary meets every call over a slightly larger one, so that "never decides" can be seen.
//!
//! One file: the oracle, what it is asked and what it found belong together.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test may stop at the first surprise, and prints what it tried"
)]

#[path = "oracle/paths.rs"]
mod paths;
#[path = "oracle/reference.rs"]
mod reference;
#[path = "oracle/vocabulary.rs"]
mod vocabulary;

use std::collections::BTreeSet;

use jp_policy::{
    CoverageFinding, MatcherKind, Mode as _, Parameter, ParameterType, Parameters, RawRule,
    RunMode, compile, coverage, witness,
};
use serde_json::{Value, json};

use self::{
    reference::{in_table, rule_matches},
    vocabulary::{Scope, scopes},
};

/// The calls with at most one element in each array, then those with two.
struct Calls {
    single: Vec<Value>,
    double: Vec<Value>,
}

#[derive(Default)]
struct Figures {
    lists: u64,
    rules: u64,
    calls: u64,
    unreachable: u64,
    hazards: u64,
}

/// Compares everything that the crate says about `rules` with what the calls show.
fn check(
    rules: &[RawRule<RunMode>],
    parameters: &Parameters,
    calls: &Calls,
    is_path: bool,
    figures: &mut Figures,
) {
    let (policy, problems) = compile(rules, parameters);
    assert!(problems.is_empty(), "{rules:?}: {problems:?}");
    let count = rules.len();

    // For each call, the rules that match, as a set of bits; the lowest decides.
    let matching = |call: &Value| -> u32 {
        (0..count)
            .filter(|rule| rule_matches(&rules[*rule], call, is_path))
            .fold(0, |set, rule| set | (1 << rule))
    };
    let first = |set: u32| (set != 0).then(|| usize::try_from(set.trailing_zeros()).unwrap());
    let mode = |rule: Option<usize>| rule.map_or(RunMode::Ask, |rule| rules[rule].mode);
    let mut seen: Vec<u32> = Vec::with_capacity(calls.single.len());
    for call in calls.single.iter().chain(&calls.double) {
        let set = matching(call);
        let expected = (mode(first(set)), first(set));
        assert_eq!(policy.decide(call), expected, "{rules:?} {call}");
        seen.push(set);
        figures.calls += 1;
    }
    figures.lists += 1;
    figures.rules += u64::try_from(count).unwrap();
    // The slow path agrees; a few calls of each list are enough.
    for call in calls.single.iter().step_by(7) {
        let evaluation = policy.evaluate(call);
        assert_eq!((evaluation.mode, evaluation.rule), policy.decide(call));
    }

    let sets: BTreeSet<u32> = seen.iter().copied().collect();
    let reached: BTreeSet<usize> = sets.iter().filter_map(|set| first(*set)).collect();
    let single_sets: BTreeSet<u32> = seen[..calls.single.len()].iter().copied().collect();
    let findings = coverage(&policy);
    let context = || format!("{rules:?}: {findings:?}");

    let first_catch_all = rules.iter().position(|rule| rule.arg.is_none());
    assert_eq!(
        findings.last() == Some(&CoverageFinding::MissingCatchAll),
        first_catch_all.is_none(),
        "{}",
        context()
    );
    for rule in 0..count {
        let about: Vec<&CoverageFinding<RunMode>> = findings
            .iter()
            .filter(|finding| finding.rule() == Some(rule))
            .collect();
        let matched: Vec<u32> = single_sets
            .iter()
            .copied()
            .filter(|set| set & (1 << rule) != 0)
            .collect();
        let last_resort =
            rule + 1 == count && rules[rule].arg.is_none() && first_catch_all == Some(rule);
        let found = witness(&policy, rule);
        assert_eq!(
            found.is_some(),
            reached.contains(&rule),
            "{rule} {}",
            context()
        );
        if let Some(call) = found {
            assert_eq!(first(matching(&call)), Some(rule), "{call} {}", context());
        }
        let is_dead = |finding: &&&CoverageFinding<RunMode>| {
            matches!(
                finding,
                CoverageFinding::Shadowed { .. }
                    | CoverageFinding::Redundant { .. }
                    | CoverageFinding::NeverMatches { member: None, .. }
            )
        };
        let dead = about.iter().find(is_dead);
        assert_eq!(
            dead.is_some(),
            !reached.contains(&rule) && !last_resort,
            "{rule} {}",
            context()
        );
        for finding in &about {
            match finding {
                CoverageFinding::NeverMatches { member: None, .. } => {
                    assert!(matched.is_empty(), "{}", context());
                    figures.unreachable += 1;
                }
                CoverageFinding::NeverMatches {
                    member: Some(member),
                    ..
                } => {
                    let value = rules[rule].matchers[0].1[*member].clone();
                    let mut alone = rules[rule].clone();
                    alone.matchers = vec![(MatcherKind::Const, value)];
                    assert!(
                        !calls
                            .single
                            .iter()
                            .any(|call| rule_matches(&alone, call, is_path)),
                        "{}",
                        context()
                    );
                }
                CoverageFinding::Shadowed {
                    covered_by,
                    rfd_table,
                    would,
                    ..
                }
                | CoverageFinding::Redundant {
                    covered_by,
                    rfd_table,
                    would,
                    ..
                } => {
                    figures.unreachable += 1;
                    assert!(!matched.is_empty(), "{}", context());
                    assert_eq!(*would, rules[rule].mode);
                    let bits = covered_by.iter().fold(0_u32, |set, by| set | (1 << by));
                    assert!(bits < (1 << rule), "{}", context());
                    let covers = |by: u32| matched.iter().all(|set| set & by != 0);
                    assert!(covers(bits), "{}", context());
                    let smallest = (0..1_u32 << rule)
                        .filter(|by| covers(*by))
                        .map(u32::count_ones)
                        .min();
                    assert_eq!(Some(bits.count_ones()), smallest, "{}", context());
                    let listed =
                        (0..rule).any(|earlier| in_table(&rules[earlier], &rules[rule], is_path));
                    assert_eq!(*rfd_table, listed, "{rule} {}", context());
                    // Of a second catch-all: what the first one decides, if it decides anything.
                    let by_first: Vec<u32> = matched
                        .iter()
                        .copied()
                        .filter(|set| rules[rule].arg.is_none() && first(*set) == first_catch_all)
                        .collect();
                    let relevant = if by_first.is_empty() {
                        &matched
                    } else {
                        &by_first
                    };
                    let modes: BTreeSet<&str> = relevant
                        .iter()
                        .map(|set| mode(first(*set)).keyword())
                        .collect();
                    let said: BTreeSet<&str> = match finding {
                        CoverageFinding::Shadowed { decides, .. } => {
                            decides.iter().map(|mode| mode.keyword()).collect()
                        }
                        _ => [would.keyword()].into(),
                    };
                    assert_eq!(said, modes, "{rule} {}", context());
                    assert_eq!(
                        matches!(finding, CoverageFinding::Redundant { .. }),
                        modes == [would.keyword()].into(),
                        "{rule} {}",
                        context()
                    );
                }
                CoverageFinding::MixedArrayHazard { .. } | CoverageFinding::MissingCatchAll => {}
            }
        }
        check_hazard(rules, rule, parameters, calls, is_path, &about, figures);
    }
}

fn check_hazard(
    rules: &[RawRule<RunMode>],
    rule: usize,
    parameters: &Parameters,
    calls: &Calls,
    is_path: bool,
    about: &[&CoverageFinding<RunMode>],
    figures: &mut Figures,
) {
    let decide =
        |call: &Value| (0..rules.len()).find(|rule| rule_matches(&rules[*rule], call, is_path));
    let mode = |rule: Option<usize>| rule.map_or(RunMode::Ask, |rule| rules[rule].mode);
    // Two elements are a hazard when one alone leads to the rule and the other alone to something stricter.
    let alone = |call: &Value| -> Vec<Option<usize>> {
        let elements = call["v"].as_array().unwrap();
        elements
            .iter()
            .map(|element| decide(&json!({"v": [element]})))
            .collect()
    };
    let mut hazard: Option<bool> = None;
    // Of several paths each is decided on its own.
    if !is_path
        && rules[rule].mode == RunMode::Unattended
        && rules[rule].arg.as_deref() == Some("/v")
    {
        for call in &calls.double {
            if decide(call) != Some(rule) {
                continue;
            }
            for decided in alone(call) {
                if mode(decided) != RunMode::Unattended {
                    let explicit = decided.is_some_and(|rule| rules[rule].arg.is_some());
                    hazard = Some(hazard.unwrap_or(false) | explicit);
                }
            }
        }
    }
    let found = about.iter().find_map(|finding| match finding {
        CoverageFinding::MixedArrayHazard {
            stricter_rule,
            witness,
            ..
        } => Some((stricter_rule, witness)),
        _ => None,
    });
    assert_eq!(
        found.map(|(stricter, _)| stricter.is_some()),
        hazard,
        "{rule} {rules:?} {parameters:?} {about:?}"
    );
    if let Some((stricter, call)) = found {
        figures.hazards += 1;
        assert_eq!(decide(call), Some(rule), "{rules:?} {call}");
        assert!(
            alone(call).iter().any(|decided| {
                mode(*decided) != RunMode::Unattended
                    && stricter.is_none_or(|s| *decided == Some(s))
            }),
            "{rules:?} {call}"
        );
    }
}

/// A small deterministic sequence, to vary modes and to pick longer lists.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }
}

/// Calls `visit` with every list of up to `exhaustive` of the given rules, and with `sampled` longer lists.
fn lists(
    rules: &[RawRule<RunMode>],
    exhaustive: usize,
    sampled: usize,
    sequence: &mut Sequence,
    mut visit: impl FnMut(&[RawRule<RunMode>]),
) {
    const MODES: [RunMode; 4] = [
        RunMode::Unattended,
        RunMode::Ask,
        RunMode::Unattended,
        RunMode::Skip,
    ];
    let mut show = |picked: &[usize], sequence: &mut Sequence| {
        let list: Vec<RawRule<RunMode>> = picked
            .iter()
            .map(|index| RawRule {
                mode: MODES[sequence.next(MODES.len())],
                ..rules[*index].clone()
            })
            .collect();
        visit(&list);
    };
    for length in 0..=exhaustive {
        let total = rules.len().pow(u32::try_from(length).unwrap());
        for code in 0..total {
            let picked: Vec<usize> = (0..length)
                .scan(code, |code, _| {
                    let index = *code % rules.len();
                    *code /= rules.len();
                    Some(index)
                })
                .collect();
            show(&picked, sequence);
        }
    }
    for _ in 0..sampled {
        let length = exhaustive + 1 + sequence.next(2);
        let picked: Vec<usize> = (0..length).map(|_| sequence.next(rules.len())).collect();
        show(&picked, sequence);
    }
}

fn rules_for(pointer: &str, conditions: &[(MatcherKind, Value)]) -> Vec<RawRule<RunMode>> {
    conditions
        .iter()
        .map(|(kind, value)| RawRule::condition(pointer, *kind, value.clone(), RunMode::Ask))
        .collect()
}

fn report(name: &str, figures: &Figures) {
    let Figures {
        lists,
        rules,
        calls,
        unreachable,
        hazards,
    } = figures;
    eprintln!(
        "{name}: {lists} lists, {rules} rules, {calls} calls tried, {unreachable} unreachable rules, {hazards} hazards"
    );
}

fn one_argument(scope: &Scope, exhaustive: usize, sampled: usize) {
    let is_path = scope.parameter.types.contains(&ParameterType::Path);
    let mut rules = rules_for("/v", &scope.conditions);
    rules.push(RawRule::catch_all(RunMode::Ask));
    let one = || scope.values.iter().map(|value| json!({"v": value}));
    let absent = || std::iter::once(json!({}));
    // Elements of arrays come in pairs, so they come from fewer texts.
    let element = |value: &&Value| match value.as_str() {
        Some(path) if is_path => !["src", "./src", "../src", "a/../..", "/../z/.."].contains(&path),
        Some(text) => text.len() < 3 || text == "abz",
        None => true,
    };
    let elements: Vec<&Value> = scope.values.iter().filter(element).collect();
    let mut sequence = Sequence(1);
    let shapes = [
        (
            "required",
            scope.parameter.clone().required(),
            one().collect(),
            vec![],
        ),
        (
            "optional",
            scope.parameter.clone(),
            absent().chain(one()).collect(),
            vec![],
        ),
        (
            "array of",
            Parameter::array(scope.parameter.clone()).required(),
            std::iter::once(json!({"v": []}))
                .chain(elements.iter().map(|value| json!({"v": [value]})))
                .collect(),
            elements
                .iter()
                .flat_map(|left| {
                    elements
                        .iter()
                        .map(move |right| json!({"v": [left, right]}))
                })
                .collect::<Vec<Value>>(),
        ),
    ];
    for (shape, parameter, single, double) in shapes {
        let exhaustive = if shape == "required" {
            exhaustive.saturating_add(1)
        } else {
            exhaustive
        };
        let parameters = Parameters::new([("v", parameter)]);
        let calls = Calls { single, double };
        let mut figures = Figures::default();
        lists(&rules, exhaustive, sampled, &mut sequence, |list| {
            check(list, &parameters, &calls, is_path, &mut figures);
        });
        report(&format!("{shape} {}", scope.name), &figures);
        assert!(figures.unreachable > 0 && figures.calls > 0);
    }
}

#[test]
fn texts_agree() {
    for scope in scopes()
        .iter()
        .filter(|scope| scope.name.starts_with("string"))
    {
        one_argument(scope, 2, 300);
    }
}

#[test]
fn paths_agree() {
    for scope in scopes()
        .iter()
        .filter(|scope| scope.name.starts_with("path"))
    {
        one_argument(scope, 2, 300);
    }
}

#[test]
fn numbers_agree() {
    for scope in scopes()
        .iter()
        .filter(|scope| scope.name.starts_with("integer") || scope.name.starts_with("number"))
    {
        one_argument(scope, 2, 500);
    }
}

#[test]
fn booleans_agree() {
    for scope in scopes().iter().filter(|scope| scope.name == "boolean") {
        one_argument(scope, 3, 500);
    }
}

/// Rules on several arguments: one that must be there can leave nothing to the rules on others.
#[test]
fn several_arguments_agree() {
    let text = || Parameter::of(ParameterType::String);
    let flag = || Parameter::of(ParameterType::Boolean);
    let optional_object = Parameter::object([("need", flag().required()), ("may", text())]);
    let shapes = [
        (
            "required flag, optional text",
            Parameters::new([("flag", flag().required()), ("text", text())]),
            [
                rules_for(
                    "/flag",
                    &[
                        (MatcherKind::Const, json!(true)),
                        (MatcherKind::Const, json!(false)),
                    ],
                ),
                rules_for(
                    "/text",
                    &[
                        (MatcherKind::Prefix, json!("")),
                        (MatcherKind::Const, json!("a")),
                    ],
                ),
            ]
            .concat(),
            [json!(true), json!(false)]
                .iter()
                .flat_map(|flag| {
                    [
                        json!({"flag": flag}),
                        json!({"flag": flag, "text": "a"}),
                        json!({"flag": flag, "text": "z"}),
                    ]
                })
                .collect(),
        ),
        (
            "optional object with a required flag",
            Parameters::new([("object", optional_object.clone()), ("text", text())]),
            [
                rules_for(
                    "/object/need",
                    &[
                        (MatcherKind::Const, json!(true)),
                        (MatcherKind::Const, json!(false)),
                    ],
                ),
                rules_for("/object/may", &[(MatcherKind::Prefix, json!("a"))]),
                rules_for("/text", &[(MatcherKind::Const, json!("a"))]),
            ]
            .concat(),
            nested_calls(false),
        ),
        (
            "array of objects with a required flag",
            Parameters::new([
                ("object", Parameter::array(optional_object).required()),
                ("text", text()),
            ]),
            [
                rules_for(
                    "/object/need",
                    &[
                        (MatcherKind::Const, json!(true)),
                        (MatcherKind::Const, json!(false)),
                    ],
                ),
                rules_for("/object/may", &[(MatcherKind::Prefix, json!("a"))]),
                rules_for("/text", &[(MatcherKind::Const, json!("a"))]),
            ]
            .concat(),
            nested_calls(true),
        ),
    ];
    for (name, parameters, mut rules, calls) in shapes {
        rules.push(RawRule::catch_all(RunMode::Ask));
        let mut figures = Figures::default();
        let mut sequence = Sequence(2);
        lists(&rules, 3, 500, &mut sequence, |list| {
            reachability_agrees(list, &parameters, &calls, &mut figures);
        });
        report(name, &figures);
        assert!(figures.unreachable > 0 && figures.calls > 0);
    }
}

fn nested_calls(in_array: bool) -> Vec<Value> {
    let mut objects: Vec<Option<Value>> = vec![None];
    for need in [true, false] {
        objects.push(Some(json!({"need": need})));
        objects.push(Some(json!({"need": need, "may": "a"})));
        objects.push(Some(json!({"need": need, "may": "z"})));
    }
    let mut calls = Vec::new();
    for object in objects {
        for text in [None, Some("a"), Some("z")] {
            let mut call = serde_json::Map::new();
            match (&object, in_array) {
                (Some(object), false) => drop(call.insert("object".to_owned(), object.clone())),
                (Some(object), true) => drop(call.insert("object".to_owned(), json!([object]))),
                (None, true) => drop(call.insert("object".to_owned(), json!([]))),
                (None, false) => {}
            }
            if let Some(text) = text {
                call.insert("text".to_owned(), json!(text));
            }
            calls.push(Value::Object(call));
        }
    }
    calls
}

/// Only what can be reached is compared: which set of rules on which argument is named is a matter of choice.
fn reachability_agrees(
    rules: &[RawRule<RunMode>],
    parameters: &Parameters,
    calls: &[Value],
    figures: &mut Figures,
) {
    let (policy, problems) = compile(rules, parameters);
    assert!(problems.is_empty(), "{problems:?}");
    let decide =
        |call: &Value| (0..rules.len()).find(|rule| rule_matches(&rules[*rule], call, false));
    let mut reached = BTreeSet::new();
    for call in calls {
        assert_eq!(policy.decide(call).1, decide(call), "{rules:?} {call}");
        reached.extend(decide(call));
        figures.calls += 1;
    }
    figures.lists += 1;
    figures.rules += u64::try_from(rules.len()).unwrap();
    let findings = coverage(&policy);
    let first_catch_all = rules.iter().position(|rule| rule.arg.is_none());
    for rule in 0..rules.len() {
        let cover = findings.iter().find_map(|finding| match finding {
            CoverageFinding::Shadowed {
                rule: about,
                covered_by,
                ..
            }
            | CoverageFinding::Redundant {
                rule: about,
                covered_by,
                ..
            } if *about == rule => Some(covered_by),
            _ => None,
        });
        let last_resort = rule + 1 == rules.len() && first_catch_all == Some(rule);
        assert_eq!(
            cover.is_some(),
            !reached.contains(&rule) && !last_resort,
            "{rule} {rules:?} {findings:?}"
        );
        if let Some(cover) = cover {
            figures.unreachable += 1;
            for call in calls
                .iter()
                .filter(|call| rule_matches(&rules[rule], call, false))
            {
                assert!(
                    cover
                        .iter()
                        .any(|by| rule_matches(&rules[*by], call, false)),
                    "{rule} {rules:?} {findings:?} {call}"
                );
            }
        }
        let found = witness(&policy, rule);
        assert_eq!(found.is_some(), reached.contains(&rule), "{rule} {rules:?}");
        if let Some(call) = found {
            assert_eq!(decide(&call), Some(rule), "{rules:?} {call}");
        }
    }
}
