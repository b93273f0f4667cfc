//! What can be written in a file of settings, by its JSON Schema.
//!
//! ```toml
//! [sev]           # severity
//! merge-tr = ""   # the codes, and the levels
//! ```

use jp_config::{
    document::{Document, PathSegment},
    graph::FileId,
    schema::{NodeId, schema},
    view::View,
};
use serde_json::Value;

use super::{
    context::{Commas, KeySlot, Layout, Site, ValueSlot, path_text},
    damage,
    item::{Completions, Item, ItemKind, Items},
    paths::NoPaths,
    slot::{Slot, slot_at},
    template::Template,
};
use crate::{
    options::Options,
    settings::{description, shape_at, words},
    text::toml_text,
};

/// Says what can be written at `offset` of a file that `shape` describes; `view` is any config.
#[must_use]
pub fn complete_setting(
    view: &View,
    shape: &Value,
    document: &Document,
    offset: usize,
) -> Completions {
    let site = Site {
        describes: anything,
        ..Site::new(
            view,
            FileId(0),
            document,
            offset,
            Options::default(),
            &NoPaths,
        )
    };
    let mut items = Items::default();
    match slot_at(&site) {
        Some(Slot::First(slot) | Slot::Key(slot)) if slot.span.touches(site.offset) => {
            keys(shape, &slot, &mut items);
        }
        Some(Slot::Header { key, .. }) => {
            let parents = site.position.path.split_last().map(|(_, parents)| parents);
            for (name, shape) in known_keys(shape, &path_text(parents.unwrap_or_default())) {
                if is_table(shape) {
                    let edit = Template::plain(&toml_text::key(name)).edit(key.span());
                    items.push(described(Item::new(name, ItemKind::Table, edit), shape));
                }
            }
        }
        Some(Slot::Value(slot)) => values(shape, &slot, &mut items),
        Some(Slot::First(_) | Slot::Key(_) | Slot::Comment(_)) | None => {}
    }
    items.narrow(document.text(), site.offset);
    damage::drop_harmful(&site, &mut items);
    items.finish()
}

/// The config's schema says nothing of settings; what stands where, the path says.
#[expect(
    clippy::unnecessary_wraps,
    reason = "what the config's schema does not know has no description"
)]
fn anything(_: &[PathSegment<'_>]) -> Option<NodeId> {
    Some(schema().root())
}

/// The keys that a table may have, by their names.
fn known_keys<'a>(shape: &'a Value, path: &[String]) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let table = shape_at(shape, path).and_then(|table| table.get("properties")?.as_object());
    let keys = table.into_iter().flatten();
    keys.map(|(name, shape)| (name.as_str(), shape))
}

fn is_table(shape: &Value) -> bool {
    shape.get("type").and_then(Value::as_str) == Some("object")
}

fn described(item: Item, shape: &Value) -> Item {
    match description(shape) {
        Some(words) => item.with_detail(words),
        None => item,
    }
}

fn keys(shape: &Value, slot: &KeySlot<'_>, items: &mut Items) {
    for (name, shape) in known_keys(shape, &slot.owner.path) {
        if is_table(shape) && slot.takes_headers() {
            items.push(header(shape, slot, name));
        } else if !slot.has(name) {
            items.push(key(shape, slot, name));
        }
    }
}

/// The header of a table below the one that the cursor is in, as far down as there is one way to go.
fn header(mut shape: &Value, slot: &KeySlot<'_>, name: &str) -> Item {
    let path = slot.owner.path.iter().map(String::as_str);
    let mut names: Vec<String> = path.chain([name]).map(toml_text::key).collect();
    while let Some(keys) = shape.get("properties").and_then(Value::as_object)
        && keys.len() == 1
        && let Some((only, below)) = keys.iter().next()
        && is_table(below)
    {
        names.push(toml_text::key(only));
        shape = below;
    }
    let mut template = Template::plain(&format!("[{}", names.join(".")));
    // A table of names that a person chooses has none to offer.
    if shape.get("additionalProperties").is_some_and(is_table) {
        template.text(".");
        template.placeholder("NAME");
    }
    template.text("]");
    let edit = template.edit(slot.span);
    let item = Item::new(edit.text.clone(), ItemKind::Table, edit);
    described(item.with_filter(name), shape)
}

fn key(shape: &Value, slot: &KeySlot<'_>, name: &str) -> Item {
    let key = toml_text::key(name);
    let mut template = Template::default();
    let Commas { lead, tail } = match slot.layout {
        Layout::Inline(commas) => commas,
        Layout::Name | Layout::Statement { .. } | Layout::Dotted => Commas::default(),
    };
    template.text(lead);
    template.text(&key);
    if slot.layout != Layout::Name {
        template.text(" = ");
        write_value(shape, &mut template);
        template.text(tail);
    }
    let kind = match is_table(shape) {
        true => ItemKind::Table,
        false => ItemKind::Key,
    };
    described(Item::new(name, kind, template.edit(slot.span)), shape)
}

fn write_value(shape: &Value, template: &mut Template) {
    let words: Vec<&str> = words(shape).collect();
    if !words.is_empty() {
        template.one_of_strings(&words);
    } else if is_table(shape) {
        template.empty("{", "}");
    } else {
        template.text("[");
        template.string();
        template.text("]");
    }
}

fn values(shape: &Value, slot: &ValueSlot<'_>, items: &mut Items) {
    let Some(shape) = shape_at(shape, &slot.path) else {
        return;
    };
    let words = words(shape).map(|word| slot.string(word, ItemKind::Variant));
    items.extend(words);
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
