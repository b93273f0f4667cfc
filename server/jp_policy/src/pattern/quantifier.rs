//! How often an atom repeats: `*`, `+?`, `{2,3}`, and the braces that only look like it.

use super::{
    problem::{PatternError, PatternErrorKind},
    set::push_literal,
    translator::Translator,
};

/// Largest count in a quantifier: one more than [`super::MAX_COMPILED_SIZE`] can hold for any body that consumes text.
const MAX_COUNT: u32 = 65_535;

/// Digits between the braces of `{2,3}`.
struct Braces<'s> {
    min: &'s str,
    /// `None` without a comma, empty for `{2,}`.
    max: Option<&'s str>,
    end: usize,
}

impl<'s> Translator<'s> {
    /// Refuses a quantifier after an assertion.
    pub(super) fn no_quantifier(&mut self, start: usize) -> Result<(), PatternError> {
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

    pub(super) fn quantifier(&mut self) -> Result<(), PatternError> {
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

    pub(super) fn nothing_to_repeat(&self) -> PatternError {
        let text = self.quantifier_text().unwrap_or_default();
        let offset = self.position..self.position + text.len();
        let message =
            format!("`{text}` has nothing to repeat; write `\\{text}` to match it as text");
        self.invalid(offset, "quantifier", message)
    }

    /// A `{` that Annex B takes as a character, unless it opens a quantifier.
    pub(super) fn open_brace(&mut self) -> Result<(), PatternError> {
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
