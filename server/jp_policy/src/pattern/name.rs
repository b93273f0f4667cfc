//! Names of groups: `(?<year>...)`, `\k<year>`.

use std::sync::LazyLock;

use regex::Regex;

use super::{escape::Escape, problem::PatternError, translator::Translator};

impl Translator<'_> {
    /// Reads `name>`, after the `<`; `start` is where the construct began.
    pub(super) fn group_name(&mut self, start: usize) -> Result<String, PatternError> {
        let mut name = String::new();
        loop {
            let c = match self.peek() {
                Some('\\') => self.name_escape(start)?,
                Some(c) => {
                    self.next();
                    c
                }
                None => '\0',
            };
            if c == '>' {
                break;
            }
            if !is_identifier_part(c, name.is_empty()) {
                return Err(self.bad_name(start));
            }
            name.push(c);
        }
        if name.is_empty() {
            return Err(self.bad_name(start));
        }
        Ok(name)
    }

    fn bad_name(&self, start: usize) -> PatternError {
        self.invalid(
            start..self.position,
            "group name",
            "a group name is an identifier between `<` and `>`; write it like `(?<name>...)`",
        )
    }

    /// A `\u0061` inside a group name.
    fn name_escape(&mut self, start: usize) -> Result<char, PatternError> {
        if !self.rest().starts_with("\\u") {
            return Err(self.bad_name(start));
        }
        match self.atom_escape()? {
            // `>` would end the name and is no identifier character.
            Escape::Code(code) => char::from_u32(code)
                .filter(|c| *c != '>')
                .ok_or_else(|| self.bad_name(start)),
            _ => Err(self.bad_name(start)),
        }
    }
}

/// Whether a character may stand in a group's name.
fn is_identifier_part(c: char, first: bool) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic() || matches!(c, '_' | '$') || (!first && c.is_ascii_digit());
    }
    let class = if first {
        &IDENTIFIER_START
    } else {
        &IDENTIFIER_PART
    };
    class
        .as_ref()
        .is_some_and(|class| class.is_match(c.encode_utf8(&mut [0; 4])))
}

/// First characters of identifiers beyond ASCII; `None` cannot happen, and would refuse every name.
static IDENTIFIER_START: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\p{ID_Start}").ok());

/// Further characters of identifiers beyond ASCII; `None` as above.
static IDENTIFIER_PART: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[\p{ID_Continue}\x{200C}\x{200D}]").ok());
