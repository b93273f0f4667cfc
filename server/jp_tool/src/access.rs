//! A tool's grants, and the decisions that follow from them.
//!
//! ```toml
//! [[conversation.tools.fs_create_file.access.fs]]
//! path = ".config/jp/tools"
//! read = true
//! write = true
//! ```
//!
//! In all four lists the most specific matching rule decides, alone and in full; of equally specific rules the last
//! one declared.
//! A list without rules leaves its resource unrestricted, except for config, which stays closed.

use std::fmt;

use camino::Utf8Path;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::{ConfigRule, EnvRule, FsCapability, FsRule, NetRule, RuleList};

pub(crate) mod compare;
pub(crate) mod compile;
pub(crate) mod config;
pub(crate) mod config_path;
pub(crate) mod decision;
pub(crate) mod env;
pub(crate) mod fs;
pub(crate) mod fs_error;
pub(crate) mod host;
pub(crate) mod list;
pub(crate) mod net;
pub(crate) mod problem;
pub(crate) mod protected;
mod trie;

/// The finalized grants of one tool, after the host merged all layers (RFD 076, "Runtime types").
///
/// Read from a JSON object only; anything else is an error, since no rules would mean no restriction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct AccessPolicy {
    /// Grants on files below the workspace.
    #[serde(default)]
    pub fs: RuleList<FsRule>,

    /// Grants to connect.
    #[serde(default)]
    pub net: RuleList<NetRule>,

    /// Grants to read environment variables.
    #[serde(default)]
    pub env: RuleList<EnvRule>,

    /// Grants on the config, for the tool to look at: the host enforces them (RFD 078).
    #[serde(default, skip_serializing_if = "RuleList::is_empty")]
    pub config: RuleList<ConfigRule>,
}

impl Serialize for AccessPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for AccessPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = AccessPolicy;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object with the lists `fs`, `net`, `env` and `config`")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AccessPolicy, A::Error> {
                AccessPolicy::deserialize(MapAccessDeserializer::new(map))
            }
        }

        // Derived code alone would take an array as well, and `[]` for a policy without rules.
        deserializer.deserialize_map(Object)
    }
}

impl AccessPolicy {
    /// Whether the rules grant reading `canonical`, a path as [`canonicalize`](crate::canonicalize) returns it.
    #[must_use]
    pub fn can_read(&self, canonical: &Utf8Path) -> bool {
        self.can(FsCapability::Read, canonical)
    }

    /// Whether the rules grant creating `canonical`.
    ///
    /// Like its siblings below it looks at the path alone; [`Context::check_fs`](crate::Context::check_fs) looks at the
    /// disk as well, and knows every protected place.
    #[must_use]
    pub fn can_create(&self, canonical: &Utf8Path) -> bool {
        self.can(FsCapability::Create, canonical)
    }

    /// Whether the rules grant changing `canonical`.
    #[must_use]
    pub fn can_update(&self, canonical: &Utf8Path) -> bool {
        self.can(FsCapability::Update, canonical)
    }

    /// Whether the rules grant removing `canonical`.
    #[must_use]
    pub fn can_delete(&self, canonical: &Utf8Path) -> bool {
        self.can(FsCapability::Delete, canonical)
    }

    /// Whether the rules grant running `canonical`.
    #[must_use]
    pub fn can_execute(&self, canonical: &Utf8Path) -> bool {
        self.can(FsCapability::Execute, canonical)
    }

    fn can(&self, capability: FsCapability, canonical: &Utf8Path) -> bool {
        self.fs.compiled().is_ok_and(|policy| {
            let place = protected::protected_prefix(canonical);
            policy
                .decide_within(capability, canonical, place.as_deref())
                .allowed
        })
    }
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "access/properties_tests.rs"]
mod properties_tests;
