//! `policy-overrides-run`: `policy.run` wins, and the top-level `run` says nothing any more (RFD D25); the same for `result`.
//!
//! ```toml
//! run = "ask" # ignored
//! policy.run = [{ arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]
//! ```

use super::list_edit::remove_entry;
use crate::{
    diagnostic::{Code, Diagnostic, Tag},
    fix::{Fix, FixKind},
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
    let origin = ignored.origin()?;
    let removed = origin
        .key
        .and_then(|key| remove_entry(context.view, context.place(ignored)?, key));
    if let Some(edit) = removed {
        finding = finding.with_fix(Fix {
            title: format!("Remove `{key} = \"{mode}\"`"),
            kind: FixKind::QuickFix,
            preferred: true,
            safe: true,
            edits: vec![edit],
        });
    }
    Some(finding)
}
