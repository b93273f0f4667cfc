//! `mixed-array-hazard`: one harmless element of a list lets the others run unattended.
//!
//! ```toml
//! run = [
//!     { arg = "/hosts", prefix = "docs.", mode = "unattended" }, # also decides ["docs.rs", "paste.example"]
//!     { arg = "/hosts", const = "paste.example", mode = "ask" },
//!     { mode = "ask" },
//! ]
//! ```
//!
//! Of an array of paths each is decided on its own, so it is no hazard.

use jp_policy::Mode;
use serde_json::Value;

use super::list::{Rules, move_before};
use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    rules::words::shown,
};

pub(super) fn finding<M: Mode>(
    rules: &Rules<'_, M>,
    rule: usize,
    stricter: Option<usize>,
    witness: &Value,
) -> Option<Diagnostic> {
    let arg = rules.get(rule)?.raw.arg.as_deref()?;
    let call = shown(witness);
    let place = rules.place(rule)?;
    let Some(stricter) = stricter else {
        return Some(
            Diagnostic::new(
                Code::MixedArrayHazard,
                place,
                format!(
                    "one matching element of `{arg}` suffices: a call with `{call}` is `unattended`, although not all of its elements match"
                ),
            )
            .with_severity(Severity::Information)
            .with_help("put rules for the elements that need a question before this one"),
        );
    };
    let other = rules.get(stricter)?;
    let mut finding = Diagnostic::new(
        Code::MixedArrayHazard,
        place,
        format!(
            "one matching element of `{arg}` suffices: a call with `{call}` is `unattended`, although {} says `{}`; put the stricter rule first",
            rules.describe(stricter),
            other.raw.mode
        ),
    )
    .with_related(
        rules.place(stricter)?,
        format!("this rule asks for `{}`", other.raw.mode),
    );
    finding.fixes.extend(move_before(
        rules,
        stricter,
        rule,
        "Move the stricter rule first",
    ));
    Some(finding)
}

#[cfg(test)]
#[path = "mixed_array_hazard_tests.rs"]
mod tests;
