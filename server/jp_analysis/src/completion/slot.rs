//! What a cursor is about to write: a key, a header, a value, or the line of a schema.
//!
//! ```toml
//! run =            # the value of `run`
//! run = "as"       # the same, in its quotes
//! ru               # a key
//! ```

use jp_config::document::{Key, Kind, Node, PathSegment, Place, Span, Str, TableKind};

use super::{
    arguments::argument_of,
    context::{
        Commas, KeySlot, Layout, Replaced, Site, TableSlot, ValueSlot, child_table, path_text,
    },
    layout::{self, Brackets},
};

/// What is about to be written.
pub(super) enum Slot<'a> {
    /// A comment.
    Comment(Span),
    /// A key at the very beginning of a file, where a comment may stand as well.
    First(KeySlot<'a>),
    /// A key.
    Key(KeySlot<'a>),
    /// A segment of a header.
    Header {
        /// The segment.
        key: Key<'a>,
        /// How many stand before it.
        segment: usize,
    },
    /// A value.
    Value(ValueSlot<'a>),
}

/// What is about to be written at a place; nothing where nothing can be.
pub(super) fn slot_at<'a>(site: &Site<'a>) -> Option<Slot<'a>> {
    match site.position.place {
        Place::Comment(span) => Some(Slot::Comment(span)),
        Place::Header { key, segment, .. } => {
            is_on_one_line(site, key).then_some(Slot::Header { key, segment })
        }
        Place::Key {
            key,
            segment,
            segments,
            has_equals,
        } => {
            let is_name = has_equals || segment + 1 < segments;
            typed_key(site, key, segment, is_name).map(Slot::Key)
        }
        Place::Inline => {
            let layout = layout::inline(site, site.empty_span())?;
            new_key(site, layout).map(Slot::Key)
        }
        Place::Blank { empty_line } if empty_line || layout::is_before_comment(site) => {
            let slot = new_key(site, layout::statement(site, site.empty_span()))?;
            Some(if layout::is_on_blank_first_line(site) {
                Slot::First(slot)
            } else {
                Slot::Key(slot)
            })
        }
        Place::Blank { .. } => None,
        Place::Missing(scalar) => missing_value(site, scalar.span()).map(Slot::Value),
        Place::String { string, offset } => typed_string(site, string, offset).map(Slot::Value),
        Place::Value(node) => typed_scalar(site, node).map(Slot::Value),
        Place::Array { index, .. } => new_element(site, index).map(Slot::Value),
    }
}

/// What looks like a key over several lines is a string that is not closed, and no edit of one line fits it.
fn is_on_one_line(site: &Site<'_>, key: Key<'_>) -> bool {
    let text = site.document.text().get(key.span().range());
    text.is_some_and(|text| !text.contains('\n'))
}

/// A key of which a part is written.
fn typed_key<'a>(
    site: &Site<'a>,
    key: Key<'a>,
    segment: usize,
    is_name: bool,
) -> Option<KeySlot<'a>> {
    if !is_on_one_line(site, key) {
        return None;
    }
    let (_, parents) = site.position.path.split_last()?;
    let mut inner = parents.iter().skip(parents.len().saturating_sub(segment));
    let owner = TableSlot {
        node: (site.describes)(parents)?,
        path: path_text(parents),
        table: inner.try_fold(site.position.table, |table, part| child_table(table, *part)),
    };
    let layout = if is_name {
        Layout::Name
    } else if site.position.table.kind() == TableKind::Inline {
        layout::inline(site, key.span())?
    } else if segment == 0 {
        layout::statement(site, key.span())
    } else {
        Layout::Dotted
    };
    Some(KeySlot {
        argument: argument_of(site.view, &owner.path, owner.table),
        owner,
        typed: Some(key),
        next: segment_after(site, key),
        span: key.span(),
        layout,
    })
}

/// The segment after one of a dotted key, if one is written there.
pub(super) fn segment_after<'a>(site: &Site<'a>, key: Key<'_>) -> Option<&'a str> {
    let rest = site.after(key.span().end);
    let after_dot = rest.trim_start().strip_prefix('.')?.trim_start();
    let offset = key.span().end as usize + (rest.len() - after_dot.len());
    match site.document.at(offset).place {
        Place::Key { key, .. } | Place::Header { key, .. } => Some(key.text()),
        _ => None,
    }
    .filter(|next| !next.is_empty())
}

/// A key of which nothing is written.
fn new_key<'a>(site: &Site<'a>, layout: Layout) -> Option<KeySlot<'a>> {
    let path = &site.position.path;
    let owner = TableSlot {
        node: (site.describes)(path)?,
        path: path_text(path),
        table: Some(site.position.table),
    };
    Some(KeySlot {
        argument: argument_of(site.view, &owner.path, owner.table),
        owner,
        typed: None,
        next: None,
        span: site.empty_span(),
        layout,
    })
}

/// A value after an equals sign behind which nothing right stands.
fn missing_value<'a>(site: &Site<'a>, written: Span) -> Option<ValueSlot<'a>> {
    let span = if written.touches(site.offset) && !written.is_empty() {
        written
    } else {
        site.empty_span()
    };
    let lead = if site.before(span.start).ends_with('=') {
        " "
    } else {
        ""
    };
    let slot = value(site, site.position.path.clone(), Replaced::bare(span))?;
    let commas = Commas { lead, tail: "" };
    Some(ValueSlot { commas, ..slot })
}

/// A string; `offset` is the cursor's place in it.
fn typed_string<'a>(site: &Site<'a>, string: Str<'a>, offset: usize) -> Option<ValueSlot<'a>> {
    let replaced = replaced_string(site, string)?;
    let text = string.value();
    let typed = text.get(..offset).unwrap_or(&text).to_owned();
    let slot = value(site, site.position.path.clone(), replaced)?;
    Some(ValueSlot { typed, ..slot })
}

/// A value that is no string, no list and no table.
fn typed_scalar<'a>(site: &Site<'a>, node: Node<'a>) -> Option<ValueSlot<'a>> {
    let is_scalar = matches!(node.kind(), Kind::Boolean | Kind::Integer | Kind::Float);
    if !is_scalar || !node.span().touches(site.offset) {
        return None;
    }
    let replaced = Replaced::bare(node.span());
    value(site, site.position.path.clone(), replaced)
}

/// An element of a list, before the one at `index`.
fn new_element<'a>(site: &Site<'a>, index: usize) -> Option<ValueSlot<'a>> {
    let commas = layout::commas(site, Brackets::Square, site.empty_span())?;
    let mut segments = site.position.path.clone();
    segments.push(PathSegment::Index(index));
    let slot = value(site, segments, Replaced::bare(site.empty_span()))?;
    Some(ValueSlot { commas, ..slot })
}

/// A value that nothing separates from its neighbours, and of which nothing is typed.
fn value<'a>(
    site: &Site<'a>,
    segments: Vec<PathSegment<'a>>,
    replaced: Replaced,
) -> Option<ValueSlot<'a>> {
    Some(ValueSlot {
        node: (site.describes)(&segments)?,
        path: path_text(&segments),
        segments,
        table: site.position.table,
        replaced,
        typed: String::new(),
        commas: Commas::default(),
    })
}

/// What a string item replaces; nothing for a string over several lines, which no one-line edit fits.
fn replaced_string(site: &Site<'_>, string: Str<'_>) -> Option<Replaced> {
    let first = string.text().chars().next();
    let quote = first.filter(|quote| matches!(quote, '"' | '\''))?;
    let span = string.span();
    if string.is_multi_line() {
        return None;
    }
    if string.is_whole() {
        let inside = Span::new(span.start + 1, span.end.saturating_sub(1));
        return Some(if inside.touches(site.offset) {
            Replaced::Inside {
                span: inside,
                whole: span,
                quote,
            }
        } else {
            Replaced::Whole {
                span,
                quote: Some(quote),
            }
        });
    }
    // Where the closing quote is missing, only what reads like one word belongs to the string.
    let text = site.document.text();
    let rest = text.get(site.offset as usize..span.end as usize)?;
    let word = rest
        .find(|character: char| {
            !(character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/' | '*'))
        })
        .unwrap_or(rest.len());
    let mut end = site.offset + u32::try_from(word).ok()?;
    if text.get(end as usize..)?.starts_with(quote) {
        end += 1;
    }
    Some(Replaced::Whole {
        span: Span::new(span.start, end),
        quote: Some(quote),
    })
}
