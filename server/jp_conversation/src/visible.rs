//! Text that nobody vouches for, made safe to show: `a\u{202e}b` instead of a character that turns the line around.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with control, bidirectional and invisible characters spelled out.
///
/// Line feeds and tabs stay, `\r\n` becomes a line feed.
/// Control characters become their pictures (`␛`), others are written as `\u{202e}`.
/// The joiners that emoji and some scripts need stay.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\u{0}'..='\u{1f}' if is_hidden(character) => {
                shown.extend(char::from_u32(0x2400 + u32::from(character)));
            }
            '\u{7f}' => shown.push('\u{2421}'),
            _ if is_hidden(character) => {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
            }
            _ => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// Whether a character hides or moves other text.
pub(crate) const fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\u{0}'..='\u{8}'
            | '\u{b}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
#[path = "visible_tests.rs"]
mod tests;
