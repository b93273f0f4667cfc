//! An access rule in plain words (RFD 076, RFD 078).
//!
//! ```toml
//! [[conversation.tools.fs_create_file.access.fs]]
//! path = "src"     # grants reading below `src`; nothing else there
//! read = true
//! ```

use jp_config::merge::Located;
use jp_tool::{ConfigPath, Resource, overlaps_sensitive, privileged_overlap};

use super::subject::Subject;
use crate::{
    explain::words::{Target, flag, grants, target},
    text::markup::{Markup, code},
};

/// The most rules that are named.
const MAXIMUM_RULES: usize = 5;

/// An access rule that has a part in what a tool may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRule {
    /// The tool.
    pub tool: String,
    /// The list that the rule stands in.
    pub resource: Resource,
    /// The position of the rule in the effective list, from 0.
    pub index: usize,
    /// The text that says what it is about, such as its `path`; from a config file.
    pub target: String,
}

/// The rule that a subject lies in.
pub(super) fn rule_of(subject: &Subject<'_>) -> Option<AccessRule> {
    let keys = subject.keys();
    let ["conversation", "tools", tool, "access", kind] = keys.as_slice() else {
        return None;
    };
    let resource = match *kind {
        "fs" => Resource::Fs,
        "net" => Resource::Net,
        "env" => Resource::Env,
        "config" => Resource::Config,
        _ => return None,
    };
    let (context, place) = (subject.context()?, subject.element_place()?);
    let rules = context.tool.at(&["access", kind])?.value.as_list()?;
    let index = rules
        .iter()
        .position(|rule| context.place(rule) == Some(place))?;
    let names = ["path", "host", "name"].into_iter();
    let target = names.filter_map(|name| rules.get(index)?.get(name)?.value.as_str());
    context.source()?.is_local().then(|| AccessRule {
        tool: (*tool).to_owned(),
        resource,
        index,
        target: target.collect(),
    })
}

pub(super) fn describe(subject: &Subject<'_>, kernel: Option<&str>, markup: &mut Markup) {
    let keys = subject.keys();
    let (["conversation", "tools", tool, "access", kind, ..], true) =
        (keys.as_slice(), keys.len() < subject.path.len())
    else {
        return;
    };
    let (Some(context), Some(place)) = (subject.context(), subject.element_place()) else {
        return;
    };
    let rules = context
        .tool
        .at(&["access", kind])
        .and_then(|rules| rules.value.as_list())
        .unwrap_or_default();
    let Some(index) = rules
        .iter()
        .position(|rule| context.place(rule) == Some(place))
    else {
        markup.paragraph("Not in use: the rules of a stronger file stand instead of this list.");
        return;
    };
    let Some(rule) = rules.get(index) else {
        return;
    };
    let Some(target) = target(kind, rule) else {
        return;
    };
    markup.paragraph(&format!(
        "Rule {} of {}: {} {}.",
        index + 1,
        rules.len(),
        grants(kind, tool, rule),
        target.words()
    ));
    if *kind == "fs" && flag(rule, "external") == Some(true) {
        markup.item(
            "It leads outside the workspace, and grants nothing until a person has approved where it leads.",
        );
    }
    if let Some(source) = context.source().filter(|source| !source.is_local()) {
        markup.item(&format!(
            "Nothing checks it: access rules are for local tools, and {} is the source of this one.",
            code(&source.to_string())
        ));
    }
    relations(rules, index, kind, &target, markup);
    if let Some(kernel) = kernel {
        markup.item(kernel);
    }
    if let Target::Config(path) = &target {
        describe_danger(rule, path, markup);
    }
}

/// Which other rules of the list decide where.
fn relations(rules: &[Located], index: usize, kind: &str, target: &Target, markup: &mut Markup) {
    let mut stronger = Vec::new();
    let mut weaker = Vec::new();
    for (other_index, other) in rules.iter().enumerate() {
        let Some(found) = self::target(kind, other).filter(|_| other_index != index) else {
            continue;
        };
        let name = format!("rule {} ({})", other_index + 1, found.name());
        if target.contains(&found) && found.contains(target) {
            if found.weight() == target.weight() && other_index > index {
                markup.paragraph(&format!(
                    "It never decides: {name} is for the same and comes later."
                ));
            }
        } else if target.contains(&found) {
            stronger.push(format!(
                "Except {}, where rule {} decides.",
                found.words(),
                other_index + 1
            ));
        } else if found.contains(target) {
            weaker.push(name);
        }
    }
    for line in stronger.iter().take(MAXIMUM_RULES) {
        markup.item(line);
    }
    if !weaker.is_empty() {
        weaker.truncate(MAXIMUM_RULES);
        markup.item(&format!(
            "It decides alone here, whatever {} says.",
            weaker.join(" or ")
        ));
    }
}

/// Whether a config rule reaches what decides about tools.
fn describe_danger(rule: &Located, path: &ConfigPath, markup: &mut Markup) {
    let apply = rule.get("apply").and_then(|apply| apply.value.as_str());
    let applied = match apply {
        Some("unattended") => "Changes apply without asking.",
        _ => "A human confirms each change.",
    };
    markup.item(applied);
    if overlaps_sensitive(path) {
        markup.item(
            "The path is sensitive: it touches the access rules of tools, and only `write = \"insecure_allow\"` reaches them.",
        );
    } else if let Some(overlap) = privileged_overlap(path) {
        markup.item(&format!(
            "The path is privileged: {} decides what runs or whether a human is asked.",
            code(overlap)
        ));
    }
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
