//! `textDocument/hover`.
//!
//! ```json
//! { "contents": { "kind": "markdown", "value": "`assistant.model.id` is `\"haiku\"`, from [`.jp/config.toml:2`](<file:///…/.jp/config.toml#L2>).\n\n…" }, "range": {} }
//! ```

use camino::Utf8Path;
use jp_agent::{known_mechanisms, mechanisms};
use jp_analysis::{
    explain::words::Style,
    hover::{AccessRule, access_rule_at, hover},
    recorded,
};
use jp_config::view::View;
use jp_conversation::Timestamp;
use lsp_types::{
    Hover, HoverContents, HoverParams, HoverProviderCapability, MarkupContent, ServerCapabilities,
    request::HoverRequest,
};

use super::{examples, explain, settings, spot::Spot};
use crate::{
    runtime::held::held_in_words,
    session::{
        client::ClientProfile,
        config_engine::ConfigEngine,
        error::RequestError,
        request::{Context, Routes},
        to_protocol,
    },
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
        return match settings::hover(context, &reading, &at)? {
            None => examples::hover(context, &reading, &at),
            found => Ok(found),
        };
    };
    let offset = spot.offset(context, at.position)?;
    let kind = context.snapshot().client().hover_markup();
    let view = spot.view();
    let rule = access_rule_at(&view, spot.file, spot.document, offset);
    let kernel = match rule {
        // Where its files lie is read from the disk.
        Some(_) if !context.may_block() => return Err(RequestError::WouldBlock),
        Some(rule) => held(context, &view, &rule),
        None => None,
    };
    let root = &spot.workspace.graph().workspace;
    let link = |path: &Utf8Path, line: u32| explain::address(root, path, line);
    let mut found = hover(
        &view,
        spot.file,
        spot.document,
        offset,
        kernel.as_deref(),
        Style { kind, link: &link },
    );
    if let (Some(found), Some(record)) = (&mut found, context.record().of(spot.workspace.root())) {
        let now = Timestamp::now().datetime().unix_timestamp();
        let told = recorded::hover(&view, spot.file, spot.document, offset, record, now);
        if let Some(told) = told {
            found.text.push_str("\n\n");
            found.text.push_str(&told);
        }
    }
    Ok(found.map(|found| Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: to_protocol::markup_kind(kind),
            value: found.text,
        }),
        range: Some(spot.range(context, found.span)),
    }))
}

/// What the kernel holds of a rule.
///
/// Finding out what this machine has takes a process of our own, which starts in no folder that nobody trusts.
fn held(context: &Context<ConfigEngine>, view: &View, rule: &AccessRule) -> Option<String> {
    let snapshot = context.snapshot();
    let found = match snapshot.trusts(&view.graph().workspace) {
        true => Some(mechanisms()),
        false => known_mechanisms(),
    };
    held_in_words(view, rule, &snapshot.client().sandbox, found)
}
