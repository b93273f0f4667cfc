//! Keys and scalar values: single tokens, or the few that make up a number or a date.
//!
//! ```toml
//! 'literal key' = 1979-05-27 07:32:00
//! ```

use std::borrow::Cow;

use toml_parser::decoder::{Encoding, ScalarKind};
use toml_parser::lexer::TokenKind;
use toml_parser::{Expected, ParseError, Raw};

use super::super::error::{Repair, SyntaxError, SyntaxErrorKind};
use super::super::section::{KeyData, NONE, NodeKind};
use super::super::span::{Span, narrow};
use super::super::tokens::{Token, is_bare, is_closed};
use super::{Parser, shorten};

impl<'t> Parser<'t> {
    /// Pushes the key that `token` spells.
    pub(super) fn key(&mut self, token: Token) {
        let span = self.span(token);
        let raw = self.slice(span);
        let mut key = KeyData {
            span,
            text: span,
            owned: NONE,
            next: NONE,
            bare_star: false,
            missing: false,
        };
        match token.kind {
            TokenKind::Atom if raw == "*" => {
                key.bare_star = true;
                self.attempts += 1;
                self.section.report(|| SyntaxError {
                    kind: SyntaxErrorKind::BareStar,
                    span,
                    message: "bare `*` as a key: write `'*'`".to_owned(),
                    related: None,
                    repair: Some(Repair::replace(span, "'*'")),
                });
            }
            TokenKind::Atom if is_bare(raw) => {}
            TokenKind::Atom => {
                let invalid =
                    raw.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
                let at = span.start + narrow(invalid.unwrap_or(0));
                let width = invalid
                    .and_then(|at| raw.get(at..)?.chars().next())
                    .map_or(0, char::len_utf8);
                let message = if raw.starts_with(['"', '\'']) || raw.ends_with(['"', '\'']) {
                    "quote within a bare key: write the whole key in quotes".to_owned()
                } else {
                    format!("invalid bare key `{}`: write it in quotes", shorten(raw))
                };
                let repair = in_quotes(raw).map(|key| Repair::replace(span, key));
                self.report_mended(
                    self.line,
                    Span::new(at, at + narrow(width)),
                    message,
                    repair,
                );
            }
            _ => self.quoted_key(token, &mut key, raw),
        }
        self.section.keys.push(key);
    }

    fn quoted_key(&mut self, token: Token, key: &mut KeyData, raw: &'t str) {
        let span = key.span;
        let quoted_simply = matches!(
            token.kind,
            TokenKind::BasicString | TokenKind::LiteralString
        );
        if quoted_simply && !is_closed(raw, token.kind) {
            self.report(
                self.line,
                span,
                format!(
                    "unclosed quoted key: write `{}` after it",
                    raw.get(..1).unwrap_or("\"")
                ),
            );
        }
        let mut decoded = Cow::Borrowed("");
        let mut first: Option<ParseError> = None;
        raw_of(raw, token.kind, span).decode_key(&mut decoded, &mut first);
        if let Some(error) = first {
            let at = error_span(&error, raw, span);
            let message = if quoted_simply {
                describe(&error)
            } else {
                "multi-line string as a key: write the key in single-line quotes".to_owned()
            };
            self.report(self.line, at, message);
        }
        let inner = Span::new(span.start + 1, span.end.saturating_sub(1));
        if quoted_simply && !inner.is_empty() && self.slice(inner) == decoded {
            key.text = inner;
            return;
        }
        key.owned = narrow(self.section.strings.len());
        self.section.strings.push(decoded.into());
    }

    /// Parses a string token.
    pub(super) fn string(&mut self) -> u32 {
        let line = self.line;
        let token = self.bump();
        let span = self.span(token);
        let raw = self.slice(span);
        if !is_closed(raw, token.kind) {
            let multi = matches!(
                token.kind,
                TokenKind::MlBasicString | TokenKind::MlLiteralString
            );
            let quotes = raw.get(..if multi { 3 } else { 1 }).unwrap_or("\"");
            let at = if multi {
                Span::new(span.start, (span.start + 3).min(span.end))
            } else {
                span
            };
            // Of a text over several lines, only the writer knows where it was to end.
            let repair = (!multi).then(|| {
                let end = raw.trim_end().trim_end_matches(',').trim_end().len();
                Repair::insert(span.start + narrow(end), quotes)
            });
            self.report_mended(
                line,
                at,
                format!("unclosed string: write `{quotes}` at its end"),
                repair,
            );
            return self.push_node(NodeKind::BrokenStr, span);
        }
        let mut first: Option<ParseError> = None;
        let _ = raw_of(raw, token.kind, span).decode_scalar(&mut (), &mut first);
        let kind = match first {
            None => NodeKind::Str,
            Some(error) => {
                let at = error_span(&error, raw, span);
                let is_escape = error.description() == "missing escaped value";
                let repair = is_escape.then(|| Repair::insert(at.start, "\\"));
                self.report_mended(line, at, describe(&error), repair);
                NodeKind::BrokenStr
            }
        };
        self.push_node(kind, span)
    }

    /// Parses a number, boolean, date, or a word that is none of them.
    pub(super) fn bare_scalar(&mut self) -> u32 {
        let line = self.line;
        let token = self.bump();
        let mut span = self.span(token);
        loop {
            let next = self.peek();
            match next.kind {
                TokenKind::Atom | TokenKind::Dot => {
                    self.bump();
                    span.end = next.end - self.start;
                }
                TokenKind::Whitespace if self.date_continues(span) => {
                    self.bump();
                    let time = self.bump();
                    span.end = time.end - self.start;
                }
                _ => break,
            }
        }
        let raw = self.slice(span);
        let kind = match self.scalar_kind(raw, span) {
            Ok(kind) => kind,
            Err((at, message, instead)) => {
                let repair = instead.map(|instead| Repair::replace(at, instead));
                self.report_mended(line, at, message, repair);
                NodeKind::Missing
            }
        };
        self.push_node(kind, span)
    }

    /// Whether a date is followed by a blank and a time.
    fn date_continues(&mut self, date: Span) -> bool {
        let second = self.tokens.get(self.position + 1);
        let starts_with_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        second.kind == TokenKind::Atom
            && date.len() == 10
            && starts_with_digit(self.slice(date))
            && starts_with_digit(self.slice(self.span(second)))
    }

    /// What a bare word is; or what is wrong with it, and what to write instead.
    fn scalar_kind(
        &self,
        raw: &'t str,
        span: Span,
    ) -> Result<NodeKind, (Span, String, Option<String>)> {
        match raw {
            "true" | "false" => return Ok(NodeKind::Boolean),
            _ => {}
        }
        let mut decoded = Cow::Borrowed("");
        let mut first: Option<ParseError> = None;
        let kind = raw_of(raw, TokenKind::Atom, span).decode_scalar(&mut decoded, &mut first);
        if let Some(error) = first {
            let (message, instead) = bad_scalar(raw, &error);
            return Err((span, message, instead));
        }
        match kind {
            ScalarKind::Boolean(_) => Ok(NodeKind::Boolean),
            ScalarKind::String => Err((
                span,
                format!("`{}` is no value: write it in quotes", shorten(raw)),
                in_quotes(raw),
            )),
            ScalarKind::Integer(radix) => i64::from_str_radix(&decoded, radix.value())
                .map(|_| NodeKind::Integer)
                .map_err(|_| {
                    (
                        span,
                        format!(
                            "integer out of range: write one between {} and {}",
                            i64::MIN,
                            i64::MAX
                        ),
                        None,
                    )
                }),
            ScalarKind::Float => {
                let infinite = decoded.parse::<f64>().is_ok_and(f64::is_infinite);
                if infinite && !raw.ends_with("inf") {
                    let message = "float out of range: write a smaller one";
                    return Err((span, message.to_owned(), None));
                }
                Ok(NodeKind::Float)
            }
            ScalarKind::DateTime => match decoded.parse::<toml_datetime::Datetime>() {
                Ok(_) => Ok(NodeKind::Datetime),
                Err(_) => Err((
                    span,
                    format!(
                        "`{}` is no date or time: write one like `2026-01-31T23:59:00Z`",
                        shorten(raw)
                    ),
                    None,
                )),
            },
        }
    }
}

/// The token as the decoders want it.
pub(in super::super) fn raw_of(text: &str, kind: TokenKind, span: Span) -> Raw<'_> {
    let encoding = match kind {
        TokenKind::BasicString => Some(Encoding::BasicString),
        TokenKind::LiteralString => Some(Encoding::LiteralString),
        TokenKind::MlBasicString => Some(Encoding::MlBasicString),
        TokenKind::MlLiteralString => Some(Encoding::MlLiteralString),
        _ => None,
    };
    Raw::new_unchecked(
        text,
        encoding,
        toml_parser::Span::new_unchecked(span.start as usize, span.end as usize),
    )
}

/// Where a decoder's error is; an escape sequence with its backslash.
fn error_span(error: &ParseError, text: &str, within: Span) -> Span {
    let Some(at) = error.unexpected() else {
        return within;
    };
    let mut start = narrow(at.start()).clamp(within.start, within.end);
    let mut end = narrow(at.end()).clamp(start, within.end);
    let before = text.get(..(start - within.start) as usize).unwrap_or("");
    if start == end && before.ends_with('\\') {
        let next = text
            .get(before.len()..)
            .and_then(|rest| rest.chars().next());
        end += narrow(next.map_or(0, char::len_utf8));
        start -= 1;
    }
    Span::new(start, end)
}

/// A decoder's error in words that say what to write.
fn describe(error: &ParseError) -> String {
    let expected = expected(error);
    let what = match error.description() {
        "missing escaped value" => return "invalid escape: write `\\\\` for a backslash, or one of \\b \\e \\f \\n \\r \\t \\\" \\xHH \\uHHHH \\UHHHHHHHH".to_owned(),
        "too few unicode value digits" => {
            return "too few digits in an escape: write \\xHH, \\uHHHH or \\UHHHHHHHH".to_owned();
        }
        "invalid value" => {
            return "escape of no Unicode scalar value: write one up to \\U0010FFFF, without surrogates"
                .to_owned();
        }
        "invalid basic string" | "invalid multi-line basic string" => {
            return "control character in a string: write it as \\uHHHH".to_owned();
        }
        "invalid literal string" | "invalid multi-line literal string" => {
            return "control character in a literal string: write a basic string with \\uHHHH"
                .to_owned();
        }
        other => other,
    };
    if expected.is_empty() {
        what.to_owned()
    } else {
        format!("{what}: write {expected}")
    }
}

/// A word in quotes, if it needs nothing but them.
fn in_quotes(raw: &str) -> Option<String> {
    let is_plain = |c: char| !c.is_control() && !matches!(c, '"' | '\'' | '\\');
    raw.chars().all(is_plain).then(|| format!("\"{raw}\""))
}

/// What is wrong with a word that is no value, and what to write instead.
fn bad_scalar(raw: &str, error: &ParseError) -> (String, Option<String>) {
    let shown = shorten(raw);
    let word = raw.starts_with(|c: char| c.is_alphabetic());
    if let (true, Some([Expected::Literal(literal)])) = (word, error.expected()) {
        let similar = raw.len().abs_diff(literal.len()) <= 1;
        if similar {
            let message = format!("`{shown}` is no value: write `{literal}`, or put it in quotes");
            return (message, Some((*literal).to_owned()));
        }
    }
    if raw.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        let message = format!("`{shown}` is no number or date: correct it, or write it in quotes");
        return (message, in_quotes(raw));
    }
    (
        format!("`{shown}` is no value: write it in quotes"),
        in_quotes(raw),
    )
}

fn expected(error: &ParseError) -> String {
    let words: Vec<String> = error
        .expected()
        .unwrap_or_default()
        .iter()
        .filter_map(|expected| match expected {
            Expected::Literal(text) => Some(format!("`{text}`")),
            Expected::Description(text) => Some((*text).to_owned()),
            _ => None,
        })
        .collect();
    words.join(" or ")
}
