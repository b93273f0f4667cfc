//! Text that is no TOML.
//!
//! ```toml
//! [conversation.tools.*]   # error[bare-star-key]: write `'*'`
//! ```
//!
//! codes: toml-syntax, duplicate-key, bare-star-key

use jp_config::{document::Document, graph::FileId};

use crate::{
    diagnostic::{Code, Diagnostic, Place, Severity},
    limit::{Found, MAXIMUM_FINDINGS, Omitted},
    text::mend,
};

/// What is wrong with the text of a document, with spans of the whole text.
pub(crate) fn syntax(file: FileId, document: &Document) -> Found {
    let findings: Vec<Diagnostic> = document
        .first_errors(MAXIMUM_FINDINGS)
        .into_iter()
        .map(|error| {
            let place = Place {
                file,
                span: error.span,
            };
            let fixes = mend::fixes(file, document, &error);
            let mut finding = Diagnostic::new(error.kind.into(), place, error.message);
            if let Some((span, message)) = error.related {
                finding = finding.with_related(Place { file, span }, message);
            }
            finding.with_fixes(fixes)
        })
        .collect();
    let more = document.error_count().saturating_sub(findings.len());
    let code = findings.last().map_or(Code::TomlSyntax, |last| last.code);
    Found {
        findings,
        omitted: Omitted::new(more, Severity::Error, code),
    }
}
