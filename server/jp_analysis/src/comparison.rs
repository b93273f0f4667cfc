//! What a change of config loosens: two loaded workspaces in, a verdict for each tool and aspect out.
//!
//! ```json
//! {"tool": "edit", "aspect": "run", "verdict": "loosened",
//!  "changes": [{"witness": {"path": "src/x"}, "before": "ask", "after": "unattended", "rule": {"path": ".jp/config.toml", "line": 7}}]}
//! ```
//!
//! Only what differs is compared, and only what decides: descriptions, order, and the files that things stand in do not matter.
//! Policies are compared by [`jp_policy::compare`], grants by [`jp_tool::compare_grants`].

mod meant;
mod model;
mod other;
mod pairs;
mod recorded;
mod refused;
mod tool;
mod verdicts;

use std::sync::Arc;

use jp_config::{graph::Graph, refusal::Refusal};
pub use jp_policy::ChangeVerdict;

pub use self::{
    model::{Aspect, AspectComparison, Change, Comparison, from_workspace},
    recorded::{RecordedCall, count_recorded},
    refused::{Refused, Side},
    verdicts::{ChangeLens, ToolVerdicts},
};

/// Compares what two loads of a workspace decide.
///
/// Both graphs are of the same roots, so that a file has one path on both sides.
/// `beyond` says of either why no turn starts with it, where that is no error in a file; both are asked about at once.
/// What cannot be told because of an error on either side is [`ChangeVerdict::Unknown`]; changes of it are left out.
#[must_use]
pub fn compare(
    before: &Arc<Graph>,
    after: &Arc<Graph>,
    beyond: impl Fn(&Arc<Graph>) -> Option<Refusal> + Sync,
) -> Comparison {
    let mut comparison = Comparison {
        verdict: ChangeVerdict::Equal,
        tools: decisions(before, after),
        refused: Vec::new(),
        leaves_all_open: false,
    };
    refused::take_in(&mut comparison, (before, after), &beyond);
    comparison.tools.sort_by(|one, other| {
        let key =
            |found: &AspectComparison| (found.fragment.clone(), found.tool.clone(), found.aspect);
        key(one).cmp(&key(other))
    });
    let verdicts = comparison.tools.iter().map(|found| found.verdict);
    comparison.verdict = verdicts.fold(ChangeVerdict::Equal, ChangeVerdict::and);
    comparison
}

/// What is decided otherwise by what can be read.
fn decisions(before: &Arc<Graph>, after: &Arc<Graph>) -> Vec<AspectComparison> {
    let mut tools: Vec<AspectComparison> = Vec::new();
    for pair in pairs::pairs(before, after) {
        let outside = other::outside_tools(&pair.before, &pair.after);
        tools.extend(outside.map(|compared| AspectComparison {
            fragment: pair.fragment.clone(),
            ..compared
        }));
        for name in &pair.tools {
            let compared = tool::compare_tool(&pair.before, &pair.after, name);
            tools.extend(compared.into_iter().map(|compared| AspectComparison {
                fragment: pair.fragment.clone(),
                ..compared
            }));
        }
    }
    // What a fragment inherits is said once.
    let base: Vec<AspectComparison> = tools
        .iter()
        .filter(|found| found.fragment.is_none())
        .cloned()
        .collect();
    tools.retain(|found| {
        let is_said = |known: &AspectComparison| {
            known.tool == found.tool
                && known.aspect == found.aspect
                && known.changes == found.changes
                && known.unknown == found.unknown
        };
        found.fragment.is_none() || !base.iter().any(is_said)
    });
    tools
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
