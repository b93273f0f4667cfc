//! A document as what reads it by the schema sees it, whatever its language.
//!
//! Located TOML, merged config and plain JSON are such trees.
//!
//! ```json
//! { "run": "ask", "parameters": { "path": { "type": "path" } } }
//! ```

use std::borrow::Cow;

use serde_json::Value;

/// What a value is, before its schema is known.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Hash)]
pub enum Kind {
    /// Keys and values.
    Table,
    /// A list.
    Array,
    /// A text.
    String,
    /// A whole number.
    Integer,
    /// Any other number.
    Float,
    /// `true` or `false`.
    Boolean,
    /// A TOML date or time.
    Datetime,
    /// JSON's `null`, which sets nothing.
    Null,
    /// A value that is not typed yet, or that syntax errors already report.
    Missing,
}

impl Kind {
    /// The name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Array => "list",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Boolean => "boolean",
            Self::Datetime => "datetime",
            Self::Null => "null",
            Self::Missing => "nothing",
        }
    }
}

/// The notation that a value is written in, where it decides what the released `jp` makes of it.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Hash)]
pub enum Notation {
    /// TOML, which has no `null`.
    Toml,
    /// JSON, with or without comments.
    Json,
    /// YAML.
    Yaml,
}

/// A value of a document: located TOML, or plain JSON.
pub trait Tree: Copy {
    /// A key of a table with its value.
    type Entry: Clone;

    /// The notation that the value is written in: TOML by default.
    fn notation(self) -> Notation {
        Notation::Toml
    }

    /// What the value is.
    fn kind(self) -> Kind;
    /// The entries of a table; empty for anything else.
    fn entries(self) -> impl Iterator<Item = Self::Entry>;
    /// The key of an entry.
    fn key(entry: &Self::Entry) -> &str;
    /// The value of an entry.
    fn value(entry: &Self::Entry) -> Self;
    /// The value at `key` of a table.
    fn get(self, key: &str) -> Option<Self>;
    /// The elements of a list; empty for anything else.
    fn items(self) -> impl Iterator<Item = Self>;
    /// The text of a string.
    fn as_str(&self) -> Option<Cow<'_, str>>;
    /// The value of a boolean.
    fn as_bool(self) -> Option<bool>;
    /// The value of an integer, where 64 bits hold it.
    fn as_i64(self) -> Option<i64>;
    /// The value of a float.
    fn as_f64(self) -> Option<f64>;
}

/// A value of a data file, with the notation that the file is written in.
#[derive(Debug, Copy, Clone)]
pub struct DataTree<'a> {
    /// The value.
    pub value: &'a Value,
    /// The notation.
    pub notation: Notation,
}

impl<'a> DataTree<'a> {
    fn with(self, value: &'a Value) -> Self {
        Self { value, ..self }
    }
}

impl<'a> Tree for DataTree<'a> {
    type Entry = (&'a str, Self);

    fn notation(self) -> Notation {
        self.notation
    }

    fn kind(self) -> Kind {
        self.value.kind()
    }

    fn entries(self) -> impl Iterator<Item = Self::Entry> {
        Tree::entries(self.value).map(move |(key, value)| (key, self.with(value)))
    }

    fn key(entry: &Self::Entry) -> &str {
        entry.0
    }

    fn value(entry: &Self::Entry) -> Self {
        entry.1
    }

    fn get(self, key: &str) -> Option<Self> {
        Tree::get(self.value, key).map(|value| self.with(value))
    }

    fn items(self) -> impl Iterator<Item = Self> {
        Tree::items(self.value).map(move |value| self.with(value))
    }

    fn as_str(&self) -> Option<Cow<'_, str>> {
        self.value.as_str().map(Cow::Borrowed)
    }

    fn as_bool(self) -> Option<bool> {
        self.value.as_bool()
    }

    fn as_i64(self) -> Option<i64> {
        self.value.as_i64()
    }

    fn as_f64(self) -> Option<f64> {
        self.value.as_f64()
    }
}

impl<'a> Tree for &'a Value {
    type Entry = (&'a str, &'a Value);

    fn notation(self) -> Notation {
        Notation::Json
    }

    fn kind(self) -> Kind {
        match self {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(number) if number.is_f64() => Kind::Float,
            Value::Number(_) => Kind::Integer,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Table,
        }
    }

    fn entries(self) -> impl Iterator<Item = Self::Entry> {
        self.as_object()
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
        self.as_object().and_then(|table| table.get(key))
    }

    fn items(self) -> impl Iterator<Item = Self> {
        self.as_array().into_iter().flatten()
    }

    fn as_str(&self) -> Option<Cow<'_, str>> {
        Value::as_str(self).map(Cow::Borrowed)
    }

    fn as_bool(self) -> Option<bool> {
        Value::as_bool(self)
    }

    fn as_i64(self) -> Option<i64> {
        Value::as_i64(self)
    }

    fn as_f64(self) -> Option<f64> {
        Value::as_f64(self)
    }
}
