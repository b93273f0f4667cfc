//! `net-rule-invalid`: the scheme and path of a network rule can match what they say (RFD 076).
//!
//! ```toml
//! { host = "docs.rs", scheme = "https://", allow = true }   # write `https`
//! ```

use jp_tool::{AccessRuleProblem, NetRule, NetRuleError};

use super::list::rules;
use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    text::toml_text,
    tool::ToolContext,
};

/// Hosts have a rule of their own; any valid one stands in for them here.
const ANY_HOST: &str = "localhost";

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for rule in rules(context, "net") {
        for field in ["scheme", "path_prefix"] {
            let Some(located) = rule.get(field) else {
                continue;
            };
            let (Some(text), Some(place)) = (located.value.as_str(), context.place(located)) else {
                continue;
            };
            let text = Some(text.to_owned());
            let (scheme, path_prefix) = match field {
                "scheme" => (text, None),
                _ => (None, text),
            };
            let alone = NetRule {
                host: ANY_HOST.to_owned(),
                scheme,
                path_prefix,
                ..NetRule::default()
            };
            if let Err(problem) = alone.normalized() {
                let finding = Diagnostic::new(Code::NetRuleInvalid, place, problem.to_string());
                let instead = match &problem {
                    AccessRuleProblem::Net(problem) => instead(problem),
                    _ => None,
                };
                found.push(finding.with_fixes(instead.map(|instead| {
                    let title = format!("Write `{instead}`");
                    Fix::replace(title, place, toml_text::string(&instead)).with_review()
                })));
            }
        }
    }
}

/// What was probably meant.
fn instead(problem: &NetRuleError) -> Option<String> {
    match problem {
        NetRuleError::Scheme { scheme } => {
            let name = scheme.trim_end_matches('/').trim_end_matches(':');
            let rule = NetRule {
                host: ANY_HOST.to_owned(),
                scheme: Some(name.to_owned()),
                ..NetRule::default()
            };
            rule.normalized().ok()?.scheme
        }
        NetRuleError::Query { suggestion, .. } => Some(suggestion.clone()),
        _ => None,
    }
}
