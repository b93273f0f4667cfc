//! What to write instead of a rule whose matcher is missing, one too many, or not for its parameter.
//!
//! ```toml
//! { arg = "/force", prefix = "t", mode = "ask" }           # write `const = true`, or `const = false`
//! { arg = "/line", minimum = 1, maximum = 9, mode = "ask" } # keep one of the two
//! { prefix = "src/", mode = "ask" }                        # add `arg = "/path"`
//! ```

use jp_config::merge::Located;
use jp_policy::{
    CoverageFinding, MatcherKind, Mode, ParameterType, RawRule, compile, coverage, pointer,
};
use serde_json::Value;

use super::list::{ReadRule, Rules};
use crate::{
    diagnostic::Place,
    fix::{Edit, Fix},
    text::toml_text,
    tool::ToolContext,
};

/// The most answers that are offered for one finding.
const MOST: usize = 4;

/// A rule with an `arg` and nothing to compare it with: one fix for each value that the argument can have.
pub(super) fn missing(context: &ToolContext<'_>, arg: &Located, values: &[Value]) -> Vec<Fix> {
    few(values)
        .filter_map(|value| {
            let entry = format!("const = {}", written(value)?);
            let edit = context.add_after(arg, std::slice::from_ref(&entry))?;
            Some(choice(format!("Add `{entry}`"), vec![edit]))
        })
        .collect()
}

/// A matcher without an `arg`: one fix for each parameter that it can be about, where these are few.
pub(super) fn without_arg<M: Mode>(
    rules: &Rules<'_, M>,
    rule: &ReadRule<'_, M>,
    matcher: &Located,
) -> Vec<Fix> {
    let names = rules.parameters.properties.keys();
    let pointers: Vec<String> = names
        .map(|name| format!("/{}", pointer::encoded(name)))
        .filter(|pointer| can_match(rules, rule, pointer))
        .collect();
    if pointers.len() > MOST {
        return Vec::new();
    }
    pointers
        .iter()
        .filter_map(|pointer| {
            let entry = format!("arg = {}", toml_text::string(pointer));
            let edit = rules
                .context
                .add_after(matcher, std::slice::from_ref(&entry))?;
            Some(choice(format!("Add `{entry}`"), vec![edit]))
        })
        .collect()
}

/// Whether a rule with another pointer matches some call.
fn can_match<M: Mode>(rules: &Rules<'_, M>, rule: &ReadRule<'_, M>, pointer: &str) -> bool {
    let pointed = RawRule {
        arg: Some(pointer.to_owned()),
        ..rule.raw.clone()
    };
    let (policy, problems) = compile(&[pointed], &rules.parameters);
    let never =
        |finding: &CoverageFinding<M>| matches!(finding, CoverageFinding::NeverMatches { .. });
    problems.is_empty() && !coverage(&policy).iter().any(never)
}

/// A rule with several matchers: one fix for each that may stay.
pub(super) fn only_one(
    context: &ToolContext<'_>,
    rule: &Located,
    matchers: &[MatcherKind],
) -> Vec<Fix> {
    // Taking out two neighbours would take the comma between them twice.
    let [first, second] = matchers else {
        return Vec::new();
    };
    [(first, second), (second, first)]
        .into_iter()
        .filter_map(|(kept, other)| {
            let edit = context.remove(rule.get(other.keyword())?)?;
            let title = format!(
                "Remove `{}`, so that `{}` alone decides",
                other.keyword(),
                kept.keyword()
            );
            Some(choice(title, vec![edit]))
        })
        .collect()
}

/// A matcher that the type of the argument does not have: the values that the argument may be compared with instead.
pub(super) fn as_const(
    context: &ToolContext<'_>,
    matcher: &Located,
    types: &[ParameterType],
    values: &[Value],
) -> Vec<Fix> {
    texts(types, &matcher.to_json(), values)
        .iter()
        .filter_map(|text| {
            let entry = format!("const = {text}");
            let (key, value) = (context.key_place(matcher)?, context.place(matcher)?);
            let mut place: Place = key;
            place.span.end = value.span.end;
            let edit = Edit {
                place,
                text: entry.clone(),
            };
            Some(choice(format!("Write `{entry}`"), vec![edit]))
        })
        .collect()
}

/// What may be written in place of a value that the argument cannot have: the same in its type, or else the values that it can have.
///
/// `values` is empty where these are not known.
pub(super) fn texts(types: &[ParameterType], given: &Value, values: &[Value]) -> Vec<String> {
    let same = Some(given.clone()).filter(|given| types.iter().any(|kind| kind.admits(given)));
    let meant = same.or_else(|| converted(types, given));
    match meant.filter(|meant| values.is_empty() || values.contains(meant)) {
        Some(meant) => Vec::from_iter(written(&meant)),
        None => few(values).filter_map(written).collect(),
    }
}

/// A value as another type has it: a number in a text, a text of a number.
fn converted(types: &[ParameterType], given: &Value) -> Option<Value> {
    let value = match given {
        Value::String(text) => serde_json::from_str(text).ok()?,
        Value::Bool(_) | Value::Number(_) => Value::String(given.to_string()),
        _ => return None,
    };
    types
        .iter()
        .any(|kind| kind.admits(&value))
        .then_some(value)
}

fn choice(title: String, edits: Vec<Edit>) -> Fix {
    Fix::new(title, edits).one_of_several()
}

fn few(values: &[Value]) -> impl Iterator<Item = &Value> {
    let count = if values.len() > MOST { 0 } else { values.len() };
    values.iter().take(count)
}

/// A scalar as TOML text.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(toml_text::string(text)),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
#[path = "matcher_fix_tests.rs"]
mod tests;
