//! The grammar of a pattern: disjunctions, groups, quantifiers, assertions; `^(?:a|b){2,}?$`.
//!
//! One recursive descent checks the source against ECMA-262 and writes the `regex` crate's syntax at the same time.
//! Every atom is written as one unit, so that a quantifier can follow it verbatim.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use regex::Regex;

use super::{PatternError, PatternErrorKind, PatternWarning, escape::Escape};

/// Groups may nest this deep.
///
/// One group costs up to four levels of the `regex` crate's own limit, see [`super::NEST_LIMIT`].
const MAX_DEPTH: usize = 50;

/// Largest count in a quantifier: one more than [`super::MAX_COMPILED_SIZE`] can hold for any body that consumes text.
const MAX_COUNT: u32 = 65_535;

/// `.` of ECMA-262: anything but a line terminator.
const DOT: &str = r"[^\n\r\x{2028}\x{2029}]";

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

/// State of one translation.
pub(super) struct Translator<'s> {
    pub(super) source: &'s str,
    /// Byte offset of the next character.
    pub(super) position: usize,
    pub(super) output: String,
    pub(super) warnings: Vec<PatternWarning>,
    unsupported: Option<PatternError>,
    depth: usize,
    groups: usize,
    names: BTreeSet<String>,
    /// Names that the current alternative and those around it declared: only these forbid a duplicate.
    names_in_scope: BTreeSet<String>,
    /// The members of `names_in_scope` in source order, so that an alternative's end can drop its own.
    scope: Vec<String>,
    references: Vec<Reference>,
}

/// A `\1` or `\k<name>`, whose group may be declared after it.
struct Reference {
    target: Target,
    offset: Range<usize>,
}

enum Target {
    /// `None` is a number beyond `usize`.
    Number(Option<usize>),
    Name(String),
}

/// Digits between the braces of `{2,3}`.
struct Braces<'s> {
    min: &'s str,
    /// `None` without a comma, empty for `{2,}`.
    max: Option<&'s str>,
    end: usize,
}

impl<'s> Translator<'s> {
    fn new(source: &'s str) -> Self {
        Self {
            source,
            position: 0,
            output: String::with_capacity(source.len() + source.len() / 2),
            warnings: Vec::new(),
            unsupported: None,
            depth: 0,
            groups: 0,
            names: BTreeSet::new(),
            names_in_scope: BTreeSet::new(),
            scope: Vec::new(),
            references: Vec::new(),
        }
    }

    pub(super) fn rest(&self) -> &'s str {
        self.source.get(self.position..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.position += next.len_utf8();
        Some(next)
    }

    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.position += expected.len();
        }
        found
    }

    pub(super) fn text(&self, range: Range<usize>) -> &'s str {
        self.source.get(range).unwrap_or_default()
    }

    pub(super) fn invalid(
        &self,
        offset: Range<usize>,
        construct: &str,
        message: impl Into<String>,
    ) -> PatternError {
        PatternError {
            kind: PatternErrorKind::Invalid,
            construct: construct.to_owned(),
            message: message.into(),
            offset,
        }
    }

    /// Remembers the first unsupported construct and goes on, so that an invalid pattern is called invalid.
    pub(super) fn unsupported(
        &mut self,
        offset: Range<usize>,
        construct: &str,
        message: impl Into<String>,
    ) {
        if self
            .unsupported
            .as_ref()
            .is_some_and(|first| first.offset.start <= offset.start)
        {
            return;
        }
        self.unsupported = Some(PatternError {
            kind: PatternErrorKind::Unsupported,
            construct: construct.to_owned(),
            message: message.into(),
            offset,
        });
    }

    pub(super) fn warn(&mut self, offset: Range<usize>, replacement: String, message: String) {
        self.warnings.push(PatternWarning {
            construct: self.text(offset.clone()).to_owned(),
            replacement,
            message,
            offset,
        });
    }

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
            None => self.output.push_str(super::class::NOTHING),
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

    /// Refuses a quantifier after an assertion.
    fn no_quantifier(&mut self, start: usize) -> Result<(), PatternError> {
        let end = self.position;
        let Some(quantifier) = self.quantifier_text() else {
            return Ok(());
        };
        let message = format!(
            "`{}` asserts a position and cannot be repeated; remove `{quantifier}`",
            self.text(start..end)
        );
        Err(self.invalid(end..end + quantifier.len(), "quantifier", message))
    }

    /// The quantifier at the current position, without the `?` of a lazy one.
    fn quantifier_text(&self) -> Option<&'s str> {
        match self.peek()? {
            '*' | '+' | '?' => Some(self.text(self.position..self.position + 1)),
            '{' => {
                let braces = self.braces()?;
                Some(self.text(self.position..braces.end))
            }
            _ => None,
        }
    }

    fn quantifier(&mut self) -> Result<(), PatternError> {
        let start = self.position;
        let Some(text) = self.quantifier_text() else {
            return Ok(());
        };
        if let Some(braces) = self.braces() {
            self.counts(&braces)?;
        } else {
            self.output.push_str(text);
        }
        self.position += text.len();
        if self.eat("?") {
            self.output.push('?');
        }
        let Some(second) = self.quantifier_text() else {
            return Ok(());
        };
        let end = self.position + second.len();
        let first = self.text(start..self.position);
        let message = if second == "+" {
            format!(
                "`{first}+` is a possessive quantifier, which ECMA-262 does not have; write `{first}`"
            )
        } else {
            format!("`{second}` has nothing to repeat after `{first}`; keep one of the two")
        };
        Err(self.invalid(self.position..end, "quantifier", message))
    }

    /// Writes `{min,max}`.
    fn counts(&mut self, braces: &Braces<'_>) -> Result<(), PatternError> {
        let offset = self.position..braces.end;
        let text = self.text(offset.clone());
        if let Some(max) = braces.max
            && !max.is_empty()
            && decimal_key(max) < decimal_key(braces.min)
        {
            let message = format!(
                "`{text}` ends below its start; write `{{{max},{}}}`",
                braces.min
            );
            return Err(self.invalid(offset, "quantifier", message));
        }
        let count = |digits: &str| digits.parse::<u32>().ok().filter(|n| *n <= MAX_COUNT);
        let written = match (count(braces.min), braces.max) {
            (Some(min), None) => Some(format!("{{{min}}}")),
            (Some(min), Some("")) => Some(format!("{{{min},}}")),
            (Some(min), Some(max)) => count(max).map(|max| format!("{{{min},{max}}}")),
            (None, _) => None,
        };
        let Some(written) = written else {
            let message = format!(
                "`{text}` repeats more than {MAX_COUNT} times; write a lower count, or `*` or `+` for any"
            );
            return Err(PatternError {
                kind: PatternErrorKind::TooLarge,
                construct: "quantifier".to_owned(),
                message,
                offset,
            });
        };
        self.output.push_str(&written);
        Ok(())
    }

    /// The `{2}`, `{2,}` or `{2,3}` at the current position.
    fn braces(&self) -> Option<Braces<'s>> {
        let inner = self.rest().strip_prefix('{')?;
        let length = inner.find(|c: char| !c.is_ascii_digit() && c != ',')?;
        let (inner, after) = inner.split_at_checked(length)?;
        let (min, max) = match inner.split_once(',') {
            Some((min, max)) => (min, Some(max)),
            None => (inner, None),
        };
        let valid =
            after.starts_with('}') && !min.is_empty() && !max.is_some_and(|max| max.contains(','));
        valid.then_some(Braces {
            min,
            max,
            end: self.position + 1 + length + 1,
        })
    }

    fn nothing_to_repeat(&self) -> PatternError {
        let text = self.quantifier_text().unwrap_or_default();
        let offset = self.position..self.position + text.len();
        let message =
            format!("`{text}` has nothing to repeat; write `\\{text}` to match it as text");
        self.invalid(offset, "quantifier", message)
    }

    /// A `{` that Annex B takes as a character, unless it opens a quantifier.
    fn open_brace(&mut self) -> Result<(), PatternError> {
        if self.braces().is_some() {
            return Err(self.nothing_to_repeat());
        }
        let start = self.position;
        self.position += 1;
        self.output.push_str(r"\{");
        let rest = self.rest();
        let length = rest
            .find(|c: char| !c.is_ascii_digit() && c != ',' && c != ' ')
            .unwrap_or_default();
        let Some((inner, "}")) = rest
            .get(..length)
            .zip(rest.get(length..length + 1))
            .filter(|(inner, _)| inner.contains(|c: char| c.is_ascii_digit()))
        else {
            let message = r"`{` stands for itself here; write `\{`".to_owned();
            self.warn(start..start + 1, r"\{".to_owned(), message);
            return Ok(());
        };
        // Most likely meant as a quantifier, so one warning about the whole instead of one for each brace.
        let end = start + 1 + length + 1;
        let text = self.text(start..end);
        let replacement = format!(r"\{{{inner}\}}");
        let message = match meant_quantifier(inner) {
            Some(meant) => format!(
                "`{text}` is no quantifier and stands for itself; write `{meant}` for the quantifier, `{replacement}` for the characters"
            ),
            None => {
                format!("`{text}` is no quantifier and stands for itself; write `{replacement}`")
            }
        };
        for c in inner.chars() {
            push_literal(&mut self.output, c);
        }
        self.output.push_str(r"\}");
        self.position = end;
        self.warn(start..end, replacement, message);
        Ok(())
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

/// The quantifier that `{,3}` or `{2, 3}` was most likely meant to be.
fn meant_quantifier(inner: &str) -> Option<String> {
    let inner: String = inner.chars().filter(|c| *c != ' ').collect();
    match inner.split_once(',') {
        None => Some(format!("{{{inner}}}")),
        Some((_, max)) if max.contains(',') => None,
        Some(("", max)) => Some(format!("{{0,{max}}}")),
        Some((min, max)) => Some(format!("{{{min},{max}}}")),
    }
}

/// Orders decimal numbers of any length by value.
fn decimal_key(digits: &str) -> (usize, &str) {
    let digits = digits.trim_start_matches('0');
    (digits.len(), digits)
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
