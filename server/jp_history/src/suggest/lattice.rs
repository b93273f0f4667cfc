//! The rules that come into question, narrow before wide.
//!
//! ```text
//! src/a/x.rs, src/a/y.rs, src/b.rs -> enum of the three, prefix "src/a", prefix "src"
//! ```

use std::collections::{BTreeMap, BTreeSet};

use jp_policy::{
    MatcherKind, Parameter, ParameterType, Parameters, RawRule, RunMode, normalize_path,
    pointer::encoded,
};
use serde_json::Value;

/// More members than this are no rule that a person reads.
const MOST_MEMBERS: usize = 6;

/// How many single values come into question for one argument, the most frequent.
const MOST_CONSTANTS: usize = 2;

/// How many folders come into question for one argument.
const MOST_FOLDERS: usize = 6;

/// How deep parameters are looked into.
const DEEPEST: usize = 8;

/// An argument that rules may look at.
struct Place<'a> {
    /// The names on the way, through arrays without a step of their own.
    steps: Vec<&'a str>,
    /// What is known of it; nothing where the tool's schema is not known.
    parameter: Option<&'a Parameter>,
}

/// Rules that let these calls run, or some of them; for one that is `waiting`, and is among them, rules that would do for it alone too.
pub(super) fn rules(
    parameters: &Parameters,
    calls: &[&Value],
    waiting: Option<&Value>,
) -> Vec<RawRule<RunMode>> {
    let mut places = Vec::new();
    for (name, parameter) in &parameters.properties {
        find(name, parameter, &[], &mut places);
    }
    if parameters.open {
        let names: BTreeSet<&str> = calls
            .iter()
            .filter_map(|call| call.as_object())
            .flat_map(|call| call.keys())
            .map(String::as_str)
            .filter(|name| !parameters.properties.contains_key(*name))
            .collect();
        places.extend(names.into_iter().map(|name| Place {
            steps: vec![name],
            parameter: None,
        }));
    }
    let mut narrow_first: Vec<(u8, RawRule<RunMode>)> = Vec::new();
    for place in &places {
        let of_one = waiting.map(|call| of_place(place, &[call], 1));
        for found in of_place(place, calls, 2)
            .into_iter()
            .chain(of_one.into_iter().flatten())
        {
            if !narrow_first.contains(&found) {
                narrow_first.push(found);
            }
        }
    }
    narrow_first.sort_by_key(|(width, _)| *width);
    narrow_first.into_iter().map(|(_, rule)| rule).collect()
}

fn find<'a>(
    name: &'a str,
    parameter: &'a Parameter,
    parents: &[&'a str],
    places: &mut Vec<Place<'a>>,
) {
    if parents.len() >= DEEPEST {
        return;
    }
    let steps: Vec<&str> = parents.iter().copied().chain([name]).collect();
    let levels = std::iter::successors(Some(parameter), |level| level.items.as_deref());
    let Some(inner) = levels.last() else { return };
    if inner.properties.is_empty() {
        places.push(Place {
            steps,
            parameter: Some(inner),
        });
        return;
    }
    for (name, parameter) in &inner.properties {
        find(name, parameter, &steps, places);
    }
}

/// Rules about one argument, and how wide each is; a folder comes into question from so many paths in it on.
fn of_place(place: &Place<'_>, calls: &[&Value], paths: usize) -> Vec<(u8, RawRule<RunMode>)> {
    let is_path = place
        .parameter
        .is_some_and(|parameter| parameter.types.contains(&ParameterType::Path));
    // How many calls have each value; the values in an order that does not depend on the calls'.
    let mut counts: BTreeMap<String, (Value, usize)> = BTreeMap::new();
    for call in calls {
        let mut values = Vec::new();
        collect(call, &place.steps, &mut values);
        let distinct: BTreeMap<String, Value> = values
            .into_iter()
            .filter_map(|value| compared(value, is_path))
            .map(|value| (value.to_string(), value))
            .collect();
        for (text, value) in distinct {
            counts.entry(text).or_insert((value, 0)).1 += 1;
        }
    }
    let mut found = Vec::new();
    let steps: Vec<String> = place
        .steps
        .iter()
        .map(|step| format!("/{}", encoded(step)))
        .collect();
    let arg = steps.concat();
    let mut put = |width, kind, value: Value| {
        let rule = RawRule::condition(arg.clone(), kind, value, RunMode::Unattended);
        found.push((width, rule));
    };
    let mut by_count: Vec<&(Value, usize)> = counts.values().collect();
    by_count.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (value, _) in by_count.iter().take(MOST_CONSTANTS) {
        put(0, MatcherKind::Const, value.clone());
    }
    let members: Vec<Value> = by_count
        .iter()
        .take(MOST_MEMBERS)
        .map(|(value, _)| value.clone())
        .collect();
    if members.len() > 1 {
        put(1, MatcherKind::Enum, members.into());
    }
    if is_path {
        for folder in folders(&by_count, paths) {
            put(2, MatcherKind::Prefix, folder.into());
        }
    }
    let mut numbers: Vec<(f64, &Value)> = by_count
        .iter()
        .filter_map(|(value, _)| Some((value.as_f64()?, value)))
        .collect();
    numbers.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    if let ([(_, least), .., (_, most)], true) = (numbers.as_slice(), numbers.len() == counts.len())
    {
        put(3, MatcherKind::Maximum, (*most).clone());
        put(3, MatcherKind::Minimum, (*least).clone());
    }
    found
}

/// The values behind the steps; an array on the way stands for each of its elements.
fn collect<'v>(value: &'v Value, steps: &[&str], found: &mut Vec<&'v Value>) {
    match (value, steps.split_first()) {
        (Value::Array(elements), _) => {
            for element in elements {
                collect(element, steps, found);
            }
        }
        (Value::Object(members), Some((step, rest))) => {
            if let Some(member) = members.get(*step) {
                collect(member, rest, found);
            }
        }
        (Value::String(_) | Value::Number(_) | Value::Bool(_), None) => found.push(value),
        _ => {}
    }
}

/// A value as a rule writes it; none for a path that is not relative to the workspace.
fn compared(value: &Value, is_path: bool) -> Option<Value> {
    match value {
        Value::String(path) if is_path => {
            let normal = normalize_path(path);
            let is_inside = !normal.is_empty()
                && normal != "."
                && !normal.starts_with('/')
                && normal.split('/').all(|component| component != "..");
            is_inside.then(|| Value::from(&*normal))
        }
        _ => Some(value.clone()),
    }
}

/// The folders that at least so many of the paths lie in and that no narrower folder stands for, the fullest first.
fn folders(paths: &[&(Value, usize)], least: usize) -> Vec<String> {
    let mut within: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in paths.iter().filter_map(|(value, _)| value.as_str()) {
        for (end, _) in path.match_indices('/') {
            if let Some(folder) = path.get(..end) {
                within.entry(folder).or_default().insert(path);
            }
        }
    }
    let stands_for = |folder: &str| {
        let paths = within.get(folder);
        let below = format!("{folder}/");
        let narrower = within
            .iter()
            .any(|(other, others)| other.starts_with(&below) && Some(others) == paths);
        !narrower && paths.is_some_and(|paths| paths.len() >= least)
    };
    let mut folders: Vec<(&str, usize)> = within
        .iter()
        .filter(|(folder, _)| stands_for(folder))
        .map(|(folder, paths)| (*folder, paths.len()))
        .collect();
    folders.sort_by_key(|(folder, paths)| (std::cmp::Reverse(*paths), *folder));
    let fullest = folders.into_iter().take(MOST_FOLDERS);
    fullest.map(|(folder, _)| folder.to_owned()).collect()
}
