//! The grammar of a pattern: disjunctions, groups, assertions; `^(?:a|b){2,}?$`.
//!
//! One recursive descent checks the source against ECMA-262 and writes the `regex` crate's syntax at the same time.
//! Every atom is written as one unit, so that a quantifier can follow it verbatim.

use std::collections::BTreeSet;

use super::{
    escape::Escape,
    problem::{PatternError, PatternErrorKind, PatternWarning},
    set::{DOT, NOTHING, push_literal},
    translator::{Reference, Target, Translator},
};

/// Groups may nest this deep.
///
/// One group costs up to four levels of the `regex` crate's own limit, see [`super::NEST_LIMIT`].
const MAX_DEPTH: usize = 50;

/// A source in the `regex` crate's syntax, and what Annex B had to forgive.
pub(super) struct Translation {
    pub(super) rust_source: String,
    pub(super) warnings: Vec<PatternWarning>,
}

/// Translates an ECMA-262 pattern.
///
/// An error in the grammar wins over an unsupported construct, wherever it stands.
pub(super) fn translate(source: &str) -> Result<Translation, PatternError> {
    let mut translator = Translator::new(source);
    translator.disjunction()?;
    if translator.peek() == Some(')') {
        let start = translator.position;
        return Err(translator.invalid(
            start..start + 1,
            "group",
            r"`)` closes no group; write `\)` for the character",
        ));
    }
    translator.check_references()?;
    match translator.unsupported {
        Some(error) => Err(error),
        None => Ok(Translation {
            rust_source: translator.output,
            warnings: translator.warnings,
        }),
    }
}

impl Translator<'_> {
    fn disjunction(&mut self) -> Result<(), PatternError> {
        let mut declared = Vec::new();
        loop {
            let outer = self.scope.len();
            self.alternative()?;
            for name in self.scope.drain(outer..) {
                self.names_in_scope.remove(&name);
                declared.push(name);
            }
            if !self.eat("|") {
                break;
            }
            self.output.push('|');
        }
        self.names_in_scope.extend(declared.iter().cloned());
        self.scope.append(&mut declared);
        Ok(())
    }

    fn alternative(&mut self) -> Result<(), PatternError> {
        while let Some(next) = self.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            self.term(next)?;
        }
        Ok(())
    }

    /// One assertion, or one atom with its quantifier.
    fn term(&mut self, next: char) -> Result<(), PatternError> {
        let start = self.position;
        match next {
            '^' | '$' => {
                self.next();
                self.output.push(next);
                return self.no_quantifier(start);
            }
            '(' => {
                if self.group()? {
                    return self.no_quantifier(start);
                }
            }
            '\\' => match self.atom_escape()? {
                Escape::Boundary(assertion) => {
                    self.output.push_str(assertion);
                    return self.no_quantifier(start);
                }
                Escape::Code(code) => self.push_code(code),
                Escape::Set(set) => self.output.push_str(&set),
                Escape::Reference(name) => self.reference(start, name),
            },
            '*' | '+' | '?' => return Err(self.nothing_to_repeat()),
            '{' => self.open_brace()?,
            ']' | '}' => self.closing_bracket(next),
            '.' => {
                self.next();
                self.output.push_str(DOT);
            }
            '[' => self.class()?,
            _ => {
                self.next();
                push_literal(&mut self.output, next);
            }
        }
        self.quantifier()
    }

    /// Writes one code point; a surrogate matches nothing, as no UTF-8 text holds one.
    fn push_code(&mut self, code: u32) {
        match char::from_u32(code) {
            Some(c) => push_literal(&mut self.output, c),
            None => self.output.push_str(NOTHING),
        }
    }

    fn reference(&mut self, start: usize, name: Option<String>) {
        let offset = start..self.position;
        let target = match name {
            Some(name) => Target::Name(name),
            None => Target::Number(self.text(start + 1..self.position).parse().ok()),
        };
        self.references.push(Reference { target, offset });
    }

    fn check_references(&mut self) -> Result<(), PatternError> {
        for Reference { target, offset } in std::mem::take(&mut self.references) {
            let text = self.text(offset.clone());
            let declared = match &target {
                Target::Number(number) => number.is_some_and(|number| number <= self.groups),
                Target::Name(name) => self.names.contains(name),
            };
            if !declared {
                let message = match target {
                    Target::Number(_) => {
                        format!(
                            "`{text}` refers to a group that does not exist; write `\\x` with two hexadecimal digits for a character code"
                        )
                    }
                    Target::Name(name) => format!(
                        "`{text}` refers to a group that does not exist; declare `(?<{name}>...)` or remove the reference"
                    ),
                };
                return Err(self.invalid(offset, "backreference", message));
            }
            let message = format!(
                "the backreference `{text}` is not supported: patterns must match in linear time; write out the texts that it may repeat"
            );
            self.unsupported(offset, "backreference", message);
        }
        Ok(())
    }

    /// Parses a group and says whether it is an assertion, which no quantifier may follow.
    fn group(&mut self) -> Result<bool, PatternError> {
        let start = self.position;
        let mut assertion = false;
        if let Some(construct) = self.lookaround() {
            assertion = true;
            let offset = start..self.position;
            let text = self.text(offset.clone());
            let message = format!(
                "the {construct} `{text}...)` is not supported: patterns must match in linear time; use several rules instead, stricter ones first"
            );
            self.unsupported(offset, construct, message);
        } else if self.eat("(?<") {
            self.groups += 1;
            self.declare_name(start)?;
        } else if self.rest().starts_with("(?") {
            if !self.eat("(?:") {
                self.modifiers()?;
            }
        } else {
            self.groups += 1;
            self.position += 1;
        }
        self.output.push_str("(?:");
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(PatternError {
                kind: PatternErrorKind::TooLarge,
                construct: "group".to_owned(),
                message: format!(
                    "groups nest more than {MAX_DEPTH} deep; write the pattern with fewer groups or split it into several rules"
                ),
                offset: start..self.position,
            });
        }
        self.disjunction()?;
        self.depth -= 1;
        if !self.eat(")") {
            return Err(self.invalid(
                start..start + 1,
                "group",
                r"`(` is never closed; write `)` at the group's end, or `\(` for the character",
            ));
        }
        self.output.push(')');
        Ok(assertion)
    }

    fn lookaround(&mut self) -> Option<&'static str> {
        [
            ("(?=", "lookahead"),
            ("(?!", "negative lookahead"),
            ("(?<=", "lookbehind"),
            ("(?<!", "negative lookbehind"),
        ]
        .into_iter()
        .find_map(|(opening, construct)| self.eat(opening).then_some(construct))
    }

    fn declare_name(&mut self, start: usize) -> Result<(), PatternError> {
        let name = self.group_name(start)?;
        if !self.names_in_scope.insert(name.clone()) {
            let message = format!("the group name `{name}` is used twice; choose another name");
            return Err(self.invalid(start..self.position, "group name", message));
        }
        self.names.insert(name.clone());
        self.scope.push(name);
        Ok(())
    }

    /// `(?i:`, which ECMA-262 has since 2025, and the many `(?` of other dialects.
    fn modifiers(&mut self) -> Result<(), PatternError> {
        let start = self.position;
        self.position += 2;
        let flags_start = self.position;
        while matches!(self.peek(), Some(c) if c.is_ascii_alphabetic() || c == '-') {
            self.position += 1;
        }
        let flags = self.text(flags_start..self.position);
        if self.eat(":") && are_modifiers(flags) {
            let offset = start..self.position;
            let message = format!(
                "the inline flags `{}...)` are not supported: ECMA-262 has them only since 2025; spell out the characters, like `[aA]`",
                self.text(offset.clone())
            );
            self.unsupported(offset, "inline flags", message);
            return Ok(());
        }
        let hint = match self.text(flags_start..self.source.len()) {
            rest if rest.starts_with("P<") || rest.starts_with('\'') => {
                "write `(?<name>...)` for a named group"
            }
            rest if rest.starts_with("P=") || rest.starts_with("P>") => {
                "write out what the group matches"
            }
            rest if rest.starts_with(['>', '|', '(']) => "write `(?:...)` for a group",
            rest if rest.starts_with('#') => "put comments into the configuration file",
            _ => {
                "write `(?:...)` for a group and spell out what a flag would do, like `[aA]` for `a` in any case"
            }
        };
        let flags_end = flags_start + flags.len();
        let next = self.text(flags_end..self.source.len()).chars().next();
        let shown = next
            .filter(|c| !matches!(c, '(' | '\\' | '['))
            .map_or(0, char::len_utf8);
        let offset = start..flags_end + shown;
        let message = format!(
            "`{}` opens no group of ECMA-262; {hint}",
            self.text(offset.clone())
        );
        Err(self.invalid(offset, "group", message))
    }

    /// A `]` or `}` that opens nothing, which Annex B takes as a character.
    fn closing_bracket(&mut self, bracket: char) {
        let start = self.position;
        self.position += 1;
        push_literal(&mut self.output, bracket);
        let before = self.text(0..start);
        let message = if bracket == ']' && before.ends_with(":]") {
            r"ECMA-262 has no POSIX classes, so `]` stands for itself here; write the characters, like `[a-z]`, or `\]`".to_owned()
        } else {
            format!(r"`{bracket}` stands for itself here; write `\{bracket}`")
        };
        self.warn(start..start + 1, format!(r"\{bracket}"), message);
    }
}

/// Whether `i-s` may stand between `(?` and `:`.
fn are_modifiers(flags: &str) -> bool {
    let (add, remove) = flags.split_once('-').unwrap_or((flags, ""));
    let mut seen = BTreeSet::new();
    !(add.is_empty() && remove.is_empty())
        && add
            .chars()
            .chain(remove.chars())
            .all(|flag| matches!(flag, 'i' | 'm' | 's') && seen.insert(flag))
}
