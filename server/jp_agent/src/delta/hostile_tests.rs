//! Tools that send whatever the schema, or their malice, allows.
//!
//! The proposals are grown along the schema, so that most of them reach authorization: every path, every wrapper, every
//! map key that means something elsewhere, and now and then a value that fits nowhere.

use jp_config::schema::{NodeId, Shape, schema};
use jp_config::validate::validate;
use jp_conversation::ConfigDelta;
use jp_tool::{ApplyMode, ConfigPath, ConfigPolicy, ConfigRule, WriteGrant};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

use super::properties_tests::differing;
use super::{CommitBuffer, CycleConfig, Grants, LeafPath, LeafSet, apply, authorize, prompt};

/// Keys that users pick, and keys that mean something elsewhere.
const KEYS: &[&str] = &[
    "t", "haiku", "*", "a.b", "value", "strategy", "", "access", "team", "fresh", "\u{202e}", "\"",
];

/// Texts: names of models and aliases, words of the schema, nothing at all.
const TEXTS: &[&str] = &[
    "haiku",
    "fast",
    "anthropic/opus",
    "openai/gpt",
    "bogus/x",
    "replace",
    "*",
    "",
    "src/",
    "local",
    "ask",
    "file://a",
    "gone",
];

const STRATEGIES: &[&str] = &["replace", "append", "prepend", "keep", "merge", "bogus"];

/// A row of numbers that decides what is grown; it shrinks like any list of numbers.
struct Tape(std::vec::IntoIter<u8>);

impl Tape {
    /// A number below `count`, 0 at the end of the tape.
    fn pick(&mut self, count: usize) -> usize {
        usize::from(self.0.next().unwrap_or(0)) % count.max(1)
    }

    fn of<'t, T>(&mut self, choices: &'t [T]) -> &'t T {
        let index = self.pick(choices.len());
        &choices[index]
    }

    fn is_rare(&mut self) -> bool {
        self.pick(32) == 31
    }
}

/// A value for a place of the schema, right more often than wrong.
fn grow(tape: &mut Tape, node: NodeId, depth: usize) -> Value {
    if depth == 0 || tape.is_rare() {
        return stray(tape);
    }
    let description = schema().node(node);
    let is_wrapped = description.wrapper.is_some() && tape.pick(3) == 0;
    if is_wrapped || tape.is_rare() {
        let value = plain(description.shape.clone(), tape, depth);
        return wrapped(tape, value);
    }
    plain(description.shape.clone(), tape, depth)
}

fn wrapped(tape: &mut Tape, value: Value) -> Value {
    let mut wrapper = json!({"value": value});
    for (key, choices) in [
        ("strategy", STRATEGIES),
        ("separator", &["line", "none"][..]),
    ] {
        if tape.pick(4) > 0 {
            wrapper[key] = (*tape.of(choices)).into();
        }
        if key == "strategy" && tape.pick(4) > 0 {
            break;
        }
    }
    for key in ["dedup", "discard_when_merged"] {
        if tape.pick(8) == 7 {
            wrapper[key] = true.into();
        }
    }
    wrapper
}

fn plain(shape: Shape, tape: &mut Tape, depth: usize) -> Value {
    match shape {
        Shape::Boolean => Value::from(tape.pick(2) == 0),
        Shape::Integer { .. } => Value::from(*tape.of(&[1, 5, 0, -1, i64::MAX])),
        Shape::Float => Value::from(*tape.of(&[0.5, 1.0, 0.0, 1e300])),
        Shape::String(_) => Value::from(*tape.of(TEXTS)),
        Shape::Enum(variants) => Value::from(tape.of(variants).value),
        Shape::Any => free(tape, depth),
        Shape::Struct(table) => {
            let mut grown = Map::new();
            for _ in 0..=tape.pick(3) {
                let field = tape.of(&table.fields);
                grown.insert(field.name.to_owned(), grow(tape, field.node, depth - 1));
            }
            if tape.is_rare() {
                grown.insert((*tape.of(KEYS)).to_owned(), stray(tape));
            }
            Value::Object(grown)
        }
        Shape::Map(map) => {
            let mut grown = Map::new();
            for _ in 0..=tape.pick(2) {
                let key = *tape.of(KEYS);
                let literal = map.literal.iter().find(|(literal, _)| *literal == key);
                let node = literal.map_or(map.value, |(_, node)| *node);
                grown.insert(key.to_owned(), grow(tape, node, depth - 1));
            }
            Value::Object(grown)
        }
        Shape::List { item } => (0..tape.pick(4))
            .map(|_| grow(tape, item, depth - 1))
            .collect(),
        Shape::Union(branches) => {
            let branch = *tape.of(&branches);
            grow(tape, branch, depth)
        }
    }
}

/// Free-form data, with what means something elsewhere.
fn free(tape: &mut Tape, depth: usize) -> Value {
    match tape.pick(6) {
        0 => Value::from(*tape.of(TEXTS)),
        1 => json!([1, {"k": null}]),
        2 if depth > 1 => {
            let inner = free(tape, depth - 1);
            wrapped(tape, inner)
        }
        3 | 4 if depth > 1 => {
            let key = (*tape.of(KEYS)).to_owned();
            let inner = free(tape, depth - 1);
            Value::Object(Map::from_iter([(key, inner)]))
        }
        _ => json!({"deep": {"x": 1}}),
    }
}

/// A value that fits hardly anywhere.
fn stray(tape: &mut Tape) -> Value {
    match tape.pick(8) {
        0 => Value::Null,
        1 => json!({}),
        2 => json!([]),
        3 => json!(7),
        4 => Value::from(vec![0; 3000]),
        5 => (0..100).fold(json!(1), |inner, _| json!([inner])),
        6 => (0..100).fold(json!(1), |inner, _| json!({ "value": inner })),
        _ => json!({"value": {"t": {}}, "strategy": "replace"}),
    }
}

/// A rule for a path that the proposal or the config touches, or for what is above or below it.
fn rule(tape: &mut Tape, touched: &[LeafPath]) -> Option<ConfigRule> {
    let path = touched.get(tape.pick(touched.len()))?;
    let length = 1 + tape.pick(path.keys().len());
    let mut keys = path.keys().get(..length)?.to_vec();
    if tape.pick(6) == 5 {
        keys.push((*tape.of(KEYS)).to_owned());
    }
    let mut text = ConfigPath::from_keys(keys)?.to_string();
    if tape.pick(4) == 3 {
        // The tool's or the alias' name becomes a wildcard.
        text = text.replace(".t.", ".*.").replace(".haiku", ".*");
    }
    let is_generous = tape.pick(3) > 0;
    Some(ConfigRule {
        path: text,
        read: true,
        write: match tape.pick(8) {
            0 => WriteGrant::No,
            _ if is_generous => WriteGrant::InsecureAllow,
            _ => WriteGrant::Yes,
        },
        delete: tape.pick(3) > 0,
        apply: ApplyMode::Unattended,
    })
}

/// What a hostile tool may meet and do.
struct Case {
    base: CycleConfig,
    proposals: Vec<Value>,
    rules: Vec<ConfigRule>,
}

impl Case {
    fn grown(tape: Vec<u8>) -> Self {
        let mut tape = Tape(tape.into_iter());
        let root = schema().root();
        let mut base = json!({"providers": {"llm": {"aliases": {"haiku": "anthropic/haiku"}}}});
        let grown = grow(&mut tape, root, 8);
        if validate(schema(), root, &grown, "").is_empty() {
            base = apply(
                &base,
                &ConfigDelta {
                    delta: grown.as_object().cloned().unwrap_or_default(),
                    ..ConfigDelta::default()
                },
            );
        }
        let mut proposals = Vec::new();
        for _ in 0..=tape.pick(3) {
            let mut proposal = grow(&mut tape, root, 8);
            // Two keys of one name are what the last of them says.
            if tape.pick(6) == 5 {
                let again = grow(&mut tape, root, 8);
                let (first, again) = (members(&proposal), members(&again));
                let text = format!("{{{first}{}{again}}}", comma(&first, &again));
                proposal = serde_json::from_str(&text).unwrap();
            }
            proposals.push(proposal);
        }
        let touched: Vec<LeafPath> = proposals
            .iter()
            .chain([&base])
            .flat_map(|value| schema().leaves(value))
            .map(|leaf| LeafPath::new(leaf.path))
            .collect();
        let mut rules: Vec<ConfigRule> = (0..tape.pick(6))
            .filter_map(|_| rule(&mut tape, &touched))
            .collect();
        if tape.pick(3) > 0 {
            let broad = touched.iter().filter_map(|path| path.keys().first());
            let broad: std::collections::BTreeSet<&String> = broad.collect();
            let delete = tape.pick(2) == 0;
            rules.splice(
                0..0,
                broad.into_iter().filter_map(|key| {
                    Some(ConfigRule {
                        path: ConfigPath::from_keys([key.clone()])?.to_string(),
                        read: true,
                        write: WriteGrant::InsecureAllow,
                        delete,
                        apply: ApplyMode::Unattended,
                    })
                }),
            );
        }
        rules.retain(|rule| ConfigPath::parse(&rule.path).is_ok());
        Self {
            base: CycleConfig::new(&base),
            proposals,
            rules,
        }
    }
}

/// What stands between the braces of an object.
fn members(value: &Value) -> String {
    let text = value.to_string();
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    inner.unwrap_or_default().to_owned()
}

fn comma(first: &str, second: &str) -> &'static str {
    if first.is_empty() || second.is_empty() {
        ""
    } else {
        ","
    }
}

/// Reads and authorizes a proposal, and checks what landing it would change; `None` where it is refused.
fn landed(case: &Case, proposal: &Value) -> Option<LeafSet> {
    let grants = Grants::compile(&case.rules).unwrap();
    let leaves = LeafSet::read(&case.base, Some(proposal), &[]).ok()?;
    if !authorize(&leaves, &grants).is_granted() {
        return None;
    }
    let mut buffer = CommitBuffer::new();
    buffer.push(0, leaves.clone());
    let after = buffer.commit(&case.base).map_or_else(
        || case.base.value().clone(),
        |delta| apply(case.base.value(), &delta),
    );
    let policy = ConfigPolicy::compile(&case.rules).unwrap();
    let mut found = Vec::new();
    differing(case.base.value(), &after, &mut Vec::new(), &mut found);
    for (path, capabilities) in found {
        let target = ConfigPath::from_keys(path).unwrap();
        for capability in capabilities {
            assert!(
                policy.decide(capability, &target).allowed,
                "{target} changed without {capability}: {proposal}"
            );
        }
    }
    Some(leaves)
}

fn case() -> impl Strategy<Value = Case> {
    vec(any::<u8>(), 0..400).prop_map(Case::grown)
}

impl std::fmt::Debug for Case {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "base {}", self.base.value())?;
        for proposal in &self.proposals {
            writeln!(formatter, "proposal {proposal}")?;
        }
        for rule in &self.rules {
            writeln!(formatter, "rule {rule:?}")?;
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever a tool grows along the schema, nothing outside the grants changes.
    #[test]
    fn nothing_outside_the_grants_changes(case in case()) {
        for proposal in &case.proposals {
            landed(&case, proposal);
        }
    }

    /// One event does what the proposals do one by one, also those that nobody would write.
    #[test]
    fn folding_equals_applying_one_by_one(case in case()) {
        let mut buffer = CommitBuffer::new();
        let mut expected = case.base.value().clone();
        for (index, proposal) in case.proposals.iter().enumerate() {
            let Ok(leaves) = LeafSet::read(&case.base, Some(proposal), &[]) else { continue };
            let delta = leaves.partial().as_object().cloned().unwrap_or_default();
            expected = apply(&expected, &ConfigDelta { delta, ..ConfigDelta::default() });
            buffer.push(index, leaves);
        }
        let folded = buffer.commit(&case.base);
        let applied = folded
            .as_ref()
            .map_or_else(|| case.base.value().clone(), |delta| apply(case.base.value(), delta));
        let mut different = Vec::new();
        differing(&expected, &applied, &mut Vec::new(), &mut different);
        assert_eq!(different, [], "{folded:#?}");
    }

    /// The prompt shows what replaying gives, and every value that changes is one of its lines.
    #[test]
    fn the_prompt_shows_what_replaying_gives(case in case()) {
        for proposal in &case.proposals {
            let Ok(leaves) = LeafSet::read(&case.base, Some(proposal), &[]) else { continue };
            let shown = prompt(&leaves, &case.base, &[]);
            let mut buffer = CommitBuffer::new();
            buffer.push(0, leaves.clone());
            let Some(delta) = buffer.commit(&case.base) else { continue };
            let after = apply(case.base.value(), &delta);
            for (change, leaf) in shown.changes.iter().zip(leaves.changes()) {
                assert_eq!(change.new.as_ref(), leaf.path.get(&after), "{}", change.path);
                assert_eq!(change.old.as_ref(), leaf.path.get(case.base.value()));
            }
            let mut found = Vec::new();
            differing(case.base.value(), &after, &mut Vec::new(), &mut found);
            for (path, _) in found {
                let path = LeafPath::new(path);
                let is_shown = leaves.changes().iter().any(|change| path.is_at_or_below(&change.path));
                prop_assert!(is_shown, "{path} changes and is not shown");
            }
        }
    }
}

/// The properties above say something only if hostile tools get through often enough, with changes of many kinds.
#[test]
fn many_hostile_proposals_get_through() {
    let mut runner = TestRunner::deterministic();
    let (mut read, mut accepted, mut refused) = (0, 0, 0);
    let mut roots = std::collections::BTreeSet::new();
    for _ in 0..1500 {
        let case = case().new_tree(&mut runner).unwrap().current();
        for proposal in &case.proposals {
            if LeafSet::read(&case.base, Some(proposal), &[]).is_err() {
                continue;
            }
            read += 1;
            match landed(&case, proposal) {
                Some(leaves) => {
                    accepted += usize::from(!leaves.is_empty());
                    roots.extend(leaves.changes().iter().map(|change| {
                        change
                            .path
                            .keys()
                            .iter()
                            .take(2)
                            .cloned()
                            .collect::<Vec<_>>()
                    }));
                }
                None => refused += 1,
            }
        }
    }
    let counts = (read, accepted, refused, roots.len());
    assert!(
        read > 1000 && accepted > 200 && refused > 300 && roots.len() > 30,
        "read, accepted, refused, places: {counts:?}"
    );
}
