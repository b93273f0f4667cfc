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

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use indexmap::IndexSet;
use serde_json::Value;

use crate::{
    content::Content,
    document::Node,
    graph::{FileId, Graph, Layer},
    merge::{LayerId, Located, merge},
    schema::schema,
};

/// From how many layers on it pays to know which of them name a tool.
const LAYERS_TO_INDEX: usize = 32;

/// The layers of one workspace, with at most one fragment on top.
#[derive(Debug, Clone)]
pub struct View {
    graph: Arc<Graph>,
    layers: Vec<Layer>,
    fragment: Option<usize>,
    /// The layers that name each tool, found when first asked for: a tool per file is common, and so are many tools.
    by_tool: OnceLock<HashMap<String, Vec<usize>>>,
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
            by_tool: OnceLock::new(),
        }
    }

    /// The view of a person who works with the fragment of the given index in [`Graph::fragments`].
    #[must_use]
    pub fn with_fragment(graph: Arc<Graph>, index: usize) -> Self {
        Self {
            layers: graph.layers_with(graph.fragments.get(index)),
            fragment: graph.fragments.get(index).map(|_| index),
            graph,
            by_tool: OnceLock::new(),
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
        (0..self.layers.len()).filter_map(|index| self.content(index))
    }

    fn content(&self, index: usize) -> Option<(LayerId, &Content)> {
        let content = self.graph.content(self.layers.get(index)?.file)?;
        Some((layer_id(index), content.as_ref()))
    }

    /// What each layer holds at a path of keys, weakest first.
    pub fn values<'a>(
        &'a self,
        path: &'a [&'a str],
    ) -> impl Iterator<Item = (LayerId, LayerValue<'a>)> {
        let naming = match path {
            ["conversation", "tools", tool, ..] => self.layers_naming(tool),
            _ => None,
        };
        let count = naming.map_or(self.layers.len(), <[usize]>::len);
        (0..count)
            .filter_map(move |index| match naming {
                Some(naming) => naming.get(index).copied(),
                None => Some(index),
            })
            .filter_map(|index| self.content(index))
            .filter_map(move |(layer, content)| Some((layer, value_at(content, path)?)))
    }

    /// The layers that say something of a tool; nothing where there are so few that each may be asked.
    fn layers_naming(&self, tool: &str) -> Option<&[usize]> {
        if self.layers.len() < LAYERS_TO_INDEX {
            return None;
        }
        let by_tool = self.by_tool.get_or_init(|| {
            let mut by_tool: HashMap<String, Vec<usize>> = HashMap::new();
            for (layer, content) in self.contents() {
                for key in keys_at(content, &["conversation", "tools"]) {
                    by_tool.entry(key).or_default().push(layer.0 as usize);
                }
            }
            by_tool
        });
        Some(by_tool.get(tool).map_or(&[], Vec::as_slice))
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
        self.contents()
            .flat_map(|(_, content)| keys_at(content, path))
            .collect()
    }
}

fn layer_id(index: usize) -> LayerId {
    LayerId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// The keys that a file declares in the table at a path.
fn keys_at(content: &Content, path: &[&str]) -> Vec<String> {
    match value_at(content, path) {
        Some(LayerValue::Node(Node::Table(table))) => table
            .entries()
            .map(|entry| entry.key().to_owned())
            .collect(),
        Some(LayerValue::Data(Value::Object(map))) => map.keys().cloned().collect(),
        _ => Vec::new(),
    }
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
