//! Keys of tables.
//!
//! ```toml
//! [conversation.tools.edit]
//! sou        # source = "local"
//! acc        # [[conversation.tools.edit.access.fs]], where nothing follows
//! ```

use jp_config::{
    document::{Entry, Key, Node, Table},
    schema::{Field, MapShape, NodeId, Requirement, schema},
};

use super::{
    context::{Commas, KeySlot, Layout, Site, TableSlot},
    documentation::Doc,
    fill_in,
    item::{Item, ItemKind, Items, MOST_ITEMS, fits},
    names::declared_keys,
    rules,
    shape::{
        TableForm, is_parameter, is_plain, is_table, leads, may_hold, noun, placeholder,
        required_fields,
    },
    tables::{Candidate, DEPTH, Search, tables_below},
    template::Template,
};
use crate::text::toml_text;

/// Offers the keys that a table can have.
pub(super) fn offer<'a>(site: &Site<'a>, slot: &KeySlot<'a>, items: &mut Items) {
    if !slot.span.touches(site.offset) {
        return;
    }
    if let Some(map) = schema().map(slot.owner.node) {
        offer_map_keys(site, slot, map, items);
    }
    for field in fields(site, slot) {
        let detail = rules::matcher_detail(slot, field.name)
            .unwrap_or_else(|| schema().describe(field.node));
        let detail = match field.requirement {
            Requirement::Local => format!("required: {detail}"),
            _ => detail,
        };
        items.extend(key_item(site, slot, (field.name, field.node), detail));
    }
    if slot.takes_headers() {
        offer_headers(site, slot, items);
    }
    if let Some(next) = slot.next {
        items.prefer(|item| leads(slot.owner.node, &item.label, next));
    }
}

/// The fields that go with what the table has already.
fn fields(site: &Site<'_>, slot: &KeySlot<'_>) -> Vec<&'static Field> {
    let mut fields: Vec<&'static Field> = schema().fields(slot.owner.node).iter().collect();
    fields.retain(|field| {
        !slot.has(field.name)
            && may_hold(site.view, site.options, &slot.owner.path, field)
            && rules::takes_key(slot, field.name)
            && fits_parameter(slot, field.name)
            && fits_wrapper(slot, field.name)
    });
    // Required keys come first; otherwise the order of the documentation holds.
    fields.sort_by_key(|field| match field.requirement {
        Requirement::Local => 0,
        Requirement::Conditional | Requirement::Global => 1,
        Requirement::Companion { key, value } if slot.says(key, value) => 1,
        Requirement::Optional | Requirement::Companion { .. } => 2,
    });
    fields
}

/// Whether a key that describes elements or entries goes with the `type` of its parameter.
fn fits_parameter(slot: &KeySlot<'_>, name: &str) -> bool {
    let holder = match name {
        "items" => "array",
        "properties" => "object",
        _ => return true,
    };
    if !is_parameter(slot.owner.node) || slot.is_name() {
        return true;
    }
    let declared = slot.owner.table.and_then(|table| table.get("type"));
    match declared.map(Entry::value) {
        Some(Node::Str(kind)) => kind.value() == holder,
        Some(Node::Array(kinds)) => {
            let mut kinds = kinds.items();
            kinds.any(|kind| kind.as_str().is_none_or(|kind| kind == holder))
        }
        _ => true,
    }
}

/// Whether a key that says how a map merges goes with what the map holds: beside plain entries it would be one of them.
fn fits_wrapper(slot: &KeySlot<'_>, name: &str) -> bool {
    if schema().map(slot.owner.node).is_none() || slot.is_name() {
        return true;
    }
    let is_wrapper = slot.has("value");
    is_wrapper || (name == "value" && slot.owner.table.is_none_or(Table::is_empty))
}

/// A key with its value; nothing where a header says it better.
fn key_item(
    site: &Site<'_>,
    slot: &KeySlot<'_>,
    (name, node): (&str, NodeId),
    detail: String,
) -> Option<Item> {
    if !may_stand_in(slot, node) {
        return None;
    }
    let key = toml_text::key(name);
    let mut template = Template::default();
    match slot.layout {
        Layout::Name => template.text(&key),
        Layout::Statement { .. } | Layout::Dotted => {
            template.text(&format!("{key} = "));
            write_value(site, slot, (name, node), &mut template);
        }
        Layout::Inline(Commas { lead, tail }) => {
            template.text(&format!("{lead}{key} = "));
            write_value(site, slot, (name, node), &mut template);
            template.text(tail);
        }
    }
    let kind = if is_table(node) {
        ItemKind::Table
    } else {
        ItemKind::Key
    };
    let item = Item::new(name, kind, template.edit(slot.span))
        .with_filter(filter(site, slot, name))
        .with_doc(doc(slot, name));
    Some(item.with_detail(detail))
}

/// Whether a value is written with its key here; where headers stand, tables get one of their own.
fn may_stand_in(slot: &KeySlot<'_>, node: NodeId) -> bool {
    !slot.takes_headers() || !is_table(node) || is_plain(node)
}

fn write_value(
    site: &Site<'_>,
    slot: &KeySlot<'_>,
    field: (&str, NodeId),
    template: &mut Template,
) {
    fill_in::write_value(site, &slot.owner, slot.argument.as_ref(), field, template);
}

/// The name, in the quotes that are typed already.
fn filter(site: &Site<'_>, slot: &KeySlot<'_>, name: &str) -> String {
    let typed = site.document.text().get(slot.span.range());
    match typed.and_then(|typed| typed.chars().next()) {
        Some(quote @ ('"' | '\'')) => format!("{quote}{name}"),
        _ => name.to_owned(),
    }
}

fn doc(slot: &KeySlot<'_>, name: &str) -> Doc {
    let mut path = slot.owner.path.clone();
    path.push(name.to_owned());
    Doc::Schema {
        path,
        variant: None,
    }
}

fn offer_map_keys(site: &Site<'_>, slot: &KeySlot<'_>, map: &'static MapShape, items: &mut Items) {
    for (name, node) in &map.literal {
        if !slot.has(name) {
            let detail = schema().describe(*node);
            items.extend(key_item(site, slot, (name, *node), detail));
        }
    }
    for name in declared_keys(site.view, &slot.owner.path) {
        let is_literal = map.literal.iter().any(|(literal, _)| *literal == name);
        if !is_literal && !slot.has(&name) {
            let detail = format!("{}, declared in another place", noun(map.key));
            items.extend(key_item(site, slot, (&name, map.value), detail));
        }
    }
    items.extend(fresh_key(site, slot, map));
}

/// An entry whose name the person picks.
fn fresh_key(site: &Site<'_>, slot: &KeySlot<'_>, map: &'static MapShape) -> Option<Item> {
    let name = placeholder(map.key);
    if slot.has(name)
        || slot.is_name()
        || slot.typed.is_some_and(|typed| !typed.text().is_empty())
        || !may_stand_in(slot, map.value)
    {
        return None;
    }
    let Commas { lead, tail } = match slot.layout {
        Layout::Inline(commas) => commas,
        _ => Commas::default(),
    };
    let mut template = Template::plain(lead);
    template.placeholder(name);
    template.text(" = ");
    write_value(site, slot, (name, map.value), &mut template);
    template.text(tail);
    let edit = template.edit(slot.span);
    let item = Item::new(format!("<{name}>"), ItemKind::Snippet, edit)
        .with_filter(name)
        .with_detail(format!("another {}", noun(map.key)));
    Some(item.with_doc(doc(slot, name)))
}

/// Offers the headers of the tables below this one, where a header may begin.
fn offer_headers<'a>(site: &Site<'a>, slot: &KeySlot<'a>, items: &mut Items) {
    let typed = slot.typed.map_or("", Key::text);
    let search = Search {
        current: None,
        typed,
        depth: DEPTH,
    };
    let candidates = tables_below(site, &slot.owner, search);
    if candidates.len() >= MOST_ITEMS {
        items.set_incomplete();
    }
    for candidate in candidates {
        if !items.is_full() || fits(&candidate.label(), typed) {
            items.push(header_item(site, slot, &candidate));
        }
    }
}

/// A header with the keys that its table must have.
fn header_item(site: &Site<'_>, slot: &KeySlot<'_>, candidate: &Candidate) -> Item {
    let mut dotted: Vec<String> = slot
        .owner
        .path
        .iter()
        .filter(|key| *key != "[]")
        .chain(&candidate.keys)
        .map(|key| toml_text::key(key))
        .collect();
    let (open, close) = match candidate.form {
        TableForm::Table => ("[", "]"),
        TableForm::Element => ("[[", "]]"),
    };
    let mut template = Template::plain(open);
    template.text(&dotted.join("."));
    if let Some(name) = candidate.placeholder {
        template.text(if dotted.is_empty() { "" } else { "." });
        template.placeholder(name);
    }
    template.text(close);
    let mut path = slot.owner.path.clone();
    path.extend(candidate.keys.iter().cloned());
    let owner = TableSlot {
        node: candidate.node,
        path,
        table: None,
    };
    for field in required_fields(candidate.node, None) {
        template.text(&format!("\n{} = ", field.name));
        let field = (field.name, field.node);
        fill_in::write_value(site, &owner, None, field, &mut template);
    }
    template.text("\n");
    dotted.extend(candidate.placeholder.map(|name| format!("<{name}>")));
    // A key of the same name is another item.
    let label = format!("{open}{}{close}", dotted.join("."));
    Item::new(label, ItemKind::Table, template.edit(slot.span))
        .with_filter(candidate.label())
        .with_detail(schema().describe(candidate.node))
        .with_doc(candidate.doc(&slot.owner.path))
}
