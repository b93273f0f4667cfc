//! Rules that would have answered what a person was asked, each proven on what is on record.
//!
//! ```text
//! asked, and allowed: src/a.rs, src/b.rs, src/c/d.rs -> { arg = "/path", prefix = "src", mode = "unattended" }
//! ```
//!
//! Candidates come from a small lattice, narrow before wide: `const`, `enum`, `prefix` of a path by component, bounds; never `pattern`.
//! What is promised of one is checked with the engine that decides calls, and one that fails is withheld with the reason:
//!
//! - it lets run only calls that it covers, and none that was skipped or wanted edited instead of asked about;
//! - it lets no call run that a person has refused;
//! - it can decide, and takes no other rule's last call;
//! - it makes no array a hazard;
//! - it lets no call reach a protected file.

mod lattice;
mod proof;
mod words;

use jp_policy::{CanonicalPath, Parameters, RawRule, RunMode, UndecidedReason, UnresolvedArg};
use serde_json::Value;

use crate::call::Call;
use crate::suggest::proof::{Basis, Prover};

pub use self::words::{in_toml, toml_entries};

/// How many rules are offered at most.
const MOST_OFFERED: usize = 4;

/// How many rules are named as withheld at most.
const MOST_WITHHELD: usize = 8;

/// What rules are suggested for.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The rules of the tool as they are.
    pub rules: &'a [RawRule<RunMode>],
    /// The parameters of the tool.
    pub parameters: &'a Parameters,
    /// What becomes of a rule whose `arg` the tool does not have.
    pub unresolved: UnresolvedArg,
    /// Where a path leads today.
    pub canonical: &'a dyn Fn(&str) -> Option<CanonicalPath>,
    /// Paths that no suggested rule may let a call reach: protected files, those that are there and those that may come to be.
    pub protected: &'a [String],
    /// The arguments of a call that waits for a person at this moment: every suggested rule lets it run. Default: none.
    pub waiting: Option<&'a Value>,
}

/// What is suggested, and what that rests on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Suggestions {
    /// How many calls of the tool are on record.
    pub calls: usize,
    /// How many of them a person was asked about, or would have been.
    pub prompts: usize,
    /// How many a person allowed that would be asked about today.
    pub approvals: usize,
    /// How many ran with nobody on record who allowed them, and would be asked about today.
    pub unrecorded: usize,
    /// How many a person refused.
    pub refusals: usize,
    /// The rules, what answers most before what answers less; four at most.
    pub offered: Vec<Suggestion>,
    /// The rules that failed.
    pub withheld: Vec<Withheld>,
}

/// A rule that holds what is promised of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The rule.
    pub rule: RawRule<RunMode>,
    /// Where it goes in the list, from 0: before the rule that asked.
    pub position: usize,
    /// Which calls it covers, in one line.
    pub covers: String,
    /// How many approvals it would have answered.
    pub approvals: usize,
    /// How many calls it would have answered that ran with nobody on record who allowed them.
    pub unrecorded: usize,
    /// How many other recorded calls would run by it: nobody was there to ask, or the call was ended while asking.
    pub others: usize,
    /// Calls that it lets run and that are not on record; three at most.
    pub witnesses: Vec<Value>,
}

/// A rule that is not offered.
#[derive(Debug, Clone, PartialEq)]
pub struct Withheld {
    /// The rule.
    pub rule: RawRule<RunMode>,
    /// Which calls it covers.
    pub covers: String,
    /// Why it is not offered.
    pub reason: Reason,
}

/// Why a rule is not offered.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// It lets a call run that a person has refused.
    Refused(Value),
    /// It lets a call reach a protected file.
    Protected {
        /// The file.
        path: String,
        /// The call.
        call: Value,
    },
    /// Earlier rules decide all that it covers.
    NeverDecides,
    /// It would decide everything that another rule decides, from 0 in the list as it is.
    Hides(usize),
    /// One element of an array would let the others through; the call shows it.
    Hazard(Value),
    /// The rule, or one after it, is not valid with it.
    Invalid(String),
    /// It would change what happens to a call in another way than letting it run.
    Changes(Value),
    /// It is not known whether it would.
    Unknown(UndecidedReason),
    /// What it covers cannot be said in one line.
    TooLong,
}

/// Suggests rules for a tool from its recorded calls.
#[must_use]
pub fn suggest<'a>(
    subject: Subject<'_>,
    calls: impl Iterator<Item = Call<'a>> + Clone,
) -> Suggestions {
    let mut prover = Prover::new(subject);
    let mut basis = Basis::of(&prover, calls.clone());
    let waiting = subject.waiting.and_then(|call| prover.waiting(call));
    if subject.waiting.is_some() {
        basis.keep_asked_by(waiting.as_ref().map(|waiting| waiting.position));
    }
    let mut suggestions = Suggestions {
        calls: basis.calls,
        prompts: basis.prompts,
        approvals: basis.approvals,
        unrecorded: basis.unrecorded,
        refusals: basis.refusals,
        ..Suggestions::default()
    };
    let mut candidates = Vec::new();
    for (position, asked) in basis.by_position(waiting.as_ref()) {
        let waiting = waiting.as_ref().map(|waiting| &waiting.arguments);
        for rule in lattice::rules(subject.parameters, &asked, waiting) {
            candidates.push(prover.candidate(rule, position));
        }
    }
    if let Some(waiting) = &waiting {
        candidates.retain_mut(|candidate| prover.answers(candidate, waiting));
    }
    prover.replay(&mut candidates, calls);
    for candidate in &mut candidates {
        prover.reaches_protected(candidate);
    }
    // Stable, so that of equal ones the narrower stays first.
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.answered()));
    for candidate in candidates {
        if candidate.answered() == 0 && candidate.failure.is_none() && waiting.is_none() {
            continue;
        }
        let covers = words::covers(&candidate.rule, candidate.position, subject.parameters);
        let failure = match words::is_long(&covers) {
            true => Some(Reason::TooLong),
            false => candidate.failure.clone(),
        };
        match failure {
            Some(reason) if suggestions.withheld.len() < MOST_WITHHELD => {
                suggestions.withheld.push(Withheld {
                    rule: candidate.rule,
                    covers,
                    reason,
                });
            }
            Some(_) => {}
            None if suggestions.offered.len() < MOST_OFFERED
                && !suggestions
                    .offered
                    .iter()
                    .any(|offered| offered.rule == candidate.rule) =>
            {
                let witnesses = prover.witnesses(&candidate, &basis);
                suggestions.offered.push(Suggestion {
                    rule: candidate.rule,
                    position: candidate.position,
                    covers,
                    approvals: candidate.approvals,
                    unrecorded: candidate.unrecorded,
                    others: candidate.others,
                    witnesses,
                });
            }
            None => {}
        }
    }
    suggestions
}

#[cfg(test)]
#[path = "suggest_tests.rs"]
mod tests;
