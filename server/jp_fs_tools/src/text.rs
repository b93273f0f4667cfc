//! How tools present text: fenced blocks, numbered lines, and characters that must be seen rather than obeyed.

use std::{borrow::Cow, fmt::Write as _};

/// Wraps `body` in a fenced block that nothing in the body can close.
///
/// ````text
/// ```rs
/// 1: fn main() {}
/// ```
/// ````
pub(crate) fn fenced(language: &str, body: &str) -> String {
    let fence = "`".repeat(longest_run(body, '`').saturating_add(1).max(3));
    let newline = if body.ends_with('\n') || body.is_empty() {
        ""
    } else {
        "\n"
    };
    format!("{fence}{language}\n{body}{newline}{fence}\n")
}

fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0_usize;
    let mut current = 0_usize;
    for character in text.chars() {
        current = if character == wanted {
            current.saturating_add(1)
        } else {
            0
        };
        longest = longest.max(current);
    }
    longest
}

/// The language tag for a file extension, empty for one that is no plain word.
pub(crate) fn language(extension: Option<&str>) -> &str {
    extension
        .filter(|extension| {
            extension
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'_'))
        })
        .unwrap_or_default()
}

/// Numbers the lines of `text` from 1, right-aligned.
pub(crate) fn numbered(text: &str) -> String {
    let count = text.lines().count();
    let width = count.to_string().len();
    let mut output = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        let number = index.saturating_add(1);
        if index > 0 {
            output.push('\n');
        }
        let _ = write!(output, "{number:>width$}: {line}");
    }
    output
}

/// The first `limit` bytes of `text` and a line that says so, or all of it.
pub(crate) fn head(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return text.into();
    }
    let head = text
        .get(..text.floor_char_boundary(limit))
        .unwrap_or_default();
    format!(
        "{head}\n... (cut after {} of {} bytes) ...\n",
        head.len(),
        text.len()
    )
    .into()
}

/// Spells out the characters that a terminal or an editor would act on, or not show at all.
///
/// A person who approves a change must see what it holds: escape sequences, the bidirectional controls that reorder
/// source text, and characters without a shape become `\u{1b}` and the like.
/// Line feeds, tabs, and the joiners that emoji and some scripts need stay.
pub(crate) fn visible(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' | '\u{200c}' | '\u{200d}' => output.push(character),
            '\r' => output.push_str("\\r"),
            _ if is_hidden(character) => output.extend(character.escape_unicode()),
            _ => output.push(character),
        }
    }
    output
}

/// Whether a character hides or moves other text.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Like [`visible`], for text that has to stay on one line.
pub(crate) fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
