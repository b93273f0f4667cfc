//! The requests of editors beside diagnostics, one file for each.
//!
//! ```json
//! { "method": "textDocument/completion",
//!   "params": { "textDocument": { "uri": "file:///w/.jp/config.toml" }, "position": { "line": 3, "character": 5 } } }
//! ```

pub(crate) mod agent;
pub(crate) mod code_action;
pub(crate) mod commands;
pub(crate) mod completion;
pub(crate) mod explain;
pub(crate) mod folding;
pub(crate) mod format;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod keep;
pub(crate) mod lenses;
pub(crate) mod links;
pub(crate) mod navigation;
pub(crate) mod prompts;
pub(crate) mod selection;
pub(crate) mod signature;
pub(crate) mod symbols;
pub(crate) mod tokens;
pub(crate) mod workspace_edit;

use std::sync::Arc;

use jp_analysis::Place;
use jp_config::{
    document::{Document, Span},
    graph::FileId,
    view::View,
};
use lsp_types::{Position, Range, ServerCapabilities};
use url::Url;

use crate::session::{
    client::ClientProfile,
    config_engine::{ConfigEngine, ConfigReading, WorkspaceReading},
    documents::FileKey,
    engine::{Context, RequestError, Routes},
    to_protocol,
};

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
    let routes = code_action::routes(routes);
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
    let routes = symbols::routes(routes);
    tokens::routes(routes)
}

/// The workspace that a file belongs to, and the file's place in it.
pub(crate) struct Spot<'a> {
    pub(crate) workspace: &'a WorkspaceReading,
    pub(crate) file: FileId,
    pub(crate) document: &'a Document,
}

impl<'a> Spot<'a> {
    /// The spot of a URI; nothing for a file that is no TOML config of any workspace.
    pub(crate) fn of(reading: &'a ConfigReading, uri: &Url) -> Option<Self> {
        let key = FileKey::of(uri);
        let (workspace, file) = reading.find(key.path()?)?;
        let content = workspace.graph().content(file)?;
        Some(Self {
            workspace,
            file,
            document: content.document()?,
        })
    }

    /// The byte offset of a position.
    pub(crate) fn offset(
        &self,
        context: &Context<ConfigEngine>,
        position: Position,
    ) -> Result<usize, RequestError> {
        let lines = self
            .workspace
            .lines(self.file)
            .ok_or_else(|| RequestError::Internal("the file has no lines".to_owned()))?;
        let encoding = context.snapshot().client().encoding;
        Ok(lines.offset(self.document.text(), position, encoding))
    }

    /// A span of the file as a range.
    pub(crate) fn range(&self, context: &Context<ConfigEngine>, span: Span) -> Range {
        let place = Place {
            file: self.file,
            span,
        };
        let graph = self.workspace.graph();
        to_protocol::range(place, self.workspace, graph, context.snapshot())
    }

    /// The layers that a person sees who works on this file.
    pub(crate) fn view(&self) -> View {
        let graph = self.workspace.graph();
        let holds =
            |layers: &[jp_config::graph::Layer]| layers.iter().any(|layer| layer.file == self.file);
        if holds(&graph.layers) {
            return View::new(Arc::clone(graph));
        }
        let mut fragments = graph.fragments.iter();
        match fragments.position(|fragment| holds(&fragment.layers)) {
            Some(index) => View::with_fragment(Arc::clone(graph), index),
            None => View::new(Arc::clone(graph)),
        }
    }
}
