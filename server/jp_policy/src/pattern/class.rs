//! Classes of characters: `[^a-z\d_]`, `[]`, `[^]`.
//!
//! Characters that the `regex` crate reads as set operators, as in `[a&&b]`, stand for themselves in ECMA-262.

use super::{
    escape::Escape,
    problem::PatternError,
    set::{ANYTHING, NOTHING, push_literal},
    translator::Translator,
};

/// One member of a class, or one end of a range.
enum Atom {
    Code(u32),
    Set(String),
}

impl Translator<'_> {
    /// Reads a class and writes it as one unit.
    pub(super) fn class(&mut self) -> Result<(), PatternError> {
        let start = self.position;
        self.position += 1;
        let negated = self.eat("^");
        let opening = self.output.len();
        self.output.push_str(if negated { "[^" } else { "[" });
        let members = self.output.len();
        while !self.eat("]") {
            if self.peek().is_none() {
                return Err(self.invalid(
                    start..start + 1,
                    "character class",
                    r"`[` is never closed; write `]` at the class's end, or `\[` for the character",
                ));
            }
            self.class_range()?;
        }
        if self.output.len() == members {
            self.output.truncate(opening);
            self.output
                .push_str(if negated { ANYTHING } else { NOTHING });
        } else {
            self.output.push(']');
        }
        Ok(())
    }

    /// One member, or a range of two.
    fn class_range(&mut self) -> Result<(), PatternError> {
        let start = self.position;
        let first = self.class_atom()?;
        let hyphen = self.position;
        let range = matches!(self.rest().strip_prefix('-'), Some(rest) if !rest.is_empty() && !rest.starts_with(']'));
        if !range {
            self.push_atom(&first);
            return Ok(());
        }
        self.position += 1;
        let last = self.class_atom()?;
        let (low, high) = match (&first, &last) {
            (Atom::Code(low), Atom::Code(high)) => (*low, *high),
            _ => {
                let message = format!(
                    r"`-` in `{}` stands for itself, as a set cannot end a range; write `\-`",
                    self.text(start..self.position)
                );
                self.warn(hyphen..hyphen + 1, r"\-".to_owned(), message);
                self.push_atom(&first);
                self.output.push_str(r"\-");
                self.push_atom(&last);
                return Ok(());
            }
        };
        if low > high {
            let text = self.text(start..self.position);
            let (first, last) = (
                self.text(start..hyphen),
                self.text(hyphen + 1..self.position),
            );
            let message = format!(
                r"the range `{text}` ends below its start; write `{last}-{first}`, or `\-` for the hyphen"
            );
            return Err(self.invalid(start..self.position, "range", message));
        }
        self.push_range(low, high);
        Ok(())
    }

    fn class_atom(&mut self) -> Result<Atom, PatternError> {
        if self.peek() != Some('\\') {
            return Ok(Atom::Code(self.next().map_or(0, u32::from)));
        }
        match self.class_escape()? {
            Escape::Code(code) => Ok(Atom::Code(code)),
            Escape::Set(set) => Ok(Atom::Set(set)),
            // Not produced inside a class.
            Escape::Boundary(_) | Escape::Reference(_) => Ok(Atom::Set(NOTHING.to_owned())),
        }
    }

    fn push_atom(&mut self, atom: &Atom) {
        match atom {
            Atom::Code(code) => self.push_range(*code, *code),
            Atom::Set(set) => self.output.push_str(set),
        }
    }

    /// Writes a range without its surrogates, which no UTF-8 text holds.
    fn push_range(&mut self, low: u32, high: u32) {
        let low = if (0xD800..0xE000).contains(&low) {
            0xE000
        } else {
            low
        };
        let high = if (0xD800..0xE000).contains(&high) {
            0xD7FF
        } else {
            high
        };
        if low > high {
            return;
        }
        let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high)) else {
            return;
        };
        push_literal(&mut self.output, low);
        if low < high {
            self.output.push('-');
            push_literal(&mut self.output, high);
        }
    }
}
