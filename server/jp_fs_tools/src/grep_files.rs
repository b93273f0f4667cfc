//! `fs_grep_files`: the lines that match a regular expression.
//!
//! ```json
//! {"pattern": "fn build_\\w+", "context": 1, "paths": ["crates/jp_cli/src"]}
//! ```
//!
//! ```text
//! crates/jp_cli/src/lib.rs-9-/// Builds the thread.
//! crates/jp_cli/src/lib.rs:10:fn build_thread() {
//! crates/jp_cli/src/lib.rs-11-let x = 1;
//! ```
//!
//! The engine of ripgrep searches, in linear time.
//! Only a pattern that it cannot express, with lookaround or backreferences, goes to a backtracking engine, under a limit.

use std::{fmt::Write as _, io};

use fancy_regex::{Regex, RegexBuilder};
use grep_matcher::{LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkError, SinkMatch,
};
use jp_tool::Tool;
use serde::Deserialize;

use crate::{
    access::{OpenWorkspace, Target},
    error::Error,
    invocation::{self, OneOrMany},
    listing::{list, skipped},
    reply::Reply,
    suppress::Suppress,
    text,
};

/// The most matching lines from one file.
const MAX_MATCHES_PER_FILE: u64 = 100;
/// The most lines in one answer.
const MAX_LINES: usize = 100;
/// The most lines in one answer before context lines are left out.
const MAX_LINES_WITH_CONTEXT: usize = 200;
/// The most bytes of a line that are shown.
const MAX_LINE_BYTES: usize = 1000;
/// The most bytes that a pattern may take when it is compiled.
const MAX_PATTERN_BYTES: usize = 10 * 1024 * 1024;
/// The most memory that a search takes, which bounds the length of a line.
const MAX_HEAP_BYTES: usize = 64 * 1024 * 1024;
/// The most lines of context on either side.
const MAX_CONTEXT: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    context: Option<usize>,
    #[serde(default)]
    paths: Option<OneOrMany>,
}

/// Runs the tool.
pub(crate) fn run(workspace: &OpenWorkspace<'_>, tool: &Tool) -> Result<Reply, Error> {
    let arguments: Arguments = invocation::arguments(tool)?;
    let suppress = Suppress::from_options(&tool.options)?;
    let matcher = LineMatcher::new(&arguments.pattern)?;
    let listing = list(
        workspace,
        &suppress,
        arguments.paths.as_ref().map(OneOrMany::as_slice),
        None,
    )?;
    let context = arguments.context.unwrap_or(0).min(MAX_CONTEXT);
    let mut found = Found::default();
    let mut notes = listing.notes;
    let mut unreadable = 0_usize;
    for file in &listing.files {
        match search(&matcher, file, context, &mut found) {
            Ok(()) => {}
            Err(SearchError::File) => unreadable = unreadable.saturating_add(1),
            Err(SearchError::Pattern(problem)) => {
                return Err(Error::Invalid(format!(
                    "Pattern is too complex: {problem}. Write it without nested repetitions."
                )));
            }
        }
    }
    notes.extend(skipped("file", unreadable));
    Ok(Reply::Done(found.render(context > 0, &notes)))
}

fn search(
    matcher: &LineMatcher,
    target: &Target,
    context: usize,
    found: &mut Found,
) -> Result<(), SearchError> {
    let file = target
        .place()
        .and_then(|place| place.open())
        .map_err(|_| SearchError::File)?
        .into_std();
    let mut searcher = SearcherBuilder::new()
        .before_context(context)
        .after_context(context)
        .max_matches(Some(MAX_MATCHES_PER_FILE))
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(MAX_HEAP_BYTES))
        .line_terminator(LineTerminator::crlf())
        .line_number(true)
        .build();
    let sink = Printer {
        path: text::visible_line(target.path().as_str()),
        found,
    };
    match matcher {
        LineMatcher::Linear(matcher) => searcher.search_file(matcher, &file, sink),
        LineMatcher::Backtracking(matcher) => searcher.search_file(matcher, &file, sink),
    }
}

/// Why a file was not searched to its end.
#[derive(Debug)]
enum SearchError {
    /// It cannot be read.
    File,
    /// The pattern takes too long.
    Pattern(String),
}

impl SinkError for SearchError {
    fn error_message<T: std::fmt::Display>(message: T) -> Self {
        Self::Pattern(message.to_string())
    }

    fn error_io(_: io::Error) -> Self {
        Self::File
    }
}

/// What was found, as far as it can be shown.
#[derive(Debug, Default)]
struct Found {
    /// The first lines, matching or not.
    all: Vec<String>,
    /// The first matching lines.
    matching: Vec<String>,
    all_count: usize,
    matching_count: usize,
}

impl Found {
    fn push(&mut self, line: &str, is_match: bool) {
        if is_match {
            self.matching_count = self.matching_count.saturating_add(1);
            if self.matching.len() < MAX_LINES {
                self.matching.push(line.to_owned());
            }
        }
        self.all_count = self.all_count.saturating_add(1);
        if self.all.len() < MAX_LINES_WITH_CONTEXT {
            self.all.push(line.to_owned());
        }
    }

    fn render(&self, has_context: bool, notes: &[String]) -> String {
        let mut output = if self.matching_count == 0 && notes.is_empty() {
            "Nothing matches. A wider pattern or more paths may.".to_owned()
        } else if self.matching_count == 0 {
            "Nothing matches in what could be searched.".to_owned()
        } else if has_context && self.all_count > MAX_LINES_WITH_CONTEXT {
            format!(
                "{}\n[The lines around the matches are left out, there are too many. A narrower search shows them.]",
                cut(&self.matching, self.matching_count)
            )
        } else {
            cut(&self.all, self.all_count)
        };
        for (index, note) in notes.iter().enumerate() {
            let gap = if index > 0 || output.ends_with('\n') {
                "\n"
            } else {
                "\n\n"
            };
            let _ = write!(output, "{gap}Note: {note}");
        }
        output
    }
}

fn cut(lines: &[String], count: usize) -> String {
    let mut output = String::new();
    for line in lines.iter().take(MAX_LINES) {
        output.push_str(line);
        output.push('\n');
    }
    if count > MAX_LINES {
        let _ = writeln!(
            output,
            "\n[Showing {MAX_LINES}/{count} lines of matches... Narrow down your search to see more.]"
        );
    }
    output
}

/// Writes the lines of one file, as grep does.
struct Printer<'a> {
    path: String,
    found: &'a mut Found,
}

impl Printer<'_> {
    fn line(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        let mark = if is_match { ':' } else { '-' };
        let number = number.unwrap_or_default();
        let line = format!("{}{mark}{number}{mark}{}", self.path, presented(bytes));
        self.found.push(&line, is_match);
    }
}

/// A line without its terminator and indentation, cut if it is very long.
fn presented(bytes: &[u8]) -> String {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes
        .strip_suffix(b"\r")
        .unwrap_or(bytes)
        .trim_ascii_start();
    match bytes.get(..MAX_LINE_BYTES) {
        Some(head) if bytes.len() > MAX_LINE_BYTES => format!(
            "{} [... omitted end of long line]",
            String::from_utf8_lossy(head).trim_end_matches('\u{fffd}')
        ),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

impl Sink for Printer<'_> {
    type Error = SearchError;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, SearchError> {
        self.line(found.line_number(), found.bytes(), true);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, SearchError> {
        self.line(context.line_number(), context.bytes(), false);
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, SearchError> {
        self.found.push("--", false);
        Ok(true)
    }
}

/// The engine for a pattern.
enum LineMatcher {
    Linear(RegexMatcher),
    Backtracking(BacktrackingMatcher),
}

impl LineMatcher {
    fn new(pattern: &str) -> Result<Self, Error> {
        let problem = match RegexMatcherBuilder::new()
            .multi_line(true)
            .crlf(true)
            .size_limit(MAX_PATTERN_BYTES)
            .build(pattern)
        {
            Ok(matcher) => return Ok(Self::Linear(matcher)),
            Err(error) => error.to_string(),
        };
        RegexBuilder::new(pattern)
            .multi_line(true)
            .crlf(true)
            .build()
            .map(|regex| Self::Backtracking(BacktrackingMatcher(regex)))
            .map_err(|_| Error::Invalid(format!("Invalid pattern: {problem}")))
    }
}

/// A regular expression with lookaround or backreferences, matched line by line.
struct BacktrackingMatcher(Regex);

impl Matcher for BacktrackingMatcher {
    type Captures = NoCaptures;
    type Error = fancy_regex::Error;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, Self::Error> {
        let tail = haystack.get(at..).unwrap_or_default();
        let is_match = self.0.is_match(String::from_utf8_lossy(tail).as_ref())?;
        // The searcher wants to know whether the line matches; where in it does not reach the output.
        Ok(is_match.then(|| Match::new(at, haystack.len())))
    }

    fn new_captures(&self) -> Result<NoCaptures, Self::Error> {
        Ok(NoCaptures::new())
    }
}

#[cfg(test)]
#[path = "grep_files_tests.rs"]
mod tests;
