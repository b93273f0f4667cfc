//! How the text of a file is stored, which patterns neither see nor change.
//!
//! ```text
//! stored "\u{feff}a\r\nb\r\n"   is the text "a\nb\n", with a mark and CRLF line ends
//! stored "a\r\nb\n"             is that text: its lines end in different ways
//! ```
//!
//! Nobody who reads a file sees its byte order mark or its carriage returns, so patterns rarely hold them.

use std::borrow::Cow;

const MARK: char = '\u{feff}';

/// What a file has around its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    has_mark: bool,
    is_crlf: bool,
}

impl Form {
    /// Takes the stored bytes of a text file apart.
    pub(super) fn split(stored: &str) -> (Self, String) {
        let text = stored.strip_prefix(MARK).unwrap_or(stored);
        let feeds = text.matches('\n').count();
        let form = Self {
            has_mark: text.len() < stored.len(),
            is_crlf: feeds > 0 && feeds == text.matches("\r\n").count(),
        };
        (form, form.pattern(text).into_owned())
    }

    /// The bytes to store for a text.
    pub(super) fn join(self, text: &str) -> String {
        let mut stored = String::with_capacity(text.len());
        if self.has_mark {
            stored.push(MARK);
        }
        if self.is_crlf {
            stored.push_str(&text.replace('\n', "\r\n"));
        } else {
            stored.push_str(text);
        }
        stored
    }

    /// Literal text of a pattern as it reads in the text of the file.
    pub(super) fn pattern(self, literal: &str) -> Cow<'_, str> {
        if self.is_crlf && literal.contains("\r\n") {
            literal.replace("\r\n", "\n").into()
        } else {
            literal.into()
        }
    }

    /// A regular expression as it has to read for the text of the file: `\r\n` is a line end there, too.
    pub(super) fn regex(self, regex: &str) -> Cow<'_, str> {
        if !self.is_crlf || !regex.contains(r"\r\n") {
            return self.pattern(regex);
        }
        let mut output = String::with_capacity(regex.len());
        let mut rest = regex;
        while let Some(position) = rest.find('\\') {
            let (head, escape) = rest.split_at(position);
            output.push_str(head);
            let line_end = escape.strip_prefix(r"\r\n");
            let mut characters = escape.chars();
            let pair: String = characters.by_ref().take(2).collect();
            output.push_str(if line_end.is_some() { r"\n" } else { &pair });
            rest = line_end.unwrap_or(characters.as_str());
        }
        output.push_str(rest);
        self.pattern(&output).into_owned().into()
    }
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
