//! Where a name is defined, used, and what changes when it is renamed.
//!
//! ```toml
//! [conversation.tools.fs_read_file]
//! parameters.path = { type = "path" }                          # the definition of `path`
//! policy.run = [{ arg = "/path", prefix = "src", mode = "ask" }]   # a reference, within a string
//! ```

mod rename;

use std::sync::Arc;

use jp_config::{
    document::{Document, Entry, Node, Place as At, Span},
    graph::{FileId, Graph},
    view::View,
};

pub use self::rename::{RenameError, prepare_rename, rename};
pub use crate::names::{Name, Occurrence, Role, name_at, names_in};
use crate::{diagnostic::Place, text::text_edit::entry_at};

/// The view in which a file is to be judged: the workspace's own, or that of the first fragment which brings it in.
#[must_use]
pub fn view_of_file(graph: &Arc<Graph>, file: FileId) -> View {
    let in_base = graph.layers.iter().any(|layer| layer.file == file);
    let fragment = graph
        .fragments
        .iter()
        .position(|fragment| fragment.layers.iter().any(|layer| layer.file == file));
    match fragment {
        Some(index) if !in_base => View::with_fragment(Arc::clone(graph), index),
        _ => View::new(Arc::clone(graph)),
    }
}

/// Every place in the graph that defines or uses a name, by file and position.
#[must_use]
pub fn occurrences(graph: &Graph, name: &Name) -> Vec<(Place, Role)> {
    let mut found = Vec::new();
    for (index, file) in graph.files.iter().enumerate() {
        let Some(document) = file.content.as_ref().and_then(|content| content.document()) else {
            continue;
        };
        let file = FileId(u32::try_from(index).unwrap_or(u32::MAX));
        for occurrence in names_in(document) {
            if occurrence.name == *name {
                let place = Place {
                    file,
                    span: occurrence.span,
                };
                found.push((place, occurrence.role));
            }
        }
    }
    found
}

/// Where the name at an offset is defined.
///
/// Of all the tables that say something of a name, those that say most: a tool's with its `source`, else those that are
/// called by the name itself and not by something below it, else the first of each file.
#[must_use]
pub fn definitions(graph: &Graph, document: &Document, offset: usize) -> Vec<Place> {
    let Some((name, _)) = name_at(document, offset) else {
        return Vec::new();
    };
    let mut found: Vec<(Weight, Place)> = occurrences(graph, &name)
        .into_iter()
        .filter(|(_, role)| *role == Role::Definition)
        .map(|(place, _)| (weight(graph, place), place))
        .collect();
    let most = found.iter().map(|(weight, _)| *weight).max();
    found.retain(|(weight, _)| Some(*weight) == most);
    if most == Some(Weight::Below) {
        found.dedup_by_key(|(_, place)| place.file);
    }
    found.into_iter().map(|(_, place)| place).collect()
}

/// How much a definition says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Something below the name.
    Below,
    /// The name itself.
    Itself,
    /// The name itself, and where the tool comes from.
    Source,
}

fn weight(graph: &Graph, place: Place) -> Weight {
    let content = graph.content(place.file);
    let Some(document) = content.and_then(|content| content.document()) else {
        return Weight::Below;
    };
    let is_last = match document.at(place.span.start as usize).place {
        At::Header {
            segment, segments, ..
        }
        | At::Key {
            segment, segments, ..
        } => segment + 1 == segments,
        _ => false,
    };
    let entry = entry_at(document, place.span.start).map(Entry::value);
    let has_source = entry
        .and_then(Node::as_table)
        .is_some_and(|table| table.get("source").is_some());
    match (is_last, has_source) {
        (false, _) => Weight::Below,
        (true, false) => Weight::Itself,
        (true, true) => Weight::Source,
    }
}

/// Where the name at an offset is used, and where it is defined if `declarations` says so.
#[must_use]
pub fn references(
    graph: &Graph,
    document: &Document,
    offset: usize,
    declarations: bool,
) -> Vec<Place> {
    let Some((name, _)) = name_at(document, offset) else {
        return Vec::new();
    };
    occurrences(graph, &name)
        .into_iter()
        .filter(|(_, role)| declarations || *role == Role::Reference)
        .map(|(place, _)| place)
        .collect()
}

/// The places in one document that name the same as an offset.
#[must_use]
pub fn highlights(document: &Document, offset: usize) -> Vec<(Span, Role)> {
    let Some((name, _)) = name_at(document, offset) else {
        return Vec::new();
    };
    names_in(document)
        .into_iter()
        .filter(|occurrence| occurrence.name == name)
        .map(|occurrence| (occurrence.span, occurrence.role))
        .collect()
}

#[cfg(test)]
#[path = "navigation_tests.rs"]
mod tests;
