//! At the end of a rule's line, a call that it decides.
//!
//! ```toml
//! { arg = "/path", prefix = "src", mode = "unattended" },   # ⟨reached by {"path":"src"}⟩
//! ```

use std::collections::HashSet;

use jp_config::document::Span;
use jp_policy::{CoverageFinding, Mode, ResultMode, RunMode, coverage, witnesses};

use super::{Hint, Hints};
use crate::{
    explain::{PolicyQuestion, ToolPolicy},
    lenses::LensTarget,
    options::Options,
    text::markup,
    tool::ToolContext,
};

impl Hints<'_> {
    /// A call for each rule of the tools whose rules were met.
    pub(super) fn examples(&mut self) {
        for (tool, key) in std::mem::take(&mut self.policies) {
            let Some(context) = ToolContext::of(self.view, &tool, Options::default()) else {
                continue;
            };
            if key == "run" {
                let question = PolicyQuestion::Run;
                if let Ok(rules) = ToolPolicy::of(&context, question, RunMode::Ask) {
                    self.examples_of(&rules, &tool, question);
                }
            } else {
                let question = PolicyQuestion::Result;
                if let Ok(rules) = ToolPolicy::of(&context, question, ResultMode::Unattended) {
                    self.examples_of(&rules, &tool, question);
                }
            }
        }
    }

    fn examples_of<M: Mode>(
        &mut self,
        rules: &ToolPolicy<M>,
        tool: &str,
        question: PolicyQuestion,
    ) {
        // A mode, or one rule for every call, has nothing in its way.
        let is_one_for_all =
            rules.policy.len() < 2 && rules.policy.rule(0).is_none_or(|rule| rule.arg.is_none());
        let here: Vec<(usize, Span)> = rules
            .places
            .iter()
            .enumerate()
            .filter_map(|(index, place)| {
                let place = place.filter(|place| place.file == self.file)?;
                Some((index, place.span))
            })
            .collect();
        if is_one_for_all || here.is_empty() {
            return;
        }
        let unreached: HashSet<usize> = coverage(&rules.policy)
            .iter()
            .filter_map(CoverageFinding::unreached)
            .collect();
        let calls = witnesses(&rules.policy);
        let starts: HashSet<u32> = here.iter().map(|(_, span)| span.start).collect();
        for (index, span) in here {
            let call = calls.get(index).cloned().flatten();
            let (label, tooltip) = match &call {
                _ if unreached.contains(&index) => (
                    "no call reaches this rule".to_owned(),
                    "The rules before it decide every call that it would match.",
                ),
                // What no rule before it matches needs no example.
                Some(_)
                    if rules
                        .policy
                        .rule(index)
                        .is_none_or(|rule| rule.arg.is_none()) =>
                {
                    continue;
                }
                Some(call) => (
                    format!("reached by {call}"),
                    "A call that this rule decides.",
                ),
                None => continue,
            };
            let explains = call.filter(|_| !unreached.contains(&index));
            self.found.push(Hint {
                offset: self.end_of_line(span, &starts),
                label: markup::one_line(&markup::shortened(&label, 80)),
                tooltip,
                explains: explains.map(|call| LensTarget {
                    tool: tool.to_owned(),
                    question,
                    input: Some(call),
                }),
            });
        }
    }

    /// The end of the line that a rule ends on, or of the rule itself where another one follows there.
    fn end_of_line(&self, rule: Span, starts: &HashSet<u32>) -> u32 {
        let text = self.document.text();
        let rest = text.get(rule.end as usize..).unwrap_or_default();
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let end = rule.end + u32::try_from(length).unwrap_or_default();
        let is_shared = (rule.end..end).any(|offset| starts.contains(&offset));
        if is_shared { rule.end } else { end }
    }
}
