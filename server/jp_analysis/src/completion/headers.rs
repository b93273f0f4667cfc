//! Table headers.
//!
//! ```toml
//! [conversation.tools.edit.        # options, parameters, policy, ...
//! [[conversation.tools.edit.       # access.fs, access.net, policy.run, ...
//! ```

use indexmap::IndexSet;
use jp_config::document::{Key, PathSegment, Span, Table};
use jp_config::schema::NodeId;

use super::{
    Doc, Item, ItemKind, Request,
    keys::{key_text, placeholder},
    site,
    template::Template,
};

/// How deep tables are offered at once.
const DEPTH: usize = 3;

/// The most tables that one walk gives.
const MOST_TABLES: usize = 400;

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
}

/// The tables below an entry of a map.
struct Below {
    keys: Vec<String>,
    candidates: Vec<Candidate>,
}

struct Walk<'a> {
    /// Headers of this section count as not written.
    current: Option<Span>,
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
        };
        if is_last && let Some(below) = self.previous_entry(keys.get(..segment).unwrap_or(&[])) {
            for mut candidate in below.candidates {
                candidate.keys.splice(0..0, below.keys.iter().cloned());
                self.header_item(&slot, &candidate, &path);
            }
        }
        for candidate in self.tables_below(node, &path, table, section.header_span()) {
            let depth = candidate.keys.len() + usize::from(candidate.placeholder.is_some());
            if depth <= slot.depth {
                self.header_item(&slot, &candidate, &path);
            }
        }
    }

    fn header_item(&mut self, slot: &HeaderSlot, candidate: &Candidate, parent: &[String]) {
        let other_form = slot.form.is_some_and(|form| candidate.form != form);
        if other_form || (slot.form.is_none() && candidate.placeholder.is_some()) {
            return;
        }
        let label = candidate.label();
        if candidate.placeholder.is_none() && !label.contains(&slot.typed) {
            return;
        }
        let mut template = Template::default();
        let dotted: Vec<String> = candidate.keys.iter().map(|key| key_text(key)).collect();
        template.text(&dotted.join("."));
        if let Some(name) = candidate.placeholder {
            if !dotted.is_empty() {
                template.text(".");
            }
            template.placeholder(name);
        }
        template.text(slot.close);
        let quote = self.typed_quote(slot.span);
        self.push(Item {
            filter: format!("{quote}{}", label.trim_start_matches(['"', '\''])),
            label,
            kind: ItemKind::Table,
            detail: Some(self.schema.describe(candidate.node)),
            doc: Some(candidate.doc(parent)),
            edit: template.edit(slot.span),
            sort: String::new(),
            continues: false,
        });
    }

    /// The tables of the entry that the header before this one is about: of the tool, the server, the alias.
    ///
    /// `typed` are the segments before the one that is being written; the keys follow them.
    fn previous_entry(&self, typed: &[Key<'_>]) -> Option<Below> {
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
        let is_below = typed.len() < end
            && typed
                .iter()
                .zip(entry)
                .all(|(typed, key)| typed.text() == key.text());
        if !is_below {
            return None;
        }
        let (node, path, table) = self.header_parent(entry)?;
        let current = self.document.section_at(self.offset as usize);
        Some(Below {
            candidates: self.tables_below(node, &path, table, current.header_span()),
            keys: entry
                .iter()
                .skip(typed.len())
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

    /// The tables below a table that a header can begin, the nearest first.
    ///
    /// `current` is a header that counts as not written.
    pub(super) fn tables_below(
        &self,
        node: NodeId,
        path: &[String],
        table: Option<Table<'a>>,
        current: Option<Span>,
    ) -> Vec<Candidate> {
        let mut walk = Walk {
            current,
            found: vec![Vec::new(); DEPTH],
            count: 0,
            keys: Vec::new(),
            path: path.to_vec(),
            table,
        };
        self.collect_tables(node, &mut walk);
        walk.found.into_iter().flatten().collect()
    }

    fn collect_tables(&self, node: NodeId, walk: &mut Walk<'a>) {
        if walk.keys.len() >= DEPTH || walk.count >= MOST_TABLES {
            return;
        }
        if let Some(map) = self.schema.map(node) {
            let literal = map.literal.iter().map(|(name, _)| (*name).to_owned());
            let names: IndexSet<String> = literal.chain(self.declared_keys(&walk.path)).collect();
            if let Some(form) = self.table_form(map.value)
                && walk
                    .table
                    .is_none_or(|table| table.get(placeholder(map.key)).is_none())
            {
                let candidate = Candidate {
                    keys: walk.keys.clone(),
                    placeholder: Some(placeholder(map.key)),
                    node: map.value,
                    form,
                };
                push(walk, candidate);
            }
            for name in names {
                self.collect_table(&name, map.get(&name), walk);
            }
            return;
        }
        for field in self.schema.fields(node) {
            let hidden =
                self.options.dialect == crate::Dialect::Released && !self.node(field.node).released;
            if !hidden {
                self.collect_table(field.name, field.node, walk);
            }
        }
    }

    fn collect_table(&self, name: &str, node: NodeId, walk: &mut Walk<'a>) {
        let Some(form) = self.table_form(node) else {
            return;
        };
        let entry = walk.table.and_then(|table| table.get(name));
        let value = entry.map(jp_config::document::Entry::value);
        let is_current = match (value, walk.current) {
            (Some(jp_config::document::Node::Table(table)), Some(current)) => {
                table.header_span() == Some(current)
            }
            _ => false,
        };
        let is_open = value.is_none_or(Self::is_open_to_headers);
        walk.keys.push(name.to_owned());
        if is_current || (is_open && (form == TableForm::Table || !is_implicit(value))) {
            let mut path = walk.path.clone();
            let candidate = Candidate {
                keys: walk.keys.clone(),
                placeholder: None,
                node: self.element(node, &mut path),
                form,
            };
            push(walk, candidate);
        }
        let below = match value {
            None => None,
            Some(jp_config::document::Node::Table(table)) => Some(table),
            // What is no table has nothing below it.
            Some(_) => {
                walk.keys.pop();
                return;
            }
        };
        let is_closed = below.is_some_and(|table| {
            matches!(
                table.kind(),
                jp_config::document::TableKind::Inline | jp_config::document::TableKind::Dotted
            )
        });
        if form == TableForm::Table && !is_closed {
            let outer = std::mem::replace(&mut walk.table, below);
            walk.path.push(name.to_owned());
            self.collect_tables(node, walk);
            walk.path.pop();
            walk.table = outer;
        }
        walk.keys.pop();
    }
}

fn is_implicit(value: Option<jp_config::document::Node<'_>>) -> bool {
    matches!(value, Some(jp_config::document::Node::Table(_)))
}

fn push(walk: &mut Walk<'_>, candidate: Candidate) {
    let depth = candidate.keys.len() + usize::from(candidate.placeholder.is_some());
    if let Some(level) = depth
        .checked_sub(1)
        .and_then(|level| walk.found.get_mut(level))
    {
        level.push(candidate);
        walk.count += 1;
    }
}
