//! What a decision costs, and what it costs to analyse a rule list, at 10, 100 and 1,000 rules.
//!
//! Run with `cargo bench -p jp_policy`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use jp_policy::{
    MatcherKind, Parameter, ParameterType, Parameters, Policy, RawRule, RunMode, compile, coverage,
};
use serde_json::{Value, json};

const SIZES: [usize; 3] = [10, 100, 1000];

fn parameters() -> Parameters {
    let of = Parameter::of;
    Parameters::new([
        ("path", of(ParameterType::Path).required()),
        ("paths", Parameter::array(of(ParameterType::Path))),
        ("command", of(ParameterType::String)),
        ("line", of(ParameterType::Integer)),
    ])
}

fn mode(index: usize) -> RunMode {
    if index.is_multiple_of(3) {
        RunMode::Unattended
    } else {
        RunMode::Ask
    }
}

/// Rules that all differ; what decides is the catch-all at the end.
fn distinct(count: usize, pointer: &str, kind: MatcherKind) -> Vec<RawRule<RunMode>> {
    let value = |index: usize| match kind {
        MatcherKind::Prefix => json!(format!("crates/crate_{index:04}/src/")),
        MatcherKind::Const => json!(format!("crates/crate_{index:04}/Cargo.toml")),
        MatcherKind::Enum => json!([format!("a{index}"), format!("b{index}"), "shared"]),
        MatcherKind::Pattern => json!(format!("^git (push|pull) --force origin/{index}$")),
        // From strong to weak, so that every rule is reachable.
        MatcherKind::Minimum | MatcherKind::ExclusiveMinimum => json!(1_000_000 - index),
        MatcherKind::Maximum | MatcherKind::ExclusiveMaximum => json!(index),
    };
    (0..count)
        .map(|index| RawRule::condition(pointer, kind, value(index), mode(index)))
        .chain([RawRule::catch_all(RunMode::Ask)])
        .collect()
}

/// A third each of prefixes, constants and bounds, on three arguments.
fn mixed(count: usize) -> Vec<RawRule<RunMode>> {
    let part = count.div_ceil(3);
    let mut rules = distinct(part, "/path", MatcherKind::Prefix);
    rules.pop();
    rules.extend(distinct(part, "/command", MatcherKind::Const));
    rules.pop();
    rules.extend(distinct(part, "/line", MatcherKind::Minimum));
    rules
}

/// Every third rule is covered by the two before it together.
fn collective(count: usize) -> Vec<RawRule<RunMode>> {
    (0..count)
        .map(|index| {
            let (group, place) = (index / 3, index % 3);
            let (a, b) = (format!("a{group}"), format!("b{group}"));
            let value = match place {
                0 => json!([a, "shared"]),
                1 => json!([b, "shared"]),
                _ => json!([a, b]),
            };
            RawRule::condition("/command", MatcherKind::Enum, value, mode(index))
        })
        .collect()
}

/// Two bounds leave a gap that constants fill; all other rules lie in all of them.
fn gap(count: usize) -> Vec<RawRule<RunMode>> {
    let half = count / 2;
    let rule =
        |kind, value: usize| RawRule::condition("/line", kind, Value::from(value), RunMode::Ask);
    [
        rule(MatcherKind::Minimum, half.saturating_add(1)),
        rule(MatcherKind::Maximum, 0),
    ]
    .into_iter()
    .chain((1..=half).map(|value| rule(MatcherKind::Const, value)))
    .chain((1..half).map(|value| rule(MatcherKind::Minimum, value)))
    .collect()
}

fn compiled(rules: &[RawRule<RunMode>]) -> Policy<RunMode> {
    compile(rules, &parameters()).0
}

fn decide(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decide");
    let scalar = json!({"path": "docs/architecture/overview.md"});
    let array = json!({
        "path": "x",
        "paths": ["docs/a.md", "docs/b.md", "docs/c.md", "docs/d.md"],
    });
    let everything = json!({"path": "docs/a.md", "command": "git status", "line": 17});
    for count in SIZES {
        let cases: [(&str, Vec<RawRule<RunMode>>, &Value); 6] = [
            (
                "path prefix",
                distinct(count, "/path", MatcherKind::Prefix),
                &scalar,
            ),
            (
                "path const",
                distinct(count, "/path", MatcherKind::Const),
                &scalar,
            ),
            (
                "array of 4 paths",
                distinct(count, "/paths", MatcherKind::Prefix),
                &array,
            ),
            (
                "minimum",
                distinct(count, "/line", MatcherKind::Minimum),
                &everything,
            ),
            (
                "pattern",
                distinct(count, "/command", MatcherKind::Pattern),
                &everything,
            ),
            ("mixed", mixed(count), &everything),
        ];
        for (name, rules, arguments) in cases {
            let policy = compiled(&rules);
            group.bench_with_input(BenchmarkId::new(name, count), &policy, |bencher, policy| {
                bencher.iter(|| policy.decide(black_box(arguments)));
            });
        }
    }
    group.finish();
}

fn analyse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("coverage");
    group.sample_size(20);
    for count in SIZES {
        let cases: [(&str, Vec<RawRule<RunMode>>); 6] = [
            ("mixed", mixed(count)),
            ("path prefix", distinct(count, "/path", MatcherKind::Prefix)),
            (
                "array hazards",
                distinct(count, "/paths", MatcherKind::Prefix),
            ),
            ("collective enum", collective(count)),
            ("number gap", gap(count)),
            (
                "all the same",
                vec![RawRule::condition("/path", MatcherKind::Prefix, "src", RunMode::Ask); count],
            ),
        ];
        for (name, rules) in cases {
            let policy = compiled(&rules);
            group.bench_with_input(BenchmarkId::new(name, count), &policy, |bencher, policy| {
                bencher.iter(|| coverage(black_box(policy)));
            });
        }
    }
    group.finish();
}

fn compile_rules(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(20);
    let parameters = parameters();
    for count in SIZES {
        let rules = mixed(count);
        group.bench_with_input(
            BenchmarkId::new("mixed", count),
            &rules,
            |bencher, rules| {
                bencher.iter(|| compile(black_box(rules), &parameters));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, decide, analyse, compile_rules);
criterion_main!(benches);
