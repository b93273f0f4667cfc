//! How a key or value has to be written where it stands: with which commas, as a statement or as a header.
//!
//! ```toml
//! run = [{ mode = "ask" } { mode = "ask" }]   # between the two `, ` is needed twice
//! ```

use jp_config::document::{Place, Span};

use super::{
    context::{Commas, Layout, Site},
    damage::{is_broken, mistakes},
};
use crate::text::position::{first_significant, last_significant};

/// An entry within braces; nothing where any item would do harm.
pub(super) fn inline(site: &Site<'_>, span: Span) -> Option<Layout> {
    commas(site, Brackets::Braces, span).map(Layout::Inline)
}

/// A statement on its own line.
pub(super) fn statement(site: &Site<'_>, span: Span) -> Layout {
    let section = site.document.section_at(span.start as usize);
    let end = section.span().end as usize;
    let text = site.document.text();
    let rest = text.get(span.end as usize..end).unwrap_or_default();
    let is_last = rest
        .lines()
        .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    Layout::Statement {
        takes_headers: is_last && is_blank(line_before(site, span.start)),
    }
}

/// Whether nothing but a comment stands on the line, after the cursor.
pub(super) fn is_before_comment(site: &Site<'_>) -> bool {
    let rest = site.after(site.offset).trim_start_matches([' ', '\t']);
    is_blank(line_before(site, site.offset)) && rest.starts_with('#')
}

/// Whether nothing stands before the cursor in the whole file.
pub(super) fn is_on_blank_first_line(site: &Site<'_>) -> bool {
    let before = site.before(site.offset);
    is_blank(before) && !before.contains('\n')
}

/// The part of a line that stands before an offset.
fn line_before<'a>(site: &Site<'a>, offset: u32) -> &'a str {
    let before = site.before(offset);
    before.rsplit('\n').next().unwrap_or(before)
}

/// Whether a part of a line is only blanks; the mark at the start of some files counts as one.
fn is_blank(line: &str) -> bool {
    line.trim_start_matches('\u{feff}').trim().is_empty()
}

/// The brackets that an item stands in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Brackets {
    /// `[ … ]` around values.
    Square,
    /// `{ … }` around entries.
    Braces,
}

impl Brackets {
    fn characters(self) -> (char, char) {
        match self {
            Self::Square => ('[', ']'),
            Self::Braces => ('{', '}'),
        }
    }

    /// Some item, to see what one does to the text.
    fn specimen(self) -> &'static str {
        match self {
            Self::Square => "\"_\"",
            Self::Braces => "_ = \"_\"",
        }
    }
}

/// What separates an item within brackets from the ones around it; nothing where brackets and quotes are such a mess that any item
/// would add to it.
pub(super) fn commas(site: &Site<'_>, brackets: Brackets, span: Span) -> Option<Commas> {
    let likely = likely_commas(site, brackets, span);
    let section = site.document.section_at(span.start as usize).span();
    if !is_broken(site, section) {
        return Some(likely);
    }
    let text = site.document.text();
    let before = text.get(section.start as usize..span.start as usize)?;
    let after = text.get(span.end as usize..section.end as usize)?;
    let known = mistakes(text.get(section.range())?);
    let item = brackets.specimen();
    let is_harmless = |Commas { lead, tail }: &Commas| {
        mistakes(&[before, lead, item, tail, after].concat()) <= known
    };
    let choices = [
        likely,
        Commas { lead: "", ..likely },
        Commas { tail: "", ..likely },
        Commas::default(),
    ];
    choices.into_iter().find(is_harmless)
}

fn likely_commas(site: &Site<'_>, brackets: Brackets, span: Span) -> Commas {
    let (open, close) = brackets.characters();
    let before = site.before(span.start);
    let lead = match last_significant(before) {
        Some(',') if before.ends_with(',') => " ",
        Some(character) if character == open || character == ',' => "",
        Some(_) => ", ",
        None => "",
    };
    let tail = match first_significant(site.after(span.end)) {
        Some(character) if character == close || character == ',' => "",
        Some(_) if is_within_brackets_after(site, span.end) => ", ",
        _ => "",
    };
    Commas { lead, tail }
}

/// Whether what follows still belongs to the same brackets: not a header or a statement after a missing bracket.
fn is_within_brackets_after(site: &Site<'_>, offset: u32) -> bool {
    let end = site.document.section_at(offset as usize).span().end;
    let rest = site.after(offset);
    let blank = rest.len() - rest.trim_start().len();
    let next = offset as usize + blank;
    if next >= end as usize {
        return false;
    }
    let position = site.document.at(next);
    let is_item = matches!(
        position.place,
        Place::Key { .. }
            | Place::String { .. }
            | Place::Value(_)
            | Place::Missing(_)
            | Place::Inline
            | Place::Array { .. }
    );
    is_item && position.path.len() > site.position.path.len().saturating_sub(1)
}
