//! What tells whether findings have to be made again.
//!
//! An identity stands for the exact texts that a finding was made from: equal identities, equal findings.

use std::hash::{DefaultHasher, Hash, Hasher};

use indexmap::IndexMap;
use jp_config::{
    content::Content,
    document::{Document, Node, Table},
    graph::Layer,
};

use crate::{
    text::text_edit::line_break,
    tool::{DEFAULTS, TOOLS},
};

/// The keys that make other files config.
const LOADING: [&str; 2] = ["extends", "config_load_paths"];

/// The identities of the parts of one file.
#[derive(Debug, Default)]
pub(crate) struct FileIdentity {
    /// What the file says of each tool.
    tools: IndexMap<String, ToolIdentity>,
    /// Everything else in the file.
    outside: u64,
    /// What other tools and files ask of its tools: their names and parameters, whether they have a source and a mode, and whether they are enabled;
    /// and which files it makes config.
    references: u64,
}

/// The identities of what one file says of one tool.
#[derive(Debug, Clone, Copy)]
struct ToolIdentity {
    /// All of it.
    whole: u64,
    /// What others ask of it.
    referred: u64,
}

impl FileIdentity {
    /// The identity of a content; what `previous` knows of tools that are the same is not found anew.
    pub(crate) fn of(content: &Content, previous: Option<&Self>) -> Self {
        match content {
            Content::Toml(document) => Self::of_document(document, previous),
            // Data files are read whole, and change whole.
            Content::Data(data) => {
                let mut hasher = DefaultHasher::new();
                let tools = match data {
                    Ok(data) => {
                        data.to_string().hash(&mut hasher);
                        data.pointer("/conversation/tools")
                            .and_then(|tools| tools.as_object())
                            .into_iter()
                            .flatten()
                            .map(|(name, tool)| {
                                let whole = hash_of(&tool.to_string());
                                let referred = whole;
                                (name.clone(), ToolIdentity { whole, referred })
                            })
                            .collect()
                    }
                    Err(error) => {
                        error.message.hash(&mut hasher);
                        IndexMap::new()
                    }
                };
                Self {
                    tools,
                    outside: hasher.finish(),
                    references: hasher.finish(),
                }
            }
        }
    }

    fn of_document(document: &Document, previous: Option<&Self>) -> Self {
        let mut tools = IndexMap::new();
        let mut outside = DefaultHasher::new();
        let mut references = DefaultHasher::new();
        // Whatever a fix adds ends its lines as the file does.
        line_break(document.text()).hash(&mut references);
        for entry in document.root().entries() {
            let conversation = match entry.value() {
                Node::Table(table) if entry.key() == TOOLS[0] => table,
                value => {
                    if LOADING.contains(&entry.key()) {
                        let span = value.span();
                        let text = document.text().get(span.range());
                        (entry.key(), text).hash(&mut references);
                    }
                    entry.key().hash(&mut outside);
                    identity_of(document, value).hash(&mut outside);
                    continue;
                }
            };
            for entry in conversation.entries() {
                match entry.value() {
                    Node::Table(table) if entry.key() == TOOLS[1] => {
                        for entry in table.entries() {
                            let whole = identity_of(document, entry.value());
                            let identity = previous
                                .and_then(|previous| previous.tools.get(entry.key()).copied())
                                .filter(|before| before.whole == whole)
                                .unwrap_or_else(|| ToolIdentity {
                                    whole,
                                    referred: referred(document, entry.value()),
                                });
                            entry.key().hash(&mut references);
                            identity.referred.hash(&mut references);
                            tools.insert(entry.key().to_owned(), identity);
                        }
                    }
                    value => {
                        entry.key().hash(&mut outside);
                        identity_of(document, value).hash(&mut outside);
                    }
                }
            }
        }
        Self {
            tools,
            outside: outside.finish(),
            references: references.finish(),
        }
    }
}

/// A table changes with any section that has a part in it; any other value with the section where it stands.
fn identity_of(document: &Document, node: Node<'_>) -> u64 {
    match node {
        Node::Table(table) => table.sections_revision_hash(),
        _ => document.section_at(node.span().start as usize).revision(),
    }
}

/// What others ask of a tool: whether it has a source and a mode, the names of its parameters, and the text that says whether it is
/// enabled.
fn referred(document: &Document, tool: Node<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let Some(table) = tool.as_table() else {
        return hasher.finish();
    };
    let inner = |key: &str| table.get(key).and_then(|entry| entry.value().as_table());
    let enable = table.get("enable").map_or(0, |entry| match entry.value() {
        value @ Node::Table(_) => identity_of(document, value),
        value => {
            let span = value.span();
            let text = document.text().get(span.start as usize..span.end as usize);
            hash_of(text.unwrap_or_default())
        }
    });
    let has_mode = table.get("run").is_some()
        || inner("policy").is_some_and(|policy| policy.get("run").is_some());
    let has_source = table.get("source").is_some();
    (has_source, has_mode, enable).hash(&mut hasher);
    for entry in inner("parameters").into_iter().flat_map(Table::entries) {
        entry.key().hash(&mut hasher);
    }
    hasher.finish()
}

/// The identities of the parts of a view.
#[derive(Debug, Clone)]
pub(crate) struct ViewIdentity {
    /// What all layers say of each tool.
    pub(crate) tools: IndexMap<String, u64>,
    /// What every tool depends on: the defaults, the servers, the aliases, the names of other tools.
    pub(crate) context: u64,
    /// What the rules of the whole view look at: all but the insides of tools, whose names count.
    pub(crate) everything: u64,
    outside: u64,
    /// What tools and files ask of the tools of others, in all files of the graph.
    references: u64,
}

impl ViewIdentity {
    /// The identities of the workspace's own layers.
    pub(crate) fn base(layers: &[Layer], files: &[&FileIdentity]) -> Self {
        let nothing = Self {
            tools: IndexMap::new(),
            context: 0,
            everything: 0,
            outside: 0,
            references: files
                .iter()
                .fold(0, |all, file| combine(all, file.references)),
        };
        nothing.stacked(layers, files)
    }

    /// The identities of the tools that a fragment's layers say something of, with these layers on top.
    pub(crate) fn extended(&self, layers: &[Layer], files: &[&FileIdentity]) -> Self {
        let mut extended = self.stacked(layers, files);
        let touched = |name: &String| {
            layers
                .iter()
                .filter_map(|layer| files.get(layer.file.index()))
                .any(|file| file.tools.contains_key(name))
        };
        extended.tools.retain(|name, _| touched(name));
        extended
    }

    fn stacked(&self, layers: &[Layer], files: &[&FileIdentity]) -> Self {
        let mut tools = self.tools.clone();
        let mut outside = self.outside;
        for layer in layers {
            let Some(file) = files.get(layer.file.index()) else {
                continue;
            };
            outside = combine(outside, file.outside);
            for (name, identity) in &file.tools {
                match tools.get_mut(name) {
                    Some(slot) => *slot = combine(*slot, identity.whole),
                    None => {
                        tools.insert(name.clone(), combine(0, identity.whole));
                    }
                }
            }
        }
        let defaults = tools.get(DEFAULTS).copied().unwrap_or_default();
        let mut names = DefaultHasher::new();
        for name in tools.keys() {
            name.hash(&mut names);
        }
        let everywhere = combine(outside, self.references);
        Self {
            context: combine(everywhere, defaults),
            everything: combine(everywhere, names.finish()),
            tools,
            outside,
            references: self.references,
        }
    }
}

/// One identity out of two, in order.
pub(crate) fn combine(first: u64, second: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    first.hash(&mut hasher);
    second.hash(&mut hasher);
    hasher.finish()
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
