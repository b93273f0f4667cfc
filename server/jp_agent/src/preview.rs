//! What a person sees of a call before deciding on it: a diff, the exact command line, or the arguments in plain lines.
//!
//! ```json
//! {"kind": "diff", "path": "src/lib.rs", "before": "old\n", "after": "new\n", "text": "@@ -1 +1 @@\n-old\n+new\n",
//!  "arguments": {"path": "src/lib.rs", "content": "new\n"}}
//! {"kind": "command", "argv": ["git", "push", "--force"], "text": "git push --force", "arguments": {}}
//! ```
//!
//! `text` is for reading: bounded in size, with terminal escapes removed and control and bidirectional characters spelled
//! out.
//! `arguments` and `content` are for editing: exactly what the call or its result is.

mod file_change;

use std::fmt::Write as _;

use camino::Utf8Path;
use jp_config::words::shortened;
use jp_conversation::visible;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::prompt::{PromptRequest, PromptSubject};
use file_change::FileChange;

/// How many characters a text for reading has at most.
const TEXT_LIMIT: usize = 16 * 1024;
/// How many lines a text for reading has at most.
const LINE_LIMIT: usize = 400;
/// How many characters of one argument are shown.
const VALUE_LIMIT: usize = 2 * 1024;
/// How many lines of one argument are shown.
const VALUE_LINE_LIMIT: usize = 40;
/// How many bytes of JSON or text are sent for editing.
const EDIT_LIMIT: usize = 512 * 1024;
/// How much of the text goes into a message.
const SUMMARY_LIMIT: usize = 1200;
/// How many lines of the text go into a message.
const SUMMARY_LINE_LIMIT: usize = 20;

/// What would happen, made readable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// How to read `text`.
    pub kind: PreviewKind,
    /// What would happen, for reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether `text` leaves something out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The file that changes, as the call names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The file before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The file after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The command line, an element each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argv: Option<Vec<String>>,
    /// The prepared arguments, for editing; left out when they are too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// The result, for editing; left out when it is too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// How to read a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreviewKind {
    /// As a unified diff.
    Diff,
    /// As a command line.
    Command,
    /// As names and values, one a line.
    Arguments,
    /// As text.
    Text,
}

impl Preview {
    /// The preview of what a prompt asks for; questions and config changes show themselves.
    #[must_use]
    pub fn of(request: &PromptRequest) -> Option<Self> {
        match &request.subject {
            PromptSubject::Run {
                arguments,
                argv,
                rendered,
            } => Some(Self::of_call(
                request,
                arguments,
                argv.as_deref(),
                rendered.as_deref(),
            )),
            PromptSubject::Edit { arguments } => Some(Self::of_arguments(arguments)),
            PromptSubject::Result { content, .. } => Some(Self::of_result(content)),
            PromptSubject::Consent(consent) => Some(Self::new(PreviewKind::Text, &consent.text)),
            PromptSubject::Question { .. } | PromptSubject::Delta(_) | PromptSubject::Grant(_) => {
                None
            }
        }
    }

    /// The first lines, for places that have room for a few.
    #[must_use]
    pub fn summary(&self) -> String {
        let text = self.text.as_deref().unwrap_or_default().trim_end();
        bounded(text, SUMMARY_LIMIT, SUMMARY_LINE_LIMIT).0
    }

    fn new(kind: PreviewKind, text: &str) -> Self {
        let text = readable(text);
        let (text, truncated) = bounded(&text, TEXT_LIMIT, LINE_LIMIT);
        Self {
            kind,
            text: Some(text),
            truncated,
            path: None,
            before: None,
            after: None,
            argv: None,
            arguments: None,
            content: None,
        }
    }

    fn of_call(
        request: &PromptRequest,
        arguments: &Map<String, Value>,
        argv: Option<&[String]>,
        rendered: Option<&str>,
    ) -> Self {
        let change = FileChange::of(&request.root, arguments);
        let argv = argv.filter(|argv| argv.iter().all(|word| !is_json(word)));
        let mut preview = match (rendered, &change, argv) {
            (Some(rendered), change, _) => Self::new(
                change
                    .as_ref()
                    .map_or(PreviewKind::Text, |_| PreviewKind::Diff),
                rendered,
            ),
            (None, Some(change), _) => Self::new(PreviewKind::Diff, &change.text),
            (None, None, Some(argv)) => Self::of_command(argv),
            (None, None, None) => Self::of_lines(arguments),
        };
        if let Some(change) = change {
            preview.path = Some(one_line(&change.path, VALUE_LIMIT));
            preview.before = change.before.map(|text| visible(&text).into_owned());
            preview.after = change.after.map(|text| visible(&text).into_owned());
        }
        preview.editable(arguments)
    }

    fn of_command(argv: &[String]) -> Self {
        Self {
            argv: Some(argv.iter().map(|word| visible(word).into_owned()).collect()),
            ..Self::new(PreviewKind::Command, &command_line(argv))
        }
    }

    /// Without a text: a surface that edits starts from the arguments themselves.
    fn of_arguments(arguments: &Map<String, Value>) -> Self {
        Self::of_lines(arguments).editable(arguments)
    }

    fn of_lines(arguments: &Map<String, Value>) -> Self {
        let mut lines = Lines::default();
        for (name, value) in arguments {
            lines.add(&visible(name), value, 0);
        }
        let mut preview = Self::new(PreviewKind::Arguments, lines.text.trim_end());
        preview.truncated |= lines.truncated;
        preview
    }

    fn of_result(content: &str) -> Self {
        Self {
            content: (content.len() <= EDIT_LIMIT).then(|| content.to_owned()),
            ..Self::new(PreviewKind::Text, content)
        }
    }

    fn editable(self, arguments: &Map<String, Value>) -> Self {
        let size = serde_json::to_string(arguments).map_or(usize::MAX, |json| json.len());
        Self {
            arguments: (size <= EDIT_LIMIT).then(|| arguments.clone()),
            ..self
        }
    }
}

/// Arguments as `name: value` lines.
/// A file that a call would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The file, as the call names it.
    pub path: String,
    /// Its text before, for reading; empty where there is no such file.
    pub before: String,
    /// Its text after, for reading.
    pub after: String,
}

impl ChangedFile {
    /// The file that a call with these arguments would change below `root`, as a preview of the call shows it.
    ///
    /// None where the arguments ask for no such change, or what comes of it is not known. Reads the file.
    #[must_use]
    pub fn of(root: &Utf8Path, arguments: &Map<String, Value>) -> Option<Self> {
        let change = FileChange::of(root, arguments)?;
        Some(Self {
            path: one_line(&change.path, VALUE_LIMIT),
            before: visible(&change.before?).into_owned(),
            after: visible(&change.after?).into_owned(),
        })
    }
}

#[derive(Default)]
struct Lines {
    text: String,
    truncated: bool,
}

impl Lines {
    fn add(&mut self, name: &str, value: &Value, depth: usize) {
        // Beyond this much text the rest is cut away anyway.
        if self.text.len() > 2 * TEXT_LIMIT {
            self.truncated = true;
            return;
        }
        match value {
            Value::Object(fields) if !fields.is_empty() && depth < 16 => {
                for (key, value) in fields {
                    self.add(&format!("{name}.{}", visible(key)), value, depth + 1);
                }
            }
            Value::Array(elements) if !elements.is_empty() && depth < 16 => {
                for (index, element) in elements.iter().enumerate() {
                    self.add(&format!("{name} #{}", index + 1), element, depth + 1);
                }
            }
            Value::String(text) if text.contains('\n') => {
                let (shown, truncated) = bounded(text, VALUE_LIMIT, VALUE_LINE_LIMIT);
                self.truncated |= truncated;
                // Writing to a string cannot fail.
                let _ = writeln!(self.text, "{name}:");
                for line in shown.lines() {
                    let _ = writeln!(self.text, "  | {line}");
                }
            }
            Value::String(text) => {
                self.truncated |= text.chars().nth(VALUE_LIMIT).is_some();
                let _ = writeln!(self.text, "{name}: {}", one_line(text, VALUE_LIMIT));
            }
            other => {
                let text = other.to_string();
                self.truncated |= text.chars().nth(VALUE_LIMIT).is_some();
                let _ = writeln!(self.text, "{name}: {}", one_line(&text, VALUE_LIMIT));
            }
        }
    }
}

/// The words as a shell would need them, so that what looks like one word is one.
fn command_line(argv: &[String]) -> String {
    let quoted = argv.iter().map(|word| {
        // A word with a NUL byte can neither be quoted nor run.
        shlex::try_quote(word).map_or_else(|_| format!("{word:?}"), std::borrow::Cow::into_owned)
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Whether a word of a command line is a whole JSON document, which says nothing to a person.
fn is_json(word: &str) -> bool {
    word.starts_with(['{', '['])
        && serde_json::from_str::<Value>(word)
            .is_ok_and(|value| value.is_object() || value.is_array())
}

/// The text without terminal escapes, and with nothing hidden in it.
fn readable(text: &str) -> String {
    let plain = if text.contains('\u{1b}') {
        strip_ansi_escapes::strip_str(text)
    } else {
        text.to_owned()
    };
    visible(&plain).into_owned()
}

/// The beginning of a text for reading, with nothing hidden in it.
pub(crate) fn excerpt(text: &str) -> String {
    bounded(&readable(text), TEXT_LIMIT, LINE_LIMIT).0
}

/// The text as one line of at most `limit` characters, with nothing hidden in it.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let line = shortened(text, limit);
    visible(&line).replace('\n', "\u{240a}").replace('\t', " ")
}

/// The beginning of a text, and whether something is missing; what is missing is counted in the last line.
fn bounded(text: &str, characters: usize, lines: usize) -> (String, bool) {
    let mut room = characters;
    let mut kept = String::new();
    let total = text.lines().count();
    for (number, line) in text.lines().enumerate() {
        let length = line.chars().count() + 1;
        if number >= lines || length > room {
            let start: String = if number < lines {
                line.chars().take(room).collect()
            } else {
                String::new()
            };
            if !start.is_empty() {
                kept.push_str(&start);
                kept.push_str("\u{2026}\n");
            }
            let missing = total - number;
            let unit = if missing == 1 { "line" } else { "lines" };
            let more = if start.is_empty() { "more" } else { "cut" };
            // Writing to a string cannot fail.
            let _ = write!(kept, "\u{2026} {missing} {unit} {more}");
            return (kept, true);
        }
        room -= length;
        kept.push_str(line);
        kept.push('\n');
    }
    if !text.ends_with('\n') {
        kept.pop();
    }
    (kept, false)
}

#[cfg(test)]
#[cfg(unix)]
#[path = "preview_tests.rs"]
mod tests;
