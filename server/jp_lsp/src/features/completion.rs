//! `textDocument/completion` and `completionItem/resolve`.
//!
//! ```json
//! { "label": "unattended", "textEdit": { "newText": "unattended", "range": {} },
//!   "data": { "path": ["conversation", "tools", "edit", "run"], "variant": "unattended" } }
//! ```

use std::cell::Cell;

use camino::Utf8Path;
use jp_analysis::{
    completion::{Doc, Item, ItemKind, PathEntry, Paths, complete, documentation},
    text::markup::MarkupKind,
};
use jp_config::document::Span;
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionOptions, CompletionParams,
    CompletionResponse, CompletionTextEdit, Documentation, InsertTextFormat, InsertTextMode,
    MarkupContent, Range, ServerCapabilities, TextEdit,
    request::{Completion, ResolveCompletionItem},
};
use serde::{Deserialize, Serialize};

use super::spot::Spot;
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    error::RequestError,
    request::{Context, Routes},
    to_protocol,
};

/// The most entries of one directory that are looked at.
const MOST_ENTRIES: usize = 2_000;

pub(crate) fn offer(client: &ClientProfile, capabilities: &mut ServerCapabilities) {
    let triggers = [".", "\"", "'", "/", "[", "=", "{", ","];
    capabilities.completion_provider = Some(CompletionOptions {
        resolve_provider: Some(client.resolves_completion_items()),
        trigger_characters: Some(triggers.map(ToOwned::to_owned).to_vec()),
        ..CompletionOptions::default()
    });
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes
        .at_once::<Completion>(completion)
        .at_once::<ResolveCompletionItem>(resolve)
}

fn completion(
    context: &Context<ConfigEngine>,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>, RequestError> {
    let reading = context.reading()?;
    let at = params.text_document_position;
    let Some(spot) = Spot::of(&reading, &at.text_document.uri) else {
        return Ok(None);
    };
    let offset = spot.offset(context, at.position)?;
    let view = spot.view();
    let options = spot.workspace.options();
    let disk = Disk {
        may_block: context.may_block(),
        would_block: Cell::new(false),
    };
    let found = complete(&view, spot.file, spot.document, offset, options, &disk);
    if disk.would_block.get() {
        return Err(RequestError::WouldBlock);
    }
    context.check()?;
    let client = context.snapshot().client();
    let writer = Writer {
        context,
        spot: &spot,
        takes_snippets: client.takes_snippets(),
        is_lazy: client.resolves_completion_items(),
        markup: client.completion_markup(),
    };
    let items = found.items.into_iter().map(|item| writer.item(item));
    Ok(Some(CompletionResponse::List(CompletionList {
        is_incomplete: found.is_incomplete,
        items: items.collect(),
    })))
}

struct Writer<'a> {
    context: &'a Context<ConfigEngine>,
    spot: &'a Spot<'a>,
    takes_snippets: bool,
    is_lazy: bool,
    markup: MarkupKind,
}

impl Writer<'_> {
    fn item(&self, item: Item) -> CompletionItem {
        let snippet = item.edit.snippet.filter(|_| self.takes_snippets);
        let (text, format) = match snippet {
            Some(snippet) => (snippet, Some(InsertTextFormat::SNIPPET)),
            None => (item.edit.text, None),
        };
        let is_multi_line = text.contains('\n');
        let (documentation, data) = match item.doc {
            Some(doc) if !self.is_lazy => (documentation_of(&doc, self.markup), None),
            Some(doc) => (None, serde_json::to_value(DocName::from(doc)).ok()),
            None => (None, None),
        };
        let client = self.context.snapshot().client();
        let takes_mode = client.takes_insert_modes();
        CompletionItem {
            label: item.label,
            kind: Some(kind(item.kind)),
            detail: item.detail,
            documentation,
            sort_text: Some(item.sort),
            filter_text: Some(item.filter),
            insert_text_format: format,
            insert_text_mode: (is_multi_line && takes_mode).then_some(InsertTextMode::AS_IS),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range: self.range(item.edit.span),
                new_text: text,
            })),
            data,
            ..CompletionItem::default()
        }
    }

    fn range(&self, span: Span) -> Range {
        self.spot.range(self.context, span)
    }
}

fn kind(kind: ItemKind) -> CompletionItemKind {
    match kind {
        ItemKind::Key => CompletionItemKind::PROPERTY,
        ItemKind::Table => CompletionItemKind::MODULE,
        ItemKind::Variant => CompletionItemKind::ENUM_MEMBER,
        ItemKind::Value => CompletionItemKind::VALUE,
        ItemKind::Name => CompletionItemKind::REFERENCE,
        ItemKind::File => CompletionItemKind::FILE,
        ItemKind::Directory => CompletionItemKind::FOLDER,
        ItemKind::Snippet => CompletionItemKind::SNIPPET,
    }
}

fn resolve(
    context: &Context<ConfigEngine>,
    mut item: CompletionItem,
) -> Result<CompletionItem, RequestError> {
    let data = item.data.clone().map(serde_json::from_value::<DocName>);
    if let Some(Ok(name)) = data {
        item.documentation = documentation_of(
            &Doc::from(name),
            context.snapshot().client().completion_markup(),
        );
    }
    Ok(item)
}

/// A [`Doc`] as the client carries it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum DocName {
    Schema {
        path: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        variant: Option<String>,
    },
    Text {
        text: String,
    },
}

impl From<Doc> for DocName {
    fn from(doc: Doc) -> Self {
        match doc {
            Doc::Schema { path, variant } => Self::Schema { path, variant },
            Doc::Text(text) => Self::Text { text },
        }
    }
}

impl From<DocName> for Doc {
    fn from(name: DocName) -> Self {
        match name {
            DocName::Schema { path, variant } => Self::Schema { path, variant },
            DocName::Text { text } => Self::Text(text),
        }
    }
}

fn documentation_of(doc: &Doc, markup: MarkupKind) -> Option<Documentation> {
    let value = documentation(doc, markup)?;
    // What a config says is shown as it stands, never as Markdown.
    let kind = match doc {
        Doc::Schema { .. } => markup,
        Doc::Text(_) => MarkupKind::PlainText,
    };
    Some(Documentation::MarkupContent(MarkupContent {
        kind: to_protocol::markup_kind(kind),
        value,
    }))
}

/// The directories of this machine.
struct Disk {
    may_block: bool,
    /// Whether a directory was asked for where none may be read.
    would_block: Cell<bool>,
}

impl Paths for Disk {
    fn list(&self, directory: &Utf8Path) -> Vec<PathEntry> {
        if !self.may_block {
            self.would_block.set(true);
            return Vec::new();
        }
        let Ok(entries) = std::fs::read_dir(directory) else {
            return Vec::new();
        };
        entries
            .take(MOST_ENTRIES)
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let name = entry.file_name().into_string().ok()?;
                let kind = entry.file_type().ok()?;
                let is_directory = if kind.is_symlink() {
                    std::fs::metadata(entry.path()).is_ok_and(|target| target.is_dir())
                } else {
                    kind.is_dir()
                };
                Some(PathEntry { name, is_directory })
            })
            .collect()
    }
}
