//! The requests of editors beside diagnostics, one file for each.
//!
//! ```json
//! { "method": "textDocument/completion",
//!   "params": { "textDocument": { "uri": "file:///w/.jp/config.toml" }, "position": { "line": 3, "character": 5 } } }
//! ```

pub(crate) mod add_examples;
pub(crate) mod agent;
mod blocking;
pub(crate) mod code_action;
pub(crate) mod commands;
pub(crate) mod completion;
pub(crate) mod content;
pub(crate) mod create_config;
mod engine;
pub(crate) mod examples;
pub(crate) mod explain;
mod file_edit;
pub(crate) mod folding;
pub(crate) mod format;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod keep;
pub(crate) mod lenses;
pub(crate) mod links;
pub(crate) mod navigation;
pub(crate) mod on_record;
pub(crate) mod prompts;
pub(crate) mod selection;
mod settings;
mod shown;
pub(crate) mod signature;
pub(crate) mod since_head;
pub(crate) mod spot;
pub(crate) mod status;
pub(crate) mod suggest;
pub(crate) mod symbols;
pub(crate) mod talks;
pub(crate) mod tokens;
pub(crate) mod workspace_edit;
pub(crate) mod workspaces;

use lsp_types::ServerCapabilities;

use crate::session::{client::ClientProfile, config_engine::ConfigEngine, request::Routes};

/// What the features offer to a client.
pub(crate) fn capabilities(client: &ClientProfile) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default();
    completion::offer(client, &mut capabilities);
    code_action::offer(client, &mut capabilities);
    commands::offer(client, &mut capabilities);
    folding::offer(client, &mut capabilities);
    format::offer(client, &mut capabilities);
    hints::offer(client, &mut capabilities);
    hover::offer(client, &mut capabilities);
    lenses::offer(client, &mut capabilities);
    links::offer(client, &mut capabilities);
    navigation::offer(client, &mut capabilities);
    selection::offer(client, &mut capabilities);
    signature::offer(client, &mut capabilities);
    symbols::offer(client, &mut capabilities);
    tokens::offer(client, &mut capabilities);
    capabilities
}

/// The requests that the features answer.
pub(crate) fn routes() -> Routes<ConfigEngine> {
    let routes = Routes::new();
    let routes = agent::routes(routes);
    let routes = commands::routes(routes);
    let routes = completion::routes(routes);
    let routes = content::routes(routes);
    let routes = code_action::routes(routes);
    let routes = examples::routes(routes);
    let routes = explain::routes(routes);
    let routes = folding::routes(routes);
    let routes = format::routes(routes);
    let routes = hints::routes(routes);
    let routes = hover::routes(routes);
    let routes = lenses::routes(routes);
    let routes = links::routes(routes);
    let routes = navigation::routes(routes);
    let routes = selection::routes(routes);
    let routes = signature::routes(routes);
    let routes = status::routes(routes);
    let routes = symbols::routes(routes);
    let routes = talks::routes(routes);
    let routes = tokens::routes(routes);
    workspaces::routes(routes)
}
