use std::cell::Cell;

use expect_test::expect;
use jp_policy::{Parameter, ParameterType, RunMode, compile, rules_from_config};
use serde_json::json;

use super::*;
use crate::fixture::{History, recorded};

fn tallied(history: &History) -> String {
    let rules = rules_from_config::<RunMode>(&json!([
        { "arg": "/path", "prefix": "src", "mode": "unattended" },
        { "arg": "/path", "prefix": "never", "mode": "skip" },
        { "arg": "/path", "prefix": "docs", "mode": "ask" },
    ]))
    .unwrap();
    let parameters = Parameters::new([("path", Parameter::of(ParameterType::Path).required())]);
    let (policy, problems) = compile(&rules, &parameters);
    assert!(problems.is_empty());
    let looked_up = Cell::new(0);
    let canonical = |path: &str| {
        looked_up.set(looked_up.get() + 1);
        Some(if path == "src/link" {
            CanonicalPath::Outside
        } else {
            CanonicalPath::Inside(path.to_owned())
        })
    };
    let tally = tally(history.calls(), &policy, &parameters, &canonical);
    let line = |line: &TallyLine<RunMode>| {
        format!("{:?} {:?} {}", line.rule, line.modes, words(&line.counts))
    };
    let mut lines: Vec<String> = tally.lines.iter().map(line).collect();
    lines.push(format!("unfit {}", words(&tally.unfit)));
    lines.push(format!("changed {}", tally.changed));
    lines.push(format!("looked up {}", looked_up.get()));
    lines.join("\n")
}

fn words(counts: &Counts) -> String {
    let last = counts.last.map(|last| last.to_string());
    format!("{} {last:?} {:?}", counts.calls, counts.answers)
}

#[test]
fn each_call_is_decided_by_the_rules_of_today() {
    let history = recorded(&[
        (json!({"path": "src/a.rs"}), "ask", Answer::AllowedByPerson),
        (
            json!({"path": "src/a.rs"}),
            "unattended",
            Answer::AllowedByPolicy,
        ),
        (json!({"path": "src/link"}), "ask", Answer::RefusedByPerson),
        (json!({"path": "docs"}), "ask", Answer::Nobody),
        (json!({"path": "other"}), "ask", Answer::AllowedByPerson),
        (json!({"path": 7}), "ask", Answer::AllowedByPerson),
        (json!({}), "", Answer::Unrecorded),
    ]);
    expect![[r#"
        Some(0) [(Unattended, 2)] 2 Some("2026-11-20 00:00:01.0") {AllowedByPolicy: 1, AllowedByPerson: 1}
        Some(1) [] 0 None {}
        Some(2) [(Ask, 1)] 1 Some("2026-11-20 00:00:03.0") {Nobody: 1}
        None [(Ask, 2)] 2 Some("2026-11-20 00:00:04.0") {AllowedByPerson: 1, RefusedByPerson: 1}
        unfit 2 Some("2026-11-20 00:00:06.0") {AllowedByPerson: 1, Unrecorded: 1}
        changed 1
        looked up 4"#]].assert_eq(&tallied(&history));
}

#[test]
fn without_calls_every_rule_has_none() {
    expect![[r#"
        Some(0) [] 0 None {}
        Some(1) [] 0 None {}
        Some(2) [] 0 None {}
        None [] 0 None {}
        unfit 0 None {}
        changed 0
        looked up 0"#]]
    .assert_eq(&tallied(&recorded(&[])));
}
