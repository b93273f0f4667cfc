//! Where in the files of a graph something stands.

use jp_config::{document::Span, graph::FileId};

/// A span of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The bytes in it.
    pub span: Span,
}
