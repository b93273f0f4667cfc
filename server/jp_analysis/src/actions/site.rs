//! Where an action is asked for.

use std::cell::OnceCell;

use jp_config::{
    document::{Document, Entry, Node, PathSegment, Place as At, Position, Span, Str, Table},
    graph::FileId,
    view::View,
};

use super::action::{Action, ActionKind};
use crate::{
    Edit, Options, Place,
    text::{node::node_at, text_edit::line_break},
};

/// Where an action is asked for.
pub(super) struct Site<'a> {
    pub(super) view: &'a View,
    pub(super) file: FileId,
    pub(super) document: &'a Document,
    pub(super) range: Span,
    pub(super) options: Options,
    pub(super) position: Position<'a>,
    /// The command that serves most local tools, once it was looked for.
    pub(super) common_command: OnceCell<Option<String>>,
}

impl<'a> Site<'a> {
    pub(super) fn new(
        view: &'a View,
        file: FileId,
        document: &'a Document,
        range: Span,
        options: Options,
    ) -> Self {
        // Whoever selects a line means what stands on it.
        let selected = document.text().get(range.range()).unwrap_or_default();
        let blank = selected.len() - selected.trim_start().len();
        let skipped = if blank < selected.len() { blank } else { 0 };
        let start = range.start + u32::try_from(skipped).unwrap_or_default();
        let range = Span::new(start, range.end);
        Self {
            view,
            file,
            document,
            range,
            options,
            position: document.at(range.start as usize),
            common_command: OnceCell::new(),
        }
    }

    pub(super) fn text(&self, span: Span) -> Option<&'a str> {
        self.document.text().get(span.range())
    }

    /// Whether a part of the text holds a mistake of syntax, or one that spreads to it.
    pub(super) fn is_broken(&self, part: Span) -> bool {
        let mut errors = self.document.errors().into_iter();
        errors.any(|error| meets(error.span, part))
    }

    /// The path, if every step is a key.
    pub(super) fn keys(&self) -> Option<Vec<&'a str>> {
        let keys = self.position.path.iter().map(|segment| match segment {
            PathSegment::Key(key) => Some(*key),
            PathSegment::Index(_) => None,
        });
        keys.collect()
    }

    /// The entry that the place is on: on its key, or on its value if that has no parts.
    pub(super) fn entry(&self) -> Option<Entry<'a>> {
        match self.position.place {
            At::Key {
                segment, segments, ..
            } if segment + 1 == segments => {}
            At::String { .. } | At::Value(_) => {}
            _ => return None,
        }
        let PathSegment::Key(key) = self.position.path.last()? else {
            return None;
        };
        self.parent()?.get(key)
    }

    /// The table that holds the last segment of the path.
    pub(super) fn parent(&self) -> Option<Table<'a>> {
        let (_, parents) = self.position.path.split_last()?;
        match node_at(self.document, parents)? {
            Node::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(super) fn string(&self) -> Option<Str<'a>> {
        match self.position.place {
            At::String { string, .. } if string.is_whole() => Some(string),
            _ => match self.entry()?.value() {
                Node::Str(string) => Some(string),
                _ => None,
            },
        }
    }

    pub(super) fn edit(&self, span: Span, text: impl Into<String>) -> Edit {
        Edit {
            place: Place {
                file: self.file,
                span,
            },
            text: text.into(),
        }
    }

    pub(super) fn rewrite(&self, title: impl Into<String>, edits: Vec<Edit>) -> Action {
        Action {
            title: title.into(),
            kind: ActionKind::Rewrite,
            preferred: false,
            diagnostic: None,
            edits,
            creates: None,
            disabled: None,
        }
    }

    /// A rewrite that cannot be done here, and why.
    pub(super) fn refusal(&self, title: impl Into<String>, reason: impl Into<String>) -> Action {
        Action {
            disabled: Some(reason.into()),
            ..self.rewrite(title, Vec::new())
        }
    }

    pub(super) fn line_break(&self) -> &'static str {
        line_break(self.document.text())
    }
}

/// Whether a place is touched by a range.
pub(super) fn meets(span: Span, range: Span) -> bool {
    span.start <= range.end && range.start <= span.end
}
