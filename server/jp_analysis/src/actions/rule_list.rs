//! The rules that an action is asked for on.

use jp_config::document::{Node, PathSegment, Table};

use super::site::Site;
use crate::text::list_edit::ListText;

/// The rules of a policy, as they are read and as they are written.
pub(super) struct RuleList<'a> {
    pub(super) rules: Vec<Table<'a>>,
    pub(super) text: ListText<'a>,
    /// The rule at the place, if it is on one.
    pub(super) index: Option<usize>,
}

/// The list of rules around a place.
pub(super) fn rules_around<'a>(site: &Site<'a>) -> Option<RuleList<'a>> {
    let mut keys = Vec::new();
    for segment in &site.position.path {
        let PathSegment::Key(key) = segment else {
            return None;
        };
        keys.push(*key);
        if matches!(keys.as_slice(), [.., "policy", "run" | "result"]) {
            break;
        }
    }
    let text = ListText::of_file(site.view.graph(), site.file, &keys)?;
    let rules = text.items().map(Node::as_table).collect::<Option<_>>()?;
    let index = match site.position.path.get(keys.len()) {
        Some(PathSegment::Index(index)) => Some(*index),
        _ => None,
    };
    matches!(keys.as_slice(), [.., "policy", "run" | "result"]).then_some(RuleList {
        rules,
        text,
        index,
    })
}
