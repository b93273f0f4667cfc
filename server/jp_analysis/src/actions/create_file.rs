//! A file that `extends` names and that does not exist is created, empty.
//!
//! ```toml
//! extends = ["tools/missing.toml"]   # "Create `.jp/tools/missing.toml`"
//! ```

use camino::Utf8Path;
use jp_config::{
    content::ContentFormat,
    graph::{Graph, GraphProblemKind},
};

use super::{
    action::{Action, ActionKind, NewFile},
    site::Site,
};
use crate::{Code, Diagnostic, text::markup::one_line};

/// The file that a finding misses; none outside the workspace, and none of a format in which an empty file is no config.
pub(super) fn action(site: &Site<'_>, index: usize, diagnostic: &Diagnostic) -> Option<Action> {
    if diagnostic.code != Code::ExtendsMissing {
        return None;
    }
    let graph = site.view.graph();
    let path = missing(graph, diagnostic)?;
    let shown = path.strip_prefix(&graph.workspace).ok()?;
    // A name that a menu cannot show as it is would be created unseen.
    let is_plain = one_line(shown.as_str()) == shown.as_str();
    if !is_plain || ContentFormat::of(path) != Some(ContentFormat::Toml) {
        return None;
    }
    Some(Action {
        title: format!("Create `{shown}`"),
        kind: ActionKind::QuickFix,
        preferred: false,
        diagnostic: Some(index),
        edits: Vec::new(),
        creates: Some(NewFile {
            path: path.to_owned(),
            text: String::new(),
        }),
        disabled: None,
    })
}

fn missing<'g>(graph: &'g Graph, diagnostic: &Diagnostic) -> Option<&'g Utf8Path> {
    let place = diagnostic.place;
    graph.problems.iter().find_map(|problem| {
        let is_meant = problem.file == place.file && problem.span == Some(place.span);
        match &problem.kind {
            GraphProblemKind::ExtendsMissing { path, .. } if is_meant => Some(path.as_path()),
            _ => None,
        }
    })
}
