//! Values, and above all arrays and inline tables with their recovery.
//!
//! ```toml
//! run = [
//!   { arg = "/path", prefix = "src/"     # never closed: ends at the next `{`
//!   { mode = "ask" },
//! ]
//! ```

use toml_parser::lexer::TokenKind;

use super::super::error::Repair;
use super::super::section::{LocalKind, NodeKind};
use super::super::span::{Span, narrow};
use super::{HeaderShape, MAX_DEPTH, Mark, Parser, Token, header_shape, shorten};

#[derive(Copy, Clone, Eq, PartialEq)]
enum Bracket {
    Array,
    Inline,
}

/// What a line within open brackets means for them.
#[derive(Copy, Clone, Eq, PartialEq)]
enum Line {
    /// It goes on with the construct.
    Inside,
    /// It begins the next element of the array around an inline table.
    EndsConstruct,
    /// It begins the next statement or section.
    EndsStatement,
}

impl Parser<'_> {
    /// Parses a value at the current position.
    pub(super) fn value(&mut self, depth: u32) -> u32 {
        let token = self.peek();
        match token.kind {
            TokenKind::LeftSquareBracket if depth >= MAX_DEPTH => self.too_deep(),
            TokenKind::LeftCurlyBracket if depth >= MAX_DEPTH => self.too_deep(),
            TokenKind::LeftSquareBracket => self.array(depth),
            TokenKind::LeftCurlyBracket => self.inline_table(depth),
            TokenKind::BasicString
            | TokenKind::LiteralString
            | TokenKind::MlBasicString
            | TokenKind::MlLiteralString => self.string(),
            TokenKind::Atom | TokenKind::Dot => self.bare_scalar(),
            _ => {
                let at = self.end_of_content();
                self.report(
                    self.line,
                    Span::new(at.saturating_sub(1), at),
                    "missing value: write a value after `=`",
                );
                let at = (token.start - self.start).min(at + self.blank_after(at));
                self.push_node(NodeKind::Missing, Span::new(at, at))
            }
        }
    }

    /// One if a blank follows `at`, so that a missing value lies where it would be typed.
    fn blank_after(&self, at: u32) -> u32 {
        u32::from(self.slice(Span::new(at, at + 1)) == " ")
    }

    fn array(&mut self, depth: u32) -> u32 {
        let line = self.line;
        let open = self.bump();
        let span = self.span(open);
        let node = self.push_node(NodeKind::Array, span);
        let base = self.scratch.len();
        self.open_arrays += 1;
        let end = self.array_items(depth, open, line);
        self.open_arrays -= 1;
        let start = narrow(self.section.items.len());
        let count = narrow(self.scratch.len() - base);
        self.section.items.extend(self.scratch.drain(base..));
        let list = narrow(self.section.lists.len());
        self.section.lists.push((start, count));
        if let Some(data) = self.section.nodes.get_mut(node as usize) {
            data.span.end = end;
            data.closed = self.closed;
            data.payload = list;
        }
        node
    }

    /// Parses up to and with the `]`; returns where the array ends.
    fn array_items(&mut self, depth: u32, open: Token, line: u32) -> u32 {
        let mut needs_comma = false;
        let mut after_comma = true;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::Whitespace => {
                    self.bump();
                }
                TokenKind::Comment => self.comment(),
                TokenKind::Newline => {
                    self.newline();
                    if self.judge_line(Bracket::Array, after_comma) == Line::EndsStatement {
                        self.bailed = true;
                        return self.unclosed(open, line);
                    }
                }
                TokenKind::RightSquareBracket => {
                    self.bump();
                    self.closed = true;
                    return token.end - self.start;
                }
                // In `{ value = [1, strategy = "append" }` the comma is the inline table's.
                TokenKind::Comma if self.open_inlines > 0 && self.key_at(self.position + 1) => {
                    return self.unclosed(open, line);
                }
                TokenKind::Comma => {
                    if after_comma {
                        let span = self.span(token);
                        self.report_mended(
                            self.line,
                            span,
                            "missing array item: remove this `,`",
                            Repair::remove(span),
                        );
                    }
                    self.bump();
                    needs_comma = false;
                    after_comma = true;
                }
                TokenKind::Eof => {
                    self.bailed = true;
                    return self.unclosed(open, line);
                }
                TokenKind::RightCurlyBracket if self.open_inlines > 0 => {
                    return self.unclosed(open, line);
                }
                TokenKind::RightCurlyBracket | TokenKind::Equals => {
                    self.stray(token, "write array items as values, keys within `{ }`");
                    needs_comma = false;
                }
                _ => {
                    if needs_comma {
                        let before = self.end_of_content();
                        self.report_mended(
                            self.line,
                            self.span(token),
                            "missing `,` between array items: write one before this",
                            Repair::insert(before, ","),
                        );
                    }
                    let attempts = self.attempts;
                    let item = self.value(depth + 1);
                    self.scratch.push(item);
                    needs_comma = self.attempts == attempts;
                    after_comma = false;
                    if self.bailed {
                        return self.end_of_content();
                    }
                }
            }
        }
    }

    fn inline_table(&mut self, depth: u32) -> u32 {
        let line = self.line;
        let open = self.bump();
        let span = self.span(open);
        let node = self.push_node(NodeKind::Inline, span);
        let table = self.push_table(LocalKind::Inline, span);
        let in_array = self.open_arrays > 0;
        self.open_inlines += 1;
        let outer_arrays = self.open_arrays;
        let end = self.inline_entries(depth, table, open, line, in_array);
        self.open_arrays = outer_arrays;
        self.open_inlines -= 1;
        if let Some(data) = self.section.nodes.get_mut(node as usize) {
            data.span.end = end;
            data.closed = self.closed;
            data.payload = table;
        }
        if let Some(data) = self.section.tables.get_mut(table as usize) {
            data.span.end = end;
        }
        node
    }

    /// Parses up to and with the `}`; returns where the inline table ends.
    fn inline_entries(
        &mut self,
        depth: u32,
        table: u32,
        open: Token,
        line: u32,
        in_array: bool,
    ) -> u32 {
        let mut needs_comma = false;
        let mut after_comma = true;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::Whitespace => {
                    self.bump();
                }
                TokenKind::Comment => self.comment(),
                TokenKind::Newline => {
                    self.newline();
                    match self.judge_line(Bracket::Inline, after_comma) {
                        Line::EndsStatement => {
                            self.bailed = true;
                            return self.unclosed(open, line);
                        }
                        Line::EndsConstruct if in_array => return self.unclosed(open, line),
                        Line::EndsConstruct | Line::Inside => {}
                    }
                }
                TokenKind::RightCurlyBracket => {
                    self.bump();
                    self.closed = true;
                    return token.end - self.start;
                }
                TokenKind::Comma => {
                    if after_comma {
                        let span = self.span(token);
                        self.report_mended(
                            self.line,
                            span,
                            "missing `key = value`: remove this `,`",
                            Repair::remove(span),
                        );
                    }
                    self.bump();
                    needs_comma = false;
                    after_comma = true;
                }
                TokenKind::Eof => {
                    self.bailed = true;
                    return self.unclosed(open, line);
                }
                TokenKind::RightSquareBracket if in_array => {
                    return self.unclosed(open, line);
                }
                TokenKind::RightSquareBracket => {
                    self.stray(token, "write `}` to close the inline table");
                }
                TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                    self.report(
                        self.line,
                        self.span(token),
                        "value without a key: write `key = ` before it",
                    );
                    self.value(depth + 1);
                    needs_comma = false;
                    after_comma = false;
                    if self.bailed {
                        return self.end_of_content();
                    }
                }
                _ => {
                    if needs_comma {
                        let before = self.end_of_content();
                        self.report_mended(
                            self.line,
                            self.span(token),
                            "missing `,` between the entries of an inline table: write one before this",
                            Repair::insert(before, ","),
                        );
                    }
                    let attempts = self.attempts;
                    let start = self.line;
                    let statement = self.key_value(depth + 1);
                    self.insert(table, statement, start);
                    needs_comma = self.attempts == attempts;
                    after_comma = false;
                    if self.bailed {
                        return self.end_of_content();
                    }
                }
            }
        }
    }

    fn stray(&mut self, token: Token, instead: &str) {
        let span = self.span(token);
        self.report(
            self.line,
            span,
            format!("unexpected `{}`: {instead}", shorten(self.slice(span))),
        );
        self.bump();
    }

    /// Reports an opening bracket that nothing closes; returns where its content ends.
    fn unclosed(&mut self, open: Token, line: u32) -> u32 {
        self.closed = false;
        let span = self.span(open);
        let (message, lacking) = if open.kind == TokenKind::LeftSquareBracket {
            ("unclosed array: write `]` at its end", "]")
        } else {
            ("unclosed inline table: write `}` at its end", " }")
        };
        let end = self.end_of_content().max(span.end);
        // Of many on one line, only the first is reported: the others must not cost what it does.
        let repair = (!self.faulty_lines.contains(&line)).then(|| {
            let content = self.slice(Span::new(span.end, end));
            let line_break = if content.contains("\r\n") {
                "\r\n"
            } else if content.contains('\n') {
                "\n"
            } else {
                return Repair::insert(end, lacking);
            };
            Repair::insert(end, format!("{line_break}{}", lacking.trim_start()))
        });
        self.report_mended(line, span, message, repair);
        end
    }

    /// Judges the line at the current position, within brackets of the given sort.
    ///
    /// `expects_item` is whether a further item or entry may stand here without a comma before it.
    fn judge_line(&mut self, bracket: Bracket, expects_item: bool) -> Line {
        let indent = self.indent();
        let first = self.position + usize::from(indent > 0);
        let kind = self.tokens.get(first).kind;
        if bracket == Bracket::Inline
            && (kind == TokenKind::LeftCurlyBracket || self.text_item_at(first))
        {
            return Line::EndsConstruct;
        }
        if indent > self.statement_indent {
            return Line::Inside;
        }
        let certain = match kind {
            TokenKind::LeftSquareBracket => match self.header_at(first) {
                None => return Line::Inside,
                Some(HeaderShape::Header) => true,
                Some(HeaderShape::HeaderOrArray) => bracket == Bracket::Inline || !expects_item,
            },
            TokenKind::Atom | TokenKind::BasicString | TokenKind::LiteralString => {
                if !self.key_at(first) {
                    return Line::Inside;
                }
                let certain = bracket == Bracket::Array || !expects_item;
                if !certain && self.ends_with_comma(first) {
                    return Line::Inside;
                }
                certain
            }
            _ => return Line::Inside,
        };
        if certain || self.position < self.strict_until {
            return Line::EndsStatement;
        }
        self.ambiguous = true;
        Line::Inside
    }

    fn header_at(&mut self, first: usize) -> Option<HeaderShape> {
        let mut index = first;
        let (text, tokens) = (self.text, &mut self.tokens);
        header_shape(|| {
            let token = tokens.get(index);
            index += 1;
            let raw = text
                .get(token.start as usize..token.end as usize)
                .unwrap_or("");
            (token.kind, raw)
        })
    }

    /// Whether the tokens from `first` on are a key and `=`.
    fn key_at(&mut self, first: usize) -> bool {
        let mut index = first;
        let mut after_key = false;
        loop {
            match self.tokens.get(index).kind {
                TokenKind::Whitespace => {}
                TokenKind::Dot if after_key => after_key = false,
                TokenKind::Equals => return after_key,
                TokenKind::Atom | TokenKind::BasicString | TokenKind::LiteralString
                    if !after_key =>
                {
                    after_key = true;
                }
                _ => return false,
            }
            index += 1;
        }
    }

    /// Whether the tokens from `first` on are a text and what ends it as an item of an array.
    ///
    /// A quoted key that is being written has neither `=` nor a comma behind it.
    fn text_item_at(&mut self, first: usize) -> bool {
        let text = matches!(
            self.tokens.get(first).kind,
            TokenKind::BasicString | TokenKind::LiteralString
        );
        let next = first + 1;
        let blank = self.tokens.get(next).kind == TokenKind::Whitespace;
        let end = self.tokens.get(next + usize::from(blank)).kind;
        text && matches!(end, TokenKind::Comma | TokenKind::RightSquareBracket)
    }

    /// Whether the last token of the line is a comma, as after an entry of an inline table.
    fn ends_with_comma(&mut self, first: usize) -> bool {
        let mut index = first;
        let mut comma = false;
        loop {
            match self.tokens.get(index).kind {
                TokenKind::Newline | TokenKind::Eof => return comma,
                TokenKind::Whitespace | TokenKind::Comment => {}
                kind => comma = kind == TokenKind::Comma,
            }
            index += 1;
        }
    }

    /// Skips a value that nests too deeply.
    fn too_deep(&mut self) -> u32 {
        let open = self.peek();
        let start = self.span(open);
        self.report(
            self.line,
            start,
            format!("nested too deeply: write at most {MAX_DEPTH} levels"),
        );
        let mut depth = 0u32;
        self.closed = false;
        loop {
            match self.peek().kind {
                TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => depth += 1,
                TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        break;
                    }
                }
                TokenKind::Comment => {
                    self.comment();
                    continue;
                }
                TokenKind::Newline => {
                    self.newline();
                    if self.judge_line(Bracket::Array, false) == Line::EndsStatement {
                        self.bailed = true;
                        break;
                    }
                    continue;
                }
                TokenKind::Eof => {
                    self.bailed = true;
                    break;
                }
                _ => {}
            }
            self.bump();
        }
        let end = self.end_of_content();
        self.push_node(NodeKind::Missing, Span::new(start.start, end))
    }

    /// Takes everything since `mark` back.
    pub(super) fn reset(&mut self, mark: &Mark) {
        let section = &mut self.section;
        section.keys.truncate(mark.keys);
        section.strings.truncate(mark.strings);
        section.nodes.truncate(mark.nodes);
        section.lists.truncate(mark.lists);
        section.items.truncate(mark.items);
        section.comments.truncate(mark.comments);
        section.errors.truncate(mark.errors);
        section.more_errors = mark.more_errors;
        section.statements.truncate(mark.statements);
        section.tables.truncate(mark.tables);
        self.position = mark.position;
        self.line = mark.line;
        self.attempts = mark.attempts;
        self.faulty_lines.split_off(&mark.line);
        self.scratch.clear();
    }
}
