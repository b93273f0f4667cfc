//! What no rule decides: whether a tool is there and on, what it runs, which calls it takes, and what else runs or receives a key.
//!
//! ```json
//! {"witness": {"config": "conversation.tools.edit.enable"}, "before": "off", "after": "on"}
//! ```

use jp_config::{
    enable::{AllowToggle, Enable},
    merge::Located,
    view::View,
};
use jp_policy::{ChangeVerdict, Direction, Parameter, Parameters};
use jp_tool::PRIVILEGED_CONFIG_PATHS;
use serde_json::{Value, json};

use super::{
    meant::{meant, meant_source},
    model::{Aspect, AspectComparison, Change, comparison, in_short, rule_place},
};
use crate::{
    explain::{RulePlace, dotted},
    tool::{ToolContext, parameters::parameters},
};

/// What stands before the name of a tool in a config path.
const TOOLS: &str = "conversation.tools.";

/// The keys of a tool that are compared as rules.
const RULES: [&str; 3] = ["run", "result", "policy"];

/// What changes what a tool does with its calls, beside what is privileged.
const SETTINGS: [&str; 1] = ["options"];

/// A tool that is there on one side alone.
pub(super) fn appearance(
    before: Option<&ToolContext<'_>>,
    after: Option<&ToolContext<'_>>,
    name: &str,
) -> AspectComparison {
    let place = |context: Option<&ToolContext<'_>>| place_of(context?, &context?.tool);
    let word = |context: Option<&ToolContext<'_>>| match context {
        Some(context) => format!("present, {}", enable_in_words(context.enable())),
        None => "absent".to_owned(),
    };
    let (direction, verdict) = match after {
        Some(_) => (Direction::Loosened, ChangeVerdict::Loosened),
        None => (Direction::Tightened, ChangeVerdict::Tightened),
    };
    AspectComparison {
        tool: name.to_owned(),
        fragment: None,
        aspect: Aspect::Other,
        verdict,
        changes: vec![Change {
            witness: witness(name, &[]),
            before: word(before),
            after: word(after),
            direction,
            rule: place(after),
            before_rule: place(before),
            recorded: 0,
        }],
        unknown: Vec::new(),
    }
}

/// What else changed about a tool.
pub(super) fn other(left: &ToolContext<'_>, right: &ToolContext<'_>) -> Option<AspectComparison> {
    let mut changes: Vec<Change> = Vec::new();
    changes.extend(enable(left, right));
    let privileged = PRIVILEGED_CONFIG_PATHS
        .iter()
        .filter_map(|path| path.strip_prefix(TOOLS)?.strip_prefix("*."))
        .filter(|key| !RULES.contains(key));
    for key in privileged.chain(SETTINGS) {
        let path: Vec<&str> = key.split('.').collect();
        let value = |context: &ToolContext<'_>| set(context, &path).map(Located::to_json);
        let (before, after) = (value(left), value(right));
        let meant = |value: &Option<Value>| match key {
            "source" => meant_source(right.name, value.as_ref()),
            _ => meant(
                &[&["conversation", "tools", right.name], path.as_slice()].concat(),
                value.as_ref(),
            ),
        };
        if meant(&before) == meant(&after) {
            continue;
        }
        if key == "format" && !has_formatter(left) && !has_formatter(right) {
            continue;
        }
        let place = |context: &ToolContext<'_>| place_of(context, set(context, &path)?);
        changes.push(Change {
            witness: witness(right.name, &path),
            before: in_short(before.as_ref()),
            after: in_short(after.as_ref()),
            direction: Direction::Sideways,
            rule: place(right),
            before_rule: place(left),
            recorded: 0,
        });
    }
    changes.extend(taken_calls(left, right));
    let verdict = ChangeVerdict::of(changes.iter().map(|change| change.direction), []);
    // Another program is neither looser nor stricter, and not nothing beside what is.
    let is_sideways = |change: &Change| change.direction == Direction::Sideways;
    let verdict = match changes.iter().any(is_sideways) {
        true => verdict.and(ChangeVerdict::Mixed),
        false => verdict,
    };
    comparison(right.name, Aspect::Other, verdict, changes, Vec::new())
}

/// What is set for a tool, by itself or by the tool defaults: a tool that says anything of `style` takes none of it from them.
fn set<'a>(context: &'a ToolContext<'_>, path: &[&str]) -> Option<&'a Located> {
    let (first, below) = path.split_first()?;
    context.inherited(&[first])?.at(below)
}

/// Whether a command shows the arguments of calls; of the tool defaults that is not known, since each tool may bring one.
fn has_formatter(context: &ToolContext<'_>) -> bool {
    let path = ["conversation", "tools", context.name, "style", "parameters"];
    let value = set(context, &["style", "parameters"]).map(Located::to_json);
    context.is_defaults() || meant(&path, value.as_ref()).is_object()
}

/// What belongs to no tool, and decides what runs or where a key is sent.
pub(super) fn outside_tools(before: &View, after: &View) -> Option<AspectComparison> {
    let mut changes = Vec::new();
    let outside = PRIVILEGED_CONFIG_PATHS.iter().filter(|path| {
        // How files load each other shows in what they come to.
        !path.starts_with(TOOLS) && !["extends", "config_load_paths", "editor"].contains(path)
    });
    // Of the editor, what starts it.
    for pattern in outside.chain(&["editor.cmd", "editor.envs"]) {
        for path in paths_of(before, after, pattern) {
            let keys: Vec<&str> = path.iter().map(String::as_str).collect();
            let (old, new) = (before.effective(&keys), after.effective(&keys));
            let json = |value: &Option<Located>| value.as_ref().map(Located::to_json);
            let (old_value, new_value) = (json(&old), json(&new));
            if meant(&keys, old_value.as_ref()) == meant(&keys, new_value.as_ref()) {
                continue;
            }
            let place = |view: &View, value: Option<Located>| {
                let origin = value?.origin()?;
                let file = view.file(origin.layer)?;
                let place = crate::place::Place {
                    file,
                    span: origin.span,
                };
                Some(rule_place(view.graph(), 0, place))
            };
            changes.push(Change {
                witness: json!({ "config": dotted(&keys) }),
                before: in_short(old_value.as_ref()),
                after: in_short(new_value.as_ref()),
                direction: Direction::Sideways,
                rule: place(after, new),
                before_rule: place(before, old),
                recorded: 0,
            });
        }
    }
    let verdict = ChangeVerdict::of(changes.iter().map(|change| change.direction), []);
    comparison("*", Aspect::Other, verdict, changes, Vec::new())
}

/// The config paths of either side that a pattern with `*` stands for; below a table that is named as a whole, its entries.
fn paths_of(before: &View, after: &View, pattern: &str) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> = vec![Vec::new()];
    let whole = ["providers.mcp", "plugins"].contains(&pattern);
    for segment in pattern.split('.').chain(whole.then_some("*")) {
        paths = paths
            .into_iter()
            .flat_map(|path| {
                let keys: Vec<&str> = path.iter().map(String::as_str).collect();
                let names: Vec<String> = match segment {
                    "*" => {
                        let mut names = before.keys(&keys);
                        names.extend(after.keys(&keys));
                        names.into_iter().collect()
                    }
                    segment => vec![segment.to_owned()],
                };
                names.into_iter().map(move |name| {
                    let mut path = path.clone();
                    path.push(name);
                    path
                })
            })
            .collect();
    }
    paths
}

/// The config path of a tool, or of what stands below it.
fn witness(tool: &str, below: &[&str]) -> Value {
    json!({ "config": dotted(&[&["conversation", "tools", tool], below].concat()) })
}

fn place_of(context: &ToolContext<'_>, located: &Located) -> Option<RulePlace> {
    let place = context.key_place(located)?;
    Some(rule_place(context.view.graph(), 0, place))
}

fn enable_in_words(enable: Enable) -> String {
    let state = match enable.state {
        Some(false) => "off",
        _ => "on",
    };
    match enable.allow_toggle {
        None | Some(AllowToggle::Any) => state.to_owned(),
        Some(toggle) => format!("{state} ({})", toggle.as_str()),
    }
}

/// How easily a tool is switched on: 0 if it is on, most where nothing can.
fn reluctance(enable: Enable) -> u8 {
    match (enable.state, enable.allow_toggle) {
        (Some(false), Some(AllowToggle::Never)) => 4,
        (Some(false), Some(AllowToggle::IfNamed)) => 3,
        (Some(false), Some(AllowToggle::IfNamedOrGroup)) => 2,
        (Some(false), _) => 1,
        _ => 0,
    }
}

fn enable(left: &ToolContext<'_>, right: &ToolContext<'_>) -> Option<Change> {
    let (before, after) = (left.enable(), right.enable());
    let words = (enable_in_words(before), enable_in_words(after));
    if words.0 == words.1 {
        return None;
    }
    let direction = match reluctance(after).cmp(&reluctance(before)) {
        std::cmp::Ordering::Less => Direction::Loosened,
        std::cmp::Ordering::Greater => Direction::Tightened,
        std::cmp::Ordering::Equal => Direction::Sideways,
    };
    let place = |context: &ToolContext<'_>| place_of(context, context.inherited(&["enable"])?);
    Some(Change {
        witness: witness(right.name, &["enable"]),
        before: words.0,
        after: words.1,
        direction,
        rule: place(right),
        before_rule: place(left),
        recorded: 0,
    })
}

/// Which calls the tool takes, by its parameters.
fn taken_calls(left: &ToolContext<'_>, right: &ToolContext<'_>) -> Vec<Change> {
    let (before, after) = (parameters(left), parameters(right));
    before
        .names_with(&after)
        .filter_map(|name| {
            let sides = (before.properties.get(name), after.properties.get(name));
            let direction = direction_of(sides, &before, &after)?;
            let place = |context: &ToolContext<'_>| {
                place_of(context, context.tool.at(&["parameters", name])?)
            };
            Some(Change {
                witness: witness(right.name, &["parameters", name]),
                before: in_words(sides.0),
                after: in_words(sides.1),
                direction,
                rule: place(right),
                before_rule: place(left),
                recorded: 0,
            })
        })
        .collect()
}

/// Whether more calls are taken, or fewer, or others; none where all is as before.
fn direction_of(
    sides: (Option<&Parameter>, Option<&Parameter>),
    before: &Parameters,
    after: &Parameters,
) -> Option<Direction> {
    match sides {
        (None, None) => None,
        (None, Some(new)) if new.required => Some(Direction::Sideways),
        (None, Some(_)) if before.open => Some(Direction::Sideways),
        (None, Some(_)) => Some(Direction::Loosened),
        (Some(old), None) if old.required || after.open => Some(Direction::Sideways),
        (Some(_), None) => Some(Direction::Tightened),
        (Some(old), Some(new)) if old == new => None,
        (Some(old), Some(new)) => {
            let plain = |parameter: &Parameter| Parameter {
                required: false,
                enumeration: None,
                ..in_order(parameter)
            };
            let takes_all_of = |one: &Parameter, other: &Parameter| {
                let listed = match (&one.enumeration, &other.enumeration) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some(one), Some(other)) => other.iter().all(|value| one.contains(value)),
                };
                listed && (!one.required || other.required)
            };
            if plain(old) != plain(new) {
                return Some(Direction::Sideways);
            }
            Some(match (takes_all_of(new, old), takes_all_of(old, new)) {
                (true, false) => Direction::Loosened,
                (false, true) => Direction::Tightened,
                (true, true) => return None,
                (false, false) => Direction::Sideways,
            })
        }
    }
}

/// A parameter with its types and values in an order of their own, since theirs does not matter.
fn in_order(parameter: &Parameter) -> Parameter {
    let mut parameter = parameter.clone();
    parameter.types.sort_unstable();
    parameter.types.dedup();
    if let Some(values) = &mut parameter.enumeration {
        values.sort_by_key(Value::to_string);
        values.dedup();
    }
    parameter.enumeration = parameter.enumeration.filter(|values| !values.is_empty());
    parameter.items = parameter.items.map(|items| Box::new(in_order(&items)));
    for below in parameter.properties.values_mut() {
        *below = in_order(below);
    }
    parameter
}

fn in_words(parameter: Option<&Parameter>) -> String {
    let Some(parameter) = parameter else {
        return "no parameter".to_owned();
    };
    let mut words = crate::tool::parameters::type_words(parameter);
    if let Some(values) = &parameter.enumeration {
        words = format!("{words}, one of {}", Value::from(values.clone()));
    }
    if parameter.required {
        words.push_str(", required");
    }
    if let Some(default) = &parameter.default {
        words = format!("{words}, default {default}");
    }
    words
}
