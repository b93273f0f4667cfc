//! Holds the comparison of policies to the truth, found by trying every call.
//!
//! ```text
//! JP_POLICY_COMPARISONS=1000000 cargo nextest run -p jp_policy --test comparison --release
//! ```
//!
//! Two random lists of rules over two or three places of a tool meet every call of these places; the values of each place hold one for
//! each way in which the rules can tell values apart, and pairs of them where there can be several.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::collections::{BTreeMap, BTreeSet};

use jp_policy::{
    ChangeVerdict, Direction,
    MatcherKind::{
        self, Const, Enum, ExclusiveMaximum, ExclusiveMinimum, Maximum, Minimum, Pattern, Prefix,
    },
    Mode as _, Parameter, ParameterType, Parameters, Policy, PolicyComparison, RawRule, RunMode,
    compare, compile, decide_paths, lexical_path, prepare,
};
use proptest::{
    prelude::Rng as _,
    test_runner::{RngAlgorithm, TestRng},
};
use serde_json::{Map, Value, json};

/// Where the workspace lies.
const ROOT: &str = "/home/w";

/// A property of the tool, and everything that rules and calls do with it.
struct Field {
    name: &'static str,
    parameter: Parameter,
    default: Value,
    values: Vec<Value>,
    conditions: Vec<(&'static str, MatcherKind, Value)>,
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().unwrap().clone()
}

fn path_field(name: &'static str, pointer: &'static str) -> Field {
    Field {
        name,
        parameter: Parameter::of(ParameterType::Path),
        default: json!("src/a"),
        values: list(&json!([
            "src",
            "src/a",
            "src/a/q",
            "src-old",
            "x",
            ".git/config",
            "../up",
            "./src//q",
            "/etc/x",
            "/home/w/src/a",
            "/home/w/x",
            "/home/w"
        ])),
        conditions: vec![
            (pointer, Prefix, json!("src")),
            (pointer, Prefix, json!("./src/a/")),
            (pointer, Const, json!("src")),
            (pointer, Const, json!(".git/config")),
            (pointer, Enum, json!(["x", "src/a"])),
            (pointer, Prefix, json!("..")),
            (pointer, Prefix, json!("/etc")),
            (pointer, Prefix, json!("")),
        ],
    }
}

fn text_conditions(pointer: &'static str) -> Vec<(&'static str, MatcherKind, Value)> {
    vec![
        (pointer, Prefix, json!("a")),
        (pointer, Prefix, json!("ab")),
        (pointer, Const, json!("ab")),
        (pointer, Enum, json!(["a", "c"])),
        (pointer, Const, json!("")),
        (pointer, Prefix, json!("")),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn fields() -> Vec<Field> {
    let of = Parameter::of;
    vec![
        path_field("from", "/from"),
        path_field("to", "/to"),
        Field {
            name: "text",
            parameter: of(ParameterType::String),
            default: json!("ab"),
            values: list(&json!(["", "a", "ab", "abq", "aq", "c", "q"])),
            conditions: text_conditions("/text"),
        },
        Field {
            name: "flag",
            parameter: of(ParameterType::Boolean),
            default: json!(true),
            values: list(&json!([true, false])),
            conditions: vec![
                ("/flag", Const, json!(true)),
                ("/flag", Const, json!(false)),
                ("/flag", Enum, json!([true, false])),
            ],
        },
        Field {
            name: "line",
            parameter: of(ParameterType::Integer),
            default: json!(2),
            values: list(&json!([-5, 0, 1, 2, 3, 4, 10])),
            conditions: vec![
                ("/line", Minimum, json!(2)),
                ("/line", Maximum, json!(2)),
                ("/line", ExclusiveMinimum, json!(3)),
                ("/line", ExclusiveMaximum, json!(1)),
                ("/line", Const, json!(3)),
                ("/line", Minimum, json!(1.5)),
            ],
        },
        Field {
            name: "ratio",
            parameter: of(ParameterType::Number),
            default: json!(0.5),
            values: list(&json!([-1, 0, 0.25, 0.5, 0.75, 1, 2])),
            conditions: vec![
                ("/ratio", Minimum, json!(0.5)),
                ("/ratio", ExclusiveMinimum, json!(0.5)),
                ("/ratio", Maximum, json!(0)),
                ("/ratio", Const, json!(1)),
            ],
        },
        Field {
            name: "names",
            parameter: Parameter::array(of(ParameterType::String)),
            default: json!(["a"]),
            values: pairs(&list(&json!(["", "a", "ab", "abq", "aq", "c", "q"]))),
            conditions: text_conditions("/names"),
        },
        Field {
            name: "paths",
            parameter: Parameter::array(of(ParameterType::Path)),
            default: json!(["src"]),
            values: pairs(&list(&json!(["src", "src/a", "x", "q", "../up"]))),
            conditions: vec![
                ("/paths", Prefix, json!("src")),
                ("/paths", Const, json!("src/a")),
                ("/paths", Const, json!("x")),
                ("/paths", Prefix, json!("")),
            ],
        },
        Field {
            name: "git",
            parameter: of(ParameterType::String).one_of([
                json!("git add"),
                json!("git push"),
                json!("ls"),
            ]),
            default: json!("ls"),
            values: list(&json!(["git add", "git push", "ls"])),
            conditions: vec![
                ("/git", Prefix, json!("git ")),
                ("/git", Const, json!("git push")),
                ("/git", Enum, json!(["git add", "git push"])),
                ("/git", Pattern, json!("^l")),
                ("/git", Const, json!("ls")),
            ],
        },
        Field {
            name: "options",
            parameter: Parameter::object([
                ("name", of(ParameterType::String).required()),
                ("deep", of(ParameterType::Boolean)),
            ]),
            default: json!({"name": "a"}),
            values: list(&json!([
                {"name": "a"}, {"name": "q"}, {"name": "c", "deep": true}, {"name": "a", "deep": true},
                {"name": "q", "deep": true}, {"name": "q", "deep": false}, {"name": "a", "deep": false},
                {"name": "c"}, {"name": "c", "deep": false}
            ])),
            conditions: vec![
                ("/options/name", Const, json!("a")),
                ("/options/name", Const, json!("c")),
                ("/options/name", Prefix, json!("")),
                ("/options/deep", Const, json!(true)),
                ("/options/deep", Const, json!(false)),
            ],
        },
        Field {
            name: "edits",
            parameter: Parameter::array(Parameter::object([
                ("note", of(ParameterType::String).required()),
                ("path", of(ParameterType::Path)),
            ])),
            default: json!([{"note": "a"}]),
            values: pairs(&list(&json!([
                {"note": "a"}, {"note": "q"}, {"note": "q", "path": "src"}, {"note": "a", "path": "src"},
                {"note": "q", "path": "q"}, {"note": "a", "path": "q"}
            ]))),
            conditions: vec![
                ("/edits/note", Const, json!("a")),
                ("/edits/note", Prefix, json!("")),
                ("/edits/path", Const, json!("src")),
                ("/edits/path", Prefix, json!("")),
            ],
        },
    ]
}

/// The lists of at most two of these.
fn pairs(elements: &[Value]) -> Vec<Value> {
    let mut lists = vec![json!([])];
    lists.extend(elements.iter().map(|element| json!([element])));
    for left in elements {
        lists.extend(elements.iter().map(|right| json!([left, right])));
    }
    lists
}

/// Random numbers.
struct Dice(TestRng);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.0.next_u64() % u64::try_from(limit).unwrap()).unwrap()
    }

    fn mode(&mut self) -> RunMode {
        RunMode::ALL[self.below(4)]
    }

    fn rules(&mut self, fields: &[&Field], most: usize) -> Vec<RawRule<RunMode>> {
        let count = self.below(most + 1);
        let mut rules: Vec<RawRule<RunMode>> = (0..count)
            .map(|_| {
                let field = fields[self.below(fields.len())];
                let (pointer, kind, value) = &field.conditions[self.below(field.conditions.len())];
                RawRule::condition(*pointer, *kind, value.clone(), self.mode())
            })
            .collect();
        if self.below(3) > 0 {
            rules.push(RawRule::catch_all(self.mode()));
        }
        rules
    }

    /// What a person might do to a list.
    fn edited(&mut self, rules: &[RawRule<RunMode>], fields: &[&Field]) -> Vec<RawRule<RunMode>> {
        let mut rules = rules.to_vec();
        for _ in 0..=self.below(2) {
            let length = rules.len();
            match self.below(5) {
                0 if length > 1 => {
                    let (left, right) = (self.below(length), self.below(length));
                    rules.swap(left, right);
                }
                1 if length > 0 => {
                    rules.remove(self.below(length));
                }
                2 if length > 0 => {
                    let at = self.below(length);
                    rules[at].mode = self.mode();
                }
                3 => return self.rules(fields, 3),
                _ => {
                    let field = fields[self.below(fields.len())];
                    let (pointer, kind, value) =
                        &field.conditions[self.below(field.conditions.len())];
                    let mode = self.mode();
                    let rule = RawRule::condition(*pointer, *kind, value.clone(), mode);
                    rules.insert(self.below(length + 1), rule);
                }
            }
        }
        rules
    }

    fn parameters(&mut self, fields: &[&Field]) -> Parameters {
        Parameters::new(fields.iter().map(|field| {
            let mut parameter = field.parameter.clone();
            match self.below(4) {
                0 => parameter.required = true,
                1 => parameter.default = Some(field.default.clone()),
                _ => {}
            }
            (field.name, parameter)
        }))
    }
}

/// Every call that has one of the values, or none, of each field.
fn calls(fields: &[&Field]) -> Vec<Value> {
    let mut calls = vec![Map::new()];
    for field in fields {
        let with = calls.iter().flat_map(|call| {
            field.values.iter().map(move |value| {
                let mut call = call.clone();
                call.insert(field.name.to_owned(), value.clone());
                call
            })
        });
        let with: Vec<Map<String, Value>> = with.collect();
        calls.extend(with);
    }
    calls.into_iter().map(Value::Object).collect()
}

fn prepared(parameters: &Parameters, call: &Value) -> Option<Value> {
    let prepared = prepare(call.as_object().unwrap().clone(), parameters);
    prepared.ok().map(Value::Object)
}

fn decide(policy: &Policy<RunMode>, prepared: &Value) -> Option<RunMode> {
    let canonical = |path: &str| Some(lexical_path(path, Some(ROOT)));
    Some(decide_paths(policy, prepared, canonical).mode)
}

/// One side of a comparison.
struct Side {
    rules: Vec<RawRule<RunMode>>,
    parameters: Parameters,
    policy: Policy<RunMode>,
}

impl Side {
    fn new(rules: Vec<RawRule<RunMode>>, parameters: Parameters) -> Self {
        let (policy, problems) = compile(&rules, &parameters);
        assert_eq!(problems, [], "{rules:?}");
        Self {
            rules,
            parameters,
            policy,
        }
    }

    fn decide(&self, call: &Value) -> Option<RunMode> {
        decide(&self.policy, &prepared(&self.parameters, call)?)
    }
}

/// Compares, and holds the outcome to what every call shows.
fn check(before: &Side, after: &Side, calls: &[Value]) -> PolicyComparison<RunMode> {
    let comparison = compare(&before.policy, &after.policy, Some(ROOT));
    let context = || {
        let rules = |side: &Side| {
            let rules = side.rules.iter().map(|rule| format!("    {rule:?}"));
            format!(
                "{}\n  {:?}",
                rules.collect::<Vec<_>>().join("\n"),
                side.parameters
            )
        };
        format!("{}\n  ->\n{}\n{comparison:#?}", rules(before), rules(after))
    };
    for change in &comparison.changes {
        let found = (
            before.decide(&change.witness),
            after.decide(&change.witness),
        );
        assert_eq!(
            found,
            (Some(change.before), Some(change.after)),
            "{}",
            context()
        );
        assert_ne!(change.before, change.after, "{}", context());
    }
    let mut differences: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut directions: BTreeSet<Direction> = BTreeSet::new();
    let is_prepared_alike = before.parameters == after.parameters;
    for call in calls {
        let Some(given) = prepared(&before.parameters, call) else {
            continue;
        };
        let new = match is_prepared_alike {
            true => decide(&after.policy, &given),
            false => after.decide(call),
        };
        if let (Some(old), Some(new)) = (decide(&before.policy, &given), new)
            && old != new
        {
            differences.insert((old.keyword(), new.keyword()));
            directions.insert(Direction::of(old, new));
        }
    }
    let expected = ChangeVerdict::of(directions, []);
    let is_open = comparison.verdict == ChangeVerdict::Unknown;
    // Whether other paths stand in for absent ones, of which there are several.
    if is_open
        && before.parameters != after.parameters
        && before.parameters.path_pointers().len() > 1
    {
        return comparison;
    }
    assert_eq!(
        comparison.verdict,
        expected,
        "{differences:?} {}",
        context()
    );
    comparison
}

fn count() -> usize {
    let wanted = std::env::var("JP_POLICY_COMPARISONS").ok();
    wanted.map_or(1_500, |wanted| wanted.parse().unwrap())
}

#[test]
fn every_verdict_is_what_all_calls_show() {
    let fields = fields();
    let mut dice = Dice(TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]));
    let mut verdicts: BTreeMap<ChangeVerdict, usize> = BTreeMap::new();
    let mut all_calls: BTreeMap<Vec<&str>, Vec<Value>> = BTreeMap::new();
    for _ in 0..count() {
        let mut chosen: Vec<&Field> = Vec::new();
        for _ in 0..=dice.below(2) {
            let field = &fields[dice.below(fields.len())];
            if !chosen.iter().any(|other| other.name == field.name) {
                chosen.push(field);
            }
        }
        if chosen.len() < 2 && dice.below(2) == 0 {
            chosen = vec![&fields[0], &fields[1]];
        }
        let parameters = dice.parameters(&chosen);
        let others = if dice.below(6) == 0 {
            dice.parameters(&chosen)
        } else {
            parameters.clone()
        };
        let rules = dice.rules(&chosen, 4);
        let edited = dice.edited(&rules, &chosen);
        let before = Side::new(rules, parameters);
        let after = Side::new(edited, others);
        let names = chosen.iter().map(|field| field.name).collect();
        let calls = all_calls.entry(names).or_insert_with(|| calls(&chosen));
        let comparison = check(&before, &after, calls);
        *verdicts.entry(comparison.verdict).or_default() += 1;
    }
    let unknown = verdicts.get(&ChangeVerdict::Unknown).copied();
    assert!(unknown.unwrap_or_default() * 20 < count(), "{verdicts:?}");
    let seen = |verdict| verdicts.get(&verdict).copied().unwrap_or_default() * 20 > count();
    assert!(
        seen(ChangeVerdict::Equal) && seen(ChangeVerdict::Mixed),
        "{verdicts:?}"
    );
    assert!(
        seen(ChangeVerdict::Loosened) && seen(ChangeVerdict::Tightened),
        "{verdicts:?}"
    );
}
