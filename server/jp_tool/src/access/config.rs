//! Grants on the config (RFD 078, "`access.config`").
//!
//! ```toml
//! [[access.config]]
//! path = "assistant.model"
//! read = true
//! write = true          # or "insecure_allow", which sensitive paths require
//! delete = false
//! apply = "ask"         # or "unattended"
//! ```
//!
//! The host enforces these; a tool gets them to look at.

use std::{collections::HashMap, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    AccessRule, AccessRuleError, ConfigPath, ConfigPathError, ConfigSegment, Decision, Reason,
    Resource, overlaps_sensitive,
};

/// Something that can be done with a config value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfigCapability {
    /// See the value in `context.config`.
    Read,
    /// Return another value in `outcome.config`.
    Write,
    /// Return the path in `outcome.unset`.
    Delete,
}

impl ConfigCapability {
    /// The name of the capability, as in a rule.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

impl fmt::Display for ConfigCapability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The value of `write` in a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteGrant {
    /// `false`
    #[default]
    No,
    /// `true`: everything but sensitive paths.
    Yes,
    /// `"insecure_allow"`: sensitive paths, too.
    InsecureAllow,
}

impl From<bool> for WriteGrant {
    fn from(write: bool) -> Self {
        if write { Self::Yes } else { Self::No }
    }
}

impl Serialize for WriteGrant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::No => serializer.serialize_bool(false),
            Self::Yes => serializer.serialize_bool(true),
            Self::InsecureAllow => serializer.serialize_str("insecure_allow"),
        }
    }
}

impl<'de> Deserialize<'de> for WriteGrant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = WriteGrant;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("`true`, `false` or `\"insecure_allow\"`")
            }

            fn visit_bool<E: de::Error>(self, write: bool) -> Result<WriteGrant, E> {
                Ok(write.into())
            }

            fn visit_str<E: de::Error>(self, write: &str) -> Result<WriteGrant, E> {
                match write {
                    "insecure_allow" => Ok(WriteGrant::InsecureAllow),
                    _ => Err(E::invalid_value(de::Unexpected::Str(write), &self)),
                }
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

/// Whether a person confirms a change before it is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApplyMode {
    /// A person confirms.
    #[default]
    Ask,
    /// The change is applied at once.
    Unattended,
}

/// What may be done at and below one config path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ConfigRule {
    /// The dotted path; `*` is any one key.
    pub path: String,

    /// Whether reading is granted.
    /// Default `false`.
    #[serde(default)]
    pub read: bool,

    /// Whether writing is granted.
    /// Default `false`.
    #[serde(default)]
    pub write: WriteGrant,

    /// Whether unsetting is granted.
    /// Default `false`.
    #[serde(default)]
    pub delete: bool,

    /// Whether a person confirms.
    /// Default [`ApplyMode::Ask`].
    #[serde(default)]
    pub apply: ApplyMode,
}

impl ConfigRule {
    /// Whether the rule grants `capability`, sensitive paths aside.
    #[must_use]
    pub fn grants(&self, capability: ConfigCapability) -> bool {
        match capability {
            ConfigCapability::Read => self.read,
            ConfigCapability::Write => self.write != WriteGrant::No,
            ConfigCapability::Delete => self.delete,
        }
    }
}

/// The evaluator of a list of [`ConfigRule`]s.
#[derive(Debug, Clone, Default)]
pub struct ConfigPolicy {
    rules: Vec<ConfigRule>,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Default)]
struct Node {
    keys: HashMap<String, usize>,
    any: Option<usize>,
    rule: Option<usize>,
}

impl ConfigPolicy {
    /// Builds the evaluator.
    ///
    /// # Errors
    ///
    /// The first path that [`ConfigPath::parse`] refuses.
    pub fn compile(rules: &[ConfigRule]) -> Result<Self, AccessRuleError> {
        let mut policy = Self {
            rules: rules.to_vec(),
            nodes: vec![Node::default()],
        };
        for (index, rule) in rules.iter().enumerate() {
            let path = ConfigPath::parse(&rule.path).map_err(|error| AccessRuleError {
                resource: Resource::Config,
                index,
                problem: error.into(),
            })?;
            policy.insert(&path, index);
        }
        Ok(policy)
    }

    fn insert(&mut self, path: &ConfigPath, rule: usize) {
        let mut at = 0;
        for segment in path.segments() {
            let next = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else {
                return;
            };
            at = match segment {
                ConfigSegment::Any => *node.any.get_or_insert(next),
                ConfigSegment::Key(key) => *node.keys.entry(key.clone()).or_insert(next),
            };
            if at == next {
                self.nodes.push(Node::default());
            }
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.rule = Some(rule);
        }
    }

    /// Decides about `capability` on the concrete path `target`.
    ///
    /// A `*` in `target` is the key of that name, as in the tool defaults `conversation.tools.*`.
    /// A path under, at or above a sensitive one is changed only by a rule with `write = "insecure_allow"`; that goes
    /// for unsetting as well, since taking away the last rule of a list lifts a restriction.
    #[must_use]
    pub fn decide(&self, capability: ConfigCapability, target: &ConfigPath) -> Decision {
        let winner = self
            .winner(target)
            .and_then(|index| Some((index, self.rules.get(index)?)));
        let decision = |allowed, rule, reason| Decision {
            allowed,
            rule,
            target: target.to_string(),
            reason,
        };
        let Some((index, rule)) = winner else {
            return decision(false, None, Reason::NoRule);
        };
        if !rule.grants(capability) {
            return decision(false, Some(index), Reason::NotGranted);
        }
        let acknowledged = rule.write == WriteGrant::InsecureAllow;
        if capability != ConfigCapability::Read && !acknowledged && overlaps_sensitive(target) {
            return decision(false, Some(index), Reason::Sensitive);
        }
        decision(true, Some(index), Reason::Granted)
    }

    /// The last declared of the longest matching rules.
    fn winner(&self, target: &ConfigPath) -> Option<usize> {
        let mut reached = vec![self.nodes.first()?];
        let mut winner = None;
        for segment in target.segments() {
            let key = match segment {
                ConfigSegment::Any => "*",
                ConfigSegment::Key(key) => key,
            };
            reached = reached
                .into_iter()
                .flat_map(|node| [node.keys.get(key).copied(), node.any])
                .flatten()
                .filter_map(|index| self.nodes.get(index))
                .collect();
            if reached.is_empty() {
                break;
            }
            winner = reached.iter().filter_map(|node| node.rule).max().or(winner);
        }
        winner
    }

    /// The paths of the rules that grant `capability`, in declaration order.
    pub fn granting_paths(&self, capability: ConfigCapability) -> impl Iterator<Item = &str> {
        self.rules
            .iter()
            .filter(move |rule| rule.grants(capability))
            .map(|rule| rule.path.as_str())
    }

    pub(crate) fn check(
        &self,
        capability: ConfigCapability,
        target: &ConfigPath,
    ) -> Result<(), ConfigAccessError> {
        let decision = self.decide(capability, target);
        match decision.reason {
            _ if decision.allowed => Ok(()),
            Reason::Sensitive => Err(ConfigAccessError::Sensitive {
                capability,
                target: decision.target,
            }),
            _ => Err(ConfigAccessError::Denied {
                capability,
                target: decision.target,
                grants: self.granting_paths(capability).map(str::to_owned).collect(),
            }),
        }
    }
}

impl AccessRule for ConfigRule {
    type Policy = ConfigPolicy;

    fn compile(rules: &[Self]) -> Result<ConfigPolicy, AccessRuleError> {
        ConfigPolicy::compile(rules)
    }
}

/// Why a config check failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigAccessError {
    /// The path cannot be read.
    #[error(transparent)]
    InvalidPath(#[from] ConfigPathError),

    /// No rule grants the capability.
    #[error("access denied: {capability} on config path {target}")]
    Denied {
        /// The capability that was asked for.
        capability: ConfigCapability,
        /// The path that it was asked for.
        target: String,
        /// The paths of the rules that grant the capability.
        grants: Vec<String>,
    },

    /// The path is sensitive, and the rule that grants the capability does not acknowledge that.
    #[error(
        "access denied: {capability} on sensitive config path {target}; its rule needs `write = \"insecure_allow\"`"
    )]
    Sensitive {
        /// The capability that was asked for.
        capability: ConfigCapability,
        /// The path that it was asked for.
        target: String,
    },

    /// The policy itself is broken, so that nothing is granted.
    #[error("invalid access policy: {0}")]
    InvalidPolicy(#[from] AccessRuleError),
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
