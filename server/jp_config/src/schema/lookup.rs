//! Finding the description of a config path.
//!
//! ```toml
//! [conversation.tools.fs_modify_file.policy]  # conversation -> tools -> any tool -> policy
//! run = "ask"
//! ```

use std::fmt::Write as _;

use super::{Field, MapShape, Node, NodeId, Schema, Sensitivity, Shape, StringFormat, Variant};
use crate::words::suggest;

/// Where a config path leads.
#[derive(Debug, Clone, Eq, PartialEq)]
pub struct Lookup {
    /// The description of the last segment.
    pub node: NodeId,
    /// The description of every segment, first to last.
    pub steps: Vec<NodeId>,
    /// Whether some segment was a `*` that stands for any key of a map.
    pub wildcard: bool,
    /// Whether the path leads into free-form data.
    pub free_form: bool,
}

/// Why a config path leads nowhere.
#[derive(Debug, Clone, Eq, PartialEq)]
pub struct LookupError {
    /// Which segment is wrong, counted from 0.
    pub index: usize,
    /// The description of the segment before it.
    pub parent: NodeId,
    /// What is wrong with it.
    pub kind: LookupErrorKind,
    /// What is legal there.
    pub expected: Vec<&'static str>,
    /// The legal name that is nearest to the written one.
    pub suggestion: Option<&'static str>,
}

/// What is wrong with a segment of a config path.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum LookupErrorKind {
    /// The table has no such key.
    UnknownKey,
    /// The parent holds a single value, so nothing can follow it.
    NotATable,
    /// A `*` stands where the keys are fixed.
    WildcardOnNonMap,
    /// A list is followed by something other than an index.
    NotAnIndex,
}

impl Schema {
    /// The description of `key` in a table, through unions and merge wrappers.
    ///
    /// Free-form data answers with itself.
    #[must_use]
    pub fn child(&self, id: NodeId, key: &str) -> Option<NodeId> {
        let node = self.node(id);
        let wrapped = || node.wrapper.and_then(|wrapper| self.child(wrapper, key));
        match &node.shape {
            Shape::Struct(shape) => shape
                .fields
                .iter()
                .find(|field| field.name == key)
                .map(|field| field.node),
            Shape::Map(shape) => wrapped().or_else(|| Some(shape.get(key))),
            Shape::Union(branches) => branches
                .iter()
                .find_map(|branch| self.child(*branch, key))
                .or_else(wrapped),
            Shape::Any => Some(id),
            _ => wrapped(),
        }
    }

    /// The known key `key` of a table, through unions and merge wrappers.
    #[must_use]
    pub fn field(&self, id: NodeId, key: &str) -> Option<&Field> {
        self.fields(id).iter().find(|field| field.name == key)
    }

    /// The known keys of a table, through unions; those of the merge wrapper where no table is legal otherwise.
    #[must_use]
    pub fn fields(&self, id: NodeId) -> &[Field] {
        let node = self.node(id);
        let own: &[Field] = match &node.shape {
            Shape::Struct(shape) => &shape.fields,
            Shape::Union(branches) => branches
                .iter()
                .map(|branch| self.fields(*branch))
                .find(|fields| !fields.is_empty())
                .unwrap_or(&[]),
            _ => &[],
        };
        match node.wrapper {
            Some(wrapper) if own.is_empty() => self.fields(wrapper),
            _ => own,
        }
    }

    /// The description of a list's elements, through unions.
    ///
    /// Free-form data answers with itself.
    #[must_use]
    pub fn item(&self, id: NodeId) -> Option<NodeId> {
        match &self.node(id).shape {
            Shape::List { item } => Some(*item),
            Shape::Union(branches) => branches.iter().find_map(|branch| self.item(*branch)),
            Shape::Any => Some(id),
            _ => None,
        }
    }

    /// The map that a node is, through unions.
    #[must_use]
    pub fn map(&self, id: NodeId) -> Option<&MapShape> {
        match &self.node(id).shape {
            Shape::Map(shape) => Some(shape),
            Shape::Union(branches) => branches.iter().find_map(|branch| self.map(*branch)),
            _ => None,
        }
    }

    /// The enum strings that are legal for a node, through unions.
    #[must_use]
    pub fn variants(&self, id: NodeId) -> Vec<&'static Variant> {
        self.branches(id)
            .iter()
            .filter_map(|branch| match self.node(*branch).shape {
                Shape::Enum(variants) => Some(variants),
                _ => None,
            })
            .flatten()
            .collect()
    }

    /// The string formats that are legal for a node, through unions.
    #[must_use]
    pub fn formats(&self, id: NodeId) -> Vec<StringFormat> {
        self.branches(id)
            .iter()
            .filter_map(|branch| match self.node(*branch).shape {
                Shape::String(format) => Some(format),
                _ => None,
            })
            .collect()
    }

    /// The node itself, or the innermost branches of a union.
    #[must_use]
    pub fn branches(&self, id: NodeId) -> Vec<NodeId> {
        match &self.node(id).shape {
            Shape::Union(branches) => branches
                .iter()
                .flat_map(|branch| self.branches(*branch))
                .collect(),
            _ => vec![id],
        }
    }

    /// Follows a config path.
    ///
    /// A list is followed by an index (`0`) or by `[]`, a map by any key or by `*`.
    /// `*` after `conversation.tools` stands for every tool, so use [`Self::child`] for the defaults table.
    ///
    /// # Errors
    ///
    /// Says which segment is wrong and what is legal there.
    pub fn lookup<'p>(
        &self,
        path: impl IntoIterator<Item = &'p str>,
    ) -> Result<Lookup, LookupError> {
        self.follow(path, Mode::Path)
    }

    /// Follows the key of a TOML header or a dotted key in it, where lists are followed by no index.
    ///
    /// `*` is the literal key.
    /// For `[[a.list]]` the result is the list; its elements are [`Self::item`].
    ///
    /// # Errors
    ///
    /// Says which segment is wrong and what is legal there.
    pub fn lookup_header<'p>(
        &self,
        path: impl IntoIterator<Item = &'p str>,
    ) -> Result<Lookup, LookupError> {
        self.follow(path, Mode::Header)
    }

    /// Whether `*` is legal as segment `index` of a config path: the segment before it must be a map (RFD 078).
    #[must_use]
    pub fn is_map_position<'p>(
        &self,
        path: impl IntoIterator<Item = &'p str>,
        index: usize,
    ) -> bool {
        self.lookup(path.into_iter().take(index))
            .is_ok_and(|parent| self.map(parent.node).is_some())
    }

    fn follow<'p>(
        &self,
        path: impl IntoIterator<Item = &'p str>,
        mode: Mode,
    ) -> Result<Lookup, LookupError> {
        let mut lookup = Lookup {
            node: self.root,
            steps: Vec::new(),
            wildcard: false,
            free_form: false,
        };
        for (index, segment) in path.into_iter().enumerate() {
            let parent = lookup.node;
            lookup.free_form |= matches!(self.node(parent).shape, Shape::Any);
            let next = match mode {
                Mode::Path => self.step(parent, segment, &mut lookup.wildcard),
                Mode::Header => self.header_step(parent, segment),
            };
            lookup.node = next.map_err(|kind| self.error(index, parent, segment, kind))?;
            lookup.steps.push(lookup.node);
        }
        Ok(lookup)
    }

    fn step(
        &self,
        parent: NodeId,
        segment: &str,
        wildcard: &mut bool,
    ) -> Result<NodeId, LookupErrorKind> {
        if segment == "*" {
            let map = self.map(parent).ok_or(LookupErrorKind::WildcardOnNonMap)?;
            *wildcard = true;
            return Ok(map.value);
        }
        let is_index = segment == "[]"
            || (!segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit()));
        match self.item(parent) {
            Some(item) if is_index => Ok(item),
            _ => self.header_child(parent, segment),
        }
    }

    fn header_step(&self, parent: NodeId, segment: &str) -> Result<NodeId, LookupErrorKind> {
        match self.header_child(parent, segment) {
            Err(LookupErrorKind::NotAnIndex) => {
                let mut item = parent;
                while let Some(next) = self.item(item) {
                    item = next;
                }
                self.header_child(item, segment)
            }
            found => found,
        }
    }

    fn header_child(&self, parent: NodeId, segment: &str) -> Result<NodeId, LookupErrorKind> {
        self.child(parent, segment).ok_or_else(|| {
            if self.item(parent).is_some() {
                LookupErrorKind::NotAnIndex
            } else if self.fields(parent).is_empty() {
                LookupErrorKind::NotATable
            } else {
                LookupErrorKind::UnknownKey
            }
        })
    }

    fn error(
        &self,
        index: usize,
        parent: NodeId,
        segment: &str,
        kind: LookupErrorKind,
    ) -> LookupError {
        let expected: Vec<_> = match kind {
            LookupErrorKind::NotATable => Vec::new(),
            _ => self.fields(parent).iter().map(|field| field.name).collect(),
        };
        LookupError {
            index,
            parent,
            kind,
            suggestion: suggest(segment, expected.iter().copied()),
            expected,
        }
    }

    /// Every config path with its description, in document order.
    ///
    /// `<key>` stands for any key of a map and `[]` for any element of a list, as in
    /// `conversation.tools.<key>.access.fs[].path`.
    /// A description that contains itself is listed once.
    #[must_use]
    pub fn paths(&self) -> Vec<(String, NodeId)> {
        let mut paths = Vec::new();
        let mut open = vec![self.root];
        self.collect(self.root, &mut String::new(), &mut open, &mut paths);
        paths
    }

    /// The config paths of a tier, outermost first: a path below another one of the list is left out.
    ///
    /// `*` stands for any key of a map.
    #[must_use]
    pub fn paths_of(&self, sensitivity: Sensitivity) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for (path, id) in self.paths() {
            let path = path.replace("<key>", "*");
            let covered = found.iter().any(|outer| {
                path.strip_prefix(outer.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            });
            if self.node(id).sensitivity == sensitivity && !covered {
                found.push(path);
            }
        }
        found
    }

    fn collect(
        &self,
        id: NodeId,
        path: &mut String,
        open: &mut Vec<NodeId>,
        paths: &mut Vec<(String, NodeId)>,
    ) {
        let node = self.node(id);
        match &node.shape {
            Shape::Struct(shape) => {
                for field in &shape.fields {
                    self.collect_child(field.node, field.name, path, open, paths);
                }
            }
            Shape::Map(shape) => {
                for (key, value) in &shape.literal {
                    self.collect_child(*value, key, path, open, paths);
                }
                self.collect_child(shape.value, "<key>", path, open, paths);
            }
            Shape::List { item } => {
                let length = path.len();
                path.push_str("[]");
                self.collect(*item, path, open, paths);
                path.truncate(length);
            }
            Shape::Union(branches) => {
                for branch in branches {
                    self.collect(*branch, path, open, paths);
                }
            }
            _ => {}
        }
        if let Some(wrapper) = node.wrapper {
            self.collect(wrapper, path, open, paths);
        }
    }

    fn collect_child(
        &self,
        id: NodeId,
        key: &str,
        path: &mut String,
        open: &mut Vec<NodeId>,
        paths: &mut Vec<(String, NodeId)>,
    ) {
        let length = path.len();
        if path.is_empty() {
            path.push_str(key);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(path, ".{key}");
        }
        paths.push((path.clone(), id));
        let recursive = self.node(id).name.is_some_and(|name| {
            open.iter()
                .any(|outer| self.node(*outer).name == Some(name))
        });
        if !recursive {
            open.push(id);
            self.collect(id, path, open, paths);
            open.pop();
        }
        path.truncate(length);
    }
}

#[derive(Copy, Clone)]
enum Mode {
    Path,
    Header,
}

impl MapShape {
    /// The description of the value at `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> NodeId {
        self.literal
            .iter()
            .find(|(literal, _)| *literal == key)
            .map_or(self.value, |(_, node)| *node)
    }
}

impl Node {
    /// The first sentence or line of the doc.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.doc.split('\n').next().unwrap_or_default()
    }
}
