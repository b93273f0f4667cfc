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

use super::Finding;

pub(super) fn write(findings: &[Finding], output: &mut dyn Write) -> io::Result<()> {
    let count = findings.len().max(1);
    let failures = failures(findings);
    writeln!(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        output,
        "<testsuites name=\"jp-lsp check\" tests=\"{count}\" failures=\"{failures}\">"
    )?;
    if findings.is_empty() {
        suite("jp-lsp check", 1, 0, output)?;
        writeln!(
            output,
            "    <testcase classname=\"jp-lsp\" name=\"nothing found\"/>"
        )?;
        writeln!(output, "  </testsuite>")?;
    }
    for file in findings.chunk_by(|a, b| a.location.path == b.location.path) {
        let path = file
            .first()
            .map_or("", |first| first.location.path.as_str());
        suite(path, file.len(), self::failures(file), output)?;
        file.iter().try_for_each(|finding| case(finding, output))?;
        writeln!(output, "  </testsuite>")?;
    }
    writeln!(output, "</testsuites>")
}

fn suite(name: &str, tests: usize, failures: usize, output: &mut dyn Write) -> io::Result<()> {
    let name = escaped(name);
    writeln!(
        output,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\">"
    )
}

fn case(finding: &Finding, output: &mut dyn Write) -> io::Result<()> {
    let path = escaped(finding.location.path.as_str());
    let (line, column) = (
        finding.location.start.line + 1,
        finding.location.start.character + 1,
    );
    let code = finding.code.as_str();
    let message = escaped(&finding.message);
    let text = escaped(&finding.text());
    writeln!(
        output,
        "    <testcase classname=\"{code}\" name=\"{line}:{column} {message}\" file=\"{path}\" line=\"{line}\">"
    )?;
    match is_failure(finding) {
        true => writeln!(
            output,
            "      <failure type=\"{}\" message=\"{message}\">{path}:{line}:{column}: {text}</failure>",
            finding.severity.as_str()
        )?,
        false => writeln!(
            output,
            "      <system-out>{path}:{line}:{column}: {}: {text}</system-out>",
            finding.severity.as_str()
        )?,
    }
    writeln!(output, "    </testcase>")
}

fn failures(findings: &[Finding]) -> usize {
    findings
        .iter()
        .filter(|finding| is_failure(finding))
        .count()
}

fn is_failure(finding: &Finding) -> bool {
    finding.severity <= Severity::Warning
}

/// Text for an element or an attribute; what XML cannot hold is replaced.
fn escaped(text: &str) -> String {
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
