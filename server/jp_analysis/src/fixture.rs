//! Workspaces as text, findings as text: what the tests of the rules are written in.
//!
//! ```text
//! //- /w/.jp/config.toml
//! [conversation.tools.grep]
//! source = "lokal"
//! ```

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use camino::Utf8Path;
use expect_test::Expect;
use jp_config::{
    document::Span,
    graph::{Graph, Roots},
    memory::MemoryFiles,
};
use pretty_assertions::assert_eq;

use crate::{Analysis, Code, Diagnostic, Fix, Options, Place, Severity};

/// The analysis of a workspace at `/w`; with files below `/home`, their user's too.
pub(crate) fn analyse(files: &MemoryFiles) -> Analysis {
    let mut roots = Roots::workspace_only("/w");
    if files.paths().any(|path| path.starts_with("/home")) {
        roots.user_global = Some("/home".into());
    }
    Analysis::new(Arc::new(Graph::load(&roots, files)), Options::default())
}

/// A workspace with a tool that has a parameter of every kind, and the policy that is given.
pub(crate) fn policy_tool(policy: &str) -> String {
    format!(
        r#"//- /w/.jp/config.toml
extends = ["tool.toml"]
[conversation.tools.edit.policy]
{policy}
//- /w/.jp/tool.toml
[conversation.tools.edit]
source = "local"
command = "edit {{{{tool}}}}"
access.fs = [{{ path = ".", read = true }}]
[conversation.tools.edit.parameters]
path = {{ type = "path", required = true }}
paths = {{ type = "array", items.type = "path" }}
text = {{ type = "string" }}
kind = {{ type = "string", enum = ["a", "b", "c"] }}
line = {{ type = "integer" }}
force = {{ type = "boolean" }}
[conversation.tools.edit.parameters.patterns]
type = "array"
items = {{ type = "object", properties = {{ old = {{ type = "string" }}, paths = {{ type = "array", items.type = "path" }} }} }}
"#
    )
}

/// Compares all findings of a workspace, each under its line.
#[track_caller]
pub(crate) fn check(fixture: &str, expected: &Expect) {
    let files = MemoryFiles::from_fixture(fixture);
    let analysis = analyse(&files);
    expected.assert_eq(&render(&files, &analysis));
}

/// Compares the text after a fix of the first finding with a code.
///
/// Asserts that the fix is one: the finding is gone, and no error or warning takes its place.
#[track_caller]
pub(crate) fn check_fix(fixture: &str, code: Code, fix: usize, expected: &Expect) {
    let mut files = MemoryFiles::from_fixture(fixture);
    let before = analyse(&files);
    let finding = findings(&before)
        .find(|finding| finding.code == code)
        .expect("the fixture has the finding");
    let fix = finding.fixes.get(fix).expect("the finding has the fix");
    let changed = apply(&mut files, &before, fix);
    let after = analyse(&files);
    let mut allowed = counts(&before);
    *allowed.entry((code, finding.severity)).or_default() -= 1;
    let excess: Vec<String> = counts(&after)
        .into_iter()
        .filter(|(kind, count)| allowed.get(kind).copied().unwrap_or_default() < *count)
        .filter(|((_, severity), _)| *severity <= Severity::Warning.max(finding.severity))
        .map(|((code, _), _)| code.to_string())
        .collect();
    assert_eq!(excess, Vec::<String>::new(), "{}", render(&files, &after));
    let texts: String = changed
        .iter()
        .map(|path| files.text(path).unwrap_or_default())
        .collect();
    expected.assert_eq(&texts);
}

fn findings(analysis: &Analysis) -> impl Iterator<Item = Diagnostic> {
    analysis
        .all_diagnostics()
        .flat_map(|(_, found)| found.iter().cloned())
}

fn counts(analysis: &Analysis) -> BTreeMap<(Code, Severity), usize> {
    let mut counts = BTreeMap::new();
    for finding in findings(analysis) {
        *counts.entry((finding.code, finding.severity)).or_default() += 1;
    }
    counts
}

fn apply<'a>(files: &mut MemoryFiles, analysis: &'a Analysis, fix: &Fix) -> Vec<&'a Utf8Path> {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
    let mut changed: Vec<&Utf8Path> = Vec::new();
    for edit in edits {
        let path = analysis.graph().path(edit.place.file);
        let mut text = files.text(path).expect("the file exists").to_owned();
        let Span { start, end } = edit.place.span;
        text.replace_range(start as usize..end as usize, &edit.text);
        files.insert(path, &text);
        if !changed.contains(&path) {
            changed.push(path);
        }
    }
    changed.sort();
    changed
}

/// All findings, each under its line, with help, related places and the titles of fixes.
pub(crate) fn render(files: &MemoryFiles, analysis: &Analysis) -> String {
    let graph = analysis.graph();
    let mut report = String::new();
    for (file, found) in analysis.all_diagnostics() {
        if found.is_empty() {
            continue;
        }
        let path = graph.path(file);
        let _ = writeln!(report, "//- {path}");
        let text = files.text(path).unwrap_or_default();
        let mut shown = None;
        for finding in found.iter() {
            let at = Position::of(text, finding.place.span);
            if shown != Some(at.line) {
                let _ = writeln!(report, "{}", at.text);
                shown = Some(at.line);
            }
            let _ = writeln!(
                report,
                "{}{} {}[{}]: {}",
                " ".repeat(at.column),
                "^".repeat(at.width),
                finding.severity.as_str(),
                finding.code,
                finding.message
            );
            details(&mut report, files, analysis, finding);
        }
    }
    report
}

fn details(report: &mut String, files: &MemoryFiles, analysis: &Analysis, finding: &Diagnostic) {
    if let Some(help) = &finding.help {
        let _ = writeln!(report, "    help: {help}");
    }
    for related in &finding.related {
        let place = show(files, analysis, related.place);
        let _ = writeln!(report, "    {place}: {}", related.message);
    }
    for fix in &finding.fixes {
        let mark = match (fix.preferred, fix.safe) {
            (true, true) => "fix!",
            (true, false) => "fix*",
            _ => "fix",
        };
        let _ = writeln!(report, "    {mark}: {}", fix.title);
    }
}

fn show(files: &MemoryFiles, analysis: &Analysis, place: Place) -> String {
    let path = analysis.graph().path(place.file);
    let text = files.text(path).unwrap_or_default();
    let at = Position::of(text, place.span);
    let name = path.strip_prefix("/w").unwrap_or(path);
    let part: String = at.text.chars().skip(at.column).take(at.width).collect();
    format!("{name}:{} `{part}`", at.line + 1)
}

struct Position<'a> {
    line: usize,
    text: &'a str,
    column: usize,
    width: usize,
}

impl<'a> Position<'a> {
    fn of(text: &'a str, span: Span) -> Self {
        let (start, end) = (span.start as usize, span.end as usize);
        let before = text.get(..start).expect("the span lies in the text");
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text.get(line_start..).unwrap_or_default();
        let line = line.split('\n').next().unwrap_or_default();
        let chars =
            |range: std::ops::Range<usize>| text.get(range).map_or(0, |part| part.chars().count());
        let end = end.min(line_start + line.len());
        Self {
            line: before.matches('\n').count(),
            text: line,
            column: chars(line_start..start),
            width: chars(start..end).max(1),
        }
    }
}
