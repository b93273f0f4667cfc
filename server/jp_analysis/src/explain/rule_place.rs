//! The rule that decided, as an explanation names it.
//!
//! ```json
//! {"index":1,"path":".jp/config.toml","line":7}
//! ```

use camino::Utf8PathBuf;
use jp_config::graph::Graph;
use serde_json::{Value, json};

use crate::place::{Place, line_of, shown_path};

/// The rule that decided, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePlace {
    /// Its position in the effective list, from 0.
    pub index: usize,
    /// Its file.
    pub path: Utf8PathBuf,
    /// Its line, from 0.
    pub line: u32,
}

impl RulePlace {
    /// The rule at `place`; `None` for a place that the graph does not know.
    #[must_use]
    pub fn new(graph: &Graph, index: usize, place: Place) -> Self {
        Self {
            index,
            path: shown_path(graph, place),
            line: line_of(graph, place),
        }
    }

    /// The rule as `explain` prints it, its line counted from 1.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({ "index": self.index, "path": self.path, "line": self.line + 1 })
    }
}
