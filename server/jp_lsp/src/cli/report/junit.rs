//! Findings as `JUnit` XML: a suite for each file, a failed case for each error and warning.
//!
//! ```xml
//! <testsuite name=".jp/config.toml" tests="1" failures="1">
//!   <testcase classname="unknown-key" name="4:1 unknown key `summery`" file=".jp/config.toml" line="4">
//!     <failure type="error" message="unknown key `summery`">…</failure>
//!   </testcase>
//! </testsuite>
//! ```
//!
//! What is only worth knowing passes, with its text as the case's output; where nothing was found, one case passes.

use std::io::{self, Write};

use jp_analysis::Severity;
use jp_conversation::visible;

use super::Finding;

/// Cases that belong together, such as those of one file.
#[derive(Debug)]
pub(in crate::cli) struct Suite {
    /// What it is called.
    pub name: String,
    /// Its cases, in order.
    pub cases: Vec<Case>,
}

/// One thing that was looked at.
#[derive(Debug)]
pub(in crate::cli) struct Case {
    /// What sort of thing it is.
    pub class: String,
    /// What it is called.
    pub name: String,
    /// Where it stands: a file, and a line from 1.
    pub place: Option<(String, u64)>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a case.
#[derive(Debug)]
pub(in crate::cli) enum Outcome {
    /// All is well.
    Passed,
    /// All is well, and there is something to say.
    Said(String),
    /// Something is wrong.
    Failed {
        /// What sort of failure it is.
        kind: &'static str,
        /// What is wrong, in a line.
        message: String,
        /// All that there is to say.
        text: String,
    },
}

pub(super) fn write(findings: &[Finding], output: &mut dyn Write) -> io::Result<()> {
    let files = findings.chunk_by(|a, b| a.location.path == b.location.path);
    let mut suites: Vec<Suite> = files
        .map(|file| Suite {
            name: file
                .first()
                .map_or("", |first| first.location.path.as_str())
                .to_owned(),
            cases: file.iter().map(case).collect(),
        })
        .collect();
    if suites.is_empty() {
        suites.push(Suite {
            name: "jp-lsp check".to_owned(),
            cases: vec![Case {
                class: "jp-lsp".to_owned(),
                name: "nothing found".to_owned(),
                place: None,
                outcome: Outcome::Passed,
            }],
        });
    }
    document("jp-lsp check", &suites, output)
}

/// Writes a whole document.
pub(in crate::cli) fn document(
    name: &str,
    suites: &[Suite],
    output: &mut dyn Write,
) -> io::Result<()> {
    let count: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    let failures: usize = suites.iter().map(failures).sum();
    writeln!(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        output,
        "<testsuites name=\"{}\" tests=\"{count}\" failures=\"{failures}\">",
        escaped(name)
    )?;
    for suite in suites {
        let (name, count) = (escaped(&suite.name), suite.cases.len());
        let failures = self::failures(suite);
        writeln!(
            output,
            "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failures}\">"
        )?;
        let mut cases = suite.cases.iter();
        cases.try_for_each(|case| write_case(case, output))?;
        writeln!(output, "  </testsuite>")?;
    }
    writeln!(output, "</testsuites>")
}

fn failures(suite: &Suite) -> usize {
    let outcomes = suite.cases.iter().map(|case| &case.outcome);
    outcomes
        .filter(|outcome| matches!(outcome, Outcome::Failed { .. }))
        .count()
}

fn case(finding: &Finding) -> Case {
    let path = &finding.location.path;
    let (line, column) = (
        finding.location.start.line + 1,
        finding.location.start.character + 1,
    );
    let (message, text) = (&finding.message, finding.text());
    let kind = finding.severity.as_str();
    let outcome = match finding.severity <= Severity::Warning {
        true => Outcome::Failed {
            kind,
            message: message.clone(),
            text: format!("{path}:{line}:{column}: {text}"),
        },
        false => Outcome::Said(format!("{path}:{line}:{column}: {kind}: {text}")),
    };
    Case {
        class: finding.code.as_str().to_owned(),
        name: format!("{line}:{column} {message}"),
        place: Some((path.to_string(), line.into())),
        outcome,
    }
}

fn write_case(case: &Case, output: &mut dyn Write) -> io::Result<()> {
    let (class, name) = (escaped(&case.class), escaped(&case.name));
    write!(
        output,
        "    <testcase classname=\"{class}\" name=\"{name}\""
    )?;
    if let Some((path, line)) = &case.place {
        write!(output, " file=\"{}\" line=\"{line}\"", escaped(path))?;
    }
    match &case.outcome {
        Outcome::Passed => return writeln!(output, "/>"),
        Outcome::Said(text) => writeln!(
            output,
            ">\n      <system-out>{}</system-out>",
            escaped(text)
        )?,
        Outcome::Failed {
            kind,
            message,
            text,
        } => writeln!(
            output,
            ">\n      <failure type=\"{kind}\" message=\"{}\">{}</failure>",
            escaped(message),
            escaped(text)
        )?,
    }
    writeln!(output, "    </testcase>")
}

/// Text for an element or an attribute; what XML cannot hold is replaced.
fn escaped(text: &str) -> String {
    let text = visible(text);
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other if other.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
