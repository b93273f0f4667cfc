//! The single edits of a list of rules: what a slip of a person does to it.
//!
//! ```toml
//! { arg = "/path", prefix = "src", mode = "ask" }
//! # mode = "unattended"; prefix = "src-old"; prefix = ""; const = "src"; no condition; no rule; after the next rule; …
//! ```

use serde_json::{Number, Value};

use crate::{
    matcher::MatcherKind::{
        self, Const, Enum, ExclusiveMaximum, ExclusiveMinimum, Maximum, Minimum, Pattern, Prefix,
    },
    mode::Mode,
    policy::RawRule,
};

/// One edit of a list of rules.
#[derive(Clone, Debug, PartialEq)]
pub enum SingleEdit<M> {
    /// The rule is gone.
    Remove(usize),
    /// Two rules have each other's place.
    Swap(usize, usize),
    /// Another rule stands in its place.
    Replace(usize, RawRule<M>),
}

impl<M: Clone> SingleEdit<M> {
    /// The rules after the edit.
    #[must_use]
    pub fn of(&self, rules: &[RawRule<M>]) -> Vec<RawRule<M>> {
        let mut rules = rules.to_vec();
        match self {
            Self::Remove(index) if *index < rules.len() => {
                rules.remove(*index);
            }
            Self::Swap(one, other) if one.max(other) < &rules.len() => rules.swap(*one, *other),
            Self::Replace(index, rule) => {
                if let Some(place) = rules.get_mut(*index) {
                    *place = rule.clone();
                }
            }
            Self::Remove(_) | Self::Swap(..) => {}
        }
        rules
    }
}

/// Every single edit of a list of rules.
///
/// A rule is removed, or changes places with any other; it has another mode, or no condition; its matcher is another one that takes the same value;
/// it looks at an argument that another rule looks at; its constant, prefix, bound, or a member of its `enum`, is one step away, of another type, or
/// one that another rule on the same argument names; a member of its `enum` is gone, or one more is there.
/// A `pattern` stays as it is.
/// Some of these change nothing, and some cannot be compiled.
#[must_use]
pub fn single_edits<M: Mode>(rules: &[RawRule<M>]) -> Vec<SingleEdit<M>> {
    let mut edits = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        edits.push(SingleEdit::Remove(index));
        edits.extend((index + 1..rules.len()).map(|other| SingleEdit::Swap(index, other)));
        let mut replace = |rule: RawRule<M>| edits.push(SingleEdit::Replace(index, rule));
        for mode in M::ALL.iter().filter(|mode| **mode != rule.mode) {
            let mode = *mode;
            replace(RawRule {
                mode,
                ..rule.clone()
            });
        }
        let (Some(arg), [(kind, value)]) = (&rule.arg, rule.matchers.as_slice()) else {
            continue;
        };
        replace(RawRule::catch_all(rule.mode));
        for other in arguments(rules).filter(|other| *other != arg) {
            replace(RawRule::condition(other, *kind, value.clone(), rule.mode));
        }
        for (kind, value) in conditions(*kind, value, &named(rules, arg)) {
            replace(RawRule::condition(arg, kind, value, rule.mode));
        }
    }
    edits
}

/// The arguments that rules look at, each once.
fn arguments<M>(rules: &[RawRule<M>]) -> impl Iterator<Item = &str> {
    let arg = |rule: &RawRule<M>| rule.arg.clone();
    rules.iter().enumerate().filter_map(move |(index, rule)| {
        let is_known = rules.iter().take(index).any(|known| arg(known) == rule.arg);
        rule.arg.as_deref().filter(|_| !is_known)
    })
}

/// The values that rules on an argument name.
fn named<M>(rules: &[RawRule<M>], arg: &str) -> Vec<Value> {
    let mut named = Vec::new();
    let own = rules
        .iter()
        .filter(|rule| rule.arg.as_deref() == Some(arg))
        .flat_map(|rule| &rule.matchers);
    for (kind, value) in own {
        match (kind, value) {
            (Pattern, _) => {}
            (Enum, Value::Array(members)) => named.extend(members.iter().cloned()),
            (_, value) => named.push(value.clone()),
        }
    }
    named
}

/// The conditions one edit away from another.
fn conditions(kind: MatcherKind, value: &Value, named: &[Value]) -> Vec<(MatcherKind, Value)> {
    let others = |value: &Value| {
        let mut others = near(value);
        others.extend(named.iter().filter(|named| *named != value).cloned());
        others
    };
    let mut found: Vec<(MatcherKind, Value)> = Vec::new();
    match (kind, value) {
        (Pattern, _) => return found,
        (Enum, Value::Array(members)) => {
            for (index, member) in members.iter().enumerate() {
                let mut fewer = members.clone();
                fewer.remove(index);
                found.push((Enum, Value::Array(fewer)));
                found.push((Const, member.clone()));
                for other in others(member) {
                    let mut changed = members.clone();
                    if let Some(place) = changed.get_mut(index) {
                        *place = other.clone();
                    }
                    found.push((Enum, Value::Array(changed)));
                    let more = members.iter().cloned().chain([other]).collect();
                    found.push((Enum, Value::Array(more)));
                }
            }
            return found;
        }
        _ => {}
    }
    found.extend(others(value).into_iter().map(|other| (kind, other)));
    let kinds: &[MatcherKind] = match value {
        Value::String(_) => &[Const, Prefix],
        Value::Number(_) => &[Const, Minimum, Maximum, ExclusiveMinimum, ExclusiveMaximum],
        _ => &[],
    };
    let kinds = kinds.iter().filter(|other| **other != kind);
    found.extend(kinds.map(|kind| (*kind, value.clone())));
    if kind == Const {
        let more = others(value).into_iter();
        found.extend(more.map(|other| (Enum, Value::from(vec![value.clone(), other]))));
    }
    found
}

/// What is one step away from a value.
pub(super) fn near(value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) => {
            let mut shorter = text.clone();
            shorter.pop();
            let parent = text.rsplit_once('/').map_or("", |(parent, _)| parent);
            let mut near: Vec<Value> = [
                format!("{text}x"),
                format!("{text}/x"),
                format!("{text}-old"),
                shorter,
                parent.to_owned(),
                String::new(),
            ]
            .map(Value::from)
            .to_vec();
            if let Ok(other @ (Value::Number(_) | Value::Bool(_))) = serde_json::from_str(text) {
                near.push(other);
            }
            near
        }
        Value::Number(number) => {
            let mut near = beside(number);
            near.push(Value::from(number.to_string()));
            near
        }
        Value::Bool(boolean) => vec![Value::from(!boolean), Value::from(boolean.to_string())],
        Value::Null | Value::Array(_) | Value::Object(_) => Vec::new(),
    }
}

/// The numbers one and one half below and above.
pub(super) fn beside(number: &Number) -> Vec<Value> {
    let mut beside: Vec<Value> = Vec::new();
    if let Some(whole) = number.as_i64() {
        let steps = [whole.checked_sub(1), whole.checked_add(1)];
        beside.extend(steps.into_iter().flatten().map(Value::from));
    }
    if let Some(real) = number.as_f64().filter(|real| real.abs() < 1e15) {
        let mut steps = vec![real - 0.5, real + 0.5];
        if number.as_i64().is_none() {
            steps.extend([real - 1.0, real + 1.0]);
        }
        let steps = steps.into_iter().filter_map(Number::from_f64);
        beside.extend(steps.map(Value::Number));
    }
    beside
}
