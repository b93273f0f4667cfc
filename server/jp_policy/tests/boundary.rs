//! Holds the calls at the borders of rules to what they are for: each single edit of a rule that decides anything otherwise decides one of
//! them otherwise.
//!
//! ```text
//! JP_LSP_GENERATED_POLICIES=10000 cargo nextest run -p jp_policy --test boundary
//! ```
//!
//! The edits are made here a second time, without the code that finds the calls; which of them decide nothing otherwise, the exact
//! comparison says. There are no patterns, of which it is not exact.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

#[path = "../../../tests/random.rs"]
mod random;

use std::collections::BTreeSet;

use jp_policy::{
    ChangeVerdict,
    MatcherKind::{
        self, Const, Enum, ExclusiveMaximum, ExclusiveMinimum, Maximum, Minimum, Prefix,
    },
    Mode as _, Parameters, Policy, RawRule, RunMode, boundary_calls, compare, compile,
    decide_paths, lexical_path, prepare,
};
use serde_json::{Value, json};

use self::random::Random;

const ROOT: &str = "/home/w";

/// A property of the tool, as the config declares it, and the conditions of rules on it.
struct Field {
    name: &'static str,
    declared: Value,
    pointer: &'static str,
    conditions: Vec<(MatcherKind, Value)>,
}

fn field(
    name: &'static str,
    declared: Value,
    pointer: &'static str,
    conditions: &[(MatcherKind, Value)],
) -> Field {
    Field {
        name,
        declared,
        pointer,
        conditions: conditions.to_vec(),
    }
}

fn fields() -> Vec<Field> {
    let paths = [
        (Prefix, json!("src")),
        (Prefix, json!("src/deep")),
        (Const, json!("src/lib.rs")),
        (Enum, json!(["src", "docs/a", ".env"])),
        (Prefix, json!("..")),
        (Prefix, json!("")),
    ];
    let texts = [
        (Prefix, json!("a")),
        (Prefix, json!("ab")),
        (Const, json!("ab")),
        (Enum, json!(["a", "c", "42"])),
        (Const, json!("")),
    ];
    let numbers = [
        (Minimum, json!(2)),
        (Maximum, json!(10)),
        (ExclusiveMinimum, json!(3)),
        (ExclusiveMaximum, json!(0)),
        (Const, json!(3)),
        (Enum, json!([1, 2])),
    ];
    let reals = [
        (Minimum, json!(0.5)),
        (ExclusiveMaximum, json!(0.5)),
        (Const, json!(1)),
        (Maximum, json!(-1.25)),
    ];
    vec![
        field("path", json!({ "type": "path" }), "/path", &paths),
        field(
            "to",
            json!({ "type": "path", "required": true }),
            "/to",
            &paths,
        ),
        field("text", json!({ "type": "string" }), "/text", &texts),
        field("line", json!({ "type": "integer" }), "/line", &numbers),
        field("ratio", json!({ "type": "number" }), "/ratio", &reals),
        field(
            "flag",
            json!({ "type": "boolean" }),
            "/flag",
            &[(Const, json!(true)), (Const, json!(false))],
        ),
        field(
            "id",
            json!({ "type": ["string", "integer"] }),
            "/id",
            &[
                (Const, json!(42)),
                (Const, json!("42")),
                (Enum, json!([1, "a"])),
                (Prefix, json!("4")),
            ],
        ),
        field(
            "git",
            json!({ "type": "string", "enum": ["git add", "git push", "ls"] }),
            "/git",
            &[
                (Prefix, json!("git ")),
                (Const, json!("git push")),
                (Enum, json!(["git add", "ls"])),
            ],
        ),
        field(
            "words",
            json!({ "type": "array", "items": { "type": "string" } }),
            "/words",
            &texts,
        ),
        field(
            "files",
            json!({ "type": "array", "items": { "type": "path" }, "required": true }),
            "/files",
            &paths,
        ),
        field(
            "edits",
            json!({ "type": "array", "items": { "type": "object", "properties": {
                "note": { "type": "string", "required": true }, "file": { "type": "path" },
            } } }),
            "/edits/note",
            &texts,
        ),
    ]
}

/// A random list of rules on one or two fields, and the parameters.
fn policy(random: &mut Random, fields: &[Field]) -> (Vec<RawRule<RunMode>>, Parameters) {
    let mut chosen = vec![random.of(fields)];
    let other = random.of(fields);
    if other.name != chosen[0].name && random.percent(60) {
        chosen.push(other);
    }
    let declared = chosen.iter().map(|field| {
        let mut declared = field.declared.clone();
        if random.percent(15) && declared.get("enum").is_none() && declared["type"] == "integer" {
            declared["default"] = json!(2);
        }
        (field.name.to_owned(), declared)
    });
    let parameters = Parameters::from_config(&Value::Object(declared.collect()));
    let count = 1 + random.below(5);
    let mut rules: Vec<RawRule<RunMode>> = (0..count)
        .map(|_| {
            let field = *random.of(&chosen);
            let (kind, value) = random.of(&field.conditions).clone();
            RawRule::condition(field.pointer, kind, value, *random.of(RunMode::ALL))
        })
        .collect();
    if random.percent(70) {
        rules.push(RawRule::catch_all(*random.of(RunMode::ALL)));
    }
    (rules, parameters)
}

/// The values one step from another: what a slip of the finger makes of it.
fn slips(value: &Value) -> Vec<Value> {
    if let Some(text) = value.as_str() {
        let shorter: String = text
            .chars()
            .take(text.chars().count().saturating_sub(1))
            .collect();
        let number: Option<i64> = text.parse().ok();
        let mut slips = vec![
            json!(format!("{text}x")),
            json!(format!("{text}/x")),
            json!(shorter),
        ];
        slips.extend([json!(format!("{text}-old")), json!("")]);
        slips.extend(number.map(Value::from));
        return slips;
    }
    if let Some(number) = value.as_i64() {
        return vec![
            json!(number + 1),
            json!(number - 1),
            json!(number.to_string()),
        ];
    }
    if let Some(number) = value.as_f64() {
        return vec![json!(number + 0.5), json!(number - 0.5)];
    }
    vec![json!(!value.as_bool().unwrap())]
}

/// The rules after each single edit.
fn edited(rules: &[RawRule<RunMode>]) -> Vec<Vec<RawRule<RunMode>>> {
    let mut all = Vec::new();
    for index in 0..rules.len() {
        let mut without = rules.to_vec();
        without.remove(index);
        all.push(without);
        for other in 0..index {
            let mut swapped = rules.to_vec();
            swapped.swap(index, other);
            all.push(swapped);
        }
        let mut put = |rule: RawRule<RunMode>| {
            let mut changed = rules.to_vec();
            changed[index] = rule;
            all.push(changed);
        };
        let rule = &rules[index];
        for mode in RunMode::ALL {
            put(RawRule {
                mode: *mode,
                ..rule.clone()
            });
        }
        let Some(arg) = &rule.arg else { continue };
        put(RawRule::catch_all(rule.mode));
        let (kind, value) = &rule.matchers[0];
        let mut values = BTreeSet::new();
        let mut constants: Vec<Value> = Vec::new();
        for other in rules.iter().filter(|other| other.arg.as_ref() == Some(arg)) {
            let named = &other.matchers[0].1;
            let named = named
                .as_array()
                .cloned()
                .unwrap_or_else(|| vec![named.clone()]);
            constants.extend(
                named
                    .into_iter()
                    .filter(|named| values.insert(named.to_string())),
            );
        }
        if let Some(members) = value.as_array() {
            for (place, member) in members.iter().enumerate() {
                let mut fewer = members.clone();
                fewer.remove(place);
                put(RawRule::condition(arg, Enum, fewer, rule.mode));
                for slip in slips(member).into_iter().chain(constants.clone()) {
                    let mut changed = members.clone();
                    changed[place] = slip.clone();
                    put(RawRule::condition(arg, Enum, changed, rule.mode));
                    let more = [members.clone(), vec![slip]].concat();
                    put(RawRule::condition(arg, Enum, more, rule.mode));
                }
            }
            continue;
        }
        for slip in slips(value).into_iter().chain(constants) {
            put(RawRule::condition(arg, *kind, slip, rule.mode));
        }
        for kind in MatcherKind::ALL {
            if !matches!(kind, MatcherKind::Pattern | Enum) {
                put(RawRule::condition(arg, *kind, value.clone(), rule.mode));
            }
        }
    }
    all
}

fn decide(policy: &Policy<RunMode>, parameters: &Parameters, call: &Value) -> RunMode {
    let prepared = prepare(call.as_object().unwrap().clone(), parameters).unwrap();
    let canonical = |path: &str| Some(lexical_path(path, Some(ROOT)));
    decide_paths(policy, &Value::Object(prepared), canonical).mode
}

#[test]
fn every_single_edit_that_counts_is_noticed_by_a_generated_call() {
    let wanted = std::env::var("JP_LSP_GENERATED_POLICIES").ok();
    let count: usize = wanted.map_or(40, |wanted| wanted.parse().unwrap());
    let fields = fields();
    let mut random = Random(25);
    let (mut policies, mut edits, mut equal, mut noticed, mut calls) = (0, 0, 0, 0, 0);
    for _ in 0..count {
        let (rules, parameters) = policy(&mut random, &fields);
        let (policy, problems) = compile(&rules, &parameters);
        if !problems.is_empty() {
            // A constant of another type is refused; another list of rules has it in a place where it is not.
            continue;
        }
        policies += 1;
        let found = boundary_calls(&policy, Some(ROOT));
        let context = || format!("{rules:#?}\n{parameters:#?}\n{found:#?}");
        assert_eq!(found.unsure, 0, "{}", context());
        let decided: Vec<RunMode> = found
            .calls
            .iter()
            .map(|call| decide(&policy, &parameters, call))
            .collect();
        calls += decided.len();
        for edited in edited(&rules) {
            let (after, problems) = compile(&edited, &parameters);
            if !problems.is_empty() {
                continue;
            }
            edits += 1;
            let is_noticed = found
                .calls
                .iter()
                .zip(&decided)
                .any(|(call, mode)| decide(&after, &parameters, call) != *mode);
            if is_noticed {
                noticed += 1;
                continue;
            }
            let compared = compare(&policy, &after, Some(ROOT));
            assert_eq!(
                compared.verdict,
                ChangeVerdict::Equal,
                "{edited:#?}\n{compared:#?}\n{}",
                context()
            );
            equal += 1;
        }
    }
    assert_eq!(noticed + equal, edits);
    assert!(
        noticed > edits / 2 && equal > 0 && policies * 10 > count * 9 && calls > policies,
        "{noticed} of {edits}"
    );
    report(&format!(
        "{policies} policies, {calls} calls: {noticed} of {edits} single edits noticed, {equal} decide nothing otherwise"
    ));
}

#[expect(clippy::print_stdout, reason = "the figures of a long run")]
fn report(line: &str) {
    println!("{line}");
}
