use expect_test::{Expect, expect};
use serde_json::json;

use super::*;
use crate::{
    MatcherKind::{self, Const, Enum, Minimum, Pattern, Prefix},
    Parameter, ParameterType, Parameters, RawRule,
    RunMode::{self, Ask, Edit, Skip, Unattended},
    compile,
    path_evaluation::CanonicalPath,
};

fn on(
    arg: &str,
    kind: MatcherKind,
    value: impl Into<serde_json::Value>,
    mode: RunMode,
) -> RawRule<RunMode> {
    RawRule::condition(arg, kind, value, mode)
}

fn otherwise(mode: RunMode) -> RawRule<RunMode> {
    RawRule::catch_all(mode)
}

fn move_file() -> Parameters {
    Parameters::new([
        ("from", Parameter::of(ParameterType::Path).required()),
        ("to", Parameter::of(ParameterType::Path).required()),
        ("note", Parameter::of(ParameterType::String)),
        ("line", Parameter::of(ParameterType::Integer)),
        (
            "names",
            Parameter::array(Parameter::of(ParameterType::String)),
        ),
    ])
}

fn show(comparison: &PolicyComparison<RunMode>) -> String {
    let rule = |rule: Option<usize>| rule.map_or("-".to_owned(), |rule| rule.to_string());
    let mut lines = vec![comparison.verdict.to_string()];
    for change in &comparison.changes {
        lines.push(format!(
            "{} ({}) -> {} ({}) {}",
            change.before,
            rule(change.before_rule),
            change.after,
            rule(change.after_rule),
            change.witness
        ));
    }
    for open in &comparison.undecided {
        lines.push(format!(
            "? {} ({}) -> {} ({}): {}",
            open.before,
            rule(open.before_rule),
            open.after,
            rule(open.after_rule),
            open.reason
        ));
    }
    lines.join("\n")
}

fn check(before: &[RawRule<RunMode>], after: &[RawRule<RunMode>], expected: &Expect) {
    let parameters = move_file();
    let (before, problems) = compile(before, &parameters);
    assert_eq!(problems, []);
    let (after, problems) = compile(after, &parameters);
    assert_eq!(problems, []);
    expected.assert_eq(&show(&compare(&before, &after, Some("/home/w"))));
}

#[test]
fn a_wider_prefix_loosens() {
    check(
        &[
            on("/from", Prefix, "src/a", Unattended),
            on("/to", Prefix, "", Unattended),
            otherwise(Ask),
        ],
        &[
            on("/from", Prefix, "src", Unattended),
            on("/to", Prefix, "", Unattended),
            otherwise(Ask),
        ],
        &expect![[r#"
            loosened
            ask (2) -> unattended (0) {"from":"src/x","to":"x"}"#]],
    );
}

#[test]
fn a_required_path_that_is_asked_for_hides_what_changed_for_the_other() {
    check(
        &[on("/from", Prefix, "src", Ask), otherwise(Ask)],
        &[on("/from", Prefix, "src", Unattended), otherwise(Ask)],
        &expect!["equal"],
    );
}

#[test]
fn a_path_that_need_not_be_there_is_decided_without_the_required_one() {
    let parameters = Parameters::new([
        ("from", Parameter::of(ParameterType::Path).required()),
        ("to", Parameter::of(ParameterType::Path)),
        ("note", Parameter::of(ParameterType::String)),
    ]);
    let rules = |rules: &[RawRule<RunMode>]| compile(rules, &parameters).0;
    let first = on("/from", Prefix, "", Unattended);
    let skips = on("/note", Const, "a", Skip);
    // `from` alone never gets past the first rule; `to` is decided as if `from` were not there.
    let before = rules(&[first.clone(), skips, otherwise(Edit)]);
    let after = rules(&[first, otherwise(Edit)]);
    expect![[r#"
        loosened
        skip (1) -> edit (1) {"from":"x","to":"x","note":"a"}"#]]
    .assert_eq(&show(&compare(&before, &after, None)));
}

#[test]
fn rules_that_never_meet_can_change_places() {
    let rules = [
        on("/from", Const, "a", Skip),
        on("/from", Enum, json!(["b", "c"]), Unattended),
        on("/line", Minimum, 3, Edit),
        otherwise(Ask),
    ];
    let mut moved = rules.clone();
    moved.swap(0, 1);
    check(&rules, &moved, &expect!["equal"]);
    // A call has both a path and a line.
    moved.swap(1, 2);
    check(
        &rules,
        &moved,
        &expect![[r#"
            loosened
            skip (0) -> edit (1) {"from":"a","to":"x","line":3}"#]],
    );
}

#[test]
fn elements_of_one_array_come_together() {
    check(
        &[
            on("/names", Const, "a", Skip),
            on("/names", Const, "b", Ask),
            otherwise(Ask),
        ],
        &[
            on("/names", Const, "b", Ask),
            on("/names", Const, "a", Skip),
            otherwise(Ask),
        ],
        &expect![[r#"
            loosened
            skip (0) -> ask (0) {"from":"x","to":"x","names":["a","b"]}"#]],
    );
}

#[test]
fn edit_for_ask_is_neither_looser_nor_stricter() {
    check(
        &[otherwise(Ask)],
        &[otherwise(Edit)],
        &expect![[r#"
            mixed
            ask (0) -> edit (0) {"from":"x","to":"x"}"#]],
    );
}

#[test]
fn out_of_the_workspace_nothing_runs_unattended() {
    let with = |mode| {
        [
            on("/from", Prefix, "..", mode),
            on("/from", Prefix, "/etc", mode),
            otherwise(Unattended),
        ]
    };
    check(&with(Ask), &with(Unattended), &expect!["equal"]);
    check(
        &[on("/from", Prefix, "/home", Ask), otherwise(Unattended)],
        &[otherwise(Unattended)],
        &expect![[r#"
            loosened
            ask (0) -> unattended (0) {"from":"/home/w/x","to":"x"}"#]],
    );
}

#[test]
fn patterns_are_shown_or_left_open() {
    check(
        &[on("/note", Pattern, "^git ", Ask), otherwise(Unattended)],
        &[
            on("/note", Pattern, "^git (status|diff)$", Unattended),
            on("/note", Pattern, "^git ", Ask),
            otherwise(Unattended),
        ],
        &expect![[r#"
            loosened
            ask (0) -> unattended (0) {"from":"x","to":"x","note":"git status"}"#]],
    );
    check(
        &[on("/note", Pattern, "^a", Ask), otherwise(Unattended)],
        &[on("/note", Pattern, "^(?:a)", Ask), otherwise(Unattended)],
        &expect![[r#"
            unknown
            ? ask (0) -> unattended (1): a `pattern` takes part, and no text was found that shows a difference
            ? unattended (1) -> ask (0): a `pattern` takes part, and no text was found that shows a difference"#]],
    );
    check(
        &[
            on("/note", Pattern, "^a", Ask),
            on("/line", Const, 1, Unattended),
        ],
        &[
            on("/note", Pattern, "^a", Ask),
            on("/line", Const, 1, Unattended),
            otherwise(Ask),
        ],
        &expect!["equal"],
    );
}

#[test]
fn each_side_is_read_under_its_own_parameters() {
    let rules = [
        on("/note", Prefix, "a", Unattended),
        on("/note", Const, "z", Skip),
        otherwise(Ask),
    ];
    let parameters = |note: Parameter| Parameters::new([("note", note)]);
    let text = || Parameter::of(ParameterType::String);
    let verdict = |before: Parameter, after: Parameter| {
        let before = compile(&rules, &parameters(before)).0;
        let after = compile(&rules, &parameters(after)).0;
        show(&compare(&before, &after, None))
    };
    let with_default = Parameter {
        default: Some(json!("az")),
        ..text()
    };
    expect![[r#"
        loosened
        ask (2) -> unattended (0) {}"#]]
    .assert_eq(&verdict(text(), with_default));
    expect!["equal"].assert_eq(&verdict(text(), text().required()));
    expect![[r#"
        unknown
        unattended (0) -> ask (2) {"note":"ax"}
        ? ask (-) -> ask (-): a parameter that rules look at has another shape"#]]
    .assert_eq(&verdict(text(), Parameter::of(ParameterType::Path)));
}

#[test]
fn a_default_that_comes_into_the_workspace_is_seen() {
    let parameters = |path: &str| {
        let path = Parameter {
            default: Some(json!(path)),
            ..Parameter::of(ParameterType::Path)
        };
        Parameters::new([("path", path)])
    };
    let verdict = |before: &str, after: &str| {
        let rules = [otherwise(Unattended)];
        let before = compile(&rules, &parameters(before)).0;
        let after = compile(&rules, &parameters(after)).0;
        show(&compare(&before, &after, Some("/home/w")))
    };
    // What leads out of the workspace is never decided as `unattended`.
    expect![[r#"
        loosened
        ask (-) -> unattended (0) {}"#]]
    .assert_eq(&verdict("/etc/passwd", "src/a"));
    expect![[r#"
        tightened
        unattended (0) -> ask (-) {}"#]]
    .assert_eq(&verdict("src/a", "/etc/passwd"));
    expect!["equal"].assert_eq(&verdict("src/a", "src/b"));
    expect!["equal"].assert_eq(&verdict("/etc/passwd", "../x"));
}

#[test]
fn a_default_without_a_path_is_none() {
    let edit = Parameter::object([
        ("note", Parameter::of(ParameterType::String).required()),
        ("path", Parameter::of(ParameterType::Path)),
    ]);
    let edits = Parameter {
        default: Some(json!([{"note": "a"}])),
        ..Parameter::array(edit)
    };
    let from = Parameter::of(ParameterType::Path).required();
    let parameters = Parameters::new([("edits", edits), ("from", from)]);
    let rules = [
        on("/edits/path", Prefix, "", Edit),
        on("/from", Prefix, "", Unattended),
        otherwise(Edit),
    ];
    // `from` is always there, so that the last rule never decides.
    let before = compile(&rules, &parameters).0;
    let after = compile(&rules[..2], &parameters).0;
    expect!["equal"].assert_eq(&show(&compare(&before, &after, None)));
}

#[test]
fn a_path_in_an_object_brings_what_the_object_must_have() {
    let edit = Parameter::object([
        ("note", Parameter::of(ParameterType::String).required()),
        ("path", Parameter::of(ParameterType::Path)),
    ]);
    let to = Parameter::of(ParameterType::Path).required();
    let parameters = Parameters::new([("edits", Parameter::array(edit)), ("to", to)]);
    let rules = [
        on("/to", Prefix, "", Ask),
        on("/edits/note", Prefix, "", Unattended),
        otherwise(Skip),
    ];
    // The path of an edit is decided beside its note, so that the last rule never decides.
    let before = compile(&rules, &parameters).0;
    let after = compile(&rules[..2], &parameters).0;
    expect!["equal"].assert_eq(&show(&compare(&before, &after, None)));
}

/// What becomes of a rule that no longer asks, behind `rules` about a range of these places that has a default.
fn beside_a_range(
    names: &[&str],
    default: serde_json::Value,
    rules: &[RawRule<RunMode>],
) -> String {
    let place = |name: &str| {
        let end = Parameter::of(ParameterType::String).one_of([json!("a"), json!("b")]);
        (name.to_owned(), end.required())
    };
    let range = Parameter {
        default: Some(default),
        ..Parameter::object(names.iter().map(|name| place(name)))
    };
    let note = Parameter::of(ParameterType::String);
    let parameters = Parameters::new([("range", range), ("note", note)]);
    let compiled = |mode: RunMode| {
        let last = [on("/note", Const, "x", mode), otherwise(Edit)];
        let (policy, problems) = compile(&[rules, &last].concat(), &parameters);
        assert_eq!(problems, []);
        policy
    };
    show(&compare(&compiled(Ask), &compiled(Unattended), None))
}

#[test]
fn a_default_with_one_required_place_has_no_value_beside_those_of_the_place() {
    let rules = [
        on("/range/from", Const, "a", Skip),
        on("/range/from", Const, "b", Skip),
    ];
    expect!["equal"].assert_eq(&beside_a_range(&["from"], json!({"from": "a"}), &rules));
}

#[test]
fn a_default_with_two_required_places_is_not_all_that_can_be_given() {
    let rules = [
        on("/range/from", Const, "a", Skip),
        on("/range/to", Const, "a", Skip),
    ];
    let default = json!({"from": "a", "to": "a"});
    // What meets no rule, `b` at both, differs from the default at two places; that there is such a call is not ruled out.
    expect![[r#"
        unknown
        ? ask (2) -> unattended (2): no call was found that brings the values together"#]]
    .assert_eq(&beside_a_range(&["from", "to"], default, &rules));
}

#[test]
fn a_thousand_rules_are_compared_in_passing() {
    let list = |mode| -> Vec<RawRule<RunMode>> {
        (0..1_000)
            .map(|number| {
                let mode = if number == 500 { mode } else { Unattended };
                on("/from", Prefix, format!("src/{number}"), mode)
            })
            .chain([on("/to", Prefix, "", Unattended), otherwise(Ask)])
            .collect()
    };
    check(
        &list(Unattended),
        &list(Skip),
        &expect![[r#"
            tightened
            unattended (500) -> skip (500) {"from":"src/500/x","to":"x"}"#]],
    );
}

#[test]
fn where_a_path_leads_is_told_from_its_text() {
    let inside = |path: &str| CanonicalPath::Inside(path.to_owned());
    assert_eq!(lexical_path("./src//a", None), inside("src/a"));
    assert_eq!(lexical_path("src/../..", None), CanonicalPath::Outside);
    assert_eq!(lexical_path("..x", None), inside("..x"));
    assert_eq!(lexical_path("/w/src", Some("/w")), inside("src"));
    assert_eq!(lexical_path("/w", Some("/w/")), inside("."));
    assert_eq!(lexical_path("/ws", Some("/w")), CanonicalPath::Outside);
    assert_eq!(lexical_path("/w", None), CanonicalPath::Outside);
}
