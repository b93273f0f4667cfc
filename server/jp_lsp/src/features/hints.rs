//! `textDocument/inlayHint`.
//!
//! ```json
//! { "position": {}, "label": "= anthropic/claude-haiku-4", "paddingLeft": true }
//! ```

use jp_analysis::{
    hints::{Hint, HintOptions, hints},
    recorded,
};
use jp_config::document::Span;
use lsp_types::{
    Command, InlayHint, InlayHintLabel, InlayHintLabelPart, InlayHintParams, InlayHintTooltip,
    OneOf, ServerCapabilities, request::InlayHintRequest,
};

use serde_json::json;
use url::Url;

use super::{lenses::explaining, on_record, spot::Spot};
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    error::RequestError,
    request::{Context, Routes},
};

pub(crate) fn offer(client: &ClientProfile, capabilities: &mut ServerCapabilities) {
    if client.wants("inlayHint") {
        capabilities.inlay_hint_provider = Some(OneOf::Left(true));
    }
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<InlayHintRequest>(|context, params| answer(context, &params))
}

fn answer(
    context: &Context<ConfigEngine>,
    params: &InlayHintParams,
) -> Result<Option<Vec<InlayHint>>, RequestError> {
    let reading = context.reading()?;
    let Some(spot) = Spot::of(&reading, &params.text_document.uri) else {
        return Ok(None);
    };
    let client = context.snapshot().client();
    if !client.wants("inlayHint") {
        return Ok(None);
    }
    let options = HintOptions {
        rule_examples: client.wants("ruleExamples"),
    };
    let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let start = spot.offset(context, params.range.start)?;
    let end = spot.offset(context, params.range.end)?;
    let span = Span::new(narrow(start.min(end)), narrow(start.max(end)));
    let view = spot.view();
    let found = hints(&view, spot.file, spot.document, span, options);
    let record = context.record().of(spot.workspace.root());
    let edits = record.map(|record| recorded::hints(&view, spot.document, span, record));
    context.check()?;
    let uri = &params.text_document.uri;
    let position = |offset: u32| spot.range(context, Span::new(offset, offset)).start;
    let edits = edits.into_iter().flatten().map(|hint| InlayHint {
        position: position(hint.offset),
        label: InlayHintLabel::LabelParts(vec![InlayHintLabelPart {
            value: hint.label,
            command: Some(Command::new(
                "Show the calls".to_owned(),
                on_record::COMMAND.to_owned(),
                Some(vec![json!({
                    "tool": hint.tool, "changed": true, "workspace": uri,
                })]),
            )),
            ..InlayHintLabelPart::default()
        }]),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(
            "Compared with the rules that are saved, and with the calls on record.".to_owned(),
        )),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    });
    let found = found.into_iter().map(|hint| InlayHint {
        position: position(hint.offset),
        tooltip: Some(InlayHintTooltip::String(hint.tooltip.to_owned())),
        label: label(hint, uri),
        kind: None,
        text_edits: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    });
    Ok(Some(found.chain(edits).collect()))
}

/// The word, with a command where choosing it explains something.
fn label(hint: Hint, uri: &Url) -> InlayHintLabel {
    let Some(target) = hint.explains else {
        return InlayHintLabel::String(hint.label);
    };
    InlayHintLabel::LabelParts(vec![InlayHintLabelPart {
        value: hint.label,
        command: Some(explaining("Explain this call".to_owned(), target, uri)),
        ..InlayHintLabelPart::default()
    }])
}
