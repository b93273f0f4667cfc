//! Comments that allow findings.
//!
//! ```toml
//! # jp-lsp: allow(rule-redundant) kept until the tools are split
//! { arg = "/path", prefix = "src/", mode = "ask" },
//! command = "make {{tool}}" # jp-lsp: allow(command-template)
//! ```
//!
//! On a line of its own a comment holds for what begins next: a table with its body, a statement, an element of a list.
//! At the end of a line it holds for what begins or ends on that line, behind a header for the table.

mod comment;
mod target;

use jp_config::{
    document::{Document, Span},
    graph::FileId,
};

pub(crate) use self::{comment::Allow, target::site};
use self::{comment::Named, target::Target};
use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    limit::Found,
    options::{Dialect, Options},
    rules::allow_unused,
};

/// More comments than this in one file allow nothing.
const MAXIMUM_ALLOWS: usize = 1_000;

/// What an error gains that a comment tries to allow.
const CANNOT_ALLOW: &str =
    "a comment cannot allow an error, since no turn starts with a file that has one";

/// Takes out the findings of a file that its comments allow, and adds what is wrong with the comments.
pub(crate) fn apply(
    file: FileId,
    document: &Document,
    allows: &[Allow],
    options: Options,
    found: &mut Found,
) {
    // What was not told, or not found because the text is broken, may be what a comment allows.
    let is_whole = found.omitted.is_empty() && document.error_count() == 0;
    let mut findings = Vec::new();
    for allow in allows.iter().take(MAXIMUM_ALLOWS) {
        let target = Target::of(document, allow.comment);
        if allow.names.is_empty() {
            findings.push(allow_unused::malformed(file, allow.comment));
        }
        let spans: Vec<Span> = allow.names.iter().map(|name| name.span).collect();
        for (index, name) in allow.names.iter().enumerate() {
            match name.code {
                None => findings.push(allow_unused::unknown(file, document, name.span)),
                Some(code) => {
                    let is_used = take(code, &target, file, &mut found.findings);
                    // What the other dialect would find is allowed for its sake.
                    let is_judged =
                        code != Code::ReleasedJpRejects || options.dialect == Dialect::Released;
                    if !is_used && is_whole && is_judged {
                        let comment = allow.comment;
                        findings.push(allow_unused::unused(
                            file, document, comment, &spans, index, code,
                        ));
                    }
                }
            }
        }
    }
    found.findings.append(&mut findings);
}

/// Takes out the findings with a code in a target; answers whether there were any.
fn take(code: Code, target: &Target, file: FileId, findings: &mut Vec<Diagnostic>) -> bool {
    let mut is_used = false;
    findings.retain_mut(|finding| {
        let is_meant =
            finding.code == code && finding.place.file == file && target.holds(finding.place.span);
        is_used |= is_meant;
        if is_meant && finding.severity == Severity::Error {
            let help = finding.help.take().map(|help| format!("{help}; "));
            finding.help = Some(format!("{}{CANNOT_ALLOW}", help.unwrap_or_default()));
            return true;
        }
        !is_meant
    });
    is_used
}

impl Allow {
    /// The same comment, with the offsets counted from `start` on instead of from the beginning of the text.
    pub(crate) fn relative(mut self, start: u32) -> Self {
        self.visit(&mut |span| Span::new(span.start - start, span.end - start));
        self
    }

    /// The same comment where its section starts at `start`.
    pub(crate) fn placed(mut self, start: u32) -> Self {
        self.visit(&mut |span| Span::new(span.start + start, span.end + start));
        self
    }

    fn visit(&mut self, change: &mut dyn FnMut(Span) -> Span) {
        self.comment = change(self.comment);
        for Named { span, .. } in &mut self.names {
            *span = change(*span);
        }
    }
}

#[cfg(test)]
#[path = "allow_tests.rs"]
mod tests;
