//! How many recorded calls a change would have decided otherwise.
//!
//! ```json
//! {"tool": "edit", "arguments": {"path": "src/a.rs"}}
//! ```

use std::{collections::BTreeMap, sync::Arc};

use jp_config::{graph::Graph, view::View};
use jp_policy::{Direction, RunMode, decide_paths, lexical_path, prepare};
use serde_json::{Map, Value};

use super::model::{Aspect, Change, Comparison};
use crate::explain::{self, PolicyQuestion, ToolPolicy};

/// A call that was made once.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedCall {
    /// The tool.
    pub tool: String,
    /// The arguments, as the model gave them.
    pub arguments: Map<String, Value>,
}

/// The rules of one tool on both sides.
type Sides = (ToolPolicy<RunMode>, ToolPolicy<RunMode>);

/// Counts, at each change of the aspect `run`, the calls that are decided otherwise by the same two rules, or else in the same two modes, or in the same direction.
///
/// The calls are judged by their text, links not followed; calls of tools that did not change are passed over.
pub fn count_recorded(
    before: &Arc<Graph>,
    after: &Arc<Graph>,
    comparison: &mut Comparison,
    calls: impl Iterator<Item = RecordedCall>,
) {
    let root = after.workspace.clone();
    let views = (View::new(Arc::clone(before)), View::new(Arc::clone(after)));
    let rules = |view: &View, tool: &str| {
        let context = explain::tool_context(view, tool)?;
        ToolPolicy::of(&context, PolicyQuestion::Run, RunMode::Ask).ok()
    };
    let mut known: BTreeMap<String, Option<Sides>> = BTreeMap::new();
    for call in calls {
        let changed = comparison.tools.iter_mut().find(|found| {
            found.aspect == Aspect::Run && found.fragment.is_none() && found.tool == call.tool
        });
        let Some(changed) = changed else { continue };
        let sides = known
            .entry(call.tool.clone())
            .or_insert_with(|| Some((rules(&views.0, &call.tool)?, rules(&views.1, &call.tool)?)));
        let Some(sides) = sides else { continue };
        let decide = |rules: &ToolPolicy<RunMode>| {
            let arguments = prepare(call.arguments.clone(), &rules.parameters).ok()?;
            let decision = decide_paths(&rules.policy, &Value::Object(arguments), |path| {
                Some(lexical_path(path, Some(root.as_str())))
            });
            Some((decision.mode, decision.rule))
        };
        let (Some(old), Some(new)) = (decide(&sides.0), decide(&sides.1)) else {
            continue;
        };
        if old.0 == new.0 {
            continue;
        }
        let words = (old.0.to_string(), new.0.to_string());
        let rules = (old.1, new.1);
        let index = |place: &Option<explain::RulePlace>| place.as_ref().map(|place| place.index);
        let is_same = |change: &Change| change.before == words.0 && change.after == words.1;
        let is_by_same_rules =
            |change: &Change| (index(&change.before_rule), index(&change.rule)) == rules;
        let mut changes = changed.changes.iter();
        let at = changes.position(|change| is_same(change) && is_by_same_rules(change));
        let at = at.or_else(|| changed.changes.iter().position(is_same));
        // Several paths, of which each changes on its own, may come to a pair of modes that none of them has.
        let direction = Direction::of(old.0, new.0);
        let is_alike = |change: &Change| change.direction == direction;
        let at = at.or_else(|| changed.changes.iter().position(is_alike));
        if let Some(change) = at.and_then(|at| changed.changes.get_mut(at)) {
            change.recorded = change.recorded.saturating_add(1);
        }
    }
}
