//! The engine of the production server: the checks of `jp_analysis` over the workspaces of the editor.
//!
//! ```text
//! open buffers + disk -> contents -> load graph -> (reading) -> findings -> a report for every file (analysis)
//! ```
//!
//! Each step reuses what the one before it holds.
//! A keystroke reads no file: buffers come from the snapshot, everything else from the reading before it.
//! Most requests need the reading alone, so they wait for no rule.

pub use super::{
    analysis::ConfigAnalysis,
    reading::{ConfigReading, WorkspaceReading},
};
use crate::agent::host::AgentHost;

/// The engine; of its own it has nothing but the handle on the host of turns.
#[derive(Debug, Clone, Default)]
pub struct ConfigEngine {
    pub(crate) agent: AgentHost,
}
