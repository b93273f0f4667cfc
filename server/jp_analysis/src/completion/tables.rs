//! The tables that a header can begin.
//!
//! ```toml
//! [conversation.tools.edit]              # a table
//! [[conversation.tools.edit.access.fs]]  # an element of a list of tables
//! ```

use indexmap::IndexSet;
use jp_config::{
    document::{Entry, Key, Node, PathSegment, Span, Table, TableKind},
    schema::{MapShape, NodeId, schema},
};

use super::{
    context::{Site, TableSlot, child_table},
    documentation::Doc,
    item::MOST_ITEMS,
    names::declared_keys,
    shape::{TableForm, may_hold, placeholder, table_form},
};
use crate::text::toml_text;

/// How deep tables are offered at once.
pub(super) const DEPTH: usize = 3;

/// The most tables that one walk gives.
const MOST_TABLES: usize = 2 * MOST_ITEMS;

/// A table that a header can begin.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The keys from the table where the walk began.
    pub(super) keys: Vec<String>,
    /// A last key that the person picks.
    pub(super) placeholder: Option<&'static str>,
    /// What the table holds; for a list of tables, what each element does.
    pub(super) node: NodeId,
    /// How its header is written.
    pub(super) form: TableForm,
}

impl Candidate {
    /// The keys as TOML text.
    pub(super) fn label(&self) -> String {
        let mut parts: Vec<String> = self.keys.iter().map(|key| toml_text::key(key)).collect();
        parts.extend(self.placeholder.map(|name| format!("<{name}>")));
        parts.join(".")
    }

    /// The documentation of the table, which stands below the table at a path.
    pub(super) fn doc(&self, parent: &[String]) -> Doc {
        let mut path = parent.to_vec();
        path.extend(self.keys.iter().cloned());
        path.extend(self.placeholder.map(ToOwned::to_owned));
        Doc::Schema {
            path,
            variant: None,
        }
    }
}

/// Which tables are looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'t> {
    /// A header that counts as not written.
    pub(super) current: Option<Span>,
    /// What is typed; where there are too many tables, those whose names go with it come first.
    pub(super) typed: &'t str,
    /// How many segments deep.
    pub(super) depth: usize,
}

/// What the first segments of a header name; of a list of tables, an element.
pub(super) fn header_owner<'a>(site: &Site<'a>, keys: &[Key<'_>]) -> Option<TableSlot<'a>> {
    let mut node = schema().root();
    let mut path = Vec::new();
    let mut table = Some(site.document.root());
    for key in keys {
        node = element(node, &mut path);
        node = schema().child(node, key.text())?;
        path.push(key.text().to_owned());
        table = table.and_then(|table| child_table(table, PathSegment::Key(key.text())));
    }
    let node = element(node, &mut path);
    Some(TableSlot { node, path, table })
}

/// Of a list of tables what each element is; everything else as it is.
fn element(node: NodeId, path: &mut Vec<String>) -> NodeId {
    if table_form(node) != Some(TableForm::Element) {
        return node;
    }
    match schema().item(node) {
        Some(item) => {
            path.push("[]".to_owned());
            item
        }
        None => node,
    }
}

/// The tables below a table that a header can begin, the nearest first; of [`MOST_ITEMS`] or more, some may be missing.
pub(super) fn tables_below<'a>(
    site: &Site<'a>,
    owner: &TableSlot<'a>,
    search: Search<'_>,
) -> Vec<Candidate> {
    let mut walk = Walk {
        site,
        typed: search.typed.to_lowercase(),
        search,
        found: vec![Vec::new(); DEPTH],
        count: 0,
        keys: Vec::new(),
        path: owner.path.clone(),
        table: owner.table,
    };
    walk.collect(owner.node);
    walk.found.into_iter().flatten().collect()
}

/// A table that may hold more tables.
struct Nested<'a> {
    name: String,
    node: NodeId,
    /// What the text has of it.
    table: Option<Table<'a>>,
}

/// A description that one or many names have.
#[derive(Clone, Copy)]
struct Described {
    node: NodeId,
    form: TableForm,
    /// Whether a person picked the name.
    in_map: bool,
}

struct Walk<'s, 'a, 't> {
    site: &'s Site<'a>,
    search: Search<'t>,
    /// What is typed, in lower case.
    typed: String,
    found: Vec<Vec<Candidate>>,
    count: usize,
    keys: Vec<String>,
    path: Vec<String>,
    table: Option<Table<'a>>,
}

impl<'a> Walk<'_, 'a, '_> {
    fn collect(&mut self, node: NodeId) {
        if self.keys.len() >= self.search.depth {
            return;
        }
        let nested = match schema().map(node) {
            Some(map) => self.tables_of_map(map),
            None => self.tables_of_fields(node),
        };
        for below in nested {
            if self.count >= MOST_ITEMS {
                return;
            }
            let outer = std::mem::replace(&mut self.table, below.table);
            self.path.push(below.name.clone());
            self.keys.push(below.name);
            self.collect(below.node);
            self.keys.pop();
            self.path.pop();
            self.table = outer;
        }
    }

    fn tables_of_fields(&mut self, node: NodeId) -> Vec<Nested<'a>> {
        let mut nested = Vec::new();
        for field in schema().fields(node) {
            let Some(form) = table_form(field.node) else {
                continue;
            };
            if may_hold(self.site.view, self.site.options, &self.path, field) {
                let described = Described {
                    node: field.node,
                    form,
                    in_map: false,
                };
                nested.extend(self.table(field.name.to_owned(), described));
            }
        }
        nested
    }

    fn tables_of_map(&mut self, map: &MapShape) -> Vec<Nested<'a>> {
        self.fresh_table(map);
        let of_names = table_form(map.value);
        let mut nested = Vec::new();
        for name in self.names(map) {
            let node = map.get(&name);
            let form = if node == map.value {
                of_names
            } else {
                table_form(node)
            };
            if let Some(form) = form {
                let described = Described {
                    node,
                    form,
                    in_map: true,
                };
                nested.extend(self.table(name, described));
            }
        }
        nested
    }

    /// A table of a map whose name the person picks.
    fn fresh_table(&mut self, map: &MapShape) {
        let name = placeholder(map.key);
        let is_free = self.table.is_none_or(|table| table.get(name).is_none());
        if let Some(form) = table_form(map.value).filter(|_| is_free) {
            self.push(Candidate {
                keys: self.keys.clone(),
                placeholder: Some(name),
                node: map.value,
                form,
            });
        }
    }

    /// The names in a map; where there are too many, those that go with what is typed come first.
    fn names(&self, map: &MapShape) -> Vec<String> {
        let literal = map.literal.iter().map(|(name, _)| (*name).to_owned());
        let declared = declared_keys(self.site.view, &self.path);
        let names: IndexSet<String> = literal.chain(declared).collect();
        if names.len() <= MOST_ITEMS || self.typed.is_empty() {
            return names.into_iter().collect();
        }
        let (mut fitting, others): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| holds(name, &self.typed));
        fitting.extend(others);
        fitting
    }

    /// Adds the table of a name, and says whether more may lie below it.
    fn table(&mut self, name: String, described: Described) -> Option<Nested<'a>> {
        if self.count >= MOST_TABLES {
            return None;
        }
        let Described { node, form, in_map } = described;
        let entry = self.table.and_then(|table| table.get(&name));
        let value = entry.map(Entry::value);
        let table = value.and_then(Node::as_table);
        let current = self.search.current;
        let is_current =
            table.is_some_and(|table| current.is_some() && table.header_span() == current);
        // The name that is being typed is none yet.
        let is_typed = in_map && is_current && table.is_some_and(Table::is_empty);
        let is_open = value.is_none_or(is_open_to_headers);
        if (is_current && !is_typed) || (is_open && (form == TableForm::Table || table.is_none())) {
            let mut keys = self.keys.clone();
            keys.push(name.clone());
            self.push(Candidate {
                keys,
                placeholder: None,
                node: element(node, &mut Vec::new()),
                form,
            });
        }
        // What is no table has nothing below it.
        let has_tables = match (value, table) {
            (None, _) => true,
            (Some(_), Some(table)) => {
                !matches!(table.kind(), TableKind::Inline | TableKind::Dotted)
            }
            (Some(_), None) => false,
        };
        (form == TableForm::Table && has_tables && !is_current).then_some(Nested {
            name,
            node,
            table,
        })
    }

    fn push(&mut self, candidate: Candidate) {
        let depth = candidate.keys.len() + usize::from(candidate.placeholder.is_some());
        let level = depth.checked_sub(1);
        if let Some(level) = level.and_then(|level| self.found.get_mut(level)) {
            level.push(candidate);
            self.count += 1;
        }
    }
}

/// Whether a header can still begin, or go on with, what stands in the text.
fn is_open_to_headers(value: Node<'_>) -> bool {
    match value {
        Node::Table(table) => table.kind() == TableKind::Implicit,
        Node::Array(array) => array.is_array_of_tables(),
        _ => false,
    }
}

/// Whether a label has a text somewhere, in whatever case; `typed` is in lower case.
pub(super) fn holds(label: &str, typed: &str) -> bool {
    typed.is_empty() || label.to_lowercase().contains(typed)
}
