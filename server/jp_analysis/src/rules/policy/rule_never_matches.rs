//! `rule-never-matches`: a rule, or a member of its `enum`, that no value can satisfy.
//!
//! ```toml
//! { arg = "/path", const = "./src/lib.rs", mode = "ask" } # paths are compared in normal form
//! ```

use jp_policy::{Mode, NeverMatchesReason};

use super::list::{Rules, remove};
use crate::{
    diagnostic::{Code, Diagnostic, Tag},
    fix::Fix,
    rules::words::{enumerate, shown},
    text::toml_text,
};

pub(super) fn finding<M: Mode>(
    rules: &Rules<'_, M>,
    rule: usize,
    member: Option<usize>,
    reason: &NeverMatchesReason,
) -> Option<Diagnostic> {
    let read = rules.get(rule)?;
    let (kind, value) = read.raw.matchers.first()?;
    let arg = read.raw.arg.as_deref()?;
    let located = read.located.get(kind.keyword())?;
    let (located, value) = match member {
        Some(index) => (located.value.as_list()?.get(index)?, value.get(index)?),
        None => (located, value),
    };
    let what = match member {
        Some(_) => format!("`{}` can never equal `{arg}`", shown(value)),
        None => format!(
            "this rule matches no call: `{}`",
            matcher(kind.keyword(), value)
        ),
    };
    let why = match (reason, member) {
        (NeverMatchesReason::EmptyEnum, _) => reason.to_string(),
        (NeverMatchesReason::NotNormal { normal }, _) => {
            format!("paths are compared in normal form; write `{normal}`")
        }
        (NeverMatchesReason::NotDeclared { declared }, _) => format!(
            "the parameter's `enum` does not list it; write one of {}",
            enumerate(declared)
        ),
        (NeverMatchesReason::NoDeclaredValue { declared }, _) => format!(
            "no value of the parameter's `enum` satisfies it; those are {}",
            enumerate(declared)
        ),
        (NeverMatchesReason::NoNumber, _) => reason.to_string(),
    };
    let place = rules.context.place(located)?;
    let finding = Diagnostic::new(Code::RuleNeverMatches, place, format!("{what}: {why}"))
        .with_tag(Tag::Unnecessary);
    Some(match reason {
        // Whole rules only: their value is the path, and not a list of paths.
        NeverMatchesReason::NotNormal { normal } if value.is_string() => finding.with_fix(
            Fix::replace(
                format!("Write `{normal}`"),
                place,
                toml_text::string(normal),
            )
            .one_of_several(),
        ),
        _ if member.is_none() => {
            let mut finding = finding;
            finding
                .fixes
                .extend(remove(rules, rule).map(Fix::one_of_several));
            finding
        }
        _ => finding,
    })
}

fn matcher(keyword: &str, value: &serde_json::Value) -> String {
    format!("{keyword} = {}", shown(value))
}

#[cfg(test)]
#[path = "rule_never_matches_tests.rs"]
mod tests;
