//! What a cursor is at.
//!
//! ```toml
//! [conversation.tools.a]
//! policy.run = [{ mode = "as" }]
//! #                         ^ path conversation.tools.a.policy.run[0].mode, in a string, byte 2
//! ```

use super::Document;
use super::section::{NONE, NodeKind, Section, StatementData};
use super::span::{Span, narrow};
use super::spine::{KeyRef, SpineKind};
use super::view::{Key, Node, NodeRef, Scalar, Str, Table};

#[cfg(test)]
#[path = "position_tests.rs"]
mod tests;

/// One step of a path from the root.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum PathSegment<'a> {
    /// Into a table, by its decoded key; empty where the key is missing.
    Key(&'a str),
    /// Into an array.
    Index(usize),
}

/// What sort of place an offset is in.
#[derive(Copy, Clone, Debug)]
pub enum Place<'a> {
    /// In a comment.
    Comment(Span),
    /// On segment `segment` of a header; the path ends with it.
    Header {
        /// The segment that the offset touches.
        key: Key<'a>,
        /// Its position in the header.
        segment: usize,
        /// How many segments the header has.
        segments: usize,
    },
    /// On a segment of the key of a statement; the path ends with it.
    Key {
        /// The segment that the offset touches.
        key: Key<'a>,
        /// Its position in the dotted key.
        segment: usize,
        /// How many segments the dotted key has.
        segments: usize,
        /// Whether an `=` follows the key.
        has_equals: bool,
    },
    /// After `=`, where a value is missing or is no value; the path is the value's.
    Missing(Scalar<'a>),
    /// In a string; the path is the string's.
    String {
        /// The string, maybe without closing quotes.
        string: Str<'a>,
        /// The decoded byte at the offset.
        offset: usize,
    },
    /// In a number, boolean or date; the path is the value's.
    Value(Node<'a>),
    /// Within the brackets of an array, on none of its items; the path is the array's.
    Array {
        /// The array.
        array: Node<'a>,
        /// The index that an item typed here would have.
        index: usize,
    },
    /// Within braces, on no entry; the path is the table's.
    Inline,
    /// On a blank, before or after a statement, or in text that is not TOML; the path is the table's.
    Blank {
        /// Whether the line holds nothing else.
        empty_line: bool,
    },
}

/// A `key = value` as it stands in the text, whether or not its key is another one's too.
#[derive(Copy, Clone, Debug)]
pub struct Statement<'a> {
    /// The key, with all its segments.
    pub key_span: Span,
    /// The key and the value.
    pub span: Span,
    /// The value.
    pub value: Node<'a>,
}

/// What is at an offset.
#[derive(Clone, Debug)]
pub struct Position<'a> {
    /// From the root to what [`Position::place`] says.
    pub path: Vec<PathSegment<'a>>,
    /// What the offset is in.
    pub place: Place<'a>,
    /// The innermost table around the offset; for a key or header the one that holds its first segment.
    pub table: Table<'a>,
    /// The innermost statement around the offset.
    pub statement: Option<Statement<'a>>,
    /// The section.
    pub section: usize,
}

/// Walks down from a section to an offset within it.
struct Walk<'a> {
    document: &'a Document,
    section: &'a Section,
    index: u32,
    text: &'a str,
    /// Within the section.
    offset: u32,
    path: Vec<PathSegment<'a>>,
    table: Table<'a>,
    statement: Option<Statement<'a>>,
}

impl Document {
    /// What is at `offset`; an offset beyond the end counts as the end.
    #[must_use]
    pub fn at(&self, offset: usize) -> Position<'_> {
        at(self, narrow(offset.min(self.text.len())))
    }
}

fn at(document: &Document, offset: u32) -> Position<'_> {
    let index = document.section_index(offset);
    let root = document.root();
    let Some((section, start, text)) = document.sections_view().get(index) else {
        return Position {
            path: Vec::new(),
            place: Place::Blank { empty_line: true },
            table: root,
            statement: None,
            section: 0,
        };
    };
    let mut walk = Walk {
        document,
        section,
        index,
        text,
        offset: offset.saturating_sub(start),
        path: Vec::new(),
        table: root,
        statement: None,
    };
    let place = walk.place();
    Position {
        path: walk.path,
        place,
        table: walk.table,
        statement: walk.statement,
        section: index as usize,
    }
}

impl<'a> Walk<'a> {
    fn place(&mut self) -> Place<'a> {
        if let Some(place) = self.header() {
            return place;
        }
        let owner = self
            .document
            .spine
            .owners
            .get(self.index as usize)
            .copied()
            .unwrap_or(0);
        self.path = path_of(self.document, owner);
        self.table = Table::from_spine(self.document, owner);
        if let Some(comment) = self.comment() {
            return Place::Comment(comment);
        }
        if let Some(statement) = self.statement_in(0) {
            return self.in_statement(statement);
        }
        Place::Blank {
            empty_line: self.on_empty_line(),
        }
    }

    fn start(&self) -> u32 {
        self.document
            .sections_view()
            .get(self.index)
            .map_or(0, |(_, start, _)| start)
    }

    fn comment(&self) -> Option<Span> {
        let comments = &self.section.comments;
        let after = comments.partition_point(|comment| comment.start < self.offset);
        let comment = comments.get(after.checked_sub(1)?)?;
        comment
            .touches(self.offset)
            .then(|| comment.shift(self.start()))
    }

    fn on_empty_line(&self) -> bool {
        let offset = self.offset as usize;
        let before = self.text.get(..offset).unwrap_or("");
        let after = self.text.get(offset..).unwrap_or("");
        let line_start = before.rsplit(['\n', '\r']).next().unwrap_or("");
        let line_end = after.split(['\n', '\r']).next().unwrap_or("");
        let line_start = line_start.trim_start_matches('\u{feff}');
        line_start.trim().is_empty() && line_end.trim().is_empty()
    }

    fn header(&mut self) -> Option<Place<'a>> {
        let header = self.section.header?;
        if self.offset < header.span.start || self.offset > header.line_end {
            return None;
        }
        let closed = self
            .text
            .get(header.span.range())
            .is_some_and(|text| text.ends_with(']'));
        if closed && self.offset >= header.span.end {
            return None;
        }
        let segments = header.key_count as usize;
        let mut segment = None;
        for key in 0..header.key_count {
            let data = self.section.keys.get(key as usize)?;
            if data.span.start <= self.offset {
                segment = Some((key, data.span.touches(self.offset)));
            }
        }
        let (key, _) = segment.unwrap_or((0, false));
        let owner = self
            .document
            .spine
            .owners
            .get(self.index as usize)
            .copied()?;
        let node = node_of_segment(self.document, owner, header.key_count - 1 - key);
        self.path = match node {
            Some(node) => path_of(self.document, node),
            None => Vec::new(),
        };
        self.table = self.document.root();
        Some(Place::Header {
            key: Key::new(
                self.document,
                KeyRef {
                    section: self.index,
                    key,
                },
            ),
            segment: key as usize,
            segments,
        })
    }

    /// The last statement of a table that begins before the offset, if it reaches there.
    fn statement_in(&self, table: u32) -> Option<StatementData> {
        let table = self.section.table(table)?;
        let start = |id: &u32| {
            self.section
                .statement(*id)
                .map_or(u32::MAX, |statement| statement.span.start)
        };
        let after = table
            .statements
            .partition_point(|id| start(id) <= self.offset);
        let id = *table.statements.get(after.checked_sub(1)?)?;
        let statement = *self.section.statement(id)?;
        let end = if statement.equals == NONE {
            statement.span.end
        } else {
            self.reach(statement.value).max(statement.equals)
        };
        (self.offset <= end).then_some(statement)
    }

    fn in_statement(&mut self, statement: StatementData) -> Place<'a> {
        let last = statement.first_key + statement.key_count.saturating_sub(1);
        let key_end = self
            .section
            .keys
            .get(last as usize)
            .map_or(0, |key| key.span.end);
        let on_key = self.offset <= key_end;
        let value = NodeRef {
            document: self.document,
            section: self.index,
            node: statement.value,
        };
        self.statement = Some(Statement {
            key_span: Span::new(statement.span.start, key_end).shift(self.start()),
            span: statement.span.shift(self.start()),
            value: value.view(),
        });
        for key in statement.first_key..=last {
            let Some(data) = self.section.keys.get(key as usize) else {
                break;
            };
            self.path
                .push(PathSegment::Key(self.section.key_text(key, self.text)));
            if on_key && self.offset <= data.span.end {
                return Place::Key {
                    key: Key::new(
                        self.document,
                        KeyRef {
                            section: self.index,
                            key,
                        },
                    ),
                    segment: (key - statement.first_key) as usize,
                    segments: statement.key_count as usize,
                    has_equals: statement.equals != NONE,
                };
            }
        }
        self.in_value(statement.value)
    }

    fn in_value(&mut self, mut node: u32) -> Place<'a> {
        loop {
            let data = self.section.node(node);
            let reference = NodeRef {
                document: self.document,
                section: self.index,
                node,
            };
            match data.kind {
                NodeKind::Array => {
                    if !self.is_within(node) {
                        return Place::Value(reference.view());
                    }
                    let items = self.section.list(data.payload);
                    let after = items
                        .partition_point(|item| self.section.node(*item).span.start <= self.offset);
                    let item = after.checked_sub(1).and_then(|at| items.get(at)).copied();
                    match item {
                        Some(item) if self.offset <= self.reach(item) => {
                            self.path.push(PathSegment::Index(after - 1));
                            node = item;
                        }
                        _ => {
                            return Place::Array {
                                array: reference.view(),
                                index: after,
                            };
                        }
                    }
                }
                NodeKind::Inline => {
                    self.table = Table::from_local(self.document, self.index, data.payload);
                    if !self.is_within(node) {
                        return Place::Value(reference.view());
                    }
                    if let Some(comment) = self.comment() {
                        return Place::Comment(comment);
                    }
                    return match self.statement_in(data.payload) {
                        Some(statement) => self.in_statement(statement),
                        None => Place::Inline,
                    };
                }
                NodeKind::Missing => return Place::Missing(Scalar { node: reference }),
                NodeKind::Str | NodeKind::BrokenStr
                    if data.span.contains(self.offset)
                        || (data.kind == NodeKind::BrokenStr && data.span.touches(self.offset)) =>
                {
                    let string = Str { node: reference };
                    let offset = string.decoded_offset(self.offset + self.start());
                    return Place::String { string, offset };
                }
                _ => return Place::Value(reference.view()),
            }
        }
    }

    /// Whether the offset is between the brackets of a value.
    fn is_within(&self, node: u32) -> bool {
        let data = self.section.node(node);
        let end = if data.closed {
            data.span.end.saturating_sub(1)
        } else {
            self.reach(node)
        };
        data.span.start < self.offset && self.offset <= end
    }

    /// The last offset that touches a value.
    ///
    /// Where a value or a closing bracket is missing, the blank before it counts: there it will be typed.
    fn reach(&self, node: u32) -> u32 {
        let data = self.section.node(node);
        let end = data.span.end;
        if data.closed && !(data.kind == NodeKind::Missing && data.span.is_empty()) {
            return end;
        }
        let rest = self.text.get(end as usize..).unwrap_or("");
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        end + narrow(blank)
    }
}

/// The path of a table that headers make.
fn path_of(document: &Document, node: u32) -> Vec<PathSegment<'_>> {
    let sections = document.sections_view();
    let mut path = Vec::new();
    let mut next = node;
    while let Some(node) = document.spine.node(next) {
        if node.parent == NONE {
            break;
        }
        path.push(if node.kind == SpineKind::Element {
            PathSegment::Index(node.index as usize)
        } else {
            let name = node.occurrences.first().map_or("", |at| sections.key(*at));
            PathSegment::Key(name)
        });
        next = node.parent;
    }
    path.reverse();
    path
}

/// The table that a header segment names, `up` segments before the last.
fn node_of_segment(document: &Document, owner: u32, up: u32) -> Option<u32> {
    let step = |id: u32| -> Option<u32> {
        let node = document.spine.node(id)?;
        Some(if node.kind == SpineKind::Element {
            node.parent
        } else {
            id
        })
    };
    let mut node = step(owner)?;
    for _ in 0..up {
        node = step(document.spine.node(node)?.parent)?;
    }
    Some(node)
}
