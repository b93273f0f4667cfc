//! What can be written at a place: keys, headers and values, from the schema tree and the effective view.
//!
//! ```toml
//! [[conversation.tools.edit.policy.run]]
//! arg = "/pa"      # the parameters of `edit`
//! mode = ""        # the modes
//! #                # the matchers that a `path` parameter has
//! ```
//!
//! Every place has an answer, also in text that is not TOML yet.
//! An accepted item leaves the text no more broken than it was.

use std::{cell::OnceCell, collections::HashMap};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    document::{Document, Key, Place, Position, Span, SyntaxErrorKind, TableKind},
    graph::FileId,
    schema::{NodeId, Schema, schema},
    view::View,
};

use crate::{
    options::Options,
    text::{
        node::schema_node,
        position::{first_significant, last_significant, position},
    },
};

mod arguments;
mod config_paths;
mod documentation;
mod files;
mod headers;
mod keys;
mod missing;
mod names;
mod site;
mod template;
mod values;
mod variables;

pub use self::documentation::{Doc, documentation};
pub use self::files::{NoPaths, PathEntry, Paths};
pub(crate) use self::missing::missing_entries;

use self::{
    keys::{KeySlot, Layout},
    site::path_text,
    template::Template,
    values::{Replaced, ValueSlot},
};

/// The most items of one answer; beyond, typing narrows it and the client asks again.
const MOST_ITEMS: usize = 200;

/// The most bytes that are parsed to see what items would do to a broken text.
const MOST_PARSED: usize = 256 * 1024;

/// What can be written at a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// The items, best first.
    pub items: Vec<Item>,
    /// Whether typing on may bring items that are not here.
    pub is_incomplete: bool,
}

/// One thing that can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What a list shows.
    pub label: String,
    /// What sort of thing it is.
    pub kind: ItemKind,
    /// A few words beside the label.
    pub detail: Option<String>,
    /// Where its documentation is found.
    pub doc: Option<Doc>,
    /// What accepting it does.
    pub edit: ItemEdit,
    /// Orders the items.
    pub sort: String,
    /// What the typed text is compared with.
    pub filter: String,
    /// Whether accepting it should ask for completion again, as after a directory.
    pub continues: bool,
}

/// What sort of thing an [`Item`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// A key of a table with known keys.
    Key,
    /// A table or list of tables.
    Table,
    /// A variant of an enum.
    Variant,
    /// Some other value.
    Value,
    /// The name of something that the config declares.
    Name,
    /// A file.
    File,
    /// A directory.
    Directory,
    /// Several lines or values at once.
    Snippet,
}

/// The replacement of one span, which lies on one line and touches the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemEdit {
    /// What is replaced.
    pub span: Span,
    /// What stands there instead.
    pub text: String,
    /// The same in LSP's snippet syntax, if it has places to fill in.
    pub snippet: Option<String>,
}

/// Says what can be written at `offset` of a file of the view.
#[must_use]
pub fn complete(
    view: &View,
    file: FileId,
    document: &Document,
    offset: usize,
    options: Options,
    paths: &dyn Paths,
) -> Completions {
    let mut request = Request::new(view, file, document, offset, options, paths);
    request.complete();
    request.finish()
}

/// One question, and the answer as far as it is known.
struct Request<'a> {
    view: &'a View,
    file: FileId,
    document: &'a Document,
    offset: u32,
    options: Options,
    paths: &'a dyn Paths,
    schema: &'static Schema,
    position: Position<'a>,
    items: Vec<Item>,
    is_incomplete: bool,
}

impl<'a> Request<'a> {
    fn new(
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
            schema: schema(),
            position: position(document, offset),
            items: Vec::new(),
            is_incomplete: false,
        }
    }

    fn complete(&mut self) {
        // What looks like a key over several lines is a string that is not closed, and no edit of one line fits it.
        if let Place::Header { key, .. } | Place::Key { key, .. } = self.position.place
            && self
                .document
                .text()
                .get(key.span().range())
                .is_none_or(|text| text.contains('\n'))
        {
            return;
        }
        match self.position.place {
            Place::Comment(span) => self.schema_directive(span),
            Place::Header { key, segment, .. } => self.header(key, segment),
            Place::Key {
                key,
                segment,
                segments,
                has_equals,
            } => {
                let Some((_, parents)) = self.position.path.split_last() else {
                    return;
                };
                let parents = parents.to_vec();
                let rest = self.position.table;
                let mut table = Some(rest);
                let skipped = parents.len().saturating_sub(segment);
                for part in parents.iter().skip(skipped) {
                    table = site::child_table(table, *part);
                }
                let Some(node) = schema_node(&parents) else {
                    return;
                };
                let is_name = has_equals || segment + 1 < segments;
                let layout = if is_name {
                    Layout::Name
                } else if self.position.table.kind() == TableKind::Inline {
                    let Some(layout) = self.inline_layout(key.span()) else {
                        return;
                    };
                    layout
                } else if segment == 0 {
                    self.statement_layout(key.span())
                } else {
                    Layout::Dotted
                };
                self.keys(&KeySlot {
                    node,
                    path: path_text(&parents),
                    table,
                    typed: Some(key),
                    span: key.span(),
                    layout,
                    argument: OnceCell::new(),
                });
                if let Some(next) = self.key_after(key) {
                    self.keep_leading(node, next);
                }
            }
            Place::Inline => {
                let span = self.empty_span();
                let path = self.position.path.clone();
                let Some(layout) = self.inline_layout(span) else {
                    return;
                };
                if let Some(node) = schema_node(&path) {
                    self.keys(&KeySlot {
                        node,
                        path: path_text(&path),
                        table: Some(self.position.table),
                        typed: None,
                        span,
                        layout,
                        argument: OnceCell::new(),
                    });
                }
            }
            Place::Blank { empty_line } if empty_line || self.is_before_comment() => {
                let span = self.empty_span();
                let path = self.position.path.clone();
                let layout = self.statement_layout(span);
                if is_blank(self.before(self.offset)) && !self.before(self.offset).contains('\n') {
                    self.schema_directive(span);
                }
                if let Some(node) = schema_node(&path) {
                    self.keys(&KeySlot {
                        node,
                        path: path_text(&path),
                        table: Some(self.position.table),
                        typed: None,
                        span,
                        layout,
                        argument: OnceCell::new(),
                    });
                }
            }
            Place::Blank { .. } => {}
            Place::Missing(scalar) => {
                let span = scalar.span();
                let replaced = if span.touches(self.offset) && !span.is_empty() {
                    Replaced::Whole { span, quote: None }
                } else {
                    Replaced::Whole {
                        span: self.empty_span(),
                        quote: None,
                    }
                };
                let before = self.before(self.replaced_start(&replaced));
                let lead = if before.ends_with('=') { " " } else { "" };
                self.value(replaced, lead, "");
            }
            Place::String { string, offset } => {
                if let Some(replaced) = site::string_replacement(self.document, string, self.offset)
                {
                    let typed = string.value();
                    let typed = typed.get(..offset).unwrap_or(&typed).to_owned();
                    self.value_with(replaced, &typed, "", "");
                }
            }
            Place::Value(node) => {
                let kind = node.kind();
                let is_scalar = matches!(
                    kind,
                    jp_config::document::Kind::Boolean
                        | jp_config::document::Kind::Integer
                        | jp_config::document::Kind::Float
                );
                if is_scalar && node.span().touches(self.offset) {
                    self.value(
                        Replaced::Whole {
                            span: node.span(),
                            quote: None,
                        },
                        "",
                        "",
                    );
                }
            }
            Place::Array { index, .. } => {
                let Some((lead, tail)) = self.commas('[', ']', self.empty_span()) else {
                    return;
                };
                self.position
                    .path
                    .push(jp_config::document::PathSegment::Index(index));
                self.value(
                    Replaced::Whole {
                        span: self.empty_span(),
                        quote: None,
                    },
                    lead,
                    tail,
                );
            }
        }
    }

    /// The segment after one of a dotted key or header, if one is written there.
    fn key_after(&self, key: Key<'_>) -> Option<&'a str> {
        let rest = self.after(key.span().end);
        let after_dot = rest.trim_start().strip_prefix('.')?.trim_start();
        let offset = key.span().end as usize + (rest.len() - after_dot.len());
        match self.document.at(offset).place {
            Place::Key { key, .. } | Place::Header { key, .. } => Some(key.text()),
            _ => None,
        }
        .filter(|next| !next.is_empty())
    }

    /// Keeps only the keys under which the next segment can stand, where there are any.
    fn keep_leading(&mut self, parent: NodeId, next: &str) {
        let schema = self.schema;
        let leads = |item: &Item| {
            let name = item.label.trim_matches(['"', '\'']);
            schema.child(parent, name).is_some_and(|child| {
                let below = schema.child(child, next);
                below
                    .or_else(|| schema.child(schema.item(child)?, next))
                    .is_some()
            })
        };
        if self.items.iter().any(leads) {
            self.items.retain(leads);
        }
    }

    fn finish(mut self) -> Completions {
        if self.items.len() > MOST_ITEMS {
            let text = self.document.text();
            let offset = self.offset as usize;
            self.items.retain(|item| {
                let typed = text.get(item.edit.span.start as usize..offset);
                fits(&item.filter, typed.unwrap_or_default())
            });
            self.items.truncate(MOST_ITEMS);
            self.is_incomplete = true;
        }
        self.drop_harmful();
        for (index, item) in self.items.iter_mut().enumerate() {
            item.sort = format!("{index:04}");
        }
        Completions {
            items: self.items,
            is_incomplete: self.is_incomplete,
        }
    }

    /// Drops the items that would break a text further which is broken already, such as a value before brackets in the wrong order.
    fn drop_harmful(&mut self) {
        let section = self.document.section_at(self.offset as usize).span();
        let work = self.items.len() * section.range().len();
        if work == 0 || work > MOST_PARSED || !self.is_broken(section) {
            return;
        }
        let text = self.document.text();
        let known = mistakes(text.get(section.range()).unwrap_or_default());
        let mut judged: HashMap<(Span, String), bool> = HashMap::new();
        self.items.retain(|item| {
            let Span { start, end } = item.edit.span;
            let is_harmless = || {
                let before = text.get(section.start as usize..start as usize)?;
                let after = text.get(end as usize..section.end as usize)?;
                Some(mistakes(&[before, &item.edit.text, after].concat()) <= known)
            };
            *judged
                .entry((item.edit.span, form(&item.edit.text)))
                .or_insert_with(|| is_harmless().unwrap_or(false))
        });
    }

    /// The names that an answer has room for: all of them, or else those that go with what is typed.
    fn narrowed(&mut self, mut names: Vec<String>, typed: &str) -> Vec<String> {
        if names.len() > MOST_ITEMS {
            names.retain(|name| fits(name, typed));
            names.truncate(MOST_ITEMS);
            self.is_incomplete = true;
        }
        names
    }

    /// Whether a mistake of syntax touches a part of the text.
    fn is_broken(&self, part: Span) -> bool {
        let mut errors = self.document.errors().into_iter();
        errors.any(|error| error.span.start <= part.end && part.start <= error.span.end)
    }

    fn value(&mut self, replaced: Replaced, lead: &'static str, tail: &'static str) {
        self.value_with(replaced, "", lead, tail);
    }

    fn value_with(
        &mut self,
        replaced: Replaced,
        typed: &str,
        lead: &'static str,
        tail: &'static str,
    ) {
        let path = self.position.path.clone();
        let Some(node) = schema_node(&path) else {
            return;
        };
        self.values(&ValueSlot {
            node,
            path: path_text(&path),
            replaced,
            typed: typed.to_owned(),
            lead,
            tail,
        });
    }

    /// The line that names the schema for other editors' TOML support.
    fn schema_directive(&mut self, span: Span) {
        const DIRECTIVE: &str = "#:schema";
        let text = self.document.text();
        let typed = text.get(span.range()).unwrap_or_default();
        let is_first_line = !self.before(span.start).contains('\n');
        if !is_first_line || text.contains(DIRECTIVE) || !DIRECTIVE.starts_with(typed.trim_end()) {
            return;
        }
        let mut template = Template::default();
        template.text("#:schema ");
        template.placeholder("./jp-config.schema.json");
        self.push(Item {
            label: DIRECTIVE.to_owned(),
            kind: ItemKind::Snippet,
            detail: Some("names the JSON Schema for other tools".to_owned()),
            doc: None,
            edit: template.edit(span),
            sort: String::new(),
            filter: DIRECTIVE.to_owned(),
            continues: false,
        });
    }

    fn push(&mut self, item: Item) {
        self.items.push(item);
    }

    fn empty_span(&self) -> Span {
        Span::new(self.offset, self.offset)
    }

    fn replaced_start(&self, replaced: &Replaced) -> u32 {
        replaced.span().start
    }

    fn before(&self, offset: u32) -> &'a str {
        self.document
            .text()
            .get(..offset as usize)
            .unwrap_or_default()
    }

    fn after(&self, offset: u32) -> &'a str {
        self.document
            .text()
            .get(offset as usize..)
            .unwrap_or_default()
    }

    /// What separates an item within brackets from the ones around it; nothing where brackets and quotes are such a mess that any item
    /// would add to it.
    fn commas(&self, open: char, close: char, span: Span) -> Option<(&'static str, &'static str)> {
        let (lead, tail) = self.likely_commas(open, close, span);
        let section = self.document.section_at(span.start as usize).span();
        if !self.is_broken(section) {
            return Some((lead, tail));
        }
        let text = self.document.text();
        let before = text.get(section.start as usize..span.start as usize)?;
        let after = text.get(span.end as usize..section.end as usize)?;
        let known = mistakes(text.get(section.range())?);
        let item = if open == '[' { "\"_\"" } else { "_ = \"_\"" };
        let is_harmless = |(lead, tail): &(&str, &str)| {
            mistakes(&[before, lead, item, tail, after].concat()) <= known
        };
        let choices = [(lead, tail), ("", tail), (lead, ""), ("", "")];
        choices.into_iter().find(is_harmless)
    }

    fn likely_commas(&self, open: char, close: char, span: Span) -> (&'static str, &'static str) {
        let before = last_significant(self.before(span.start));
        let after = first_significant(self.after(span.end));
        let lead = match before {
            Some(',') if self.before(span.start).ends_with(',') => " ",
            Some(character) if character == open || character == ',' => "",
            Some(_) => ", ",
            None => "",
        };
        let tail = match after {
            Some(character) if character == close || character == ',' => "",
            Some(_) if self.is_within_brackets_after(span.end) => ", ",
            _ => "",
        };
        (lead, tail)
    }

    /// Whether what follows still belongs to the same brackets: not a header or a statement after a missing bracket.
    fn is_within_brackets_after(&self, offset: u32) -> bool {
        let end = self.document.section_at(offset as usize).span().end;
        let rest = self.after(offset);
        let blank = rest.len() - rest.trim_start().len();
        let next = offset as usize + blank;
        next < end as usize
            && matches!(
                self.document.at(next).place,
                Place::Key { .. }
                    | Place::String { .. }
                    | Place::Value(_)
                    | Place::Missing(_)
                    | Place::Inline
                    | Place::Array { .. }
            )
            && self.document.at(next).path.len() > self.position.path.len().saturating_sub(1)
    }

    fn inline_layout(&self, span: Span) -> Option<Layout> {
        let (lead, tail) = self.commas('{', '}', span)?;
        Some(Layout::Inline { lead, tail })
    }

    fn statement_layout(&self, span: Span) -> Layout {
        let section = self.document.section_at(span.start as usize);
        let end = section.span().end as usize;
        let rest = self
            .document
            .text()
            .get(span.end as usize..end)
            .unwrap_or_default();
        let is_last = rest
            .lines()
            .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        let line = self.before(span.start).rsplit('\n').next();
        let is_alone = line.is_some_and(is_blank);
        Layout::Statement {
            takes_headers: is_last && is_alone,
        }
    }

    /// Whether nothing but a comment stands on the line, after the place.
    fn is_before_comment(&self) -> bool {
        let line = self.before(self.offset).rsplit('\n').next();
        let rest = self.after(self.offset).trim_start_matches([' ', '\t']);
        line.is_some_and(is_blank) && rest.starts_with('#')
    }

    fn node(&self, id: NodeId) -> &'static jp_config::schema::Node {
        self.schema.node(id)
    }

    fn workspace(&self) -> &'a Utf8Path {
        &self.view.graph().workspace
    }

    fn directory(&self) -> Utf8PathBuf {
        let path = self.view.graph().path(self.file);
        path.parent().unwrap_or(path).to_owned()
    }
}

/// Whether a text has all typed letters in their order, as editors ask of what they list.
fn fits(text: &str, typed: &str) -> bool {
    let mut letters = text.chars().flat_map(char::to_lowercase);
    let mut typed = typed.chars().flat_map(char::to_lowercase);
    typed.all(|letter| letters.any(|other| other == letter))
}

/// A text with every plain word replaced by one: texts of one form are right or wrong TOML in the same places.
fn form(text: &str) -> String {
    let mut form = String::with_capacity(text.len());
    let mut word = String::new();
    let mut previous = None;
    for character in text.chars().chain([' ']) {
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '-') {
            word.push(character);
            continue;
        }
        let is_value = matches!(word.as_str(), "true" | "false" | "inf" | "nan");
        let is_plain = word.starts_with(|first: char| first.is_ascii_alphabetic())
            && !is_value
            && previous != Some('\\');
        form.push_str(if is_plain { "_" } else { &word });
        word.clear();
        form.push(character);
        previous = Some(character);
    }
    form
}

/// Whether a part of a line is only blanks; the mark at the start of some files counts as one.
fn is_blank(line: &str) -> bool {
    line.trim_start_matches('\u{feff}').trim().is_empty()
}

/// How many mistakes of syntax a text holds; keys that stand twice are none.
fn mistakes(text: &str) -> usize {
    let errors = Document::parse(text).errors().into_iter();
    errors
        .filter(|error| error.kind != SyntaxErrorKind::DuplicateKey)
        .count()
}

#[cfg(test)]
#[path = "completion_tests.rs"]
mod tests;
