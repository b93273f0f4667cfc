//! The question: which file, which place, what is written there and what it replaces.
//!
//! ```toml
//! policy.run = [{ mode = "un" }]   # conversation.tools.edit.policy.run[0].mode, replace `un`
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    document::{Document, Key, Node, PathSegment, Position, Span, Table},
    graph::FileId,
    schema::NodeId,
    view::View,
};

use super::{arguments::Argument, paths::Paths};
use crate::{
    options::Options,
    text::{node::schema_node, position::position},
};

/// A cursor in a file of a view.
pub(super) struct Site<'a> {
    pub(super) view: &'a View,
    pub(super) file: FileId,
    pub(super) document: &'a Document,
    /// The cursor.
    pub(super) offset: u32,
    pub(super) options: Options,
    /// The directories that may be looked into.
    pub(super) paths: &'a dyn Paths,
    /// What the cursor is at.
    pub(super) position: Position<'a>,
    /// What the schema says of a path.
    pub(super) describes: fn(&[PathSegment<'_>]) -> Option<NodeId>,
}

impl<'a> Site<'a> {
    /// The place at an offset, or at the end of a text that is shorter.
    pub(super) fn new(
        view: &'a View,
        file: FileId,
        document: &'a Document,
        offset: usize,
        options: Options,
        paths: &'a dyn Paths,
    ) -> Self {
        let text = document.text();
        let offset = text.floor_char_boundary(offset.min(text.len()));
        Self {
            view,
            file,
            document,
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            options,
            paths,
            position: position(document, offset),
            describes: schema_node,
        }
    }

    pub(super) fn before(&self, offset: u32) -> &'a str {
        let text = self.document.text().get(..offset as usize);
        text.unwrap_or_default()
    }

    pub(super) fn after(&self, offset: u32) -> &'a str {
        let text = self.document.text().get(offset as usize..);
        text.unwrap_or_default()
    }

    /// Nothing, at the cursor.
    pub(super) fn empty_span(&self) -> Span {
        Span::new(self.offset, self.offset)
    }

    pub(super) fn workspace(&self) -> &'a Utf8Path {
        &self.view.graph().workspace
    }

    /// The directory of the file.
    pub(super) fn directory(&self) -> Utf8PathBuf {
        let path = self.view.graph().path(self.file);
        path.parent().unwrap_or(path).to_owned()
    }
}

/// A table, as the schema describes it and as far as the text has it already.
pub(super) struct TableSlot<'a> {
    /// Its description.
    pub(super) node: NodeId,
    /// Its path; `[]` is any element.
    pub(super) path: Vec<String>,
    /// What the text has of it.
    pub(super) table: Option<Table<'a>>,
}

/// Where a key is written.
pub(super) struct KeySlot<'a> {
    /// The table that the key belongs to.
    pub(super) owner: TableSlot<'a>,
    /// The key that is being typed.
    pub(super) typed: Option<Key<'a>>,
    /// The segment of a dotted key that follows the one being typed.
    pub(super) next: Option<&'a str>,
    /// What is replaced.
    pub(super) span: Span,
    /// How it is written.
    pub(super) layout: Layout,
    /// In a policy rule, the argument that it is about.
    pub(super) argument: Option<Argument>,
}

impl KeySlot<'_> {
    /// Whether the table has a key already, other than the one being typed.
    pub(super) fn has(&self, key: &str) -> bool {
        let Some(entry) = self.owner.table.and_then(|table| table.get(key)) else {
            return false;
        };
        let keys = entry.keys();
        let typed = self.typed.map(Key::span);
        keys.into_iter().any(|key| Some(key.span()) != typed)
    }

    /// Whether the table says this text under a key.
    pub(super) fn says(&self, key: &str, text: &str) -> bool {
        let entry = self.owner.table.and_then(|table| table.get(key));
        let said = entry.and_then(|entry| entry.value().as_str());
        said.is_some_and(|said| said == text)
    }

    /// Whether something follows the key already.
    pub(super) fn is_name(&self) -> bool {
        self.layout == Layout::Name
    }

    /// Whether the header of a table below this one may stand in place of the key.
    pub(super) fn takes_headers(&self) -> bool {
        let takes_headers = Layout::Statement {
            takes_headers: true,
        };
        self.layout == takes_headers
    }
}

/// How a key is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// The name alone: something follows it.
    Name,
    /// A statement on its own line.
    Statement {
        /// Whether a header may stand here instead, because no statement follows.
        takes_headers: bool,
    },
    /// The rest of a dotted key.
    Dotted,
    /// An entry within braces, with the commas that it needs.
    Inline(Commas),
}

/// What separates an item within brackets from the ones around it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Commas {
    /// Before it.
    pub(super) lead: &'static str,
    /// After it.
    pub(super) tail: &'static str,
}

/// Where a value is written.
pub(super) struct ValueSlot<'a> {
    /// The description of the value.
    pub(super) node: NodeId,
    /// Its path; `[]` is any element.
    pub(super) path: Vec<String>,
    /// Its path with the position of each element.
    pub(super) segments: Vec<PathSegment<'a>>,
    /// The table around it.
    pub(super) table: Table<'a>,
    /// What it replaces.
    pub(super) replaced: Replaced,
    /// The text of the string up to the cursor.
    pub(super) typed: String,
    /// What separates it from its neighbours.
    pub(super) commas: Commas,
}

/// What a value replaces.
#[derive(Debug, Clone, Copy)]
pub(super) enum Replaced {
    /// A whole value, or nothing; `quote` is the quote that it begins with.
    Whole {
        /// What is replaced.
        span: Span,
        /// The quote that is typed already.
        quote: Option<char>,
    },
    /// What stands between the quotes of a string.
    Inside {
        /// What is replaced.
        span: Span,
        /// The string with its quotes.
        whole: Span,
        /// The quotes.
        quote: char,
    },
}

impl Replaced {
    /// A value without quotes, or the place of one.
    pub(super) fn bare(span: Span) -> Self {
        Self::Whole { span, quote: None }
    }

    pub(super) fn span(self) -> Span {
        match self {
            Self::Whole { span, .. } | Self::Inside { span, .. } => span,
        }
    }

    /// The value with its quotes.
    pub(super) fn whole(self) -> Span {
        match self {
            Self::Whole { span, .. } => span,
            Self::Inside { whole, .. } => whole,
        }
    }

    pub(super) fn quote(self) -> Option<char> {
        match self {
            Self::Whole { quote, .. } => quote,
            Self::Inside { quote, .. } => Some(quote),
        }
    }
}

/// A path as text; `[]` stands for any element.
pub(super) fn path_text(path: &[PathSegment<'_>]) -> Vec<String> {
    path.iter()
        .map(|segment| match segment {
            PathSegment::Key(key) => (*key).to_owned(),
            PathSegment::Index(_) => "[]".to_owned(),
        })
        .collect()
}

/// The table below a table; of a list of tables the last element.
pub(super) fn child_table<'a>(table: Table<'a>, segment: PathSegment<'_>) -> Option<Table<'a>> {
    let PathSegment::Key(key) = segment else {
        return Some(table);
    };
    match table.get(key)?.value() {
        Node::Table(table) => Some(table),
        Node::Array(array) => array.items().last()?.as_table(),
        _ => None,
    }
}
