//! What a tool takes: `parameters`.
//!
//! ```toml
//! parameters.count = { type = "integer", default = "3" }   # error[parameter-default-type]
//! ```

mod parameter_schema;

use crate::tool::ToolRule;

pub(super) const TOOL_RULES: &[ToolRule] = &[parameter_schema::check];
