//! `textDocument/hover`.
//!
//! ```json
//! { "contents": { "kind": "markdown", "value": "`assistant.model.id`\n\n…" }, "range": {} }
//! ```

use jp_analysis::{hover::hover, text::markup::MarkupKind};
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
    let kind = preferred(context.snapshot().client());
    let found = hover(&spot.view(), spot.file, spot.document, offset, kind);
    Ok(found.map(|found| Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: match kind {
                MarkupKind::Markdown => lsp_types::MarkupKind::Markdown,
                MarkupKind::PlainText => lsp_types::MarkupKind::PlainText,
            },
            value: found.text,
        }),
        range: Some(spot.range(context, found.span)),
    }))
}

/// The first format that the client names.
fn preferred(client: &ClientProfile) -> MarkupKind {
    let first = client
        .capabilities
        .pointer("/textDocument/hover/contentFormat/0")
        .and_then(serde_json::Value::as_str);
    match first {
        Some("markdown") => MarkupKind::Markdown,
        _ => MarkupKind::PlainText,
    }
}
