//! `arg-*`, `matcher-*` and `pattern-*`: a rule that cannot be evaluated as it is written (RFD D25, "Validation").
//!
//! ```toml
//! { arg = "/pth", prefix = "src/", mode = "unattended" } # error[arg-unresolved]: did you mean `path`?
//! ```

use jp_config::{
    merge::{Located, LocatedValue},
    view::value_at,
};
use jp_policy::{
    ExpectedValue, Mode, ParameterType, PatternError, PointerSyntax, RuleProblem, RuleProblemKind,
    Unresolved,
};
use serde_json::Value;

use super::policy::{ReadRule, Rules};
use crate::{
    diagnostic::{Code, Diagnostic, Place},
    fix::Fix,
    toml_text,
    tool::ToolContext,
};

pub(super) fn finding<M: Mode>(rules: &Rules<'_, M>, problem: &RuleProblem) -> Option<Diagnostic> {
    let code = Code::from_name(problem.kind.code())?;
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
                    .and_then(|near| replaced(pointer, range.clone(), &escaped(near))),
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
        RuleProblemKind::MatcherMissing { .. } => {
            let place = context.place(rule.located.get("arg")?)?;
            Some(Diagnostic::new(code, place, message))
        }
        RuleProblemKind::ArgMissing { matcher } => {
            let place = context.key_place(rule.located.get(matcher.keyword())?)?;
            Some(Diagnostic::new(code, place, message))
        }
        RuleProblemKind::MatcherMultiple { matchers } => {
            let (first, others) = matchers.split_first()?;
            let key = |keyword: &str| context.key_place(rule.located.get(keyword)?);
            let place = key(others.first()?.keyword())?;
            Some(
                Diagnostic::new(code, place, message)
                    .with_related(key(first.keyword())?, "the first matcher stands here"),
            )
        }
        RuleProblemKind::MatcherType { matcher, .. } => {
            let place = context.key_place(rule.located.get(matcher.keyword())?)?;
            Some(Diagnostic::new(code, place, message))
        }
        RuleProblemKind::MatcherValueType {
            matcher,
            expected,
            found,
            member,
            ..
        } => value_type(
            context,
            Diagnostic::new(code, context.place(rule.located)?, message),
            rule.located.get(matcher.keyword())?,
            (expected, found, *member),
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

/// A name as a segment of a JSON Pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn value_type(
    context: &ToolContext<'_>,
    mut finding: Diagnostic,
    matcher: &Located,
    (expected, found, member): (&ExpectedValue, &Value, Option<usize>),
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
    Some(match rewritten(types, found) {
        Some(text) => {
            finding.with_fix(Fix::replace(format!("Write `{text}`"), place, text).one_of_several())
        }
        None => finding,
    })
}

/// A value with the text of another type, as that type writes it.
fn rewritten(types: &[ParameterType], found: &Value) -> Option<String> {
    let is = |kind| types.contains(&kind);
    match found {
        Value::String(text) => {
            let value: Value = serde_json::from_str(text).ok()?;
            let fits = matches!(value, Value::Bool(_) | Value::Number(_))
                && types.iter().any(|kind| kind.admits(&value));
            fits.then(|| value.to_string())
        }
        Value::Bool(_) | Value::Number(_)
            if is(ParameterType::String) || is(ParameterType::Path) =>
        {
            Some(toml_text::string(&found.to_string()))
        }
        _ => None,
    }
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
    Some(Diagnostic::new(code, place, error.to_string()))
}
