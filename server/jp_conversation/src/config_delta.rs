//! A change of the configuration in the middle of a conversation (RFD 070, RFD 078 "Claims", "Commit").
//!
//! ```json
//! {"type": "config_delta", "timestamp": "2026-03-11 10:42:16.4",
//!  "delta": {"assistant": {"model": {"id": {"name": "opus"}}}},
//!  "unsets": ["assistant.model.parameters.temperature"],
//!  "claims": {"assistant.model.id.name": [], "assistant.model.parameters.temperature": []}}
//! {"type": "config_delta", "timestamp": "2026-03-11 10:51:02.7", "delta": {}, "takes_back": true}
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::ConversationError;

/// A change of the configuration. It takes back first, then unsets, and `delta` is merged at last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConfigDelta {
    /// The partial configuration to merge.
    pub delta: Map<String, Value>,
    /// Config paths that lose their value, elements of lists as `path["json"]` or `path[identity]`.
    pub unsets: Vec<String>,
    /// For config paths that the delta touches, which source stands behind the value.
    pub claims: BTreeMap<String, Claim>,
    /// Whether the last change before this one that still holds no longer does. Absent where it is not so.
    pub takes_back: bool,
}

impl ConfigDelta {
    /// A delta that a tool proposed: each path it sets or unsets is marked as unclaimed.
    ///
    /// `paths` are the leaves that `delta` sets.
    #[must_use]
    pub fn of_tool(
        delta: Map<String, Value>,
        paths: impl IntoIterator<Item = String>,
        unsets: Vec<String>,
    ) -> Self {
        let claims = paths
            .into_iter()
            .chain(unsets.iter().cloned())
            .map(|path| (path, Claim::Unclaimed))
            .collect();
        Self {
            delta,
            unsets,
            claims,
            takes_back: false,
        }
    }

    /// Whether the delta changes nothing. An empty delta is not recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.takes_back && !self.has_own()
    }

    /// Whether there is more to the delta than what it takes back.
    pub(crate) fn has_own(&self) -> bool {
        !(self.delta.is_empty() && self.unsets.is_empty() && self.claims.is_empty())
    }

    pub(crate) fn write(&self, fields: &mut Map<String, Value>) {
        fields.insert("delta".into(), Value::Object(self.delta.clone()));
        if !self.unsets.is_empty() {
            fields.insert("unsets".into(), self.unsets.iter().cloned().collect());
        }
        if !self.claims.is_empty() {
            let claims = self
                .claims
                .iter()
                .map(|(path, claim)| (path.clone(), claim.to_value()));
            fields.insert("claims".into(), Value::Object(claims.collect()));
        }
        if self.takes_back {
            fields.insert("takes_back".into(), true.into());
        }
    }

    /// Takes the delta out of `fields`.
    ///
    /// Without a `delta`, the fields themselves are the partial configuration, as in the oldest conversations.
    pub(crate) fn take(fields: &mut Map<String, Value>) -> Result<Self, ConversationError> {
        let unsets = take_as(fields, "unsets", "an array of config paths")?;
        let claims = take_as(
            fields,
            "claims",
            "an object of config paths and their claims",
        )?;
        let takes_back = take_as(fields, "takes_back", "`true` or `false`")?;
        let delta = match fields.shift_remove("delta") {
            Some(Value::Object(delta)) => delta,
            Some(_) => {
                return Err(ConversationError::invalid_event(
                    "`delta` must be an object",
                ));
            }
            None => std::mem::take(fields),
        };
        Ok(Self {
            delta,
            unsets,
            claims,
            takes_back,
        })
    }
}

fn take_as<T>(
    fields: &mut Map<String, Value>,
    key: &str,
    expected: &str,
) -> Result<T, ConversationError>
where
    T: Default + for<'de> Deserialize<'de>,
{
    match fields.shift_remove(key) {
        None | Some(Value::Null) => Ok(T::default()),
        Some(value) => T::deserialize(value)
            .map_err(|_| ConversationError::invalid_event(format!("`{key}` must be {expected}"))),
    }
}

/// Which config source stands behind a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// None: the value was set on purpose and is not to be walked back. Written `[]`; `null` is read too.
    Unclaimed,
    /// The sources, as `HASH:LABEL`.
    By(Vec<String>),
}

impl Claim {
    fn to_value(&self) -> Value {
        match self {
            Self::Unclaimed => Value::Array(Vec::new()),
            Self::By(sources) => sources.iter().cloned().collect(),
        }
    }
}

impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Claim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let sources = Option::<Vec<String>>::deserialize(deserializer)?.unwrap_or_default();
        Ok(if sources.is_empty() {
            Self::Unclaimed
        } else {
            Self::By(sources)
        })
    }
}
