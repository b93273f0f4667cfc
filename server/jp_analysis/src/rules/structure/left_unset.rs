//! Keys that the released `jp` must have and that no file of the load sets.
//!
//! codes: missing-required

use jp_config::{
    document::Span,
    graph::{FileId, Graph, Layer, SourceKind},
    view::value_at,
};

use crate::diagnostic::{Code, Diagnostic, Place, Severity};

/// What no file sets because the user's global config is the last word, although the released `jp` must have it.
///
/// Without such a word the keys may come from elsewhere, and their absence is no mistake.
pub(crate) fn left_unset(graph: &Graph) -> Vec<Diagnostic> {
    let Some(stopped_by) = graph.stopped_by else {
        return Vec::new();
    };
    let is_global =
        |layer: &Layer| layer.file == stopped_by && layer.source == SourceKind::UserGlobal;
    if !graph.layers.iter().any(is_global) {
        return Vec::new();
    }
    let sets = |file: FileId, path: &[&str]| {
        graph
            .content(file)
            .is_some_and(|content| value_at(content, path).is_some())
    };
    let place = |file| Place {
        file,
        span: Span { start: 0, end: 0 },
    };
    [
        &["assistant", "model", "id"][..],
        &["conversation", "tools", "*", "run"],
    ]
    .into_iter()
    .filter(|path| !graph.layers.iter().any(|layer| sets(layer.file, path)))
    .map(|path| {
        let by_place = |file: &&FileId| sets(**file, path);
        let file = graph.left_out.iter().find(by_place).or(graph.left_out.first());
        let key = path.join(".");
        let message = format!(
            "missing required value for `{key}`: `inherit = false` in the user's global config leaves every later file out; set it there"
        );
        Diagnostic::new(Code::MissingRequired, place(*file.unwrap_or(&stopped_by)), message)
            .with_severity(Severity::Error)
            .with_related(place(stopped_by), "this file, or one that it extends, is the last word")
    })
    .collect()
}
