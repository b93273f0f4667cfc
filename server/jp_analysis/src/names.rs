//! The names that a person gives in a config file.
//!
//! ```toml
//! [providers.llm.aliases]
//! fast = "anthropic/claude-haiku-4"   # defines the alias `fast`
//!
//! [assistant]
//! tool_choice = "fs_read_file"        # uses the tool `fs_read_file`
//! ```

use std::ops::Range;

use jp_config::{
    document::{Document, Entry, Span, Str},
    model_id::ModelReference,
    schema::{KeyKind, NodeId, StringFormat, schema},
    source::ToolSource,
};
use jp_policy::pointer;
use jp_tool::{ConfigPath, ConfigSegment};

use crate::{
    text::walk::{Visitor, walk},
    tool::DEFAULTS,
};

/// A name, with what it names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// A key of `conversation.tools`.
    Tool(String),
    /// A parameter of a tool: the keys that lead to it, lists left out.
    Parameter {
        /// The tool.
        tool: String,
        /// The keys, as an `arg` pointer spells them.
        path: Vec<String>,
    },
    /// A question of a tool.
    Question {
        /// The tool.
        tool: String,
        /// Its id.
        id: String,
    },
    /// A key of `providers.llm.aliases`.
    Alias(String),
    /// A key of `providers.mcp`.
    Server(String),
}

impl Name {
    /// The name itself.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Tool(text) | Self::Alias(text) | Self::Server(text) => text,
            Self::Question { id, .. } => id,
            Self::Parameter { path, .. } => path.last().map_or("", String::as_str),
        }
    }

    /// What the name names.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Tool(_) => "tool",
            Self::Parameter { .. } => "parameter",
            Self::Question { .. } => "question",
            Self::Alias(_) => "model alias",
            Self::Server(_) => "MCP server",
        }
    }
}

/// Whether a place defines a name or uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A key of the table that holds what is named.
    Definition,
    /// Anything else.
    Reference,
}

/// How a name is written where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// A key.
    Key,
    /// A part of a string, or all of it.
    Text,
    /// A segment of a JSON Pointer in a string.
    Pointer,
    /// A segment of a dotted config path in a string.
    ConfigPath,
}

/// One place that holds a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The name.
    pub name: Name,
    /// The place, without the quotes of a string it stands in.
    pub span: Span,
    /// What the place does.
    pub role: Role,
    /// How the name is written there.
    pub spelling: Spelling,
    /// Whether the string around it has three quotes or single ones, in which nothing can be escaped.
    pub literal: bool,
}

/// Every place of a document that holds a name, by position.
#[must_use]
pub fn names_in(document: &Document) -> Vec<Occurrence> {
    let mut names = Names { found: Vec::new() };
    walk(document, &mut names);
    names.found.sort_by_key(|occurrence| occurrence.span);
    names.found
}

struct Names {
    found: Vec<Occurrence>,
}

impl<'a> Visitor<'a> for Names {
    fn entry(&mut self, path: &[&'a str], parent: Option<NodeId>, entry: Entry<'a>) {
        let Some(name) = key_name(path, parent, entry.key()) else {
            return;
        };
        for span in entry.key_spans() {
            self.found.push(Occurrence {
                name: name.clone(),
                span,
                role: Role::Definition,
                spelling: Spelling::Key,
                literal: false,
            });
        }
    }

    fn string(&mut self, path: &[&'a str], node: Option<NodeId>, string: Str<'a>) {
        let Some(node) = node else {
            return;
        };
        for format in schema().formats(node) {
            let text = string.value();
            let parts = parts(format, path, &text);
            for (name, range, spelling) in parts {
                self.found.push(Occurrence {
                    name,
                    span: string.span_of(range),
                    role: Role::Reference,
                    spelling,
                    literal: string.text().starts_with('\''),
                });
            }
        }
    }
}

/// What a key names.
fn key_name(path: &[&str], parent: Option<NodeId>, key: &str) -> Option<Name> {
    let map = schema().map(parent?)?;
    match map.key {
        KeyKind::Tool if key != DEFAULTS => Some(Name::Tool(key.to_owned())),
        KeyKind::Alias => Some(Name::Alias(key.to_owned())),
        KeyKind::Server => Some(Name::Server(key.to_owned())),
        KeyKind::Question => Some(Name::Question {
            tool: (*path.get(2)?).to_owned(),
            id: key.to_owned(),
        }),
        KeyKind::Parameter => Some(Name::Parameter {
            tool: (*path.get(2)?).to_owned(),
            path: parameter_path(path.get(3..)?, key)?,
        }),
        _ => None,
    }
}

/// The pointer of a parameter whose table stands at `path` below its tool.
fn parameter_path(path: &[&str], key: &str) -> Option<Vec<String>> {
    let mut keys = Vec::new();
    let mut rest = path.iter();
    if rest.next() != Some(&"parameters") {
        return None;
    }
    while let Some(name) = rest.next() {
        keys.push((*name).to_owned());
        // What follows a parameter's name are `items`, any number of times, and then `properties`.
        loop {
            match rest.next() {
                Some(&"items") => {}
                Some(&"properties") => break,
                _ => return None,
            }
        }
    }
    keys.push(key.to_owned());
    Some(keys)
}

type Part = (Name, Range<usize>, Spelling);

/// The names that a string holds.
fn parts(format: StringFormat, path: &[&str], text: &str) -> Vec<Part> {
    match format {
        StringFormat::ToolName if !text.is_empty() => {
            vec![(Name::Tool(text.to_owned()), 0..text.len(), Spelling::Text)]
        }
        StringFormat::ModelId => match ModelReference::parse(text) {
            Ok(ModelReference::Alias(alias)) => {
                vec![(Name::Alias(alias), 0..text.len(), Spelling::Text)]
            }
            _ => Vec::new(),
        },
        StringFormat::ToolSource => server(text).into_iter().collect(),
        StringFormat::JsonPointer => pointer_names(path, text),
        StringFormat::ConfigPath => config_path(text),
        _ => Vec::new(),
    }
}

fn server(text: &str) -> Option<Part> {
    let Ok(ToolSource::Mcp { server, .. }) = ToolSource::parse(text) else {
        return None;
    };
    let start = "mcp.".len();
    let range = start..start + server.len();
    Some((Name::Server(server), range, Spelling::Text))
}

fn pointer_names(path: &[&str], text: &str) -> Vec<Part> {
    let (Some(tool), Some(rest)) = (path.get(2), text.strip_prefix('/')) else {
        return Vec::new();
    };
    if *tool == DEFAULTS || !matches!(path, ["conversation", "tools", ..]) {
        return Vec::new();
    }
    let mut keys: Vec<String> = Vec::new();
    let mut start = 1;
    let mut found = Vec::new();
    for segment in rest.split('/') {
        let Some(key) = pointer::decoded(segment) else {
            break;
        };
        keys.push(key);
        let end = start + segment.len();
        if !segment.is_empty() {
            let name = Name::Parameter {
                tool: (*tool).to_owned(),
                path: keys.clone(),
            };
            found.push((name, start..end, Spelling::Pointer));
        }
        start = end + 1;
    }
    found
}

/// The names in a dotted config path, with the quotes of quoted keys.
fn config_path(text: &str) -> Vec<Part> {
    let Ok(path) = ConfigPath::parse(text) else {
        return Vec::new();
    };
    let keys: Vec<&str> = path
        .segments()
        .iter()
        .map(|segment| match segment {
            ConfigSegment::Key(key) => key.as_str(),
            ConfigSegment::Any => DEFAULTS,
        })
        .collect();
    let mut found = Vec::new();
    let mut node = Some(schema().root());
    let mut start = 0;
    for (index, (key, segment)) in keys.iter().zip(path.segments()).enumerate() {
        let spelled = segment.to_string();
        let range = start..start + spelled.len();
        if text.get(range.clone()) != Some(spelled.as_str()) {
            break;
        }
        if *key != DEFAULTS
            && let Some(name) = key_name(keys.get(..index).unwrap_or_default(), node, key)
        {
            found.push((name, range.clone(), Spelling::ConfigPath));
        }
        node = node.and_then(|node| schema().child(node, key));
        start = range.end + 1;
    }
    found
}

/// The name at an offset, and where it stands there.
#[must_use]
pub fn name_at(document: &Document, offset: usize) -> Option<(Name, Span)> {
    let offset = u32::try_from(offset).ok()?;
    names_in(document)
        .into_iter()
        .filter(|occurrence| occurrence.span.touches(offset))
        .min_by_key(|occurrence| occurrence.span.len())
        .map(|occurrence| (occurrence.name, occurrence.span))
}
