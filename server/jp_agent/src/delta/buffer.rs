//! Approved proposals of a cycle, until the cycle closes.
//!
//! ```json
//! {"type": "config_delta", "delta": {"assistant": {"model": {"id": {"provider": "anthropic", "name": "opus"}}}},
//!  "unsets": ["assistant.model.parameters.temperature"],
//!  "claims": {"assistant.model.id.name": [], "assistant.model.id.provider": [],
//!             "assistant.model.parameters.temperature": []}}
//! ```

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use jp_config::{
    merge::{LayerId, Located, merge},
    schema::schema,
};
use jp_conversation::{Claim, ConfigDelta};
use serde_json::{Map, Value, json};

use super::{
    CycleConfig, LeafPath, LeafSet, Operation, Unset, apply::apply_parts, leaf_set::differences,
};

/// The commit buffer of one cycle (RFD 078, "Per-Cycle Commit Buffer").
///
/// A plain value that the coordinator of the cycle owns: it is written nowhere, and dropping it drops the proposals.
/// Nothing reaches the conversation but the event that [`CommitBuffer::commit`] returns.
#[derive(Debug, Default)]
pub struct CommitBuffer {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    call_index: usize,
    leaves: LeafSet,
}

impl CommitBuffer {
    /// An empty buffer, for the start of a cycle.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
        }
    }

    /// Adds an approved proposal of the call at `call_index`, its place among the calls of the model's answer.
    pub fn push(&mut self, call_index: usize, leaves: LeafSet) {
        if !leaves.is_empty() {
            self.entries.push(Entry { call_index, leaves });
        }
    }

    /// Whether the call at `call_index` has an approved proposal here.
    #[must_use]
    pub fn holds(&self, call_index: usize) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.call_index == call_index)
    }

    /// What each call alone has changed, in call order, as [`CommitBuffer::commit`] would give it without the others.
    #[must_use]
    pub fn by_call(&self, base: &CycleConfig) -> Vec<(usize, ConfigDelta)> {
        let mut deltas: Vec<(usize, ConfigDelta)> = self
            .entries
            .iter()
            .map(|entry| (entry.call_index, folded([entry], base)))
            .collect();
        deltas.sort_by_key(|(call_index, _)| *call_index);
        deltas
    }

    /// Drops every proposal, for a restart of the calls.
    pub fn discard(&mut self) {
        self.entries.clear();
    }

    /// Folds the proposals into one event and empties the buffer; `None` where there are none.
    ///
    /// Entries are taken in call order, whatever the order in which the calls ended, and the last operation on a path
    /// decides.
    /// Applying the event to `base` gives what applying the proposals one by one gives.
    #[must_use]
    pub fn commit(&mut self, base: &CycleConfig) -> Option<ConfigDelta> {
        let mut entries = std::mem::take(&mut self.entries);
        if entries.is_empty() {
            return None;
        }
        entries.sort_by_key(|entry| entry.call_index);
        Some(folded(&entries, base))
    }
}

/// The event that does what the proposals do one by one.
fn folded<'e>(entries: impl IntoIterator<Item = &'e Entry>, base: &CycleConfig) -> ConfigDelta {
    let mut fold = Fold::default();
    let mut state = base.value().clone();
    for entry in entries {
        for change in entry.leaves.changes() {
            fold.take(change.name(), &change.path, &change.operation);
        }
        state = entry.leaves.view(&state);
    }
    fold.finish(base.value(), &state)
}

/// What is known of each path after some operations.
#[derive(Debug, Default)]
struct Fold {
    /// By path, so that what lies below a path is one range; with a number that keeps the order of operations.
    sets: BTreeMap<LeafPath, (usize, Pending)>,
    unsets: IndexMap<String, Unset>,
    claims: IndexSet<String>,
    /// How many operations there were.
    taken: usize,
}

/// How a path is to be set.
#[derive(Debug)]
enum Pending {
    /// One operation set it, with this value to merge.
    Once(Value),
    /// Several operations had a part in it; the value is found from the state after all of them.
    Several,
}

impl Fold {
    fn take(&mut self, name: String, path: &LeafPath, operation: &Operation) {
        self.claims.insert(name.clone());
        self.taken += 1;
        match operation {
            Operation::Unset { unset } => {
                if unset.element.is_none() {
                    self.forget_below(path);
                    self.sets.remove(path);
                }
                for set in path.ancestors().chain([path.clone()]) {
                    if let Some((_, pending)) = self.sets.get_mut(&set) {
                        *pending = Pending::Several;
                    }
                }
                self.unsets.insert(name, unset.clone());
            }
            Operation::Set { value } => {
                self.forget_below(path);
                let had_unset = self.forget_unsets(path, value);
                let outer = path.ancestors().find(|set| self.sets.contains_key(set));
                let is_alone = outer.is_none() && !had_unset && !self.sets.contains_key(path);
                let pending = if is_alone {
                    Pending::Once(value.clone())
                } else {
                    Pending::Several
                };
                let number = self.taken;
                self.sets
                    .insert(outer.unwrap_or_else(|| path.clone()), (number, pending));
            }
        }
    }

    /// Drops the unsets of what a value sets again; answers whether there were any.
    fn forget_unsets(&mut self, path: &LeafPath, value: &Value) -> bool {
        let mut had_unset = self.unsets.shift_remove(&path.to_string()).is_some();
        for (key, value) in value.as_object().into_iter().flatten() {
            let mut keys = path.keys().to_vec();
            keys.push(key.clone());
            had_unset |= self.forget_unsets(&LeafPath::new(keys), value);
        }
        had_unset
    }

    /// Drops what was to be set below a path.
    fn forget_below(&mut self, path: &LeafPath) {
        let below: Vec<LeafPath> = self
            .sets
            .range(path..)
            .map(|(set, _)| set)
            .take_while(|set| set.is_at_or_below(path))
            .filter(|set| *set != path)
            .cloned()
            .collect();
        for set in below {
            self.sets.remove(&set);
        }
    }

    fn finish(mut self, base: &Value, state: &Value) -> ConfigDelta {
        let mut remaining = base.clone();
        for unset in self.unsets.values() {
            unset.remove_from(&mut remaining);
        }
        let mut partial = Value::Object(Map::new());
        let mut sets: Vec<_> = std::mem::take(&mut self.sets).into_iter().collect();
        sets.sort_by_key(|(_, (number, _))| *number);
        for (path, (_, pending)) in sets {
            let Some(target) = path.get(state) else {
                continue;
            };
            let value = match pending {
                Pending::Once(value) if leads_to(&path, &remaining, &value, target) => value,
                Pending::Once(_) | Pending::Several => {
                    self.value_for(&path, &mut remaining, target)
                }
            };
            path.insert(&mut partial, value);
        }
        let unsets: Vec<Unset> = self.unsets.into_values().collect();
        let folded = apply_parts(base.clone(), &unsets, &partial);
        differences(state, &folded, &mut Vec::new(), &mut |path| {
            let path = LeafPath::new(path.to_vec());
            tracing::error!(%path, "a folded config delta differs from the changes that were approved");
        });
        let delta = match partial {
            Value::Object(delta) => delta,
            _ => Map::new(),
        };
        ConfigDelta {
            delta,
            unsets: unsets.iter().map(ToString::to_string).collect(),
            claims: self
                .claims
                .into_iter()
                .map(|path| (path, Claim::Unclaimed))
                .collect(),
            takes_back: false,
        }
    }

    /// A value whose merge with what remains gives `target`.
    ///
    /// Where no value does, because a table cannot lose its keys by merging, the path is unset first.
    fn value_for(&mut self, path: &LeafPath, remaining: &mut Value, target: &Value) -> Value {
        let found = candidates(path, remaining, target)
            .into_iter()
            .find(|value| leads_to(path, remaining, value, target));
        found.unwrap_or_else(|| {
            path.remove(remaining);
            let unset = Unset {
                path: path.clone(),
                element: None,
            };
            self.unsets.insert(unset.to_string(), unset);
            target.clone()
        })
    }
}

/// Values that could lead to `target`, the ones that say least first.
fn candidates(path: &LeafPath, remaining: &Value, target: &Value) -> Vec<Value> {
    let mut candidates = Vec::new();
    if let (Some(Value::Array(before)), Value::Array(after)) = (path.get(remaining), target)
        && after.starts_with(before)
    {
        let added = after.get(before.len()..).unwrap_or_default();
        candidates.push(Value::from(added.to_vec()));
    }
    candidates.push(target.clone());
    candidates.push(json!({ "value": target, "strategy": "replace" }));
    candidates
}

/// Whether merging `value` at `path` gives `target`.
fn leads_to(path: &LeafPath, remaining: &Value, value: &Value, target: &Value) -> bool {
    let schema = schema();
    let node = path
        .keys()
        .iter()
        .try_fold(schema.root(), |node, key| schema.child(node, key));
    let stack = path
        .get(remaining)
        .into_iter()
        .chain([value])
        .map(|value| Located::from_json(value, LayerId(0)))
        .collect();
    merge(schema, node, stack).is_some_and(|merged| merged.to_json() == *target)
}
