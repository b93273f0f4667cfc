//! Where lines start, and the way between byte offsets and LSP positions.
//!
//! ```json
//! { "line": 12, "character": 7 }
//! ```
//!
//! A `character` counts UTF-8 bytes, UTF-16 units or UTF-32 units, whichever was negotiated.
//! Lines end with `\n`, `\r\n` or a lone `\r`.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind};
use memchr::memchr2_iter;

/// The unit in which the client counts the characters of a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PositionEncoding {
    /// Bytes of UTF-8.
    Utf8,
    /// Units of UTF-16, the protocol's default.
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl PositionEncoding {
    /// Chooses from what the client offers: UTF-8 when offered, else UTF-16 when offered or nothing is, else UTF-32.
    #[must_use]
    pub fn negotiate<'a>(offered: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut utf16, mut utf32) = (false, false);
        for kind in offered {
            match kind {
                "utf-8" => return Self::Utf8,
                "utf-16" => utf16 = true,
                "utf-32" => utf32 = true,
                _ => {}
            }
        }
        if utf32 && !utf16 {
            Self::Utf32
        } else {
            Self::Utf16
        }
    }

    /// The protocol's name of this encoding.
    #[must_use]
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// How many units `text` takes.
    #[must_use]
    pub fn measure(self, text: &str) -> usize {
        // Counting leading bytes instead of decoding lets the compiler use vector instructions.
        let scalars = |text: &str| text.bytes().filter(|byte| byte & 0xC0 != 0x80).count();
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => scalars(text) + text.bytes().filter(|byte| *byte >= 0xF0).count(),
            Self::Utf32 => scalars(text),
        }
    }

    /// The byte offset of unit `units` in `line`, clamped to the line and to the start of a character.
    fn offset_in(self, line: &str, units: usize) -> usize {
        let ascii = line.as_bytes().get(..units).is_some_and(<[u8]>::is_ascii);
        if ascii || self == Self::Utf8 {
            return floor_boundary(line, units);
        }
        let mut left = units;
        for (offset, character) in line.char_indices() {
            let width = match self {
                Self::Utf16 => character.len_utf16(),
                Self::Utf8 | Self::Utf32 => 1,
            };
            if left < width {
                return offset;
            }
            left -= width;
        }
        line.len()
    }
}

/// The offset of each line's first byte, kept in step with a text that is edited.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Reads the whole text once.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(line_starts(text, 1, text.len()));
        Self { starts }
    }

    /// The positions of both ends of `bytes` of `text`.
    #[must_use]
    pub fn range(
        &self,
        text: &str,
        bytes: Range<usize>,
        encoding: PositionEncoding,
    ) -> lsp_types::Range {
        lsp_types::Range {
            start: self.position(text, bytes.start, encoding),
            end: self.position(text, bytes.end, encoding),
        }
    }

    /// Follows an edit that replaced the bytes `replaced` of the former text by `inserted` bytes and gave `text`.
    ///
    /// Reads only the inserted bytes and moves the starts behind them.
    pub fn edit(&mut self, text: &str, replaced: &Range<usize>, inserted: usize) {
        let first = self
            .starts
            .partition_point(|start| to_usize(*start) < replaced.start.max(1));
        let last = self
            .starts
            .partition_point(|start| to_usize(*start) <= replaced.end)
            .max(first);
        let fresh: Vec<u32> =
            line_starts(text, replaced.start.max(1), replaced.start + inserted).collect();
        let behind = first + fresh.len();
        let unchanged_count = fresh.len() == last - first;
        if unchanged_count {
            for (start, fresh) in self.starts.iter_mut().skip(first).zip(fresh) {
                *start = fresh;
            }
        } else {
            self.starts.splice(first..last, fresh);
        }
        let grown = to_u32(inserted);
        let shrunk = to_u32(replaced.len());
        if grown != shrunk {
            // Two's complement makes one vector addition of both directions.
            let delta = grown.wrapping_sub(shrunk);
            if let Some(tail) = self.starts.get_mut(behind..) {
                for start in tail {
                    *start = start.wrapping_add(delta);
                }
            }
        }
    }

    /// The number of lines; an empty text has one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Always false: an empty text has one line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The bytes of line `line` without its end, or an empty range at the end of `text` past the last line.
    #[must_use]
    pub fn line(&self, text: &str, line: usize) -> Range<usize> {
        let Some(start) = self.starts.get(line).map(|start| to_usize(*start)) else {
            return text.len()..text.len();
        };
        let end = self
            .starts
            .get(line + 1)
            .map_or(text.len(), |next| to_usize(*next));
        let content = text.get(start..end).unwrap_or_default();
        let content = content.strip_suffix('\n').unwrap_or(content);
        let content = content.strip_suffix('\r').unwrap_or(content);
        start..start + content.len()
    }

    /// The byte offset of `position`, clamped to the line, the text and the start of a character.
    #[must_use]
    pub fn offset(&self, text: &str, position: Position, encoding: PositionEncoding) -> usize {
        let line = self.line(text, to_usize(position.line));
        let content = text.get(line.clone()).unwrap_or_default();
        line.start + encoding.offset_in(content, to_usize(position.character))
    }

    /// The bytes of `range`; a range whose end lies before its start is read the other way round.
    #[must_use]
    pub fn bytes(
        &self,
        text: &str,
        range: lsp_types::Range,
        encoding: PositionEncoding,
    ) -> Range<usize> {
        let start = self.offset(text, range.start, encoding);
        let end = self.offset(text, range.end, encoding);
        start.min(end)..start.max(end)
    }

    /// The position of byte `offset`, clamped to the text, the line's content and the start of a character.
    #[must_use]
    pub fn position(&self, text: &str, offset: usize, encoding: PositionEncoding) -> Position {
        self.converter(text, encoding).position(offset)
    }

    /// Converts many offsets of one text; cheapest in ascending order.
    #[must_use]
    pub fn converter<'a>(&'a self, text: &'a str, encoding: PositionEncoding) -> Converter<'a> {
        Converter {
            index: self,
            text,
            encoding,
            line: 0,
            content: self.line(text, 0),
            offset: 0,
            character: 0,
        }
    }
}

/// Converts byte offsets to positions and remembers the last one, so that many offsets on one long line cost one pass.
#[derive(Clone, Debug)]
pub struct Converter<'a> {
    index: &'a LineIndex,
    text: &'a str,
    encoding: PositionEncoding,
    line: usize,
    content: Range<usize>,
    offset: usize,
    character: usize,
}

impl Converter<'_> {
    /// The position of byte `offset`, clamped as [`LineIndex::position`] does.
    pub fn position(&mut self, offset: usize) -> Position {
        let offset = floor_boundary(self.text, offset);
        let line = self
            .index
            .starts
            .partition_point(|start| to_usize(*start) <= offset)
            .saturating_sub(1);
        if line != self.line || offset < self.offset {
            self.line = line;
            self.content = self.index.line(self.text, line);
            self.offset = self.content.start;
            self.character = 0;
        }
        let offset = offset.min(self.content.end);
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        self.character += self.encoding.measure(passed);
        self.offset = offset.max(self.offset);
        Position {
            line: to_u32(self.line),
            character: to_u32(self.character),
        }
    }

    /// The positions of both ends of `bytes`.
    pub fn range(&mut self, bytes: Range<usize>) -> lsp_types::Range {
        let start = self.position(bytes.start);
        let end = if bytes.end <= bytes.start {
            start
        } else {
            self.position(bytes.end)
        };
        lsp_types::Range { start, end }
    }
}

/// The line starts in `from..=to`; `from` must be at least one.
fn line_starts(text: &str, from: usize, to: usize) -> impl Iterator<Item = u32> {
    let bytes = text.as_bytes();
    let before = from.saturating_sub(1);
    let window = bytes.get(before..to.min(bytes.len())).unwrap_or_default();
    memchr2_iter(b'\n', b'\r', window).filter_map(move |found| {
        let end = before + found;
        let split = bytes.get(end) == Some(&b'\r') && bytes.get(end + 1) == Some(&b'\n');
        (!split).then(|| to_u32(end + 1))
    })
}

/// The start of the character that byte `offset` lies in, at most the end of `text`.
fn floor_boundary(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

fn to_usize(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// Frames above 256 MiB are refused, so no text that reaches this is cut off.
fn to_u32(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "line_index_tests.rs"]
mod tests;
