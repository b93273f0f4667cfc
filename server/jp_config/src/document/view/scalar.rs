//! Scalars, and the way from a decoded string back to its source.
//!
//! ```toml
//! pattern = "rm\\s+"     # decoded `rm\s+`: byte 3 is source bytes 5..6
//! ```

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use toml_parser::decoder::ScalarKind;
use toml_parser::lexer::TokenKind;

use super::super::parser::raw_of;
use super::super::section::NodeKind;
use super::super::span::{Span, narrow};
use super::node_ref::NodeRef;

#[cfg(test)]
#[path = "scalar_tests.rs"]
mod tests;

/// A number, boolean, date, or text that is no value; keeps its source text.
#[derive(Copy, Clone)]
pub struct Scalar<'a> {
    pub(in super::super) node: NodeRef<'a>,
}

impl<'a> Scalar<'a> {
    /// Where it stands; empty where a value is missing.
    #[must_use]
    pub fn span(self) -> Span {
        self.node.span()
    }

    /// The text as written.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.node.text()
    }

    pub(super) fn integer(self) -> Option<i64> {
        match self.decode() {
            (ScalarKind::Integer(radix), text) => i64::from_str_radix(&text, radix.value()).ok(),
            _ => None,
        }
    }

    pub(super) fn float(self) -> Option<f64> {
        match self.decode() {
            (ScalarKind::Float, text) => text.parse().ok(),
            _ => None,
        }
    }

    fn decode(self) -> (ScalarKind, Cow<'a, str>) {
        let text = self.text();
        let mut decoded = Cow::Borrowed("");
        let raw = raw_of(text, TokenKind::Atom, Span::new(0, narrow(text.len())));
        let kind = raw.decode_scalar(&mut decoded, &mut ());
        (kind, decoded)
    }
}

/// A string.
#[derive(Copy, Clone)]
pub struct Str<'a> {
    pub(in super::super) node: NodeRef<'a>,
}

/// A stretch of a string literal that decodes to `decoded` bytes.
struct Piece {
    source: Range<usize>,
    decoded: usize,
    /// Whether each source byte is one decoded byte.
    verbatim: bool,
}

impl<'a> Str<'a> {
    /// Where it stands, quotes included.
    #[must_use]
    pub fn span(self) -> Span {
        self.node.span()
    }

    /// The literal as written, quotes included.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.node.text()
    }

    /// The decoded string; of a string with a mistake, what can be decoded.
    #[must_use]
    pub fn value(self) -> Cow<'a, str> {
        let text = self.text();
        let mut decoded = Cow::Borrowed("");
        let raw = raw_of(text, token_kind(text), Span::new(0, narrow(text.len())));
        let _ = raw.decode_scalar(&mut decoded, &mut ());
        decoded
    }

    /// Whether the string has its closing quotes and no invalid escape.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.node.data().kind == NodeKind::Str
    }

    /// Whether it is written over several lines, in triple quotes.
    #[must_use]
    pub fn is_multi_line(self) -> bool {
        matches!(
            token_kind(self.text()),
            TokenKind::MlBasicString | TokenKind::MlLiteralString
        )
    }

    /// The source of a range of decoded bytes, through escapes and trimmed line breaks.
    ///
    /// An empty range gives the place before the source of the byte it stands at.
    /// A range beyond the string is cut.
    #[must_use]
    pub fn span_of(self, decoded: Range<usize>) -> Span {
        let text = self.text();
        let base = self.span().start;
        let inner = content(text);
        let (mut start, mut end) = (None, None);
        let mut at = 0;
        for piece in pieces(text, inner.clone()) {
            let next = at + piece.decoded;
            if start.is_none() && decoded.start < next {
                start = Some(piece.offset(decoded.start.saturating_sub(at)));
            }
            if end.is_none() && decoded.end <= next && (piece.decoded > 0 || decoded.end < at) {
                end = Some(piece.end_offset(decoded.end.saturating_sub(at)));
            }
            at = next;
            if start.is_some() && end.is_some() {
                break;
            }
        }
        let start = start.unwrap_or(inner.end);
        let end = if decoded.is_empty() {
            start
        } else {
            end.unwrap_or(inner.end).max(start)
        };
        Span::new(base + narrow(start), base + narrow(end))
    }

    /// The decoded byte at a source offset; within the opening quotes 0, within the closing ones the length.
    #[must_use]
    pub fn decoded_offset(self, offset: u32) -> usize {
        let text = self.text();
        let target = offset.saturating_sub(self.span().start) as usize;
        let mut at = 0;
        for piece in pieces(text, content(text)) {
            if target < piece.source.end {
                let within = target.saturating_sub(piece.source.start);
                return at + if piece.verbatim { within } else { 0 };
            }
            at += piece.decoded;
        }
        at
    }
}

impl Piece {
    fn offset(&self, decoded: usize) -> usize {
        self.source.start + if self.verbatim { decoded } else { 0 }
    }

    fn end_offset(&self, decoded: usize) -> usize {
        if self.verbatim {
            self.source.start + decoded
        } else {
            self.source.end
        }
    }
}

fn token_kind(text: &str) -> TokenKind {
    if text.starts_with("\"\"\"") {
        TokenKind::MlBasicString
    } else if text.starts_with("'''") {
        TokenKind::MlLiteralString
    } else if text.starts_with('\'') {
        TokenKind::LiteralString
    } else {
        TokenKind::BasicString
    }
}

/// The part of a literal between its quotes, without a line break right after opening triple quotes.
fn content(text: &str) -> Range<usize> {
    let kind = token_kind(text);
    let (quotes, multi) = match kind {
        TokenKind::MlBasicString => ("\"\"\"", true),
        TokenKind::MlLiteralString => ("'''", true),
        TokenKind::LiteralString => ("'", false),
        _ => ("\"", false),
    };
    let mut start = quotes.len().min(text.len());
    let closed = super::super::tokens::is_closed(text, kind);
    let end = if closed {
        text.len().saturating_sub(quotes.len()).max(start)
    } else {
        text.len()
    };
    if multi {
        let rest = text.get(start..end).unwrap_or("");
        if rest.starts_with("\r\n") {
            start += 2;
        } else if rest.starts_with('\n') {
            start += 1;
        }
    }
    start..end
}

/// The literal's content as pieces, in order.
fn pieces(text: &str, inner: Range<usize>) -> impl Iterator<Item = Piece> + '_ {
    let escapes = matches!(
        token_kind(text),
        TokenKind::BasicString | TokenKind::MlBasicString
    );
    let mut at = inner.start;
    std::iter::from_fn(move || {
        let rest = text.get(at..inner.end)?;
        if rest.is_empty() {
            return None;
        }
        let plain = if escapes {
            rest.find('\\').unwrap_or(rest.len())
        } else {
            rest.len()
        };
        let piece = if plain > 0 {
            Piece {
                source: at..at + plain,
                decoded: plain,
                verbatim: true,
            }
        } else {
            let (len, decoded) = escape(rest);
            Piece {
                source: at..at + len,
                decoded,
                verbatim: false,
            }
        };
        at = piece.source.end;
        Some(piece)
    })
}

/// The source and decoded lengths of the escape that `rest` begins with.
fn escape(rest: &str) -> (usize, usize) {
    let after = rest.get(1..).unwrap_or("");
    let Some(letter) = after.chars().next() else {
        return (1, 1);
    };
    let digits = match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        ' ' | '\t' | '\r' | '\n' => {
            let blank = after.len() - after.trim_start_matches([' ', '\t', '\r', '\n']).len();
            return (1 + blank, 0);
        }
        'b' | 'e' | 'f' | 'n' | 'r' | 't' | '\\' | '"' => return (2, 1),
        _ => return (1, 1),
    };
    let hex: String = after
        .chars()
        .skip(1)
        .take(digits)
        .take_while(char::is_ascii_hexdigit)
        .collect();
    let scalar = u32::from_str_radix(&hex, 16)
        .ok()
        .filter(|_| hex.len() == digits)
        .and_then(char::from_u32)
        .unwrap_or('\u{fffd}');
    (2 + hex.len(), scalar.len_utf8())
}

impl fmt::Debug for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{:?}", self.text(), self.span().range())
    }
}

impl fmt::Debug for Str<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{:?}", self.text(), self.span().range())
    }
}
