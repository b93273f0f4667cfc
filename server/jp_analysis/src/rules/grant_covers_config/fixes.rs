//! What a person may write so that a tool does not reach config.

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::FsRule;

use super::{Grants, Hit, kept_place};
use crate::{
    fix::Fix,
    text::{list_edit::ListText, toml_text},
    tool::ToolContext,
};

/// More rules than a person wants to read.
const MOST_DENIALS: usize = 12;

/// The changes of a rule that reaches config: rules that deny it, or no writing at all.
pub(super) fn of_rule(
    context: &ToolContext<'_>,
    grants: &Grants<'_>,
    rule: usize,
    hits: &[Hit<'_>],
) -> Vec<Fix> {
    let mut fixes = Vec::from_iter(denied(context, grants, rule, hits));
    fixes.extend(without_writing(context, grants, rule));
    fixes.into_iter().map(Fix::one_of_several).collect()
}

/// Rules of their own for what lies below the rule and is config.
fn denied(
    context: &ToolContext<'_>,
    grants: &Grants<'_>,
    rule: usize,
    hits: &[Hit<'_>],
) -> Option<Fix> {
    let located = grants.located.get(rule)?;
    let rule = grants.rules.get(rule)?;
    let above = below_root(rule.path());
    let denials = denials(hits)?;
    let is_new = |path: &Utf8PathBuf| {
        path.starts_with(above)
            && path != above
            && grants.rules.iter().all(|other| other.path() != path)
    };
    if !denials.iter().all(is_new) {
        return None;
    }
    let tables: Vec<Vec<String>> = denials.iter().map(|path| denial(path, rule)).collect();
    let file = context.view.file(located.origin()?.layer)?;
    let list = ["conversation", "tools", context.name, "access", "fs"];
    let edits = ListText::of_layer(context.view, file, &list)?.append_tables(&tables)?;
    Some(Fix::new("Deny writing config, by rules of its own", edits))
}

/// A rule that leaves out writing and grants the rest.
fn denial(path: &Utf8Path, like: &FsRule) -> Vec<String> {
    let mut entries = vec![format!("path = {}", toml_text::string(path.as_str()))];
    if like.read() {
        entries.push("read = true".to_owned());
    }
    if like.execute() {
        entries.push("execute = true".to_owned());
    }
    entries
}

/// The same rule with nothing that writes.
fn without_writing(context: &ToolContext<'_>, grants: &Grants<'_>, rule: usize) -> Option<Fix> {
    let located = grants.located.get(rule)?;
    let mut edits = Vec::new();
    for key in ["write", "create", "update", "delete"] {
        let Some(value) = located.get(key) else {
            continue;
        };
        if value.value.as_bool() == Some(true) {
            let place = context.place(value)?;
            edits.extend(Fix::replace("", place, "false").edits);
        }
    }
    (!edits.is_empty()).then(|| Fix::new("Deny writing here", edits))
}

/// Rules for a tool without any: everything but config.
pub(super) fn of_absence(context: &ToolContext<'_>, hits: &[Hit<'_>]) -> Option<Fix> {
    if context.tool.get("access").is_some() {
        return None;
    }
    let everything = FsRule::new(".").with_read(true).with_execute(true);
    let mut rules = vec!["{ path = \".\", read = true, write = true, execute = true }".to_owned()];
    for path in denials(hits)? {
        rules.push(format!("{{ {} }}", denial(&path, &everything).join(", ")));
    }
    let entry = format!("access.fs = [{}]", rules.join(", "));
    let edit = context.add_after(context.tool.get("source")?, &[entry])?;
    Some(Fix::new("Grant everything but writing config", vec![edit]).one_of_several())
}

/// The paths of rules that keep all of these files closed; nothing where that is the whole workspace.
fn denials(hits: &[Hit<'_>]) -> Option<Vec<Utf8PathBuf>> {
    let mut paths: Vec<Utf8PathBuf> = Vec::new();
    for hit in hits {
        let path = kept_place(hit.place, &hit.file).unwrap_or_else(|| hit.place.root());
        if path.as_str().is_empty() {
            return None;
        }
        paths.push(path);
    }
    paths.sort();
    paths.dedup();
    let all = paths.clone();
    paths.retain(|path| {
        !all.iter()
            .any(|other| other != path && path.starts_with(other))
    });
    (paths.len() <= MOST_DENIALS).then_some(paths)
}

fn below_root(path: &Utf8Path) -> &Utf8Path {
    if path == "." { Utf8Path::new("") } else { path }
}
