//! What tells whether findings have to be made again.
//!
//! ```toml
//! [providers.mcp.docs]         # what every tool depends on, by what it means: a comment is no change
//! [conversation.tools.'*']     # the same
//! [conversation.tools.grep]    # what one tool depends on, by the sections it is written in
//! ```
//!
//! Equal identities, equal findings: an identity stands for all that a finding was made from, but for where it stands.
//! A finding itself says what it points at, and is found again when that is written anew: see [`crate::anchor`].
//! So a rule of tools may look at its own tool and the defaults, at what [`FileIdentity::references`] and [`ASKED`] name of the rest,
//! at how files load each other, and at which files run without a question: [`RunFiles`](crate::rules::RunFiles) has an identity of its own.

mod view;

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use hashbrown::DefaultHashBuilder;
use indexmap::IndexMap;
use jp_config::{
    content::Content,
    document::{Document, Node, Table},
};
use serde_json::Value;

pub(crate) use self::view::{ViewChange, ViewIdentity};
use crate::{
    text::text_edit::line_break,
    tool::{DEFAULTS, TOOLS},
};

/// The keys that make other files config.
const LOADING: [&str; 2] = ["extends", "config_load_paths"];

/// What tools ask for outside of tools: servers, and aliases of models.
const ASKED: &str = "providers";

/// Something of each tool, in the order of the config: read and made again for every key, so that the quicker hash counts.
type ByTool<V> = IndexMap<Arc<str>, V, DefaultHashBuilder>;

/// The identities of the parts of one file.
#[derive(Debug, Default)]
pub(crate) struct FileIdentity {
    /// What the file says of each tool.
    tools: ByTool<ToolIdentity>,
    /// What the file says outside of tools, by the first keys that lead there.
    parts: IndexMap<String, PartIdentity>,
    /// What all parts mean.
    outside: u64,
    /// What the part that tools ask for means.
    asked: u64,
    /// What the defaults of tools mean.
    defaults: u64,
    /// What other tools and files ask of its tools: their names and parameters, whether they have a source and a mode, and whether they are enabled;
    /// and which files it makes config.
    references: u64,
    loads: bool,
}

/// The identities of what one file says of one tool.
#[derive(Debug, Clone, Copy)]
struct ToolIdentity {
    /// All of it.
    whole: u64,
    /// What others ask of it.
    referred: u64,
    /// What it means, for the defaults, on which all tools depend.
    meaning: u64,
}

/// The identity of a part of a file outside of tools.
#[derive(Debug, Clone, Copy)]
struct PartIdentity {
    /// The sections that it is written in.
    whole: u64,
    meaning: u64,
}

impl FileIdentity {
    /// The identity of a content; what `previous` knows of parts that are the same is not found anew.
    pub(crate) fn of(content: &Content, previous: Option<&Self>) -> Self {
        match content {
            Content::Toml(document) => Self::of_document(document, previous),
            // Data files are read whole, and change whole.
            Content::Data(Ok(data)) => Self::of_data(data),
            Content::Data(Err(error)) => {
                let whole = hash_of(&error.message);
                Self {
                    outside: whole,
                    asked: whole,
                    references: whole,
                    ..Self::default()
                }
            }
        }
    }

    /// Whether the file says anything outside of tools.
    pub(crate) fn says_more(&self) -> bool {
        self.outside != 0
    }

    /// The tools of which the file may say something else than another one, where both come of one text: all where the defaults differ.
    pub(crate) fn tools_unlike<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s str> {
        let whole = |file: &Self, name: &str| file.tools.get(name).map(|tool| tool.whole);
        let defaults_differ = whole(self, DEFAULTS) != whole(other, DEFAULTS);
        let names = self.tools.keys().map(AsRef::as_ref);
        names.filter(move |name| defaults_differ || whole(self, name) != whole(other, name))
    }

    /// Whether the file makes others config.
    pub(crate) fn loads(&self) -> bool {
        self.loads
    }

    fn of_data(data: &Value) -> Self {
        let whole = hash_of(&data.to_string());
        let tools = data.pointer("/conversation/tools");
        let tools = tools.and_then(Value::as_object).into_iter().flatten();
        let tools = tools.map(|(name, tool)| {
            let whole = hash_of(&tool.to_string());
            let identity = ToolIdentity {
                whole,
                referred: whole,
                meaning: whole,
            };
            (name.as_str().into(), identity)
        });
        Self {
            tools: tools.collect(),
            parts: IndexMap::new(),
            outside: whole,
            asked: whole,
            defaults: whole,
            references: whole,
            loads: LOADING.iter().any(|key| data.get(key).is_some()),
        }
    }

    pub(crate) fn of_document(document: &Document, previous: Option<&Self>) -> Self {
        let mut identity = Self::default();
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
                        identity.loads = true;
                    } else {
                        identity.part(entry.key().to_owned(), value, document, previous);
                    }
                    continue;
                }
            };
            for entry in conversation.entries() {
                match entry.value() {
                    Node::Table(table) if entry.key() == TOOLS[1] => {
                        for entry in table.entries() {
                            identity.tool(entry.key(), entry.value(), document, previous);
                        }
                    }
                    value => {
                        let key = format!("{}.{}", TOOLS[0], entry.key());
                        identity.part(key, value, document, previous);
                    }
                }
            }
        }
        for (name, tool) in &identity.tools {
            (name, tool.referred).hash(&mut references);
        }
        for (key, part) in &identity.parts {
            identity.outside = combine(identity.outside, combine(hash_of(key), part.meaning));
        }
        let asked = identity.parts.get(ASKED).map(|part| part.meaning);
        identity.asked = asked.unwrap_or_default();
        let defaults = identity.tools.get(DEFAULTS).map(|tool| tool.meaning);
        identity.defaults = defaults.unwrap_or_default();
        identity.references = references.finish();
        identity
    }

    fn part(&mut self, key: String, value: Node<'_>, document: &Document, previous: Option<&Self>) {
        let whole = identity_of(document, value);
        // Only a table's identity stands for all sections that have a part in it.
        let meaning = previous
            .and_then(|previous| previous.parts.get(&key))
            .filter(|before| before.whole == whole && matches!(value, Node::Table(_)))
            .map_or_else(|| meaning_of(document, value), |before| before.meaning);
        self.parts.insert(key, PartIdentity { whole, meaning });
    }

    fn tool(&mut self, name: &str, value: Node<'_>, document: &Document, previous: Option<&Self>) {
        let whole = identity_of(document, value);
        let before = previous.and_then(|previous| previous.tools.get_key_value(name));
        let same = before.filter(|(_, before)| before.whole == whole);
        let identity = same.map_or_else(
            || ToolIdentity {
                whole,
                referred: referred(document, value),
                meaning: match name {
                    DEFAULTS => meaning_of(document, value),
                    _ => 0,
                },
            },
            |(_, before)| *before,
        );
        let name = before.map_or_else(|| name.into(), |(name, _)| Arc::clone(name));
        self.tools.insert(name, identity);
    }
}

/// A table changes with any section that has a part in it; any other value with the section where it stands.
fn identity_of(document: &Document, node: Node<'_>) -> u64 {
    match node {
        Node::Table(table) => table.sections_revision_hash(),
        _ => document.section_at(node.span().start as usize).revision(),
    }
}

/// What a value says: its keys and values, without comments and layout.
fn meaning_of(document: &Document, node: Node<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    mean(document, node, &mut hasher);
    hasher.finish()
}

fn mean(document: &Document, node: Node<'_>, hasher: &mut DefaultHasher) {
    node.kind().hash(hasher);
    match node {
        Node::Table(table) => {
            for entry in table.entries() {
                entry.key().hash(hasher);
                mean(document, entry.value(), hasher);
            }
            hasher.write_u8(0);
        }
        Node::Array(array) => {
            for item in array.items() {
                mean(document, item, hasher);
            }
            hasher.write_u8(0);
        }
        value => document.text().get(value.span().range()).hash(hasher),
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

/// One identity out of two, in order.
pub(crate) fn combine(first: u64, second: u64) -> u64 {
    // Both are hashes already, and there may be one for each of thousands of files.
    (first.rotate_left(5) ^ second).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
