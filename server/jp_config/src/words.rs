//! How messages put names and values into words.
//!
//! ```text
//! unknown variant `aks`, expected one of `ask`, `edit` or `skip`; did you mean `ask`?
//! ```

mod suggest;

use std::fmt::Write as _;

pub use self::suggest::suggest;

/// The longest user text that a message shows, in characters.
pub(crate) const LONGEST_SHOWN: usize = 60;

/// `` `a` `` for one value, `` one of `a`, `b` `` for several.
pub(crate) fn one_of<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let values: Vec<_> = values
        .into_iter()
        .map(|value| format!("`{value}`"))
        .collect();
    match values.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", values.join(", ")),
    }
}

/// `` `a`, `b` or `c` ``.
pub(crate) fn enumerate<'a>(values: impl IntoIterator<Item = &'a str>, word: &str) -> String {
    let values: Vec<_> = values
        .into_iter()
        .map(|value| format!("`{value}`"))
        .collect();
    match values.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
    }
}

/// `a or b`; with a comma before the last one where a part has commas itself.
pub(crate) fn alternatives(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<_> = parts.into_iter().collect();
    match parts.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first, second] if !first.contains([',']) && !first.contains(" or ") => {
            format!("{first} or {second}")
        }
        [rest @ .., last] => format!("{}, or {last}", rest.join(", ")),
    }
}

/// At most `most` characters of a text, with a mark where it was cut.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// User text on one line, without control characters and not longer than a message can bear.
pub(crate) fn shorten(text: &str) -> String {
    shortened(text, LONGEST_SHOWN).replace(char::is_control, " ")
}

/// A TOML basic string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            character if character.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04X}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
