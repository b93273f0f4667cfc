//! The tables that headers name, across all sections.
//!
//! ```toml
//! [conversation.tools.a]      # root -> conversation -> tools -> a
//! [[conversation.tools.a.access.fs]]  # ... -> a -> access -> fs -> element 0
//! ```
//!
//! A spine holds indexes of sections and of their keys, never offsets.
//! It stays valid as long as no header changes, wherever the sections move.
//! An edit that changes a header makes it anew: that is rare beside edits of bodies, and to mend a tree in
//! which every later index has moved would cost as much.

use hashbrown::HashTable;

use super::section::{EntryData, LocalKind, NONE, NodeKind, Placed, Section, Target, hash};
use super::span::{Span, narrow};

/// A key of a section.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) struct KeyRef {
    pub(super) section: u32,
    pub(super) key: u32,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) enum SpineKind {
    /// A table that only longer headers name.
    Implicit,
    /// A table with a header of its own; the root as well.
    Explicit,
    /// An array of tables; its children are its elements.
    Array,
    /// An element of an array of tables.
    Element,
}

#[derive(Clone, Debug)]
pub(super) struct SpineNode {
    pub(super) kind: SpineKind,
    pub(super) parent: u32,
    /// The position of an element in its array.
    pub(super) index: u32,
    pub(super) missing: bool,
    /// The sections whose bodies belong to the table.
    pub(super) sections: Vec<u32>,
    pub(super) children: Vec<u32>,
    /// The header segments that name the table, in order.
    pub(super) occurrences: Vec<KeyRef>,
}

/// Two definitions that exclude each other; the first one comes first in the text.
#[derive(Copy, Clone, Debug)]
pub(super) struct Conflict {
    pub(super) first: KeyRef,
    pub(super) second: KeyRef,
}

/// The tree of tables that the headers make.
#[derive(Clone, Debug, Default)]
pub(super) struct Spine {
    pub(super) nodes: Vec<SpineNode>,
    /// Nodes by parent and name.
    names: HashTable<u32>,
    /// The node that each section's body belongs to.
    pub(super) owners: Vec<u32>,
    pub(super) conflicts: Vec<Conflict>,
}

/// Reads keys out of the sections of a document.
#[derive(Copy, Clone)]
pub(super) struct Sections<'a> {
    pub(super) text: &'a str,
    pub(super) placed: &'a [Placed],
}

impl<'a> Sections<'a> {
    pub(super) fn get(&self, section: u32) -> Option<(&'a Section, u32, &'a str)> {
        let placed = self.placed.get(section as usize)?;
        let range = placed.start as usize..(placed.start + placed.section.len) as usize;
        Some((
            &placed.section,
            placed.start,
            self.text.get(range).unwrap_or(""),
        ))
    }

    pub(super) fn key(&self, at: KeyRef) -> &'a str {
        self.get(at.section)
            .map_or("", |(section, _, text)| section.key_text(at.key, text))
    }

    pub(super) fn key_span(&self, at: KeyRef) -> Span {
        self.get(at.section)
            .and_then(|(section, start, _)| {
                Some(section.keys.get(at.key as usize)?.span.shift(start))
            })
            .unwrap_or_default()
    }

    pub(super) fn is_missing(&self, at: KeyRef) -> bool {
        self.get(at.section)
            .and_then(|(section, _, _)| section.keys.get(at.key as usize))
            .is_some_and(|key| key.missing)
    }
}

impl Spine {
    pub(super) fn build(sections: Sections<'_>) -> Self {
        let mut spine = Self::default();
        spine.push(SpineKind::Explicit, NONE, false);
        // The tables along the path of the header before, to share its beginning.
        let mut path: Vec<(KeyRef, u32)> = Vec::new();
        for index in 0..narrow(sections.placed.len()) {
            let owner = match sections.get(index) {
                Some((section, _, _)) if section.header.is_some() => {
                    spine.add(sections, index, section, &mut path)
                }
                _ => 0,
            };
            spine.owners.push(owner);
            if let Some(node) = spine.nodes.get_mut(owner as usize) {
                node.sections.push(index);
            }
        }
        spine
    }

    fn push(&mut self, kind: SpineKind, parent: u32, missing: bool) -> u32 {
        let id = narrow(self.nodes.len());
        self.nodes.push(SpineNode {
            kind,
            parent,
            index: 0,
            missing,
            sections: Vec::new(),
            children: Vec::new(),
            occurrences: Vec::new(),
        });
        if let Some(parent) = self.nodes.get_mut(parent as usize) {
            parent.children.push(id);
            let index = narrow(parent.children.len() - 1);
            if let Some(node) = self.nodes.get_mut(id as usize) {
                node.index = index;
            }
        }
        id
    }

    pub(super) fn node(&self, id: u32) -> Option<&SpineNode> {
        self.nodes.get(id as usize)
    }

    /// Finds the child of `parent` that is named `name`.
    pub(super) fn child(&self, sections: Sections<'_>, parent: u32, name: &str) -> Option<u32> {
        self.find(sections, parent, name, false)
    }

    fn find(&self, sections: Sections<'_>, parent: u32, name: &str, missing: bool) -> Option<u32> {
        self.names
            .find(hash((parent, name)), |id| {
                self.node(*id).is_some_and(|node| {
                    node.parent == parent
                        && node.missing == missing
                        && node
                            .occurrences
                            .first()
                            .is_some_and(|at| sections.key(*at) == name)
                })
            })
            .copied()
    }

    /// The table that a further header segment or body goes into.
    fn last_table(&self, id: u32) -> u32 {
        match self.node(id) {
            Some(node) if node.kind == SpineKind::Array => {
                node.children.last().copied().unwrap_or(id)
            }
            _ => id,
        }
    }

    /// Adds the table of a section's header; returns the node of its body.
    fn add(
        &mut self,
        sections: Sections<'_>,
        index: u32,
        section: &Section,
        path: &mut Vec<(KeyRef, u32)>,
    ) -> u32 {
        let Some(header) = &section.header else {
            return 0;
        };
        let mut parent = 0;
        let mut shared = true;
        for key in 0..header.key_count {
            let at = KeyRef {
                section: index,
                key,
            };
            let name = sections.key(at);
            let before = path.get(key as usize).copied();
            let same = shared
                && before.is_some_and(|(other, _)| {
                    sections.key(other) == name
                        && sections.is_missing(other) == sections.is_missing(at)
                });
            let node = match before {
                Some((_, node)) if same => node,
                _ => {
                    shared = false;
                    path.truncate(key as usize);
                    let node = self.find_or_add(sections, parent, name, at);
                    path.push((at, node));
                    node
                }
            };
            if let Some(data) = self.nodes.get_mut(node as usize) {
                data.occurrences.push(at);
            }
            if key + 1 < header.key_count {
                parent = self.last_table(node);
            } else {
                path.truncate(key as usize + 1);
                return self.define(node, at, header.is_array);
            }
        }
        0
    }

    fn find_or_add(&mut self, sections: Sections<'_>, parent: u32, name: &str, at: KeyRef) -> u32 {
        let missing = sections.is_missing(at);
        if let Some(node) = self.find(sections, parent, name, missing) {
            return node;
        }
        let id = self.push(SpineKind::Implicit, parent, missing);
        let nodes = &self.nodes;
        self.names.insert_unique(hash((parent, name)), id, |id| {
            nodes.get(*id as usize).map_or(0, |node| {
                let name = node
                    .occurrences
                    .first()
                    .map_or("", |first| sections.key(*first));
                hash((node.parent, name))
            })
        });
        id
    }

    /// Makes `node` what the header says; returns the node of the header's body.
    fn define(&mut self, node: u32, at: KeyRef, is_array: bool) -> u32 {
        let Some(data) = self.nodes.get_mut(node as usize) else {
            return 0;
        };
        let first = data.occurrences.first().copied().unwrap_or(at);
        let conflict = match (data.kind, is_array) {
            (SpineKind::Implicit, false) => {
                data.kind = SpineKind::Explicit;
                return node;
            }
            (SpineKind::Implicit, true) if data.children.is_empty() => {
                data.kind = SpineKind::Array;
                return self.push(SpineKind::Element, node, false);
            }
            (SpineKind::Array, true) => return self.push(SpineKind::Element, node, false),
            _ => Conflict { first, second: at },
        };
        if !data.missing {
            self.conflicts.push(conflict);
        }
        self.last_table(node)
    }

    /// Finds what the body of a section and the headers below its table define twice.
    pub(super) fn body_conflicts(
        &self,
        sections: Sections<'_>,
        index: u32,
        found: &mut Vec<Conflict>,
    ) {
        let owner = self.owners.get(index as usize).copied().unwrap_or(0);
        let Some((section, _, text)) = sections.get(index) else {
            return;
        };
        let mut pending = vec![(0, owner)];
        while let Some((table, node)) = pending.pop() {
            if self.node(node).is_none_or(|node| node.children.is_empty()) {
                continue;
            }
            let Some(table) = section.table(table) else {
                continue;
            };
            for entry in &table.entries {
                let name = section.key_text(entry.key, text);
                let Some(child) = self.child(sections, node, name) else {
                    continue;
                };
                if let Some(inner) = mergeable(section, entry, self.node(child)) {
                    pending.push((inner, child));
                } else if let Some(conflict) = self.conflict(section, index, entry, child) {
                    found.push(conflict);
                }
            }
        }
    }

    fn conflict(
        &self,
        section: &Section,
        index: u32,
        entry: &EntryData,
        child: u32,
    ) -> Option<Conflict> {
        if section.keys.get(entry.key as usize)?.missing {
            return None;
        }
        if let Target::Node(value) = entry.target
            && section.node(value).kind == NodeKind::Missing
        {
            return None;
        }
        let node = self.node(child)?;
        let key = KeyRef {
            section: index,
            key: entry.key,
        };
        // A dotted key excludes the table's own header, a value every header.
        let own = |at: &&KeyRef| {
            let owner = self.owners.get(at.section as usize).copied();
            owner == Some(child)
                || owner
                    .and_then(|id| self.node(id))
                    .is_some_and(|node| node.parent == child && node.kind == SpineKind::Element)
        };
        let header = match entry.target {
            Target::Table(_) => node.occurrences.iter().find(own),
            Target::Node(_) => None,
        };
        let header = *header.or(node.occurrences.first())?;
        Some(if header.section < index {
            Conflict {
                first: header,
                second: key,
            }
        } else {
            Conflict {
                first: key,
                second: header,
            }
        })
    }
}

/// The dotted table of an entry, if headers below `node` may extend it.
fn mergeable(section: &Section, entry: &EntryData, node: Option<&SpineNode>) -> Option<u32> {
    match (entry.target, node?.kind) {
        (Target::Table(table), SpineKind::Implicit)
            if section.table(table)?.kind == LocalKind::Dotted =>
        {
            Some(table)
        }
        _ => None,
    }
}
