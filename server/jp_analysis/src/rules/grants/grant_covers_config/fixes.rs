//! What a person may write so that a tool does not reach config.

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::FsRule;

use super::grants::{Grants, Hit, below_root, closing};
use crate::{
    fix::Fix,
    text::{list_edit::ListText, toml_text},
    tool::ToolContext,
};

/// More rules than a person wants to read.
pub(in crate::rules::grants) const MOST_DENIALS: usize = 12;

/// The changes of a rule that reaches config: rules that deny it, or no writing at all.
pub(in crate::rules::grants) fn of_rule(
    context: &ToolContext<'_>,
    grants: &Grants<'_>,
    rule: usize,
    hits: &[Hit<'_>],
) -> Vec<Fix> {
    let config = hits.iter().filter(|hit| !hit.is_in_any_folder);
    let title = "Deny writing config, by rules of its own";
    let denied = deny_files(context, grants, rule, config.map(closing).collect(), title);
    let mut fixes = Vec::from_iter(denied);
    fixes.extend(deny_writing(context, grants, rule));
    fixes.into_iter().map(Fix::one_of_several).collect()
}

/// Rules of their own for paths below a rule.
pub(in crate::rules::grants) fn deny_files(
    context: &ToolContext<'_>,
    grants: &Grants<'_>,
    rule: usize,
    files: Vec<Utf8PathBuf>,
    title: &str,
) -> Option<Fix> {
    let located = grants.located(rule)?;
    let rule = grants.rules().get(rule)?;
    let above = below_root(rule.path());
    let denials = outermost(files)?;
    let is_new = |path: &Utf8PathBuf| {
        path.starts_with(above)
            && path != above
            && grants.rules().iter().all(|other| other.path() != path)
    };
    if !denials.iter().all(is_new) {
        return None;
    }
    let tables: Vec<Vec<String>> = denials.iter().map(|path| denial(path, rule)).collect();
    let file = context.view.file(located.origin()?.layer)?;
    let list = ["conversation", "tools", context.name, "access", "fs"];
    let edits = ListText::of_layer(context.view, file, &list)?.append_tables(&tables)?;
    Some(Fix::new(title, edits))
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
pub(in crate::rules::grants) fn deny_writing(
    context: &ToolContext<'_>,
    grants: &Grants<'_>,
    rule: usize,
) -> Option<Fix> {
    let located = grants.located(rule)?;
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

/// Rules for a tool without any: everything but what reaches config.
///
/// Only the bundled tools keep the config of every folder closed, so that another tool is left without any writing.
pub(in crate::rules::grants) fn of_absence(
    context: &ToolContext<'_>,
    bundled: bool,
    hits: &[Hit<'_>],
) -> Option<Fix> {
    if context.tool.get("access").is_some() {
        return None;
    }
    let (title, rules) = if bundled {
        let everything = FsRule::new(".").with_read(true).with_execute(true);
        let all = "{ path = \".\", read = true, write = true, execute = true }".to_owned();
        let denials = denials(hits)?.into_iter();
        let denials =
            denials.map(|path| format!("{{ {} }}", denial(&path, &everything).join(", ")));
        let rules: Vec<String> = std::iter::once(all).chain(denials).collect();
        ("Grant everything but writing config", rules)
    } else {
        let rule = "{ path = \".\", read = true, execute = true }".to_owned();
        ("Grant everything but writing", vec![rule])
    };
    let entry = format!("access.fs = [{}]", rules.join(", "));
    let edit = context.add_after(context.tool.get("source")?, &[entry])?;
    Some(Fix::new(title, vec![edit]).one_of_several())
}

/// The paths of rules that keep these files closed, as far as rules can; nothing where that is the whole workspace.
fn denials(hits: &[Hit<'_>]) -> Option<Vec<Utf8PathBuf>> {
    let config = hits.iter().filter(|hit| !hit.is_in_any_folder);
    outermost(config.map(closing).collect())
}

/// The paths that do not lie below another one, in order; nothing where that is the whole workspace, or too many.
pub(in crate::rules::grants) fn outermost(mut paths: Vec<Utf8PathBuf>) -> Option<Vec<Utf8PathBuf>> {
    if paths.is_empty() || paths.iter().any(|path| path.as_str().is_empty()) {
        return None;
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
