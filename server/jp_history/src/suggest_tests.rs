#[path = "suggest_tests/waiting.rs"]
mod waiting;
#[path = "suggest_tests/witnesses.rs"]
mod witnesses;

use expect_test::expect;
use jp_policy::{
    CoverageFinding, Mode as _, Parameter, ParameterType, Policy, compile_with, coverage,
    decide_paths, normalize_path, prepare, rules_from_config,
};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::answer::Answer;
use crate::fixture::{History, recorded};

const PROTECTED: [&str; 3] = [".jp/config.toml", "src/.git/config", ".envrc"];

fn parameters() -> Parameters {
    let mode = Parameter::of(ParameterType::String).one_of([json!("fast"), json!("slow")]);
    Parameters::new([
        ("path", Parameter::of(ParameterType::Path)),
        ("to", Parameter::of(ParameterType::Path)),
        ("mode", mode),
        ("lines", Parameter::of(ParameterType::Integer)),
        (
            "hosts",
            Parameter::array(Parameter::of(ParameterType::String)),
        ),
    ])
}

fn canonical(path: &str) -> Option<CanonicalPath> {
    Some(match path {
        "src/link" => CanonicalPath::Outside,
        _ => CanonicalPath::Inside(path.to_owned()),
    })
}

fn suggested(
    rules: &[RawRule<RunMode>],
    parameters: &Parameters,
    history: &History,
) -> Suggestions {
    suggested_for(None, rules, parameters, history)
}

fn suggested_for(
    waiting: Option<&Value>,
    rules: &[RawRule<RunMode>],
    parameters: &Parameters,
    history: &History,
) -> Suggestions {
    let protected = PROTECTED.map(str::to_owned);
    let subject = Subject {
        rules,
        parameters,
        unresolved: UnresolvedArg::Skip,
        canonical: &canonical,
        protected: &protected,
        waiting,
    };
    suggest(subject, history.calls())
}

fn rules(config: &Value) -> Vec<RawRule<RunMode>> {
    rules_from_config(config).unwrap()
}

fn shown(config: &Value, parameters: &Parameters, calls: &[(Value, &str, Answer)]) -> String {
    in_words(&suggested(&rules(config), parameters, &recorded(calls)))
}

fn in_words(found: &Suggestions) -> String {
    let mut lines = vec![format!(
        "calls {} prompts {} approvals {} unrecorded {} refusals {}",
        found.calls, found.prompts, found.approvals, found.unrecorded, found.refusals
    )];
    for offered in &found.offered {
        lines.push(format!(
            "{} at {}: {}; {} approvals, {} unrecorded, {} others",
            in_toml(&offered.rule),
            offered.position,
            offered.covers,
            offered.approvals,
            offered.unrecorded,
            offered.others
        ));
        let witnesses = offered.witnesses.iter();
        lines.extend(witnesses.map(|call| format!("    {call}")));
    }
    for withheld in &found.withheld {
        lines.push(format!(
            "withheld {}: {:?}",
            in_toml(&withheld.rule),
            withheld.reason
        ));
    }
    lines.join("\n")
}

fn one_path() -> Parameters {
    Parameters::new([("path", Parameter::of(ParameterType::Path).required())])
}

fn allowed(path: &str) -> (Value, &'static str, Answer) {
    (json!({ "path": path }), "ask", Answer::AllowedByPerson)
}

fn refused(path: &str) -> (Value, &'static str, Answer) {
    (json!({ "path": path }), "ask", Answer::RefusedByPerson)
}

#[test]
fn paths_become_folders_narrow_before_wide() {
    let calls = [
        allowed("docs/a/x.md"),
        allowed("docs/a/y.md"),
        allowed("./docs/b.md"),
        allowed("docs/b.md"),
    ];
    expect![[r#"
        calls 4 prompts 4 approvals 4 unrecorded 0 refusals 0
        { arg = "/path", enum = ["docs/b.md", "docs/a/x.md", "docs/a/y.md"], mode = "unattended" } at 0: every call whose `path` is one of `docs/b.md`, `docs/a/x.md`, `docs/a/y.md`; 4 approvals, 0 unrecorded, 0 others
        { arg = "/path", prefix = "docs", mode = "unattended" } at 0: every call whose `path` lies in `docs`; 4 approvals, 0 unrecorded, 0 others
            {"path":"docs/any/other/file"}
            {"path":"docs/x"}
        { arg = "/path", const = "docs/b.md", mode = "unattended" } at 0: every call whose `path` is `docs/b.md`; 2 approvals, 0 unrecorded, 0 others
        { arg = "/path", prefix = "docs/a", mode = "unattended" } at 0: every call whose `path` lies in `docs/a`; 2 approvals, 0 unrecorded, 0 others
            {"path":"docs/a/any/other/file"}
            {"path":"docs/a/x"}"#]].assert_eq(&shown(&json!([{ "mode": "ask" }]), &one_path(), &calls));
}

#[test]
fn what_a_person_refused_is_never_let_run() {
    let calls = [
        allowed("docs/a.md"),
        allowed("docs/b.md"),
        refused("docs/secret.md"),
        allowed("docs-old/a.md"),
    ];
    expect![[r#"
        calls 4 prompts 4 approvals 3 unrecorded 0 refusals 1
        { arg = "/path", enum = ["docs-old/a.md", "docs/a.md", "docs/b.md"], mode = "unattended" } at 0: every call whose `path` is one of `docs-old/a.md`, `docs/a.md`, `docs/b.md`; 3 approvals, 0 unrecorded, 0 others
        { arg = "/path", const = "docs-old/a.md", mode = "unattended" } at 0: every call whose `path` is `docs-old/a.md`; 1 approvals, 0 unrecorded, 0 others
        { arg = "/path", const = "docs/a.md", mode = "unattended" } at 0: every call whose `path` is `docs/a.md`; 1 approvals, 0 unrecorded, 0 others
        withheld { arg = "/path", prefix = "docs", mode = "unattended" }: Refused(Object {"path": String("docs/secret.md")})"#]].assert_eq(&shown(&json!([{ "mode": "ask" }]), &one_path(), &calls));
    // The same call was refused once and allowed once.
    let calls = [allowed("a"), refused("a")];
    expect!["calls 2 prompts 2 approvals 1 unrecorded 0 refusals 1"].assert_eq(&shown(
        &json!([{ "mode": "ask" }]),
        &one_path(),
        &calls,
    ));
}

#[test]
fn rules_go_before_the_one_that_asked() {
    let config = json!([
        { "arg": "/path", "prefix": "secrets", "mode": "skip" },
        { "arg": "/path", "prefix": "docs", "mode": "ask" },
        { "mode": "unattended" },
    ]);
    let calls = [allowed("docs/a"), allowed("docs/b"), allowed("src/a")];
    expect![[r#"
        calls 3 prompts 3 approvals 2 unrecorded 0 refusals 0
        { arg = "/path", enum = ["docs/a", "docs/b"], mode = "unattended" } at 1: every call whose `path` is one of `docs/a`, `docs/b`, unless an earlier rule decides; 2 approvals, 0 unrecorded, 0 others
        { arg = "/path", const = "docs/a", mode = "unattended" } at 1: every call whose `path` is `docs/a`, unless an earlier rule decides; 1 approvals, 0 unrecorded, 0 others
        { arg = "/path", const = "docs/b", mode = "unattended" } at 1: every call whose `path` is `docs/b`, unless an earlier rule decides; 1 approvals, 0 unrecorded, 0 others
        withheld { arg = "/path", prefix = "docs", mode = "unattended" }: Hides(1)"#]].assert_eq(&shown(&config, &one_path(), &calls));
}

#[test]
fn no_rule_loses_its_last_call() {
    let config = json!([
        { "arg": "/path", "prefix": "docs/api", "mode": "ask" },
        { "mode": "ask" },
    ]);
    let calls = [allowed("docs/api/a"), allowed("docs/api/b")];
    expect![[r#"
        calls 2 prompts 2 approvals 2 unrecorded 0 refusals 0
        { arg = "/path", enum = ["docs/api/a", "docs/api/b"], mode = "unattended" } at 0: every call whose `path` is one of `docs/api/a`, `docs/api/b`; 2 approvals, 0 unrecorded, 0 others
        { arg = "/path", const = "docs/api/a", mode = "unattended" } at 0: every call whose `path` is `docs/api/a`; 1 approvals, 0 unrecorded, 0 others
        { arg = "/path", const = "docs/api/b", mode = "unattended" } at 0: every call whose `path` is `docs/api/b`; 1 approvals, 0 unrecorded, 0 others
        withheld { arg = "/path", prefix = "docs/api", mode = "unattended" }: Hides(0)"#]].assert_eq(&shown(&config, &one_path(), &calls));
}

#[test]
fn what_another_rule_skips_or_asks_to_edit_stays_so() {
    let parameters = Parameters::new([
        ("path", Parameter::of(ParameterType::Path)),
        ("force", Parameter::of(ParameterType::Boolean)),
    ]);
    let config = json!([
        { "arg": "/path", "const": "docs/a", "mode": "ask" },
        { "arg": "/force", "const": true, "mode": "skip" },
        { "mode": "ask" },
    ]);
    let calls = [allowed("docs/b"), allowed("docs/c"), allowed("docs/a")];
    expect![[r#"
        calls 3 prompts 3 approvals 3 unrecorded 0 refusals 0
        { arg = "/path", enum = ["docs/b", "docs/c"], mode = "unattended" } at 2: every call whose `path` is one of `docs/b`, `docs/c`, whatever `force` is, unless an earlier rule decides; 2 approvals, 0 unrecorded, 0 others
        { arg = "/path", prefix = "docs", mode = "unattended" } at 2: every call whose `path` lies in `docs`, whatever `force` is, unless an earlier rule decides; 2 approvals, 0 unrecorded, 0 others
            {"path":"docs/any/other/file"}
            {"path":"docs/x"}
        { arg = "/path", const = "docs/b", mode = "unattended" } at 2: every call whose `path` is `docs/b`, whatever `force` is, unless an earlier rule decides; 1 approvals, 0 unrecorded, 0 others
        { arg = "/path", const = "docs/c", mode = "unattended" } at 2: every call whose `path` is `docs/c`, whatever `force` is, unless an earlier rule decides; 1 approvals, 0 unrecorded, 0 others
        withheld { arg = "/path", const = "docs/a", mode = "unattended" }: Hides(0)"#]].assert_eq(&shown(&config, &parameters, &calls));
    // Only calls in `docs` are asked about; a rule on the other argument would let run what is skipped.
    let config = json!([
        { "arg": "/path", "prefix": "docs", "mode": "ask" },
        { "mode": "skip" },
    ]);
    let call = json!({ "path": "docs/a", "force": false });
    let calls = [(call, "ask", Answer::AllowedByPerson)];
    expect![[r#"
        calls 1 prompts 1 approvals 1 unrecorded 0 refusals 0
        { arg = "/path", const = "docs/a", mode = "unattended" } at 0: every call whose `path` is `docs/a`, whatever `force` is; 1 approvals, 0 unrecorded, 0 others
            {"path":"docs/a","force":true}
            {"path":"docs/a"}
        withheld { arg = "/force", const = false, mode = "unattended" }: Changes(Object {"force": Bool(false)})"#]].assert_eq(&shown(&config, &parameters, &calls));
}

#[test]
fn protected_files_are_not_reached() {
    let calls = [
        allowed("src/a.rs"),
        allowed("src/b.rs"),
        allowed(".jp/config.toml"),
    ];
    expect![[r#"
        calls 3 prompts 3 approvals 3 unrecorded 0 refusals 0
        { arg = "/path", const = "src/a.rs", mode = "unattended" } at 0: every call whose `path` is `src/a.rs`; 1 approvals, 0 unrecorded, 0 others
        withheld { arg = "/path", enum = [".jp/config.toml", "src/a.rs", "src/b.rs"], mode = "unattended" }: Protected { path: ".jp/config.toml", call: Object {"path": String(".jp/config.toml")} }
        withheld { arg = "/path", prefix = "src", mode = "unattended" }: Protected { path: "src/.git/config", call: Object {"path": String("src/.git/config")} }
        withheld { arg = "/path", const = ".jp/config.toml", mode = "unattended" }: Protected { path: ".jp/config.toml", call: Object {"path": String(".jp/config.toml")} }"#]].assert_eq(&shown(&json!([{ "mode": "ask" }]), &one_path(), &calls));
}

#[test]
fn another_rule_opens_no_way_beside_a_suggested_one() {
    // Each path is decided by a rule of its own: `to` by the suggested one, `path` by the one about `mode`.
    let config = json!([
        { "arg": "/to", "prefix": "docs", "mode": "ask" },
        { "arg": "/mode", "const": "fast", "mode": "unattended" },
    ]);
    let calls = [(json!({ "to": "docs/a.md" }), "ask", Answer::AllowedByPerson)];
    expect![[r#"
        calls 1 prompts 1 approvals 1 unrecorded 0 refusals 0
        withheld { arg = "/to", const = "docs/a.md", mode = "unattended" }: Protected { path: ".jp/config.toml", call: Object {"to": String("docs/a.md"), "mode": String("fast"), "path": String(".jp/config.toml")} }"#]].assert_eq(&shown(&config, &parameters(), &calls));
}

#[test]
fn other_arguments_open_no_way_for_paths() {
    let call = |path: &str| {
        (
            json!({ "path": path, "mode": "fast" }),
            "ask",
            Answer::AllowedByPerson,
        )
    };
    let calls = [call("docs/a"), call("docs/b")];
    expect![[r#"
        calls 2 prompts 2 approvals 2 unrecorded 0 refusals 0
        { arg = "/path", enum = ["docs/a", "docs/b"], mode = "unattended" } at 0: every call whose `path` is one of `docs/a`, `docs/b` and whose other paths are let run too, whatever `mode`, `lines` and `hosts` are; 2 approvals, 0 unrecorded, 0 others
            {"path":"docs/a"}
        { arg = "/path", prefix = "docs", mode = "unattended" } at 0: every call whose `path` lies in `docs` and whose other paths are let run too, whatever `mode`, `lines` and `hosts` are; 2 approvals, 0 unrecorded, 0 others
            {"path":"docs/any/other/file","mode":"fast"}
            {"path":"docs/x"}
        { arg = "/path", const = "docs/a", mode = "unattended" } at 0: every call whose `path` is `docs/a` and whose other paths are let run too, whatever `mode`, `lines` and `hosts` are; 1 approvals, 0 unrecorded, 0 others
            {"path":"docs/a"}
        { arg = "/path", const = "docs/b", mode = "unattended" } at 0: every call whose `path` is `docs/b` and whose other paths are let run too, whatever `mode`, `lines` and `hosts` are; 1 approvals, 0 unrecorded, 0 others
            {"path":"docs/b"}
        withheld { arg = "/mode", const = "fast", mode = "unattended" }: Protected { path: ".jp/config.toml", call: Object {"path": String(".jp/config.toml"), "mode": String("fast")} }"#]].assert_eq(&shown(&json!([{ "mode": "ask" }]), &parameters(), &calls));
}

#[test]
fn arrays_are_no_way_around() {
    let parameters = Parameters::new([(
        "hosts",
        Parameter::array(Parameter::of(ParameterType::String)),
    )]);
    let call = |hosts: Value| (json!({ "hosts": hosts }), "ask", Answer::AllowedByPerson);
    let calls = [
        call(json!(["docs.rs"])),
        call(json!(["docs.rs", "crates.io"])),
    ];
    expect![[r#"
        calls 2 prompts 2 approvals 2 unrecorded 0 refusals 0
        withheld { arg = "/hosts", const = "docs.rs", mode = "unattended" }: Hazard(Object {"hosts": Array [String("docs.rs"), String("x")]})
        withheld { arg = "/hosts", const = "crates.io", mode = "unattended" }: Hazard(Object {"hosts": Array [String("crates.io"), String("x")]})
        withheld { arg = "/hosts", enum = ["docs.rs", "crates.io"], mode = "unattended" }: Hazard(Object {"hosts": Array [String("crates.io"), String("x")]})"#]].assert_eq(&shown(&json!([{ "mode": "ask" }]), &parameters, &calls));
}

#[test]
fn calls_that_jp_recorded_are_told_from_approvals() {
    let ran = |path: &str| (json!({ "path": path }), "", Answer::Unrecorded);
    let calls = [
        ran("docs/a"),
        ran("docs/b"),
        (json!({ "path": "docs/c" }), "ask", Answer::Nobody),
    ];
    expect![[r#"
        calls 3 prompts 1 approvals 0 unrecorded 2 refusals 0
        { arg = "/path", enum = ["docs/a", "docs/b"], mode = "unattended" } at 0: every call whose `path` is one of `docs/a`, `docs/b`; 0 approvals, 2 unrecorded, 0 others
        { arg = "/path", prefix = "docs", mode = "unattended" } at 0: every call whose `path` lies in `docs`; 0 approvals, 2 unrecorded, 1 others
            {"path":"docs/any/other/file"}
            {"path":"docs/x"}
        { arg = "/path", const = "docs/a", mode = "unattended" } at 0: every call whose `path` is `docs/a`; 0 approvals, 1 unrecorded, 0 others
        { arg = "/path", const = "docs/b", mode = "unattended" } at 0: every call whose `path` is `docs/b`; 0 approvals, 1 unrecorded, 0 others"#]].assert_eq(&shown(&json!([{ "mode": "ask" }]), &one_path(), &calls));
}

#[test]
fn nothing_is_suggested_where_nothing_was_asked() {
    let unasked = [(
        json!({ "path": "a" }),
        "unattended",
        Answer::AllowedByPolicy,
    )];
    let config = json!([{ "mode": "unattended" }]);
    expect!["calls 1 prompts 0 approvals 0 unrecorded 0 refusals 0"].assert_eq(&shown(
        &config,
        &one_path(),
        &unasked,
    ));
    // A mode that wants the arguments edited is no question that a rule could answer, nor is a path out of the workspace.
    let config = json!([{ "mode": "edit" }]);
    expect!["calls 1 prompts 1 approvals 0 unrecorded 0 refusals 0"].assert_eq(&shown(
        &config,
        &one_path(),
        &[allowed("a")],
    ));
    let config = json!([{ "mode": "ask" }]);
    expect!["calls 1 prompts 1 approvals 0 unrecorded 0 refusals 0"].assert_eq(&shown(
        &config,
        &one_path(),
        &[allowed("src/link")],
    ));
}

fn path() -> impl Strategy<Value = Value> {
    let paths = [
        "src/a.rs",
        "src/b.rs",
        "src/c/d.rs",
        "src-old/a.rs",
        "docs/a.md",
        "./docs/a.md",
        "docs",
        "src/link",
        ".jp/config.toml",
        "src/.git/config",
        "",
        "a b",
        "../out",
        "/etc/passwd",
    ];
    proptest::sample::select(paths.map(Value::from).to_vec())
}

fn call() -> impl Strategy<Value = Value> {
    let host = proptest::sample::select(vec![json!("docs.rs"), json!("crates.io"), json!("x")]);
    let entries = (
        proptest::option::of(path()),
        proptest::option::of(path()),
        proptest::option::of(proptest::sample::select(vec![
            json!("fast"),
            json!("slow"),
            json!("other"),
        ])),
        proptest::option::of((-2_i64..6).prop_map(Value::from)),
        proptest::option::of(proptest::collection::vec(host, 0..3).prop_map(Value::from)),
    );
    entries.prop_map(|(path, to, mode, lines, hosts)| {
        let entries = [
            ("path", path),
            ("to", to),
            ("mode", mode),
            ("lines", lines),
            ("hosts", hosts),
        ];
        let given = entries
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(given.collect())
    })
}

fn rule() -> impl Strategy<Value = Value> {
    let mode = proptest::sample::select(vec!["ask", "ask", "unattended", "edit", "skip"]);
    let conditions = [
        json!({ "arg": "/path", "prefix": "src" }),
        json!({ "arg": "/path", "prefix": "src/c" }),
        json!({ "arg": "/path", "const": "docs/a.md" }),
        json!({ "arg": "/to", "prefix": "docs" }),
        json!({ "arg": "/mode", "const": "fast" }),
        json!({ "arg": "/lines", "minimum": 3 }),
        json!({ "arg": "/hosts", "enum": ["docs.rs"] }),
        json!({}),
    ];
    (proptest::sample::select(conditions.to_vec()), mode).prop_map(|(mut rule, mode)| {
        rule["mode"] = mode.into();
        rule
    })
}

fn answer() -> impl Strategy<Value = Answer> {
    proptest::sample::select(vec![
        Answer::AllowedByPerson,
        Answer::AllowedByPerson,
        Answer::AllowedByPerson,
        Answer::RefusedByPerson,
        Answer::Unrecorded,
        Answer::Nobody,
        Answer::AllowedByPolicy,
        Answer::Open,
    ])
}

/// Whether one of the values that the rule looks at satisfies it, found without the engine.
fn is_within(rule: &RawRule<RunMode>, call: &Value) -> bool {
    let name = rule.arg.as_deref().unwrap().trim_start_matches('/');
    let is_path = matches!(name, "path" | "to");
    let given = match &call[name] {
        Value::Array(elements) => elements.clone(),
        Value::Null => Vec::new(),
        value => vec![value.clone()],
    };
    let (kind, expected) = &rule.matchers[0];
    given.iter().any(|value| {
        let value = match value {
            Value::String(text) if is_path => Value::from(normalize_path(text)),
            other => other.clone(),
        };
        match kind.keyword() {
            "const" => value == *expected,
            "enum" => expected.as_array().unwrap().contains(&value),
            "prefix" => {
                let (text, folder) = (value.as_str().unwrap(), expected.as_str().unwrap());
                text == folder || text.starts_with(&format!("{folder}/"))
            }
            "maximum" => value.as_i64() <= expected.as_i64(),
            "minimum" => value.as_i64() >= expected.as_i64(),
            other => panic!("{other} is not of the lattice"),
        }
    })
}

fn mode(policy: &Policy<RunMode>, call: &Value) -> Option<RunMode> {
    let Value::Object(call) = call.clone() else {
        panic!("{call}")
    };
    let call = Value::Object(prepare(call, &parameters()).ok()?);
    Some(decide_paths(policy, &call, canonical).mode)
}

fn compiled(rules: &[RawRule<RunMode>]) -> Policy<RunMode> {
    let (policy, problems) = compile_with(rules, &parameters(), UnresolvedArg::Report);
    assert!(problems.is_empty());
    policy
}

/// What is wrong with the rules, by kind and rule as they were before one was put at `position`.
fn wrong(policy: &Policy<RunMode>, position: Option<usize>) -> Vec<(bool, usize)> {
    let findings = coverage(policy).into_iter();
    findings
        .filter_map(|finding| {
            let is_hazard = matches!(finding, CoverageFinding::MixedArrayHazard { .. });
            let rule = finding.rule()?;
            let moved = position.is_some_and(|position| rule > position);
            assert_ne!(Some(rule), position, "the new rule itself: {finding:?}");
            Some((is_hazard, rule - usize::from(moved)))
        })
        .collect()
}

/// How many histories are tried: a few hundred, or what the environment says.
fn cases() -> u32 {
    let wanted = std::env::var("JP_LSP_SUGGESTION_HISTORIES").ok();
    wanted.and_then(|wanted| wanted.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn what_is_promised_holds(
        config in proptest::collection::vec(rule(), 0..5),
        calls in proptest::collection::vec((call(), answer()), 1..30),
        others in proptest::collection::vec(call(), 40),
    ) {
        let rules = rules(&Value::from(config));
        let calls: Vec<(Value, &str, Answer)> =
            calls.into_iter().map(|(call, answer)| (call, "ask", answer)).collect();
        let history = recorded(&calls);
        let before = compiled(&rules);
        let found = suggested(&rules, &parameters(), &history);
        prop_assert!(found.offered.len() <= 4);
        for offered in &found.offered {
            let mut with = rules.clone();
            with.insert(offered.position, offered.rule.clone());
            let after = compiled(&with);
            // Nothing new is wrong.
            let known = wrong(&before, None);
            for finding in wrong(&after, Some(offered.position)) {
                prop_assert!(known.contains(&finding), "{finding:?}");
            }
            // Of the calls on record those change that are promised, and none that was refused.
            let mut changed = [0, 0, 0];
            for (call, _, answer) in &calls {
                let (then, now) = (mode(&before, call), mode(&after, call));
                if then == now {
                    continue;
                }
                prop_assert_eq!((then, now), (Some(RunMode::Ask), Some(RunMode::Unattended)));
                prop_assert!(!answer.is_refusal(), "{call}");
                prop_assert!(is_within(&offered.rule, call), "{call}");
                changed[match answer {
                    Answer::AllowedByPerson => 0,
                    Answer::Unrecorded => 1,
                    _ => 2,
                }] += 1;
            }
            prop_assert_eq!(changed, [offered.approvals, offered.unrecorded, offered.others]);
            prop_assert!(offered.approvals + offered.unrecorded > 0);
            // Of all other calls only such change as the rule covers, and none that reaches a protected file.
            for call in others.iter().chain(&offered.witnesses) {
                let (then, now) = (mode(&before, call), mode(&after, call));
                if then == now {
                    continue;
                }
                prop_assert_eq!((then, now), (Some(RunMode::Ask), Some(RunMode::Unattended)));
                prop_assert!(is_within(&offered.rule, call), "{call}");
                for name in ["path", "to"] {
                    let given = call[name].as_str().unwrap_or_default();
                    prop_assert!(!PROTECTED.contains(&given), "{call}");
                }
            }
            for call in &offered.witnesses {
                prop_assert_eq!(mode(&after, call), Some(RunMode::Unattended));
                prop_assert_ne!(mode(&before, call), Some(RunMode::Unattended));
            }
            // Once it is there it is not offered again, and what it answers needs no other rule.
            let again = suggested(&with, &parameters(), &history);
            prop_assert!(again.offered.iter().all(|next| next.rule != offered.rule));
            prop_assert_eq!(again.approvals + offered.approvals, found.approvals);
        }
    }
}

#[test]
fn a_rule_is_written_as_toml() {
    let rule = RawRule::condition(
        "/a~1\"b",
        jp_policy::MatcherKind::Enum,
        json!(["x\n\u{7f}", 1.5, true, -3]),
        RunMode::Unattended,
    );
    assert_eq!(
        in_toml(&rule),
        r#"{ arg = "/a~1\"b", enum = ["x\n\u007f", 1.5, true, -3], mode = "unattended" }"#
    );
    assert_eq!(RunMode::Unattended.keyword(), "unattended");
}
