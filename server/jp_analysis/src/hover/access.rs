//! An access rule in plain words (RFD 076, RFD 078).
//!
//! ```toml
//! [[conversation.tools.fs_create_file.access.fs]]
//! path = "src"     # grants reading below `src`; nothing else there
//! read = true
//! ```

use jp_config::merge::Located;
use jp_tool::{ConfigPath, overlaps_sensitive, privileged_overlap};

use super::subject::Subject;
use crate::{
    explain::words::{Target, flag, grants, target},
    text::markup::{Markup, code},
};

/// The most rules that are named.
const MAXIMUM_RULES: usize = 5;

pub(super) fn describe(subject: &Subject<'_>, markup: &mut Markup) {
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
        markup.paragraph("This rule takes no part: a later layer's rules stand instead.");
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
