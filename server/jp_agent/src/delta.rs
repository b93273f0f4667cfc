//! Config changes that tools propose: validated, authorized, confirmed, buffered, and recorded as one event (RFD 078).
//!
//! ```json
//! {"type": "success", "content": "model changed",
//!  "config": {"assistant": {"model": {"id": "sonnet"}}},
//!  "unset": ["assistant.model.parameters.temperature", "conversation.attachments[\"file://stale.md\"]"]}
//! ```
//!
//! A proposal becomes a [`LeafSet`] once, relative to the [`CycleConfig`] that the tool saw.
//! Authorization, the prompt, the claims and the buffer all work on that one list, so they cannot diverge.

mod apply;
mod buffer;
mod cycle_config;
mod filter;
mod grants;
mod leaf_path;
mod leaf_set;
mod loosens;
mod model_ids;
mod persist;
mod problem;
mod prompt;
mod rejection;
mod review;
mod toml;
mod unset;

pub use apply::apply;
pub use buffer::CommitBuffer;
pub use cycle_config::CycleConfig;
pub use filter::filter_config;
pub use grants::{Authorization, GrantDecision, Grants, Unauthorized, authorize};
pub use leaf_path::LeafPath;
pub use leaf_set::{LeafChange, LeafSet, Operation};
pub use loosens::loosens;
pub use persist::{PersistError, Persisted, TextEdit, persist};
pub use problem::Problem;
pub use prompt::prompt;
pub(crate) use prompt::prompt_of_rule;
pub use rejection::{MAXIMUM_REJECTIONS, Rejection};
pub use review::{DeltaOutcome, DeltaReview, without_changes};
pub use unset::{Element, InvalidUnset, Unset};

#[cfg(test)]
#[path = "delta/hostile_tests.rs"]
mod hostile_tests;

#[cfg(test)]
#[path = "delta/properties_tests.rs"]
mod properties_tests;

#[cfg(test)]
#[path = "delta/rfd_078_tests.rs"]
mod rfd_078_tests;
