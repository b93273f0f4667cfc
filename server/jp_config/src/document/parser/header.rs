//! Headers, which begin sections.
//!
//! ```toml
//! [conversation.tools.a
//! # a header that is not closed ends with its line
//! ```

use toml_parser::lexer::TokenKind;

use super::super::error::Repair;
use super::super::section::HeaderData;
use super::super::span::Span;
use super::{Parser, Token};

impl Parser<'_> {
    pub(super) fn header(&mut self) {
        self.skip_whitespace();
        let open = self.bump();
        let is_array = self.peek().kind == TokenKind::LeftSquareBracket;
        if is_array {
            self.bump();
        }
        self.skip_whitespace();
        if self.peek().kind == TokenKind::RightSquareBracket
            || matches!(
                self.peek().kind,
                TokenKind::Newline | TokenKind::Eof | TokenKind::Comment
            )
        {
            let at = self.end_of_content();
            self.report(
                self.line,
                Span::new(at, at),
                "table header without a name: write a name between the brackets",
            );
        }
        let (_, key_count) = self.key_path(0);
        self.header_close(open, is_array);
        let end = self.end_of_content();
        let span = Span::new(open.start - self.start, end);
        self.trailing("table header");
        let mut line_end = end;
        if let Some(last) = self.position.checked_sub(1) {
            let token = self.tokens.get(last);
            line_end = if token.kind == TokenKind::Newline {
                token.start - self.start
            } else {
                token.end - self.start
            };
        }
        self.section.header = Some(HeaderData {
            span,
            line_end,
            key_count,
            is_array,
        });
        if let Some(body) = self.section.tables.first_mut() {
            body.span = span;
        }
    }

    fn header_close(&mut self, open: Token, is_array: bool) {
        if self.peek().kind == TokenKind::RightSquareBracket {
            self.bump();
            if !is_array {
                return;
            }
            if self.peek().kind == TokenKind::RightSquareBracket {
                self.bump();
                return;
            }
        }
        let at = self.end_of_content();
        let closing = if is_array { "]]" } else { "]" };
        // One of two brackets may be there.
        let has_one = is_array && self.slice(Span::new(0, at)).ends_with(']');
        let lacking = if has_one { "]" } else { closing };
        self.report_mended(
            self.line,
            Span::new(open.start - self.start, at),
            format!("unclosed table header: write `{closing}` after the name"),
            Repair::insert(at, lacking),
        );
    }
}
