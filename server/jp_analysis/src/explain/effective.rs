//! The effective config as TOML, each value with the place that decided it.
//!
//! ```toml
//! [conversation.tools.grep]
//! source = "local" # .jp/tools/grep.toml:2
//! run = "ask" # .jp/config.toml:12
//! ```

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use indexmap::IndexMap;
use jp_config::{
    content::Content,
    graph::FileId,
    merge::{Located, LocatedValue},
    view::View,
};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use crate::{
    place::{Place, shown_path},
    text::markup::one_line,
};

/// What all layers of a view come to, as TOML; behind each value, as a comment, the file and the line that decided it.
///
/// Of a data file the lines are not known, and the comment names the file alone.
/// What no layer wrote, because a shorthand stands for it, says `# default`.
/// A list is written on several lines where its elements come from several.
#[must_use]
pub fn effective(view: &View) -> String {
    let sources = Sources::new(view);
    let mut document = DocumentMut::new();
    if let Some(config) = view.effective(&[])
        && let Some(entries) = config.value.as_table()
    {
        fill(&sources, document.as_table_mut(), entries);
    }
    document.to_string()
}

fn fill(sources: &Sources<'_>, table: &mut Table, entries: &IndexMap<String, Located>) {
    for (key, located) in entries {
        if let Some(item) = item(sources, located) {
            table.insert(key, item);
        }
    }
}

fn item(sources: &Sources<'_>, located: &Located) -> Option<Item> {
    match &located.value {
        LocatedValue::Table(entries) => Some(Item::Table(table(sources, located, entries))),
        LocatedValue::List(items) if is_list_of_tables(items) => {
            let tables = items.iter().filter_map(|item| {
                let entries = item.value.as_table()?;
                let mut table = table(sources, item, entries);
                table.set_implicit(false);
                Some(table)
            });
            Some(Item::ArrayOfTables(tables.collect::<ArrayOfTables>()))
        }
        LocatedValue::List(items) => Some(Item::Value(list(sources, located, items))),
        _ => {
            let value = plain(located)?;
            let comment = sources.comment(located);
            Some(Item::Value(value.decorated(" ", comment)))
        }
    }
}

/// A table with its header, whose own source is named only where it has nothing else to say.
fn table(sources: &Sources<'_>, located: &Located, entries: &IndexMap<String, Located>) -> Table {
    let mut table = Table::new();
    fill(sources, &mut table, entries);
    if table.is_empty() {
        table.decor_mut().set_suffix(sources.comment(located));
    } else {
        table.set_implicit(true);
    }
    table
}

fn is_list_of_tables(items: &[Located]) -> bool {
    !items.is_empty() && items.iter().all(|item| item.value.as_table().is_some())
}

/// A list of anything but tables alone.
fn list(sources: &Sources<'_>, located: &Located, items: &[Located]) -> Value {
    let written: Vec<(Value, String)> = items
        .iter()
        .filter_map(|item| Some((plain(item)?, sources.comment(item))))
        .collect();
    let Some((_, first)) = written.first() else {
        let empty = Value::from(Array::new());
        return empty.decorated(" ", sources.comment(located));
    };
    let first = first.clone();
    if written.iter().all(|(_, comment)| *comment == first) {
        let array: Array = written.into_iter().map(|(value, _)| value).collect();
        return Value::from(array).decorated(" ", first);
    }
    // A comment follows the comma, where the next element begins.
    let mut before = String::new();
    let mut array = Array::new();
    for (value, comment) in written {
        array.push_formatted(value.decorated(format!("{before}\n    "), ""));
        before = comment;
    }
    array.set_trailing_comma(true);
    array.set_trailing(format!("{before}\n"));
    Value::from(array).decorated(" ", "")
}

/// A value on its own, without the places of its parts.
fn plain(located: &Located) -> Option<Value> {
    Some(match &located.value {
        LocatedValue::Null | LocatedValue::Missing => return None,
        LocatedValue::Boolean(value) => Value::from(*value),
        LocatedValue::Integer(value) => Value::from(*value),
        LocatedValue::Float(value) => Value::from(*value),
        LocatedValue::String(text) | LocatedValue::Datetime(text) => Value::from(text.as_str()),
        LocatedValue::List(items) => Value::from(items.iter().filter_map(plain).collect::<Array>()),
        LocatedValue::Table(entries) => {
            let mut table = InlineTable::new();
            for (key, entry) in entries {
                if let Some(value) = plain(entry) {
                    table.insert(key, value);
                }
            }
            Value::from(table)
        }
    })
}

/// Where the values of a view come from.
struct Sources<'a> {
    view: &'a View,
    /// Where the lines of each file begin, once it was asked for; none for a data file.
    lines: RefCell<BTreeMap<FileId, Option<Rc<Vec<usize>>>>>,
}

impl<'a> Sources<'a> {
    fn new(view: &'a View) -> Self {
        Self {
            view,
            lines: RefCell::default(),
        }
    }

    /// The comment behind a value.
    fn comment(&self, located: &Located) -> String {
        let source = self.source(located);
        format!(" # {}", source.as_deref().unwrap_or("default"))
    }

    fn source(&self, located: &Located) -> Option<String> {
        let origin = located.origin()?;
        let place = Place {
            file: self.view.file(origin.layer)?,
            span: origin.span,
        };
        let path = shown_path(self.view.graph(), place);
        let path = one_line(path.as_str());
        let start = origin.span.start as usize;
        Some(match self.lines(place.file) {
            Some(lines) => {
                let line = lines.partition_point(|begin| *begin <= start);
                format!("{path}:{line}")
            }
            None => path,
        })
    }

    fn lines(&self, file: FileId) -> Option<Rc<Vec<usize>>> {
        let mut known = self.lines.borrow_mut();
        let lines = known.entry(file).or_insert_with(|| {
            let content = self.view.graph().content(file)?;
            match content.as_ref() {
                Content::Toml(document) => Some(Rc::new(line_starts(document.text()))),
                Content::Data(_) => None,
            }
        });
        lines.clone()
    }
}

/// Where the lines of a text begin; a lone carriage return ends one too.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(index, byte)| {
        **byte == b'\n' || (**byte == b'\r' && bytes.get(index + 1) != Some(&b'\n'))
    });
    std::iter::once(0)
        .chain(ends.map(|(index, _)| index + 1))
        .collect()
}

#[cfg(test)]
#[path = "effective_tests.rs"]
mod tests;
