//! The required keys that a table lacks.
//!
//! ```toml
//! [[conversation.tools.edit.access.fs]]   # lacks `path`
//! read = true
//! ```

use std::cell::OnceCell;

use jp_config::document::{Document, Place, Table, TableKind};
use jp_config::graph::FileId;
use jp_config::schema::NodeId;
use jp_config::view::View;

use super::{
    Layout, NoPaths, Request,
    keys::{KeySlot, key_text},
    site::path_text,
    template::Template,
};
use crate::{
    options::Options,
    text::{node::schema_node, text_edit::line_break},
};

/// The required keys that a table lacks, as text to insert.
pub(crate) struct MissingEntries {
    /// Their names.
    pub(crate) keys: Vec<&'static str>,
    /// Where the text goes.
    pub(crate) at: u32,
    /// The entries, with what separates them from the others.
    pub(crate) text: String,
}

/// The required keys that the table around a place lacks; nothing if it has all.
pub(crate) fn missing_entries(
    view: &View,
    file: FileId,
    document: &Document,
    offset: usize,
    options: Options,
) -> Option<MissingEntries> {
    let text = document.text();
    let is_brace = text.get(offset..)?.starts_with('{');
    let offset = if is_brace { offset + 1 } else { offset };
    let request = Request::new(view, file, document, offset, options, &NoPaths);
    let (node, path, table) = request.innermost()?;
    let required = request.required_fields(node, Some(table));
    if required.is_empty() {
        return None;
    }
    let slot = KeySlot {
        node,
        path,
        table: Some(table),
        typed: None,
        span: request.empty_span(),
        layout: Layout::Dotted,
        argument: OnceCell::new(),
    };
    let mut entries = Vec::new();
    for field in &required {
        let mut template = Template::plain(&format!("{} = ", key_text(field.name)));
        if request.schema.item(field.node).is_some() {
            // Whatever else a list may be written as, this is what it is filled in as.
            template = Template::plain(&format!("{} = []", key_text(field.name)));
        } else {
            request.value_template(&slot, field.name, field.node, &mut template);
        }
        entries.push(template.edit(slot.span).text);
    }
    let keys = required.iter().map(|field| field.name).collect();
    if table.kind() == TableKind::Inline {
        let separator = if table.is_empty() { " " } else { "," };
        return Some(MissingEntries {
            keys,
            at: table.span().start + 1,
            text: format!(" {}{separator}", entries.join(", ")),
        });
    }
    let section = document.section_at(offset);
    let header = section.header_span()?;
    let rest = text.get(header.end as usize..)?;
    let line = rest.lines().next().unwrap_or_default();
    let line_break = line_break(text);
    Some(MissingEntries {
        keys,
        at: header.end + u32::try_from(line.len()).ok()?,
        text: format!("{line_break}{}", entries.join(line_break)),
    })
}

impl<'a> Request<'a> {
    /// The innermost table around the place that is written as a header or in braces.
    fn innermost(&self) -> Option<(NodeId, Vec<String>, Table<'a>)> {
        let path = &self.position.path;
        match self.position.place {
            Place::Header { .. } => {
                let section = self.document.section_at(self.offset as usize);
                let header = section.header();
                let (mut node, path, table) = self.header_parent(&header)?;
                let is_list = section.is_array_of_tables();
                let keys = header.iter().map(|key| key.text());
                let own = self.schema.lookup_header(keys).ok()?.node;
                if !is_list && self.schema.item(own).is_some() {
                    // A table in place of a list says how the list merges.
                    node = self.schema.node(own).wrapper?;
                }
                // Of a list of tables, the last one is found by its name alone.
                let table = if is_list { section.table() } else { table? };
                Some((node, path, table))
            }
            Place::Inline | Place::Blank { empty_line: true } => {
                let node = schema_node(path)?;
                Some((node, path_text(path), self.position.table))
            }
            Place::Key { segment: 0, .. } => {
                let (_, parents) = path.split_last()?;
                let node = schema_node(parents)?;
                Some((node, path_text(parents), self.position.table))
            }
            _ => None,
        }
    }
}
