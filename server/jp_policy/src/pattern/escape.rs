//! What follows a backslash: `\d`, `\cJ`, `\x41`, `\u{1F600}`, `\p{Lu}`, `\.`.

use super::{
    problem::PatternError,
    set,
    translator::Translator,
    unicode_property::{self, Property},
};

/// `\B`, kept to the borders of characters by `(?:\b|\B)`.
///
/// A bare `(?-u:\B)` holds between the bytes of one character too.
/// The `regex` crate discards such a match, and with it a longer one that started earlier: `[^_]{2}|(?-u:\B)` finds nothing in `b\u{A0}B`.
const NO_BOUNDARY: &str = r"(?:(?:\b|\B)(?-u:\B))";

/// Meaning of an escape.
pub(super) enum Escape {
    /// One code point; may be a surrogate.
    Code(u32),
    /// A set of characters, as one unit of the `regex` crate's syntax that may stand inside a class too.
    Set(String),
    /// An assertion, in the `regex` crate's syntax.
    Boundary(&'static str),
    /// A backreference: by name, or by the number that the source holds.
    Reference(Option<String>),
}

impl Translator<'_> {
    /// Reads an escape outside a class.
    pub(super) fn atom_escape(&mut self) -> Result<Escape, PatternError> {
        let start = self.position;
        self.position += 1;
        match self.peek() {
            Some('b') => {
                self.next();
                Ok(Escape::Boundary(r"(?-u:\b)"))
            }
            Some('B') => {
                self.next();
                Ok(Escape::Boundary(NO_BOUNDARY))
            }
            Some('1'..='9') => {
                while matches!(self.peek(), Some('0'..='9')) {
                    self.next();
                }
                Ok(Escape::Reference(None))
            }
            Some('k') => {
                self.next();
                if !self.eat("<") {
                    return Err(self.bad_escape(start, "write `k` for the letter"));
                }
                self.group_name(start)
                    .map(|name| Escape::Reference(Some(name)))
            }
            _ => self.common_escape(start),
        }
    }

    /// Reads an escape inside a class.
    pub(super) fn class_escape(&mut self) -> Result<Escape, PatternError> {
        let start = self.position;
        self.position += 1;
        match self.peek() {
            Some('b') => {
                self.next();
                Ok(Escape::Code(0x08))
            }
            Some('-') => {
                self.next();
                Ok(Escape::Code(u32::from('-')))
            }
            _ => self.common_escape(start),
        }
    }

    fn common_escape(&mut self, start: usize) -> Result<Escape, PatternError> {
        let Some(c) = self.next() else {
            return Err(self.invalid(
                start..self.position,
                "escape",
                r"the pattern ends in a lone `\`; write `\\` for the character",
            ));
        };
        let class = |text: &str| Ok(Escape::Set(text.to_owned()));
        let code = |c: char| Ok(Escape::Code(u32::from(c)));
        match c {
            'd' => class("[0-9]"),
            'D' => class("[^0-9]"),
            'w' => class("[0-9A-Za-z_]"),
            'W' => class("[^0-9A-Za-z_]"),
            's' => class(set::WHITE_SPACE),
            'S' => class(set::NO_WHITE_SPACE),
            't' => code('\t'),
            'n' => code('\n'),
            'v' => code('\u{B}'),
            'f' => code('\u{C}'),
            'r' => code('\r'),
            'c' => self.control_escape(start),
            'x' => self.hex_escape(start),
            'u' => self.unicode_escape(start),
            'p' | 'P' => self.property_escape(start, c == 'P'),
            '0' if !matches!(self.peek(), Some('0'..='9')) => Ok(Escape::Code(0)),
            '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|'
            | '/' => code(c),
            _ if c.is_ascii_alphanumeric() => Err(self.bad_escape(start, hint(c))),
            _ => {
                let offset = start..self.position;
                let message =
                    format!("`\\{c}` stands for `{c}`, which needs no backslash; write `{c}`");
                self.warn(offset, c.to_string(), message);
                code(c)
            }
        }
    }

    fn bad_escape(&self, start: usize, hint: &str) -> PatternError {
        let offset = start..self.position;
        let message = format!(
            "`{}` is no escape of ECMA-262; {hint}",
            self.text(offset.clone())
        );
        self.invalid(offset, "escape", message)
    }

    fn control_escape(&mut self, start: usize) -> Result<Escape, PatternError> {
        match self.peek() {
            Some(letter) if letter.is_ascii_alphabetic() => {
                self.next();
                Ok(Escape::Code(u32::from(letter) % 32))
            }
            _ => Err(self.bad_escape(
                start,
                r"write a letter after it, like `\cJ`, or `\\c` for the characters",
            )),
        }
    }

    fn hex_escape(&mut self, start: usize) -> Result<Escape, PatternError> {
        match self.hex_digits(2) {
            Some(code) => Ok(Escape::Code(code)),
            None => Err(self.bad_escape(
                start,
                r"write two hexadecimal digits after it, like `\x0A`, or `\u{1F600}` for a longer code",
            )),
        }
    }

    /// `\u0041`, `\u{41}`, or a surrogate pair `\uD83D\uDE00`, which is one code point.
    fn unicode_escape(&mut self, start: usize) -> Result<Escape, PatternError> {
        let code = if self.eat("{") {
            self.braced_code()
        } else {
            self.hex_digits(4).map(|lead| self.join_surrogates(lead))
        };
        code.map(Escape::Code).ok_or_else(|| {
            self.bad_escape(
                start,
                r"write four hexadecimal digits after it, like `\u00E9`, or a code up to 10FFFF in braces, like `\u{1F600}`",
            )
        })
    }

    fn braced_code(&mut self) -> Option<u32> {
        let mut code = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
            self.next();
            let longer = code.unwrap_or(0u32) * 16 + digit;
            if longer > 0x0010_FFFF {
                return None;
            }
            code = Some(longer);
        }
        code.filter(|_| self.eat("}"))
    }

    fn join_surrogates(&mut self, lead: u32) -> u32 {
        if !(0xD800..0xDC00).contains(&lead) {
            return lead;
        }
        let before = self.position;
        if self.eat(r"\u")
            && let Some(trail @ 0xDC00..0xE000) = self.hex_digits(4)
        {
            return 0x1_0000 + ((lead - 0xD800) << 10) + (trail - 0xDC00);
        }
        self.position = before;
        lead
    }

    fn hex_digits(&mut self, count: usize) -> Option<u32> {
        let mut code = 0;
        for _ in 0..count {
            code = code * 16 + self.peek()?.to_digit(16)?;
            self.next();
        }
        Some(code)
    }

    fn property_escape(&mut self, start: usize, negated: bool) -> Result<Escape, PatternError> {
        let name = self
            .eat("{")
            .then(|| self.rest().split_once('}'))
            .flatten()
            .map(|(name, _)| name);
        let Some(name) = name else {
            return Err(self.bad_escape(
                start,
                r"write the name of a property in braces, like `\p{Lu}`",
            ));
        };
        self.position += name.len() + 1;
        let offset = start..self.position;
        let escape = self.text(offset.clone());
        let letter = if negated { 'P' } else { 'p' };
        match unicode_property::resolve(name) {
            Property::Known(text) => Ok(Escape::Set(format!("\\{letter}{{{text}}}"))),
            Property::Surrogate if negated => Ok(Escape::Set(set::ANYTHING.to_owned())),
            Property::Surrogate => Ok(Escape::Set(set::NOTHING.to_owned())),
            Property::Unsupported => {
                let message = format!(
                    "the property `{escape}` is not supported: the matching engine has no data for it; write out the characters in a class"
                );
                self.unsupported(offset, "unicode property", message);
                Ok(Escape::Set(set::NOTHING.to_owned()))
            }
            Property::Unknown(near) => {
                let hint = near.map_or_else(
                    || r"write one like `\p{Lu}` or `\p{Script=Greek}`".to_owned(),
                    |near| format!("write `\\{letter}{{{near}}}`"),
                );
                let message = format!("`{escape}` names no Unicode property of ECMA-262; {hint}");
                Err(self.invalid(offset, "unicode property", message))
            }
        }
    }
}

/// What to write for a letter or digit that ECMA-262 does not escape, while other dialects may.
fn hint(c: char) -> &'static str {
    match c {
        'A' | 'G' => "write `^` for the start of the text",
        'z' | 'Z' => "write `$` for the end of the text",
        'a' => r"write `\x07` for the bell character, `a` for the letter",
        'e' => r"write `\x1B` for the escape character, `e` for the letter",
        'h' => r"write `[ \t]` for a blank, `h` for the letter",
        'H' => r"write `[^ \t]` for anything but a blank, `H` for the letter",
        'R' => r"write `(?:\r\n|[\n\r])` for a line break, `R` for the letter",
        'N' => "write `.` for anything but a line break, `N` for the letter",
        'U' => r"write `\u{1F600}` for a character code, `U` for the letter",
        'Q' | 'E' => "write a backslash before each special character",
        '0'..='9' => r"write `\x` with two hexadecimal digits for a character code",
        _ => r"write the letter without a backslash, or `\\` for a backslash",
    }
}
