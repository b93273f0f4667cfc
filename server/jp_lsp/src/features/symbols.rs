//! `textDocument/documentSymbol` and `workspace/symbol`.
//!
//! ```json
//! { "name": "conversation.tools.fs_read_file", "kind": 5, "range": {}, "selectionRange": {}, "children": [] }
//! ```

use jp_analysis::{
    navigation::Name,
    symbols::{Symbol, SymbolKind, document_symbols, workspace_symbols},
};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, OneOf, ServerCapabilities,
    SymbolInformation, WorkspaceSymbolParams, WorkspaceSymbolResponse,
    request::{DocumentSymbolRequest, WorkspaceSymbolRequest},
};

use super::{spot::Spot, workspace_edit::location};
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    error::RequestError,
    request::{Context, Routes},
};

/// The most names that one search answers with.
const MOST_NAMES: usize = 500;

pub(crate) fn offer(_: &ClientProfile, capabilities: &mut ServerCapabilities) {
    capabilities.document_symbol_provider = Some(OneOf::Left(true));
    capabilities.workspace_symbol_provider = Some(OneOf::Left(true));
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes
        .on::<DocumentSymbolRequest>(of_document)
        .on::<WorkspaceSymbolRequest>(|context, params| of_workspace(context, &params))
}

fn of_document(
    context: &Context<ConfigEngine>,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, RequestError> {
    let reading = context.reading()?;
    let uri = params.text_document.uri;
    let Some(spot) = Spot::of(&reading, &uri) else {
        return Ok(None);
    };
    let symbols = document_symbols(spot.document);
    context.check()?;
    let client = context.snapshot().client();
    let nested = client.nests_symbols();
    Ok(Some(if nested {
        let symbols = symbols
            .into_iter()
            .map(|symbol| outline(context, &spot, symbol));
        DocumentSymbolResponse::Nested(symbols.collect())
    } else {
        let mut flat = Vec::new();
        flatten(context, &spot, &uri, symbols, None, &mut flat);
        DocumentSymbolResponse::Flat(flat)
    }))
}

#[expect(
    deprecated,
    reason = "the protocol's type has the field, and it is not used"
)]
fn outline(context: &Context<ConfigEngine>, spot: &Spot<'_>, symbol: Symbol) -> DocumentSymbol {
    let children = symbol.children.into_iter();
    DocumentSymbol {
        name: symbol.name,
        detail: symbol.detail,
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: spot.range(context, symbol.span),
        selection_range: spot.range(context, symbol.name_span),
        children: Some(
            children
                .map(|child| outline(context, spot, child))
                .collect(),
        ),
    }
}

#[expect(
    deprecated,
    reason = "the protocol's type has the field, and it is not used"
)]
fn flatten(
    context: &Context<ConfigEngine>,
    spot: &Spot<'_>,
    uri: &url::Url,
    symbols: Vec<Symbol>,
    container: Option<&str>,
    flat: &mut Vec<SymbolInformation>,
) {
    for symbol in symbols {
        flat.push(SymbolInformation {
            name: symbol.name.clone(),
            kind: kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: lsp_types::Location {
                uri: uri.clone(),
                range: spot.range(context, symbol.span),
            },
            container_name: container.map(str::to_owned),
        });
        flatten(
            context,
            spot,
            uri,
            symbol.children,
            Some(&symbol.name),
            flat,
        );
    }
}

#[expect(
    deprecated,
    reason = "the protocol's type has the field, and it is not used"
)]
fn of_workspace(
    context: &Context<ConfigEngine>,
    params: &WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, RequestError> {
    let reading = context.reading()?;
    let mut found = Vec::new();
    for workspace in reading.workspaces() {
        context.check()?;
        let graph = workspace.graph();
        for (name, place) in workspace_symbols(graph, &params.query) {
            if found.len() == MOST_NAMES {
                return Ok(Some(WorkspaceSymbolResponse::Flat(found)));
            }
            let Some(location) = location(context, workspace, place) else {
                continue;
            };
            found.push(SymbolInformation {
                name: name.text().to_owned(),
                kind: name_kind(&name),
                tags: None,
                deprecated: None,
                location,
                container_name: container(&name),
            });
        }
    }
    Ok(Some(WorkspaceSymbolResponse::Flat(found)))
}

fn container(name: &Name) -> Option<String> {
    match name {
        Name::Parameter { tool, .. } | Name::Question { tool, .. } => Some(tool.clone()),
        Name::Tool(_) => Some("conversation.tools".to_owned()),
        Name::Alias(_) => Some("providers.llm.aliases".to_owned()),
        Name::Server(_) => Some("providers.mcp".to_owned()),
    }
}

fn name_kind(name: &Name) -> lsp_types::SymbolKind {
    match name {
        Name::Tool(_) => lsp_types::SymbolKind::CLASS,
        Name::Parameter { .. } => lsp_types::SymbolKind::FIELD,
        Name::Question { .. } => lsp_types::SymbolKind::EVENT,
        Name::Alias(_) => lsp_types::SymbolKind::CONSTANT,
        Name::Server(_) => lsp_types::SymbolKind::INTERFACE,
    }
}

fn kind(kind: SymbolKind) -> lsp_types::SymbolKind {
    match kind {
        SymbolKind::Tool => lsp_types::SymbolKind::CLASS,
        SymbolKind::Table => lsp_types::SymbolKind::OBJECT,
        SymbolKind::List => lsp_types::SymbolKind::ARRAY,
        SymbolKind::Text => lsp_types::SymbolKind::STRING,
        SymbolKind::Number => lsp_types::SymbolKind::NUMBER,
        SymbolKind::Boolean => lsp_types::SymbolKind::BOOLEAN,
        SymbolKind::Other => lsp_types::SymbolKind::KEY,
    }
}
