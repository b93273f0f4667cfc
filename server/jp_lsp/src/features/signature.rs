//! `textDocument/signatureHelp`.
//!
//! ```json
//! { "signatures": [{ "label": "{ arg = \"/path\", prefix = path, mode = … }", "activeParameter": 1,
//!                    "parameters": [{ "label": [2, 15], "documentation": { "kind": "markdown", "value": "…" } }] }],
//!   "activeSignature": 0, "activeParameter": 1 }
//! ```

use jp_analysis::{
    signature::{Signature, signature_help},
    text::markup::MarkupKind,
};
use lsp_types::{
    Documentation, MarkupContent, ParameterInformation, ParameterLabel, ServerCapabilities,
    SignatureHelp, SignatureHelpOptions, SignatureHelpParams, SignatureInformation,
    request::SignatureHelpRequest,
};

use super::spot::Spot;
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    error::RequestError,
    request::{Context, Routes},
    to_protocol,
};

pub(crate) fn offer(client: &ClientProfile, capabilities: &mut ServerCapabilities) {
    if client.wants("signatureHelp") {
        let characters = |all: &[&str]| Some(all.iter().map(|each| (*each).to_owned()).collect());
        capabilities.signature_help_provider = Some(SignatureHelpOptions {
            trigger_characters: characters(&["{", ",", "="]),
            retrigger_characters: characters(&["\"", "'", " "]),
            ..SignatureHelpOptions::default()
        });
    }
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.at_once::<SignatureHelpRequest>(answer)
}

fn answer(
    context: &Context<ConfigEngine>,
    params: SignatureHelpParams,
) -> Result<Option<SignatureHelp>, RequestError> {
    let reading = context.reading()?;
    let at = params.text_document_position_params;
    let Some(spot) = Spot::of(&reading, &at.text_document.uri) else {
        return Ok(None);
    };
    let client = context.snapshot().client();
    if !client.wants("signatureHelp") {
        return Ok(None);
    }
    let offset = spot.offset(context, at.position)?;
    let writer = Writer::new(client);
    let Some(signature) = signature_help(&spot.view(), spot.document, offset, writer.kind) else {
        return Ok(None);
    };
    Ok(Some(SignatureHelp {
        active_signature: Some(0),
        // For clients that know no active parameter of a single form.
        active_parameter: signature
            .active_parameter
            .and_then(|index| u32::try_from(index).ok()),
        signatures: vec![writer.signature(signature)],
    }))
}

/// How the client reads a form.
struct Writer {
    kind: MarkupKind,
    takes_offsets: bool,
}

impl Writer {
    fn new(client: &ClientProfile) -> Self {
        Self {
            kind: client.signature_markup(),
            takes_offsets: client.takes_parameter_offsets(),
        }
    }

    fn signature(&self, signature: Signature) -> SignatureInformation {
        let Signature {
            label,
            doc,
            parameters,
            active_parameter,
        } = signature;
        let parameters = parameters
            .into_iter()
            .map(|parameter| ParameterInformation {
                label: self.part(&label, parameter.label),
                documentation: self.text(parameter.doc),
            });
        SignatureInformation {
            parameters: Some(parameters.collect()),
            documentation: self.text(doc),
            active_parameter: active_parameter.and_then(|index| u32::try_from(index).ok()),
            label,
        }
    }

    /// A part of a label: in UTF-16 units whatever the encoding of positions is, as the protocol wants it.
    fn part(&self, label: &str, part: std::ops::Range<usize>) -> ParameterLabel {
        let text = label.get(part.clone()).unwrap_or_default();
        if !self.takes_offsets {
            return ParameterLabel::Simple(text.to_owned());
        }
        let before = label.get(..part.start).unwrap_or_default();
        let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
        let start = units(before);
        ParameterLabel::LabelOffsets([start, start + units(text)])
    }

    fn text(&self, value: String) -> Option<Documentation> {
        let kind = to_protocol::markup_kind(self.kind);
        let content = MarkupContent { kind, value };
        Some(content)
            .filter(|content| !content.value.is_empty())
            .map(Documentation::MarkupContent)
    }
}
