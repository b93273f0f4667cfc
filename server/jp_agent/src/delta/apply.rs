//! What a recorded delta makes of a config.
//!
//! ```json
//! {"delta": {"conversation": {"attachments": ["file://b.md"]}}, "unsets": ["conversation.attachments[\"file://a.md\"]"]}
//! ```
//!
//! turns `["file://a.md", "file://c.md"]` into `["file://c.md", "file://b.md"]`.

use jp_conversation::ConfigDelta;
use serde_json::Value;

use super::{
    Unset,
    cycle_config::{merged, normalized},
    model_ids::write_out_model_ids,
};
use crate::aliases::AliasMap;

/// The config after a delta: unsets first, then the partial config is merged (decided for RFD 078 with RFD 070).
///
/// The result has its shorthands written out, as in [`CycleConfig`](super::CycleConfig).
/// An unset that names nothing is skipped: removing is idempotent.
#[must_use]
pub fn apply(config: &Value, delta: &ConfigDelta) -> Value {
    let unsets: Vec<Unset> = delta
        .unsets
        .iter()
        .filter_map(|text| match Unset::parse(text) {
            Ok(unset) => Some(unset),
            Err(error) => {
                tracing::warn!(%error, "a recorded unset cannot be read");
                None
            }
        })
        .collect();
    let mut partial = Value::Object(delta.delta.clone());
    let base = normalized(config);
    write_out_model_ids(&mut partial, &AliasMap::of(&base));
    apply_parts(base, &unsets, &partial)
}

/// The same for a config and a partial that have their shorthands written out.
pub(super) fn apply_parts(mut base: Value, unsets: &[Unset], partial: &Value) -> Value {
    for unset in unsets {
        unset.remove_from(&mut base);
    }
    merged(vec![&base, partial])
}
