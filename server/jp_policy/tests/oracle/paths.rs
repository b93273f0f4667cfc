//! Calls with several paths, each decided on its own, against a reference that makes every such call and looks.
//!
//! ```json
//! {"path": "src/a", "moves": [{"from": "link", "note": "n"}]}
//! ```

use jp_policy::{
    CanonicalPath, MatcherKind, Mode as _, Parameter, ParameterType, Parameters, RawRule, RunMode,
    compile, decide_paths, evaluate_paths,
};
use serde_json::{Map, Value, json};

use super::{Sequence, lists, reference::rule_matches, rules_for};

/// Where the paths are, arrays left out.
const PLACES: [&[&str]; 4] = [&["path"], &["paths"], &["moves", "from"], &["moves", "to"]];

fn parameters() -> Parameters {
    let path = || Parameter::of(ParameterType::Path);
    let text = || Parameter::of(ParameterType::String);
    Parameters::new([
        ("path", path()),
        ("paths", Parameter::array(path())),
        (
            "moves",
            Parameter::array(Parameter::object([
                ("from", path()),
                ("to", path()),
                ("note", text()),
            ])),
        ),
        ("text", text()),
    ])
}

fn is_on_paths(rule: &RawRule<RunMode>) -> bool {
    let pointer = rule.arg.as_deref().unwrap_or_default();
    let names: Vec<&str> = pointer.split('/').skip(1).collect();
    PLACES.contains(&names.as_slice())
}

fn canonical(path: &str) -> Option<CanonicalPath> {
    Some(match path {
        "link" => CanonicalPath::Inside(".git".to_owned()),
        "up" => CanonicalPath::Outside,
        path => CanonicalPath::Inside(path.to_owned()),
    })
}

fn resolved(path: &str) -> &str {
    if path == "link" { ".git" } else { path }
}

/// The value with every path mapped, by its number; those mapped to nothing are left out.
fn mapped(
    value: &Value,
    names: &[&str],
    number: &mut usize,
    map: &dyn Fn(usize, &str) -> Option<String>,
) -> Option<Value> {
    Some(match value {
        Value::String(path) if PLACES.contains(&names) => {
            *number += 1;
            Value::from(map(*number - 1, path)?)
        }
        Value::Array(elements) => elements
            .iter()
            .filter_map(|element| mapped(element, names, number, map))
            .collect(),
        Value::Object(object) => {
            let mut kept = Map::new();
            for (name, value) in object {
                let names = [names, &[name.as_str()]].concat();
                if let Some(value) = mapped(value, &names, number, map) {
                    kept.insert(name.clone(), value);
                }
            }
            Value::Object(kept)
        }
        other => other.clone(),
    })
}

fn map_paths(call: &Value, map: &dyn Fn(usize, &str) -> Option<String>) -> Value {
    mapped(call, &[], &mut 0, map).unwrap()
}

type Decision = (RunMode, Option<usize>);

/// The first rule that matches.
fn first(rules: &[RawRule<RunMode>], call: &Value) -> Decision {
    let rule = (0..rules.len()).find(|rule| {
        let rule = &rules[*rule];
        rule_matches(rule, call, is_on_paths(rule))
    });
    (rule.map_or(RunMode::Ask, |rule| rules[rule].mode), rule)
}

fn strictness(mode: RunMode) -> u8 {
    match mode {
        RunMode::Unattended => 0,
        RunMode::Ask => 1,
        RunMode::Edit => 2,
        RunMode::Skip => 3,
    }
}

/// The first of the strictest.
fn strictest(decisions: impl IntoIterator<Item = Decision>) -> Decision {
    let mut all = decisions.into_iter();
    let start = all.next().unwrap();
    all.fold(start, |best, other| {
        if strictness(other.0) > strictness(best.0) {
            other
        } else {
            best
        }
    })
}

/// What is decided about the call, and about each of its paths.
fn reference(rules: &[RawRule<RunMode>], call: &Value) -> (Decision, Vec<Decision>) {
    let paths = std::cell::RefCell::new(Vec::new());
    map_paths(call, &|_, path| {
        paths.borrow_mut().push(path.to_owned());
        None
    });
    let both = |keep: &dyn Fn(usize) -> bool| {
        let given = map_paths(call, &|at, path| keep(at).then(|| path.to_owned()));
        let linked = map_paths(call, &|at, path| {
            keep(at).then(|| resolved(path).to_owned())
        });
        [first(rules, &given), first(rules, &linked)]
    };
    let paths = paths.into_inner();
    let each: Vec<Decision> = paths
        .iter()
        .enumerate()
        .map(|(number, path)| {
            let decided = strictest(both(&|at| at == number));
            if path == "up" && decided.0 == RunMode::Unattended {
                (RunMode::Ask, None)
            } else {
                decided
            }
        })
        .collect();
    let whole = both(&|_| true);
    (strictest(whole.into_iter().chain(each.clone())), each)
}

/// Two paths in every two places, beside what is no path.
fn calls() -> Vec<Value> {
    const PATHS: [&str; 6] = ["src", "./src/a", ".git", "secret", "link", "up"];
    let mut calls = Vec::new();
    for left in PATHS {
        for right in PATHS {
            for call in [
                json!({"path": left, "paths": [right]}),
                json!({"paths": [left, right], "text": "x"}),
                json!({"moves": [{"from": left, "to": right}], "text": "y"}),
                json!({"moves": [{"from": left, "note": "n"}, {"from": right}]}),
                json!({"moves": [{"note": "n"}, {"from": left}], "path": right}),
                json!({"moves": [{"to": left}, {"from": "src"}], "paths": ["secret", right], "text": "x"}),
            ] {
                calls.push(call);
            }
        }
    }
    calls
}

#[test]
fn each_path_is_decided_on_its_own() {
    let mut rules = [
        rules_for(
            "/path",
            &[
                (MatcherKind::Prefix, json!("src")),
                (MatcherKind::Const, json!(".git")),
            ],
        ),
        rules_for(
            "/paths",
            &[
                (MatcherKind::Prefix, json!("src")),
                (MatcherKind::Enum, json!(["secret", ".git"])),
            ],
        ),
        rules_for("/moves/from", &[(MatcherKind::Prefix, json!("."))]),
        rules_for(
            "/moves",
            &[
                (MatcherKind::Const, json!({"from": "src"})),
                (MatcherKind::Const, json!({"note": "n"})),
                (
                    MatcherKind::Enum,
                    json!([{}, {"from": "secret", "note": "n"}]),
                ),
            ],
        ),
        rules_for("/moves/note", &[(MatcherKind::Prefix, json!("n"))]),
        rules_for("/text", &[(MatcherKind::Const, json!("x"))]),
    ]
    .concat();
    rules.push(RawRule::catch_all(RunMode::Ask));
    let parameters = parameters();
    let calls = calls();
    let mut sequence = Sequence(3);
    let mut edits = Sequence(4);
    let mut stricter = 0_usize;
    lists(&rules, 2, 600, &mut sequence, |list| {
        let list: Vec<RawRule<RunMode>> = list
            .iter()
            .map(|rule| match rule.mode {
                RunMode::Ask if edits.next(3) == 0 => RawRule {
                    mode: RunMode::Edit,
                    ..rule.clone()
                },
                _ => rule.clone(),
            })
            .collect();
        let (policy, problems) = compile(&list, &parameters);
        assert_eq!(problems, []);
        for call in &calls {
            let (expected, each) = reference(&list, call);
            let decision = decide_paths(&policy, call, canonical);
            let found: Vec<Decision> = decision
                .paths
                .iter()
                .map(|path| (path.mode, path.rule))
                .collect();
            assert_eq!(found, each, "{list:?} {call}");
            let found = (decision.mode, decision.rule);
            assert_eq!(found, expected, "{list:?} {call}");
            if decision.decisive.is_some() {
                stricter += 1;
                let evaluation = evaluate_paths(&policy, call, canonical).evaluation;
                assert_eq!((evaluation.mode, evaluation.rule), found, "{list:?} {call}");
            }
            assert_eq!(
                !decision.asking.is_empty(),
                decision.mode.strictness() == RunMode::Ask.strictness(),
                "{list:?} {call}"
            );
        }
    });
    assert!(stricter > 1_000, "{stricter}");
}
