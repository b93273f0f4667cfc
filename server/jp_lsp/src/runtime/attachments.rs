//! Files that go with a question, as part of its words.
//!
//! ````text
//! Why is there no date?
//!
//! `src/build.rs`, lines 3 to 4:
//!
//! ```rs
//! let version = env!("CARGO_PKG_VERSION");
//! println!("{version}");
//! ```
//! ````
//!
//! What is recorded is what the model reads: the path as the workspace knows it, and all of the text.

use std::{fmt::Write as _, fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::fence;

/// The most bytes that all attachments of a question have together.
pub const LARGEST: u64 = 512 << 10;

/// Why a question goes without its attachments, and therefore not at all.
#[derive(Debug, thiserror::Error)]
pub enum AttachmentError {
    /// There is no such file.
    #[error("`{path}` cannot be attached: {error}")]
    Unreadable {
        /// As it was written.
        path: Utf8PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is a folder or a device.
    #[error("`{0}` cannot be attached: it is no file; name the files in it")]
    NoFile(Utf8PathBuf),
    /// It lies elsewhere, perhaps behind a link.
    #[error(
        "`{path}` cannot be attached: it lies outside of the workspace `{root}`; copy it there, or write its text into \
         the question"
    )]
    Outside {
        /// As it was written.
        path: Utf8PathBuf,
        /// The workspace.
        root: Utf8PathBuf,
    },
    /// It is no text.
    #[error("`{0}` cannot be attached: it is no text in UTF-8")]
    NoText(Utf8PathBuf),
    /// It is too large, alone or with the others.
    #[error(
        "`{path}` cannot be attached: all attachments of a question have {} KiB at most; name lines, as in `{path}:1-200`",
        LARGEST >> 10
    )]
    TooLarge {
        /// As it was written.
        path: Utf8PathBuf,
    },
    /// It has fewer lines.
    #[error("`{path}` has {count} lines, so that there is no line {line}")]
    NoLine {
        /// As it was written.
        path: Utf8PathBuf,
        /// How many it has.
        count: usize,
        /// The line that was asked for.
        line: usize,
    },
}

/// A file, or lines of it, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Asked {
    path: Utf8PathBuf,
    lines: Option<(usize, usize)>,
}

/// The question with what is attached to it, each a path, or a path with lines as in `src/a.rs:3` and `src/a.rs:3-9`.
///
/// Paths are relative to `directory`. Nothing is read outside of the workspace at `root`, not even through a link.
///
/// # Errors
///
/// [`AttachmentError`] of the first attachment that cannot go with it.
pub fn with_attachments(
    question: &str,
    attached: &[String],
    root: &Utf8Path,
    directory: &Utf8Path,
) -> Result<String, AttachmentError> {
    let mut text = question.to_owned();
    let mut room = LARGEST;
    for written in attached {
        let asked = Asked::parse(written, directory);
        let (shown, content) = read(&asked, root, directory, room)?;
        room = room.saturating_sub(content.len() as u64);
        append(&mut text, &shown, asked.lines, &content);
    }
    Ok(text)
}

impl Asked {
    /// A file that is called `a:3` is that file.
    fn parse(written: &str, directory: &Utf8Path) -> Self {
        let whole = Self {
            path: written.into(),
            lines: None,
        };
        if fs::symlink_metadata(directory.join(written)).is_ok() {
            return whole;
        }
        let lines = |text: &str| -> Option<(usize, usize)> {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            let lines = (first.parse().ok()?, last.parse().ok()?);
            (lines.0 >= 1 && lines.0 <= lines.1).then_some(lines)
        };
        let found = written.rsplit_once(':');
        match found.and_then(|(path, text)| Some((path, lines(text)?))) {
            Some((path, lines)) => Self {
                path: path.into(),
                lines: Some(lines),
            },
            None => whole,
        }
    }
}

/// The path in the workspace, and the text.
fn read(
    Asked { path, lines }: &Asked,
    root: &Utf8Path,
    directory: &Utf8Path,
    room: u64,
) -> Result<(Utf8PathBuf, String), AttachmentError> {
    let unreadable = |error: io::Error| AttachmentError::Unreadable {
        path: path.clone(),
        error,
    };
    let root = root.canonicalize_utf8().map_err(unreadable)?;
    let found = directory.join(path).canonicalize_utf8();
    let found = found.map_err(unreadable)?;
    let Ok(shown) = found.strip_prefix(&root) else {
        return Err(AttachmentError::Outside {
            path: path.clone(),
            root,
        });
    };
    // A pipe would be waited for.
    let metadata = fs::metadata(&found).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(AttachmentError::NoFile(path.clone()));
    }
    let too_large = || AttachmentError::TooLarge { path: path.clone() };
    if metadata.len() > room && (lines.is_none() || metadata.len() > LARGEST << 6) {
        return Err(too_large());
    }
    let bytes = fs::read(&found).map_err(unreadable)?;
    let text = String::from_utf8(bytes)
        .ok()
        .filter(|it| !it.contains('\0'));
    let text = text.ok_or_else(|| AttachmentError::NoText(path.clone()))?;
    let text = match lines {
        None => text,
        Some((first, last)) => {
            let count = text.lines().count();
            if let Some(line) = [*first, *last].into_iter().find(|line| *line > count) {
                return Err(AttachmentError::NoLine {
                    path: path.clone(),
                    count,
                    line,
                });
            }
            let chosen = text.lines().skip(first - 1).take(last - first + 1);
            chosen.collect::<Vec<_>>().join("\n")
        }
    };
    match text.len() as u64 > room {
        true => Err(too_large()),
        false => Ok((shown.to_owned(), text)),
    }
}

/// Puts a text behind the question, in a fence that it cannot end.
fn append(question: &mut String, path: &Utf8Path, lines: Option<(usize, usize)>, content: &str) {
    let lines = match lines {
        None => String::new(),
        Some((first, last)) if first == last => format!(", line {first}"),
        Some((first, last)) => format!(", lines {first} to {last}"),
    };
    let fence = fence(content);
    let extension = path.extension().unwrap_or_default();
    let is_plain = extension.chars().all(|it| it.is_ascii_alphanumeric());
    let language = if is_plain { extension } else { "" };
    let begin = if question.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    let shown = path.as_str().replace(['`', '\n', '\r'], "?");
    let end = if content.ends_with('\n') { "" } else { "\n" };
    // Writing to a text cannot fail.
    let _ = write!(
        question,
        "{begin}`{shown}`{lines}:\n\n{fence}{language}\n{content}{end}{fence}\n"
    );
}

#[cfg(test)]
#[path = "attachments_tests.rs"]
mod tests;
