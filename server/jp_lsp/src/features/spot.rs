//! Where in the config of a workspace a request points.
//!
//! ```toml
//! [conversation.tools.cargo]
//! run = "a|sk"                 # the workspace, the file and the offset of the cursor
//! ```

use std::sync::Arc;

use jp_analysis::Place;
use jp_config::{
    document::{Document, Span},
    graph::FileId,
    view::View,
};
use lsp_types::{Position, Range};
use url::Url;

use crate::session::{
    config_engine::ConfigEngine,
    documents::FileKey,
    error::RequestError,
    reading::{ConfigReading, WorkspaceReading},
    request::Context,
    to_protocol,
};

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
        match self.fragment() {
            Some(index) => View::with_fragment(Arc::clone(graph), index),
            None => View::new(Arc::clone(graph)),
        }
    }

    /// The place, in the graph, of the fragment that the file belongs to; none where it is loaded in every turn.
    pub(crate) fn fragment(&self) -> Option<usize> {
        let graph = self.workspace.graph();
        let holds =
            |layers: &[jp_config::graph::Layer]| layers.iter().any(|layer| layer.file == self.file);
        if holds(&graph.layers) {
            return None;
        }
        let mut fragments = graph.fragments.iter();
        fragments.position(|fragment| holds(&fragment.layers))
    }
}
