//! Replacing text in text.
//!
//! ```json
//! {"old": "fn  build( x )", "new": "fn build(x)"}
//! {"old": "fn (\\w+)_old", "new": "fn ${1}_new", "regex": true}
//! ```
//!
//! A literal `old` is looked for as it stands (in a file with CRLF line ends with those), then without the whitespace
//! around it, and if it is a single line at last with any run of blanks between its words.
//! The last form counts only if it fits a single place, since there a guess would pick one of several.

use std::{fmt, sync::LazyLock};

use fancy_regex::{Captures, Regex, RegexBuilder};

/// One replacement to make.
#[derive(Debug, Clone, Copy)]
pub(super) struct Replacement<'a> {
    /// What to look for.
    pub(super) old: &'a str,
    /// What to put there; `$name` and `${1}` are the groups of a regular expression.
    pub(super) new: &'a str,
    /// Whether `old` is a regular expression.
    pub(super) is_regex: bool,
    /// Whether every occurrence is replaced, not only the first.
    pub(super) replaces_all: bool,
    /// Whether upper and lower case differ.
    pub(super) is_case_sensitive: bool,
    /// The most bytes that the result may have.
    pub(super) max_bytes: usize,
}

/// Why a replacement was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unapplied {
    /// The text does not hold what was looked for.
    NotFound,
    /// Only a loose comparison finds it, and that in several places.
    Ambiguous(usize),
    /// The regular expression is malformed.
    InvalidRegex(String),
    /// Matching the regular expression takes too long.
    TooComplex,
    /// The replacement refers to a group that the regular expression does not have.
    UnknownGroup(String),
    /// The result would be too large.
    TooLarge,
}

impl Unapplied {
    /// Whether the whole call is given up, rather than this pattern in this file.
    pub(super) fn is_fatal(&self) -> bool {
        !matches!(self, Self::NotFound)
    }
}

impl fmt::Display for Unapplied {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => formatter.write_str("not found."),
            Self::Ambiguous(places) => write!(
                formatter,
                "not found as written, and {places} places differ from it only in whitespace. Copy the text exactly."
            ),
            Self::InvalidRegex(problem) => {
                write!(formatter, "invalid regular expression: {problem}.")
            }
            Self::TooComplex => formatter.write_str(
                "the regular expression takes too long. Write it without nested repetitions.",
            ),
            Self::UnknownGroup(name) => write!(
                formatter,
                "`new` refers to the group `{name}`, which `old` does not have. Write `${{1}}` for a group that a letter, \
                 digit or underscore follows, and `$$` for a dollar sign."
            ),
            Self::TooLarge => formatter.write_str("the result would be too large."),
        }
    }
}

impl Replacement<'_> {
    /// Makes the replacement in `text`.
    pub(super) fn apply(&self, text: &str) -> Result<String, Unapplied> {
        if self.is_regex {
            let regex = RegexBuilder::new(self.old)
                .multi_line(true)
                .case_insensitive(!self.is_case_sensitive)
                .build()
                .map_err(|error| Unapplied::InvalidRegex(error.to_string()))?;
            if let Some(name) = unknown_group(&regex, self.new) {
                return Err(Unapplied::UnknownGroup(name));
            }
            return self.substitute(&regex, text, Insert::Template(self.new));
        }
        match self.literal(self.old, text, self.new) {
            Err(Unapplied::NotFound) => {}
            other => return other,
        }
        if text.contains("\r\n") && self.old.contains('\n') && !self.old.contains('\r') {
            let [old, new] = [self.old, self.new].map(|part| part.replace('\n', "\r\n"));
            match self.literal(&old, text, &new) {
                Err(Unapplied::NotFound) => {}
                other => return other,
            }
        }
        let trimmed = self.old.trim();
        if trimmed.is_empty() {
            return Err(Unapplied::NotFound);
        }
        if trimmed != self.old {
            match self.literal(trimmed, text, self.trimmed_alike()) {
                Err(Unapplied::NotFound) => {}
                other => return other,
            }
        }
        if trimmed.contains('\n') {
            return Err(Unapplied::NotFound);
        }
        self.loose(trimmed, text)
    }

    /// `new` without the whitespace that `old` has around it, where it has the same.
    fn trimmed_alike(&self) -> &str {
        let start = self.old.len().saturating_sub(self.old.trim_start().len());
        let lead = self.old.get(..start).unwrap_or_default();
        let tail = self
            .old
            .get(self.old.trim_end().len()..)
            .unwrap_or_default();
        let new = self.new.strip_prefix(lead).unwrap_or(self.new);
        new.strip_suffix(tail).unwrap_or(new)
    }

    fn literal(&self, old: &str, text: &str, new: &str) -> Result<String, Unapplied> {
        if !self.is_case_sensitive {
            let regex = self.escaped(&fancy_regex::escape(old))?;
            return self.substitute(&regex, text, Insert::Verbatim(new));
        }
        let count = match (text.matches(old).count(), self.replaces_all) {
            (0, _) => return Err(Unapplied::NotFound),
            (count, true) => count,
            (_, false) => 1,
        };
        let grown = text
            .len()
            .saturating_add(count.saturating_mul(new.len()))
            .saturating_sub(count.saturating_mul(old.len()));
        if grown > self.max_bytes {
            return Err(Unapplied::TooLarge);
        }
        Ok(text.replacen(old, new, count))
    }

    fn loose(&self, trimmed: &str, text: &str) -> Result<String, Unapplied> {
        let words: Vec<_> = trimmed
            .split_whitespace()
            .map(fancy_regex::escape)
            .collect();
        let regex = self.escaped(&words.join(r"[ \t]+"))?;
        let places = regex
            .find_iter(text)
            .take(100)
            .filter(Result::is_ok)
            .count();
        match places {
            0 => Err(Unapplied::NotFound),
            1 => self.substitute(&regex, text, Insert::Verbatim(self.trimmed_alike())),
            places => Err(Unapplied::Ambiguous(places)),
        }
    }

    fn escaped(&self, pattern: &str) -> Result<Regex, Unapplied> {
        RegexBuilder::new(pattern)
            .case_insensitive(!self.is_case_sensitive)
            .build()
            .map_err(|error| Unapplied::InvalidRegex(error.to_string()))
    }

    fn substitute(
        &self,
        regex: &Regex,
        text: &str,
        insert: Insert<'_>,
    ) -> Result<String, Unapplied> {
        let limit = if self.replaces_all { usize::MAX } else { 1 };
        let mut output = String::with_capacity(text.len());
        let mut rest = 0_usize;
        let mut count = 0_usize;
        for captures in regex.captures_iter(text).take(limit) {
            let captures = captures.map_err(|_| Unapplied::TooComplex)?;
            let Some(whole) = captures.get(0) else {
                continue;
            };
            output.push_str(text.get(rest..whole.start()).unwrap_or_default());
            insert.push(&captures, &mut output);
            rest = whole.end();
            count = count.saturating_add(1);
            if output.len() > self.max_bytes {
                return Err(Unapplied::TooLarge);
            }
        }
        if count == 0 {
            return Err(Unapplied::NotFound);
        }
        output.push_str(text.get(rest..).unwrap_or_default());
        if output.len() > self.max_bytes {
            return Err(Unapplied::TooLarge);
        }
        Ok(output)
    }
}

/// The first group in the template that the regular expression does not have.
///
/// It would stand for nothing, so that `$1st` would delete what it was meant to keep.
fn unknown_group(regex: &Regex, template: &str) -> Option<String> {
    static REFERENCE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\$(?:\$|\{([\p{L}\p{N}_]+)\}|([\p{L}\p{N}_]+))").ok());
    let names = REFERENCE
        .as_ref()?
        .captures_iter(template)
        .flatten()
        .filter_map(|captures| Some(captures.get(1).or(captures.get(2))?.as_str().to_owned()));
    let mut unknown = names.filter(|name| match name.parse::<usize>() {
        Ok(number) => number >= regex.captures_len(),
        Err(_) => !regex.capture_names().flatten().any(|known| known == name),
    });
    unknown.next()
}

/// What goes where a match was.
#[derive(Clone, Copy)]
enum Insert<'a> {
    /// This text.
    Verbatim(&'a str),
    /// This text with its `$name` references filled in.
    Template(&'a str),
}

impl Insert<'_> {
    fn push(self, captures: &Captures<'_, str>, output: &mut String) {
        match self {
            Self::Verbatim(text) => output.push_str(text),
            Self::Template(template) => captures.expand(template, output),
        }
    }
}

#[cfg(test)]
#[path = "replace_tests.rs"]
mod tests;
