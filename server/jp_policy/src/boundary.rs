//! The calls at the borders of a list of rules: together they notice every single edit of a rule that decides anything otherwise.
//!
//! ```toml
//! run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
//! # {"path":"src"}, {"path":"src/x"}, {"path":"src-old"}, {"path":""}, {}
//! ```
//!
//! What a single edit is, [`single_edits`] says.
//! Each is compared with the rules as they are, exactly; where no call that is known already tells the two apart, the call that the comparison
//! found does.

mod borders;
mod edits;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use self::borders::borders;
pub use self::edits::{SingleEdit, single_edits};
use crate::{
    compare::{ChangeVerdict, compare, lexical_path},
    mode::Mode,
    path_evaluation::decide_paths,
    policy::{Policy, RawRule, UnresolvedArg, compile_with},
    prepare::prepare,
};

/// The calls at the borders of a list of rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundaryCalls {
    /// The arguments of each call, valid for the tool; no two are the same.
    pub calls: Vec<Value>,
    /// How many single edits of the rules may decide something otherwise that no call was found for; none without `pattern` and with at
    /// most one default for paths.
    pub unsure: usize,
}

/// Finds calls at the borders of the rules of a policy, so that every [single edit](single_edits) that decides anything otherwise decides
/// one of them otherwise.
///
/// `root` is the absolute path of the workspace, as in [`compare`]. Without rules there are no calls.
/// The work grows with the cube of the number of rules.
#[must_use]
pub fn boundary_calls<M: Mode>(policy: &Policy<M>, root: Option<&str>) -> BoundaryCalls {
    if policy.is_empty() {
        return BoundaryCalls::default();
    }
    let mut cases = Cases {
        policy,
        root,
        cases: Vec::new(),
        known: BTreeSet::new(),
    };
    for call in borders(policy) {
        cases.add(call);
    }
    let rules: Vec<RawRule<M>> = policy.rules.iter().map(|rule| rule.raw.clone()).collect();
    let mut unsure = 0;
    for edit in single_edits(&rules) {
        let edited = edit.of(&rules);
        let (edited, problems) = compile_with(&edited, &policy.parameters, UnresolvedArg::Skip);
        // What cannot be decided with is refused before anything is decided.
        if !problems.is_empty() || cases.notice(&edited) {
            continue;
        }
        let comparison = compare(policy, &edited, root);
        let changed = comparison
            .changes
            .into_iter()
            .find(|change| change.before != change.after);
        let is_noticed = changed.is_some_and(|change| cases.add(change.witness));
        if !is_noticed && comparison.verdict != ChangeVerdict::Equal {
            unsure += 1;
        }
    }
    BoundaryCalls {
        calls: cases.cases.into_iter().map(|case| case.call).collect(),
        unsure,
    }
}

/// A call, and what is decided about it.
struct Case<M> {
    call: Value,
    prepared: Value,
    mode: M,
}

struct Cases<'a, M> {
    policy: &'a Policy<M>,
    root: Option<&'a str>,
    cases: Vec<Case<M>>,
    known: BTreeSet<String>,
}

impl<M: Mode> Cases<'_, M> {
    /// Takes a call, unless the tool does not or it is there already; whether it was taken.
    fn add(&mut self, call: Value) -> bool {
        let arguments: Map<String, Value> = call.as_object().cloned().unwrap_or_default();
        let Ok(prepared) = prepare(arguments, &self.policy.parameters) else {
            return false;
        };
        if !self.known.insert(call.to_string()) {
            return false;
        }
        let prepared = Value::Object(prepared);
        let mode = self.decide(self.policy, &prepared);
        self.cases.push(Case {
            call,
            prepared,
            mode,
        });
        true
    }

    /// Whether a call is decided otherwise by other rules.
    fn notice(&self, edited: &Policy<M>) -> bool {
        let mut cases = self.cases.iter();
        cases.any(|case| self.decide(edited, &case.prepared) != case.mode)
    }

    fn decide(&self, policy: &Policy<M>, prepared: &Value) -> M {
        let canonical = |path: &str| Some(lexical_path(path, self.root));
        decide_paths(policy, prepared, canonical).mode
    }
}

#[cfg(test)]
#[path = "boundary_tests.rs"]
mod tests;
