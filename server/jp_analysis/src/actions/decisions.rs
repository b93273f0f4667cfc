//! Whether an action changes what rules decide, found by comparing the rules before and after it.
//!
//! ```text
//! Sort rules: stricter modes first (changes what is decided)
//! ```

use jp_config::{
    document::{Document, Node, PathSegment},
    graph::FileId,
    merge::{LayerId, Located},
    view::View,
};
use jp_policy::{
    ChangeVerdict, Mode, ResultMode, RunMode, UnresolvedArg, compare, compile_with,
    rules_but_unreadable,
};

use super::action::{Action, ActionKind};
use crate::{
    Edit, Options, Place,
    explain::{PolicyOrigin, PolicyQuestion, ToolPolicy},
    fix::MORE_CALLS,
    text::node::node_at,
    tool::{DEFAULTS, ToolContext, tool_names},
};

/// Longer lists are not compared while a menu waits.
const MOST_RULES: usize = 100;

/// More tools that share rules are not gone through.
const MOST_TOOLS: usize = 50;

/// What edits do to what rules decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Same,
    Changes,
    /// It cannot be told: files join their rules, a pattern is in the way, or the list is long.
    Unknown,
}

/// Says in the title of an action on the rules around an offset whether it changes what they decide.
///
/// An action elsewhere keeps its title, and so does one that changes nothing.
/// Of a fix nothing is said that was not shown.
pub(super) fn told(
    view: &View,
    file: FileId,
    document: &Document,
    offset: u32,
    action: Action,
) -> Action {
    let Some(rules) = Rules::around(view, file, document, offset) else {
        return action;
    };
    if action.edits.is_empty() || !rules.hold(&action.edits) {
        return action;
    }
    let suffix = match (rules.effect(&action.edits), action.kind) {
        // It says which calls, and what they get instead.
        (Effect::Changes, _) if action.title.contains(MORE_CALLS) => return action,
        (Effect::Changes, _) => "changes what is decided",
        (Effect::Unknown, ActionKind::Rewrite) => "may change what is decided",
        _ => return action,
    };
    Action {
        title: format!("{} ({suffix})", action.title),
        ..action
    }
}

/// The rules of one policy, as one file writes them.
struct Rules<'a> {
    view: &'a View,
    file: FileId,
    document: &'a Document,
    /// The path of the list.
    path: Vec<PathSegment<'a>>,
    tool: &'a str,
    question: PolicyQuestion,
}

impl<'a> Rules<'a> {
    fn around(view: &'a View, file: FileId, document: &'a Document, offset: u32) -> Option<Self> {
        let mut path = document.at(offset as usize).path;
        path.truncate(5);
        let [
            PathSegment::Key("conversation"),
            PathSegment::Key("tools"),
            PathSegment::Key(tool),
            PathSegment::Key("policy"),
            PathSegment::Key(key @ ("run" | "result")),
        ] = path.as_slice()
        else {
            return None;
        };
        let (tool, key) = (*tool, *key);
        Some(Self {
            view,
            file,
            document,
            path,
            tool,
            question: match key {
                "run" => PolicyQuestion::Run,
                _ => PolicyQuestion::Result,
            },
        })
    }

    /// Whether all edits lie in the file of the rules.
    fn hold(&self, edits: &[Edit]) -> bool {
        edits.iter().all(|edit| edit.place.file == self.file)
    }

    fn effect(&self, edits: &[Edit]) -> Effect {
        let Some(after) = self.edited(edits) else {
            return Effect::Unknown;
        };
        let (names, origin) = match self.tool {
            DEFAULTS => (tool_names(self.view), PolicyOrigin::DefaultsPolicy),
            tool => (vec![tool.to_owned()], PolicyOrigin::Policy),
        };
        if names.len() > MOST_TOOLS {
            return Effect::Unknown;
        }
        let effects = names.iter().filter_map(|name| {
            let context = ToolContext::of(self.view, name, Options::default())?;
            Some(match self.question {
                PolicyQuestion::Run => self.effect_on(&context, origin, RunMode::Ask, &after),
                PolicyQuestion::Result => {
                    self.effect_on(&context, origin, ResultMode::Unattended, &after)
                }
            })
        });
        let effects: Vec<Effect> = effects.collect();
        [Effect::Changes, Effect::Unknown]
            .into_iter()
            .find(|effect| effects.contains(effect))
            .unwrap_or(Effect::Same)
    }

    /// What the rules that are to come do to one tool, if it takes its rules from the list.
    fn effect_on<M: Mode>(
        &self,
        context: &ToolContext<'_>,
        origin: PolicyOrigin,
        fallback: M,
        after: &serde_json::Value,
    ) -> Effect {
        // With rules that cannot be read nothing is decided yet.
        let Ok(before) = ToolPolicy::of(context, self.question, fallback) else {
            return Effect::Same;
        };
        if before.origin != origin {
            return Effect::Same;
        }
        let is_here = |place: &Option<Place>| place.is_some_and(|place| place.file == self.file);
        let (rules, unreadable) = rules_but_unreadable(after);
        let is_long = before.policy.len() > MOST_RULES || rules.len() > MOST_RULES;
        if !before.places.iter().all(is_here) || is_long || !unreadable.is_empty() {
            return Effect::Unknown;
        }
        let unresolved = match origin {
            PolicyOrigin::DefaultsPolicy => UnresolvedArg::Skip,
            _ => UnresolvedArg::Report,
        };
        let (after, _) = compile_with(&rules, &before.parameters, unresolved);
        match compare(&before.policy, &after, None).verdict {
            ChangeVerdict::Equal => Effect::Same,
            ChangeVerdict::Unknown => Effect::Unknown,
            _ => Effect::Changes,
        }
    }

    /// The value at the path once the edits are made.
    fn edited(&self, edits: &[Edit]) -> Option<serde_json::Value> {
        let mut edits: Vec<&Edit> = edits.iter().collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
        let mut document = self.document.clone();
        for edit in edits {
            document.edit(edit.place.span.range(), &edit.text);
        }
        let node = node_at(&document, &self.path)?;
        let list = match node {
            Node::Table(wrapper) => wrapper.get("value")?.value(),
            other => other,
        };
        Some(Located::from_node(list, LayerId(0)).to_json())
    }
}
