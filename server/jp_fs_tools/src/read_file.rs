//! `fs_read_file`: the text of a file, or of some of its lines.
//!
//! ```json
//! {"path": "src/lib.rs", "start_line": 10, "end_line": 20}
//! ```
//!
//! The file is read as a stream, so a few lines of a build log of many gigabytes cost no more memory than themselves.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader},
};

use jp_tool::Tool;
use serde::Deserialize;

use crate::{
    access::{Capability, OpenWorkspace},
    error::Error,
    invocation,
    reply::Reply,
    suppress::Suppress,
    text,
};

/// The most text that one call returns.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    start_line: Option<u64>,
    end_line: Option<u64>,
}

/// Runs the tool.
pub(crate) fn run(workspace: &OpenWorkspace<'_>, tool: &Tool) -> Result<Reply, Error> {
    let arguments: Arguments = invocation::arguments(tool)?;
    let suppress = Suppress::from_options(&tool.options)?;
    let target = workspace.target(Capability::Read, &arguments.path)?;
    if suppress.hides(target.path(), false) {
        return Err(Error::Suppressed(target.path().to_owned()));
    }
    let range = LineRange::new(arguments.start_line, arguments.end_line)?;
    let file = target
        .place()
        .and_then(|place| place.open())
        .map_err(|source| Error::io("read", target.path(), source))?;
    let selection = range
        .select(BufReader::new(file), MAX_TEXT_BYTES)
        .map_err(|source| Error::io("read", target.path(), source))?;
    if selection.overflow {
        return Err(Error::TooLarge(format!(
            "The text is larger than {MAX_TEXT_BYTES} bytes. Read it in parts with `start_line` and `end_line`."
        )));
    }
    if range.start > selection.lines.max(1) {
        return Err(Error::Invalid(format!(
            "`start_line` lies behind the last line, which is {}.",
            selection.lines
        )));
    }
    let text =
        String::from_utf8(selection.bytes).map_err(|_| Error::NotText(target.path().to_owned()))?;
    let language = text::language(target.path().extension());
    Ok(Reply::Done(text::fenced(
        language,
        &range.render(&text, selection.last),
    )))
}

/// Which lines are wanted, counted from 1 and inclusive.
#[derive(Debug, Clone, Copy)]
struct LineRange {
    start: u64,
    end: Option<u64>,
}

/// The wanted lines, and what was seen around them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Selection {
    /// The wanted lines without the line feed of the last one.
    bytes: Vec<u8>,
    /// How many lines the file has, an unterminated last one included.
    lines: u64,
    /// How many pieces a split at line feeds yields: one more than the line feeds.
    last: u64,
    /// The wanted lines exceed the limit.
    overflow: bool,
}

impl LineRange {
    fn new(start: Option<u64>, end: Option<u64>) -> Result<Self, Error> {
        let problem = match (start, end) {
            (Some(0), _) => "`start_line` counts from 1.",
            (_, Some(0)) => "`end_line` counts from 1.",
            (Some(start), Some(end)) if start > end => "`start_line` lies behind `end_line`.",
            _ => {
                return Ok(Self {
                    start: start.unwrap_or(1),
                    end,
                });
            }
        };
        Err(Error::Invalid(problem.to_owned()))
    }

    fn contains(self, line: u64) -> bool {
        line >= self.start && self.end.is_none_or(|end| line <= end)
    }

    fn select(self, mut reader: impl BufRead, limit: usize) -> std::io::Result<Selection> {
        let mut selection = Selection {
            last: 1,
            ..Selection::default()
        };
        let mut is_line_open = false;
        loop {
            let chunk = match reader.fill_buf() {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if chunk.is_empty() {
                break;
            }
            let length = chunk.len();
            for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
                let is_terminated = piece.ends_with(b"\n");
                if self.contains(selection.last) && !selection.overflow {
                    selection.bytes.extend_from_slice(piece);
                    selection.overflow = selection.bytes.len() > limit;
                }
                is_line_open = !is_terminated;
                selection.last = selection.last.saturating_add(u64::from(is_terminated));
            }
            reader.consume(length);
            if selection.overflow {
                break;
            }
        }
        selection.lines = selection.last.saturating_sub(u64::from(!is_line_open));
        // The feed after the last wanted line belongs to the cut, except at the end of the file, where it opens the
        // empty line that shows that the text ends in a line feed.
        let is_cut = self.end.is_some_and(|end| end < selection.last);
        if is_cut && selection.bytes.ends_with(b"\n") {
            selection.bytes.pop();
        }
        Ok(selection)
    }

    fn render(self, text: &str, last: u64) -> String {
        let end = self.end.map_or(last, |end| end.min(last));
        let width = end.to_string().len();
        let mut output = String::with_capacity(text.len());
        for (number, line) in (self.start..=end).zip(text.split('\n')) {
            if number > self.start {
                output.push('\n');
            }
            let _ = write!(output, "{number:>width$}: {line}");
        }
        if end < last {
            let _ = write!(output, "\n... (truncated after line #{end}) ...");
        }
        output
    }
}

#[cfg(test)]
#[path = "read_file_tests.rs"]
mod tests;
