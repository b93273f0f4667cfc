//! Table headers.
//!
//! ```toml
//! [conversation.tools.edit.        # options, parameters, policy, ...
//! [[conversation.tools.edit.       # access.fs, access.net, policy.run, ...
//! ```

use std::collections::{HashMap, HashSet};

use jp_config::{
    document::{Key, Span},
    schema::{NodeId, schema},
};

use super::{
    context::Site,
    item::{Item, ItemKind, Items, MOST_ITEMS},
    shape::{TableForm, leads},
    tables::{Candidate, DEPTH, Search, header_owner, holds, tables_below},
    template::Template,
};
use crate::text::toml_text;

/// Where a segment of a header is written.
struct HeaderSlot {
    /// What is replaced.
    span: Span,
    /// What of it stands before the cursor, without its quote and in lower case.
    typed: String,
    /// The quote that it begins with.
    quote: &'static str,
    /// The brackets that are missing.
    close: &'static str,
    /// The form of the header; nothing where more segments follow.
    form: Option<TableForm>,
}

impl HeaderSlot {
    fn new(site: &Site<'_>, span: Span, form: TableForm, is_last: bool) -> Self {
        let text = site.document.text();
        let typed = text.get(span.start as usize..site.offset as usize);
        let typed = typed.unwrap_or_default().trim_start_matches(['"', '\'']);
        let quote = match text.as_bytes().get(span.start as usize) {
            Some(b'"') if !span.is_empty() => "\"",
            Some(b'\'') if !span.is_empty() => "'",
            _ => "",
        };
        Self {
            span,
            typed: typed.to_lowercase(),
            quote,
            close: if is_last {
                missing_brackets(site, form)
            } else {
                ""
            },
            form: is_last.then_some(form),
        }
    }

    /// Whether a table can be what the header is about.
    fn takes(&self, candidate: &Candidate) -> bool {
        match self.form {
            Some(form) => candidate.form == form,
            None => candidate.placeholder.is_none(),
        }
    }
}

/// Offers the tables that a header can go on with; `segment` segments stand before `key`.
pub(super) fn offer(site: &Site<'_>, key: Key<'_>, segment: usize, items: &mut Items) {
    if !key.span().touches(site.offset) {
        return;
    }
    let section = site.document.section_at(site.offset as usize);
    let keys = section.header();
    let before = keys.get(..segment).unwrap_or(&[]);
    let next = keys.get(segment + 1);
    let form = if section.is_array_of_tables() {
        TableForm::Element
    } else {
        TableForm::Table
    };
    let Some(owner) = header_owner(site, before) else {
        return;
    };
    let slot = HeaderSlot::new(site, key.span(), form, next.is_none());
    let search = Search {
        current: section.header_span(),
        typed: &slot.typed,
        depth: if next.is_none() { DEPTH } else { 1 },
    };
    let mut offered = Offered {
        slot: &slot,
        parent: &owner.path,
        described: HashMap::new(),
        items,
    };
    if next.is_none() {
        offered.extend(previous_entry(site, before, search), &HashSet::new());
    }
    let first: HashSet<String> = offered.items.labels().map(str::to_owned).collect();
    offered.extend(tables_below(site, &owner, search), &first);
    if let Some(next) = next {
        items.prefer(|item| leads(owner.node, &item.label, next.text()));
    }
}

/// The headers that are offered so far.
struct Offered<'s> {
    slot: &'s HeaderSlot,
    /// The path that the header begins with.
    parent: &'s [String],
    /// What tables hold, in words; many tools have the same ones.
    described: HashMap<NodeId, String>,
    items: &'s mut Items,
}

impl Offered<'_> {
    /// Adds tables, other than those with known labels.
    fn extend(&mut self, candidates: Vec<Candidate>, known: &HashSet<String>) {
        if candidates.len() >= MOST_ITEMS {
            self.items.set_incomplete();
        }
        for candidate in candidates {
            let label = candidate.label();
            if !known.contains(&label) {
                self.push(&candidate, label);
            }
        }
    }

    fn push(&mut self, candidate: &Candidate, label: String) {
        if !self.slot.takes(candidate) {
            return;
        }
        if candidate.placeholder.is_none() && !holds(&label, &self.slot.typed) {
            return;
        }
        if self.items.is_full() {
            return self.items.set_incomplete();
        }
        let mut template = Template::default();
        match candidate.placeholder {
            None => template.text(&label),
            Some(name) => {
                for key in &candidate.keys {
                    template.text(&toml_text::key(key));
                    template.text(".");
                }
                template.placeholder(name);
            }
        }
        template.text(self.slot.close);
        let words = self.described.entry(candidate.node);
        let words = words.or_insert_with(|| schema().describe(candidate.node));
        let unquoted = label.trim_start_matches(['"', '\'']);
        let filter = format!("{}{unquoted}", self.slot.quote);
        self.items.push(
            Item::new(label, ItemKind::Table, template.edit(self.slot.span))
                .with_filter(filter)
                .with_detail(words.clone())
                .with_doc(candidate.doc(self.parent)),
        );
    }
}

/// The tables of the entry that the header before this one is about: of the tool, the server, the alias.
///
/// `before` are the segments before the one that is being written; the keys follow them.
fn previous_entry(site: &Site<'_>, before: &[Key<'_>], search: Search<'_>) -> Vec<Candidate> {
    let Some(entry) = entry_before(site).filter(|entry| is_below(entry, before)) else {
        return Vec::new();
    };
    let Some(owner) = header_owner(site, &entry) else {
        return Vec::new();
    };
    let rest = entry.iter().skip(before.len());
    let rest: Vec<String> = rest.map(|key| key.text().to_owned()).collect();
    let mut candidates = tables_below(site, &owner, search);
    for candidate in &mut candidates {
        candidate.keys.splice(0..0, rest.iter().cloned());
    }
    candidates
}

/// The keys of the header before the one at the cursor, up to the one that names an entry of a map.
fn entry_before<'a>(site: &Site<'a>) -> Option<Vec<Key<'a>>> {
    let previous = site.position.section.checked_sub(1)?;
    let mut header = site.document.sections().nth(previous)?.header();
    let mut node = schema().root();
    for index in 0..header.len() {
        let is_entry = schema().map(node).is_some();
        node = schema().child(node, header.get(index)?.text())?;
        if is_entry {
            header.truncate(index + 1);
            return Some(header);
        }
    }
    None
}

/// Whether an entry lies below the table that the first segments of a header name.
fn is_below(entry: &[Key<'_>], before: &[Key<'_>]) -> bool {
    before.len() < entry.len()
        && before
            .iter()
            .zip(entry)
            .all(|(before, key)| before.text() == key.text())
}

/// The brackets that close the header, where it has none yet and nothing follows.
fn missing_brackets(site: &Site<'_>, form: TableForm) -> &'static str {
    let rest = site.after(site.offset).lines().next().unwrap_or_default();
    match form {
        _ if !rest.trim().is_empty() => "",
        TableForm::Table => "]",
        TableForm::Element => "]]",
    }
}
