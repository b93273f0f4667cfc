//! What the schema says of a value, as a finding with its changes.
//!
//! codes: unknown-key, type-mismatch, invalid-value, missing-required, source-invalid, model-id-invalid, parameter-type-unknown, released-jp-rejects

use jp_config::{
    code,
    document::{Node, Span, Table, TableKind},
    graph::FileId,
    validate::{At, Violation},
};

use crate::{
    diagnostic::{Diagnostic, Place},
    fix::{Edit, Fix},
    risk::PERMISSIVE,
    text::toml_text,
};

/// A violation as a finding.
pub(super) fn finding(file: FileId, violation: Violation<Node<'_>>) -> Diagnostic {
    let span = match &violation.at {
        At::Key(entry) => entry.key_span(),
        At::Value(node) => value_span(*node),
    };
    let place = Place { file, span };
    let released = match violation.code {
        code::Code::ReleasedJpRejects => in_released_form(file, &violation.at),
        _ => None,
    };
    let brackets = match &violation.at {
        At::Value(Node::Table(table)) if violation.lacks_brackets() => in_brackets(file, *table),
        _ => None,
    };
    let mut finding = Diagnostic::new(violation.code.into(), place, violation.message)
        .with_fixes(released)
        .with_fixes(brackets)
        .with_severity(violation.severity.into());
    let is_word = matches!(violation.at, At::Value(node) if node.as_str().is_some());
    // As near to `unattended` as a slip of the hand is what says the opposite: `attended`.
    let is_permissive = |suggestion: &String| {
        let word = suggestion.trim_matches('"');
        is_word && PERMISSIVE.contains(&word)
    };
    match violation.suggestion {
        Some(suggestion) if !is_permissive(&suggestion) => {
            let title = format!("Write `{suggestion}`");
            finding = finding.with_fix(Fix::replace(title, place, suggestion));
        }
        near if is_word => {
            let others = violation
                .expected
                .iter()
                .map(|name| toml_text::string(name));
            let others = others.filter(|other| near.as_ref() != Some(other));
            let choices = near.iter().cloned().chain(others).map(|value| {
                Fix::replace(format!("Write `{value}`"), place, value).one_of_several()
            });
            finding = finding.with_fixes(choices);
        }
        _ => {}
    }
    finding
}

/// A table as the one element of a list: `[[a.b]]`, or `[{ … }]`.
fn in_brackets(file: FileId, table: Table<'_>) -> Option<Fix> {
    let (span, title) = match table.kind() {
        TableKind::Header => (table.header_span()?, "Write the header as `[[…]]`"),
        TableKind::Inline => (table.span(), "Write the table as `[{ … }]`"),
        _ => return None,
    };
    let bracket = |at: u32, text: &str| Edit {
        place: Place {
            file,
            span: Span::new(at, at),
        },
        text: text.to_owned(),
    };
    let edits = vec![bracket(span.start, "["), bracket(span.end, "]")];
    Some(Fix::new(title, edits).with_review())
}

/// `policy.run = "ask"` as the released `jp` writes it: `run = "ask"`.
fn in_released_form(file: FileId, at: &At<Node<'_>>) -> Option<Fix> {
    let At::Key(policy) = at else {
        return None;
    };
    let Node::Table(table) = policy.value() else {
        return None;
    };
    let mut modes = table.entries();
    let (Some(mode), None) = (modes.next(), modes.next()) else {
        return None;
    };
    let is_mode = policy.key() == "policy" && mode.value().as_str().is_some();
    if !is_mode || table.kind() != TableKind::Dotted {
        return None;
    }
    let span = Span::new(policy.key_span().start, mode.key_span().end);
    let title = format!("Write `{}`", mode.key());
    Some(Fix::replace(title, Place { file, span }, mode.key()).with_review())
}

/// Where a value is marked: a table with a header at the header, not over all its lines.
fn value_span(node: Node<'_>) -> Span {
    match node {
        Node::Table(table) => table.header_span().unwrap_or_else(|| node.span()),
        _ => node.span(),
    }
}
