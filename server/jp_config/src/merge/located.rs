//! Values with the places that set them.
//!
//! ```toml
//! [conversation.tools.grep]
//! run = "ask"   # the value, the key that names it, and the layer that the file is
//! ```

use indexmap::IndexMap;
use serde_json::Value;

use crate::document::{Node, Span};

/// The index of a layer in a view's merge order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerId(pub u32);

impl LayerId {
    /// Its place in the merge order.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The place of a value in one layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The layer.
    pub layer: LayerId,
    /// The key that names the value; absent for list elements and for data files.
    pub key: Option<Span>,
    /// The value itself; for a table with a header, the header. Empty for data files.
    pub span: Span,
}

/// A value with the places that set it.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// The value.
    pub value: LocatedValue,
    /// The places that had a part in it, weakest first; the last one decided.
    pub origins: Vec<Origin>,
}

/// A config value whose parts are located too.
#[derive(Debug, Clone, PartialEq)]
pub enum LocatedValue {
    /// A `null` of JSON or YAML, which sets nothing but in free-form data. TOML has none.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer of 64 bits.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A string, decoded.
    String(String),
    /// A TOML date or time, as written.
    Datetime(String),
    /// A list.
    List(Vec<Located>),
    /// A table, in declaration order.
    Table(IndexMap<String, Located>),
    /// A value that is being typed or is broken.
    Missing,
}

impl LocatedValue {
    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// The entries of a table.
    #[must_use]
    pub fn as_table(&self) -> Option<&IndexMap<String, Located>> {
        match self {
            Self::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The elements of a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Located]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The value as JSON; dates become strings, what is missing becomes `null`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Null | Self::Missing => Value::Null,
            Self::Boolean(value) => Value::Bool(*value),
            Self::Integer(value) => Value::from(*value),
            Self::Float(value) => Value::from(*value),
            Self::String(text) | Self::Datetime(text) => Value::String(text.clone()),
            Self::List(items) => Value::Array(items.iter().map(Located::to_json).collect()),
            Self::Table(table) => Value::Object(
                table
                    .iter()
                    .map(|(key, item)| (key.clone(), item.to_json()))
                    .collect(),
            ),
        }
    }
}

impl Located {
    /// Locates a node of a document in a layer.
    #[must_use]
    pub fn from_node(node: Node<'_>, layer: LayerId) -> Self {
        Self::of_node(node, layer, None)
    }

    fn of_node(node: Node<'_>, layer: LayerId, key: Option<Span>) -> Self {
        let value = match node {
            Node::Table(table) => LocatedValue::Table(
                table
                    .entries()
                    .map(|entry| {
                        let item = Self::of_node(entry.value(), layer, Some(entry.key_span()));
                        (entry.key().to_owned(), item)
                    })
                    .collect(),
            ),
            Node::Array(array) => LocatedValue::List(
                array
                    .items()
                    .map(|item| Self::of_node(item, layer, None))
                    .collect(),
            ),
            Node::Str(text) => LocatedValue::String(text.value().into_owned()),
            Node::Boolean(_) => node
                .as_bool()
                .map_or(LocatedValue::Missing, LocatedValue::Boolean),
            Node::Integer(_) => node
                .as_i64()
                .map_or(LocatedValue::Missing, LocatedValue::Integer),
            Node::Float(_) => node
                .as_f64()
                .map_or(LocatedValue::Missing, LocatedValue::Float),
            Node::Datetime(scalar) => LocatedValue::Datetime(scalar.text().to_owned()),
            Node::Missing(_) => LocatedValue::Missing,
        };
        Self {
            value,
            origins: vec![Origin {
                layer,
                key,
                span: node.span(),
            }],
        }
    }

    /// Places JSON data in a layer; it has no spans.
    #[must_use]
    pub fn from_json(value: &Value, layer: LayerId) -> Self {
        let value = match value {
            Value::Null => LocatedValue::Null,
            Value::Bool(value) => LocatedValue::Boolean(*value),
            Value::Number(number) => number.as_i64().map_or_else(
                || LocatedValue::Float(number.as_f64().unwrap_or(f64::NAN)),
                LocatedValue::Integer,
            ),
            Value::String(text) => LocatedValue::String(text.clone()),
            Value::Array(items) => LocatedValue::List(
                items
                    .iter()
                    .map(|item| Self::from_json(item, layer))
                    .collect(),
            ),
            Value::Object(map) => LocatedValue::Table(
                map.iter()
                    .map(|(key, item)| (key.clone(), Self::from_json(item, layer)))
                    .collect(),
            ),
        };
        Self {
            value,
            origins: vec![Origin {
                layer,
                key: None,
                span: Span { start: 0, end: 0 },
            }],
        }
    }

    /// The place that decided the value.
    #[must_use]
    pub fn origin(&self) -> Option<Origin> {
        self.origins.last().copied()
    }

    /// The member of a table.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Located> {
        self.value.as_table()?.get(key)
    }

    /// The value below a path of table keys.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Located> {
        path.iter().try_fold(self, |located, key| located.get(key))
    }

    /// The value as JSON, without places.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.value.to_json()
    }
}

/// The places that a joined value comes from.
pub(super) fn together(mut lower: Vec<Origin>, upper: Vec<Origin>) -> Vec<Origin> {
    lower.extend(upper);
    lower
}
