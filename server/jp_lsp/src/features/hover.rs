//! `textDocument/hover`.
//!
//! ```json
//! { "contents": { "kind": "markdown", "value": "`assistant.model.id`\n\n…" }, "range": {} }
//! ```

use jp_analysis::hover::hover;
use lsp_types::{
    Hover, HoverContents, HoverParams, HoverProviderCapability, MarkupContent, ServerCapabilities,
    request::HoverRequest,
};

use super::spot::Spot;
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    error::RequestError,
    request::{Context, Routes},
    to_protocol,
};

pub(crate) fn offer(_: &ClientProfile, capabilities: &mut ServerCapabilities) {
    capabilities.hover_provider = Some(HoverProviderCapability::Simple(true));
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.at_once::<HoverRequest>(answer)
}

fn answer(
    context: &Context<ConfigEngine>,
    params: HoverParams,
) -> Result<Option<Hover>, RequestError> {
    let reading = context.reading()?;
    let at = params.text_document_position_params;
    let Some(spot) = Spot::of(&reading, &at.text_document.uri) else {
        return Ok(None);
    };
    let offset = spot.offset(context, at.position)?;
    let kind = context.snapshot().client().hover_markup();
    let found = hover(&spot.view(), spot.file, spot.document, offset, kind);
    Ok(found.map(|found| Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: to_protocol::markup_kind(kind),
            value: found.text,
        }),
        range: Some(spot.range(context, found.span)),
    }))
}
