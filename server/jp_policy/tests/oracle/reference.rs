//! RFD D25 read word by word, for texts, paths, numbers and booleans.
//!
//! ```json
//! { "v": ["src/a", ".env"] }
//! ```

use jp_policy::{MatcherKind, RawRule, RunMode};
use serde_json::Value;

/// The normal form of a path, by a stack of components.
fn normal(path: &str) -> Vec<String> {
    let mut stack: Vec<String> = Vec::new();
    let absolute = path.starts_with('/');
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." if stack.last().is_some_and(|last| last != "..") => {
                stack.pop();
            }
            ".." if absolute => {}
            component => stack.push(component.to_owned()),
        }
    }
    if absolute {
        stack.insert(0, "/".to_owned());
    }
    stack
}

/// How a path in normal form is written.
fn written(path: &str) -> String {
    match normal(path).as_slice() {
        [] => ".".to_owned(),
        [root] => root.clone(),
        [root, rest @ ..] if root == "/" => format!("/{}", rest.join("/")),
        components => components.join("/"),
    }
}

fn equal(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

/// Whether one value satisfies one matcher.
fn satisfies(kind: MatcherKind, expected: &Value, value: &Value, is_path: bool) -> bool {
    let value = match value {
        Value::String(text) if is_path => Value::from(written(text)),
        other => other.clone(),
    };
    let numbers = || Some((value.as_f64()?, expected.as_f64()?));
    match kind {
        MatcherKind::Const => equal(&value, expected),
        MatcherKind::Enum => expected
            .as_array()
            .unwrap()
            .iter()
            .any(|member| equal(&value, member)),
        MatcherKind::Prefix => match (value.as_str(), expected.as_str()) {
            (Some(value), Some(prefix)) if is_path => normal(value).starts_with(&normal(prefix)),
            (Some(value), Some(prefix)) => value.as_bytes().starts_with(prefix.as_bytes()),
            _ => false,
        },
        MatcherKind::Minimum => numbers().is_some_and(|(value, bound)| value >= bound),
        MatcherKind::Maximum => numbers().is_some_and(|(value, bound)| value <= bound),
        MatcherKind::ExclusiveMinimum => numbers().is_some_and(|(value, bound)| value > bound),
        MatcherKind::ExclusiveMaximum => numbers().is_some_and(|(value, bound)| value < bound),
        // No vocabulary has patterns.
        MatcherKind::Pattern => false,
    }
}

/// Every value at a pointer; arrays mean each of their elements.
fn values_at<'a>(names: &[&str], value: &'a Value) -> Vec<&'a Value> {
    match (value, names) {
        (Value::Array(elements), _) => elements
            .iter()
            .flat_map(|element| values_at(names, element))
            .collect(),
        (value, []) => vec![value],
        (value, [name, rest @ ..]) => value
            .get(name)
            .map_or(Vec::new(), |value| values_at(rest, value)),
    }
}

pub(crate) fn rule_matches(rule: &RawRule<RunMode>, call: &Value, is_path: bool) -> bool {
    let Some(pointer) = &rule.arg else {
        return true;
    };
    let names: Vec<&str> = pointer.split('/').skip(1).collect();
    let (kind, expected) = &rule.matchers[0];
    values_at(&names, call)
        .into_iter()
        .any(|value| satisfies(*kind, expected, value, is_path))
}

/// The table in "Unreachable rule detection".
pub(crate) fn in_table(
    earlier: &RawRule<RunMode>,
    later: &RawRule<RunMode>,
    is_path: bool,
) -> bool {
    let (Some(arg), later_arg) = (&earlier.arg, &later.arg) else {
        return true;
    };
    let (true, [(kind, value)], [(later_kind, later_value)]) = (
        Some(arg) == later_arg.as_ref(),
        earlier.matchers.as_slice(),
        later.matchers.as_slice(),
    ) else {
        return false;
    };
    match (kind, later_kind) {
        (MatcherKind::Prefix, MatcherKind::Prefix | MatcherKind::Const)
        | (MatcherKind::Enum, MatcherKind::Const) => {
            later_value.as_str().is_some() | later_value.is_number() | later_value.is_boolean()
                && satisfies(*kind, value, later_value, is_path)
        }
        (MatcherKind::Enum, MatcherKind::Enum) => later_value
            .as_array()
            .unwrap()
            .iter()
            // A member that is not in normal form matches nothing, so it needs no cover.
            .filter(|member| !is_path || written(member.as_str().unwrap()) == **member)
            .all(|member| satisfies(*kind, value, member, is_path)),
        _ => false,
    }
}
