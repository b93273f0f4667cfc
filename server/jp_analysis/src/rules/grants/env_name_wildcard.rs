//! `env-name-wildcard`: a `*` in a variable's name stands at its end (RFD 076).
//!
//! codes: env-name-wildcard, invalid-value

use jp_tool::{EnvNameError, validate_env_name};

use super::list::rules;
use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    text::toml_text,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for rule in rules(context, "env") {
        let Some(located) = rule.get("name") else {
            continue;
        };
        let (Some(text), Some(place)) = (located.value.as_str(), context.place(located)) else {
            continue;
        };
        let Err(error) = validate_env_name(text) else {
            continue;
        };
        found.push(match &error {
            EnvNameError::Wildcard { suggestion, .. } => {
                Diagnostic::new(Code::EnvNameWildcard, place, error.to_string()).with_fix(
                    Fix::replace(
                        format!("Write `{suggestion}`, which matches more names"),
                        place,
                        toml_text::string(suggestion),
                    )
                    .with_risk(),
                )
            }
            _ => Diagnostic::new(Code::InvalidValue, place, error.to_string()),
        });
    }
}
