//! Which model answers, and which tool it has to call.
//!
//! ```toml
//! assistant.model.id = "fast"          # an alias
//! assistant.tool_choice = "grep"       # a tool
//! ```

mod alias;
mod tool_choice_unknown;

pub(super) use self::alias::REFERRING;
use super::ViewRule;
use crate::tool::ToolRule;

pub(super) const TOOL_RULES: &[ToolRule] = &[alias::check_tool];

pub(super) const VIEW_RULES: &[ViewRule] = &[alias::check_view, tool_choice_unknown::check_view];
