//! A decision with its reasons.
//!
//! ```json
//! {"mode": "unattended", "rule": 1, "values": ["src/lib.rs"], "trace": [{"index": 0, "verdict": "not_matched"}, {"index": 1, "verdict": "matched"}]}
//! ```

use serde_json::Value;
use thiserror::Error;

use crate::{
    matcher::{Atom, MatcherKind},
    mode::Mode,
    policy::{Condition, Inert, Policy, Rule},
};

/// The decision on one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation<M> {
    /// What happens.
    pub mode: M,
    /// The rule that decides, counted from 0; none for the implicit `ask` after the last rule.
    pub rule: Option<usize>,
    /// The values that satisfied the deciding rule's matcher; empty for a catch-all.
    pub values: Vec<Value>,
    /// One entry for each rule, in order.
    pub trace: Vec<RuleTrace>,
}

/// What became of one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleTrace {
    /// The rule, counted from 0.
    pub index: usize,
    /// What became of it.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Its condition is met and it decides.
    Matched,
    /// Its condition is not met.
    NotMatched,
    /// It was not tried.
    Skipped,
}

impl Verdict {
    /// The word for the verdict in JSON.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::NotMatched => "not_matched",
            Self::Skipped => "skipped",
        }
    }
}

/// Why a rule matched, did not match or was not tried.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Reason {
    /// The rule has no condition.
    #[error("a rule without a condition matches every call")]
    CatchAll,
    /// A value satisfies the matcher.
    #[error("`{value}` at `{pointer}` satisfies `{}`", .matcher.keyword())]
    ValueMatches {
        /// The `arg` of the rule.
        pointer: String,
        /// The matcher.
        matcher: MatcherKind,
        /// The first value that satisfies it.
        value: Value,
    },
    /// The call has values there and none satisfies the matcher.
    #[error("none of the {count} values at `{pointer}` satisfies `{}`", .matcher.keyword())]
    NoValueMatches {
        /// The `arg` of the rule.
        pointer: String,
        /// The matcher.
        matcher: MatcherKind,
        /// How many values there are; at least two.
        count: usize,
    },
    /// The call has one value there and it does not satisfy the matcher.
    #[error("`{value}` at `{pointer}` does not satisfy `{}`", .matcher.keyword())]
    ValueDoesNotMatch {
        /// The `arg` of the rule.
        pointer: String,
        /// The matcher.
        matcher: MatcherKind,
        /// The value.
        value: Value,
    },
    /// The call has nothing there.
    #[error("the call has no value at `{pointer}`")]
    NoValue {
        /// The `arg` of the rule.
        pointer: String,
    },
    /// An earlier rule decides.
    #[error("rule {number} decides before it", number = by + 1)]
    Decided {
        /// The deciding rule, counted from 0.
        by: usize,
    },
    /// The rule has a problem, so that it takes no part.
    #[error("the rule is invalid")]
    Invalid,
    /// The tool has no such parameter.
    #[error("the tool has no parameter `{pointer}`")]
    Unresolved {
        /// The `arg` of the rule.
        pointer: String,
    },
}

impl<M: Mode> Policy<M> {
    /// Decides a call with these arguments: the first rule whose condition is met (RFD D25, "Evaluation: first-match-wins").
    ///
    /// The arguments are expected to be valid for the tool; a value of another type than declared satisfies no matcher but an equal `const`
    /// or `enum`.
    #[must_use]
    pub fn evaluate(&self, arguments: &Value) -> Evaluation<M> {
        let mut evaluation = Evaluation {
            mode: M::ASK,
            rule: None,
            values: Vec::new(),
            trace: Vec::with_capacity(self.rules.len()),
        };
        for (index, rule) in self.rules.iter().enumerate() {
            let (verdict, reason) = match evaluation.rule {
                Some(by) => (Verdict::Skipped, Reason::Decided { by }),
                None => self.try_rule(rule, arguments, &mut evaluation.values),
            };
            if verdict == Verdict::Matched {
                evaluation.rule = Some(index);
                evaluation.mode = rule.raw.mode;
            }
            evaluation.trace.push(RuleTrace {
                index,
                verdict,
                reason,
            });
        }
        evaluation
    }

    fn try_rule(
        &self,
        rule: &Rule<M>,
        arguments: &Value,
        matched: &mut Vec<Value>,
    ) -> (Verdict, Reason) {
        let pointer = || rule.raw.arg.clone().unwrap_or_default();
        let (argument, matcher) = match &rule.condition {
            Condition::CatchAll => return (Verdict::Matched, Reason::CatchAll),
            Condition::Inert(Inert::Problem) => return (Verdict::Skipped, Reason::Invalid),
            Condition::Inert(Inert::Unresolved) => {
                let pointer = pointer();
                return (Verdict::Skipped, Reason::Unresolved { pointer });
            }
            Condition::Matches { argument, matcher } => (*argument, matcher),
        };
        let (Some(group), Some((kind, _))) = (self.groups.get(argument), rule.raw.matchers.first())
        else {
            return (Verdict::Skipped, Reason::Invalid);
        };
        let permits = rule.raw.mode.strictness() == M::UNATTENDED.strictness();
        let mut values: Vec<&Value> = Vec::new();
        group
            .argument
            .visit(arguments, &mut |value| values.push(value));
        let form = group.argument.form;
        matched.extend(
            values
                .iter()
                .filter(|value| {
                    matcher
                        .try_matches(&Atom::of_value(value, form), form)
                        .unwrap_or(!permits)
                })
                .map(|value| (*value).clone()),
        );
        let (pointer, matcher) = (pointer(), *kind);
        match (matched.first(), values.as_slice()) {
            (Some(value), _) => {
                let value = value.clone();
                let reason = Reason::ValueMatches {
                    pointer,
                    matcher,
                    value,
                };
                (Verdict::Matched, reason)
            }
            (None, []) => (Verdict::NotMatched, Reason::NoValue { pointer }),
            (None, [value]) => {
                let value = (*value).clone();
                let reason = Reason::ValueDoesNotMatch {
                    pointer,
                    matcher,
                    value,
                };
                (Verdict::NotMatched, reason)
            }
            (None, several) => {
                let count = several.len();
                let reason = Reason::NoValueMatches {
                    pointer,
                    matcher,
                    count,
                };
                (Verdict::NotMatched, reason)
            }
        }
    }
}

#[cfg(test)]
#[path = "evaluation_tests.rs"]
mod tests;
