//! Which views of the two sides belong together, and which tools can differ in them.

use std::{collections::BTreeSet, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    graph::{Fragment, Graph},
    view::View,
};

use super::model::from_workspace;
use crate::tool::{DEFAULTS, TOOLS};

/// Two views, and the tools that they declare.
pub(super) struct Pair {
    pub(super) fragment: Option<Utf8PathBuf>,
    pub(super) before: View,
    pub(super) after: View,
    pub(super) tools: BTreeSet<String>,
}

/// The workspace itself, then each fragment; a fragment of one side stands beside the workspace of the other.
pub(super) fn pairs(before: &Arc<Graph>, after: &Arc<Graph>) -> Vec<Pair> {
    let (left, right) = (View::new(Arc::clone(before)), View::new(Arc::clone(after)));
    let names = |view: &View| view.keys(&TOOLS);
    let mut tools: BTreeSet<String> = names(&left).into_iter().collect();
    tools.extend(names(&right));
    let mut pairs = vec![Pair {
        fragment: None,
        before: left,
        after: right,
        tools,
    }];
    let paths: BTreeSet<&Utf8Path> = [before, after]
        .into_iter()
        .flat_map(|graph| {
            graph
                .fragments
                .iter()
                .map(|fragment| graph.path(fragment.file))
        })
        .collect();
    for path in paths {
        let side = |graph: &Arc<Graph>| {
            let mut fragments = graph.fragments.iter();
            let index = fragments.position(|fragment| graph.path(fragment.file) == path);
            let fragment = index.and_then(|index| graph.fragments.get(index));
            let tools = fragment
                .map(|fragment| declared(graph, fragment))
                .unwrap_or_default();
            let view = match index {
                Some(index) => View::with_fragment(Arc::clone(graph), index),
                None => View::new(Arc::clone(graph)),
            };
            (view, tools)
        };
        let (before_view, mut tools) = side(before);
        let (after_view, others) = side(after);
        tools.extend(others);
        // What is said of the defaults is said of every tool that inherits them.
        if tools.contains(DEFAULTS) {
            tools.extend(names(&before_view));
            tools.extend(names(&after_view));
        }
        pairs.push(Pair {
            fragment: Some(from_workspace(&after.workspace, path)),
            before: before_view,
            after: after_view,
            tools,
        });
    }
    pairs
}

/// The tools that the files of a fragment say something of.
fn declared(graph: &Arc<Graph>, fragment: &Fragment) -> BTreeSet<String> {
    let is_own =
        |layer: &jp_config::graph::Layer| fragment.layers.iter().any(|own| own.file == layer.file);
    let mut own = graph.with_layers(is_own);
    if let Some(index) = graph.fragments.iter().position(|known| known == fragment) {
        own.layers = Arc::default();
        return View::with_fragment(Arc::new(own), index)
            .keys(&TOOLS)
            .into_iter()
            .collect();
    }
    BTreeSet::new()
}
