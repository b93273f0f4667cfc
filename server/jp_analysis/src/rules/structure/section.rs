//! A section of a file against the schema.
//!
//! ```toml
//! [conversation.tools.fs_modify_file]
//! summery = "x"     # error[unknown-key]: unknown key `summery`, did you mean `summary`?
//! ```
//!
//! codes: unknown-key, type-mismatch, released-jp-rejects

use jp_config::{
    document::{Node, SectionRef},
    graph::FileId,
    schema::{NodeId, Schema, schema},
    validate::{Extent, rejected_by_released, unknown_key, unknown_key_severity, validate_up_to},
};

use super::violation::finding;
use crate::{
    diagnostic::{Code, Diagnostic, Place},
    fix::Fix,
    limit::{Found, Omitted},
    options::{Dialect, Options},
    text::toml_text,
};

/// What is wrong with the structure of one section, with spans relative to its start.
///
/// The answer depends on nothing but the section's text, the options, and for how many findings there is room.
pub(crate) fn section(
    file: FileId,
    section: SectionRef<'_>,
    options: Options,
    room: usize,
) -> Found {
    let start = section.span().start;
    let mut found = absolute(file, section, options, room);
    for finding in &mut found.findings {
        finding.visit_places(&mut |place| {
            place.span.start = place.span.start.saturating_sub(start);
            place.span.end = place.span.end.saturating_sub(start);
        });
    }
    found
}

fn absolute(file: FileId, section: SectionRef<'_>, options: Options, room: usize) -> Found {
    let schema = schema();
    let path: Vec<_> = section.header();
    if path.iter().any(|segment| segment.is_missing()) {
        return Found::default();
    }
    let keys = || path.iter().map(|segment| segment.text());
    let lookup = match schema.lookup_header(keys()) {
        Ok(lookup) => lookup,
        Err(error) => {
            if room == 0 {
                let parent = element_or_table(schema, error.parent);
                let severity = unknown_key_severity(schema, parent).into();
                return Found {
                    omitted: Omitted::new(1, severity, Code::UnknownKey),
                    ..Found::default()
                };
            }
            let Some(segment) = path.get(error.index) else {
                return Found::default();
            };
            let place = Place {
                file,
                span: segment.span(),
            };
            return vec![unknown_header(schema, &error, segment.text(), place)].into();
        }
    };
    let body = Node::Table(section.body());
    let dotted = keys().map(toml_text::key).collect::<Vec<_>>().join(".");
    let node = if section.is_array_of_tables() {
        match schema.item(lookup.node) {
            Some(item) => item,
            None => {
                let span = path.last().map_or(section.span(), |segment| segment.span());
                let place = Place { file, span };
                return Found::one(room, not_a_list(schema, lookup.node, &dotted, place));
            }
        }
    } else {
        lookup.node
    };
    let (violations, omitted) = validate_up_to(room, schema, node, body, &dotted, Extent::Whole);
    let findings = violations
        .into_iter()
        .map(|violation| finding(file, violation))
        .collect();
    let mut found = Found {
        findings,
        omitted: omitted.into(),
    };
    if options.dialect == Dialect::Released {
        if let Some(rejected) = rejected_header(schema, file, &lookup.steps, &path) {
            found.push(room, rejected);
        }
        for violation in rejected_by_released(schema, node, body, &dotted) {
            found.push(room, finding(file, violation));
        }
    }
    found
}

fn unknown_header(
    schema: &Schema,
    error: &jp_config::schema::LookupError,
    segment: &str,
    place: Place,
) -> Diagnostic {
    let parent = element_or_table(schema, error.parent);
    let Some(unknown) = unknown_key(schema, parent, segment) else {
        return Diagnostic::new(
            Code::TypeMismatch,
            place,
            format!(
                "`{segment}` cannot stand in {}",
                schema.describe(error.parent)
            ),
        );
    };
    let finding = Diagnostic::new(Code::UnknownKey, place, unknown.message)
        .with_severity(unknown.severity.into());
    match unknown.suggestion {
        Some(suggestion) => finding.with_fix(Fix::replace(
            format!("Write `{suggestion}`"),
            place,
            suggestion,
        )),
        None => finding,
    }
}

/// What a header below a list that may be wrapped goes into: an element, for `jp` refuses what that does not know.
fn element_or_table(schema: &Schema, id: NodeId) -> NodeId {
    match schema.node(id).wrapper {
        Some(_) => schema.item(id).unwrap_or(id),
        None => id,
    }
}

fn not_a_list(schema: &Schema, node: NodeId, path: &str, place: Place) -> Diagnostic {
    Diagnostic::new(
        Code::TypeMismatch,
        place,
        format!(
            "invalid type: list of tables, expected {}; write `[{path}]`",
            schema.describe(node)
        ),
    )
}

/// The first segment of a header that the released `jp` does not know.
fn rejected_header(
    schema: &Schema,
    file: FileId,
    steps: &[NodeId],
    path: &[jp_config::document::Key<'_>],
) -> Option<Diagnostic> {
    let (step, segment) = steps
        .iter()
        .zip(path)
        .find(|(step, _)| !schema.node(**step).released)?;
    let since = schema
        .node(*step)
        .since
        .map_or_else(String::new, |since| format!(" ({since})"));
    Some(Diagnostic::new(
        Code::ReleasedJpRejects,
        Place {
            file,
            span: segment.span(),
        },
        format!(
            "the released `jp` rejects `{}`{since} and refuses to load the file",
            segment.text()
        ),
    ))
}
