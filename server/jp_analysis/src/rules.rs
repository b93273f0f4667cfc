//! The rules: one file for each thing that can be wrong.
//!
//! Rules of a tool look at what all layers say of it; rules of a view look at everything else.
//! What a file gets wrong on its own is found by [`crate::local`].

mod access;
mod access_unsupported_source;
mod alias;
mod command_missing;
mod command_template;
mod config_path;
mod env_name;
mod fs_path;
mod grant_covers_config;
mod insecure_allow_no_effect;
mod matcher_fix;
mod merge_trap;
mod missing_catch_all;
mod missing_required;
mod mixed_array_hazard;
mod net_host_invalid;
mod net_rule_invalid;
mod parameter_schema;
mod path_undecided;
mod policy;
mod policy_overrides_run;
mod privileged_write;
mod question_id;
mod rule_never_matches;
mod rule_never_wins;
mod rule_problem;
mod rule_shadowed;
mod sensitive_write;
mod source_unknown_server;
mod tool_choice_unknown;
mod wrapper_trap;

use jp_config::{content::Content, view::View};

pub(crate) use self::grant_covers_config::ConfigPlaces;

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
    policy::check,
    policy_overrides_run::check,
    parameter_schema::check,
    source_unknown_server::check,
    command_missing::check,
    command_template::check,
    missing_required::check_tool,
    question_id::check,
    alias::check_tool,
    merge_trap::check_tool,
    wrapper_trap::check_tool,
];

/// A check of everything outside the tools.
type ViewRule = fn(&View, Options, &mut Vec<Diagnostic>);

const VIEW_RULES: &[ViewRule] = &[
    missing_required::check_view,
    alias::check_view,
    tool_choice_unknown::check_view,
    merge_trap::check_view,
    wrapper_trap::check_view,
];

/// Checks one tool of a view.
pub(crate) fn check_tool(
    context: &ToolContext<'_>,
    places: &ConfigPlaces,
    found: &mut Vec<Diagnostic>,
) {
    for rule in TOOL_RULES {
        rule(context, found);
    }
    grant_covers_config::check(context, places, found);
    keep_applicable(context.view, found);
}

/// Checks what a view holds outside its tools.
pub(crate) fn check_view(view: &View, options: Options, found: &mut Vec<Diagnostic>) {
    for rule in VIEW_RULES {
        rule(view, options, found);
    }
    keep_applicable(view, found);
}

/// Drops fixes in JSON and YAML files, whose values have no places to edit.
fn keep_applicable(view: &View, found: &mut [Diagnostic]) {
    for finding in found {
        finding.fixes.retain(|fix| {
            fix.edits.iter().all(|edit| {
                let content = view.graph().content(edit.place.file);
                matches!(content.map(AsRef::as_ref), Some(Content::Toml(_)))
            })
        });
    }
}

#[cfg(test)]
#[path = "rules/access_tests.rs"]
mod access_tests;
#[cfg(test)]
#[path = "rules/policy_tests.rs"]
mod policy_tests;
