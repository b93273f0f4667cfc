//! What can be wrong with a rule.
//!
//! ```toml
//! { arg = "/pattern/old", pattern = "rm\\s+-rf", mode = "ask" } # the parameter is called `patterns`
//! { arg = "/use_regex", prefix = "t", mode = "ask" }            # a boolean has no prefix
//! ```

use std::{fmt::Write as _, ops::Range};

use serde_json::Value;
use thiserror::Error;

use crate::{matcher::MatcherKind, parameter::ParameterType, pattern::PatternError};

/// How many parameter names a message lists.
const LISTED_NAMES: usize = 8;

/// How much of a string value a message shows.
const LISTED_CHARACTERS: usize = 60;

/// A rule that cannot be evaluated, and why.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{kind}")]
pub struct RuleProblem {
    /// The rule, counted from 0.
    pub rule: usize,
    /// What is wrong.
    pub kind: RuleProblemKind,
}

/// What is wrong with a rule (RFD D25, "Validation").
///
/// Byte offsets count inside the decoded string of `arg` or `pattern`.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RuleProblemKind {
    /// `arg` is no JSON Pointer, or points to no parameter at all.
    #[error("`{pointer}` is not a JSON Pointer to a parameter: {reason}")]
    PointerSyntax {
        /// The pointer as written.
        pointer: String,
        /// What is wrong and what to write instead.
        reason: PointerSyntax,
        /// The bytes at fault.
        range: Range<usize>,
    },

    /// `arg` names a parameter that the tool does not have.
    #[error("{}", unresolved_message(.pointer, .name, .reason, .near))]
    Unresolved {
        /// The pointer as written.
        pointer: String,
        /// The first segment that does not resolve, counted from 0.
        segment: usize,
        /// The bytes of that segment, without its slash.
        range: Range<usize>,
        /// The decoded name of that segment.
        name: String,
        /// Why it does not resolve.
        reason: Unresolved,
        /// Names that exist there, the most similar first; only similar ones.
        near: Vec<String>,
    },

    /// The rule has an `arg` and nothing to compare it with.
    #[error(
        "the rule has an `arg` but no matcher; add one of {}, or drop `arg` to make it a catch-all",
        keywords(.legal)
    )]
    MatcherMissing {
        /// The matchers that the parameter's type allows.
        legal: Vec<MatcherKind>,
        /// The values that the argument can have, where they are known; else none.
        values: Vec<Value>,
    },

    /// The rule has a matcher and no `arg`: it looks like a condition and would match every call.
    #[error(
        "the matcher `{}` has nothing to match; add `arg` with a JSON Pointer to a parameter",
        .matcher.keyword()
    )]
    ArgMissing {
        /// The first matcher of the rule.
        matcher: MatcherKind,
    },

    /// The rule has more than one matcher.
    #[error(
        "the rule has {} matchers, {}; keep one, and write another rule for each of the others",
        .matchers.len(), keywords(.matchers)
    )]
    MatcherMultiple {
        /// The matchers, in the order written.
        matchers: Vec<MatcherKind>,
    },

    /// The matcher does not exist for the parameter's type.
    #[error(
        "`{}` does not apply to `{pointer}`, which is {}; use {}",
        .matcher.keyword(), types_text(.types), keywords(.legal)
    )]
    MatcherType {
        /// The pointer as written.
        pointer: String,
        /// The matcher.
        matcher: MatcherKind,
        /// The types of the parameter; for an array, of its items.
        types: Vec<ParameterType>,
        /// The matchers that the types allow.
        legal: Vec<MatcherKind>,
        /// The values that the argument can have, where they are known; else none.
        values: Vec<Value>,
    },

    /// The value given to the matcher has a type that the matcher or the parameter cannot have.
    #[error(
        "`{}` on `{pointer}` takes {}, not {}",
        .matcher.keyword(), expected_text(.expected, *.member), value_text(.found)
    )]
    MatcherValueType {
        /// The pointer as written.
        pointer: String,
        /// The matcher.
        matcher: MatcherKind,
        /// What it takes.
        expected: ExpectedValue,
        /// What it was given.
        found: Value,
        /// The place in the list of an `enum`, counted from 0, when a member is at fault.
        member: Option<usize>,
        /// The values that the argument can have, where they are known; else none.
        values: Vec<Value>,
    },

    /// The value of `pattern` is refused.
    #[error("{0}")]
    Pattern(PatternError),
}

/// What is wrong with the text of a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PointerSyntax {
    /// The pointer does not start with a slash.
    #[error("start it with a slash, `/{suggestion}`")]
    NoLeadingSlash {
        /// The pointer without its slash.
        suggestion: String,
    },
    /// A `~` is not followed by `0` or `1`.
    #[error("write `~0` for a `~`, `~1` for a `/` in a name")]
    Escape,
    /// The empty pointer stands for all arguments.
    #[error("it stands for all arguments at once; name a parameter, like `/path`, or drop `arg`")]
    Root,
    /// The pointer `/` names a parameter with an empty name.
    #[error(
        "it names a parameter with an empty name; write the name after the slash, like `/path`"
    )]
    EmptyName,
}

/// Why a segment of a pointer does not resolve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// The object, or the tool, has no property of this name.
    NoProperty {
        /// The names that exist there, in declaration order.
        known: Vec<String>,
    },
    /// The segment counts the elements of an array, which a policy pointer does not.
    ArrayIndex,
    /// What comes before the segment has no properties.
    NoObject {
        /// The pointer up to there.
        parent: String,
        /// The types of what is there.
        types: Vec<ParameterType>,
    },
}

/// What a matcher takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedValue {
    /// A value of one of these types.
    Types(Vec<ParameterType>),
    /// A list of values of these types; no types for any values.
    List(Vec<ParameterType>),
    /// A string.
    Text,
    /// A number.
    Number,
}

fn keywords(kinds: &[MatcherKind]) -> String {
    let words: Vec<&str> = kinds.iter().map(|kind| kind.keyword()).collect();
    enumerate(&words)
}

/// `` `a`, `b`, `c` ``
fn enumerate<W: AsRef<str>>(words: &[W]) -> String {
    let mut text = String::new();
    for (index, word) in words.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}`{}`", word.as_ref());
    }
    text
}

fn types_text(types: &[ParameterType]) -> String {
    let words: Vec<String> = types
        .iter()
        .map(|kind| match kind {
            ParameterType::Integer | ParameterType::Array | ParameterType::Object => {
                format!("an {kind}")
            }
            _ => format!("a {kind}"),
        })
        .collect();
    if words.is_empty() {
        "any value".to_owned()
    } else {
        words.join(" or ")
    }
}

fn expected_text(expected: &ExpectedValue, member: Option<usize>) -> String {
    match expected {
        ExpectedValue::Types(types) => types_text(types),
        ExpectedValue::List(types) if member.is_some() => {
            format!("a list in which each value is {}", types_text(types))
        }
        ExpectedValue::List(_) => "a list".to_owned(),
        ExpectedValue::Text => "a string".to_owned(),
        ExpectedValue::Number => "a number".to_owned(),
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(boolean) => format!("the boolean `{boolean}`"),
        Value::Number(number) => format!("the number `{number}`"),
        Value::String(text) => match text.char_indices().nth(LISTED_CHARACTERS) {
            Some((end, _)) => {
                format!("the string `{}...`", text.get(..end).unwrap_or_default())
            }
            None => format!("the string `{text}`"),
        },
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
    }
}

fn unresolved_message(pointer: &str, name: &str, reason: &Unresolved, near: &[String]) -> String {
    match reason {
        Unresolved::ArrayIndex => format!(
            "`{pointer}` counts array elements with `{name}`; leave that segment out, a rule tries every element"
        ),
        Unresolved::NoObject { parent, types } => format!(
            "`{pointer}` does not resolve: `{parent}` is {}, which has no `{name}`; point to `{parent}` itself",
            types_text(types)
        ),
        Unresolved::NoProperty { known } => {
            let advice = match (near, known.as_slice()) {
                ([], []) => "there are none".to_owned(),
                ([], [only]) => format!("there is only `{only}`"),
                ([], known) => match known.split_at_checked(LISTED_NAMES) {
                    Some((listed, rest)) if !rest.is_empty() => {
                        format!("there are {} and {} more", enumerate(listed), rest.len())
                    }
                    _ => format!("there are {}", enumerate(known)),
                },
                ([nearest, ..], _) => format!("did you mean `{nearest}`?"),
            };
            format!("`{pointer}` does not resolve: there is no parameter `{name}`; {advice}")
        }
    }
}
