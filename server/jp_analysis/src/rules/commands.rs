//! What runs a tool: its source and its command.
//!
//! ```toml
//! source = "local"
//! command = "just serve-tools {{context}} {{tool}}"
//! ```

mod command_missing;
mod command_template;
mod source_unknown_server;

pub(super) use self::command_template::{in_workspace, program, scripts, scripts_of};
use crate::tool::ToolRule;

pub(super) const TOOL_RULES: &[ToolRule] = &[
    command_missing::check,
    command_template::check,
    source_unknown_server::check,
];
