//! What a tool may reach: the lists of `access` (RFDs 076 and 078).
//!
//! ```toml
//! access.fs = [{ path = "src", read = true }]
//! access.config = [{ path = "style", write = true }]
//! ```

mod access_unsupported_source;
mod config_path;
mod env_name_wildcard;
mod fs_path;
pub(super) mod grant_covers_config;
mod insecure_allow_no_effect;
mod list;
mod net_host_invalid;
mod net_rule_invalid;
mod privileged_write;
mod rule_never_wins;
pub(super) mod self_escalation;
mod sensitive_write;

use crate::tool::ToolRule;

pub(super) const TOOL_RULES: &[ToolRule] = &[
    access_unsupported_source::check,
    config_path::check,
    env_name_wildcard::check,
    fs_path::check,
    insecure_allow_no_effect::check,
    net_host_invalid::check,
    net_rule_invalid::check,
    privileged_write::check,
    rule_never_wins::check,
    sensitive_write::check,
];

#[cfg(test)]
#[path = "grants_tests.rs"]
mod tests;
