//! Which config paths may be unset (RFD 078).
//!
//! ```json
//! { "unset": ["assistant.name", "conversation.attachments[\"file://stale.md\"]"] }
//! ```

use super::{Field, NodeId, Requirement, Schema, Shape};
use crate::{path::push_key, words::suggest};

/// Why a config path may not be unset.
#[derive(Debug, Clone, Eq, PartialEq, thiserror::Error)]
pub enum UnsetError {
    /// There is no such path.
    #[error("unknown config path `{path}`{}", did_you_mean(*suggestion))]
    Unknown {
        /// The path up to the segment that is wrong.
        path: String,
        /// The key that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// The value must always be there.
    #[error("`{0}` must have a value: set another one instead")]
    Required(String),
    /// The path names several values at once.
    #[error("`{0}` is a table: unset its keys one by one")]
    Table(String),
    /// The path names an entry of a map.
    #[error("`{0}` is an entry of a map, which cannot be unset")]
    Entry(String),
    /// The path names a list and no element.
    #[error("`{0}` is a list: name the element to remove, as in `{0}[\"...\"]`")]
    List(String),
    /// The path names an element of something that is no list.
    #[error("`{0}` is no list: drop the `[...]`")]
    NotAList(String),
    /// The path leads into free-form data.
    #[error("`{0}` is free-form data, in which nothing can be unset: set `{0}` instead")]
    FreeForm(String),
}

impl Schema {
    /// Whether the value at a config path, or with `element` one element of the list there, may be unset.
    ///
    /// Legal are optional scalars and elements of lists.
    /// `*` is the defaults table of tools, not a wildcard.
    ///
    /// # Errors
    ///
    /// Says what stands at the path instead.
    pub fn check_unset<'p>(
        &self,
        path: impl IntoIterator<Item = &'p str>,
        element: bool,
    ) -> Result<NodeId, UnsetError> {
        let mut node = self.root();
        let mut step = Step::Key(Requirement::Optional);
        let mut dotted = String::new();
        for segment in path {
            if matches!(self.node(node).shape, Shape::Any) {
                return Err(UnsetError::FreeForm(dotted));
            }
            let next = self.step_into(node, segment);
            push_key(&mut dotted, segment);
            (node, step) = next.ok_or_else(|| UnsetError::Unknown {
                path: dotted.clone(),
                suggestion: suggest(segment, self.own_fields(node).map(|field| field.name)),
            })?;
        }
        match (element, self.item(node).is_some(), step) {
            (true, true, _) if !self.is_free_form(node) => Ok(node),
            (true, ..) => Err(UnsetError::NotAList(dotted)),
            (false, _, Step::Entry) => Err(UnsetError::Entry(dotted)),
            (false, _, Step::Key(requirement)) if requirement.is_for_loading() => {
                Err(UnsetError::Required(dotted))
            }
            (false, true, _) if !self.is_free_form(node) && !self.has_scalar(node) => {
                Err(UnsetError::List(dotted))
            }
            _ if self.has_scalar(node) => Ok(node),
            _ => Err(UnsetError::Table(dotted)),
        }
    }

    fn step_into(&self, parent: NodeId, segment: &str) -> Option<(NodeId, Step)> {
        if let Some(field) = self.own_fields(parent).find(|field| field.name == segment) {
            return Some((field.node, Step::Key(field.requirement)));
        }
        let map = self.map(parent)?;
        let literal = map.literal.iter().any(|(key, _)| *key == segment);
        let step = if literal {
            Step::Key(Requirement::Optional)
        } else {
            Step::Entry
        };
        Some((map.get(segment), step))
    }

    /// The keys of a table itself, without those of merge wrappers.
    fn own_fields(&self, id: NodeId) -> impl Iterator<Item = &Field> {
        self.branches(id)
            .into_iter()
            .filter_map(|branch| match &self.node(branch).shape {
                Shape::Struct(shape) => Some(&shape.fields),
                _ => None,
            })
            .flatten()
    }

    /// Whether the stored form can be a single value: the shorthands of tables are stored as tables.
    fn has_scalar(&self, id: NodeId) -> bool {
        if self.shorthand(id).is_some() {
            return false;
        }
        self.branches(id).into_iter().any(|branch| {
            !matches!(
                self.node(branch).shape,
                Shape::Struct(_) | Shape::Map(_) | Shape::List { .. }
            )
        })
    }

    fn is_free_form(&self, id: NodeId) -> bool {
        matches!(self.node(id).shape, Shape::Any)
    }
}

#[derive(Copy, Clone)]
enum Step {
    Key(Requirement),
    Entry,
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(", did you mean `{name}`?"))
}

#[cfg(test)]
#[path = "unset_tests.rs"]
mod tests;
