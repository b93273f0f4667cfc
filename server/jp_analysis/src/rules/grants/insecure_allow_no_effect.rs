//! `insecure-allow-no-effect`: on a path that is not sensitive, `"insecure_allow"` says no more than `true` (RFD 078).

use jp_tool::{WriteGrant, overlaps_sensitive};

use super::list::config_grants;
use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for grant in config_grants(context) {
        if grant.write() != WriteGrant::InsecureAllow || overlaps_sensitive(&grant.path) {
            continue;
        }
        let Some(place) = grant.place(context, "write") else {
            continue;
        };
        found.push(
            Diagnostic::new(
                Code::InsecureAllowNoEffect,
                place,
                format!(
                    "path `{}` is not sensitive, so `\"insecure_allow\"` means the same as `true`; write `true`",
                    grant.text
                ),
            )
            .with_fix(Fix::replace("Write `true`", place, "true")),
        );
    }
}
