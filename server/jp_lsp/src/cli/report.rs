//! How findings are printed: for people, for scripts, for code scanning, for pull requests.
//!
//! ```json
//! [{"path": ".jp/config.toml", "range": {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 7}},
//!   "severity": "error", "code": "unknown-key", "message": "unknown key `summery`, did you mean `summary`?", "related": []}]
//! ```
//!
//! Lines and characters count from 0, characters in UTF-16 units, as in LSP; the human and GitHub formats count from 1.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    io::{self, Write},
    ops::Range,
    sync::Arc,
};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use jp_analysis::{Code, Severity};
use jp_config::document::Span;
use jp_conversation::visible;
use serde_json::{Value, json};

use crate::line_index::{LineIndex, PositionEncoding};

mod fingerprint;
mod gitlab;
pub(super) mod junit;
mod sarif;

pub(super) use self::sarif::uri;

/// The most of a text that is shown around one place, in bytes.
const MAXIMUM_EXCERPT: usize = 4096;

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Annotated source.
    Human,
    /// One JSON array.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// GitHub workflow commands, which show up on a pull request.
    Github,
    /// GitLab's report on code quality, which shows up on a merge request.
    Gitlab,
    /// `JUnit` XML, which nearly every build server shows.
    Junit,
}

/// A position that counts from 0, in UTF-16 units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The UTF-16 unit in the line.
    pub character: u32,
}

impl From<lsp_types::Position> for Position {
    fn from(position: lsp_types::Position) -> Self {
        Self {
            line: position.line,
            character: position.character,
        }
    }
}

/// A range of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file, as it is printed.
    pub path: Utf8PathBuf,
    /// The bytes.
    pub bytes: Range<usize>,
    /// Where they start.
    pub start: Position,
    /// Where they end.
    pub end: Position,
}

impl Location {
    /// A span of a text, whose lines are known.
    #[must_use]
    pub fn new(path: Utf8PathBuf, text: &str, lines: &LineIndex, span: Span) -> Self {
        let clamp = |offset: u32| text.floor_char_boundary(offset as usize);
        let bytes = clamp(span.start)..clamp(span.end);
        let range = lines
            .converter(text, PositionEncoding::Utf16)
            .range(bytes.clone());
        Self {
            path,
            start: range.start.into(),
            end: range.end.into(),
            bytes,
        }
    }

    fn range(&self) -> Value {
        json!({
            "start": { "line": self.start.line, "character": self.start.character },
            "end": { "line": self.end.line, "character": self.end.character },
        })
    }
}

/// One finding, ready to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is at fault.
    pub location: Location,
    /// How bad it is.
    pub severity: Severity,
    /// What kind of finding it is.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Other places that it talks about.
    pub related: Vec<(Location, String)>,
}

impl Finding {
    /// What is wrong, and what to write instead.
    fn text(&self) -> String {
        match &self.help {
            Some(help) => format!("{}\n{help}", self.message),
            None => self.message.clone(),
        }
    }

    /// The order of reports: by path, position, severity, code, message.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let key = |finding: &Self| {
            (
                finding.location.start,
                finding.location.end,
                finding.severity,
                finding.code,
            )
        };
        self.location
            .path
            .cmp(&other.location.path)
            .then_with(|| key(self).cmp(&key(other)))
            .then_with(|| self.message.cmp(&other.message))
    }
}

/// Prints findings, those for people with colours if they are wanted; `texts` holds the sources by printed path.
///
/// # Errors
///
/// The output cannot be written.
pub fn print(
    format: Format,
    is_colored: bool,
    findings: &[Finding],
    texts: &BTreeMap<Utf8PathBuf, Arc<String>>,
    output: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Human => human(is_colored, findings, texts, output),
        Format::Json => {
            let array: Vec<Value> = findings.iter().map(as_json).collect();
            writeln!(output, "{}", Value::Array(array))
        }
        Format::Sarif => writeln!(output, "{}", sarif::log(findings)),
        Format::Gitlab => writeln!(output, "{}", gitlab::report(findings)),
        Format::Junit => junit::write(findings, output),
        Format::Github => findings
            .iter()
            .try_for_each(|finding| writeln!(output, "{}", workflow_command(finding))),
    }
}

fn as_json(finding: &Finding) -> Value {
    let related: Vec<Value> = finding
        .related
        .iter()
        .map(|(location, message)| {
            json!({ "path": location.path, "range": location.range(), "message": message })
        })
        .collect();
    let mut object = json!({
        "path": finding.location.path,
        "range": finding.location.range(),
        "severity": finding.severity.as_str(),
        "code": finding.code.as_str(),
        "message": finding.message,
    });
    if let Value::Object(map) = &mut object {
        if let Some(help) = &finding.help {
            map.insert("help".to_owned(), json!(help));
        }
        map.insert("related".to_owned(), Value::Array(related));
    }
    object
}

fn human(
    is_colored: bool,
    findings: &[Finding],
    texts: &BTreeMap<Utf8PathBuf, Arc<String>>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let renderer = match is_colored {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    for finding in findings {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Information => Level::INFO,
            Severity::Hint => Level::HELP.with_name("hint"),
        };
        let title = level
            .primary_title(printable(&finding.message))
            .id(finding.code.as_str());
        let mut group = Group::with_title(title);
        group = place(group, &finding.location, texts, None);
        for (location, message) in &finding.related {
            group = place(group, location, texts, Some(message));
        }
        if let Some(help) = &finding.help {
            group = group.element(Level::HELP.message(printable(help)));
        }
        writeln!(output, "{}\n", renderer.render(&[group]))?;
    }
    let count = |severity: Severity| {
        findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    writeln!(
        output,
        "{}, {}",
        plural(errors, "error"),
        plural(warnings, "warning")
    )
}

/// The lines around a place, or its position alone where they are too long to read.
fn place<'a>(
    group: Group<'a>,
    location: &'a Location,
    texts: &'a BTreeMap<Utf8PathBuf, Arc<String>>,
    label: Option<&'a str>,
) -> Group<'a> {
    let text = texts.get(&location.path).map_or("", |text| text.as_str());
    let Some((lines, bytes)) = excerpt(text, &location.bytes) else {
        let origin = Origin::path(on_one_line(&location.path))
            .line(location.start.line as usize + 1)
            .char_column(location.start.character as usize + 1);
        let group = group.element(origin);
        return match label {
            Some(label) => group.element(Level::NOTE.message(printable(label))),
            None => group,
        };
    };
    let kind = match label {
        None => AnnotationKind::Primary,
        Some(_) => AnnotationKind::Context,
    };
    let mut annotation = kind.span(bytes);
    if let Some(label) = label {
        annotation = annotation.label(label);
    }
    group.element(
        Snippet::source(lines)
            .line_start(location.start.line as usize + 1)
            .path(on_one_line(&location.path))
            .fold(true)
            .annotation(annotation),
    )
}

/// The lines that a span of a text lies in, and the span in them; the first line of a span over very many.
///
/// The renderer goes through all of what it is given, so it is given no more than it shows.
fn excerpt<'t>(text: &'t str, bytes: &Range<usize>) -> Option<(&'t str, Range<usize>)> {
    let start = text
        .get(..bytes.start)?
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    let line_end = |from: usize| {
        let rest = text.get(from..)?;
        Some(rest.find('\n').map_or(text.len(), |length| from + length))
    };
    let whole = start..line_end(bytes.end)?;
    if whole.len() <= MAXIMUM_EXCERPT {
        let lines = text.get(whole)?;
        let bytes = bytes.start - start..bytes.end - start;
        // Half of a line break is none to the renderer, which would show it.
        let lines = lines
            .strip_suffix('\r')
            .filter(|lines| bytes.end <= lines.len())
            .unwrap_or(lines);
        return Some((lines, bytes));
    }
    let first = start..line_end(bytes.start)?;
    if first.len() > MAXIMUM_EXCERPT {
        return None;
    }
    let end = bytes.end.min(first.end) - start;
    Some((text.get(first)?, bytes.start - start..end))
}

/// A path without what could steer a terminal, or look like a line of the report.
fn on_one_line(path: &Utf8Path) -> String {
    visible(path.as_str()).replace('\n', "\u{240a}")
}

/// Text without what could steer a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|character| {
            if character.is_control() {
                '\u{fffd}'
            } else {
                character
            }
        })
        .collect()
}

pub(super) fn plural(count: usize, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    }
}

fn workflow_command(finding: &Finding) -> String {
    let kind = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "notice",
    };
    format!(
        "::{kind} file={},line={},col={},endLine={},endColumn={},title={}::{}",
        property(finding.location.path.as_str()),
        finding.location.start.line + 1,
        finding.location.start.character + 1,
        finding.location.end.line + 1,
        finding.location.end.character + 1,
        property(finding.code.as_str()),
        data(&finding.text()),
    )
}

/// Escapes the message of a workflow command.
pub(super) fn data(text: &str) -> String {
    // The log of a workflow is a terminal.
    visible(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
pub(super) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
