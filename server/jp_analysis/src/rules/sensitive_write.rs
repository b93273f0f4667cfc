//! `sensitive-write`: writing a sensitive config path needs an explicit acknowledgement (RFD 078).

use jp_tool::{SENSITIVE_CONFIG_PATHS, WriteGrant, overlaps_sensitive};

use super::access::config_grants;
use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for grant in config_grants(context) {
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
