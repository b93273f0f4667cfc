//! The one condition of a rule.
//!
//! ```toml
//! { arg = "/util", enum = ["date", "wc"], mode = "unattended" }
//! { arg = "/start_line", minimum = 1000, mode = "ask" }
//! ```

use std::{
    borrow::Cow,
    fmt::{Display, Formatter, Result as FmtResult},
};

use serde_json::Value;

use crate::{
    exact_number::ExactNumber,
    parameter::ParameterType,
    path_form::{path_key, path_text},
    pattern::Pattern,
};

/// The keyword of a matcher (RFD D25, "Type-constrained matchers").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MatcherKind {
    /// The value equals the given one.
    Const,
    /// The value equals one of the given ones.
    Enum,
    /// The text matches an ECMA-262 regular expression somewhere.
    Pattern,
    /// The text starts with the given bytes, the path with the given components.
    Prefix,
    /// The number is at least the given one.
    Minimum,
    /// The number is at most the given one.
    Maximum,
    /// The number is greater than the given one.
    ExclusiveMinimum,
    /// The number is less than the given one.
    ExclusiveMaximum,
}

impl MatcherKind {
    /// Every matcher, in the order of the documentation.
    pub const ALL: &'static [Self] = &[
        Self::Const,
        Self::Enum,
        Self::Pattern,
        Self::Prefix,
        Self::Minimum,
        Self::Maximum,
        Self::ExclusiveMinimum,
        Self::ExclusiveMaximum,
    ];

    /// The key that configures the matcher.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Const => "const",
            Self::Enum => "enum",
            Self::Pattern => "pattern",
            Self::Prefix => "prefix",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::ExclusiveMinimum => "exclusive_minimum",
            Self::ExclusiveMaximum => "exclusive_maximum",
        }
    }

    /// The matcher that the key `keyword` configures.
    #[must_use]
    pub fn from_keyword(keyword: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.keyword() == keyword)
    }

    /// Whether the matcher may stand on a parameter of type `parameter`.
    ///
    /// For an array, ask about the type of its items.
    #[must_use]
    pub fn legal_for(self, parameter: ParameterType) -> bool {
        match self {
            Self::Const | Self::Enum => true,
            Self::Pattern | Self::Prefix => {
                matches!(parameter, ParameterType::String | ParameterType::Path)
            }
            Self::Minimum | Self::Maximum | Self::ExclusiveMinimum | Self::ExclusiveMaximum => {
                matches!(parameter, ParameterType::Number | ParameterType::Integer)
            }
        }
    }
}

impl Display for MatcherKind {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        formatter.write_str(self.keyword())
    }
}

/// How text is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// Byte for byte.
    Plain,
    /// As a path: normalized, component by component.
    Path,
}

impl TextForm {
    /// The key of a text: equal texts have equal keys, and what lies under a prefix starts with the prefix's key.
    pub(crate) fn key(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Plain => Cow::Borrowed(text),
            Self::Path => Cow::Owned(path_key(text)),
        }
    }

    /// The text that a pattern sees.
    pub(crate) fn text(self, key: &str) -> &str {
        match self {
            Self::Plain => key,
            Self::Path => path_text(key),
        }
    }
}

/// A value in the form in which it is compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Atom {
    /// The key of a text.
    Text(String),
    /// A number.
    Number(ExactNumber),
    /// `true` or `false`.
    Boolean(bool),
    /// An object, an array or null, written out with sorted keys.
    Other(String),
}

impl Atom {
    /// The comparable form of an argument's value.
    pub(crate) fn of_value(value: &Value, form: TextForm) -> Self {
        match value {
            Value::String(text) => Self::Text(form.key(text).into_owned()),
            Value::Bool(boolean) => Self::Boolean(*boolean),
            Value::Number(number) => {
                ExactNumber::new(number).map_or_else(|| Self::Other(canonical(value)), Self::Number)
            }
            Value::Null | Value::Array(_) | Value::Object(_) => Self::Other(canonical(value)),
        }
    }

    /// The comparable form of a `const` value or an `enum` member; `None` when no argument can ever equal it, because values are
    /// normalized before they are compared and this one is not in normal form.
    pub(crate) fn of_literal(value: &Value, form: TextForm) -> Option<Self> {
        let atom = Self::of_value(value, form);
        match (value, &atom) {
            (Value::String(text), Self::Text(key)) if form.text(key) != text => None,
            _ => Some(atom),
        }
    }
}

/// A text that is equal for equal values: keys sorted, numbers by value.
pub(crate) fn canonical(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(boolean) => boolean.to_string(),
        Value::Number(number) => match ExactNumber::new(number) {
            Some(ExactNumber::Integer(integer)) => integer.to_string(),
            _ => number.to_string(),
        },
        Value::String(_) => value.to_string(),
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(canonical).collect();
            format!("[{}]", elements.join(","))
        }
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_unstable_by_key(|(name, _)| *name);
            let entries: Vec<String> = entries
                .into_iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), canonical(value)))
                .collect();
            format!("{{{}}}", entries.join(","))
        }
    }
}

/// One end of a range of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) at: ExactNumber,
    /// Whether `at` itself is outside.
    pub(crate) exclusive: bool,
}

impl Bound {
    pub(crate) fn admits_from_below(self, number: ExactNumber) -> bool {
        self.at < number || (!self.exclusive && self.at == number)
    }

    pub(crate) fn admits_from_above(self, number: ExactNumber) -> bool {
        number < self.at || (!self.exclusive && self.at == number)
    }
}

/// A compiled matcher.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    /// `None`: a value that nothing can equal.
    Const(Option<Atom>),
    /// The members that something can equal, sorted; and whether there are others.
    Enum {
        members: Vec<Atom>,
        dead: bool,
    },
    Prefix(String),
    Pattern(Pattern),
    Lower(Bound),
    Upper(Bound),
}

impl Matcher {
    /// Whether the matcher is satisfied; `None` when the pattern engine gave up.
    pub(crate) fn try_matches(&self, atom: &Atom, form: TextForm) -> Option<bool> {
        Some(match (self, atom) {
            (Self::Const(expected), atom) => expected.as_ref() == Some(atom),
            (Self::Enum { members, .. }, atom) => members.binary_search(atom).is_ok(),
            (Self::Prefix(prefix), Atom::Text(key)) => key.starts_with(prefix.as_str()),
            (Self::Pattern(pattern), Atom::Text(key)) => {
                return pattern.try_is_match(form.text(key));
            }
            (Self::Lower(bound), Atom::Number(number)) => bound.admits_from_below(*number),
            (Self::Upper(bound), Atom::Number(number)) => bound.admits_from_above(*number),
            _ => false,
        })
    }

    /// Whether the matcher is satisfied, with a search that was given up read as "no".
    pub(crate) fn matches(&self, atom: &Atom, form: TextForm) -> bool {
        self.try_matches(atom, form).unwrap_or(false)
    }
}

#[cfg(test)]
#[path = "matcher_tests.rs"]
mod tests;
