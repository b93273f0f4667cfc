//! `textDocument/inlayHint`.
//!
//! ```json
//! { "position": {}, "label": "= anthropic/claude-haiku-4", "paddingLeft": true }
//! ```

use jp_analysis::hints::hints;
use jp_config::document::Span;
use lsp_types::{
    InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip, OneOf, ServerCapabilities,
    request::InlayHintRequest,
};

use super::spot::Spot;
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
    if !context.snapshot().client().wants("inlayHint") {
        return Ok(None);
    }
    let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let start = spot.offset(context, params.range.start)?;
    let end = spot.offset(context, params.range.end)?;
    let span = Span::new(narrow(start.min(end)), narrow(start.max(end)));
    let found = hints(&spot.view(), spot.file, spot.document, span);
    let found = found.into_iter().map(|hint| InlayHint {
        position: spot
            .range(context, Span::new(hint.offset, hint.offset))
            .start,
        label: InlayHintLabel::String(hint.label),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(hint.tooltip.to_owned())),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    });
    Ok(Some(found.collect()))
}
