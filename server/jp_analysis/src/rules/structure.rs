//! Keys and values, in one file and over all layers.
//!
//! ```toml
//! [conversation.tools.fs_modify_file]
//! summery = "x"     # error[unknown-key]: unknown key `summery`, did you mean `summary`?
//! ```

mod data;
mod left_unset;
mod merge_trap;
mod missing_required;
mod question_id;
mod section;
mod violation;
mod wrapper_trap;

pub(crate) use self::{data::data, left_unset::left_unset, section::section};
use super::ViewRule;
use crate::tool::ToolRule;

pub(super) const TOOL_RULES: &[ToolRule] = &[
    merge_trap::check_tool,
    missing_required::check_tool,
    question_id::check,
    wrapper_trap::check_tool,
];

pub(super) const VIEW_RULES: &[ViewRule] = &[
    merge_trap::check_view,
    missing_required::check_view,
    wrapper_trap::check_view,
];

#[cfg(test)]
#[path = "structure_tests.rs"]
mod tests;
