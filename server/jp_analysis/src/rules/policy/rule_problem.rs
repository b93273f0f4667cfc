//! `arg-*`, `matcher-*` and `pattern-*`: a rule that cannot be evaluated as it is written (RFD D25, "Validation").
//!
//! ```toml
//! { arg = "/pth", prefix = "src/", mode = "unattended" } # error[arg-unresolved]: did you mean `path`?
//! ```
//!
//! codes: arg-pointer-syntax, arg-unresolved, matcher-missing, matcher-multiple, matcher-type, matcher-value-type, pattern-invalid, pattern-unsupported, missing-required

use jp_config::{
    merge::{Located, LocatedValue},
    view::value_at,
};
use jp_policy::{
    ExpectedValue, Mode, PatternError, PatternErrorKind, PointerSyntax, RuleProblem,
    RuleProblemKind, Unresolved, pointer,
};
use serde_json::Value;

use super::{
    list::{ReadRule, Rules},
    matcher_fix,
};
use crate::{
    diagnostic::{Code, Diagnostic, Place},
    fix::Fix,
    text::toml_text,
    tool::ToolContext,
};

pub(super) fn finding<M: Mode>(rules: &Rules<'_, M>, problem: &RuleProblem) -> Option<Diagnostic> {
    let code = Code::from(&problem.kind);
    let rule = rules.get(problem.rule)?;
    let context = rules.context;
    let message = problem.kind.to_string();
    match &problem.kind {
        RuleProblemKind::PointerSyntax { range, reason, .. } => {
            let arg = rule.located.get("arg")?;
            let place = context.place_in_string(arg, range.clone())?;
            let finding = Diagnostic::new(code, place, message);
            Some(match reason {
                PointerSyntax::NoLeadingSlash { suggestion } if !suggestion.is_empty() => {
                    let pointer = format!("/{suggestion}");
                    finding.with_fix(Fix::replace(
                        format!("Write `{pointer}`"),
                        context.place(arg)?,
                        toml_text::string(&pointer),
                    ))
                }
                _ => finding,
            })
        }
        RuleProblemKind::Unresolved {
            range,
            segment,
            reason,
            near,
            pointer,
            name,
        } => {
            if *segment == 0 && is_declared_elsewhere(context, name) {
                return None;
            }
            let arg = rule.located.get("arg")?;
            let place = context.place_in_string(arg, range.clone())?;
            let finding = Diagnostic::new(code, place, message);
            let finding = with_declaration(context, finding, *segment, near);
            let pointer = match reason {
                Unresolved::NoProperty { .. } => near
                    .first()
                    .and_then(|near| replaced(pointer, range.clone(), &pointer::encoded(near))),
                Unresolved::ArrayIndex => {
                    replaced(pointer, range.start.saturating_sub(1)..range.end, "")
                }
                Unresolved::NoObject { parent, .. } => Some(parent.clone()),
            };
            Some(match pointer.filter(|pointer| !pointer.is_empty()) {
                Some(pointer) => finding.with_fix(Fix::replace(
                    format!("Write `{pointer}`"),
                    context.place(arg)?,
                    toml_text::string(&pointer),
                )),
                None => finding,
            })
        }
        RuleProblemKind::MatcherMissing { values, .. } => {
            let arg = rule.located.get("arg")?;
            let finding = Diagnostic::new(code, context.place(arg)?, message);
            Some(finding.with_fixes(matcher_fix::missing(context, arg, values)))
        }
        RuleProblemKind::ArgMissing { matcher } => {
            let located = rule.located.get(matcher.keyword())?;
            let finding = Diagnostic::new(code, context.key_place(located)?, message);
            Some(finding.with_fixes(matcher_fix::without_arg(rules, rule, located)))
        }
        RuleProblemKind::MatcherMultiple { matchers } => {
            let (first, others) = matchers.split_first()?;
            let key = |keyword: &str| context.key_place(rule.located.get(keyword)?);
            let place = key(others.first()?.keyword())?;
            Some(
                Diagnostic::new(code, place, message)
                    .with_related(key(first.keyword())?, "the first matcher stands here")
                    .with_fixes(matcher_fix::only_one(context, rule.located, matchers)),
            )
        }
        RuleProblemKind::MatcherType {
            matcher,
            types,
            values,
            ..
        } => {
            let located = rule.located.get(matcher.keyword())?;
            let finding = Diagnostic::new(code, context.key_place(located)?, message);
            Some(finding.with_fixes(matcher_fix::as_const(context, located, types, values)))
        }
        RuleProblemKind::MatcherValueType {
            matcher,
            expected,
            found,
            member,
            values,
            ..
        } => value_type(
            context,
            Diagnostic::new(code, context.place(rule.located)?, message),
            rule.located.get(matcher.keyword())?,
            (expected, found, *member),
            values,
        ),
        RuleProblemKind::Pattern(error) => pattern(context, code, rule, error),
    }
}

/// Whether a file outside the view, such as a fragment that may be picked, gives the tool a parameter.
fn is_declared_elsewhere(context: &ToolContext<'_>, parameter: &str) -> bool {
    let path = [
        "conversation",
        "tools",
        context.name,
        "parameters",
        parameter,
    ];
    let files = context.view.graph().files.iter();
    files
        .filter_map(|file| file.content.as_ref())
        .any(|content| value_at(content, &path).is_some())
}

/// The finding, with the place where the nearest parameter is declared.
fn with_declaration(
    context: &ToolContext<'_>,
    finding: Diagnostic,
    segment: usize,
    near: &[String],
) -> Diagnostic {
    let declared = near
        .first()
        .filter(|_| segment == 0)
        .and_then(|near| context.tool.at(&["parameters", near]))
        .and_then(|parameter| context.key_place(parameter));
    match (declared, near.first()) {
        (Some(place), Some(near)) => {
            finding.with_related(place, format!("`{near}` is declared here"))
        }
        _ => finding,
    }
}

fn replaced(pointer: &str, range: std::ops::Range<usize>, with: &str) -> Option<String> {
    let before = pointer.get(..range.start)?;
    let after = pointer.get(range.end..)?;
    Some(format!("{before}{with}{after}"))
}

fn value_type(
    context: &ToolContext<'_>,
    mut finding: Diagnostic,
    matcher: &Located,
    (expected, found, member): (&ExpectedValue, &Value, Option<usize>),
    values: &[Value],
) -> Option<Diagnostic> {
    let types = match (expected, member) {
        (ExpectedValue::Types(types), _) => types,
        (ExpectedValue::List(types), Some(_)) => types,
        // The structure of the rule is wrong whatever the parameter is, and is reported as such.
        (ExpectedValue::List(_), None) | (ExpectedValue::Text | ExpectedValue::Number, _) => {
            return None;
        }
    };
    let value = match (&matcher.value, member) {
        (LocatedValue::List(members), Some(index)) => members.get(index)?,
        _ => matcher,
    };
    if matches!(value.value, LocatedValue::Missing) {
        return None;
    }
    finding.place = context.place(value)?;
    let place: Place = finding.place;
    let texts = matcher_fix::texts(types, found, values);
    let fixes = texts
        .into_iter()
        .map(|text| Fix::replace(format!("Write `{text}`"), place, text).one_of_several());
    Some(finding.with_fixes(fixes))
}

fn pattern<M>(
    context: &ToolContext<'_>,
    code: Code,
    rule: &ReadRule<'_, M>,
    error: &PatternError,
) -> Option<Diagnostic> {
    let located = rule.located.get("pattern")?;
    let mut range = error.offset.clone();
    // An editor cannot show a mark without a width, as at the end of a pattern that stops too early.
    if range.is_empty() {
        range = 0..located.value.as_str()?.len();
    }
    let place = context.place_in_string(located, range)?;
    let finding = Diagnostic::new(code, place, error.to_string());
    if error.kind != PatternErrorKind::Invalid {
        return Some(finding);
    }
    let literal = toml_text::string(&escape(located.value.as_str()?));
    let title = format!("Match the text itself: write `{literal}`");
    let fix = Fix::replace(title, context.place(located)?, literal);
    Some(finding.with_fix(fix.one_of_several()))
}

/// A regular expression for nothing but a text.
fn escape(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if "\\^$.*+?()[]{}|/".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

#[cfg(test)]
#[path = "rule_problem_tests.rs"]
mod tests;
