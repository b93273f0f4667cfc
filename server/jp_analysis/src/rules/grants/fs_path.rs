//! `fs-path-escapes` and `fs-path-absolute`: the paths of file rules lie in the workspace (RFD 076).
//!
//! codes: fs-path-absolute, fs-path-escapes

use camino::{Utf8Component, Utf8Path};

use jp_config::paths::normalize_below;

use super::list::rules;
use crate::{
    diagnostic::{Code, Diagnostic, Place, Severity},
    fix::Fix,
    text::toml_text,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for rule in rules(context, "fs") {
        let Some(located) = rule.get("path") else {
            continue;
        };
        let (Some(text), Some(place)) = (located.value.as_str(), context.place(located)) else {
            continue;
        };
        found.extend(path(context, text, place));
    }
}

fn path(context: &ToolContext<'_>, text: &str, place: Place) -> Option<Diagnostic> {
    let path = Utf8Path::new(text);
    let root = &context.view.graph().workspace;
    if path.is_absolute() {
        let Ok(inside) = path.strip_prefix(root) else {
            return Some(
                Diagnostic::new(
                    Code::FsPathAbsolute,
                    place,
                    format!("access path `{text}` is outside the workspace; write a path relative to the workspace root"),
                )
                .with_help("a rule can only grant what lies in the workspace, or is linked into it"),
            );
        };
        let relative = shown(inside);
        return Some(
            Diagnostic::new(
                Code::FsPathAbsolute,
                place,
                format!("access path `{text}` holds on this machine only; write `{relative}`"),
            )
            .with_severity(Severity::Warning)
            .with_fix(Fix::replace(
                format!("Write `{relative}`"),
                place,
                toml_text::string(&relative),
            )),
        );
    }
    if !path
        .components()
        .any(|part| part == Utf8Component::ParentDir)
    {
        return None;
    }
    match normalize_below(path) {
        None => Some(Diagnostic::new(
            Code::FsPathEscapes,
            place,
            format!(
                "access path `{text}` leaves the workspace; write a path below the workspace root"
            ),
        )),
        Some(normal) => {
            let normal = shown(&normal);
            Some(
                Diagnostic::new(
                    Code::FsPathEscapes,
                    place,
                    format!("access path `{text}` holds `..`, which is resolved before any link is followed; write `{normal}`"),
                )
                .with_severity(Severity::Warning)
                .with_fix(Fix::replace(
                    format!("Write `{normal}`"),
                    place,
                    toml_text::string(&normal),
                )),
            )
        }
    }
}

fn shown(path: &Utf8Path) -> String {
    if path.as_str().is_empty() {
        ".".to_owned()
    } else {
        path.to_string()
    }
}
