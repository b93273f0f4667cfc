//! Formatting, with taplo's formatter and a project's own `.taplo.toml`.
//!
//! ```toml
//! # .taplo.toml
//! [formatting]
//! column_width = 140
//!
//! [[rule]]
//! include = [".jp/**/*.toml"]
//! formatting = { align_entries = true }
//! ```
//!
//! taplo reads TOML 1.0, and `jp` reads TOML 1.1: a text that taplo cannot read whole is left alone.
//! So is one whose values or comments formatting would change.

use std::ops::Range;

use camino::Utf8Path;
use jp_config::{
    document::{Document, Span},
    merge::{LayerId, Located},
};
use serde_json::Value;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use taplo::{
    formatter::{Options as TaploOptions, OptionsIncomplete, format_with_path_scopes},
    parser::parse,
};

/// How a project wants its files formatted.
#[derive(Debug, Clone, Default)]
pub struct FormatSettings {
    options: Option<OptionsIncomplete>,
    include: Option<Vec<glob::Pattern>>,
    exclude: Vec<glob::Pattern>,
    rules: Vec<FormatRule>,
}

/// One `[[rule]]` of a `.taplo.toml`.
#[derive(Debug, Clone)]
struct FormatRule {
    include: Option<Vec<glob::Pattern>>,
    exclude: Vec<glob::Pattern>,
    keys: Option<Vec<String>>,
    options: OptionsIncomplete,
}

/// How the editor indents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indent {
    /// How many spaces one level is; `None` for a tab.
    pub spaces: Option<u32>,
}

/// Why a text is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The text has syntax errors.
    #[error("line {line} has a syntax error; correct it first")]
    Syntax {
        /// The line of the first one, from 1.
        line: usize,
    },
    /// The formatter does not know the syntax, which `jp` reads.
    #[error(
        "line {line} is TOML 1.1, which the formatter cannot read: write inline tables on one line without a trailing comma, and `\\u` escapes"
    )]
    Unsupported {
        /// The line of the first such construct, from 1.
        line: usize,
    },
    /// Formatting would change what the text says.
    #[error(
        "formatting would change values, because of `reorder_arrays` in `.taplo.toml` for example"
    )]
    ChangesValues,
    /// Formatting would lose or change a comment.
    #[error("formatting would change comments")]
    ChangesComments,
    /// The settings exclude the file.
    #[error("`.taplo.toml` excludes the file")]
    Excluded,
    /// A `keys` pattern of the settings cannot be used.
    #[error("`.taplo.toml` has a rule with unusable `keys`: {0}")]
    Keys(String),
    /// The settings cannot be read.
    #[error("`.taplo.toml` cannot be used: {0}")]
    Settings(String),
}

impl FormatSettings {
    /// Reads a `.taplo.toml`.
    ///
    /// # Errors
    ///
    /// [`FormatError::Settings`] for options and patterns that mean nothing.
    pub fn read(text: &str) -> Result<Self, FormatError> {
        let document = Document::parse(text);
        if let Some(error) = document.errors().first() {
            return Err(FormatError::Settings(error.message.clone()));
        }
        let value = values(&document);
        let rules = value.get("rule").and_then(Value::as_array);
        Ok(Self {
            options: options(value.get("formatting"))?,
            include: patterns(value.get("include"))?,
            exclude: patterns(value.get("exclude"))?.unwrap_or_default(),
            rules: rules
                .into_iter()
                .flatten()
                .filter_map(|rule| FormatRule::read(rule).transpose())
                .collect::<Result<_, _>>()?,
        })
    }
}

impl FormatRule {
    /// The rule, if it says anything about formatting.
    fn read(rule: &Value) -> Result<Option<Self>, FormatError> {
        let Some(options) = options(rule.get("formatting"))? else {
            return Ok(None);
        };
        let keys = rule.get("keys").and_then(Value::as_array).map(|keys| {
            let keys = keys.iter().filter_map(Value::as_str);
            keys.map(str::to_owned).collect()
        });
        Ok(Some(Self {
            include: patterns(rule.get("include"))?,
            exclude: patterns(rule.get("exclude"))?.unwrap_or_default(),
            keys,
            options,
        }))
    }
}

fn options(value: Option<&Value>) -> Result<Option<OptionsIncomplete>, FormatError> {
    let Some(value) = value else {
        return Ok(None);
    };
    serde_json::from_value(value.clone())
        .map(Some)
        .map_err(|error| FormatError::Settings(error.to_string()))
}

fn patterns(value: Option<&Value>) -> Result<Option<Vec<glob::Pattern>>, FormatError> {
    let Some(list) = value.and_then(Value::as_array) else {
        return Ok(None);
    };
    list.iter()
        .filter_map(Value::as_str)
        .map(|pattern| {
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            glob::Pattern::new(pattern).map_err(|error| FormatError::Settings(error.to_string()))
        })
        .collect::<Result<_, _>>()
        .map(Some)
}

fn covers(include: Option<&[glob::Pattern]>, exclude: &[glob::Pattern], path: &Utf8Path) -> bool {
    let matches = |pattern: &glob::Pattern| pattern.matches(path.as_str());
    include.is_none_or(|include| include.iter().any(matches)) && !exclude.iter().any(matches)
}

/// The edits that format a whole document, or the lines of it that `span` touches.
///
/// `path` is relative to the directory of the settings.
///
/// # Errors
///
/// Says why the text is left alone.
pub fn format(
    document: &Document,
    path: &Utf8Path,
    settings: &FormatSettings,
    indent: Indent,
    span: Option<Span>,
) -> Result<Vec<(Span, String)>, FormatError> {
    if !covers(settings.include.as_deref(), &settings.exclude, path) {
        return Err(FormatError::Excluded);
    }
    let whole = document.text();
    if let Some(error) = document.errors().first() {
        return Err(FormatError::Syntax {
            line: line(whole, error.span.start as usize),
        });
    }
    // A byte order mark is no part of what taplo reads.
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let mark = whole.len() - text.len();
    let formatted = formatted(text, path, settings, indent)?;
    let edits = edits(text, &formatted, mark, span);
    let mut result = whole.to_owned();
    for (span, text) in edits.iter().rev() {
        result.replace_range(span.range(), text);
    }
    keeps_meaning(document, &Document::parse(&result))?;
    Ok(edits)
}

fn formatted(
    text: &str,
    path: &Utf8Path,
    settings: &FormatSettings,
    indent: Indent,
) -> Result<String, FormatError> {
    let parsed = parse(text);
    if let Some(error) = parsed.errors.first() {
        return Err(FormatError::Unsupported {
            line: line(text, usize::from(error.range.start())),
        });
    }
    let mut options = TaploOptions {
        indent_string: match indent.spaces {
            Some(spaces) => " ".repeat(spaces.min(16) as usize),
            None => "\t".to_owned(),
        },
        crlf: text.contains("\r\n"),
        ..TaploOptions::default()
    };
    if let Some(own) = &settings.options {
        options.update(own.clone());
    }
    let mut scopes = Vec::new();
    for rule in &settings.rules {
        if !covers(rule.include.as_deref(), &rule.exclude, path) {
            continue;
        }
        match &rule.keys {
            None => options.update(rule.options.clone()),
            Some(keys) => {
                let own = keys.iter().map(|keys| (keys, rule.options.clone()));
                scopes.extend(own);
            }
        }
    }
    let errors: Vec<_> = parsed.errors.iter().map(|error| error.range).collect();
    format_with_path_scopes(parsed.into_dom(), options, &errors, scopes)
        .map_err(|error| FormatError::Keys(error.to_string()))
}

/// The changed lines; of all lines, or of those that `span` touches.
fn edits(old: &str, new: &str, mark: usize, span: Option<Span>) -> Vec<(Span, String)> {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let mut starts = Vec::with_capacity(old_lines.len() + 1);
    let mut offset = mark;
    for line in &old_lines {
        starts.push(offset);
        offset += line.len();
    }
    starts.push(offset);
    let at = |line: usize| starts.get(line).copied().unwrap_or(offset);
    let asked = span.map(|span| lines_of(&starts, span));
    changed_lines(&old_lines, &new_lines)
        .into_iter()
        .filter(|(before, _)| {
            asked.as_ref().is_none_or(|asked| match before.is_empty() {
                true => asked.start <= before.start && before.start <= asked.end,
                false => before.start < asked.end && asked.start < before.end,
            })
        })
        .filter_map(|(before, after)| {
            let edited = Span::new(narrow(at(before.start)), narrow(at(before.end)));
            Some((edited, new_lines.get(after)?.concat()))
        })
        .collect()
}

/// The lines of the old text that change, each with those of the new text that take their place.
///
/// A line that differs in nothing but blanks is a change of its own, whatever happens around it.
fn changed_lines(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    let without_blanks = |line: &&str| -> String {
        let kept = line.chars().filter(|character| !character.is_whitespace());
        kept.collect()
    };
    let old_words: Vec<String> = old.iter().map(without_blanks).collect();
    let new_words: Vec<String> = new.iter().map(without_blanks).collect();
    let mut changed = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &old_words, &new_words) {
        let (before, after) = (operation.old_range(), operation.new_range());
        if !matches!(operation, DiffOp::Equal { .. }) {
            changed.push((before, after));
            continue;
        }
        for (line, formatted) in before.zip(after) {
            if old.get(line) != new.get(formatted) {
                changed.push((line..line + 1, formatted..formatted + 1));
            }
        }
    }
    changed
}

/// The lines that a span touches, by where the lines start; an empty one touches the line that it is on.
fn lines_of(starts: &[usize], span: Span) -> Range<usize> {
    let (start, end) = (span.start as usize, span.end as usize);
    let last = starts.len().saturating_sub(2);
    let line = |offset: usize| {
        let after = starts.partition_point(|start| *start <= offset);
        after.saturating_sub(1).min(last)
    };
    line(start)..line(end.saturating_sub(1).max(start)) + 1
}

fn keeps_meaning(before: &Document, after: &Document) -> Result<(), FormatError> {
    if !after.errors().is_empty() || values(before) != values(after) {
        return Err(FormatError::ChangesValues);
    }
    let comments = |document: &Document| -> Vec<String> {
        let mut comments: Vec<String> = document
            .comments()
            .filter_map(|span| document.text().get(span.range()))
            .map(|comment| comment.trim().to_owned())
            .collect();
        comments.sort_unstable();
        comments
    };
    if comments(before) == comments(after) {
        Ok(())
    } else {
        Err(FormatError::ChangesComments)
    }
}

fn values(document: &Document) -> Value {
    let root = jp_config::document::Node::Table(document.root());
    Located::from_node(root, LayerId(0)).to_json()
}

/// The line of an offset, from 1.
fn line(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
