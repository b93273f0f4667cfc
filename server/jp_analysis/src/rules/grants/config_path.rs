//! `unknown-config-path` and `wildcard-on-non-map`: the paths of config rules lead somewhere (RFD 078).
//!
//! codes: unknown-config-path, wildcard-on-non-map

use jp_config::{
    merge::Located,
    schema::{LookupErrorKind, schema},
};
use jp_tool::{ConfigPath, ConfigSegment};

use super::list::rules;
use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for rule in rules(context, "config") {
        let Some(located) = rule.get("path") else {
            continue;
        };
        let Some(text) = located.value.as_str() else {
            continue;
        };
        match ConfigPath::parse(text) {
            Ok(path) => found.extend(lookup(context, located, text, &path)),
            Err(error) => {
                if let Some(place) = context.place(located) {
                    let message = error.to_string();
                    found.push(Diagnostic::new(Code::UnknownConfigPath, place, message));
                }
            }
        }
    }
}

fn lookup(
    context: &ToolContext<'_>,
    located: &Located,
    text: &str,
    path: &ConfigPath,
) -> Option<Diagnostic> {
    let segments: Vec<&str> = path
        .segments()
        .iter()
        .map(|segment| match segment {
            ConfigSegment::Any => "*",
            ConfigSegment::Key(key) => key.as_str(),
        })
        .collect();
    let error = schema().lookup(segments.iter().copied()).err()?;
    let segment = *segments.get(error.index)?;
    let range = ConfigPath::segment_ranges(text)
        .ok()?
        .get(error.index)?
        .clone();
    // The dot before the segment goes with it.
    let from = range.start.saturating_sub(1);
    let place = context.place_in_string(located, range)?;
    let parent = segments.get(..error.index)?.join(".");
    let expected = error.expected.join("`, `");
    let finding = match error.kind {
        LookupErrorKind::WildcardOnNonMap if error.expected.is_empty() => Diagnostic::new(
            Code::WildcardOnNonMap,
            place,
            format!("`*` cannot follow `{parent}`, which holds no keys of your choice; remove it"),
        ),
        LookupErrorKind::WildcardOnNonMap => Diagnostic::new(
            Code::WildcardOnNonMap,
            place,
            format!(
                "`*` is only allowed where the keys are yours to choose, and `{}` has fixed keys; write one of `{expected}`",
                if parent.is_empty() {
                    "the root"
                } else {
                    &parent
                }
            ),
        ),
        LookupErrorKind::NotATable => Diagnostic::new(
            Code::UnknownConfigPath,
            place,
            format!(
                "`{parent}` is a single value, so `{segment}` cannot follow it; write `{parent}`"
            ),
        ),
        LookupErrorKind::NotAnIndex => Diagnostic::new(
            Code::UnknownConfigPath,
            place,
            format!(
                "`{parent}` is a list, which a config path covers as a whole; write `{parent}`"
            ),
        ),
        LookupErrorKind::UnknownKey => {
            let hint = match error.suggestion {
                Some(suggestion) => format!("did you mean `{suggestion}`?"),
                None => format!("expected one of `{expected}`"),
            };
            let under = if parent.is_empty() {
                String::new()
            } else {
                format!(" under `{parent}`")
            };
            Diagnostic::new(
                Code::UnknownConfigPath,
                place,
                format!("the config has no path `{segment}`{under}; {hint}"),
            )
        }
    };
    let is_last = error.index + 1 == segments.len();
    let covers_more = match error.kind {
        LookupErrorKind::WildcardOnNonMap => is_last,
        LookupErrorKind::NotATable | LookupErrorKind::NotAnIndex => true,
        LookupErrorKind::UnknownKey => false,
    };
    let fix = match error.suggestion {
        Some(suggestion) => Some(Fix::replace(
            format!("Write `{suggestion}`"),
            place,
            suggestion,
        )),
        // A path covers everything below it.
        None if covers_more && !parent.is_empty() => {
            let rest = context.place_in_string(located, from..text.len())?;
            Some(Fix::replace(format!("Write `{parent}`"), rest, "").with_review())
        }
        None => None,
    };
    Some(finding.with_fixes(fix))
}
