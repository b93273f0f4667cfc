//! What an item would do to a text that is broken already.
//!
//! ```toml
//! run = }{ mode = "ask" ]   # no item here makes it worse
//! ```

use std::collections::HashMap;

use jp_config::document::{Document, Span, SyntaxErrorKind};

use super::{context::Site, item::Items};

/// The most bytes that are parsed to see what items would do to a broken text.
const MOST_PARSED: usize = 256 * 1024;

/// Drops the items that would break a text further which is broken already, such as a value before brackets in the wrong order.
pub(super) fn drop_harmful(site: &Site<'_>, items: &mut Items) {
    let section = site.document.section_at(site.offset as usize).span();
    let work = items.len() * section.range().len();
    if work == 0 || work > MOST_PARSED || !is_broken(site, section) {
        return;
    }
    let text = site.document.text();
    let known = mistakes(text.get(section.range()).unwrap_or_default());
    let mut judged: HashMap<(Span, String), bool> = HashMap::new();
    items.retain(|item| {
        let Span { start, end } = item.edit.span;
        let is_harmless = || {
            let before = text.get(section.start as usize..start as usize)?;
            let after = text.get(end as usize..section.end as usize)?;
            Some(mistakes(&[before, &item.edit.text, after].concat()) <= known)
        };
        *judged
            .entry((item.edit.span, form(&item.edit.text)))
            .or_insert_with(|| is_harmless().unwrap_or(false))
    });
}

/// Whether a mistake of syntax touches a part of the text.
pub(super) fn is_broken(site: &Site<'_>, part: Span) -> bool {
    let mut errors = site.document.errors().into_iter();
    errors.any(|error| error.span.start <= part.end && part.start <= error.span.end)
}

/// How many mistakes of syntax a text holds; keys that stand twice are none.
pub(super) fn mistakes(text: &str) -> usize {
    let errors = Document::parse(text).errors().into_iter();
    errors
        .filter(|error| error.kind != SyntaxErrorKind::DuplicateKey)
        .count()
}

/// A text with every plain word replaced by one: texts of one form are right or wrong TOML in the same places.
fn form(text: &str) -> String {
    let mut form = String::with_capacity(text.len());
    let mut word = String::new();
    let mut previous = None;
    for character in text.chars().chain([' ']) {
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '-') {
            word.push(character);
            continue;
        }
        let is_value = matches!(word.as_str(), "true" | "false" | "inf" | "nan");
        let is_plain = word.starts_with(|first: char| first.is_ascii_alphabetic())
            && !is_value
            && previous != Some('\\');
        form.push_str(if is_plain { "_" } else { &word });
        word.clear();
        form.push(character);
        previous = Some(character);
    }
    form
}
