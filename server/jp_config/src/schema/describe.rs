//! What a value must be, in words.
//!
//! ```toml
//! write = "insecure_allow"   # `true`, `false` or `insecure_allow`
//! ```

use std::borrow::Cow;

use super::{Merge, NodeId, Requirement, Schema, Sensitivity, Shape, Strategy, StringFormat};
use crate::words::{alternatives, enumerate, one_of};

impl Schema {
    /// What a value must be, as it reads after "expected": `a boolean`, `one of ...`, `a list`.
    #[must_use]
    pub fn describe(&self, id: NodeId) -> String {
        let node = self.node(id);
        match &node.shape {
            Shape::Boolean => "a boolean".to_owned(),
            Shape::Integer { minimum, maximum } => integer(*minimum, *maximum),
            Shape::Float => "a number".to_owned(),
            Shape::String(format) => format.describe().to_owned(),
            Shape::Enum(variants) => one_of(
                variants
                    .iter()
                    .filter(|variant| variant.deprecated.is_none())
                    .map(|variant| variant.value),
            ),
            Shape::Any => "any value".to_owned(),
            Shape::Struct(shape) => {
                let required = shape
                    .fields
                    .iter()
                    .filter(|field| field.requirement == Requirement::Local)
                    .map(|field| field.name);
                let required: Vec<_> = required.collect();
                if required.is_empty() && shape.fields.len() > 3 {
                    "a table".to_owned()
                } else if required.is_empty() {
                    let names = shape.fields.iter().map(|field| field.name);
                    format!("a table with {}", enumerate(names, "or"))
                } else {
                    format!("a table with {}", enumerate(required, "and"))
                }
            }
            Shape::Map(_) => "a table".to_owned(),
            Shape::List { item } => match &self.node(*item).shape {
                Shape::Struct(_) => "a list of tables".to_owned(),
                Shape::String(_) | Shape::Enum(_) => "a list of strings".to_owned(),
                _ => "a list".to_owned(),
            },
            Shape::Union(branches) => {
                alternatives(branches.iter().map(|branch| self.describe(*branch)))
            }
        }
    }
}

impl StringFormat {
    /// What a string of this format is, as it reads after "expected".
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Plain | Self::Multiline => "a string",
            Self::Path(_) => "a path",
            Self::Url => "an absolute URL such as `file://README.md` or `cmd:git diff`",
            Self::Duration => "a duration such as `10m` or `500us`",
            Self::Color => "a colour such as `#1e1e2e`",
            Self::Number => "a whole number in quotes such as `\"10\"`",
            Self::ModelId => "a model such as `anthropic/claude-sonnet-5` or an alias",
            Self::ModelName => "a model name such as `claude-sonnet-5`",
            Self::ToolSource => "a tool source such as `local` or `mcp.<server>`",
            Self::ToolName => "the name of a tool",
            Self::Command => "a command line",
            Self::Regex => "a regular expression",
            Self::JsonPointer => "a JSON Pointer such as `/path`",
            Self::Host => "a host such as `api.github.com`",
            Self::Scheme => "a URL scheme such as `https`",
            Self::UrlPath => "a URL path such as `/admin`",
            Self::ServerAddress => "an address such as `https://docs.example/mcp`",
            Self::EnvName => "the name of an environment variable",
            Self::EnvPattern => "the name of an environment variable, or a prefix such as `AWS_*`",
            Self::ConfigPath => "a config path such as `assistant.model`",
            Self::ConversationId => "the id of a conversation",
            Self::CompactionBound => "a bound such as `\"3\"`, `\"@3\"`, `\"-3\"` or `\"5h\"`",
            Self::Theme => "the name of a theme",
        }
    }
}

impl Merge {
    /// What several files make of a value, as it reads after "In several files:"; nothing where it is as everyone expects: tables merge,
    /// and of values the strongest stands.
    #[must_use]
    pub fn describe(self) -> Option<&'static str> {
        Some(match self {
            Self::Replace | Self::Struct | Self::Map | Self::Union => return None,
            Self::MergeableVec {
                default: Strategy::Append,
            }
            | Self::Append => "the lists are joined, that of the strongest file last.",
            Self::MergeableVec {
                default: Strategy::Prepend,
            } => "the lists are joined, that of the strongest file first.",
            Self::MergeableVec {
                default: Strategy::Replace,
            } => "the strongest file's list stands; `{ strategy = …, value = … }` says otherwise.",
            Self::MergeableString => {
                "the strongest file's text stands; `{ strategy = …, value = … }` says otherwise."
            }
            Self::MergeableMap => {
                "maps merge deeply; `{ strategy = …, value = … }` says otherwise."
            }
            Self::Json => "tables merge deeply, everything else is replaced.",
            Self::Enable => {
                "a shorthand sets `state` and `allow_toggle`, a table only what it names."
            }
            Self::FirstWins => "the first file that sets it wins.",
        })
    }
}

impl Requirement {
    /// Whether the key must be present, in a sentence; nothing where it may be absent.
    #[must_use]
    pub fn describe(self) -> Option<Cow<'static, str>> {
        Some(match self {
            Self::Optional => return None,
            Self::Local => "Required in this table.".into(),
            Self::Conditional => "Required: some file must set it.".into(),
            Self::Global => "Required: without it in some file the workspace does not load.".into(),
            Self::Companion { key, value } => {
                format!("Required where `{key}` is `{value}`.").into()
            }
        })
    }
}

impl Sensitivity {
    /// What a change of the value can do, in a sentence; nothing where that is nothing.
    #[must_use]
    pub fn describe(self) -> Option<&'static str> {
        match self {
            Self::Ordinary => None,
            Self::Privileged => {
                Some("Privileged: it decides what runs or whether a human is asked.")
            }
            Self::Sensitive => {
                Some("Sensitive: a tool changes it only with `write = \"insecure_allow\"`.")
            }
        }
    }
}

fn integer(minimum: Option<i64>, maximum: Option<i64>) -> String {
    match (minimum, maximum) {
        (Some(0), None) => "a whole number that is not negative".to_owned(),
        (Some(minimum), Some(maximum)) if minimum == maximum => format!("`{minimum}`"),
        (Some(minimum), Some(maximum)) => {
            format!("a whole number from {minimum} to {maximum}")
        }
        (Some(minimum), None) => format!("a whole number of at least {minimum}"),
        (None, Some(maximum)) => format!("a whole number of at most {maximum}"),
        (None, None) => "a whole number".to_owned(),
    }
}
