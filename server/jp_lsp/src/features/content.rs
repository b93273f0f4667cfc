//! `workspace/textDocumentContent`: the effective config, a prompt or a conversation, as a document without a file.
//!
//! ```json
//! { "method": "workspace/textDocumentContent", "params": { "uri": "jp-lsp:/conversation/jp-c17636666521.md" } }
//! { "result": { "text": "# The date in the version\n…" } }
//! ```

use std::sync::Arc;

use camino::Utf8Path;
use jp_config::view::View;
use jp_conversation::{ConversationId, GrowingMarkdown};

use super::{
    agent::opened,
    workspaces::{holder, kept},
};
use crate::session::{
    config_engine::ConfigEngine,
    content::{
        ContentAddress, TextDocumentContent, TextDocumentContentParams, TextDocumentContentResult,
    },
    error::RequestError,
    event::Event,
    reading::WorkspaceReading,
    request::{Context, Routes},
};

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<TextDocumentContent>(answer)
}

fn answer(
    context: &Context<ConfigEngine>,
    params: TextDocumentContentParams,
) -> Result<TextDocumentContentResult, RequestError> {
    let uri = params.uri;
    let address = ContentAddress::of(&uri).ok_or_else(|| {
        RequestError::InvalidParams(format!(
            "there is no document `{uri}`: addresses begin with `jp-lsp:/effective/`, `jp-lsp:/prompt/` or `jp-lsp:/conversation/`"
        ))
    })?;
    let text = match address {
        ContentAddress::Effective(folder) => effective_of(context, &folder)?,
        ContentAddress::Prompt(id) => match context.snapshot().prompts().get(&id) {
            Some(prompt) => prompt.details(),
            None => "This question waits no more.\n".to_owned(),
        },
        // What is recorded in it later is told by whoever records it.
        ContentAddress::Conversation(id) => {
            let text = conversation(context, id)?;
            return Ok(TextDocumentContentResult { text });
        }
    };
    context.events().send(Event::ContentGiven {
        uri,
        generation: context.work.generation,
    });
    Ok(TextDocumentContentResult { text })
}

fn effective_of(
    context: &Context<ConfigEngine>,
    folder: &Utf8Path,
) -> Result<String, RequestError> {
    let reading = context.reading()?;
    let mut workspaces = reading.workspaces();
    let workspace = workspaces.find(|workspace| workspace.root() == folder);
    workspace.map(effective).ok_or_else(|| {
        RequestError::InvalidParams(format!("`{folder}` is no workspace that is open"))
    })
}

/// The effective config as TOML text, each value with its place.
pub(super) fn effective(workspace: &WorkspaceReading) -> String {
    jp_analysis::explain::effective(&View::new(Arc::clone(workspace.graph())))
}

fn conversation(
    context: &Context<ConfigEngine>,
    id: ConversationId,
) -> Result<String, RequestError> {
    let root = holder(context, id)?;
    let whole = kept(&root)?.read(id);
    let whole = whole.map_err(|error| RequestError::Failed(error.to_string()))?;
    opened(context, root, id);
    // A call that runs has no result yet, and is not to be called interrupted.
    Ok(GrowingMarkdown::begin(whole.events()).1)
}
