//! `textDocument/completion` and `completionItem/resolve`.
//!
//! ```json
//! { "label": "unattended", "textEdit": { "newText": "unattended", "range": {} },
//!   "data": { "path": ["conversation", "tools", "edit", "run"], "variant": "unattended" } }
//! ```

use std::{cell::Cell, sync::Arc};

use camino::Utf8Path;
use jp_analysis::{
    completion::{
        Completions, Doc, Item, ItemKind, PathEntry, Paths, begins_element, complete,
        complete_example, complete_setting, documentation,
    },
    text::markup::MarkupKind,
};
use jp_config::{
    document::{Document, Span},
    view::View,
};
use lsp_types::{
    CompletionContext, CompletionItem, CompletionItemKind, CompletionList, CompletionOptions,
    CompletionParams, CompletionResponse, CompletionTextEdit, Documentation, InsertTextFormat,
    InsertTextMode, MarkupContent, Range, ServerCapabilities, TextDocumentPositionParams, TextEdit,
    request::{Completion, ResolveCompletionItem},
};
use serde::{Deserialize, Serialize};

use super::spot::Spot;
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    documents::FileKey,
    error::RequestError,
    reading::ConfigReading,
    request::{Context, Routes},
    to_protocol,
};

/// The most entries of one directory that are looked at.
const MOST_ENTRIES: usize = 2_000;

/// Up to how many bytes examples and settings are parsed on the server's one thread.
const PARSED_AT_ONCE: usize = 256 * 1024;

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
        return beside_config(context, &reading, &at, params.context.as_ref());
    };
    let offset = spot.offset(context, at.position)?;
    // Enter behind a bracket or a comma begins a line; with a list open it would take the first item.
    if separates(params.context.as_ref()) && begins_element(spot.document, offset) {
        return Ok(None);
    }
    let view = spot.view();
    let options = spot.workspace.options();
    let disk = Disk::of(context);
    let found = complete(&view, spot.file, spot.document, offset, options, &disk);
    if disk.would_block.get() {
        return Err(RequestError::WouldBlock);
    }
    context.check()?;
    let range = |span: Span| spot.range(context, span);
    Ok(Some(listed(context, found, &range)))
}

/// What can be written in a file of examples or of settings; nothing in any other file.
fn beside_config(
    context: &Context<ConfigEngine>,
    reading: &ConfigReading,
    at: &TextDocumentPositionParams,
    asked: Option<&CompletionContext>,
) -> Result<Option<CompletionResponse>, RequestError> {
    let uri = &at.text_document.uri;
    let key = FileKey::of(uri);
    let Some(path) = key.path() else {
        return Ok(None);
    };
    let (examples, settings) = (reading.examples_at(path), reading.settings_at(path));
    if examples.is_none() && settings.is_none() {
        return Ok(None);
    }
    let open = context.document(uri)?;
    let (text, lines) = (open.text(), open.lines());
    if text.len() > PARSED_AT_ONCE && !context.may_block() {
        return Err(RequestError::WouldBlock);
    }
    let document = Document::parse(text);
    let encoding = context.snapshot().client().encoding;
    let offset = lines.offset(text, at.position, encoding);
    if separates(asked) && begins_element(&document, offset) {
        return Ok(None);
    }
    let disk = Disk::of(context);
    let found = match (examples, settings, reading.meant(Some(uri))) {
        (Some(kept), _, _) => {
            let view = View::new(Arc::clone(kept.graph()));
            complete_example(&view, &document, offset, &disk)
        }
        (None, Some(kept), Some(workspace)) => {
            let view = View::new(Arc::clone(workspace.graph()));
            complete_setting(&view, kept.json_schema(), &document, offset)
        }
        _ => return Ok(None),
    };
    if disk.would_block.get() {
        return Err(RequestError::WouldBlock);
    }
    context.check()?;
    let range = |span: Span| lines.range(text, span.range(), encoding);
    Ok(Some(listed(context, found, &range)))
}

fn listed(
    context: &Context<ConfigEngine>,
    found: Completions,
    range: &dyn Fn(Span) -> Range,
) -> CompletionResponse {
    let client = context.snapshot().client();
    let writer = Writer {
        context,
        range,
        takes_snippets: client.takes_snippets(),
        is_lazy: client.resolves_completion_items(),
        markup: client.completion_markup(),
    };
    let items = found.items.into_iter().map(|item| writer.item(item));
    CompletionResponse::List(CompletionList {
        is_incomplete: found.is_incomplete,
        items: items.collect(),
    })
}

/// Whether the editor asks only because a bracket or a comma was typed.
fn separates(context: Option<&CompletionContext>) -> bool {
    let typed = context.and_then(|context| context.trigger_character.as_deref());
    matches!(typed, Some("[" | ","))
}

struct Writer<'a> {
    context: &'a Context<ConfigEngine>,
    range: &'a dyn Fn(Span) -> Range,
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
                range: (self.range)(item.edit.span),
                new_text: text,
            })),
            data,
            ..CompletionItem::default()
        }
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

impl Disk {
    fn of(context: &Context<ConfigEngine>) -> Self {
        Self {
            may_block: context.may_block(),
            would_block: Cell::new(false),
        }
    }
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
