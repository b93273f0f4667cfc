//! `rule-never-wins`: of two rules for the very same target, the later one always decides (RFD 076, "Rule evaluation").

use std::collections::HashMap;

use camino::Utf8Path;
use jp_config::{
    graph::normalize,
    merge::{Located, LocatedValue},
};
use jp_tool::{ConfigPath, NetRule, validate_env_name};

use super::access::rules;
use crate::{
    diagnostic::{Code, Diagnostic, Tag},
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for (resource, field, target) in RESOURCES {
        let rules = rules(context, resource);
        let mut later: HashMap<String, &Located> = HashMap::new();
        let mut beaten = Vec::new();
        for rule in rules.iter().rev() {
            let Some(target) = target(rule) else {
                continue;
            };
            match later.get(&target) {
                Some(winner) => beaten.extend(finding(context, field, rule, winner)),
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

const RESOURCES: [(&str, &str, Target); 4] = [
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
    field: &str,
    rule: &Located,
    winner: &Located,
) -> Option<Diagnostic> {
    let located = rule.get(field)?;
    let text = located.value.as_str()?;
    let place = context.place(located)?;
    let winner = context.place(winner.get(field)?)?;
    Some(
        Diagnostic::new(
            Code::RuleNeverWins,
            place,
            format!(
                "this rule never decides: a later rule is for `{text}` too, and the last one wins"
            ),
        )
        .with_help("remove one of the two, or change its path")
        .with_related(winner, "this rule decides instead")
        .with_tag(Tag::Unnecessary),
    )
}
