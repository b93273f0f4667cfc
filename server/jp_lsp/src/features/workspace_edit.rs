//! Edits of several files, in the form that the client understands.
//!
//! ```json
//! { "documentChanges": [{ "textDocument": { "uri": "file:///w/.jp/config.toml", "version": 3 }, "edits": [] }] }
//! ```

use std::collections::{BTreeMap, HashMap};

use camino::Utf8Path;
use jp_analysis::{Edit, Place, actions::NewFile};
use lsp_types::{
    CreateFile, CreateFileOptions, DocumentChangeOperation, DocumentChanges, Location, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, ResourceOp, TextDocumentEdit, TextEdit,
    WorkspaceEdit,
};
use url::Url;

use crate::session::{
    config_engine::ConfigEngine, documents::FileKey, reading::WorkspaceReading, request::Context,
    to_protocol,
};

/// The URI of a file: as the client spelled it, if it is open.
pub(crate) fn uri(context: &Context<ConfigEngine>, path: &Utf8Path) -> Option<Url> {
    let key = FileKey::of_path(path);
    match context.snapshot().documents().get(&key) {
        Some(document) => Some(document.uri().clone()),
        None => key.uri(),
    }
}

/// A place as a location.
pub(crate) fn location(
    context: &Context<ConfigEngine>,
    workspace: &WorkspaceReading,
    place: Place,
) -> Option<Location> {
    let graph = workspace.graph();
    Some(Location {
        uri: uri(context, graph.path(place.file))?,
        range: to_protocol::range(place, workspace, graph, context.snapshot()),
    })
}

/// Edits as the client understands them: with versions where it can.
pub(crate) fn workspace_edit(
    context: &Context<ConfigEngine>,
    workspace: &WorkspaceReading,
    edits: &[Edit],
) -> WorkspaceEdit {
    let mut by_file: BTreeMap<Url, Vec<TextEdit>> = BTreeMap::new();
    for edit in edits {
        if let Some(location) = location(context, workspace, edit.place) {
            by_file.entry(location.uri).or_default().push(TextEdit {
                range: location.range,
                new_text: edit.text.clone(),
            });
        }
    }
    let client = context.snapshot().client();
    if !client.takes_versioned_edits() {
        let changes: HashMap<Url, Vec<TextEdit>> = by_file.into_iter().collect();
        return WorkspaceEdit::new(changes);
    }
    let documents = context.snapshot().documents();
    let changes = by_file.into_iter().map(|(uri, edits)| {
        let version = documents.by_uri(&uri).map(|document| document.version());
        TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        }
    });
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(changes.collect())),
        ..WorkspaceEdit::default()
    }
}

/// Edits beside a new file, for a client that [creates](crate::session::client::ClientProfile::creates_files) files.
///
/// An empty file that is there by then stays as it is; one with a text fails the edit.
pub(crate) fn with_new_file(
    context: &Context<ConfigEngine>,
    workspace: &WorkspaceReading,
    file: &NewFile,
    edits: &[Edit],
) -> Option<WorkspaceEdit> {
    let uri = uri(context, &file.path)?;
    let is_empty = file.text.is_empty();
    let create = CreateFile {
        uri: uri.clone(),
        options: Some(CreateFileOptions {
            overwrite: Some(false),
            ignore_if_exists: Some(is_empty),
        }),
        annotation_id: None,
    };
    let create = DocumentChangeOperation::Op(ResourceOp::Create(create));
    let text = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version: None },
        edits: vec![OneOf::Left(TextEdit {
            range: Range::default(),
            new_text: file.text.clone(),
        })],
    };
    let others = workspace_edit(context, workspace, edits).document_changes;
    let others = match others {
        Some(DocumentChanges::Edits(edits)) => edits,
        _ => Vec::new(),
    };
    let written = std::iter::once(text).filter(|_| !is_empty).chain(others);
    let written = written.map(DocumentChangeOperation::Edit);
    Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(
            [create].into_iter().chain(written).collect(),
        )),
        ..WorkspaceEdit::default()
    })
}
