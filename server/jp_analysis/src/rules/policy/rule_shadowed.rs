//! `rule-shadowed` and `rule-redundant`: earlier rules decide every call that a rule matches (RFD D25, "Unreachable rule detection").
//!
//! ```toml
//! run = [
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { arg = "/path", prefix = "src/sensitive/", mode = "ask" }, # error[rule-shadowed]
//!     { mode = "ask" },
//! ]
//! ```
//!
//! codes: rule-shadowed, rule-redundant

use jp_policy::{CoverageFinding, Mode, RawRule, compile, coverage};

use super::list::{Rules, move_before, remove};
use crate::{
    diagnostic::{Code, Diagnostic, Severity, Tag},
    fix::{Fix, MORE_CALLS},
};

pub(super) fn finding<M: Mode>(
    rules: &Rules<'_, M>,
    finding: &CoverageFinding<M>,
) -> Option<Diagnostic> {
    match finding {
        CoverageFinding::Shadowed {
            rule,
            covered_by,
            rfd_table,
            would,
            decides,
        } => {
            let instead: Vec<String> = decides.iter().map(|mode| format!("`{mode}`")).collect();
            let instead = instead.join(" or ");
            let message = format!(
                "this rule never decides: {} {} it matches, with {instead} instead of `{would}`",
                covering(rules, covered_by),
                if covered_by.len() == 1 {
                    "decides every call"
                } else {
                    "together decide every call"
                },
            );
            let looser = decides.iter().any(|mode| mode.is_stricter_than(*would));
            let mut finding = base(
                rules,
                Code::RuleShadowed,
                *rule,
                covered_by,
                message,
                *rfd_table,
            )?;
            finding
                .fixes
                .extend(move_up(rules, *rule, covered_by, looser));
            finding
                .fixes
                .extend(remove(rules, *rule).map(Fix::one_of_several));
            Some(finding)
        }
        CoverageFinding::Redundant {
            rule,
            covered_by,
            rfd_table,
            would,
        } => {
            let message = format!(
                "this rule is redundant: {} {} `{would}` for every call it matches",
                covering(rules, covered_by),
                if covered_by.len() == 1 {
                    "already decides"
                } else {
                    "together already decide"
                },
            );
            let mut finding = base(
                rules,
                Code::RuleRedundant,
                *rule,
                covered_by,
                message,
                *rfd_table,
            )?;
            finding.fixes.extend(remove(rules, *rule));
            Some(finding)
        }
        _ => None,
    }
}

fn base<M: Mode>(
    rules: &Rules<'_, M>,
    code: Code,
    rule: usize,
    covered_by: &[usize],
    message: String,
    rfd_table: bool,
) -> Option<Diagnostic> {
    let severity = if rfd_table {
        Severity::Error
    } else {
        Severity::Warning
    };
    let mut finding = Diagnostic::new(code, rules.place(rule)?, message)
        .with_severity(severity)
        .with_tag(Tag::Unnecessary);
    for earlier in covered_by {
        if let (Some(place), Some(covering)) = (rules.place(*earlier), rules.get(*earlier)) {
            finding = finding.with_related(
                place,
                format!(
                    "rule {} decides `{}` first",
                    covering.number, covering.raw.mode
                ),
            );
        }
    }
    Some(finding)
}

/// The covering rules in words.
fn covering<M: Mode>(rules: &Rules<'_, M>, covered_by: &[usize]) -> String {
    const MOST: usize = 4;
    let names: Vec<String> = covered_by
        .iter()
        .take(MOST)
        .map(|index| rules.describe(*index))
        .collect();
    let rest = covered_by.len().saturating_sub(MOST);
    match (names.as_slice(), rest) {
        ([only], _) => only.clone(),
        ([others @ .., last], 0) => format!("{} and {last}", others.join(", ")),
        (names, rest) => format!("{} and {rest} more rules", names.join(", ")),
    }
}

/// Moves a rule above the first of those that cover it, if all of them stand in one list of one file.
fn move_up<M: Mode>(
    rules: &Rules<'_, M>,
    rule: usize,
    covered_by: &[usize],
    looser: bool,
) -> Option<Fix> {
    let above = *covered_by.first()?;
    if !would_help(rules, rule, covered_by) {
        return None;
    }
    let fix = move_before(
        rules,
        rule,
        above,
        "Move the rule above the one that covers it",
    )?;
    Some(if looser {
        let would = rules.get(rule)?.raw.mode;
        Fix {
            title: format!("{}: {MORE_CALLS} `{would}`", fix.title),
            ..fix.with_risk()
        }
    } else {
        fix.with_review()
    })
}

/// Whether the rules that cover a rule still decide something when it comes first.
fn would_help<M: Mode>(rules: &Rules<'_, M>, rule: usize, covered_by: &[usize]) -> bool {
    const MOST: usize = 8;
    if covered_by.len() > MOST {
        return false;
    }
    let order: Vec<RawRule<M>> = std::iter::once(&rule)
        .chain(covered_by)
        .filter_map(|index| Some(rules.get(*index)?.raw.clone()))
        .collect();
    let (policy, _) = compile(&order, &rules.parameters);
    coverage(&policy).iter().all(|finding| {
        !matches!(
            finding,
            CoverageFinding::Shadowed { .. } | CoverageFinding::Redundant { .. }
        )
    })
}

#[cfg(test)]
#[path = "rule_shadowed_tests.rs"]
mod tests;
