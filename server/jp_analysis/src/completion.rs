//! What can be written at a place: keys, headers and values, from the schema tree and the effective view.
//!
//! ```toml
//! [[conversation.tools.edit.policy.run]]
//! arg = "/pa"      # the parameters of `edit`
//! mode = ""        # the modes
//! #                # the matchers that a `path` parameter has
//! ```
//!
//! Every place has an answer, also in text that is not TOML yet.
//! An accepted item leaves the text no more broken than it was.
//!
//! First it is found out what is about to be written (`slot`), then one function offers what fits there (`keys`, `headers`, `values`), out
//! of what the config declares (`names`, `models`, `files`, `config_paths`, `variables`, `rules`).

use jp_config::{
    document::{Document, Place},
    graph::FileId,
    view::View,
};

mod arguments;
mod config_paths;
mod context;
mod damage;
mod directive;
mod documentation;
mod examples;
mod files;
mod fill_in;
mod headers;
mod item;
mod keys;
mod layout;
mod missing;
mod models;
mod names;
mod paths;
mod rules;
mod settings;
mod shape;
mod slot;
mod starter;
mod tables;
mod template;
mod value_item;
mod values;
mod variables;

pub(crate) use self::missing::missing_entries;
use self::{
    context::Site,
    item::Items,
    slot::{Slot, slot_at},
};
pub use self::{
    documentation::{Doc, documentation},
    examples::complete_example,
    item::{Completions, Item, ItemEdit, ItemKind},
    paths::{NoPaths, PathEntry, Paths},
    settings::complete_setting,
};
use crate::options::Options;

/// Says what can be written at `offset` of a file of the view.
#[must_use]
pub fn complete(
    view: &View,
    file: FileId,
    document: &Document,
    offset: usize,
    options: Options,
    paths: &dyn Paths,
) -> Completions {
    let site = Site::new(view, file, document, offset, options, paths);
    let mut items = Items::default();
    match slot_at(&site) {
        Some(Slot::Comment(span)) => directive::offer(&site, span, &mut items),
        Some(Slot::First(slot)) => {
            keys::offer(&site, &slot, &mut items);
            starter::offer(&site, slot.span, &mut items);
            directive::offer(&site, slot.span, &mut items);
        }
        Some(Slot::Key(slot)) => keys::offer(&site, &slot, &mut items),
        Some(Slot::Header { key, segment }) => headers::offer(&site, key, segment, &mut items),
        Some(Slot::Value(slot)) => values::offer(&site, &slot, &mut items),
        None => {}
    }
    items.narrow(document.text(), site.offset);
    damage::drop_harmful(&site, &mut items);
    items.finish()
}

/// Whether the cursor is in a list where an element may begin, and nothing of one is written.
///
/// There a person often goes on with a new line: an editor that was not asked should show nothing that Enter would take.
#[must_use]
pub fn begins_element(document: &Document, offset: usize) -> bool {
    matches!(document.at(offset).place, Place::Array { .. })
}

#[cfg(test)]
#[path = "completion_tests.rs"]
mod tests;
