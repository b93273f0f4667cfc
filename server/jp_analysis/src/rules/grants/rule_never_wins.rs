//! `rule-never-wins`: of two rules for the very same target, the later one always decides (RFD 076, "Rule evaluation").

use std::collections::HashMap;

use camino::Utf8Path;
use jp_config::{
    merge::{Located, LocatedValue},
    paths::normalize,
};
use jp_tool::{ConfigPath, NetRule, validate_env_name};
use serde_json::Value;

use super::list::rules;
use crate::{
    diagnostic::{Code, Diagnostic, Tag},
    fix::{Edit, Fix},
    text::list_edit::ListText,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for resource in RESOURCES {
        let (name, _, target) = resource;
        let rules = rules(context, name);
        let mut later: HashMap<String, &Located> = HashMap::new();
        let mut beaten = Vec::new();
        for rule in rules.iter().rev() {
            let Some(target) = target(rule) else {
                continue;
            };
            match later.get(&target) {
                Some(winner) => beaten.extend(finding(context, resource, rule, winner)),
                None => {
                    later.insert(target, rule);
                }
            }
        }
        found.extend(beaten.into_iter().rev());
    }
}

/// What a rule applies to, in a form that is equal for rules that compete on every target.
type Target = fn(&Located) -> Option<String>;

/// A list of rules, the key that says what each is for, and what that is.
type Resource = (&'static str, &'static str, Target);

const RESOURCES: [Resource; 4] = [
    ("fs", "path", fs_target),
    ("net", "host", net_target),
    ("env", "name", env_target),
    ("config", "path", config_target),
];

fn fs_target(rule: &Located) -> Option<String> {
    let path = rule.get("path")?.value.as_str()?;
    Some(normalize(Utf8Path::new(path)).to_string())
}

fn net_target(rule: &Located) -> Option<String> {
    let text = |key: &str| Some(rule.get(key)?.value.as_str()?.to_owned());
    let port = match rule.get("port").map(|port| &port.value) {
        Some(LocatedValue::Integer(port)) => Some(u16::try_from(*port).ok()?),
        Some(_) => return None,
        None => None,
    };
    let rule = NetRule {
        host: text("host")?,
        scheme: text("scheme"),
        port,
        path_prefix: text("path_prefix"),
        allow: false,
    };
    let normal = rule.normalized().ok()?;
    Some(format!(
        "{:?} {} {:?} {:?}",
        normal.scheme, normal.host, normal.port, normal.path_prefix
    ))
}

fn env_target(rule: &Located) -> Option<String> {
    let name = rule.get("name")?.value.as_str()?;
    validate_env_name(name).ok().map(|_| name.to_owned())
}

fn config_target(rule: &Located) -> Option<String> {
    let path = rule.get("path")?.value.as_str()?;
    Some(ConfigPath::parse(path).ok()?.to_string())
}

fn finding(
    context: &ToolContext<'_>,
    (resource, field, _): Resource,
    rule: &Located,
    winner: &Located,
) -> Option<Diagnostic> {
    let located = rule.get(field)?;
    let text = located.value.as_str()?;
    let place = context.place(located)?;
    let decides = context.place(winner.get(field)?)?;
    // A file that is merged twice repeats its rules; a rule is no rival of itself.
    if decides == place {
        return None;
    }
    let removal = |rule, title: &str| Some(Fix::new(title, vec![remove(context, resource, rule)?]));
    let mut fixes = Vec::from_iter(removal(rule, "Remove this rule, which decides nothing"));
    // Of two rules that say different things, either may be the one that is meant.
    if grants(rule, field) != grants(winner, field) {
        fixes.extend(removal(
            winner,
            "Remove the later rule: this one decides then",
        ));
        fixes = fixes.into_iter().map(Fix::one_of_several).collect();
    }
    Some(
        Diagnostic::new(
            Code::RuleNeverWins,
            place,
            format!(
                "this rule never decides: a later rule is for `{text}` too, and the last one wins"
            ),
        )
        .with_help(format!("remove one of the two, or change its `{field}`"))
        .with_related(decides, "this rule decides instead")
        .with_tag(Tag::Unnecessary)
        .with_fixes(fixes),
    )
}

/// Takes a rule out of the file that declares it.
fn remove(context: &ToolContext<'_>, resource: &str, rule: &Located) -> Option<Edit> {
    let file = context.view.file(rule.origin()?.layer)?;
    let path = ["conversation", "tools", context.name, "access", resource];
    let list = ListText::of_layer(context.view, file, &path)?;
    list.remove(list.position(rule)?)
}

/// What a rule says apart from what it is for.
fn grants(rule: &Located, field: &str) -> Value {
    let mut json = rule.to_json();
    if let Some(table) = json.as_object_mut() {
        table.remove(field);
    }
    json
}
