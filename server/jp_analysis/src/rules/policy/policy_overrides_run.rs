//! `policy-overrides-run`: `policy.run` wins, and the top-level `run` says nothing any more (RFD D25); the same for `result`.
//!
//! ```toml
//! run = "ask" # ignored
//! policy.run = [{ arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]
//! ```

use jp_config::merge::Located;
use jp_policy::{RawRule, ResultMode, RunMode};
use serde_json::json;

use crate::{
    diagnostic::{Code, Diagnostic, Tag},
    fix::{Edit, Fix},
    text::list_edit::ListText,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for key in ["run", "result"] {
        found.extend(finding(context, key));
    }
}

fn finding(context: &ToolContext<'_>, key: &str) -> Option<Diagnostic> {
    let ignored = context.tool.get(key)?;
    let policy = context.tool.at(&["policy", key])?;
    let place = context.key_place(ignored)?;
    let mode = ignored.value.as_str()?;
    let mut finding = Diagnostic::new(
        Code::PolicyOverridesRun,
        place,
        format!("`{key} = \"{mode}\"` is ignored, because `policy.{key}` is set; remove it"),
    )
    .with_related(
        context.key_place(policy)?,
        format!("`policy.{key}` decides"),
    )
    .with_tag(Tag::Deprecated);
    if let Some(edit) = context.remove(ignored) {
        let appended = catch_all(context, key, policy, mode);
        finding = finding.with_fix(Fix::new(
            format!("Remove `{key} = \"{mode}\"`"),
            vec![edit.clone()],
        ));
        if let Some(mut edits) = appended {
            edits.push(edit);
            let title = format!("Make `{key} = \"{mode}\"` the last rule of `policy.{key}`");
            // The calls that no rule matches are decided by it, instead of an implicit `ask`.
            finding = finding.with_fix(Fix::new(title, edits).one_of_several());
        }
    }
    Some(finding)
}

/// Appends the mode to rules that do not decide every call.
fn catch_all(
    context: &ToolContext<'_>,
    key: &str,
    policy: &Located,
    mode: &str,
) -> Option<Vec<Edit>> {
    let rule = json!({ "mode": mode });
    let is_mode = match key {
        "run" => RawRule::<RunMode>::from_config(&rule).is_ok(),
        _ => RawRule::<ResultMode>::from_config(&rule).is_ok(),
    };
    let rules = policy.value.as_list()?;
    let last = rules.last()?;
    if !is_mode || rules.iter().any(|rule| rule.get("arg").is_none()) {
        return None;
    }
    let path = ["conversation", "tools", context.name, "policy", key];
    let file = context.view.file(last.origin()?.layer)?;
    ListText::of_layer(context.view, file, &path)?.append(&format!("mode = \"{mode}\""))
}

#[cfg(test)]
#[path = "policy_overrides_run_tests.rs"]
mod tests;
