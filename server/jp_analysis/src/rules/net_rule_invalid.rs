//! `net-rule-invalid`: the scheme and path of a network rule can match what they say (RFD 076).

use jp_tool::NetRule;

use super::access::rules;
use crate::{
    diagnostic::{Code, Diagnostic},
    tool::ToolContext,
};

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
            // The host has a rule of its own; any valid one stands in for it here.
            let alone = NetRule {
                host: "localhost".to_owned(),
                scheme,
                port: None,
                path_prefix,
                allow: false,
            };
            if let Err(problem) = alone.normalized() {
                found.push(Diagnostic::new(
                    Code::NetRuleInvalid,
                    place,
                    problem.to_string(),
                ));
            }
        }
    }
}
