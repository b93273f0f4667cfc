//! Keeping a change: a delta written into a config file, every other byte untouched.
//!
//! ```toml
//! [assistant.model]
//! id = "anthropic/opus"      # kept: the comment, the order, the quotes of other values
//! ```
//!
//! Never automatic: a person picks the file, and the editor applies the edits so that undo works.

mod short;

use std::ops::Range;

use jp_config::schema::wrapper::{STRATEGY, VALUE, merges_by_key};
use jp_config::schema::{Merge, NodeId, Shorthand, Strategy, WrapperSettings, schema};
use jp_conversation::ConfigDelta;
use serde_json::Value as Json;
use similar::{DiffOp, TextDiff};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use self::short::{in_quotes_of, short_form};
use super::{LeafPath, Unset, toml};
use crate::aliases::AliasMap;

/// One replacement in the text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes to replace.
    pub range: Range<usize>,
    /// What to put there.
    pub text: String,
}

/// What writing a delta into a file takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Persisted {
    /// The edits, in order and without overlap.
    pub edits: Vec<TextEdit>,
    /// Removals that this file cannot express, because another file sets the value.
    pub left_out: Vec<String>,
}

/// Why a delta cannot be written into a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PersistError {
    /// The file is no TOML.
    #[error("the file is not valid TOML, correct it first: {0}")]
    Syntax(String),
    /// Something that is no table stands where the change needs one.
    #[error("`{0}` is not a table in this file, remove it or pick another file")]
    NotATable(String),
    /// A single value stands where the change sets a part of it.
    #[error(
        "`{0}` names the model by an alias in this file, write `<provider>/<model>` there first"
    )]
    Alias(String),
}

/// The edits that make the config file `text` say what `delta` says.
///
/// What the file sets itself is merged by the schema's rules: list elements are added to the file's own list.
/// It keeps its style: short forms, aliases of `aliases`, quotes, dotted keys, inline tables and comments.
///
/// # Errors
///
/// [`PersistError`]; the file is not to be changed then.
pub fn persist(
    text: &str,
    delta: &ConfigDelta,
    aliases: &AliasMap,
) -> Result<Persisted, PersistError> {
    let (head, body) = head(text);
    let body = body.replace("\r\n", "\n");
    let mut document: DocumentMut = body
        .parse()
        .map_err(|error: toml_edit::TomlError| PersistError::Syntax(error.message().to_owned()))?;
    let mut left_out = Vec::new();
    for text in &delta.unsets {
        let is_gone = Unset::parse(text).is_ok_and(|unset| remove(document.as_table_mut(), &unset));
        if !is_gone {
            left_out.push(text.clone());
        }
    }
    let partial = Json::Object(delta.delta.clone());
    for leaf in schema().leaves(&partial) {
        let path = LeafPath::new(leaf.path);
        let root = document.as_table_mut();
        match shortened(root, &path, &partial, aliases) {
            Some((path, node, value)) => set(root, &path, Some(node), &value, &partial)?,
            None => set(root, &path, leaf.node, &leaf.value, &partial)?,
        }
    }
    let mut changed = head
        .strip_prefix(MARK)
        .unwrap_or(head)
        .replace("\r\n", "\n");
    let document = document.to_string();
    if !document.is_empty() && !changed.is_empty() && !changed.ends_with('\n') {
        changed.push('\n');
    }
    changed.push_str(&document);
    Ok(Persisted {
        edits: edits(text, &changed),
        left_out,
    })
}

/// What some editors put at the beginning of a file, and no part of its text.
const MARK: char = '\u{feff}';

/// The comments that a file begins with, and the rest: nothing goes above `#:schema` or a licence.
fn head(text: &str) -> (&str, &str) {
    let is_comment = |line: &&str| {
        let line = line.trim_start_matches(MARK).trim();
        line.is_empty() || line.starts_with('#')
    };
    let length = text
        .split_inclusive('\n')
        .take_while(is_comment)
        .map(str::len)
        .sum();
    text.split_at_checked(length).unwrap_or((text, ""))
}

fn remove(root: &mut Table, unset: &Unset) -> bool {
    let Some((last, tables)) = unset.path.keys().split_last() else {
        return false;
    };
    let mut table: &mut dyn TableLike = root;
    for key in tables {
        match table.get_mut(key).and_then(Item::as_table_like_mut) {
            Some(inner) => table = inner,
            None => return false,
        }
    }
    let Some(element) = &unset.element else {
        return table.remove(last).is_some();
    };
    let Some(item) = table.get_mut(last) else {
        return false;
    };
    if let Some(tables) = item.as_array_of_tables_mut() {
        let before = tables.len();
        tables.retain(|table| {
            let json = toml::json_of(&Value::InlineTable(table.clone().into_inline_table()));
            !element.names(&json)
        });
        return tables.len() < before;
    }
    let Some(array) = own_array(item) else {
        return false;
    };
    let before = array.len();
    loop {
        let found = array
            .iter()
            .position(|value| element.names(&toml::json_of(value)));
        let Some(index) = found else { break };
        let comment = first_line(prefix(&array.remove(index)));
        match array.get_mut(index) {
            Some(next) => {
                let joined = format!("{comment}{}", prefix(next));
                next.decor_mut().set_prefix(joined);
            }
            None => {
                let joined = format!("{comment}{}", trailing(array));
                array.set_trailing(joined);
            }
        }
    }
    array.len() < before
}

/// What stands between a value and the comma or bracket before it.
fn prefix(value: &Value) -> &str {
    let prefix = value.decor().prefix().and_then(|prefix| prefix.as_str());
    prefix.unwrap_or_default()
}

/// What stands between the last value of a list and its closing bracket.
fn trailing(array: &Array) -> &str {
    array.trailing().as_str().unwrap_or_default()
}

/// The comment that belongs to the line before, if there is one.
fn first_line(space: &str) -> String {
    let line = space.split('\n').next().unwrap_or_default();
    if line.contains('#') {
        line.to_owned()
    } else {
        String::new()
    }
}

/// The list at an item, or inside of its merge wrapper.
fn own_array(item: &mut Item) -> Option<&mut Array> {
    if item.is_array() {
        return item.as_array_mut();
    }
    item.as_table_like_mut()?.get_mut(VALUE)?.as_array_mut()
}

/// The short form of the table that a leaf is a part of, if it is to be written so.
fn shortened(
    root: &Table,
    path: &LeafPath,
    partial: &Json,
    aliases: &AliasMap,
) -> Option<(LeafPath, NodeId, Json)> {
    let (_, keys) = path.keys().split_last()?;
    let found = schema().lookup(keys.iter().map(String::as_str)).ok()?;
    let (last, tables) = keys.split_last()?;
    let table = tables
        .iter()
        .try_fold(root as &dyn TableLike, |table, key| {
            table.get(key).and_then(Item::as_table_like)
        });
    let standing = table.and_then(|table| table.get(last));
    let path = LeafPath::new(keys.to_vec());
    let short = short_form(standing, found.node, path.get(partial)?, aliases)?;
    Some((path, found.node, short))
}

fn set(
    root: &mut Table,
    path: &LeafPath,
    node: Option<NodeId>,
    value: &Json,
    partial: &Json,
) -> Result<(), PersistError> {
    let Some((last, tables)) = path.keys().split_last() else {
        return Ok(());
    };
    let place = place_of_new(root, tables);
    let mut table: &mut dyn TableLike = root;
    let mut walked = Vec::new();
    let mut is_inline = false;
    let mut space = None;
    for key in tables {
        walked.push(key.clone());
        if is_inline && table.get(key).is_none() {
            space = space.or_else(|| take_space(table));
        }
        let is_dotted = table.is_dotted();
        let item = table
            .entry(key)
            .or_insert_with(|| new_table(is_inline, is_dotted, place));
        write_out(item, &LeafPath::new(walked.clone()), partial)?;
        is_inline = item.is_inline_table();
        table = item
            .as_table_like_mut()
            .ok_or_else(|| PersistError::NotATable(LeafPath::new(walked.clone()).to_string()))?;
    }
    match table.get_mut(last) {
        Some(item) if !item.is_none() => merge_into(item, node, value),
        _ => {
            if is_inline {
                space = space.or_else(|| take_space(table));
            }
            let mut item = new_item(value);
            if let (Some(space), Some(value)) = (space, item.as_value_mut()) {
                value.decor_mut().set_suffix(space);
            }
            if !item.is_none() {
                table.insert(last, item);
            }
        }
    }
    Ok(())
}

/// Takes the blanks away that stand before the brace at the end of an inline table, for what is to come before it.
fn take_space(table: &mut dyn TableLike) -> Option<String> {
    let (_, last) = table.iter_mut().last()?;
    let value = last.as_value_mut()?;
    if let Some(inner) = value
        .as_inline_table_mut()
        .filter(|inner| inner.is_dotted())
    {
        return take_space(inner);
    }
    let space = value.decor().suffix()?.as_str()?;
    if !space.trim_matches(' ').is_empty() {
        return None;
    }
    let space = space.to_owned();
    value.decor_mut().set_suffix("");
    Some(space)
}

/// A table on the way to a value, in the style of the one that it stands in.
fn new_table(is_inline: bool, is_dotted: bool, place: Option<isize>) -> Item {
    if is_inline {
        let mut table = InlineTable::new();
        table.set_dotted(true);
        return Item::Value(Value::InlineTable(table));
    }
    let mut table = Table::new();
    table.set_implicit(true);
    if is_dotted {
        table.set_dotted(true);
    } else {
        table.set_position(place);
    }
    Item::Table(table)
}

/// Where new tables on the way to a table go: behind their own outer table, or else at the end.
///
/// Without a place, they would come first.
fn place_of_new(root: &Table, keys: &[String]) -> Option<isize> {
    let mut outer = root;
    let mut depth = 0;
    for key in keys {
        match outer.get(key).and_then(Item::as_table) {
            Some(table) => outer = table,
            None => break,
        }
        depth += 1;
    }
    if depth > 0 && outer.position().is_some() {
        return None;
    }
    last_place(root).map(|last| last + 1)
}

fn last_place(table: &Table) -> Option<isize> {
    let inner = table.iter().filter_map(|(_, item)| match item {
        Item::Table(table) => last_place(table),
        Item::ArrayOfTables(tables) => tables.iter().filter_map(last_place).max(),
        _ => None,
    });
    inner.chain(table.position()).max()
}

/// A new value, on one line unless it is an entry of a map that is to be filled later.
fn new_item(value: &Json) -> Item {
    match value {
        Json::Object(entries) if entries.is_empty() => toml::item(value),
        value => toml::value(value).map_or(Item::None, Item::Value),
    }
}

/// Turns a shorthand into the table that it stands for, so that a key of it can be set.
fn write_out(item: &mut Item, path: &LeafPath, partial: &Json) -> Result<(), PersistError> {
    let Some(value) = item.as_value() else {
        return Ok(());
    };
    let keys = path.keys().iter().map(String::as_str);
    let Ok(found) = schema().lookup(keys) else {
        return Ok(());
    };
    let written = schema().table_of_shorthand(found.node, &toml::json_of(value));
    let table = match (written, schema().shorthand(found.node)) {
        (Some(table), _) => Some(Json::Object(table)),
        (None, Some(Shorthand::ModelId)) if value.is_str() => {
            Some(whole_model(path.get(partial), path)?)
        }
        (None, _) => None,
    };
    if let Some(mut table) = table.as_ref().and_then(toml::value) {
        if let Some(value) = item.as_value() {
            *table.decor_mut() = value.decor().clone();
        }
        *item = Item::Value(table);
    }
    Ok(())
}

/// The model that takes the place of an alias; half a model cannot.
fn whole_model(model: Option<&Json>, path: &LeafPath) -> Result<Json, PersistError> {
    let part = |key| {
        model
            .and_then(|model| model.get(key))
            .filter(|part| part.is_string())
    };
    match (part("provider"), part("name")) {
        (Some(provider), Some(name)) => {
            Ok(serde_json::json!({ "provider": provider, "name": name }))
        }
        _ => Err(PersistError::Alias(path.to_string())),
    }
}

/// Merges a value into the file's own, keeping comments and white space around it.
fn merge_into(item: &mut Item, node: Option<NodeId>, value: &Json) {
    if let Some((items, strategy)) = added_elements(node, value)
        && add_elements(item, &items, strategy)
    {
        return;
    }
    if let (Some(table), Json::Object(entries)) = (item.as_table_like_mut(), value)
        && node.is_some_and(|id| schema().node(id).merge == Merge::Json)
        && merges_by_key(value)
    {
        for (key, value) in entries {
            match table.get_mut(key) {
                Some(item) => merge_into(item, node, value),
                None => {
                    table.insert(key, new_item(value));
                }
            }
        }
        return;
    }
    let Some(mut fresh) = toml::value(value) else {
        return;
    };
    if let Some(old) = item.as_value() {
        fresh = in_quotes_of(old, fresh);
        *fresh.decor_mut() = old.decor().clone();
    }
    *item = Item::Value(fresh);
}

/// The elements that a value adds to a list, and at which end; `None` where it replaces.
fn added_elements(node: Option<NodeId>, value: &Json) -> Option<(Vec<Json>, Strategy)> {
    let default = match schema().node(node?).merge {
        Merge::MergeableVec { default } => default,
        Merge::Append => Strategy::Append,
        _ => return None,
    };
    let (items, strategy) = match value {
        Json::Array(items) => (items.clone(), default),
        Json::Object(wrapper) => {
            let is_plain = wrapper
                .keys()
                .all(|key| matches!(key.as_str(), VALUE | STRATEGY));
            let strategy = WrapperSettings::of(value).strategy.unwrap_or(default);
            let items = wrapper.get(VALUE)?.as_array()?.clone();
            (
                items,
                if is_plain {
                    strategy
                } else {
                    Strategy::Replace
                },
            )
        }
        _ => return None,
    };
    (strategy != Strategy::Replace).then_some((items, strategy))
}

fn add_elements(item: &mut Item, items: &[Json], strategy: Strategy) -> bool {
    if let Some(tables) = item.as_array_of_tables_mut() {
        if strategy == Strategy::Prepend || !items.iter().all(Json::is_object) {
            return false;
        }
        for json in items {
            if let Item::Table(table) = toml::item(json) {
                tables.push(table);
            }
        }
        return true;
    }
    let Some(array) = own_array(item) else {
        return false;
    };
    let spread = array
        .iter()
        .last()
        .and_then(|last| prefix(last).rsplit_once('\n'))
        .map(|(_, indent)| format!("\n{indent}"));
    if strategy != Strategy::Prepend && spread.is_some() {
        keep_last_comment(array, items, spread.as_deref().unwrap_or_default());
        return true;
    }
    for (index, json) in items.iter().enumerate() {
        let Some(mut value) = toml::value(json) else {
            continue;
        };
        if let Some(prefix) = &spread {
            value.decor_mut().set_prefix(prefix.clone());
        }
        match (strategy, &spread) {
            (Strategy::Prepend, Some(_)) => array.insert_formatted(index, value),
            (Strategy::Prepend, None) => array.insert(index, value),
            _ => array.push(value),
        }
    }
    true
}

/// Adds elements on lines of their own, after the comment that ends the last line.
fn keep_last_comment(array: &mut Array, items: &[Json], indent: &str) {
    let space = trailing(array).to_owned();
    let comment = first_line(&space);
    let rest = space.get(comment.len()..).unwrap_or_default().to_owned();
    let mut before = format!("{comment}{indent}");
    for json in items {
        if let Some(mut value) = toml::value(json) {
            value
                .decor_mut()
                .set_prefix(std::mem::replace(&mut before, indent.to_owned()));
            array.push_formatted(value);
        }
    }
    array.set_trailing(rest);
}

/// The changed lines: `old` with its own line ends and mark, `new` with plain ones.
fn edits(old: &str, new: &str) -> Vec<TextEdit> {
    let line_end = match old.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let begin = if old.starts_with(MARK) {
        MARK.len_utf8()
    } else {
        0
    };
    let plain = old.trim_start_matches(MARK).replace("\r\n", "\n");
    let diff = TextDiff::from_lines(plain.as_str(), new);
    let offsets = |text: &str, begin: usize| {
        let mut offsets = vec![begin];
        for line in text.split_inclusive('\n') {
            offsets.push(offsets.last().copied().unwrap_or(0) + line.len());
        }
        offsets
    };
    let own = old.get(begin..).unwrap_or_default();
    let (old_at, new_at) = (offsets(own, begin), offsets(new, 0));
    let at = |offsets: &[usize], line: usize| {
        offsets
            .get(line)
            .or_else(|| offsets.last())
            .copied()
            .unwrap_or(0)
    };
    diff.ops()
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| {
            let (old_lines, new_lines) = (op.old_range(), op.new_range());
            let text = at(&new_at, new_lines.start)..at(&new_at, new_lines.end);
            TextEdit {
                range: at(&old_at, old_lines.start)..at(&old_at, old_lines.end),
                text: new.get(text).unwrap_or_default().replace('\n', line_end),
            }
        })
        .collect()
}

#[cfg(test)]
#[path = "persist_tests.rs"]
mod tests;
