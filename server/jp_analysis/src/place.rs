//! Where in the files of a graph something stands.

use camino::Utf8PathBuf;
use jp_config::{
    document::Span,
    graph::{FileId, Graph},
};

/// A span of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The bytes in it.
    pub span: Span,
}

/// The line that a place starts on, from 0.
#[must_use]
pub fn line_of(graph: &Graph, place: Place) -> u32 {
    let text = graph
        .content(place.file)
        .and_then(|content| content.document())
        .map_or("", |document| document.text());
    let bytes = text.as_bytes();
    let before = bytes.get(..place.span.start as usize).unwrap_or_default();
    let feeds = before.iter().filter(|byte| **byte == b'\n').count();
    let mut lone_returns = 0;
    // Hardly any text has one, and counting only feeds is many times faster.
    if before.contains(&b'\r') {
        let places = before.iter().enumerate();
        lone_returns = places
            .filter(|(index, byte)| **byte == b'\r' && bytes.get(index + 1) != Some(&b'\n'))
            .count();
    }
    u32::try_from(feeds + lone_returns).unwrap_or(u32::MAX)
}

/// The file of a place as people know it: relative to the workspace where it lies below it.
#[must_use]
pub fn shown_path(graph: &Graph, place: Place) -> Utf8PathBuf {
    let path = graph.path(place.file);
    path.strip_prefix(&graph.workspace)
        .unwrap_or(path)
        .to_owned()
}
