//! Changes that a person can ask for: the fixes of findings, and rewrites that keep or tighten the meaning.
//!
//! ```toml
//! enable = true                                       # before
//! enable = { state = true, allow_toggle = "any" }     # after "Write `enable` as a table"
//! ```
//!
//! Every action replaces spans of the text, so that comments and formatting around them stay.

use std::collections::BTreeMap;

use jp_config::{document::Span, graph::FileId, view::View};

mod action;
mod allow_finding;
mod create_file;
mod decisions;
mod declare_path;
mod enable_table;
mod extract_tool;
mod fill_required;
mod inline_table;
mod merge_rules;
mod mistakes;
mod move_mode;
mod move_rule;
mod normal_path;
mod policy_rules;
mod rule_list;
mod site;
mod sort_rules;
mod tool_source;
mod trials;
mod write_starter;

pub use self::action::{Action, ActionKind, NewFile};
use self::{
    mistakes::Mistakes,
    site::{Site, meets},
    trials::Trials,
};
use crate::{Analysis, Code, Diagnostic, Edit, Fix, FixKind, Place};

/// The most fixes that are tried together, one after the other.
const MOST_TRIED: usize = 100;

/// The most findings of one range that are answered: nobody picks from a longer menu.
const MOST_FINDINGS: usize = 1000;

/// The changes on offer for a range of a file of the view, in the order of [`Action::rank`].
///
/// One that changes what the rules of a policy decide says so in its title.
#[must_use]
pub fn actions(analysis: &Analysis, view: &View, file: FileId, range: Span) -> Vec<Action> {
    let mut found = Vec::new();
    let mut mistakes = Mistakes::new(view.graph());
    let mut trials = Trials::new(view.graph());
    let diagnostics = analysis.diagnostics(file);
    let asked = || {
        let all = diagnostics.iter().enumerate();
        all.filter(|(_, diagnostic)| meets(diagnostic.place.span, range))
            .take(MOST_FINDINGS)
    };
    for (index, diagnostic) in asked() {
        fixes(&mut mistakes, &mut trials, index, diagnostic, &mut found);
    }
    let told = |action: Action, offset: u32| {
        let document = view.graph().content(file)?.document()?;
        Some(decisions::told(view, file, document, offset, action))
    };
    found = found
        .into_iter()
        .filter_map(|action| {
            let diagnostic = diagnostics.get(action.diagnostic?)?;
            told(action, diagnostic.place.span.start)
        })
        .collect();
    let document = view
        .graph()
        .content(file)
        .and_then(|content| content.document());
    if let Some(document) = document {
        let site = Site::new(view, file, document, range, analysis.options());
        let missing = diagnostics.iter().position(|diagnostic| {
            diagnostic.code == Code::MissingRequired && meets(diagnostic.place.span, range)
        });
        found.extend(fill_required::action(&site, missing));
        for (index, diagnostic) in asked() {
            found.extend(create_file::action(&site, index, diagnostic));
            found.extend(allow_finding::action(&site, index, diagnostic));
            let changes = tool_source::actions(&site, index, diagnostic).into_iter();
            found.extend(changes.filter(|action| trials.is_harmless(&action.edits)));
        }
        // Where the text is broken, what an edit would do to it is anyone's guess.
        let section = document.section_at(range.start as usize).span();
        if !site.is_broken(section) {
            let rewrites = REWRITES.iter().filter_map(|rewrite| rewrite(&site));
            let rewrites = rewrites.filter(|action| trials.is_harmless(&action.edits));
            let start = site.range.start;
            found.extend(rewrites.filter_map(|action| told(action, start)));
        }
    }
    found.sort_by_key(Action::rank);
    found
}

type Rewrite = fn(&Site<'_>) -> Option<Action>;

const REWRITES: &[Rewrite] = &[
    write_starter::action,
    enable_table::action,
    move_mode::action,
    policy_rules::action,
    sort_rules::action,
    merge_rules::action,
    move_rule::up,
    move_rule::down,
    declare_path::action,
    normal_path::action,
    inline_table::expand,
    inline_table::collapse,
    extract_tool::action,
];

fn fixes(
    mistakes: &mut Mistakes<'_>,
    trials: &mut Trials<'_>,
    index: usize,
    diagnostic: &Diagnostic,
    found: &mut Vec<Action>,
) {
    for fix in &diagnostic.fixes {
        let allowed = match diagnostic.code {
            Code::TomlSyntax => trials.mends(&fix.edits),
            _ => mistakes.allow(fix) && trials.is_harmless(&fix.edits),
        };
        if !allowed {
            continue;
        }
        let kind = match fix.kind {
            FixKind::QuickFix => ActionKind::QuickFix,
            FixKind::Rewrite => ActionKind::Rewrite,
        };
        found.push(Action {
            title: fix.title.clone(),
            kind,
            preferred: fix.preferred,
            diagnostic: Some(index),
            edits: fix.edits.clone(),
            creates: None,
            disabled: None,
        });
    }
}

/// The safe fixes of all findings of a file together, without those that collide with an earlier one.
///
/// Nothing if there is none.
#[must_use]
pub fn fix_all(analysis: &Analysis, file: FileId) -> Option<Action> {
    let (edits, count) = fix_together(analysis, file, |_| true, |fix| fix.safe)?;
    Some(Action {
        title: match count {
            1 => "Fix the one problem with a safe fix".to_owned(),
            _ => format!("Fix all {count} problems with a safe fix"),
        },
        kind: ActionKind::FixAll,
        preferred: false,
        diagnostic: None,
        edits,
        creates: None,
        disabled: None,
    })
}

/// The edits of the preferred fixes of all findings of a file that are told, together, without those that collide with an earlier one, and their number.
///
/// They may lie in other files too. Nothing if there is none.
#[must_use]
pub fn fix_preferred(
    analysis: &Analysis,
    file: FileId,
    is_told: impl Fn(&Diagnostic) -> bool,
) -> Option<(Vec<Edit>, usize)> {
    fix_together(analysis, file, is_told, |fix| fix.preferred)
}

/// The first fix that is wanted of each finding of a file, as far as they go together, and their number.
fn fix_together(
    analysis: &Analysis,
    file: FileId,
    is_told: impl Fn(&Diagnostic) -> bool,
    is_wanted: impl Fn(&Fix) -> bool,
) -> Option<(Vec<Edit>, usize)> {
    let mut mistakes = Mistakes::new(analysis.graph());
    let diagnostics = analysis.diagnostics(file);
    let wanted: Vec<&Fix> = diagnostics
        .iter()
        .filter(|diagnostic| is_told(diagnostic))
        .filter_map(|diagnostic| {
            let mut fixes = diagnostic.fixes.iter();
            fixes.find(|fix| is_wanted(fix) && !fix.edits.is_empty() && mistakes.allow(fix))
        })
        .collect();
    let mut trials = Trials::new(analysis.graph());
    let (mut edits, mut count) = together(&wanted, |_| true);
    if !trials.is_harmless(&edits) {
        // Two words may become the same key: then each fix is tried on what the ones before it made.
        (edits, count) = together(wanted.get(..MOST_TRIED).unwrap_or(&wanted), |edits| {
            trials.is_harmless(edits.values().copied())
        });
    }
    (count > 0).then_some((edits, count))
}

/// The edits of the fixes that do not collide and that `accept` takes together, in order of place, and the number of these fixes.
fn together(
    fixes: &[&Fix],
    mut accept: impl FnMut(&BTreeMap<Place, &Edit>) -> bool,
) -> (Vec<Edit>, usize) {
    let mut taken: BTreeMap<Place, &Edit> = BTreeMap::new();
    let mut count = 0;
    for fix in fixes {
        let collides = fix.edits.iter().any(|edit| {
            let before = taken.range(..=edit.place).next_back();
            let after = taken.range(edit.place..).next();
            let mut neighbours = before.into_iter().chain(after);
            neighbours.any(|(other, _)| overlap(edit.place, *other))
        });
        if collides {
            continue;
        }
        taken.extend(fix.edits.iter().map(|edit| (edit.place, edit)));
        if accept(&taken) {
            count += 1;
        } else {
            taken.retain(|place, _| !fix.edits.iter().any(|edit| edit.place == *place));
        }
    }
    (taken.into_values().cloned().collect(), count)
}

fn overlap(left: Place, right: Place) -> bool {
    left.file == right.file
        && (left.span == right.span
            || (left.span.start < right.span.end && right.span.start < left.span.end))
}

#[cfg(test)]
#[path = "actions_tests.rs"]
mod tests;
