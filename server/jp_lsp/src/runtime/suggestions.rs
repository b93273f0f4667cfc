//! Rules that would have answered what a person was asked, each proven on the record and on the config that it changes.
//!
//! ```text
//! rules of a tool + recorded calls -> proven rules -> the config with each, read and checked again -> the layers it can stand in
//! ```
//!
//! Nothing runs and nothing is written here.

mod change;
mod protected;
mod words;

use std::sync::Arc;

use jp_analysis::{
    explain::{ExplainError, PathResolver as _, PolicyOrigin, RulePlace, ToolPolicy, view_of_tool},
    recorded::run_rules,
};
use jp_config::{
    graph::{Files, Graph, Roots},
    view::View,
};
use jp_history::{Call, History, Reason, Subject, Suggestion, Suggestions, Withheld, suggest};
use jp_policy::{Policy, RawRule, RunMode, UnresolvedArg, compile_with, decide_paths, target};
use serde_json::{Map, Value};

use self::change::{Change, Checked};
pub(crate) use self::{
    change::Layer,
    words::{CHECKED, in_short, in_words, on_one_line},
};
use crate::disk::paths::DiskPaths;

/// Where the config of a workspace is read, with and without a suggested rule.
#[derive(Clone, Copy)]
pub(crate) struct ConfigPlace<'a> {
    /// What is loaded first.
    pub(crate) roots: &'a Roots,
    /// Its files for one load, as whoever asks sees them.
    pub(crate) files: &'a dyn Fn() -> Box<dyn Files + 'a>,
}

/// The rules that decide whether a tool runs, to which others may be added.
#[derive(Debug)]
pub(crate) struct ToolRules {
    tool: String,
    view: View,
    policy: ToolPolicy<RunMode>,
    /// Those that can decide.
    rules: Vec<RawRule<RunMode>>,
    /// The number of each in the list as it is.
    numbers: Vec<usize>,
}

/// Everything that is suggested for a tool.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The tool.
    pub(crate) tool: String,
    /// What it rests on, and what is withheld.
    pub(crate) suggestions: Suggestions,
    /// The rules that are proven, what answers most before what answers less.
    pub(crate) offers: Vec<Offer>,
}

/// A proven rule with its place in the config.
#[derive(Debug)]
pub(crate) struct Offer {
    /// The rule.
    pub(crate) suggestion: Suggestion,
    /// The rule that it goes before; none at the end, or where no file says it.
    pub(crate) before: Option<RulePlace>,
    /// The change of the file that holds the rules; none where a person has to write it.
    pub(crate) layer: Option<Layer>,
}

/// Whether these rules let a call run, with its links as they are on disk.
pub(crate) fn let_run(
    policy: &Policy<RunMode>,
    paths: &DiskPaths,
    arguments: &Map<String, Value>,
) -> bool {
    let arguments = Value::Object(arguments.clone());
    let decision = decide_paths(policy, &arguments, |path| paths.canonical(path));
    decision.mode == RunMode::Unattended && decision.outside().next().is_none()
}

impl ToolRules {
    /// The rules of a tool in a config.
    ///
    /// # Errors
    ///
    /// [`ExplainError`]: there is no such tool, or a rule cannot be used.
    pub(crate) fn of(graph: &Arc<Graph>, tool: &str) -> Result<Self, ExplainError> {
        let view = view_of_tool(graph, tool)?;
        let policy = run_rules(graph, tool)?;
        let (rules, numbers) = rules_of(&policy);
        Ok(Self {
            tool: tool.to_owned(),
            view,
            policy,
            rules,
            numbers,
        })
    }

    /// The rules as the config has them.
    pub(crate) const fn policy(&self) -> &ToolPolicy<RunMode> {
        &self.policy
    }

    /// The rules as the config has them, as a list.
    pub(crate) fn as_they_are(&self) -> Vec<RawRule<RunMode>> {
        let numbers = 0..self.policy.policy.len();
        numbers
            .filter_map(|number| self.policy.policy.rule(number).cloned())
            .collect()
    }

    /// All rules with a suggested one.
    pub(crate) fn planned(&self, suggestion: &Suggestion) -> Vec<RawRule<RunMode>> {
        let mut planned = self.rules.clone();
        planned.insert(suggestion.position, suggestion.rule.clone());
        planned
    }

    /// The same, compiled.
    pub(crate) fn compiled(&self, planned: &[RawRule<RunMode>]) -> Policy<RunMode> {
        compile_with(planned, &self.policy.parameters, UnresolvedArg::Skip).0
    }

    /// The files that no suggested rule may let the tool change. Walks through the workspace.
    pub(crate) fn protected(&self, paths: &DiskPaths) -> Vec<String> {
        protected::paths(&self.view, &self.tool, paths)
    }

    /// What is proven on the calls on record, for a call that waits where there is one; the config is not looked at.
    pub(crate) fn proven<'c>(
        &self,
        paths: &DiskPaths,
        protected: &[String],
        waiting: Option<&Value>,
        calls: impl Iterator<Item = Call<'c>> + Clone,
    ) -> Suggestions {
        let canonical = |path: &str| paths.canonical(path);
        let subject = Subject {
            rules: &self.rules,
            parameters: &self.policy.parameters,
            unresolved: UnresolvedArg::Skip,
            canonical: &canonical,
            protected,
            waiting,
        };
        suggest(subject, calls)
    }

    /// Everything that is suggested, proven on the record and on the config.
    pub(crate) fn report(
        &self,
        place: ConfigPlace<'_>,
        paths: &DiskPaths,
        waiting: Option<&Value>,
        history: &History,
    ) -> Report {
        let calls = history.calls().filter(|call| call.tool() == self.tool);
        let mut suggestions = self.proven(paths, &self.protected(paths), waiting, calls);
        let mut offers = Vec::new();
        for suggestion in std::mem::take(&mut suggestions.offered) {
            let planned = self.planned(&suggestion);
            match self.change(place, &planned, &suggestion).checked() {
                Checked::Dirty(finding) => suggestions.withheld.push(Withheld {
                    rule: suggestion.rule,
                    covers: suggestion.covers,
                    reason: Reason::Invalid(finding),
                }),
                checked => offers.push(Offer {
                    before: self.before(&suggestion),
                    suggestion,
                    layer: match checked {
                        Checked::Clean(layer) => Some(layer),
                        _ => None,
                    },
                }),
            }
        }
        Report {
            tool: self.tool.clone(),
            suggestions,
            offers,
        }
    }

    /// The files that can hold a suggested rule, each with what would change in it; the one that holds the other rules comes first.
    pub(crate) fn layers(&self, place: ConfigPlace<'_>, suggestion: &Suggestion) -> Vec<Layer> {
        let planned = self.planned(suggestion);
        self.change(place, &planned, suggestion).layers()
    }

    fn change<'a, 'p>(
        &'a self,
        place: ConfigPlace<'p>,
        planned: &'a [RawRule<RunMode>],
        suggestion: &'a Suggestion,
    ) -> Change<'a, 'p> {
        Change {
            view: &self.view,
            tool: &self.tool,
            place,
            planned,
            position: self.numbers.get(suggestion.position).copied(),
            rule: &suggestion.rule,
        }
    }

    fn before(&self, suggestion: &Suggestion) -> Option<RulePlace> {
        let number = *self.numbers.get(suggestion.position)?;
        let place = self.policy.places.get(number).copied()??;
        Some(RulePlace::new(self.view.graph(), number, place))
    }
}

/// The rules that can decide, and the number of each in the list as it is.
///
/// Rules of the tool defaults whose argument this tool does not have decide nothing about it, and would be wrong in a list of its own.
fn rules_of(policy: &ToolPolicy<RunMode>) -> (Vec<RawRule<RunMode>>, Vec<usize>) {
    let is_shared = matches!(policy.origin, PolicyOrigin::DefaultsPolicy);
    let resolves = |rule: &RawRule<RunMode>| {
        let arg = rule.arg.as_deref();
        arg.is_none_or(|arg| policy.parameters.open || target(arg, &policy.parameters).is_some())
    };
    (0..policy.policy.len())
        .filter_map(|number| Some((policy.policy.rule(number)?, number)))
        .filter(|(rule, _)| !is_shared || resolves(rule))
        .map(|(rule, number)| (rule.clone(), number))
        .unzip()
}
