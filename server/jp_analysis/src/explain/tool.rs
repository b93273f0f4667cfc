//! The tool that an explanation is about.

use std::sync::Arc;

use jp_config::{builtin, graph::Graph, view::View};

use super::error::ExplainError;
use crate::{
    options::Options,
    tool::{DEFAULTS, TOOLS, ToolContext},
};

/// The view in which a tool is to be judged: the workspace's own, or that of the first fragment which declares it.
///
/// # Errors
///
/// [`ExplainError::UnknownTool`] when no file declares it and it is no builtin.
pub fn view_of_tool(graph: &Arc<Graph>, tool: &str) -> Result<View, ExplainError> {
    let path = [TOOLS[0], TOOLS[1], tool];
    let mut names = Vec::new();
    for fragment in std::iter::once(None).chain((0..graph.fragments.len()).map(Some)) {
        let view = match fragment {
            None => View::new(Arc::clone(graph)),
            Some(index) => View::with_fragment(Arc::clone(graph), index),
        };
        if view.values(&path).next().is_some() || builtin::defaults(tool).is_some() {
            return Ok(view);
        }
        names.extend(view.keys(&TOOLS));
    }
    let near = names
        .iter()
        .map(|name| (strsim::jaro_winkler(name, tool), name))
        .filter(|(similarity, _)| *similarity > 0.85)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    Err(ExplainError::UnknownTool {
        tool: tool.to_owned(),
        suggestion: near.map(|(_, name)| name.clone()),
    })
}

/// A tool as a view sees it.
pub(super) fn context<'a>(view: &'a View, tool: &'a str) -> Result<ToolContext<'a>, ExplainError> {
    tool_context(view, tool).ok_or_else(|| ExplainError::UnknownTool {
        tool: tool.to_owned(),
        suggestion: None,
    })
}

/// A tool as a view sees it; a builtin is there even where no file mentions it.
pub(crate) fn tool_context<'a>(view: &'a View, tool: &'a str) -> Option<ToolContext<'a>> {
    let options = Options::default();
    let builtin = || {
        let defaults = builtin::defaults(tool)?;
        Some(ToolContext {
            view,
            name: tool,
            tool: builtin::over_defaults(tool, &defaults, None)?,
            defaults: view.effective(&[TOOLS[0], TOOLS[1], DEFAULTS]),
            options,
        })
    };
    ToolContext::of(view, tool, options).or_else(builtin)
}
