//! Why no turn starts with a config, asked before there is one.
//!
//! ```json
//! {"path": ".jp/config.toml", "line": 12, "tool": "edit", "rule": {"list": "policy.run", "index": 1}, "message": "…"}
//! ```

use std::sync::Arc;

use jp_agent::{AgentError, config::TurnConfig};
use jp_analysis::{Analysis, Options};
use jp_config::{graph::Graph, refusal::Refusal, view::View};
use serde_json::Value;

use super::config_source::{effective_of, place_of};
use crate::line_index::PositionEncoding;

/// Why no turn starts with the files of a graph, in the words of the turn.
///
/// That no model is named is no reason: a query can name one.
pub(crate) fn refusal(graph: &Arc<Graph>) -> Option<Refusal> {
    refusal_of_files(graph).or_else(|| refusal_of_turn(graph))
}

/// Why no turn starts with what the files of a graph come to together.
pub(crate) fn refusal_of_turn(graph: &Arc<Graph>) -> Option<Refusal> {
    let view = View::new(Arc::clone(graph));
    let builtins = super::builtins::builtins().defaults();
    let error = TurnConfig::resolve(&effective_of(&view), &builtins).err()?;
    if matches!(&error, AgentError::Config { path, .. } if path.starts_with("assistant.model")) {
        return None;
    }
    error.refusal(&graph.workspace, |path, index| {
        place_of(&view, path, index, PositionEncoding::Utf8)
    })
}

/// The first error in the files that a turn loads.
pub(super) fn refusal_of_files(graph: &Arc<Graph>) -> Option<Refusal> {
    let analysis = Analysis::new(Arc::clone(graph), Options::default());
    jp_analysis::refusal::refusal(&analysis)
}

/// The refusal in words.
pub(crate) fn in_words(refusal: &Refusal) -> String {
    format!("no turn starts with this config: {refusal}")
}

/// An answer of `explain`, which says in `refused` that no turn starts where that is so.
pub(crate) fn beside(mut answer: Value, refusal: Option<&Refusal>) -> Value {
    if let (Some(answer), Some(refusal)) = (answer.as_object_mut(), refusal) {
        answer.insert("refused".to_owned(), refusal.to_json());
    }
    answer
}
