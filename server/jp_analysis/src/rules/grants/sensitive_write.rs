//! `sensitive-write`: writing a sensitive config path needs an explicit acknowledgement (RFD 078).

use jp_tool::{SENSITIVE_CONFIG_PATHS, WriteGrant, overlaps_sensitive};

use super::list::{ConfigGrant, config_grants};
use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    fix::Fix,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for grant in config_grants(context) {
        found.extend(delete_without_write(context, &grant));
        if grant.write() != WriteGrant::Yes || !overlaps_sensitive(&grant.path) {
            continue;
        }
        let Some(place) = grant.place(context, "write") else {
            continue;
        };
        let sensitive = SENSITIVE_CONFIG_PATHS.join("`, `");
        let verb = if SENSITIVE_CONFIG_PATHS.contains(&grant.text) {
            "is"
        } else {
            "overlaps"
        };
        let what = if verb == "is" {
            "which is a sensitive path".to_owned()
        } else {
            format!("which overlaps the sensitive path `{sensitive}`")
        };
        found.push(
            Diagnostic::new(
                Code::SensitiveWrite,
                place,
                format!(
                    "tool `{}` grants `write = true` to path `{}`, {what}; use `write = \"insecure_allow\"` to explicitly acknowledge this grant",
                    context.name, grant.text
                ),
            )
            .with_help("through this path the tool can grant itself any access")
            .with_fix(
                Fix::replace(
                    "Write \"insecure_allow\": the tool may then grant itself any access",
                    place,
                    "\"insecure_allow\"",
                )
                .with_risk(),
            )
            .with_fix(Fix::replace("Deny writing: `write = false`", place, "false").one_of_several()),
        );
    }
}

/// Taking away the last rule of a list lifts a restriction, so `delete` alone never acts on a sensitive path.
fn delete_without_write(context: &ToolContext<'_>, grant: &ConfigGrant<'_>) -> Option<Diagnostic> {
    let deletes = grant.rule.get("delete")?.value.as_bool() == Some(true);
    if !deletes || grant.write() != WriteGrant::No || !overlaps_sensitive(&grant.path) {
        return None;
    }
    let place = grant.place(context, "delete")?;
    let sensitive = SENSITIVE_CONFIG_PATHS.join("`, `");
    let message = format!(
        "`delete = true` removes nothing at `{sensitive}`, which path `{}` reaches: deleting there needs `write = \"insecure_allow\"` in the same rule",
        grant.text
    );
    let finding = Diagnostic::new(Code::SensitiveWrite, place, message).with_help(
        "a restriction is lifted by removing its last rule, so that needs the same acknowledgement as writing one",
    );
    let depth = SENSITIVE_CONFIG_PATHS
        .iter()
        .map(|path| path.split('.').count())
        .min()?;
    // Above a sensitive path it still removes other things.
    Some(if grant.path.segments().len() < depth {
        finding.with_severity(Severity::Hint)
    } else {
        let fix = Fix::replace("Deny deleting: `delete = false`", place, "false");
        finding
            .with_severity(Severity::Warning)
            .with_fix(fix.one_of_several())
    })
}
