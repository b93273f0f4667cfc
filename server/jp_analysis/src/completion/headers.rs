//! Table headers.
//!
//! ```toml
//! [conversation.tools.edit.        # options, parameters, policy, ...
//! [[conversation.tools.edit.       # access.fs, access.net, policy.run, ...
//! ```

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
};

use indexmap::IndexSet;
use jp_config::document::{Entry, Key, Node, PathSegment, Span, Table, TableKind};
use jp_config::schema::{MapShape, NodeId, Schema};

use super::{
    Doc, Item, ItemKind, MOST_ITEMS, Request,
    keys::{key_text, placeholder},
    site,
    template::Template,
};

/// How deep tables are offered at once.
pub(super) const DEPTH: usize = 3;

/// The most tables that one walk gives.
const MOST_TABLES: usize = 2 * MOST_ITEMS;

/// How a header is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableForm {
    /// `[a.b]`
    Table,
    /// `[[a.b]]`
    Element,
}

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
    pub(super) fn label(&self) -> String {
        let mut parts: Vec<String> = self.keys.iter().map(|key| key_text(key)).collect();
        parts.extend(self.placeholder.map(|name| format!("<{name}>")));
        parts.join(".")
    }

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

/// Where a header is written.
struct HeaderSlot {
    /// What is replaced.
    span: Span,
    /// What of it stands before the cursor.
    typed: String,
    /// The brackets that are missing.
    close: &'static str,
    /// The form of the header; nothing where more segments follow.
    form: Option<TableForm>,
    /// How many segments are offered at once.
    depth: usize,
    /// What tables hold, in words; many tools have the same ones.
    described: RefCell<HashMap<NodeId, String>>,
}

impl HeaderSlot {
    fn described(&self, schema: &Schema, node: NodeId) -> String {
        let mut described = self.described.borrow_mut();
        let words = described.entry(node);
        words.or_insert_with(|| schema.describe(node)).clone()
    }
}

/// The tables below an entry of a map.
struct Below {
    keys: Vec<String>,
    candidates: Vec<Candidate>,
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

/// A table that may hold more tables.
struct Nested<'a> {
    name: String,
    node: NodeId,
    /// What the text has of it.
    table: Option<Table<'a>>,
}

struct Walk<'a, 't> {
    search: Search<'t>,
    found: Vec<Vec<Candidate>>,
    count: usize,
    keys: Vec<String>,
    path: Vec<String>,
    table: Option<Table<'a>>,
}

impl<'a> Request<'a> {
    pub(super) fn header(&mut self, key: Key<'a>, segment: usize) {
        let section = self.document.section_at(self.offset as usize);
        let keys = section.header();
        let is_last = segment + 1 == keys.len();
        let span = key.span();
        if !span.touches(self.offset) {
            return;
        }
        let form = if section.is_array_of_tables() {
            TableForm::Element
        } else {
            TableForm::Table
        };
        let Some((node, path, table)) = self.header_parent(keys.get(..segment).unwrap_or(&[]))
        else {
            return;
        };
        let close = if is_last {
            self.missing_brackets(form)
        } else {
            ""
        };
        let typed = self
            .document
            .text()
            .get(span.start as usize..self.offset as usize)
            .unwrap_or_default()
            .trim_start_matches(['"', '\''])
            .to_owned();
        let slot = HeaderSlot {
            span,
            typed,
            close,
            form: is_last.then_some(form),
            depth: if is_last { DEPTH } else { 1 },
            described: RefCell::default(),
        };
        if is_last
            && let Some(below) =
                self.previous_entry(keys.get(..segment).unwrap_or(&[]), &slot.typed)
        {
            self.is_incomplete |= below.candidates.len() >= MOST_ITEMS;
            for mut candidate in below.candidates {
                candidate.keys.splice(0..0, below.keys.iter().cloned());
                self.header_item(&slot, &candidate, &path);
            }
        }
        let search = Search {
            current: section.header_span(),
            typed: &slot.typed,
            depth: slot.depth,
        };
        let candidates = self.tables_below(node, &path, table, search);
        self.is_incomplete |= candidates.len() >= MOST_ITEMS;
        let first: HashSet<String> = self.items.iter().map(|item| item.label.clone()).collect();
        for candidate in candidates {
            if first.is_empty() || !first.contains(&candidate.label()) {
                self.header_item(&slot, &candidate, &path);
            }
        }
        if let Some(next) = keys.get(segment + 1).map(|next| next.text()) {
            self.keep_leading(node, next);
        }
    }

    fn header_item(&mut self, slot: &HeaderSlot, candidate: &Candidate, parent: &[String]) {
        let other_form = slot.form.is_some_and(|form| candidate.form != form);
        if other_form || (slot.form.is_none() && candidate.placeholder.is_some()) {
            return;
        }
        let label = candidate.label();
        if candidate.placeholder.is_none() && !holds(&label, &slot.typed) {
            return;
        }
        if self.items.len() >= MOST_ITEMS {
            self.is_incomplete = true;
            return;
        }
        let mut template = Template::default();
        match candidate.placeholder {
            None => template.text(&label),
            Some(name) => {
                for key in &candidate.keys {
                    template.text(&key_text(key));
                    template.text(".");
                }
                template.placeholder(name);
            }
        }
        template.text(slot.close);
        let quote = self.typed_quote(slot.span);
        self.push(Item {
            filter: format!("{quote}{}", label.trim_start_matches(['"', '\''])),
            label,
            kind: ItemKind::Table,
            detail: Some(slot.described(self.schema, candidate.node)),
            doc: Some(candidate.doc(parent)),
            edit: template.edit(slot.span),
            sort: String::new(),
            continues: false,
        });
    }

    /// The tables of the entry that the header before this one is about: of the tool, the server, the alias.
    ///
    /// `before` are the segments before the one that is being written; the keys follow them.
    fn previous_entry(&self, before: &[Key<'_>], typed: &str) -> Option<Below> {
        let previous = self.position.section.checked_sub(1)?;
        let header = self.document.sections().nth(previous)?.header();
        let mut node = self.schema.root();
        let mut end = 0;
        for (index, key) in header.iter().enumerate() {
            let is_entry = self.schema.map(node).is_some();
            node = self.schema.child(node, key.text())?;
            if is_entry {
                end = index + 1;
                break;
            }
        }
        let entry = header.get(..end).filter(|entry| !entry.is_empty())?;
        let is_below = before.len() < end
            && before
                .iter()
                .zip(entry)
                .all(|(before, key)| before.text() == key.text());
        if !is_below {
            return None;
        }
        let (node, path, table) = self.header_parent(entry)?;
        let current = self.document.section_at(self.offset as usize);
        let search = Search {
            current: current.header_span(),
            typed,
            depth: DEPTH,
        };
        Some(Below {
            candidates: self.tables_below(node, &path, table, search),
            keys: entry
                .iter()
                .skip(before.len())
                .map(|key| key.text().to_owned())
                .collect(),
        })
    }

    fn typed_quote(&self, span: Span) -> &'static str {
        match self.document.text().as_bytes().get(span.start as usize) {
            Some(b'"') if !span.is_empty() => "\"",
            Some(b'\'') if !span.is_empty() => "'",
            _ => "",
        }
    }

    /// The brackets that close the header, where it has none yet and nothing follows.
    fn missing_brackets(&self, form: TableForm) -> &'static str {
        let rest = self.after(self.offset).lines().next().unwrap_or_default();
        match form {
            _ if !rest.trim().is_empty() => "",
            TableForm::Table => "]",
            TableForm::Element => "]]",
        }
    }

    /// What the first segments of a header name.
    pub(super) fn header_parent(
        &self,
        keys: &[Key<'_>],
    ) -> Option<(NodeId, Vec<String>, Option<Table<'a>>)> {
        let mut node = self.schema.root();
        let mut path = Vec::new();
        let mut table = Some(self.document.root());
        for key in keys {
            node = self.element(node, &mut path);
            node = self.schema.child(node, key.text())?;
            path.push(key.text().to_owned());
            table = site::child_table(table, PathSegment::Key(key.text()));
        }
        let node = self.element(node, &mut path);
        Some((node, path, table))
    }

    /// Of a list of tables what each element is; everything else as it is.
    fn element(&self, node: NodeId, path: &mut Vec<String>) -> NodeId {
        if self.table_form(node) != Some(TableForm::Element) {
            return node;
        }
        match self.schema.item(node) {
            Some(item) => {
                path.push("[]".to_owned());
                item
            }
            None => node,
        }
    }

    /// The tables below a table that a header can begin, the nearest first; of [`MOST_ITEMS`] or more, some may be missing.
    pub(super) fn tables_below(
        &self,
        node: NodeId,
        path: &[String],
        table: Option<Table<'a>>,
        search: Search<'_>,
    ) -> Vec<Candidate> {
        let mut walk = Walk {
            search,
            found: vec![Vec::new(); DEPTH],
            count: 0,
            keys: Vec::new(),
            path: path.to_vec(),
            table,
        };
        self.collect_tables(node, &mut walk);
        walk.found.into_iter().flatten().collect()
    }

    fn collect_tables(&self, node: NodeId, walk: &mut Walk<'a, '_>) {
        if walk.keys.len() >= walk.search.depth {
            return;
        }
        let mut nested = Vec::new();
        if let Some(map) = self.schema.map(node) {
            self.fresh_table(map, walk);
            for name in self.names_of_tables(map, walk) {
                let node = map.get(&name);
                nested.extend(self.collect_table(name, node, true, walk));
            }
        } else {
            for field in self.schema.fields(node) {
                if self.may_hold(&walk.path, field) {
                    let name = field.name.to_owned();
                    nested.extend(self.collect_table(name, field.node, false, walk));
                }
            }
        }
        for below in nested {
            if walk.count >= MOST_ITEMS {
                return;
            }
            let outer = std::mem::replace(&mut walk.table, below.table);
            walk.path.push(below.name.clone());
            walk.keys.push(below.name);
            self.collect_tables(below.node, walk);
            walk.keys.pop();
            walk.path.pop();
            walk.table = outer;
        }
    }

    /// A table of a map whose name the person picks.
    fn fresh_table(&self, map: &MapShape, walk: &mut Walk<'a, '_>) {
        let name = placeholder(map.key);
        let is_free = walk.table.is_none_or(|table| table.get(name).is_none());
        if let Some(form) = self.table_form(map.value).filter(|_| is_free) {
            let candidate = Candidate {
                keys: walk.keys.clone(),
                placeholder: Some(name),
                node: map.value,
                form,
            };
            push(walk, candidate);
        }
    }

    /// The names in a map; where there are too many, those that go with what is typed.
    fn names_of_tables(&self, map: &MapShape, walk: &Walk<'a, '_>) -> Vec<String> {
        let literal = map.literal.iter().map(|(name, _)| (*name).to_owned());
        let names: IndexSet<String> = literal.chain(self.declared_keys(&walk.path)).collect();
        let mut names: Vec<String> = names.into_iter().collect();
        if names.len() > MOST_ITEMS {
            names.sort_by_cached_key(|name| !holds(name, walk.search.typed));
        }
        names
    }

    /// Adds the table of a name, and says whether more may lie below it.
    fn collect_table(
        &self,
        name: String,
        node: NodeId,
        in_map: bool,
        walk: &mut Walk<'a, '_>,
    ) -> Option<Nested<'a>> {
        if walk.count >= MOST_TABLES {
            return None;
        }
        let form = self.table_form(node)?;
        let value = walk
            .table
            .and_then(|table| table.get(&name))
            .map(Entry::value);
        let table = value.and_then(Node::as_table);
        let is_current = table.is_some_and(|table| {
            walk.search.current.is_some() && table.header_span() == walk.search.current
        });
        // The name that is being typed is none yet.
        let is_typed = in_map && is_current && table.is_some_and(Table::is_empty);
        let is_open = value.is_none_or(Self::is_open_to_headers);
        if (is_current && !is_typed) || (is_open && (form == TableForm::Table || table.is_none())) {
            let mut keys = walk.keys.clone();
            keys.push(name.clone());
            let candidate = Candidate {
                keys,
                placeholder: None,
                node: self.element(node, &mut Vec::new()),
                form,
            };
            push(walk, candidate);
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
}

/// Whether a label has what is typed somewhere, in whatever case.
fn holds(label: &str, typed: &str) -> bool {
    typed.is_empty() || label.to_lowercase().contains(&typed.to_lowercase())
}

fn push(walk: &mut Walk<'_, '_>, candidate: Candidate) {
    let depth = candidate.keys.len() + usize::from(candidate.placeholder.is_some());
    if let Some(level) = depth
        .checked_sub(1)
        .and_then(|level| walk.found.get_mut(level))
    {
        level.push(candidate);
        walk.count += 1;
    }
}
