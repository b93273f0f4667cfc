//! Analysis values as protocol values: byte spans become positions of the negotiated encoding.

use crate::{
    line_index::LineIndex,
    session::{
        documents::FileKey,
        reading::WorkspaceReading,
        report::{SOURCE, nowhere, page},
        snapshot::Snapshot,
    },
};
use jp_analysis::{Diagnostic, Place, Severity, Tag, text::markup::MarkupKind};
use jp_config::graph::Graph;
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString,
    Range,
};

/// A finding as a diagnostic.
pub(crate) fn diagnostic(
    finding: &Diagnostic,
    workspace: &WorkspaceReading,
    graph: &Graph,
    snapshot: &Snapshot,
) -> lsp_types::Diagnostic {
    let related = finding.related.iter().map(|related| {
        let path = graph.path(related.place.file);
        let uri = snapshot
            .documents()
            .get(&FileKey::of_path(path))
            .map(|document| document.uri().clone())
            .or_else(|| FileKey::of_path(path).uri());
        DiagnosticRelatedInformation {
            location: Location {
                uri: uri.unwrap_or_else(nowhere),
                range: range(related.place, workspace, graph, snapshot),
            },
            message: related.message.clone(),
        }
    });
    let message = match &finding.help {
        Some(help) => format!("{}\n{help}", finding.message),
        None => finding.message.clone(),
    };
    lsp_types::Diagnostic {
        range: range(finding.place, workspace, graph, snapshot),
        severity: Some(severity(
            workspace
                .severities()
                .of(finding)
                .unwrap_or(finding.severity),
        )),
        code: Some(NumberOrString::String(finding.code.as_str().to_owned())),
        code_description: page(finding.code.as_str()),
        source: Some(SOURCE.to_owned()),
        message,
        related_information: (!finding.related.is_empty()).then(|| related.collect()),
        tags: finding.tag.map(|tag| vec![self::tag(tag)]),
        data: None,
    }
}

/// A place as a range.
pub(crate) fn range(
    place: Place,
    workspace: &WorkspaceReading,
    graph: &Graph,
    snapshot: &Snapshot,
) -> Range {
    let text = graph
        .content(place.file)
        .and_then(|content| content.document())
        .map_or("", |document| document.text());
    let encoding = snapshot.client().encoding;
    let empty = LineIndex::new("");
    let lines = workspace.lines(place.file).unwrap_or(&empty);
    lines.range(text, place.span.range(), encoding)
}

/// A format of texts.
pub(crate) fn markup_kind(kind: MarkupKind) -> lsp_types::MarkupKind {
    match kind {
        MarkupKind::Markdown => lsp_types::MarkupKind::Markdown,
        MarkupKind::PlainText => lsp_types::MarkupKind::PlainText,
    }
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Information => DiagnosticSeverity::INFORMATION,
        Severity::Hint => DiagnosticSeverity::HINT,
    }
}

fn tag(tag: Tag) -> DiagnosticTag {
    match tag {
        Tag::Unnecessary => DiagnosticTag::UNNECESSARY,
        Tag::Deprecated => DiagnosticTag::DEPRECATED,
    }
}
