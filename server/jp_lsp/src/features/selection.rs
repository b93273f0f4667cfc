//! `textDocument/selectionRange`.
//!
//! ```json
//! { "range": {}, "parent": { "range": {} } }
//! ```

use jp_analysis::selection::selection;
use lsp_types::{
    Position, SelectionRange, SelectionRangeParams, SelectionRangeProviderCapability,
    ServerCapabilities, request::SelectionRangeRequest,
};

use super::spot::Spot;
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    error::RequestError,
    request::{Context, Routes},
};

pub(crate) fn offer(_: &ClientProfile, capabilities: &mut ServerCapabilities) {
    capabilities.selection_range_provider = Some(SelectionRangeProviderCapability::Simple(true));
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<SelectionRangeRequest>(answer)
}

fn answer(
    context: &Context<ConfigEngine>,
    params: SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>, RequestError> {
    let reading = context.reading()?;
    let Some(spot) = Spot::of(&reading, &params.text_document.uri) else {
        return Ok(None);
    };
    let around = |position: Position| -> Result<SelectionRange, RequestError> {
        let offset = spot.offset(context, position)?;
        let parts = selection(spot.document, offset).into_iter().rev();
        let chain = parts.fold(None, |parent: Option<Box<SelectionRange>>, span| {
            Some(Box::new(SelectionRange {
                range: spot.range(context, span),
                parent,
            }))
        });
        Ok(chain.map_or_else(
            || SelectionRange {
                range: lsp_types::Range::new(position, position),
                parent: None,
            },
            |chain| *chain,
        ))
    };
    params
        .positions
        .into_iter()
        .map(around)
        .collect::<Result<_, _>>()
        .map(Some)
}
