//! Merged config as a tree.
//!
//! ```toml
//! # tools.toml
//! [conversation.tools.grep]
//! run = "ask"
//! # no layer sets `source`: the tables that lack it know where they come from
//! ```

use std::borrow::Cow;

use super::{Located, LocatedValue};
use crate::tree::{Kind, Tree};

impl<'a> Tree for &'a Located {
    type Entry = (&'a str, &'a Located);

    fn kind(self) -> Kind {
        match self.value {
            LocatedValue::Null => Kind::Null,
            LocatedValue::Boolean(_) => Kind::Boolean,
            LocatedValue::Integer(_) => Kind::Integer,
            LocatedValue::Float(_) => Kind::Float,
            LocatedValue::String(_) => Kind::String,
            LocatedValue::Datetime(_) => Kind::Datetime,
            LocatedValue::List(_) => Kind::Array,
            LocatedValue::Table(_) => Kind::Table,
            LocatedValue::Missing => Kind::Missing,
        }
    }

    fn entries(self) -> impl Iterator<Item = Self::Entry> {
        self.value
            .as_table()
            .into_iter()
            .flatten()
            .map(|(key, value)| (key.as_str(), value))
    }

    fn key(entry: &Self::Entry) -> &str {
        entry.0
    }

    fn value(entry: &Self::Entry) -> Self {
        entry.1
    }

    fn get(self, key: &str) -> Option<Self> {
        Located::get(self, key)
    }

    fn items(self) -> impl Iterator<Item = Self> {
        self.value.as_list().into_iter().flatten()
    }

    fn as_str(&self) -> Option<Cow<'_, str>> {
        self.value.as_str().map(Cow::Borrowed)
    }

    fn as_bool(self) -> Option<bool> {
        self.value.as_bool()
    }

    fn as_i64(self) -> Option<i64> {
        match self.value {
            LocatedValue::Integer(value) => Some(value),
            _ => None,
        }
    }

    fn as_f64(self) -> Option<f64> {
        match self.value {
            LocatedValue::Float(value) => Some(value),
            _ => None,
        }
    }
}
