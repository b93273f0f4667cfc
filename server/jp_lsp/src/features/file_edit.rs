//! The edit of one file, in the form that the client understands best.
//!
//! ```json
//! {"label": "Keep what switch_model changed", "edit": {"documentChanges": [
//!   {"textDocument": {"uri": "file:///w/.jp/config.toml", "version": 3}, "edits": []}]}}
//! ```

use std::collections::HashMap;

use camino::Utf8PathBuf;
use jp_agent::delta::TextEdit as Replacement;
use lsp_types::{
    AnnotatedTextEdit, ApplyWorkspaceEditParams, ChangeAnnotation, CreateFile, CreateFileOptions,
    DocumentChangeOperation, DocumentChanges, MessageType, OneOf,
    OptionalVersionedTextDocumentIdentifier, ResourceOp, TextDocumentEdit, TextEdit, WorkspaceEdit,
    request::ApplyWorkspaceEdit,
};
use url::Url;

use crate::{
    line_index::LineIndex,
    session::{client::ClientProfile, documents::Document, error::RequestError},
    wire::Outbox,
};

/// The one annotation of an edit.
const ANNOTATION: &str = "edit";

/// A file as it is.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) uri: Url,
    pub(super) path: Utf8PathBuf,
    pub(super) text: String,
    pub(super) lines: LineIndex,
    /// The version of the open buffer.
    pub(super) version: Option<i32>,
    /// Whether there is no such file yet.
    pub(super) is_new: bool,
}

impl Target {
    /// A file that is open.
    pub(super) fn of_buffer(document: &Document, path: Utf8PathBuf) -> Self {
        Self {
            uri: document.uri().clone(),
            path,
            text: document.text().to_owned(),
            lines: document.lines().clone(),
            version: Some(document.version()),
            is_new: false,
        }
    }

    /// A file that is not open; without a text it is new.
    pub(super) fn of_disk(uri: Url, path: Utf8PathBuf, text: Option<String>) -> Self {
        let is_new = text.is_none();
        let text = text.unwrap_or_default();
        Self {
            uri,
            path,
            lines: LineIndex::new(&text),
            text,
            version: None,
            is_new,
        }
    }
}

/// What is to be written.
#[derive(Debug)]
pub(super) struct Written {
    /// What the person reads in the undo menu.
    pub(super) label: String,
    /// What the person reads beside it.
    pub(super) description: String,
    /// The replacements.
    pub(super) edits: Vec<Replacement>,
}

impl Written {
    /// The edit for a client; none when there is nothing to edit.
    ///
    /// # Errors
    ///
    /// When the file is new and the client creates none.
    pub(super) fn into_edit(
        self,
        target: &Target,
        client: &ClientProfile,
    ) -> Result<Option<ApplyWorkspaceEditParams>, RequestError> {
        if self.edits.is_empty() {
            return Ok(None);
        }
        let mut positions = target.lines.converter(&target.text, client.encoding);
        let edits: Vec<TextEdit> = self
            .edits
            .into_iter()
            .map(|edit| TextEdit {
                range: positions.range(edit.range),
                new_text: edit.text,
            })
            .collect();
        let has_versions = client.takes_versioned_edits();
        if target.is_new && !(has_versions && client.creates_files()) {
            return Err(RequestError::Failed(format!(
                "`{}` does not exist and the client creates no files: create it first",
                target.path
            )));
        }
        let mut edit = WorkspaceEdit::default();
        if has_versions {
            let annotated = client.takes_annotated_edits();
            edit.document_changes = Some(changes(target, edits, annotated));
            edit.change_annotations = annotated.then(|| {
                let annotation = ChangeAnnotation {
                    label: self.label.clone(),
                    needs_confirmation: Some(false),
                    description: Some(self.description),
                };
                HashMap::from([(ANNOTATION.to_owned(), annotation)])
            });
        } else {
            edit.changes = Some(HashMap::from([(target.uri.clone(), edits)]));
        }
        Ok(Some(ApplyWorkspaceEditParams {
            label: Some(self.label),
            edit,
        }))
    }
}

/// Has the client make an edit; whether it did.
///
/// # Errors
///
/// The client is gone, or answers with an error.
pub(super) async fn apply(
    outbox: &Outbox,
    edit: ApplyWorkspaceEditParams,
) -> Result<bool, RequestError> {
    let answer = outbox.request::<ApplyWorkspaceEdit>(edit).await;
    let answer = answer.map_err(|_| RequestError::Failed("the client is gone".to_owned()))?;
    let answer = answer.map_err(|error| {
        RequestError::Failed(format!("the client refused the edit: {}", error.message))
    })?;
    if let Some(reason) = answer.failure_reason.filter(|_| !answer.applied) {
        outbox.log(
            MessageType::WARNING,
            format!("an edit was not made: {reason}"),
        );
    }
    Ok(answer.applied)
}

fn changes(target: &Target, edits: Vec<TextEdit>, annotated: bool) -> DocumentChanges {
    let edits = edits.into_iter().map(|edit| match annotated {
        true => OneOf::Right(AnnotatedTextEdit {
            text_edit: edit,
            annotation_id: ANNOTATION.to_owned(),
        }),
        false => OneOf::Left(edit),
    });
    let edit = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri: target.uri.clone(),
            version: target.version,
        },
        edits: edits.collect(),
    };
    if !target.is_new {
        return DocumentChanges::Edits(vec![edit]);
    }
    let create = CreateFile {
        uri: target.uri.clone(),
        options: Some(CreateFileOptions {
            overwrite: Some(false),
            ignore_if_exists: Some(false),
        }),
        annotation_id: annotated.then(|| ANNOTATION.to_owned()),
    };
    DocumentChanges::Operations(vec![
        DocumentChangeOperation::Op(ResourceOp::Create(create)),
        DocumentChangeOperation::Edit(edit),
    ])
}
