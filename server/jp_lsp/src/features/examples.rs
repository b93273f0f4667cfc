//! `jp/tests`: the examples beside the rules of a workspace, and which of them hold.
//!
//! ```json
//! { "method": "jp/tests", "params": { "workspace": "file:///w" } }
//! { "uri": "file:///w/.jp/policy.tests.toml", "total": 4, "held": 3, "mistakes": [],
//!   "cases": [{ "title": "secrets are never read", "tool": "read", "range": {}, "holds": false,
//!               "message": "run: expected `skip`, decided `unattended` by rule 2 at .jp/config.toml:7" }] }
//! ```

use std::sync::Arc;

use jp_analysis::{
    examples::{case_at, holds},
    text::markup::{MarkupKind, code, one_line},
};
use jp_config::document::Span;
use lsp_types::{
    CodeLens, Command, Hover, HoverContents, MarkupContent, Range, TextDocumentPositionParams,
    request::Request,
};
use serde::{Deserialize, Serialize};
use url::Url;

use super::explain;
use crate::session::{
    config_engine::ConfigEngine,
    documents::FileKey,
    error::RequestError,
    examples::{HeldExamples, failures},
    reading::{ConfigReading, WorkspaceReading},
    request::{Context, Routes},
    to_protocol,
};

/// The request `jp/tests`.
#[derive(Debug)]
pub(crate) enum Tests {}

impl Request for Tests {
    type Params = TestsParams;
    type Result = Option<TestsResult>;
    const METHOD: &'static str = "jp/tests";
}

/// Whose examples are meant.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TestsParams {
    /// A file or folder of the workspace; the first workspace by default.
    #[serde(default)]
    workspace: Option<Url>,
}

/// The examples of a workspace.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestsResult {
    /// Their file.
    uri: Url,
    /// How many there are, without those that have a mistake.
    total: usize,
    /// How many hold.
    held: usize,
    cases: Vec<TestCase>,
    /// What is wrong with the file.
    mistakes: Vec<TestMistake>,
}

/// One example.
#[derive(Debug, Serialize, Deserialize)]
struct TestCase {
    title: String,
    tool: String,
    range: Range,
    holds: bool,
    /// What does not hold, a line each.
    message: Option<String>,
}

/// A mistake in the file.
#[derive(Debug, Serialize, Deserialize)]
struct TestMistake {
    range: Range,
    message: String,
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<Tests>(|context, params| answer(context, &params))
}

fn answer(
    context: &Context<ConfigEngine>,
    params: &TestsParams,
) -> Result<Option<TestsResult>, RequestError> {
    let reading = context.reading()?;
    let Some(workspace) = reading.meant(params.workspace.as_ref()) else {
        return Ok(None);
    };
    let Some(kept) = reading.examples_of(workspace) else {
        return Ok(None);
    };
    // Whoever asks by hand may have moved a link that nobody watches.
    let held = kept.held_anew(context.snapshot());
    let held = held.map_err(RequestError::Failed)?;
    let uri = FileKey::of_path(kept.path()).uri();
    let (Some(held), Some(uri)) = (held, uri) else {
        return Ok(None);
    };
    let cases = held.cases.iter().map(|(case, verdicts)| TestCase {
        title: one_line(&case.title()),
        tool: one_line(&case.tool),
        range: held.range(case.span),
        holds: holds(verdicts),
        message: failures(verdicts),
    });
    let mistakes = held.mistakes.iter().map(|mistake| TestMistake {
        range: held.range(mistake.span),
        message: mistake.message.clone(),
    });
    let (count, total) = held.count(None);
    Ok(Some(TestsResult {
        uri,
        total,
        held: count,
        cases: cases.collect(),
        mistakes: mistakes.collect(),
    }))
}

/// The lines in the file of examples: how many hold, and above each that does not, what is decided instead.
///
/// Nothing where `uri` is no file of examples.
pub(super) fn lenses(
    context: &Context<ConfigEngine>,
    reading: &ConfigReading,
    uri: &Url,
) -> Option<Vec<CodeLens>> {
    let key = FileKey::of(uri);
    let path = key.path()?;
    let kept = reading.examples_at(path)?;
    let held = kept.held(context.snapshot()).ok()??;
    let line = |span: Span, title: String| CodeLens {
        range: held.range(span),
        // Without a command, a lens is only read.
        command: Some(Command::new(title, String::new(), None)),
        data: None,
    };
    let all = held
        .in_words(None)
        .map(|words| line(Span::new(0, 0), words));
    let failing = held.cases.iter().filter_map(|(case, verdicts)| {
        let message = failures(verdicts)?.replace('\n', "; ");
        Some(line(case.span, message))
    });
    Some(all.into_iter().chain(failing).collect())
}

/// What is decided about the case at a place, and why; nothing where it has a mistake, or the file is none of examples.
pub(super) fn hover(
    context: &Context<ConfigEngine>,
    reading: &ConfigReading,
    at: &TextDocumentPositionParams,
) -> Result<Option<Hover>, RequestError> {
    let uri = &at.text_document.uri;
    let key = FileKey::of(uri);
    let Some(kept) = key.path().and_then(|path| reading.examples_at(path)) else {
        return Ok(None);
    };
    // Where paths lead is looked up on the disk.
    if !context.may_block() {
        return Err(RequestError::WouldBlock);
    }
    let open = context.document(uri)?;
    let encoding = context.snapshot().client().encoding;
    let offset = open.lines().offset(open.text(), at.position, encoding);
    let held = kept.held(context.snapshot());
    let Some(held) = held.map_err(RequestError::Failed)? else {
        return Ok(None);
    };
    let found = case_at(open.text(), offset);
    let mut cases = held.cases.iter();
    let Some((case, verdicts)) = cases.find(|(case, _)| Some(case.span) == found) else {
        return Ok(None);
    };
    let kind = context.snapshot().client().hover_markup();
    let mut told = match (verdicts.is_empty(), failures(verdicts)) {
        (true, _) => return Ok(None),
        (false, None) => vec!["This example holds.".to_owned()],
        (false, Some(failures)) => {
            let failures = failures.lines().map(|failure| match kind {
                MarkupKind::Markdown => code(&failure.replace('`', "")),
                MarkupKind::PlainText => failure.to_owned(),
            });
            std::iter::once("This example fails.".to_owned())
                .chain(failures)
                .collect()
        }
    };
    told.extend(verdicts.iter().filter_map(|verdict| {
        let aspect = verdict.expectation.aspect;
        explain::in_words(kept.graph(), &case.tool, aspect, &case.input, kind)
    }));
    context.check()?;
    Ok(Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: to_protocol::markup_kind(kind),
            value: told.join("\n\n"),
        }),
        range: Some(held.range(case.span)),
    }))
}

/// The line above a tool of the config: how many of its examples hold.
pub(super) fn told_of(held: Option<&HeldExamples>, tool: &str) -> Option<String> {
    let words = held?.in_words(Some(tool))?;
    Some(format!("examples: {words}"))
}

/// The examples of a workspace, where they can be read.
pub(super) fn held(
    context: &Context<ConfigEngine>,
    reading: &ConfigReading,
    workspace: &WorkspaceReading,
) -> Option<Arc<HeldExamples>> {
    let kept = reading.examples_of(workspace)?;
    kept.held(context.snapshot()).ok().flatten()
}
