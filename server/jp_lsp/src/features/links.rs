//! `textDocument/documentLink`.
//!
//! ```json
//! { "range": {}, "target": "file:///w/.jp/tools/read.toml" }
//! ```

use jp_analysis::links::links;
use jp_config::graph::{FileKind, Files as _};
use lsp_types::{
    DocumentLink, DocumentLinkOptions, DocumentLinkParams, ServerCapabilities,
    WorkDoneProgressOptions, request::DocumentLinkRequest,
};

use super::{spot::Spot, workspace_edit::uri};
use crate::{
    disk::config_files::DiskFiles,
    session::{
        client::ClientProfile,
        config_engine::ConfigEngine,
        error::RequestError,
        request::{Context, Routes},
    },
};

pub(crate) fn offer(_: &ClientProfile, capabilities: &mut ServerCapabilities) {
    capabilities.document_link_provider = Some(DocumentLinkOptions {
        resolve_provider: Some(false),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    });
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<DocumentLinkRequest>(|context, params| answer(context, &params))
}

/// Only files are linked: an editor can open nothing else.
fn answer(
    context: &Context<ConfigEngine>,
    params: &DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>, RequestError> {
    let reading = context.reading()?;
    let Some(spot) = Spot::of(&reading, &params.text_document.uri) else {
        return Ok(None);
    };
    let graph = spot.workspace.graph();
    let disk = DiskFiles::trusted();
    let mut found = Vec::new();
    for link in links(spot.document, graph.path(spot.file), &graph.workspace) {
        context.check()?;
        if disk.kind(&link.target) != FileKind::File {
            continue;
        }
        found.push(DocumentLink {
            range: spot.range(context, link.span),
            target: uri(context, &link.target),
            tooltip: None,
            data: None,
        });
    }
    Ok(Some(found))
}
