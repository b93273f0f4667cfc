//! The part of the framework that is used: its handle on the client, which sends requests and pairs them with their answers.
//!
//! ```json
//! { "jsonrpc": "2.0", "id": 3, "method": "workspace/diagnostic/refresh" }
//! ```
//!
//! `docs/adr/0001-tower-lsp.md` says what is left out, and why.

use futures::FutureExt as _;
use serde_json::json;
use tower::Service as _;
use tower_lsp::{
    Client, ClientSocket, LanguageServer, Loopback, LspService,
    jsonrpc::{self, Request},
    lsp_types::{InitializeParams, InitializeResult},
};

/// What the framework wants to serve. It serves nothing: the front answers the client.
struct Backend {
    client: Client,
}

#[tower_lsp::async_trait]
impl LanguageServer for Backend {
    async fn initialize(&self, _: InitializeParams) -> jsonrpc::Result<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn shutdown(&self) -> jsonrpc::Result<()> {
        Ok(())
    }
}

/// What is sent through the framework's handle.
pub(super) type Requests = <ClientSocket as Loopback>::RequestStream;
/// Where the client's answers go.
pub(super) type Answers = <ClientSocket as Loopback>::ResponseSink;

/// The framework's handle on the client, with both ends of what goes through it.
pub(super) fn connect() -> (Client, Requests, Answers) {
    let (mut service, socket) = LspService::new(|client| Backend { client });
    // The handle sends nothing before the framework was initialized. The front knows better when that is.
    let initialize = Request::build("initialize")
        .id(0)
        .params(json!({ "capabilities": {} }))
        .finish();
    if service.call(initialize).now_or_never().is_none() {
        tracing::error!("the framework waits for something before it is initialized");
    }
    let client = service.inner().client.clone();
    let (requests, answers) = socket.split();
    (client, requests, answers)
}
