//! What the server offers.
//!
//! ```json
//! { "capabilities": { "positionEncoding": "utf-8", "textDocumentSync": { "openClose": true, "change": 2 } },
//!   "serverInfo": { "name": "jp-lsp", "version": "0.1.0" } }
//! ```

use lsp_types::{
    DiagnosticOptions, DiagnosticServerCapabilities, OneOf, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};
use serde_json::{Value, json};

use crate::session::{client::ClientProfile, content, engine::Engine};

/// The result of `initialize`: what the engine offers, and what every engine gets from the server.
pub(crate) fn initialize_result<E: Engine>(engine: &E, client: &ClientProfile) -> Value {
    let mut capabilities = engine.capabilities(client);
    capabilities.position_encoding = Some(client.encoding.kind());
    capabilities.text_document_sync = Some(TextDocumentSyncCapability::Options(
        TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            ..TextDocumentSyncOptions::default()
        },
    ));
    if client.pulls() {
        capabilities.diagnostic_provider =
            Some(DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("jp".into()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                ..DiagnosticOptions::default()
            }));
    }
    let workspace = capabilities
        .workspace
        .get_or_insert(WorkspaceServerCapabilities {
            workspace_folders: None,
            file_operations: None,
        });
    workspace.workspace_folders = Some(WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    });
    let mut result = json!({
        "capabilities": capabilities,
        "serverInfo": { "name": "jp-lsp", "version": env!("CARGO_PKG_VERSION") },
    });
    content::offer(client, &mut result);
    engine.patch_initialize(client, &mut result);
    result
}
