//! Lists of rules, with the evaluators that they compile to.

use std::{
    fmt,
    ops::Deref,
    slice,
    sync::{Arc, OnceLock},
    vec,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::AccessRuleError;

/// A kind of rule, with the evaluator that a list of them compiles to.
pub trait AccessRule: Sized {
    /// The evaluator.
    type Policy;

    /// Builds the evaluator; rule indices in its decisions are positions in `rules`.
    ///
    /// # Errors
    ///
    /// The first rule that could never match what it says, so that no denial is lost silently.
    fn compile(rules: &[Self]) -> Result<Self::Policy, AccessRuleError>;
}

/// Rules in declaration order, with their evaluator, compiled once on first use.
///
/// The list changes only as a whole, so that the evaluator always belongs to the rules.
pub struct RuleList<R: AccessRule> {
    rules: Vec<R>,
    compiled: OnceLock<Arc<Result<R::Policy, AccessRuleError>>>,
}

impl<R: AccessRule> RuleList<R> {
    /// The evaluator of these rules.
    ///
    /// # Errors
    ///
    /// As for [`AccessRule::compile`].
    pub fn compiled(&self) -> Result<&R::Policy, AccessRuleError> {
        self.compiled
            .get_or_init(|| Arc::new(R::compile(&self.rules)))
            .as_ref()
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

impl<R: AccessRule> Deref for RuleList<R> {
    type Target = [R];

    fn deref(&self) -> &[R] {
        &self.rules
    }
}

impl<R: AccessRule> From<Vec<R>> for RuleList<R> {
    fn from(rules: Vec<R>) -> Self {
        Self {
            rules,
            compiled: OnceLock::new(),
        }
    }
}

impl<R: AccessRule> FromIterator<R> for RuleList<R> {
    fn from_iter<I: IntoIterator<Item = R>>(rules: I) -> Self {
        Self::from(Vec::from_iter(rules))
    }
}

impl<R: AccessRule> IntoIterator for RuleList<R> {
    type Item = R;
    type IntoIter = vec::IntoIter<R>;

    fn into_iter(self) -> Self::IntoIter {
        self.rules.into_iter()
    }
}

impl<'a, R: AccessRule> IntoIterator for &'a RuleList<R> {
    type Item = &'a R;
    type IntoIter = slice::Iter<'a, R>;

    fn into_iter(self) -> Self::IntoIter {
        self.rules.iter()
    }
}

impl<R: AccessRule> Default for RuleList<R> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<R: AccessRule + Clone> Clone for RuleList<R> {
    fn clone(&self) -> Self {
        Self {
            rules: self.rules.clone(),
            compiled: self.compiled.clone(),
        }
    }
}

impl<R: AccessRule + PartialEq> PartialEq for RuleList<R> {
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules
    }
}

impl<R: AccessRule + fmt::Debug> fmt::Debug for RuleList<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules.fmt(formatter)
    }
}

impl<R: AccessRule + Serialize> Serialize for RuleList<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rules.serialize(serializer)
    }
}

impl<'de, R: AccessRule + Deserialize<'de>> Deserialize<'de> for RuleList<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}
