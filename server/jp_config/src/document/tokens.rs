//! The tokens of one section at a time, lexed on demand.
//!
//! ```toml
//! text = """    # never closed: the token ends before the next header line
//! some words
//! [conversation]
//! ```

use toml_parser::Source;
use toml_parser::lexer::{Lexer, TokenKind};

use super::span::narrow;

/// A token with offsets in the whole text.
#[derive(Copy, Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A growing window of tokens over the text.
///
/// [`Tokens::get`] lexes as far as asked, so that looking ahead never costs more than the text looked at.
pub(super) struct Tokens<'t> {
    text: &'t str,
    base: usize,
    lexer: Lexer<'t>,
    buffer: Vec<Token>,
    /// Where the window begins in `buffer`.
    head: usize,
    /// Whether a multi-line string was cut short because the rest of the text holds no closing quotes.
    pub(super) cut_string: bool,
}

impl<'t> Tokens<'t> {
    /// Starts at `base`, which must be zero or the start of a header line.
    pub(super) fn new(text: &'t str, base: usize) -> Self {
        Self {
            text,
            base,
            lexer: Source::new(text.get(base..).unwrap_or("")).lex(),
            buffer: Vec::new(),
            head: 0,
            cut_string: false,
        }
    }

    /// The token at `index` of the window; the end-of-input token for every index beyond the text.
    #[inline]
    pub(super) fn get(&mut self, index: usize) -> Token {
        match self.buffer.get(self.head + index) {
            Some(token) => *token,
            None => self.fill(self.head + index),
        }
    }

    fn fill(&mut self, index: usize) -> Token {
        let end = Token {
            kind: TokenKind::Eof,
            start: narrow(self.text.len()),
            end: narrow(self.text.len()),
        };
        while self.buffer.len() <= index {
            let Some(raw) = self.lexer.next() else {
                return end;
            };
            let mut token = Token {
                kind: raw.kind(),
                start: narrow(self.base + raw.span().start()),
                end: narrow(self.base + raw.span().end()),
            };
            let reaches_end = token.end as usize == self.text.len();
            if reaches_end
                && matches!(
                    token.kind,
                    TokenKind::MlBasicString | TokenKind::MlLiteralString
                )
            {
                self.cut(&mut token);
            }
            self.buffer.push(token);
        }
        self.buffer.get(index).copied().unwrap_or(end)
    }

    /// Forgets the first `count` tokens.
    pub(super) fn drop_front(&mut self, count: usize) {
        self.head = (self.head + count).min(self.buffer.len());
        // What is moved was paid for by what is dropped.
        if self.head * 2 >= self.buffer.len() {
            self.buffer.drain(..self.head);
            self.head = 0;
        }
    }

    /// How far the text was looked at; the byte there took part in ending the last token.
    pub(super) fn reach(&self) -> u32 {
        self.buffer.last().map_or(0, |token| token.end)
    }

    /// Ends an unclosed multi-line string before the first header line that follows its opening.
    fn cut(&mut self, token: &mut Token) {
        let start = token.start as usize;
        let Some(raw) = self.text.get(start..) else {
            return;
        };
        if is_closed(raw, token.kind) {
            return;
        }
        self.cut_string = true;
        let mut line = 0;
        while let Some(newline) = raw.get(line..).and_then(|rest| rest.find('\n')) {
            let end = line + newline;
            line = end + 1;
            let Some(rest) = raw.get(line..) else { break };
            if !rest.starts_with('[') || !is_header_line(rest) {
                continue;
            }
            let end = if raw.get(..end).is_some_and(|text| text.ends_with('\r')) {
                end - 1
            } else {
                end
            };
            token.end = narrow(start + end);
            self.base = start + end;
            self.lexer = Source::new(self.text.get(self.base..).unwrap_or("")).lex();
            return;
        }
    }
}

/// Whether a string token ends with its closing quotes, as the lexer reads them.
pub(super) fn is_closed(raw: &str, kind: TokenKind) -> bool {
    let (quotes, escapes) = match kind {
        TokenKind::BasicString => ("\"", true),
        TokenKind::LiteralString => ("'", false),
        TokenKind::MlBasicString => ("\"\"\"", true),
        TokenKind::MlLiteralString => ("'''", false),
        _ => return true,
    };
    let Some(inner) = raw
        .strip_prefix(quotes)
        .and_then(|rest| rest.strip_suffix(quotes))
    else {
        return false;
    };
    if !escapes {
        return true;
    }
    let backslashes = inner.bytes().rev().take_while(|b| *b == b'\\').count();
    backslashes.is_multiple_of(2)
}

/// Whether the first line of `text` is a whole header, alone but for a comment.
fn is_header_line(text: &str) -> bool {
    let line = text.lines().next().unwrap_or("");
    let mut lexer = Source::new(line).lex();
    header_shape(|| {
        lexer.next().map_or((TokenKind::Eof, ""), |token| {
            (
                token.kind(),
                line.get(token.span().start()..token.span().end())
                    .unwrap_or(""),
            )
        })
    })
    .is_some()
}

/// What a line that looks like a header could be besides.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) enum HeaderShape {
    /// It can only be a header.
    Header,
    /// It could be an element of an array as well: `["a"]`, `[1.5]`.
    HeaderOrArray,
}

/// Judges the tokens of a line that begins with `[`; `None` if they are no complete header alone on the line.
pub(super) fn header_shape<'t>(
    mut next: impl FnMut() -> (TokenKind, &'t str),
) -> Option<HeaderShape> {
    let skip_blank = |next: &mut dyn FnMut() -> (TokenKind, &'t str)| {
        loop {
            let token = next();
            if token.0 != TokenKind::Whitespace {
                return token;
            }
        }
    };
    if next().0 != TokenKind::LeftSquareBracket {
        return None;
    }
    let mut token = next();
    let array = token.0 == TokenKind::LeftSquareBracket;
    if array || token.0 == TokenKind::Whitespace {
        token = skip_blank(&mut next);
    }
    let mut joined = String::new();
    let (mut segments, mut strings) = (0, 0);
    loop {
        match token.0 {
            TokenKind::Atom if is_bare(token.1) => joined.push_str(token.1),
            TokenKind::BasicString | TokenKind::LiteralString if is_closed(token.1, token.0) => {
                strings += 1;
            }
            _ => return None,
        }
        segments += 1;
        token = skip_blank(&mut next);
        if token.0 != TokenKind::Dot {
            break;
        }
        joined.push('.');
        token = skip_blank(&mut next);
    }
    if token.0 != TokenKind::RightSquareBracket {
        return None;
    }
    if array && next().0 != TokenKind::RightSquareBracket {
        return None;
    }
    let end = skip_blank(&mut next).0;
    if !matches!(
        end,
        TokenKind::Comment | TokenKind::Newline | TokenKind::Eof
    ) {
        return None;
    }
    let could_be_value = if strings > 0 {
        segments == 1
    } else {
        is_scalar(&joined)
    };
    Some(if could_be_value {
        HeaderShape::HeaderOrArray
    } else {
        HeaderShape::Header
    })
}

/// Whether an atom is a bare key, or the `*` that stands for one.
pub(super) fn is_bare(atom: &str) -> bool {
    atom == "*"
        || (!atom.is_empty()
            && atom
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'))
}

fn is_scalar(text: &str) -> bool {
    let raw = toml_parser::Raw::new_unchecked(
        text,
        None,
        toml_parser::Span::new_unchecked(0, text.len()),
    );
    let mut error: Option<toml_parser::ParseError> = None;
    let _ = raw.decode_scalar(&mut (), &mut error);
    error.is_none()
}
