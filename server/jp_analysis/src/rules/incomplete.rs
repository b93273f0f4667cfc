//! Whether the config is all there: what a missing file may bring is no mistake of those that are.

use jp_config::{graph::GraphProblemKind, view::View};

use crate::tool::ToolContext;

/// Whether a file that the config names is not there to be read.
pub(super) fn is_incomplete(context: &ToolContext<'_>) -> bool {
    is_graph_incomplete(context.view)
}

/// Whether a file that the config names is not there to be read.
pub(super) fn is_graph_incomplete(view: &View) -> bool {
    view.graph().problems.iter().any(|problem| {
        matches!(
            problem.kind,
            GraphProblemKind::ExtendsMissing { .. }
                | GraphProblemKind::ExtendsUnsupported { .. }
                | GraphProblemKind::ExtendsTooMany { .. }
                | GraphProblemKind::LinkOutside { .. }
                | GraphProblemKind::Outside { .. }
                | GraphProblemKind::Unreadable(_)
        )
    })
}
