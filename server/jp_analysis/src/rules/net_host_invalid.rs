//! `net-host-invalid`: the host of a network rule is a host and nothing else (RFD 076).

use jp_tool::{HostError, validate_host};

use super::access::rules;
use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    toml_text,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for rule in rules(context, "net") {
        let Some(located) = rule.get("host") else {
            continue;
        };
        let (Some(text), Some(place)) = (located.value.as_str(), context.place(located)) else {
            continue;
        };
        let Err(error) = validate_host(text) else {
            continue;
        };
        let mut finding = Diagnostic::new(Code::NetHostInvalid, place, error.to_string());
        // Dropping a port or a path would widen the rule, so only what changes nothing is offered.
        if let HostError::UserInfo { rest, .. } = &error {
            finding = finding.with_fix(Fix::replace(
                format!("Write `{rest}`"),
                place,
                toml_text::string(rest),
            ));
        }
        found.push(finding);
    }
}
