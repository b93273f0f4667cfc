//! Which layers say something of what: an index for graphs of many files.
//!
//! ```toml
//! [assistant]                  # `assistant`
//! [conversation.title]         # `conversation.title`
//! [conversation.tools.grep]    # `conversation.tools.grep`
//! ```
//!
//! A tool per file is common, and so are many tools: to ask each file for each of them takes the square of their number.

use std::collections::HashMap;

use serde_json::Value;

use super::Layer;
use crate::{
    content::Content,
    document::{Entry, Node, Table},
};

/// The layers of a merge order by the names that they hold.
#[derive(Debug, Default)]
pub(super) struct LayersByName {
    root: Places,
    conversation: Places,
    tools: Places,
}

/// The places of layers in the merge order, by name.
type Places = HashMap<String, Vec<usize>>;

/// The names of one file at the levels that are indexed, in order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Names<'a> {
    root: Vec<&'a str>,
    conversation: Vec<&'a str>,
    tools: Vec<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn of(content: &'a Content) -> Self {
        match content {
            Content::Toml(document) => {
                let root = Some(document.root());
                let conversation = root.and_then(|table| inner(table, "conversation"));
                let tools = conversation.and_then(|table| inner(table, "tools"));
                Self {
                    root: keys(root),
                    conversation: keys(conversation),
                    tools: keys(tools),
                }
            }
            Content::Data(data) => {
                let keys = |pointer: &str| {
                    let table = data.as_ref().ok().and_then(|data| data.pointer(pointer));
                    let table = table.and_then(Value::as_object).into_iter().flatten();
                    table.map(|(key, _)| key.as_str()).collect()
                };
                Self {
                    root: keys(""),
                    conversation: keys("/conversation"),
                    tools: keys("/conversation/tools"),
                }
            }
        }
    }
}

fn inner<'a>(table: Table<'a>, key: &str) -> Option<Table<'a>> {
    match table.get(key)?.value() {
        Node::Table(table) => Some(table),
        _ => None,
    }
}

fn keys<'a>(table: Option<Table<'a>>) -> Vec<&'a str> {
    let entries = table.into_iter().flatten();
    entries.map(Entry::key).collect()
}

impl LayersByName {
    pub(super) fn of<'a>(
        layers: &[Layer],
        content: impl Fn(&Layer) -> Option<&'a Content>,
    ) -> Self {
        let mut index = Self::default();
        for (place, layer) in layers.iter().enumerate() {
            let Some(content) = content(layer) else {
                continue;
            };
            let names = Names::of(content);
            add(&mut index.root, names.root, place);
            add(&mut index.conversation, names.conversation, place);
            add(&mut index.tools, names.tools, place);
        }
        index
    }

    /// The places of the layers that hold something at a path of keys, and maybe of some that do not.
    pub(super) fn naming(&self, path: &[&str]) -> Option<&[usize]> {
        let (places, name) = match path {
            ["conversation", "tools", tool, ..] => (&self.tools, tool),
            ["conversation", name, ..] => (&self.conversation, name),
            [name, ..] => (&self.root, name),
            [] => return None,
        };
        Some(places.get(*name).map_or(&[], Vec::as_slice))
    }
}

fn add(places: &mut Places, names: Vec<&str>, place: usize) {
    for name in names {
        let known = match places.get_mut(name) {
            Some(known) => known,
            None => places.entry(name.to_owned()).or_default(),
        };
        known.push(place);
    }
}
