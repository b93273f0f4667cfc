//! A tool's proposal as the list of single values that it touches.
//!
//! ```json
//! {"config": {"conversation": {"tools": {"grep": {"enable": true}}}}, "unset": ["assistant.name"]}
//! ```
//!
//! touches `assistant.name`, `conversation.tools.grep.enable.state` and `conversation.tools.grep.enable.allow_toggle`.

use std::collections::HashSet;

use indexmap::IndexMap;
use jp_config::{
    code::Code,
    schema::{
        schema,
        wrapper::{STRATEGY, VALUE},
    },
    validate::validate,
};
use serde_json::{Map, Value};

use super::{
    CycleConfig, LeafPath, Unset, apply::apply_parts, model_ids::write_out_model_ids,
    problem::Problem,
};

/// How many removals one proposal may hold: each looks through its whole list.
const MAXIMUM_UNSETS: usize = 1000;

/// Everything that a proposal touches, with old and new values.
///
/// What is not in here is not changed: the recorded delta is made from this list and from nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafSet {
    changes: Vec<LeafChange>,
}

/// One value that a proposal touches.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafChange {
    /// The value, or the list of which an element is removed.
    pub path: LeafPath,
    /// What happens to it.
    pub operation: Operation,
    /// The value before; of a removed element, the elements that go.
    pub old: Option<Value>,
    /// The value after.
    pub new: Option<Value>,
    /// Whether setting the value makes an element of a list or an entry of a map disappear.
    pub drops: bool,
}

/// What happens to a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// It is merged with `value` by the schema's rule.
    Set {
        /// What the tool returned, aliases and shorthands written out.
        value: Value,
    },
    /// It is removed.
    Unset {
        /// What is removed.
        unset: Unset,
    },
}

impl LeafChange {
    /// The value as `config` or `unset` of a tool name it.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.operation {
            Operation::Set { .. } => self.path.to_string(),
            Operation::Unset { unset } => unset.to_string(),
        }
    }
}

impl LeafSet {
    /// Reads a proposal relative to the config that the tool saw (RFD 078, "The full pipeline", step 1, and "Alias
    /// resolution for union fields").
    ///
    /// # Errors
    ///
    /// Every path, type, enum value, alias and unset that is wrong.
    /// A proposal that would change anything beside its own leaves is wrong as well.
    pub fn read(
        base: &CycleConfig,
        config: Option<&Value>,
        unset: &[String],
    ) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let sets = read_sets(base, config, &mut problems);
        let unsets = read_unsets(unset, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        let leaves = Self::relative_to(base.value(), unsets, sets);
        let stray = leaves.stray_changes(base.value());
        if stray.is_empty() {
            Ok(leaves)
        } else {
            Err(stray)
        }
    }

    /// The changes, removals first, which is also the order in which they apply.
    #[must_use]
    pub fn changes(&self) -> &[LeafChange] {
        &self.changes
    }

    /// Whether nothing is touched.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The removals.
    #[must_use]
    pub fn unsets(&self) -> Vec<Unset> {
        let unsets = self
            .changes
            .iter()
            .filter_map(|change| match &change.operation {
                Operation::Unset { unset } => Some(unset.clone()),
                Operation::Set { .. } => None,
            });
        unsets.collect()
    }

    /// The partial config that sets the leaves, and nothing beside.
    #[must_use]
    pub fn partial(&self) -> Value {
        let mut partial = Value::Object(Map::new());
        for change in &self.changes {
            if let Operation::Set { value } = &change.operation {
                change.path.insert(&mut partial, value.clone());
            }
        }
        partial
    }

    /// The config after this proposal alone, the view that the prompt shows.
    #[must_use]
    pub fn view(&self, base: &Value) -> Value {
        apply_parts(base.clone(), &self.unsets(), &self.partial())
    }

    fn relative_to(base: &Value, unsets: Vec<Unset>, sets: IndexMap<LeafPath, Value>) -> Self {
        let removals = unsets.into_iter().map(|unset| LeafChange {
            path: unset.path.clone(),
            old: unset.find_in(base),
            operation: Operation::Unset { unset },
            new: None,
            drops: false,
        });
        let writes = sets.into_iter().map(|(path, value)| LeafChange {
            old: path.get(base).cloned(),
            operation: Operation::Set { value },
            path,
            new: None,
            drops: false,
        });
        let mut leaves = Self {
            changes: removals.chain(writes).collect(),
        };
        let view = leaves.view(base);
        for change in &mut leaves.changes {
            if let Operation::Set { .. } = change.operation {
                change.new = change.path.get(&view).cloned();
                change.drops = drops(change.old.as_ref(), change.new.as_ref());
            }
        }
        leaves
    }

    /// Values that would change although no leaf names them.
    fn stray_changes(&self, base: &Value) -> Vec<Problem> {
        let touched: HashSet<&[String]> = self
            .changes
            .iter()
            .map(|change| change.path.keys())
            .collect();
        let mut stray = Vec::new();
        differences(base, &self.view(base), &mut Vec::new(), &mut |path| {
            let is_touched = (1..=path.len())
                .filter_map(|length| path.get(..length))
                .any(|path| touched.contains(path));
            if !is_touched {
                let path = LeafPath::new(path.to_vec()).to_string();
                let what = "the change would also reach this value, name it on its own";
                stray.push(Problem::new(path, what));
            }
        });
        stray
    }
}

/// The leaves that `config` sets, by path.
fn read_sets(
    base: &CycleConfig,
    config: Option<&Value>,
    problems: &mut Vec<Problem>,
) -> IndexMap<LeafPath, Value> {
    let Some(config) = config.filter(|config| !config.is_null()) else {
        return IndexMap::new();
    };
    let schema = schema();
    let violations = validate(schema, schema.root(), config, "");
    if !violations.is_empty() {
        problems.extend(violations.iter().map(Problem::of_violation));
        return IndexMap::new();
    }
    let mut resolved = config.clone();
    for (path, error) in write_out_model_ids(&mut resolved, base.aliases()) {
        let value = path.get(config).cloned();
        problems.push(Problem::new(path.to_string(), error.to_string()).with_value(value));
    }
    let mut sets = IndexMap::new();
    for leaf in schema.leaves(&resolved) {
        let path = LeafPath::new(leaf.path);
        if leaf.node.is_none() {
            problems.push(Problem::new(path.to_string(), "unknown config path"));
        } else if is_ambiguous(&path) {
            let what = "a label named `value` or `strategy` can be taken for a merge strategy, choose another name";
            problems.push(Problem::new(path.to_string(), what));
        } else {
            match replaced_scalar(&path, base.value()) {
                // The table takes the place of a single value: the two are one leaf.
                Some(outer) => {
                    if let Some(value) = outer.get(&resolved) {
                        sets.insert(outer, value.clone());
                    }
                }
                None => {
                    sets.insert(path, leaf.value.into_owned());
                }
            }
        }
    }
    sets
}

/// Whether the key of a map could be read as part of a merge wrapper later.
fn is_ambiguous(path: &LeafPath) -> bool {
    let schema = schema();
    let mut node = schema.root();
    for key in path.keys() {
        let is_wrapped_map = schema.map(node).is_some() && schema.node(node).wrapper.is_some();
        if is_wrapped_map && matches!(key.as_str(), VALUE | STRATEGY) {
            return true;
        }
        match schema.child(node, key) {
            Some(child) => node = child,
            None => return false,
        }
    }
    false
}

/// The outermost table on the way to `path` that is a single value in the config.
fn replaced_scalar(path: &LeafPath, base: &Value) -> Option<LeafPath> {
    path.ancestors().find(|outer| {
        outer
            .get(base)
            .is_some_and(|value| !value.is_object() && !value.is_null())
    })
}

fn read_unsets(unset: &[String], problems: &mut Vec<Problem>) -> Vec<Unset> {
    if unset.len() > MAXIMUM_UNSETS {
        let what = format!("more than {MAXIMUM_UNSETS} removals, return fewer at a time");
        problems.push(Problem::new("unset", what));
        return Vec::new();
    }
    let mut unsets: IndexMap<String, Unset> = IndexMap::new();
    for text in unset {
        match Unset::parse_legal(text) {
            Ok(unset) => {
                unsets.insert(unset.to_string(), unset);
            }
            Err(error) => problems.push(Problem::new(text.clone(), error.to_string())),
        }
    }
    unsets.into_values().collect()
}

/// Whether an element of a list or an entry of a map is in `old` and no longer in `new`.
///
/// A list of one rule without a condition is the lone mode that it abbreviates, not a list.
fn drops(old: Option<&Value>, new: Option<&Value>) -> bool {
    match (old, new) {
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            if let ([old], [new]) = (old.as_slice(), new.as_slice())
                && is_lone_mode(old)
                && is_lone_mode(new)
            {
                return false;
            }
            let kept: HashSet<String> = new.iter().map(Value::to_string).collect();
            old.iter().any(|value| !kept.contains(&value.to_string()))
        }
        (Some(Value::Object(old)), Some(Value::Object(new))) => old
            .iter()
            .any(|(key, old)| new.get(key).is_none_or(|new| drops(Some(old), Some(new)))),
        (Some(Value::Array(old)), _) => !old.is_empty(),
        (Some(Value::Object(old)), _) => !old.is_empty(),
        _ => false,
    }
}

fn is_lone_mode(rule: &Value) -> bool {
    rule.as_object()
        .is_some_and(|rule| rule.len() == 1 && rule.contains_key("mode"))
}

/// Calls `found` with the path of each value that differs; a table that is absent is an empty one.
pub(super) fn differences(
    old: &Value,
    new: &Value,
    path: &mut Vec<String>,
    found: &mut impl FnMut(&[String]),
) {
    if old == new {
        return;
    }
    let empty = Map::new();
    let (old, new) = match (old, new) {
        (Value::Object(old), Value::Object(new)) => (old, new),
        (Value::Null, Value::Object(new)) => (&empty, new),
        (Value::Object(old), Value::Null) => (old, &empty),
        _ => return found(path),
    };
    let added = new.keys().filter(|key| !old.contains_key(*key));
    for key in old.keys().chain(added) {
        path.push(key.clone());
        let before = old.get(key).unwrap_or(&Value::Null);
        let after = new.get(key).unwrap_or(&Value::Null);
        differences(before, after, path, found);
        path.pop();
    }
}

impl Problem {
    fn of_violation(violation: &jp_config::validate::Violation<&Value>) -> Self {
        let value = match &violation.at {
            jp_config::validate::At::Key((_, value)) | jp_config::validate::At::Value(value) => {
                (*value).clone()
            }
        };
        let is_variant = violation.code == Code::InvalidValue && !violation.expected.is_empty();
        match &value {
            Value::String(text) if is_variant => {
                Self::unknown_variant(violation.path.clone(), text, &violation.expected)
            }
            _ => Self::new(violation.path.clone(), violation.message.clone()),
        }
        .with_value(Some(value))
    }
}
