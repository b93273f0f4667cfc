//! `textDocument/hover` in a file of settings: what a key means.
//!
//! ```json
//! { "contents": { "kind": "markdown", "value": "How bad findings are, by their codes. …" }, "range": {} }
//! ```

use jp_analysis::settings;
use jp_config::document::Document;
use lsp_types::{Hover, HoverContents, MarkupContent, TextDocumentPositionParams};

use crate::session::{
    config_engine::ConfigEngine, documents::FileKey, error::RequestError, reading::ConfigReading,
    request::Context, to_protocol,
};

/// What a key at a place means; nothing where the file is none of settings.
pub(super) fn hover(
    context: &Context<ConfigEngine>,
    reading: &ConfigReading,
    at: &TextDocumentPositionParams,
) -> Result<Option<Hover>, RequestError> {
    let uri = &at.text_document.uri;
    let key = FileKey::of(uri);
    let Some(kept) = key.path().and_then(|path| reading.settings_at(path)) else {
        return Ok(None);
    };
    let open = context.document(uri)?;
    let client = context.snapshot().client();
    let (text, lines, encoding) = (open.text(), open.lines(), client.encoding);
    let offset = lines.offset(text, at.position, encoding);
    let kind = client.hover_markup();
    let found = settings::hover(kept.json_schema(), &Document::parse(text), offset, kind);
    Ok(found.map(|found| Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: to_protocol::markup_kind(kind),
            value: found.text,
        }),
        range: Some(lines.range(text, found.span.range(), encoding)),
    }))
}
