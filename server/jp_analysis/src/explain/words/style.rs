//! How an explanation is written, and how it names a place.

use camino::Utf8Path;

use crate::text::markup::{MarkupKind, code, one_line};

/// How an explanation is written.
#[derive(Clone, Copy)]
pub struct Style<'a> {
    /// Markdown or plain text.
    pub kind: MarkupKind,
    /// The address of a line, counted from 1, of a file as it is shown to people; places are no links where there is none.
    pub link: &'a dyn Fn(&Utf8Path, u32) -> Option<String>,
}

impl std::fmt::Debug for Style<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Style")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl Style<'static> {
    /// Plain text, in which nothing is a link.
    pub const PLAIN: Self = Self {
        kind: MarkupKind::PlainText,
        link: &|_, _| None,
    };
}

impl Style<'_> {
    /// A message that may quote what stands in a config, letter for letter.
    pub(super) fn message(&self, hostile: &str) -> String {
        match self.kind {
            MarkupKind::Markdown => code(hostile),
            MarkupKind::PlainText => one_line(hostile),
        }
    }

    /// A line, counted from 1, of a file: `.jp/config.toml:51`, as a link where there is an address for it.
    #[must_use]
    pub fn place(&self, path: &Utf8Path, line: u32) -> String {
        let place = code(&format!("{path}:{line}"));
        let address = match self.kind {
            MarkupKind::Markdown => (self.link)(path, line),
            MarkupKind::PlainText => None,
        };
        match address {
            Some(address) => format!("[{place}](<{address}>)"),
            None => place,
        }
    }
}
