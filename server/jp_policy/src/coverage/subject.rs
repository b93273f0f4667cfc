//! What is judged.

use crate::{cells::Cells, group::Group, index::NONE, matcher::Matcher};

/// A rule with a condition, and what its argument can be.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) index: usize,
    pub(super) matcher: &'a Matcher,
    pub(super) group: &'a Group,
    pub(super) cells: &'a Cells,
}

/// A rule number as it is kept in an index.
pub(super) fn number(rule: usize) -> u32 {
    u32::try_from(rule).unwrap_or(NONE)
}
