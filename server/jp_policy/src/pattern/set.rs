//! Sets of characters, and single ones, as the `regex` crate writes them.

/// A class that no character is in, `[]`.
pub(super) const NOTHING: &str = r"[^\x{0}-\x{10FFFF}]";

/// A class that every character is in, `[^]`.
pub(super) const ANYTHING: &str = r"[\x{0}-\x{10FFFF}]";

/// `\s`: the WhiteSpace and LineTerminator productions of ECMA-262.
pub(super) const WHITE_SPACE: &str = r"[\x{9}-\x{D} \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]";

/// `\S`.
pub(super) const NO_WHITE_SPACE: &str = r"[^\x{9}-\x{D} \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]";

/// `.` of ECMA-262: anything but a line terminator.
pub(super) const DOT: &str = r"[^\n\r\x{2028}\x{2029}]";

/// Writes a character so that it stands for itself, inside a class and outside.
pub(super) fn push_literal(output: &mut String, c: char) {
    match c {
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$'
        | '#' | '&' | '-' | '~' => {
            output.push('\\');
            output.push(c);
        }
        _ if c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() => output.push(c),
        _ => output.push_str(&format!("\\x{{{:X}}}", u32::from(c))),
    }
}
