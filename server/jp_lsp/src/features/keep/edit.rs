//! The edit of one file, in the form that the client understands best.
//!
//! ```json
//! {"label": "Keep what switch_model changed", "edit": {"documentChanges": [
//!   {"textDocument": {"uri": "file:///w/.jp/config.toml", "version": 3}, "edits": []}]}}
//! ```

use std::collections::HashMap;

use jp_agent::delta::TextEdit as Replacement;
use lsp_types::{
    AnnotatedTextEdit, ApplyWorkspaceEditParams, ChangeAnnotation, CreateFile, CreateFileOptions,
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    ResourceOp, TextDocumentEdit, TextEdit, WorkspaceEdit,
};

use super::target::Target;
use crate::session::{client::ClientProfile, error::RequestError};

/// The one annotation of an edit.
const ANNOTATION: &str = "keep";

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
