//! Sections from tokens.
//!
//! ```toml
//! [conversation.tools.fs_modify_file]
//! enable              # a key without a value: kept, the value is missing
//! policy.run = [      # never closed: ends before the next header
//! [conversation]
//! ```
//!
//! The lexer and the decoders of keys and scalars are `toml_parser`'s, so that what is accepted cannot drift from what `jp` reads.
//! The order of tokens is judged here, because recovery needs to know where a line stands.
//!
//! # Where a statement ends that was never closed
//!
//! A bracket that is still open takes everything that follows, and a person who types has one open most of the time.
//! So each line within brackets is judged by what begins it and by how far it is indented:
//!
//! ```toml
//! policy.run = [
//!   { mode = "ask" }     # indented deeper than the statement: inside, whatever it is
//! result = "ask"         # a key and `=` where an item stands: no item looks like that, so the statement ends before this line
//! [conversation]         # a header, or an array in the array: both could be meant
//! ```
//!
//! - A line that only a statement or a header can begin ends the statement at once.
//!   The value is kept as far as it goes and marked as not closed, and the statement has *bailed*: nothing is looked for behind it.
//! - A line that may be either is taken for a part of the value, since most brackets are closed in the end, and the statement is *ambiguous*.
//! - Where an ambiguous statement bails after all, it is taken back to its start ([`Mark`]) and parsed once more with the other answer:
//!   up to the token that it came to (`strict_until`), every line that can be a statement is one.
//!   A mark below `strict_until` is not taken back again, so that no text is parsed more than twice, however many brackets are open.
//!
//! A section notes how far the lexer looked for all this (its *reach*), because an edit there can change it: see [`super::edit`].

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use toml_parser::lexer::TokenKind;

use super::error::{Repair, SyntaxError, SyntaxErrorKind};
use super::section::{
    KeyData, LocalKind, NONE, NodeData, NodeKind, Section, StatementData, TableData,
};
use super::span::{Span, narrow};
use super::tokens::{HeaderShape, Token, Tokens, header_shape};
use crate::words::shortened;

mod bracket;
mod header;
mod scalar;
mod table;

pub(super) use scalar::raw_of;
pub(super) use table::duplicate_error;

/// How deep keys and values may nest within one section, and how many segments a key may have.
pub(super) const MAX_DEPTH: u32 = 80;

/// Sizes of the arenas at the start of a statement, to take it back.
struct Mark {
    position: usize,
    line: u32,
    keys: usize,
    strings: usize,
    nodes: usize,
    lists: usize,
    items: usize,
    tables: usize,
    statements: usize,
    comments: usize,
    errors: usize,
    more_errors: u32,
    attempts: u32,
}

/// Parses sections one after the other.
pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Tokens<'t>,
    position: usize,
    start: u32,
    /// The text of the section so far, and all that follows.
    rest: &'t str,
    section: Section,
    line: u32,
    faulty_lines: BTreeSet<u32>,
    /// Whether the first section, which has no header, is behind.
    started: bool,
    /// Counts mistakes, the unreported ones too.
    attempts: u32,
    /// Ids of the elements of open arrays.
    scratch: Vec<u32>,
    statement_indent: u32,
    /// Whether the statement ended at the start of a line although brackets are open.
    bailed: bool,
    /// Whether the last brackets were closed.
    closed: bool,
    /// Whether a line in open brackets could have been the next statement.
    ambiguous: bool,
    /// Lines before this token are taken for the next statement if they can be.
    strict_until: usize,
    open_arrays: u32,
    open_inlines: u32,
}

impl<'t> Parser<'t> {
    /// Starts with section number `first`, which begins at `base`.
    pub(super) fn new(text: &'t str, first: usize, base: usize) -> Self {
        Self {
            text,
            tokens: Tokens::new(text, base),
            position: 0,
            start: narrow(base),
            rest: text.get(base..).unwrap_or(""),
            section: empty_section(),
            line: 0,
            faulty_lines: BTreeSet::new(),
            started: first > 0,
            attempts: 0,
            scratch: Vec::new(),
            statement_indent: 0,
            bailed: false,
            closed: false,
            ambiguous: false,
            strict_until: 0,
            open_arrays: 0,
            open_inlines: 0,
        }
    }

    /// Where the next section starts.
    pub(super) fn offset(&self) -> u32 {
        self.start
    }

    /// Parses the next section; `None` at the end of the text.
    ///
    /// The first section of a document may be empty.
    pub(super) fn section(&mut self) -> Option<Section> {
        if self.started && self.peek().kind == TokenKind::Eof {
            return None;
        }
        let body = TableData::new(LocalKind::Body, Span::default());
        self.section.tables.push(body);
        if self.started {
            self.header();
        }
        self.started = true;
        self.body();
        Some(self.finish())
    }

    fn finish(&mut self) -> Section {
        let end = self.peek().start;
        let mut section = std::mem::replace(&mut self.section, empty_section());
        section.len = end - self.start;
        section.revision = next_revision();
        section.reach = self.tokens.reach().saturating_sub(self.start);
        section.cut_string = std::mem::take(&mut self.tokens.cut_string);
        section.shrink();
        self.tokens.drop_front(self.position);
        self.position = 0;
        self.start = end;
        self.rest = self.text.get(end as usize..).unwrap_or("");
        self.line = 0;
        self.faulty_lines.clear();
        self.strict_until = 0;
        section
    }

    fn peek(&mut self) -> Token {
        self.tokens.get(self.position)
    }

    fn bump(&mut self) -> Token {
        let token = self.tokens.get(self.position);
        if token.kind != TokenKind::Eof {
            self.position += 1;
        }
        token
    }

    /// A token's range within the section.
    fn span(&self, token: Token) -> Span {
        Span::new(token.start - self.start, token.end - self.start)
    }

    fn slice(&self, span: Span) -> &'t str {
        self.rest.get(span.range()).unwrap_or("")
    }

    /// The offset after the last token that is not blank.
    fn end_of_content(&mut self) -> u32 {
        let mut index = self.position;
        while index > 0 {
            index -= 1;
            let token = self.tokens.get(index);
            if !matches!(
                token.kind,
                TokenKind::Whitespace | TokenKind::Newline | TokenKind::Comment | TokenKind::Eof
            ) {
                return token.end - self.start;
            }
        }
        0
    }

    /// Reports a mistake, unless its line has one: a second is mostly a consequence of the first.
    fn report(&mut self, line: u32, span: Span, message: impl Into<String>) {
        self.report_mended(line, span, message, None);
    }

    /// Reports a mistake as [`Parser::report`] does, with the replacement that mends it.
    fn report_mended(
        &mut self,
        line: u32,
        span: Span,
        message: impl Into<String>,
        repair: impl Into<Option<Repair>>,
    ) {
        self.attempts += 1;
        if self.faulty_lines.insert(line) {
            self.section.report(|| SyntaxError {
                kind: SyntaxErrorKind::Syntax,
                span,
                message: message.into(),
                related: None,
                repair: repair.into(),
            });
        }
    }

    fn skip_whitespace(&mut self) {
        while self.peek().kind == TokenKind::Whitespace {
            self.position += 1;
        }
    }

    fn comment(&mut self) {
        let token = self.bump();
        let span = self.span(token);
        self.section.comments.push(span);
        let text = self.slice(span);
        if let Some(at) = text
            .bytes()
            .position(|b| (b < 0x20 && b != b'\t') || b == 0x7f)
        {
            let at = span.start + narrow(at);
            self.report(
                self.line,
                Span::new(at, at + 1),
                "control character in a comment: remove it",
            );
        }
    }

    fn newline(&mut self) {
        let token = self.bump();
        let span = self.span(token);
        if self.slice(span) == "\r" {
            self.report(
                self.line,
                span,
                "carriage return without a line feed: end lines with a line feed",
            );
        }
        self.line += 1;
    }

    /// Whether the line at the current position begins with `[`.
    fn at_header(&mut self) -> bool {
        let mut index = self.position;
        while self.tokens.get(index).kind == TokenKind::Whitespace {
            index += 1;
        }
        self.tokens.get(index).kind == TokenKind::LeftSquareBracket
    }

    fn body(&mut self) {
        loop {
            if self.at_header() {
                return;
            }
            self.statement_indent = self.indent();
            self.skip_whitespace();
            match self.peek().kind {
                TokenKind::Eof => return,
                TokenKind::Newline => self.newline(),
                TokenKind::Comment => self.comment(),
                TokenKind::Comma
                | TokenKind::RightSquareBracket
                | TokenKind::LeftCurlyBracket
                | TokenKind::RightCurlyBracket => {
                    let token = self.peek();
                    let span = self.span(token);
                    self.report(
                        self.line,
                        span,
                        format!(
                            "unexpected `{}`: write `key = value` or a table header",
                            self.slice(span)
                        ),
                    );
                    self.skip_line();
                }
                _ => self.statement(),
            }
            self.bailed = false;
        }
    }

    /// The width of the blank that the line at the current position begins with.
    fn indent(&mut self) -> u32 {
        let token = self.peek();
        if token.kind == TokenKind::Whitespace {
            token.end - token.start
        } else {
            0
        }
    }

    fn statement(&mut self) {
        let mark = self.mark();
        self.ambiguous = false;
        self.open_arrays = 0;
        self.open_inlines = 0;
        let mut statement = self.key_value(0);
        if self.bailed && self.ambiguous && mark.position >= self.strict_until {
            // The brackets never closed, so the lines that could have been statements were.
            self.strict_until = self.position;
            self.reset(&mark);
            self.bailed = false;
            statement = self.key_value(0);
        }
        self.insert(0, statement, mark.line);
        if !self.bailed {
            self.trailing("value");
        }
    }

    /// Parses `key = value`.
    fn key_value(&mut self, depth: u32) -> StatementData {
        let line = self.line;
        let attempts = self.attempts;
        let (first_key, key_count) = self.key_path(depth);
        self.skip_whitespace();
        let mut equals = NONE;
        let value = if self.peek().kind == TokenKind::Equals {
            let token = self.bump();
            equals = token.end - self.start;
            self.skip_whitespace();
            while self.peek().kind == TokenKind::Equals {
                let token = self.bump();
                let span = self.span(token);
                self.report_mended(line, span, "second `=`: write one", Repair::remove(span));
                self.skip_whitespace();
            }
            self.value(depth + key_count)
        } else {
            let span = Span::new(self.key_start(first_key), self.end_of_content());
            if self.attempts == attempts {
                let key = shorten(self.slice(span));
                self.report(
                    line,
                    span,
                    format!("key without a value: write `{key} = ` and a value"),
                );
            }
            self.push_node(NodeKind::Missing, Span::new(span.end, span.end))
        };
        let start = self.key_start(first_key);
        let end = self.section.node(value).span.end;
        StatementData {
            first_key,
            key_count,
            equals,
            value,
            span: Span::new(start, end.max(start)),
        }
    }

    fn key_start(&self, key: u32) -> u32 {
        self.section
            .keys
            .get(key as usize)
            .map_or(0, |key| key.span.start)
    }

    /// Parses a dotted key; every segment has a key, a missing one where the text has none.
    fn key_path(&mut self, depth: u32) -> (u32, u32) {
        let first = narrow(self.section.keys.len());
        let mut count = 0;
        loop {
            self.skip_whitespace();
            let token = self.peek();
            let is_key = matches!(
                token.kind,
                TokenKind::Atom
                    | TokenKind::BasicString
                    | TokenKind::LiteralString
                    | TokenKind::MlBasicString
                    | TokenKind::MlLiteralString
            );
            if depth + count >= MAX_DEPTH {
                let span = self.span(token);
                self.report(
                    self.line,
                    span,
                    format!("nested too deeply: write at most {MAX_DEPTH} levels"),
                );
                if is_key {
                    self.bump();
                }
            } else if is_key {
                self.bump();
                self.key(token);
                count += 1;
            } else {
                self.missing_key(token, count);
                count += 1;
            }
            self.skip_whitespace();
            if self.peek().kind != TokenKind::Dot {
                break;
            }
            self.bump();
        }
        if count == 0 {
            let at = self.end_of_content();
            self.push_missing_key(at);
            count = 1;
        }
        (first, count)
    }

    fn missing_key(&mut self, next: Token, count: u32) {
        let at = if count == 0 {
            next.start - self.start
        } else {
            self.end_of_content()
        };
        let message = if next.kind == TokenKind::Equals && count == 0 {
            "missing key: write a key before `=`"
        } else if next.kind == TokenKind::Dot {
            "missing key segment: write a name before `.`"
        } else {
            "missing key segment: write a name after `.`"
        };
        self.report(self.line, Span::new(at, at), message);
        self.push_missing_key(at);
    }

    fn push_missing_key(&mut self, at: u32) {
        self.section.keys.push(KeyData {
            span: Span::new(at, at),
            text: Span::new(at, at),
            owned: NONE,
            next: NONE,
            bare_star: false,
            missing: true,
        });
    }

    fn key_text(&self, key: u32) -> String {
        self.section.key_text(key, self.rest).to_owned()
    }

    fn is_missing(&self, key: u32) -> bool {
        self.section
            .keys
            .get(key as usize)
            .is_some_and(|k| k.missing)
    }

    fn push_node(&mut self, kind: NodeKind, span: Span) -> u32 {
        self.section.nodes.push(NodeData {
            kind,
            closed: true,
            span,
            payload: NONE,
        });
        narrow(self.section.nodes.len() - 1)
    }

    fn push_table(&mut self, kind: LocalKind, span: Span) -> u32 {
        self.section.tables.push(TableData::new(kind, span));
        narrow(self.section.tables.len() - 1)
    }

    /// Parses what may follow a statement on its line.
    fn trailing(&mut self, after: &str) {
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::Whitespace => {
                    self.bump();
                }
                TokenKind::Comment => self.comment(),
                TokenKind::Newline => {
                    self.newline();
                    return;
                }
                TokenKind::Eof => return,
                _ => {
                    let span = self.span(token);
                    self.report(
                        self.line,
                        span,
                        format!(
                            "unexpected `{}` after the {after}: write it on a line of its own",
                            shorten(self.slice(span))
                        ),
                    );
                    self.skip_line();
                    return;
                }
            }
        }
    }

    /// Skips to the next line.
    fn skip_line(&mut self) {
        loop {
            match self.peek().kind {
                TokenKind::Eof => return,
                TokenKind::Newline => {
                    self.newline();
                    return;
                }
                TokenKind::Comment => self.comment(),
                _ => {
                    self.bump();
                }
            }
        }
    }

    fn mark(&self) -> Mark {
        Mark {
            position: self.position,
            line: self.line,
            keys: self.section.keys.len(),
            strings: self.section.strings.len(),
            nodes: self.section.nodes.len(),
            lists: self.section.lists.len(),
            items: self.section.items.len(),
            tables: self.section.tables.len(),
            statements: self.section.statements.len(),
            comments: self.section.comments.len(),
            errors: self.section.errors.len(),
            more_errors: self.section.more_errors,
            attempts: self.attempts,
        }
    }
}

fn empty_section() -> Section {
    Section {
        revision: 0,
        len: 0,
        header: None,
        keys: Vec::new(),
        strings: Vec::new(),
        nodes: Vec::new(),
        lists: Vec::new(),
        items: Vec::new(),
        tables: Vec::new(),
        statements: Vec::new(),
        comments: Vec::new(),
        errors: Vec::new(),
        more_errors: 0,
        reach: 0,
        cut_string: false,
    }
}

fn next_revision() -> u64 {
    static REVISION: AtomicU64 = AtomicU64::new(1);
    REVISION.fetch_add(1, Ordering::Relaxed)
}

/// Text of the user's for a message: one line, no control characters, not too long.
pub(super) fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    shortened(text, LONGEST).replace(char::is_control, "\u{fffd}")
}
