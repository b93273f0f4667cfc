//! Located TOML as a tree.
//!
//! ```toml
//! [conversation.tools.grep]
//! source = "local"
//! enab                       # a key without a value yet
//! ```

use std::borrow::Cow;

use super::{Entry, Node};
use crate::{
    document,
    tree::{Kind, Tree},
};

impl<'a> Tree for Node<'a> {
    type Entry = Entry<'a>;

    fn kind(self) -> Kind {
        match Node::kind(self) {
            document::Kind::Table => Kind::Table,
            document::Kind::Array => Kind::Array,
            document::Kind::Str => Kind::String,
            document::Kind::Integer => Kind::Integer,
            document::Kind::Float => Kind::Float,
            document::Kind::Boolean => Kind::Boolean,
            document::Kind::Datetime => Kind::Datetime,
            document::Kind::Missing => Kind::Missing,
        }
    }

    fn entries(self) -> impl Iterator<Item = Self::Entry> {
        self.as_table()
            .into_iter()
            .flatten()
            .filter(|entry| !entry.first_key().is_missing())
    }

    fn key(entry: &Self::Entry) -> &str {
        entry.key()
    }

    fn value(entry: &Self::Entry) -> Self {
        Entry::value(*entry)
    }

    fn get(self, key: &str) -> Option<Self> {
        Some(self.as_table()?.get(key)?.value())
    }

    fn items(self) -> impl Iterator<Item = Self> {
        self.as_array().into_iter().flat_map(document::Array::items)
    }

    fn as_str(&self) -> Option<Cow<'_, str>> {
        Node::as_str(*self)
    }

    fn as_bool(self) -> Option<bool> {
        Node::as_bool(self)
    }

    fn as_i64(self) -> Option<i64> {
        Node::as_i64(self)
    }

    fn as_f64(self) -> Option<f64> {
        Node::as_f64(self)
    }
}
