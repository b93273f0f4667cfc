//! What to write instead where the text of a file is broken, or says a thing twice.
//!
//! ```toml
//! source = local    # write `"local"`
//! enable = true
//! enable = false    # remove one of the two
//! ```

use std::ops::Range;

use jp_config::{
    document::{
        Document, Entry, Node, Place as At, SectionRef, Span, Statement, SyntaxError,
        SyntaxErrorKind, Table, TableKind,
    },
    graph::FileId,
};

use crate::{
    diagnostic::Place,
    fix::{Edit, Fix},
    text::text_edit::{edit, line_break, remove_section, remove_statement, section_ranges},
};

/// How much of a statement a title shows.
const LONGEST_SHOWN: usize = 40;

/// The changes that answer a mistake in the text.
pub(crate) fn fixes(file: FileId, document: &Document, error: &SyntaxError) -> Vec<Fix> {
    match (error.kind, &error.related) {
        (SyntaxErrorKind::DuplicateKey, Some((first, _))) => {
            duplicate(file, document, *first, error.span)
        }
        _ => Vec::from_iter(repair(file, error)),
    }
}

fn repair(file: FileId, error: &SyntaxError) -> Option<Fix> {
    let repair = error.repair.as_ref()?;
    let shown = repair.text.trim();
    let title = match (repair.span.is_empty(), error.kind) {
        (_, SyntaxErrorKind::BareStar) => format!("Quote the star: `{shown}`"),
        (true, _) => format!("Add the missing `{shown}`"),
        (false, _) if repair.text.is_empty() => "Remove it".to_owned(),
        (false, _) => format!("Write `{shown}`"),
    };
    let place = Place {
        file,
        span: repair.span,
    };
    let fix = Fix::replace(title, place, repair.text.clone());
    Some(match error.kind {
        SyntaxErrorKind::BareStar => fix,
        _ => fix.with_review(),
    })
}

/// What defines a key or a table.
enum Definition<'a> {
    Statement(Statement<'a>),
    Section(SectionRef<'a>),
}

impl<'a> Definition<'a> {
    fn at(document: &'a Document, key: Span) -> Option<Self> {
        let position = document.at(key.start as usize);
        match position.place {
            At::Header {
                segment, segments, ..
            } => {
                let section = document.section_at(key.start as usize);
                (segment + 1 == segments).then_some(Self::Section(section))
            }
            _ => position.statement.map(Self::Statement),
        }
    }

    fn remove(&self, document: &Document, file: FileId) -> Option<Edit> {
        match self {
            Self::Statement(statement) => remove_statement(document, file, statement.span),
            Self::Section(section) => remove_section(document, file, *section),
        }
    }

    /// The definition as a title shows it.
    fn shown(&self, document: &Document) -> Option<String> {
        let span = match self {
            Self::Statement(statement) => statement.span,
            Self::Section(section) => section.header_span()?,
        };
        let line = document.text().get(span.range())?.lines().next()?;
        let mut shown: String = line.chars().take(LONGEST_SHOWN).collect();
        if shown.len() < document.text().get(span.range())?.len() {
            shown.push('…');
        }
        Some(shown)
    }
}

fn duplicate(file: FileId, document: &Document, first: Span, second: Span) -> Vec<Fix> {
    let (Some(first), Some(second)) = (
        Definition::at(document, first),
        Definition::at(document, second),
    ) else {
        return Vec::new();
    };
    match (&first, &second) {
        (Definition::Statement(one), Definition::Statement(other))
            if is_same(document, *one, *other) =>
        {
            let edit = second.remove(document, file);
            let title = "Remove it: the first one says the same";
            Vec::from_iter(edit.map(|edit| Fix::new(title, vec![edit])))
        }
        (Definition::Section(one), Definition::Section(other)) => {
            match merged(file, document, *one, *other) {
                Some(fix) => vec![fix],
                None => either(file, document, *one, *other),
            }
        }
        _ => [(&first, &second), (&second, &first)]
            .into_iter()
            .filter_map(|(kept, other)| {
                let edit = other.remove(document, file)?;
                let title = format!("Keep only `{}`", kept.shown(document)?);
                Some(Fix::new(title, vec![edit]).one_of_several())
            })
            .collect(),
    }
}

/// Whether two statements say the same in the same words.
fn is_same(document: &Document, one: Statement<'_>, other: Statement<'_>) -> bool {
    let text = |statement: Statement<'_>| document.text().get(statement.value.span().range());
    text(one) == text(other)
}

/// The statements of a second table of the same name, put after those of the first.
///
/// What both say in the same words stays once.
/// Nothing where both set a key to something else, or where one is an element of a list.
fn merged(
    file: FileId,
    document: &Document,
    first: SectionRef<'_>,
    second: SectionRef<'_>,
) -> Option<Fix> {
    if first.is_array_of_tables() || second.is_array_of_tables() {
        return None;
    }
    let mut said = Vec::new();
    said_twice(document, file, first.body(), second.body(), &mut said)?;
    said.sort_unstable_by_key(|range| range.start);
    let text = document.text();
    let (content, _) = section_ranges(document, second)?;
    let mut body = String::new();
    let mut at = second.header_span()?.end as usize;
    for range in said {
        body.push_str(text.get(at..range.start.max(at))?);
        at = range.end;
    }
    body.push_str(text.get(at..content.end.max(at))?);
    let mut edits = vec![remove_section(document, file, second)?];
    let title = if body.trim().is_empty() {
        "Remove it: the first one is the same table"
    } else {
        let (first, _) = section_ranges(document, first)?;
        let body = body.trim_start_matches([' ', '\t', '\r', '\n']).trim_end();
        let body = format!("{}{body}", line_break(text));
        edits.insert(0, edit(file, first.end..first.end, body));
        "Move its entries to the first one"
    };
    Some(Fix::new(title, edits).with_review())
}

/// The lines of a second table that say what the first one says; nothing if one contradicts it.
fn said_twice(
    document: &Document,
    file: FileId,
    first: Table<'_>,
    second: Table<'_>,
    found: &mut Vec<Range<usize>>,
) -> Option<()> {
    for entry in second.entries() {
        let Some(taken) = first.get(entry.key()) else {
            continue;
        };
        match (taken.value(), entry.value()) {
            (Node::Table(one), Node::Table(other))
                if one.kind() == TableKind::Dotted && other.kind() == TableKind::Dotted =>
            {
                said_twice(document, file, one, other, found)?;
            }
            _ => {
                let statement = |entry: Entry<'_>| {
                    let position = document.at(entry.key_span().start as usize);
                    position.statement
                };
                let (one, other) = (statement(taken)?, statement(entry)?);
                if !is_same(document, one, other) {
                    return None;
                }
                let removed = remove_statement(document, file, other.span)?;
                found.push(removed.place.span.range());
            }
        }
    }
    Some(())
}

/// One of two tables that contradict each other, for a person to pick.
fn either(
    file: FileId,
    document: &Document,
    first: SectionRef<'_>,
    second: SectionRef<'_>,
) -> Vec<Fix> {
    if first.is_array_of_tables() || second.is_array_of_tables() {
        return Vec::new();
    }
    let header = |section: SectionRef<'_>| {
        let span = section.header_span()?;
        document.text().get(span.range())
    };
    let choices = [
        (second, header(first), "first"),
        (first, header(second), "second"),
    ];
    choices
        .into_iter()
        .filter_map(|(removed, kept, which)| {
            let title = format!("Keep only the {which} `{}`", kept?);
            let edit = remove_section(document, file, removed)?;
            Some(Fix::new(title, vec![edit]).one_of_several())
        })
        .collect()
}

#[cfg(test)]
#[path = "mend_tests.rs"]
mod tests;
