//! The effective view over all layers.
//!
//! ```toml
//! # .jp/config.toml
//! [conversation.tools.fs_read_file.policy]
//! run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
//!
//! # .jp/mcp/tools/fs/read_file.toml, extended by the file above
//! [conversation.tools.fs_read_file.parameters.path]
//! type = "path"
//! ```
//!
//! Most files are fragments: only the view knows that the rule's `arg` names a declared parameter.

use std::sync::Arc;

use indexmap::IndexSet;
use serde_json::Value;

use crate::{
    content::Content,
    document::Node,
    graph::{FileId, Graph, Layer},
    merge::{LayerId, Located, merge},
    schema::schema,
};

/// The layers of one workspace, with at most one fragment on top.
#[derive(Debug, Clone)]
pub struct View {
    graph: Arc<Graph>,
    layers: Vec<Layer>,
    fragment: Option<usize>,
}

/// What one layer holds at a path.
#[derive(Clone, Copy)]
pub enum LayerValue<'a> {
    /// A node of a TOML document.
    Node(Node<'a>),
    /// A value of a JSON or YAML file.
    Data(&'a Value),
}

impl LayerValue<'_> {
    /// The value with its places in a layer.
    #[must_use]
    pub fn located(self, layer: LayerId) -> Located {
        match self {
            Self::Node(node) => Located::from_node(node, layer),
            Self::Data(value) => Located::from_json(value, layer),
        }
    }
}

impl View {
    /// The workspace's own view, without any fragment.
    #[must_use]
    pub fn new(graph: Arc<Graph>) -> Self {
        Self {
            layers: graph.layers.clone(),
            graph,
            fragment: None,
        }
    }

    /// The view of a person who works with the fragment of the given index in [`Graph::fragments`].
    #[must_use]
    pub fn with_fragment(graph: Arc<Graph>, index: usize) -> Self {
        Self {
            layers: graph.layers_with(graph.fragments.get(index)),
            fragment: graph.fragments.get(index).map(|_| index),
            graph,
        }
    }

    /// The graph that the view was made from.
    #[must_use]
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The merge order, weakest first.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The index of the fragment on top, if there is one.
    #[must_use]
    pub fn fragment(&self) -> Option<usize> {
        self.fragment
    }

    /// The file of a layer.
    #[must_use]
    pub fn file(&self, layer: LayerId) -> Option<FileId> {
        Some(self.layers.get(layer.0 as usize)?.file)
    }

    /// The layers with their contents, weakest first; files that could not be read are left out.
    pub fn contents(&self) -> impl Iterator<Item = (LayerId, &Content)> {
        self.layers.iter().enumerate().filter_map(|(index, layer)| {
            let content = self.graph.content(layer.file)?;
            Some((layer_id(index), content.as_ref()))
        })
    }

    /// What each layer holds at a path of keys, weakest first.
    pub fn values<'a>(
        &'a self,
        path: &'a [&'a str],
    ) -> impl Iterator<Item = (LayerId, LayerValue<'a>)> {
        self.contents()
            .filter_map(move |(layer, content)| Some((layer, value_at(content, path)?)))
    }

    /// The effective value at a path of keys, with the places that set it; schema defaults are not filled in.
    #[must_use]
    pub fn effective(&self, path: &[&str]) -> Option<Located> {
        let stack: Vec<Located> = self
            .values(path)
            .map(|(layer, value)| value.located(layer))
            .collect();
        let schema = schema();
        let node = path
            .iter()
            .try_fold(schema.root(), |node, key| schema.child(node, key));
        merge(schema, node, stack)
    }

    /// The keys that any layer declares in the table at a path, in order of first appearance.
    #[must_use]
    pub fn keys(&self, path: &[&str]) -> IndexSet<String> {
        let mut keys = IndexSet::new();
        for (_, value) in self.values(path) {
            match value {
                LayerValue::Node(Node::Table(table)) => {
                    keys.extend(table.entries().map(|entry| entry.key().to_owned()));
                }
                LayerValue::Data(Value::Object(map)) => keys.extend(map.keys().cloned()),
                LayerValue::Node(_) | LayerValue::Data(_) => {}
            }
        }
        keys
    }
}

fn layer_id(index: usize) -> LayerId {
    LayerId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// What a file holds at a path of keys.
#[must_use]
pub fn value_at<'a>(content: &'a Content, path: &[&str]) -> Option<LayerValue<'a>> {
    match content {
        Content::Toml(document) => {
            let mut node = Node::Table(document.root());
            for key in path {
                let Node::Table(table) = node else {
                    return None;
                };
                node = table.get(key)?.value();
            }
            Some(LayerValue::Node(node))
        }
        Content::Data(Ok(data)) => path
            .iter()
            .try_fold(data, |value, key| value.get(key))
            .map(LayerValue::Data),
        Content::Data(Err(_)) => None,
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
