//! The rules: one file for each thing that can be wrong.
//!
//! Rules of a tool look at what all layers say of it; rules of a view look at everything else.
//! What a file gets wrong on its own is found by [`crate::local`].

mod access;
mod access_unsupported_source;
mod config_path;
mod env_name;
mod fs_path;
mod insecure_allow_no_effect;
mod net_host_invalid;
mod net_rule_invalid;
mod privileged_write;
mod rule_never_wins;
mod sensitive_write;

use jp_config::view::View;

use crate::{
    diagnostic::Diagnostic,
    options::Options,
    tool::{ToolContext, ToolRule},
};

const TOOL_RULES: &[ToolRule] = &[
    access_unsupported_source::check,
    config_path::check,
    sensitive_write::check,
    privileged_write::check,
    insecure_allow_no_effect::check,
    fs_path::check,
    net_host_invalid::check,
    net_rule_invalid::check,
    env_name::check,
    rule_never_wins::check,
];

/// A check of everything outside the tools.
type ViewRule = fn(&View, Options, &mut Vec<Diagnostic>);

const VIEW_RULES: &[ViewRule] = &[];

/// Checks one tool of a view.
pub(crate) fn check_tool(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    for rule in TOOL_RULES {
        rule(context, found);
    }
}

/// Checks what a view holds outside its tools.
pub(crate) fn check_view(view: &View, options: Options, found: &mut Vec<Diagnostic>) {
    for rule in VIEW_RULES {
        rule(view, options, found);
    }
}
