//! Grants on environment variables (RFD 076, "Environment variable rules").
//!
//! ```toml
//! [[access.env]]
//! name = "AWS_*"                     # a prefix
//! read = true
//!
//! [[access.env]]
//! name = "AWS_SECRET_ACCESS_KEY"     # exactly this one
//! read = false
//! ```
//!
//! Names are compared byte by byte on every system.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{AccessRule, AccessRuleError, Decision, EnvNameError, Reason, Resource};

/// Whether variables with one name, or one prefix, may be read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EnvRule {
    /// The name; with a `*` at its end, a prefix of names.
    pub name: String,

    /// Whether reading is granted.
    /// Default `false`.
    #[serde(default)]
    pub read: bool,
}

/// What the name of a rule stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum EnvPattern {
    /// One variable.
    Exact(String),

    /// Every variable whose name starts with this.
    Prefix(String),
}

/// Checks the name of a rule.
///
/// # Errors
///
/// An empty name, a `*` before the end, `=`, NUL and white space.
pub fn validate_env_name(name: &str) -> Result<EnvPattern, EnvNameError> {
    if name.is_empty() {
        return Err(EnvNameError::Empty);
    }
    if let Some(character) = name
        .chars()
        .find(|c| *c == '=' || c.is_control() || c.is_whitespace())
    {
        return Err(EnvNameError::Character {
            name: name.to_owned(),
            character: character.escape_debug().to_string(),
        });
    }
    let (literal, is_prefix) = name
        .strip_suffix('*')
        .map_or((name, false), |literal| (literal, true));
    if let Some((head, _)) = literal.split_once('*') {
        return Err(EnvNameError::Wildcard {
            name: name.to_owned(),
            suggestion: format!("{head}*"),
        });
    }
    Ok(if is_prefix {
        EnvPattern::Prefix(literal.to_owned())
    } else {
        EnvPattern::Exact(literal.to_owned())
    })
}

/// The evaluator of a list of [`EnvRule`]s.
#[derive(Debug, Clone, Default)]
pub struct EnvPolicy {
    rules: Vec<EnvRule>,
    exact: HashMap<String, usize>,
    /// Sorted by literal; each knows the longest other literal that is a prefix of its own.
    prefixes: Vec<Prefix>,
}

#[derive(Debug, Clone)]
struct Prefix {
    literal: String,
    rule: usize,
    shorter: Option<usize>,
}

impl EnvPolicy {
    /// Builds the evaluator.
    ///
    /// # Errors
    ///
    /// The first name that [`validate_env_name`] refuses.
    pub fn compile(rules: &[EnvRule]) -> Result<Self, AccessRuleError> {
        let mut exact = HashMap::new();
        let mut literals = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            match validate_env_name(&rule.name) {
                Ok(EnvPattern::Exact(name)) => {
                    exact.insert(name, index);
                }
                Ok(EnvPattern::Prefix(literal)) => literals.push((literal, index)),
                Err(error) => {
                    return Err(AccessRuleError {
                        resource: Resource::Env,
                        index,
                        problem: error.into(),
                    });
                }
            }
        }
        Ok(Self {
            rules: rules.to_vec(),
            exact,
            prefixes: linked(literals),
        })
    }

    /// Decides about reading the variable `name`.
    #[must_use]
    pub fn decide(&self, name: &str) -> Decision {
        let decision = |allowed, rule, reason| Decision {
            allowed,
            rule,
            target: name.to_owned(),
            reason,
        };
        if name.is_empty() || name.contains(['=', '\0']) {
            return decision(false, None, Reason::NotCanonical);
        }
        if self.rules.is_empty() {
            return decision(true, None, Reason::Unrestricted);
        }
        // An exact literal is as long as the name, so that only an equally long prefix could compete, and loses.
        let winner = self
            .exact
            .get(name)
            .copied()
            .or_else(|| self.longest_prefix(name))
            .and_then(|index| Some((index, self.rules.get(index)?)));
        match winner {
            None => decision(false, None, Reason::NoRule),
            Some((index, rule)) if rule.read => decision(true, Some(index), Reason::Granted),
            Some((index, _)) => decision(false, Some(index), Reason::NotGranted),
        }
    }

    fn longest_prefix(&self, name: &str) -> Option<usize> {
        let after = self
            .prefixes
            .partition_point(|prefix| prefix.literal.as_str() <= name);
        let mut candidate = self.prefixes.get(after.checked_sub(1)?)?;
        // Whatever literal is a prefix of `name` is a prefix of the literal sorted right before it, too.
        let common = common_length(&candidate.literal, name);
        while candidate.literal.len() > common {
            candidate = self.prefixes.get(candidate.shorter?)?;
        }
        Some(candidate.rule)
    }

    /// The names in the rules that grant reading, in declaration order.
    pub fn granting_names(&self) -> impl Iterator<Item = &str> {
        self.rules
            .iter()
            .filter(|rule| rule.read)
            .map(|rule| rule.name.as_str())
    }

    pub(crate) fn check(&self, name: &str) -> Result<(), EnvAccessError> {
        let decision = self.decide(name);
        match decision.reason {
            _ if decision.allowed => Ok(()),
            Reason::NotCanonical => Err(EnvAccessError::InvalidName(decision.target)),
            _ => Err(EnvAccessError::Denied {
                name: decision.target,
                grants: self.granting_names().map(str::to_owned).collect(),
            }),
        }
    }
}

/// Sorts the literals, keeps the last rule of each, and links each to its longest proper prefix.
fn linked(mut literals: Vec<(String, usize)>) -> Vec<Prefix> {
    literals.sort();
    let mut prefixes: Vec<Prefix> = Vec::with_capacity(literals.len());
    let mut open: Vec<usize> = Vec::new();
    for (literal, rule) in literals {
        while let Some(prefix) = open.last().and_then(|index| prefixes.get(*index)) {
            if literal.starts_with(&prefix.literal) {
                break;
            }
            open.pop();
        }
        let enclosing = open.last().copied();
        if let Some(same) = enclosing.and_then(|index| prefixes.get_mut(index))
            && same.literal == literal
        {
            same.rule = rule;
            continue;
        }
        open.push(prefixes.len());
        prefixes.push(Prefix {
            literal,
            rule,
            shorter: enclosing,
        });
    }
    prefixes
}

fn common_length(left: &str, right: &str) -> usize {
    left.bytes()
        .zip(right.bytes())
        .take_while(|(left, right)| left == right)
        .count()
}

impl AccessRule for EnvRule {
    type Policy = EnvPolicy;

    fn compile(rules: &[Self]) -> Result<EnvPolicy, AccessRuleError> {
        EnvPolicy::compile(rules)
    }
}

/// Why an environment check failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvAccessError {
    /// No variable can have this name.
    #[error("`{0}` is not the name of an environment variable")]
    InvalidName(String),

    /// No rule grants reading the variable.
    #[error("access denied: read environment variable {name}")]
    Denied {
        /// The variable.
        name: String,
        /// The names in the rules that grant reading.
        grants: Vec<String>,
    },

    /// The policy itself is broken, so that nothing is granted.
    #[error("invalid access policy: {0}")]
    InvalidPolicy(#[from] AccessRuleError),
}

#[cfg(test)]
#[path = "env_tests.rs"]
mod tests;
