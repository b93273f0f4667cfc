//! `textDocument/definition`, `references`, `documentHighlight`, `prepareRename` and `rename`.
//!
//! ```json
//! { "uri": "file:///w/.jp/tools/read.toml", "range": { "start": { "line": 3, "character": 11 } } }
//! ```

use jp_analysis::{
    Place,
    navigation::{RenameError, Role, definitions, highlights, prepare_rename, references, rename},
};
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, GotoDefinitionParams,
    GotoDefinitionResponse, Location, OneOf, PrepareRenameResponse, ReferenceParams, RenameOptions,
    RenameParams, ServerCapabilities, TextDocumentPositionParams, WorkDoneProgressOptions,
    WorkspaceEdit,
    request::{DocumentHighlightRequest, GotoDefinition, PrepareRenameRequest, References, Rename},
};

use super::{
    spot::Spot,
    workspace_edit::{location, workspace_edit},
};
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    error::RequestError,
    request::{Context, Routes},
};

pub(crate) fn offer(client: &ClientProfile, capabilities: &mut ServerCapabilities) {
    capabilities.definition_provider = Some(OneOf::Left(true));
    capabilities.references_provider = Some(OneOf::Left(true));
    capabilities.document_highlight_provider = Some(OneOf::Left(true));
    capabilities.rename_provider = Some(if client.prepares_renames() {
        OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })
    } else {
        OneOf::Left(true)
    });
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes
        .on::<GotoDefinition>(definition)
        .on::<References>(all_references)
        .on::<DocumentHighlightRequest>(highlight)
        .on::<PrepareRenameRequest>(|context, params| prepare(context, &params))
        .on::<Rename>(renamed)
}

fn definition(
    context: &Context<ConfigEngine>,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, RequestError> {
    let reading = context.reading()?;
    let at = params.text_document_position_params;
    let Some(spot) = Spot::of(&reading, &at.text_document.uri) else {
        return Ok(None);
    };
    let offset = spot.offset(context, at.position)?;
    let graph = spot.workspace.graph();
    let found = definitions(graph, spot.document, offset);
    Ok(Some(GotoDefinitionResponse::Array(locations(
        context, &spot, found,
    ))))
}

fn all_references(
    context: &Context<ConfigEngine>,
    params: ReferenceParams,
) -> Result<Option<Vec<Location>>, RequestError> {
    let reading = context.reading()?;
    let at = params.text_document_position;
    let Some(spot) = Spot::of(&reading, &at.text_document.uri) else {
        return Ok(None);
    };
    let offset = spot.offset(context, at.position)?;
    let graph = spot.workspace.graph();
    let declarations = params.context.include_declaration;
    let found = references(graph, spot.document, offset, declarations);
    Ok(Some(locations(context, &spot, found)))
}

fn locations(
    context: &Context<ConfigEngine>,
    spot: &Spot<'_>,
    places: Vec<Place>,
) -> Vec<Location> {
    places
        .into_iter()
        .filter_map(|place| location(context, spot.workspace, place))
        .collect()
}

fn highlight(
    context: &Context<ConfigEngine>,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, RequestError> {
    let reading = context.reading()?;
    let at = params.text_document_position_params;
    let Some(spot) = Spot::of(&reading, &at.text_document.uri) else {
        return Ok(None);
    };
    let offset = spot.offset(context, at.position)?;
    let found = highlights(spot.document, offset).into_iter();
    let found = found.map(|(span, role)| DocumentHighlight {
        range: spot.range(context, span),
        kind: Some(match role {
            Role::Definition => DocumentHighlightKind::WRITE,
            Role::Reference => DocumentHighlightKind::READ,
        }),
    });
    Ok(Some(found.collect()))
}

fn prepare(
    context: &Context<ConfigEngine>,
    at: &TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>, RequestError> {
    let reading = context.reading()?;
    let Some(spot) = Spot::of(&reading, &at.text_document.uri) else {
        return Ok(None);
    };
    let offset = spot.offset(context, at.position)?;
    let graph = spot.workspace.graph();
    match prepare_rename(graph, spot.document, offset) {
        Ok((span, placeholder)) => Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
            range: spot.range(context, span),
            placeholder,
        })),
        Err(error) => Err(refused(&error)),
    }
}

fn renamed(
    context: &Context<ConfigEngine>,
    params: RenameParams,
) -> Result<Option<WorkspaceEdit>, RequestError> {
    let reading = context.reading()?;
    let at = params.text_document_position;
    let Some(spot) = Spot::of(&reading, &at.text_document.uri) else {
        return Ok(None);
    };
    let offset = spot.offset(context, at.position)?;
    let graph = spot.workspace.graph();
    let edits =
        rename(graph, spot.document, offset, &params.new_name).map_err(|error| refused(&error))?;
    Ok(Some(workspace_edit(context, spot.workspace, &edits)))
}

fn refused(error: &RenameError) -> RequestError {
    RequestError::Failed(error.to_string())
}
