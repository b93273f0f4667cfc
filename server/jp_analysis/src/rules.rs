//! The rules, by family: a file bears the name of the code that it makes, or says its codes in its head.
//!
//! Rules of a tool look at what all layers say of it; rules of a view look at everything else.
//! What a file gets wrong on its own is found by [`syntax`], [`section`] and [`data`].

pub(crate) mod allow_unused;
mod commands;
mod extends;
mod grants;
mod incomplete;
mod models;
mod parameters;
mod policy;
mod structure;
mod toml;
mod words;

use jp_config::{content::Content, refusal::Subject, view::View};

use self::grants::{grant_covers_config, self_escalation};
pub(crate) use self::{
    extends::graph_problem,
    grant_covers_config::{ConfigPlaces, is_bundled_reader},
    self_escalation::{RunFiles, Runs, own_guard},
    structure::{data, left_unset, section},
    toml::syntax,
};
use crate::{
    diagnostic::Diagnostic,
    options::Options,
    tool::{ToolContext, ToolRule},
};

const TOOL_RULES: [&[ToolRule]; 6] = [
    commands::TOOL_RULES,
    grants::TOOL_RULES,
    models::TOOL_RULES,
    parameters::TOOL_RULES,
    policy::TOOL_RULES,
    structure::TOOL_RULES,
];

/// A check of everything outside the tools.
type ViewRule = fn(&View, Options, &mut Vec<Diagnostic>);

const VIEW_RULES: [&[ViewRule]; 2] = [models::VIEW_RULES, structure::VIEW_RULES];

/// Checks one tool of a view.
pub(crate) fn check_tool(
    context: &ToolContext<'_>,
    places: &ConfigPlaces,
    runs: &Runs<'_>,
    found: &mut Vec<Diagnostic>,
) {
    for rule in TOOL_RULES.into_iter().flatten() {
        rule(context, found);
    }
    grant_covers_config::check(context, places, found);
    self_escalation::check(context, places, runs, found);
    keep_applicable(context.view, found);
    for finding in found {
        finding.subject.get_or_insert_with(|| {
            let tool = context.name.to_owned();
            Box::new(Subject { tool, rule: None })
        });
    }
}

/// Checks what a view holds outside its tools.
pub(crate) fn check_view(view: &View, options: Options, found: &mut Vec<Diagnostic>) {
    for rule in VIEW_RULES.into_iter().flatten() {
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
