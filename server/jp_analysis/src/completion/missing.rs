//! The required keys that a table lacks.
//!
//! ```toml
//! [[conversation.tools.edit.access.fs]]   # lacks `path`
//! read = true
//! ```

use jp_config::{
    document::{Document, Place, Table, TableKind},
    graph::FileId,
    schema::{Field, schema},
    view::View,
};

use super::{
    arguments::argument_of,
    context::{Site, TableSlot, path_text},
    fill_in,
    paths::NoPaths,
    shape::required_fields,
    tables::header_owner,
    template::Template,
};
use crate::{
    options::Options,
    text::{node::schema_node, text_edit::line_break, toml_text},
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
    let site = Site::new(view, file, document, offset, options, &NoPaths);
    let owner = innermost(&site)?;
    let table = owner.table?;
    let required = required_fields(owner.node, Some(table));
    if required.is_empty() {
        return None;
    }
    let entries = entries(&site, &owner, &required);
    let keys = required.iter().map(|field| field.name).collect();
    if table.kind() == TableKind::Inline {
        return Some(MissingEntries {
            keys,
            at: table.span().start + 1,
            text: within_braces(table, &entries),
        });
    }
    let header = document.section_at(offset).header_span()?;
    let rest = text.get(header.end as usize..)?;
    let line = rest.lines().next().unwrap_or_default();
    let line_break = line_break(text);
    Some(MissingEntries {
        keys,
        at: header.end + u32::try_from(line.len()).ok()?,
        text: format!("{line_break}{}", entries.join(line_break)),
    })
}

fn entries(site: &Site<'_>, owner: &TableSlot<'_>, fields: &[&Field]) -> Vec<String> {
    let argument = argument_of(site.view, &owner.path, owner.table);
    let mut entries = Vec::new();
    for field in fields {
        let mut template = Template::plain(&format!("{} = ", toml_text::key(field.name)));
        if schema().item(field.node).is_some() {
            // Whatever else a list may be written as, this is what it is filled in as.
            template.text("[]");
        } else {
            let field = (field.name, field.node);
            fill_in::write_value(site, owner, argument.as_ref(), field, &mut template);
        }
        entries.push(template.edit(site.empty_span()).text);
    }
    entries
}

fn within_braces(table: Table<'_>, entries: &[String]) -> String {
    let separator = if table.is_empty() { " " } else { "," };
    format!(" {}{separator}", entries.join(", "))
}

/// The innermost table around the place that is written as a header or in braces.
fn innermost<'a>(site: &Site<'a>) -> Option<TableSlot<'a>> {
    let path = match site.position.place {
        Place::Header { .. } => return table_of_header(site),
        Place::Inline | Place::Blank { empty_line: true } => site.position.path.as_slice(),
        Place::Key { segment: 0, .. } => site.position.path.split_last()?.1,
        _ => return None,
    };
    Some(TableSlot {
        node: schema_node(path)?,
        path: path_text(path),
        table: Some(site.position.table),
    })
}

/// The table that a header begins.
fn table_of_header<'a>(site: &Site<'a>) -> Option<TableSlot<'a>> {
    let section = site.document.section_at(site.offset as usize);
    let header = section.header();
    let mut owner = header_owner(site, &header)?;
    let keys = header.iter().map(|key| key.text());
    let own = schema().lookup_header(keys).ok()?.node;
    if section.is_array_of_tables() {
        // Of a list of tables, the last one is found by its name alone.
        owner.table = Some(section.table());
    } else if schema().item(own).is_some() {
        // A table in place of a list says how the list merges.
        owner.node = schema().node(own).wrapper?;
    }
    Some(owner)
}
