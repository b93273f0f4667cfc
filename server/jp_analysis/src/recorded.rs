//! What calls on record say about the rules of a file: how many each decides, which none reached, and what an edit changes.
//!
//! ```toml
//! policy.run = [
//!     # decided 37 of 412 calls, last 2 days ago
//!     { arg = "/path", prefix = "src", mode = "unattended" },
//! ]
//! ```
//!
//! The figures are made elsewhere, from calls that were made once; here they meet the text, and count only for the very rules that they
//! were made with.

use std::{collections::BTreeSet, sync::Arc};

use jp_config::{
    document::{Document, PathSegment, Span},
    graph::{FileId, Graph},
    view::View,
};
use jp_policy::{Mode as _, Policy, RunMode};
use serde_json::Value;

use crate::{
    explain::{
        ExplainError, PolicyOrigin, PolicyQuestion, ToolPolicy, tool_context, usable, view_of_tool,
    },
    identity::FileIdentity,
    names::{Name, Role, names_in},
    options::Options,
    text::markup,
    tool::{DEFAULTS, ToolContext},
};

/// What is on record of one tool, judged by one list of rules.
#[derive(Debug, Clone)]
pub struct RecordedTool {
    /// The rules.
    pub policy: Arc<Policy<RunMode>>,
    /// How many calls are on record.
    pub calls: usize,
    /// By rule.
    pub rules: Vec<RecordedRule>,
    /// What the rules decide otherwise than those that are saved.
    pub edit: Option<RecordedEdit>,
}

/// The calls on record that one rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordedRule {
    /// How many.
    pub calls: usize,
    /// When the newest was made, in seconds since 1970.
    pub last: Option<i64>,
}

/// What an edit that is not saved changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedEdit {
    /// The mode before, the mode after, and how many calls on record go from one to the other; without a mode where their arguments do not
    /// fit the tool.
    pub changes: Vec<(Option<RunMode>, Option<RunMode>, usize)>,
    /// A call whose mode changes from one to the other, whether it is on record or not.
    pub witness: Option<(RunMode, RunMode, Value)>,
    /// Whether it is not known that no other call changes.
    pub is_uncertain: bool,
}

/// What is on record, by tool.
pub trait Recorded {
    /// What is on record of a tool; none where nothing is.
    fn tool(&self, name: &str) -> Option<&RecordedTool>;
}

/// A line above a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedLens {
    /// The rule.
    pub span: Span,
    /// The line.
    pub title: String,
    /// The tool.
    pub tool: String,
    /// The number of the rule, from 0.
    pub rule: usize,
}

/// A word behind the name of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedHint {
    /// The byte that it stands before.
    pub offset: u32,
    /// The word; control characters are written out.
    pub label: String,
    /// The tool.
    pub tool: String,
}

/// The rules that decide whether a tool runs, in the view where it is declared.
///
/// # Errors
///
/// [`ExplainError`]: there is no such tool, or a rule cannot be used.
pub fn run_rules(graph: &Arc<Graph>, tool: &str) -> Result<ToolPolicy<RunMode>, ExplainError> {
    let view = view_of_tool(graph, tool)?;
    let context = tool_context(&view, tool).ok_or_else(|| ExplainError::UnknownTool {
        tool: tool.to_owned(),
        suggestion: None,
    })?;
    usable(&context, PolicyQuestion::Run, RunMode::Ask)
}

/// The tools that a file defines, by name.
fn tools_in(document: &Document) -> BTreeSet<String> {
    definitions(document).map(|(tool, _)| tool).collect()
}

/// The tools of a file that an edit may have changed; all of them where nothing is known of the file before it.
#[must_use]
pub fn edited_tools(before: Option<&Document>, after: &Document) -> BTreeSet<String> {
    let Some(before) = before else {
        return tools_in(after);
    };
    let before = FileIdentity::of_document(before, None);
    let after = FileIdentity::of_document(after, Some(&before));
    let tools = after.tools_unlike(&before).filter(|name| *name != DEFAULTS);
    tools.map(str::to_owned).collect()
}

/// The lines above the rules of a file that decided calls on record; `now` is in seconds since 1970.
#[must_use]
pub fn lenses(
    view: &View,
    file: FileId,
    document: &Document,
    recorded: &dyn Recorded,
    now: i64,
) -> Vec<RecordedLens> {
    let mut found = Vec::new();
    for tool in tools_in(document) {
        let Some((known, rules)) = rules_on_record(view, &tool, recorded) else {
            continue;
        };
        for (index, (place, rule)) in rules.places.iter().zip(&known.rules).enumerate() {
            if let (Some(place), Some(last)) = (place, rule.last)
                && place.file == file
            {
                found.push(RecordedLens {
                    span: place.span,
                    title: format!(
                        "decided {} of {}, last {}",
                        rule.calls,
                        calls(known.calls),
                        age(now.saturating_sub(last))
                    ),
                    tool: tool.clone(),
                    rule: index,
                });
            }
        }
    }
    found.sort_by_key(|lens| lens.span);
    found
}

/// What is on record of the rule at an offset, as a paragraph.
#[must_use]
pub fn hover(
    view: &View,
    file: FileId,
    document: &Document,
    offset: usize,
    recorded: &dyn Recorded,
    now: i64,
) -> Option<String> {
    let path = document.at(offset).path;
    let [
        PathSegment::Key("conversation"),
        PathSegment::Key("tools"),
        PathSegment::Key(tool),
        ..,
    ] = path.as_slice()
    else {
        return None;
    };
    let (known, rules) = rules_on_record(view, tool, recorded)?;
    if known.calls == 0 {
        return None;
    }
    let is_here = |span: Span| span.range().contains(&offset);
    let index = rules
        .places
        .iter()
        .position(|place| place.is_some_and(|place| place.file == file && is_here(place.span)))?;
    let rule = known.rules.get(index)?;
    Some(match rule.last {
        Some(last) => format!(
            "It decided {} of {} on record, the last {}.",
            rule.calls,
            calls(known.calls),
            age(now.saturating_sub(last))
        ),
        None => format!("None of the {} on record reached it.", calls(known.calls)),
    })
}

/// What edits that are not saved change, behind the names of the tools.
#[must_use]
pub fn hints(
    view: &View,
    document: &Document,
    span: Span,
    recorded: &dyn Recorded,
) -> Vec<RecordedHint> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (tool, at) in definitions(document) {
        let offset = end_of_line(document.text(), at.end);
        if !span.touches(offset) || !seen.insert(tool.clone()) {
            continue;
        }
        let edit = rules_on_record(view, &tool, recorded).and_then(|(known, _)| known.edit.clone());
        if let Some(edit) = edit
            && let Some(label) = edit_in_words(&edit)
        {
            found.push(RecordedHint {
                offset,
                label: markup::one_line(&label),
                tool,
            });
        }
    }
    found
}

/// What an edit changes, on one line; nothing where it changes nothing.
#[must_use]
pub fn edit_in_words(edit: &RecordedEdit) -> Option<String> {
    let word = |mode: Option<RunMode>| mode.map_or("does not fit", |mode| mode.keyword());
    let total: usize = edit.changes.iter().map(|(_, _, calls)| calls).sum();
    let changes: Vec<String> = edit
        .changes
        .iter()
        .map(|(before, after, calls)| format!("{calls} {} -> {}", word(*before), word(*after)))
        .collect();
    let counted = match total {
        0 => "this edit changes no recorded call".to_owned(),
        1 => format!("this edit changes 1 recorded call: {}", changes.join(", ")),
        _ => format!(
            "this edit changes {total} recorded calls: {}",
            changes.join(", ")
        ),
    };
    match &edit.witness {
        Some((before, after, call)) => {
            let call = markup::shortened(&call.to_string(), 80);
            Some(format!("{counted}; {before} -> {after}: {call}"))
        }
        None if edit.is_uncertain => Some(format!("{counted}; it may change others")),
        None if total > 0 => Some(counted),
        None => None,
    }
}

/// How long ago something was, in one unit.
#[must_use]
pub fn age(seconds: i64) -> String {
    const UNITS: [(i64, &str); 5] = [
        (365 * 86_400, "year"),
        (30 * 86_400, "month"),
        (86_400, "day"),
        (3_600, "hour"),
        (60, "minute"),
    ];
    let fits = |(length, _): &&(i64, &str)| seconds >= *length;
    match UNITS.iter().find(fits) {
        None => "just now".to_owned(),
        Some((length, unit)) => match seconds / length {
            1 => format!("1 {unit} ago"),
            count => format!("{count} {unit}s ago"),
        },
    }
}

fn calls(count: usize) -> String {
    match count {
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    }
}

/// The tools that a file defines, each with its name, by position.
fn definitions(document: &Document) -> impl Iterator<Item = (String, Span)> {
    names_in(document).into_iter().filter_map(|occurrence| {
        match (occurrence.name, occurrence.role) {
            (Name::Tool(tool), Role::Definition) => Some((tool, occurrence.span)),
            _ => None,
        }
    })
}

/// A tool's rules, where what is on record was judged by these very rules and they are its own.
fn rules_on_record<'a>(
    view: &View,
    tool: &str,
    recorded: &'a dyn Recorded,
) -> Option<(&'a RecordedTool, ToolPolicy<RunMode>)> {
    let known = recorded.tool(tool)?;
    let context = ToolContext::of(view, tool, Options::default())?;
    let rules = ToolPolicy::of(&context, PolicyQuestion::Run, RunMode::Ask).ok()?;
    let is_own = matches!(rules.origin, PolicyOrigin::Policy | PolicyOrigin::Mode);
    (is_own && rules.policy.is_same(&known.policy)).then_some((known, rules))
}

fn end_of_line(text: &str, from: u32) -> u32 {
    let rest = text.get(from as usize..).unwrap_or_default();
    let length = rest.find('\n').unwrap_or(rest.len());
    let line = rest.get(..length).unwrap_or_default().trim_end();
    from + u32::try_from(line.len()).unwrap_or_default()
}

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod tests;
