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
    merge::{
        LayerId, Located, LocatedValue, finish, is_passed_over, join, merge, over_nothing,
        pass_over, says_nothing, table_of_shorthand,
    },
    schema::{Merge, NodeId, schema},
};

/// From how many layers on it pays to know which of them say something of what is asked.
const LAYERS_TO_INDEX: usize = 32;

/// The layers of one workspace, with at most one fragment on top.
#[derive(Debug, Clone)]
pub struct View {
    graph: Arc<Graph>,
    layers: Arc<Vec<Layer>>,
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

impl<'a> LayerValue<'a> {
    /// The value of a key, if this is a table that has it.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        match self {
            Self::Node(node) => Some(Self::Node(node.as_table()?.get(key)?.value())),
            Self::Data(value) => value.get(key).map(Self::Data),
        }
    }

    fn is_table(self) -> bool {
        match self {
            Self::Node(node) => node.as_table().is_some(),
            Self::Data(value) => value.is_object(),
        }
    }

    fn is_null(self) -> bool {
        matches!(self, Self::Data(Value::Null))
    }

    /// Whether the value sets nothing of what a schema node describes: see [`says_nothing`].
    #[must_use]
    pub fn says_nothing(self, id: NodeId) -> bool {
        match self {
            Self::Node(node) => says_nothing(schema(), id, node),
            Self::Data(value) => says_nothing(schema(), id, value),
        }
    }

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
            layers: Arc::clone(&graph.layers),
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
        Some(self.layers.get(layer.index())?.file)
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
        // The graph knows which of its own layers to ask; a fragment on top has few.
        let own = self.graph.layers.len();
        let named = (own >= LAYERS_TO_INDEX).then(|| self.graph.layers_naming(path));
        let (named, others) = match named.flatten() {
            Some(named) => (named, own),
            None => (&[][..], 0),
        };
        named
            .iter()
            .copied()
            .chain(others..self.layers.len())
            .filter_map(|index| self.content(index))
            .filter_map(move |(layer, content)| Some((layer, value_at(content, path)?)))
    }

    /// The effective value at a path of keys, with the places that set it; schema defaults are not filled in.
    ///
    /// Below a value that stands as a whole, such as a command as a text, there is nothing;
    /// below a shorthand that stands for a table there is what it stands for.
    #[must_use]
    pub fn effective(&self, path: &[&str]) -> Option<Located> {
        let (outer, inner) = path.split_at_checked(keys_to_merge(path))?;
        let node = node_at(outer);
        let partial = self.partial(outer)?;
        if let Some(setting) = wrapper_setting(node, &partial, inner) {
            return Some(setting);
        }
        let mut node = node;
        let mut found = finish(schema(), node, partial)?;
        for key in inner {
            if *key == "value" && holds_wrapped(node, &found) {
                continue;
            }
            let table = table_of_shorthand(schema(), node, &found).unwrap_or(found);
            found = table.get(key)?.clone();
            node = node.and_then(|id| schema().child(id, key));
        }
        Some(found)
    }

    /// What each layer holds at a path of keys, or sets as a whole in place of a table above it, weakest first.
    ///
    /// A `null` that sets nothing is left out.
    pub fn values_or_above<'a>(
        &'a self,
        path: &'a [&'a str],
    ) -> impl Iterator<Item = (LayerId, LayerValue<'a>)> {
        let count = keys_to_merge(path);
        let (outer, inner) = path.split_at_checked(count).unwrap_or((path, &[]));
        self.values(outer).filter_map(move |(layer, value)| {
            let mut found = value;
            let mut node = node_at(outer);
            for key in inner {
                let is_wrapped = node.is_some_and(|id| schema().node(id).wrapper.is_some());
                if is_wrapped && *key == "value" && (!found.is_table() || found.get(key).is_none())
                {
                    continue;
                }
                if !found.is_table() {
                    // What a wrapper holds beside its value is no key of the value.
                    return (!is_wrapped && !found.is_null()).then_some((layer, found));
                }
                found = found.get(key)?;
                node = node.and_then(|id| schema().child(id, key));
            }
            let sets_nothing =
                found.is_null() && node.is_some_and(|id| schema().node(id).null.sets_nothing());
            (!sets_nothing).then_some((layer, found))
        })
    }

    /// What a path would come to if each layer merged with the one before it, whatever source they belong to.
    ///
    /// Where that is not [`Self::effective`], a merge wrapper does not do what it says.
    #[must_use]
    pub fn merged_in_a_row(&self, path: &[&str]) -> Option<Located> {
        let stack = self
            .values(path)
            .map(|(layer, value)| value.located(layer))
            .collect();
        merge(schema(), node_at(path), stack)
    }

    /// The table above a path that stands as a whole, so that the path has no value of its own: its keys, and what stands.
    ///
    /// A shorthand of `enable` and a model id as one text are such values too.
    #[must_use]
    pub fn standing_above<'p>(&self, path: &'p [&'p str]) -> Option<(&'p [&'p str], Located)> {
        let (outer, inner) = path.split_at_checked(keys_to_merge(path))?;
        if inner.is_empty() || node_at(outer).is_some_and(|id| schema().node(id).wrapper.is_some())
        {
            return None;
        }
        let mut found = self.partial(outer)?;
        for (depth, key) in inner.iter().enumerate() {
            if !matches!(found.value, LocatedValue::Table(_) | LocatedValue::Null) {
                return Some((path.get(..outer.len() + depth)?, found));
            }
            found = found.get(key)?.clone();
        }
        None
    }

    /// What the layers come to at a path that [`keys_to_merge`] leads to, partial still.
    ///
    /// The layers of one root are merged first, then the roots of one source, then the sources: merging is not associative.
    fn partial(&self, path: &[&str]) -> Option<Located> {
        let node = node_at(path);
        let mut sources = Merged::default();
        let mut roots = Merged::default();
        let mut files = Merged::default();
        let mut before: Option<Layer> = None;
        for (layer, value) in self.mentions(path, node) {
            let here = self.layers.get(layer.index())?;
            if before.is_some_and(|before| before.root != here.root) {
                roots.put(node, std::mem::take(&mut files));
            }
            if before.is_some_and(|before| before.source != here.source) {
                sources.put(node, std::mem::take(&mut roots));
            }
            before = Some(*here);
            let value = value.map(|value| value.located(layer));
            files.put(
                node,
                Merged {
                    speaks: true,
                    value,
                },
            );
        }
        roots.put(node, files);
        sources.put(node, roots);
        sources.value
    }

    /// The layers that have a part in what a path comes to, with what they set there.
    fn mentions<'a>(
        &'a self,
        path: &'a [&'a str],
        node: Option<NodeId>,
    ) -> Box<dyn Iterator<Item = (LayerId, Option<LayerValue<'a>>)> + 'a> {
        let passed_over = node.is_some_and(|id| is_passed_over(schema(), id));
        match path.split_last() {
            Some((key, above)) if passed_over => {
                let table = node_at(above);
                Box::new(self.values(above).filter_map(move |(layer, value)| {
                    let is_silent = table.is_none_or(|id| value.says_nothing(id));
                    (!is_silent).then(|| (layer, value.get(key)))
                }))
            }
            _ => Box::new(self.values(path).map(|(layer, value)| (layer, Some(value)))),
        }
    }

    /// The keys that any layer declares in the table at a path, in order of first appearance.
    #[must_use]
    pub fn keys(&self, path: &[&str]) -> IndexSet<String> {
        self.contents()
            .flat_map(|(_, content)| keys_at(content, path))
            .collect()
    }
}

/// What several layers come to at one path.
#[derive(Default)]
struct Merged {
    /// Whether any of them sets something in the table around it.
    speaks: bool,
    value: Option<Located>,
}

impl Merged {
    /// Puts the next layers on top.
    fn put(&mut self, node: Option<NodeId>, upper: Self) {
        if !upper.speaks {
            return;
        }
        if !self.speaks {
            *self = upper;
            return;
        }
        let schema = schema();
        self.value = match (self.value.take(), upper.value) {
            (Some(lower), Some(upper)) => Some(join(schema, node, lower, upper)),
            (Some(lower), None) => Some(pass_over(schema, node, lower)),
            (None, Some(upper)) => Some(over_nothing(schema, node, upper)),
            (None, None) => None,
        };
    }
}

/// The description at a path of keys; a numeric key is a key.
fn node_at(path: &[&str]) -> Option<NodeId> {
    let schema = schema();
    path.iter()
        .try_fold(schema.root(), |node, key| schema.child(node, key))
}

/// How many keys of a path lead through tables that merge key by key, up to the value that merges as one.
///
/// Below that value no layer can be asked alone: a stronger one may have replaced all of it.
fn keys_to_merge(path: &[&str]) -> usize {
    let schema = schema();
    let mut node = schema.root();
    for (index, key) in path.iter().enumerate() {
        if !matches!(schema.node(node).merge, Merge::Struct | Merge::Map) {
            return index;
        }
        match schema.child(node, key) {
            Some(child) => node = child,
            None => return index + 1,
        }
    }
    path.len()
}

/// What a merge wrapper says beside its value, where a path leads to that.
fn wrapper_setting(node: Option<NodeId>, partial: &Located, inner: &[&str]) -> Option<Located> {
    let (wrapper, [key]) = (schema().node(node?).wrapper?, inner) else {
        return None;
    };
    let is_map = schema().node(node?).merge == Merge::MergeableMap;
    let is_setting = *key != "value" && schema().child(wrapper, key).is_some();
    (is_setting && !is_map).then(|| partial.get(key).cloned())?
}

/// Whether `value` below a node is the value in its merge wrapper, which is what the node comes to.
fn holds_wrapped(node: Option<NodeId>, found: &Located) -> bool {
    node.is_some_and(|id| schema().node(id).wrapper.is_some()) && found.get("value").is_none()
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
