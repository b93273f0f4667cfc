//! Text for a person, as Markdown or plain.
//!
//! ```text
//! `a[b](command:x)` -> shown letter for letter, never a link
//! ```
//!
//! What comes from a config file is hostile: it is shown as code, in which neither links nor HTML nor control characters work.

use std::fmt::Write as _;

pub use jp_config::words::shortened;

/// What the reader's client can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkupKind {
    /// Markdown.
    #[default]
    Markdown,
    /// Text without any markup.
    PlainText,
}

/// A text that is being written.
#[derive(Debug)]
pub struct Markup {
    kind: MarkupKind,
    text: String,
    in_list: bool,
}

impl Markup {
    /// An empty text.
    #[must_use]
    pub fn new(kind: MarkupKind) -> Self {
        Self {
            kind,
            text: String::new(),
            in_list: false,
        }
    }

    /// What the text is about; from a config file.
    pub fn heading(&mut self, hostile: &str) {
        let heading = code(hostile);
        self.paragraph(&heading);
    }

    /// A paragraph of our own text, in which code made by [`code`] may stand.
    pub fn paragraph(&mut self, text: &str) {
        self.separate();
        self.push(text);
    }

    /// An item of a list, of our own text.
    pub fn item(&mut self, text: &str) {
        if self.in_list {
            self.text.push('\n');
        } else {
            self.separate();
        }
        self.text.push_str("- ");
        self.push(text);
        self.in_list = true;
    }

    /// A text from a config file, letter for letter, in a block of its own.
    pub fn block(&mut self, language: &str, hostile: &str) {
        self.separate();
        let visible = visible_lines(hostile);
        match self.kind {
            MarkupKind::Markdown => {
                let fence = "`".repeat(longest_run(&visible).max(2) + 1);
                // Writing to a string cannot fail.
                let _ = write!(self.text, "{fence}{language}\n{visible}\n{fence}");
            }
            MarkupKind::PlainText => {
                for line in visible.lines() {
                    let _ = writeln!(self.text, "    {line}");
                }
            }
        }
    }

    /// A table of our own text, in which code made by [`code`] may stand; a row may have fewer cells than the head.
    ///
    /// As plain text its columns are aligned.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        self.separate();
        let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
        match self.kind {
            MarkupKind::Markdown => {
                let line = |cells: &[String]| {
                    let cells: Vec<String> =
                        cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
                    format!("| {} |", cells.join(" | "))
                };
                let ruler = vec!["---".to_owned(); head.len()];
                let lines = [line(&head), line(&ruler)].into_iter();
                let lines: Vec<String> = lines.chain(rows.iter().map(|row| line(row))).collect();
                self.text.push_str(&lines.join("\n"));
            }
            MarkupKind::PlainText => {
                let plain = |cells: &[String]| -> Vec<String> {
                    cells.iter().map(|cell| cell.replace('`', "")).collect()
                };
                let lines: Vec<Vec<String>> = std::iter::once(plain(&head))
                    .chain(rows.iter().map(|row| plain(row)))
                    .collect();
                self.text.push_str(&aligned(&lines));
            }
        }
    }

    /// The whole text.
    #[must_use]
    pub fn finish(self) -> String {
        self.text
    }

    fn separate(&mut self) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.in_list = false;
    }

    fn push(&mut self, text: &str) {
        match self.kind {
            MarkupKind::Markdown => self.text.push_str(text),
            MarkupKind::PlainText => self.text.push_str(&text.replace('`', "")),
        }
    }
}

/// The widest that a column is made for the sake of the next one, in characters.
const MAXIMUM_COLUMN: usize = 64;

/// Rows of cells with their columns below one another.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        let widths = cells.map(|cell| cell.chars().count());
        widths.filter(|width| *width <= MAXIMUM_COLUMN).max()
    };
    let widths: Vec<usize> = (0..columns)
        .map(|column| width(column).unwrap_or_default())
        .collect();
    let lines: Vec<String> = lines
        .iter()
        .map(|line| {
            let cells = line.iter().zip(&widths);
            let padded: Vec<String> = cells
                .map(|(cell, width)| format!("{cell:width$}"))
                .collect();
            format!("  {}", padded.join("  ")).trim_end().to_owned()
        })
        .collect();
    lines.join("\n")
}

/// A text from a config file as inline code: letter for letter, on one line.
#[must_use]
pub fn code(hostile: &str) -> String {
    let visible = visible(hostile);
    if visible.is_empty() {
        return "(empty)".to_owned();
    }
    let fence = "`".repeat(longest_run(&visible) + 1);
    let pad = if visible.starts_with('`') || visible.ends_with('`') || visible.trim().is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{visible}{pad}{fence}")
}

/// A text from a config file on one line, for places that show no markup.
#[must_use]
pub fn one_line(hostile: &str) -> String {
    visible(hostile)
}

/// The text on one line, with control and bidirectional characters written out.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push(' '),
            other => push_visible(&mut shown, other),
        }
    }
    shown
}

fn visible_lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.trim_end().chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\r' => {}
            other => push_visible(&mut shown, other),
        }
    }
    shown
}

fn push_visible(shown: &mut String, character: char) {
    let invisible = character.is_control()
        || matches!(
            character,
            '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{61c}'
                | '\u{e0000}'..='\u{e007f}'
        );
    if invisible {
        // Writing to a string cannot fail.
        let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
    } else {
        shown.push(character);
    }
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
#[path = "markup_tests.rs"]
mod tests;
