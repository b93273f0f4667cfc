//! `missing-catch-all`: what no rule matches falls through to an `ask` that nobody wrote (RFD D25).
//!
//! ```toml
//! run = [{ arg = "/path", prefix = "src/", mode = "unattended" }] # append `{ mode = "ask" }`
//! ```

use jp_policy::Mode;

use super::list::Rules;
use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
};

pub(super) fn finding<M: Mode>(rules: &Rules<'_, M>) -> Option<Diagnostic> {
    // A rule that is still being typed may become the catch-all.
    if !rules.complete {
        return None;
    }
    let finding = Diagnostic::new(
        Code::MissingCatchAll,
        rules.context.key_place(rules.list)?,
        format!(
            "no rule of `policy.{}` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{{ mode = \"ask\" }}`",
            rules.key
        ),
    );
    let text = match rules.rules.last() {
        Some(last) => rules.text_around(last.located).map(|(text, _)| text),
        None => rules.text_in(rules.context.view.file(rules.list.origin()?.layer)?),
    };
    let edits = text.and_then(|list| list.append("mode = \"ask\""));
    Some(match edits {
        Some(edits) => finding.with_fix(Fix::new("Append `{ mode = \"ask\" }`", edits)),
        None => finding,
    })
}

#[cfg(test)]
#[path = "missing_catch_all_tests.rs"]
mod tests;
