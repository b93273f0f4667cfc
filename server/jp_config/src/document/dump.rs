//! Documents as text, for tests.
//!
//! ```text
//! conversation.tools.a.run = "ask"
//! ```

use std::fmt::Write as _;

use super::{Document, Node, Span, Table, TableKind};

fn line_of(text: &str, span: Span) -> usize {
    text.get(..span.start as usize)
        .unwrap()
        .matches('\n')
        .count()
        + 1
}

/// Every leaf as `path = value`, in the order of the views.
pub(super) fn leaves(document: &Document) -> String {
    let mut out = String::new();
    table(&mut out, "", document.root());
    out
}

fn table(out: &mut String, path: &str, table: Table<'_>) {
    if table.is_empty() && table.kind() != TableKind::Root {
        writeln!(out, "{path} = {{}}").unwrap();
    }
    for entry in table.entries() {
        let star = if entry.bare_star() { " (bare)" } else { "" };
        let dot = if path.is_empty() { "" } else { "." };
        node(
            out,
            &format!("{path}{dot}{}{star}", entry.key()),
            entry.value(),
        );
    }
}

fn node(out: &mut String, path: &str, value: Node<'_>) {
    match value {
        Node::Table(inner) => table(out, path, inner),
        Node::Array(array) => {
            if array.is_empty() {
                writeln!(out, "{path} = []").unwrap();
            }
            for (index, item) in array.items().enumerate() {
                node(out, &format!("{path}[{index}]"), item);
            }
        }
        Node::Str(string) => writeln!(out, "{path} = {:?}", string.value()).unwrap(),
        Node::Missing(scalar) if scalar.text().is_empty() => {
            writeln!(out, "{path} = ?").unwrap();
        }
        Node::Missing(scalar) => writeln!(out, "{path} = ?{:?}", scalar.text()).unwrap(),
        Node::Integer(scalar)
        | Node::Float(scalar)
        | Node::Boolean(scalar)
        | Node::Datetime(scalar) => writeln!(out, "{path} = {}", scalar.text()).unwrap(),
    }
}

/// The errors, each with its line and the text it marks.
pub(super) fn errors(document: &Document) -> String {
    let mut out = String::new();
    for error in document.errors() {
        let text = document.text();
        let line = line_of(text, error.span);
        let marked = text.get(error.span.range()).unwrap();
        writeln!(out, "{line}: {marked:?}: {}", error.message).unwrap();
        if let Some((span, message)) = error.related {
            let line = line_of(text, span);
            writeln!(
                out,
                "  {line}: {:?}: {message}",
                text.get(span.range()).unwrap()
            )
            .unwrap();
        }
    }
    out
}

/// Everything that the views tell, with all spans; panics if a span is out of bounds or off a character boundary.
pub(super) fn everything(document: &Document) -> String {
    let text = document.text();
    let mut out = String::new();
    let slice = |span: Span| text.get(span.range()).expect("a span within the text");
    for section in document.sections() {
        writeln!(
            out,
            "section {:?} {:?}",
            section.span(),
            section.header_span()
        )
        .unwrap();
        for key in section.header() {
            writeln!(out, "  {key:?} {:?}", slice(key.span())).unwrap();
        }
        walk(&mut out, 1, Node::Table(section.body()), text);
    }
    for comment in document.comments() {
        writeln!(out, "comment {comment:?} {:?}", slice(comment)).unwrap();
    }
    walk(&mut out, 0, Node::Table(document.root()), text);
    for error in document.errors() {
        slice(error.span);
        writeln!(out, "{error:?}").unwrap();
        if let Some((span, _)) = error.related {
            slice(span);
        }
    }
    out
}

fn walk(out: &mut String, depth: usize, value: Node<'_>, text: &str) {
    let marked = text
        .get(value.span().range())
        .expect("a span within the text");
    writeln!(
        out,
        "{:depth$}{:?} {:?} {marked:?}",
        "",
        value.kind(),
        value.span()
    )
    .unwrap();
    match value {
        Node::Table(table) => {
            writeln!(out, "{:depth$}{:?} {:?}", "", table.kind(), table.spans()).unwrap();
            for entry in table.entries() {
                let spans = entry.key_spans();
                for span in &spans {
                    text.get(span.range()).expect("a span within the text");
                }
                let found = table.get(entry.key()).expect("what is listed is found");
                assert_eq!(found.key_span(), entry.key_span());
                writeln!(out, "{:depth$}{:?} {spans:?}", "", entry.key()).unwrap();
                walk(out, depth + 1, entry.value(), text);
            }
        }
        Node::Array(array) => {
            for item in array.items() {
                walk(out, depth + 1, item, text);
            }
        }
        Node::Str(string) => writeln!(out, "{:depth$}{:?}", "", string.value()).unwrap(),
        _ => {}
    }
}
