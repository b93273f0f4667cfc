//! What a rule covers, for a person to read, and the rule as TOML.
//!
//! ```text
//! every call whose `path` lies in `src`, whatever `old` and `new` are
//! ```

use jp_policy::{
    MatcherKind, Mode as _, Parameter, Parameters, RawRule, RunMode, pointer::segments,
};
use serde_json::Value;

/// What fits on one line.
const LINE: usize = 160;

/// How many arguments are named that a rule does not look at.
const MOST_NAMED: usize = 3;

/// Whether a sentence does not fit on one line.
pub(super) fn is_long(sentence: &str) -> bool {
    sentence.chars().count() > LINE || sentence.contains(['\n', '\r'])
}

/// Which calls a rule covers, of those that no rule before its position decides.
pub(super) fn covers(rule: &RawRule<RunMode>, position: usize, parameters: &Parameters) -> String {
    let (Some(arg), Some((kind, value))) = (&rule.arg, rule.matchers.first()) else {
        return "every call".to_owned();
    };
    let keys = segments(arg).unwrap_or_default();
    let name = keys.join("/");
    let condition = match (kind, value) {
        (MatcherKind::Prefix, Value::String(folder)) => format!("lies in `{folder}`"),
        (MatcherKind::Enum, Value::Array(members)) => {
            let members: Vec<String> = members.iter().map(shown).collect();
            format!("is one of {}", members.join(", "))
        }
        (MatcherKind::Maximum, bound) => format!("is at most {bound}"),
        (MatcherKind::Minimum, bound) => format!("is at least {bound}"),
        (_, value) => format!("is {}", shown(value)),
    };
    let first = keys.first().map(String::as_str).unwrap_or_default();
    let is_other = |name: &str| name != first;
    let own = parameters.properties.get(first);
    let mut others = parameters.properties.iter();
    // Each path is decided by a rule of its own.
    let paths = match own.is_some_and(Parameter::holds_path)
        && others.any(|(other, parameter)| is_other(other) && parameter.holds_path())
    {
        true => " and whose other paths are let run too",
        false => "",
    };
    let free: Vec<String> = parameters
        .properties
        .iter()
        .filter(|(other, parameter)| is_other(other) && !parameter.holds_path())
        .map(|(other, _)| format!("`{other}`"))
        .collect();
    let free = match free.as_slice() {
        several if parameters.open || several.len() > MOST_NAMED => {
            ", whatever its other arguments are".to_owned()
        }
        [] => String::new(),
        [one] => format!(", whatever {one} is"),
        [several @ .., last] => format!(", whatever {} and {last} are", several.join(", ")),
    };
    let unless = match position {
        0 => "",
        _ => ", unless an earlier rule decides",
    };
    format!("every call whose `{name}` {condition}{paths}{free}{unless}")
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        other => other.to_string(),
    }
}

/// A rule as an inline table of TOML.
#[must_use]
pub fn in_toml(rule: &RawRule<RunMode>) -> String {
    format!("{{ {} }}", toml_entries(rule).join(", "))
}

/// The entries of a rule, each as TOML text.
#[must_use]
pub fn toml_entries(rule: &RawRule<RunMode>) -> Vec<String> {
    let mut entries = Vec::new();
    if let Some(arg) = &rule.arg {
        let arg = value_in_toml(&Value::from(arg.as_str()));
        entries.push(format!("arg = {arg}"));
    }
    for (kind, value) in &rule.matchers {
        entries.push(format!("{} = {}", kind.keyword(), value_in_toml(value)));
    }
    entries.push(format!("mode = \"{}\"", rule.mode.keyword()));
    entries
}

/// JSON writes strings, numbers and booleans as TOML does, but for a few control characters.
fn value_in_toml(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(value_in_toml).collect();
            format!("[{}]", items.join(", "))
        }
        Value::String(_) => value.to_string().replace('\u{7f}', "\\u007f"),
        other => other.to_string(),
    }
}
