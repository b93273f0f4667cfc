use expect_test::expect;
use jp_policy::{
    Parameter, ParameterType, RawRule, RunMode, UnresolvedArg, compile_with, decide_paths,
    rules_from_config,
};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::answer::Answer;
use crate::fixture::recorded;
use crate::tally::tally;

fn parameters() -> Parameters {
    Parameters::new([
        ("path", Parameter::of(ParameterType::Path).required()),
        ("lines", Parameter::of(ParameterType::Integer)),
    ])
}

fn canonical(path: &str) -> Option<CanonicalPath> {
    Some(match path {
        "src/link" => CanonicalPath::Outside,
        _ => CanonicalPath::Inside(path.to_owned()),
    })
}

fn compiled(rules: &[RawRule<RunMode>], parameters: &Parameters) -> Policy<RunMode> {
    compile_with(rules, parameters, UnresolvedArg::Skip).0
}

fn judged(
    replay: &mut Replay,
    policy: &Policy<RunMode>,
    parameters: &Parameters,
) -> Judgement<RunMode> {
    replay
        .judge("t", policy, parameters, &mut canonical, &|| true)
        .unwrap()
}

fn calls(arguments: &[Value]) -> History {
    let calls: Vec<_> = arguments
        .iter()
        .map(|arguments| (arguments.clone(), "", Answer::Open))
        .collect();
    recorded(&calls)
}

#[test]
fn an_edit_changes_the_calls_that_it_decides_otherwise() {
    let mut replay = Replay::new(calls(&[
        json!({"path": "src/a"}),
        json!({"path": "src/a"}),
        json!({"path": "src/link"}),
        json!({"path": "docs"}),
        json!({"path": 7}),
    ]));
    let rules = |prefix: &str| {
        rules_from_config(&json!([
            { "arg": "/path", "prefix": prefix, "mode": "unattended" },
            { "arg": "/path", "prefix": "never", "mode": "skip" },
        ]))
        .unwrap()
    };
    let parameters = parameters();
    let before = compiled(&rules("docs"), &parameters);
    let after = compiled(&rules("src"), &parameters);
    let one = judged(&mut replay, &before, &parameters);
    let other = judged(&mut replay, &after, &parameters);
    let figures = replay.figures("t", &other, after.len());
    let changes = replay.changes("t", &one, &other);
    expect![[r#"
        5 calls, 1 unfit
        2 Some("2026-11-20 00:00:01.0")
        0 None
        2 Some("2026-11-20 00:00:03.0")
        Some(Ask) -> Some(Unattended): 2
        Some(Unattended) -> Some(Ask): 1
    "#]]
    .assert_eq(&told(&figures, &changes));
}

fn told(figures: &Figures, changes: &[ChangedCalls<RunMode>]) -> String {
    let mut text = format!("{} calls, {} unfit\n", figures.calls, figures.unfit);
    for rule in &figures.rules {
        let last = rule.last.map(|last| last.to_string());
        text += &format!("{} {last:?}\n", rule.calls);
    }
    for change in changes {
        text += &format!(
            "{:?} -> {:?}: {}\n",
            change.before, change.after, change.calls
        );
    }
    text
}

#[test]
fn who_is_not_interested_any_more_gets_no_judgement() {
    let mut replay = Replay::new(calls(&[json!({"path": "a"})]));
    let parameters = parameters();
    let policy = compiled(&[RawRule::catch_all(RunMode::Ask)], &parameters);
    let judged = replay.judge("t", &policy, &parameters, &mut canonical, &|| false);
    assert_eq!(judged, None);
}

#[test]
fn a_tool_without_calls_has_no_figures() {
    let mut replay = Replay::new(calls(&[json!({"path": "a"})]));
    let parameters = parameters();
    let policy = compiled(&[RawRule::catch_all(RunMode::Ask)], &parameters);
    let judged = replay
        .judge("other", &policy, &parameters, &mut canonical, &|| true)
        .unwrap();
    assert_eq!(replay.figures("other", &judged, 1), Figures::default());
    assert_eq!(replay.changes("other", &judged, &judged), []);
}

#[test]
fn other_parameters_prepare_the_arguments_again() {
    let mut replay = Replay::new(calls(&[json!({"path": "./a"}), json!({"path": "b"})]));
    let rules = vec![RawRule::condition(
        "/path",
        jp_policy::MatcherKind::Const,
        "a",
        RunMode::Skip,
    )];
    let as_path = parameters();
    let as_text = Parameters::new([("path", Parameter::of(ParameterType::String))]);
    let counts = |replay: &mut Replay, parameters: &Parameters| {
        let judgement = judged(replay, &compiled(&rules, parameters), parameters);
        replay.figures("t", &judgement, 1).rules[0].calls
    };
    assert_eq!(counts(&mut replay, &as_path), 1);
    assert_eq!(counts(&mut replay, &as_text), 0);
    assert_eq!(counts(&mut replay, &as_path), 1);
    // Taken back and taken again, never counted twice.
    let kept: usize = replay.history.texts.bytes();
    assert!(replay.prepared <= kept, "{} of {kept}", replay.prepared);
}

fn arguments() -> impl Strategy<Value = Value> {
    let path = prop::sample::select(vec!["src", "src/a", "src/a/b", "srcs", "docs", "src/link"]);
    let odd = prop_oneof![
        Just(json!({})),
        Just(json!({"path": 3})),
        Just(json!({"path": "src", "more": 1}))
    ];
    prop_oneof![
        4 => (path, 0..4_i32).prop_map(|(path, lines)| json!({"path": path, "lines": lines})),
        1 => odd,
    ]
}

fn rules() -> impl Strategy<Value = Value> {
    let mode = || prop::sample::select(vec!["ask", "unattended", "skip", "edit"]);
    let prefix = prop::sample::select(vec!["src", "src/a", "s", "docs"]);
    let rule = prop_oneof![
        (prefix, mode())
            .prop_map(|(prefix, mode)| json!({"arg": "/path", "prefix": prefix, "mode": mode})),
        (0..4_i32, mode())
            .prop_map(|(least, mode)| json!({"arg": "/lines", "minimum": least, "mode": mode})),
        mode().prop_map(|mode| json!({"mode": mode})),
    ];
    prop::collection::vec(rule, 0..4).prop_map(Value::from)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// After each edit the figures are those of calls judged one by one.
    #[test]
    fn replayed_is_judged_one_by_one(
        calls_made in prop::collection::vec(arguments(), 0..40),
        edits in prop::collection::vec(rules(), 1..6),
    ) {
        let mut replay = Replay::new(calls(&calls_made));
        let parameters = parameters();
        let mut last: Option<(Policy<RunMode>, Judgement<RunMode>)> = None;
        for edit in &edits {
            let policy = compiled(&rules_from_config(edit).unwrap(), &parameters);
            let judgement = judged(&mut replay, &policy, &parameters);
            let figures = replay.figures("t", &judgement, policy.len());
            let naive = tally(replay.history().calls(), &policy, &parameters, &canonical);
            prop_assert_eq!(figures.calls, calls_made.len());
            prop_assert_eq!(figures.unfit, naive.unfit.calls);
            for (mine, line) in figures.rules.iter().zip(&naive.lines) {
                prop_assert_eq!((mine.calls, mine.last), (line.counts.calls, line.counts.last));
            }
            if let Some((before, judged_before)) = &last {
                let mode = |policy: &Policy<RunMode>, arguments: &Value| {
                    let arguments = prepared(arguments.clone(), &parameters)?;
                    Some(decide_paths(policy, &arguments, canonical).mode)
                };
                let otherwise = |arguments: &&Value| mode(before, arguments) != mode(&policy, arguments);
                let changed: usize = replay
                    .changes("t", judged_before, &judgement)
                    .iter()
                    .map(|change| change.calls)
                    .sum();
                prop_assert_eq!(changed, calls_made.iter().filter(otherwise).count());
            }
            last = Some((policy, judgement));
        }
    }
}
