//! `textDocument/foldingRange`.
//!
//! ```json
//! { "startLine": 3, "endLine": 9, "kind": "region" }
//! ```

use jp_analysis::folding::{FoldKind, folds};
use lsp_types::{
    FoldingRange, FoldingRangeKind, FoldingRangeParams, FoldingRangeProviderCapability,
    ServerCapabilities, request::FoldingRangeRequest,
};

use super::spot::Spot;
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    error::RequestError,
    request::{Context, Routes},
};

pub(crate) fn offer(_: &ClientProfile, capabilities: &mut ServerCapabilities) {
    capabilities.folding_range_provider = Some(FoldingRangeProviderCapability::Simple(true));
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<FoldingRangeRequest>(|context, params| answer(context, &params))
}

fn answer(
    context: &Context<ConfigEngine>,
    params: &FoldingRangeParams,
) -> Result<Option<Vec<FoldingRange>>, RequestError> {
    let reading = context.reading()?;
    let Some(spot) = Spot::of(&reading, &params.text_document.uri) else {
        return Ok(None);
    };
    let client = context.snapshot().client();
    let by_line = client.folds_lines();
    let found = folds(spot.document).into_iter().filter_map(|fold| {
        let range = spot.range(context, fold.span);
        let character = |character: u32| (!by_line).then_some(character);
        (range.end.line > range.start.line).then(|| FoldingRange {
            start_line: range.start.line,
            start_character: character(range.start.character),
            end_line: range.end.line,
            end_character: character(range.end.character),
            kind: Some(match fold.kind {
                FoldKind::Region => FoldingRangeKind::Region,
                FoldKind::Comment => FoldingRangeKind::Comment,
            }),
            collapsed_text: None,
        })
    });
    Ok(Some(found.collect()))
}
