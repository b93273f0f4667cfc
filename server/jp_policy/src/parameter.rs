//! The parameters of a tool, as far as a policy needs to know them.
//!
//! ```toml
//! [conversation.tools.fs_modify_file.parameters.patterns]
//! type = "array"
//! required = true
//! items.type = "object"
//! items.properties.paths = { type = "array", items.type = "path" }
//! ```

use std::fmt::{Display, Formatter, Result as FmtResult};

use indexmap::IndexMap;
use serde_json::Value;

use crate::{exact_number::ExactNumber, pointer::encoded};

/// The type of a parameter (RFD D25, "The `path` parameter type").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParameterType {
    /// Any text.
    String,
    /// Text that names a file; compared in normal form, component by component.
    Path,
    /// Any number.
    Number,
    /// A whole number; `1.0` is one.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A list; a pointer through it means any of its elements.
    Array,
    /// A table.
    Object,
}

impl ParameterType {
    /// Every type, in the order of the documentation.
    pub const ALL: &'static [Self] = &[
        Self::String,
        Self::Path,
        Self::Number,
        Self::Integer,
        Self::Boolean,
        Self::Array,
        Self::Object,
    ];

    /// The word that configures the type.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Path => "path",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// The type that `keyword` configures, or `None` for a word that is no type.
    #[must_use]
    pub fn from_keyword(keyword: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.keyword() == keyword)
    }

    /// Whether `value` is of this type.
    #[must_use]
    pub fn admits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::String | Self::Path, Value::String(_))
            | (Self::Number, Value::Number(_))
            | (Self::Boolean, Value::Bool(_))
            | (Self::Array, Value::Array(_))
            | (Self::Object, Value::Object(_)) => true,
            (Self::Integer, Value::Number(number)) => {
                ExactNumber::new(number).is_some_and(ExactNumber::is_integer)
            }
            _ => false,
        }
    }
}

impl Display for ParameterType {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        formatter.write_str(self.keyword())
    }
}

/// One parameter, or the items of an array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameter {
    /// The types a value may have; empty when no type is known, and then any value is possible.
    pub types: Vec<ParameterType>,
    /// The declared values, if they are declared; an empty list declares nothing.
    pub enumeration: Option<Vec<Value>>,
    /// Whether a call must give the parameter; `false` by default.
    pub required: bool,
    /// The value that fills in for an absent one.
    ///
    /// Analysis does not rely on it: a parameter with a default may still be absent.
    pub default: Option<Value>,
    /// What an array holds; `None` when it is not declared.
    pub items: Option<Box<Parameter>>,
    /// What an object holds, in declaration order.
    pub properties: IndexMap<String, Parameter>,
}

impl Parameter {
    /// A parameter of one type: optional, without further constraints.
    #[must_use]
    pub fn of(kind: ParameterType) -> Self {
        Self {
            types: vec![kind],
            ..Self::default()
        }
    }

    /// An array of `items`.
    #[must_use]
    pub fn array(items: Self) -> Self {
        Self {
            items: Some(Box::new(items)),
            ..Self::of(ParameterType::Array)
        }
    }

    /// An object with `properties`.
    #[must_use]
    pub fn object<N: Into<String>>(properties: impl IntoIterator<Item = (N, Self)>) -> Self {
        Self {
            properties: properties
                .into_iter()
                .map(|(name, property)| (name.into(), property))
                .collect(),
            ..Self::of(ParameterType::Object)
        }
    }

    /// The same parameter, required.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The same parameter, limited to `values`.
    #[must_use]
    pub fn one_of(mut self, values: impl IntoIterator<Item = Value>) -> Self {
        self.enumeration = Some(values.into_iter().collect());
        self
    }

    /// Whether a value of the parameter, or something in it, may name a file.
    #[must_use]
    pub fn holds_path(&self) -> bool {
        self.may_be(ParameterType::Path)
            || self.items.as_deref().is_some_and(Self::holds_path)
            || self.properties.values().any(Self::holds_path)
    }

    pub(crate) fn may_be(&self, kind: ParameterType) -> bool {
        self.types.contains(&kind)
    }
}

/// All parameters of one tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// The parameters, in declaration order.
    pub properties: IndexMap<String, Parameter>,
    /// Whether a call may hold more than is declared here, as for an MCP tool whose schema is not known.
    ///
    /// A pointer that does not resolve is no error then; it is followed through the arguments themselves, and every array on its way is
    /// traversed.
    pub open: bool,
}

impl Parameters {
    /// The closed set of `properties`.
    #[must_use]
    pub fn new<N: Into<String>>(properties: impl IntoIterator<Item = (N, Parameter)>) -> Self {
        Self {
            properties: properties
                .into_iter()
                .map(|(name, parameter)| (name.into(), parameter))
                .collect(),
            open: false,
        }
    }

    /// The names of both, each once: ours in declaration order, then what the other has beside them.
    pub fn names_with<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a String> {
        let others = other.properties.keys();
        self.properties
            .keys()
            .chain(others.filter(|name| !self.properties.contains_key(*name)))
    }

    /// Whether some value of a call is known to name a file.
    #[must_use]
    pub fn hold_paths(&self) -> bool {
        self.properties.values().any(Parameter::holds_path)
    }

    /// The pointers, as a rule writes them, to all values that name files; in declaration order.
    #[must_use]
    pub fn path_pointers(&self) -> Vec<String> {
        let mut found = Vec::new();
        find_paths(&self.properties, "", &mut found);
        found
    }
}

fn find_paths(properties: &IndexMap<String, Parameter>, parent: &str, found: &mut Vec<String>) {
    for (name, parameter) in properties {
        let pointer = format!("{parent}/{}", encoded(name));
        let levels = std::iter::successors(Some(parameter), |level| level.items.as_deref());
        if levels
            .clone()
            .any(|level| level.may_be(ParameterType::Path))
        {
            found.push(pointer.clone());
        }
        levels.for_each(|level| find_paths(&level.properties, &pointer, found));
    }
}
