//! The examples beside the rules of a workspace, held against the rules as they are in the editor.
//!
//! ```toml
//! # .jp/policy.tests.toml
//! [[case]]                       # warning: run: expected `skip`, decided `unattended` by rule 2 at .jp/config.toml:7
//! tool = "read"
//! call = { path = "secrets/key" }
//! run = "skip"
//! ```

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{
    Mistake,
    examples::{self, Case, Examples, PATH, Verdict, holds, judge},
    text::markup::one_line,
};
use jp_config::{document::Span, graph::Graph};
use lsp_types::{Diagnostic, DiagnosticSeverity, Range};

use super::report::told;
use crate::{
    disk::paths::DiskPaths,
    line_index::{LineIndex, PositionEncoding},
};

/// The examples of one workspace.
#[derive(Debug)]
pub(crate) struct HeldExamples {
    text: String,
    lines: LineIndex,
    encoding: PositionEncoding,
    /// The cases without a mistake of form, each with what is decided about it.
    pub(crate) cases: Vec<(Case, Vec<Verdict>)>,
    /// What is wrong with the text.
    pub(crate) mistakes: Vec<Mistake>,
}

impl HeldExamples {
    /// Where the examples of the workspace at `root` stand.
    pub(crate) fn path_in(root: &Utf8Path) -> Utf8PathBuf {
        root.join(PATH)
    }

    /// The examples of a text, held against a config; looks at the links below `root`.
    pub(super) fn of(
        text: String,
        root: &Utf8Path,
        graph: &Arc<Graph>,
        encoding: PositionEncoding,
    ) -> Self {
        let examples = Examples::read(&text);
        let judged = judge(&examples.cases, graph, &DiskPaths::new(root));
        let mut mistakes = examples.mistakes;
        mistakes.extend(judged.mistakes);
        mistakes.sort();
        Self {
            lines: LineIndex::new(&text),
            encoding,
            cases: examples.cases.into_iter().zip(judged.verdicts).collect(),
            mistakes,
            text,
        }
    }

    /// A span of the text as a range.
    pub(crate) fn range(&self, span: Span) -> Range {
        self.lines.range(&self.text, span.range(), self.encoding)
    }

    /// How many of the cases of `tool`, or of all, hold, and how many there are.
    pub(crate) fn count(&self, tool: Option<&str>) -> (usize, usize) {
        let cases = self
            .cases
            .iter()
            .filter(|(case, _)| tool.is_none_or(|tool| case.tool == tool));
        let total = cases.clone().count();
        let held = cases.filter(|(_, verdicts)| holds(verdicts)).count();
        (held, total)
    }

    /// The count in words: `3 of 4 hold`; nothing where there are none.
    pub(crate) fn in_words(&self, tool: Option<&str>) -> Option<String> {
        let (held, total) = self.count(tool);
        (total > 0).then(|| format!("{held} of {total} hold"))
    }

    /// The mistakes, and the examples that do not hold.
    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        let mistakes = self.mistakes.iter().map(|mistake| {
            let range = self.range(mistake.span);
            told(
                range,
                DiagnosticSeverity::ERROR,
                "example-mistake",
                &mistake.message,
            )
        });
        let failing = self.cases.iter().filter_map(|(case, verdicts)| {
            let message = failures(verdicts)?;
            let range = self.range(case.span);
            Some(told(
                range,
                DiagnosticSeverity::WARNING,
                "example-fails",
                &message,
            ))
        });
        mistakes.chain(failing).collect()
    }
}

/// What of a case does not hold, a line each; nothing where it holds, or has a mistake that is told elsewhere.
pub(crate) fn failures(verdicts: &[Verdict]) -> Option<String> {
    let failing = examples::failures(verdicts).map(|failure| one_line(&failure));
    let failing: Vec<String> = failing.collect();
    (!failing.is_empty()).then(|| failing.join("\n"))
}
