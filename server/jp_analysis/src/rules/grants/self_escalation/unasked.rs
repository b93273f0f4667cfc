//! Which calls of a tool nobody is asked about.

use camino::Utf8Path;
use jp_policy::{RunMode, UnattendedCalls};
use serde_json::Value;

use crate::{
    diagnostic::Place,
    explain::{PolicyQuestion, ToolPolicy},
    tool::ToolContext,
};

/// What decides about the calls of one tool.
#[derive(Debug)]
pub(super) struct RunPolicy(pub(super) ToolPolicy<RunMode>);

/// The calls of one tool that run without a question.
pub(super) enum Unasked<'a> {
    /// All of them.
    Always(&'a RunPolicy),
    /// Some, as rules say.
    Sometimes(&'a RunPolicy, UnattendedCalls<'a, RunMode>),
}

impl RunPolicy {
    /// The rules of a local tool; nothing where the config does not load with them.
    pub(super) fn of(context: &ToolContext<'_>) -> Option<Self> {
        let is_local = context.source().is_some_and(|source| source.is_local());
        if !is_local || context.is_defaults() {
            return None;
        }
        let rules = ToolPolicy::of(context, PolicyQuestion::Run, RunMode::Ask).ok()?;
        rules.problems.is_empty().then_some(Self(rules))
    }

    /// The calls that run without a question, if there are any.
    pub(super) fn unasked(&self) -> Option<Unasked<'_>> {
        let policy = &self.0.policy;
        match policy.is_unconditional() {
            Some(RunMode::Unattended) => Some(Unasked::Always(self)),
            Some(_) => None,
            None if !self.permits() => None,
            None => {
                let calls = UnattendedCalls::of(policy);
                calls
                    .any()
                    .is_some()
                    .then_some(Unasked::Sometimes(self, calls))
            }
        }
    }

    /// Whether some rule lets calls run, whatever it matches.
    fn permits(&self) -> bool {
        let policy = &self.0.policy;
        let mut rules = (0..policy.len()).filter_map(|rule| policy.rule(rule));
        rules.any(|rule| rule.mode == RunMode::Unattended)
    }

    fn place(&self, call: &Value) -> Option<Place> {
        let (_, rule) = self.0.policy.decide(call);
        self.0.places.get(rule.unwrap_or(0)).copied().flatten()
    }
}

impl Unasked<'_> {
    /// Whether every call runs without a question.
    pub(super) fn is_always(&self) -> bool {
        matches!(self, Self::Always(_))
    }

    /// Whether rules decide about calls that name files.
    pub(super) fn names_files(&self) -> bool {
        matches!(self, Self::Sometimes(_, calls) if calls.can_name_files())
    }

    /// A call that may have to do with a file, and runs without a question.
    ///
    /// A tool whose parameters name files is taken by its word; one without may mean any file by any call.
    pub(super) fn touching(&self, file: &Utf8Path) -> Option<Value> {
        match self {
            Self::Always(_) => Some(Value::Null),
            Self::Sometimes(_, calls) if calls.can_name_files() => calls.naming(file.as_str()),
            Self::Sometimes(_, calls) => calls.any(),
        }
    }

    /// Where that call is let through.
    pub(super) fn place(&self, call: &Value) -> Option<Place> {
        let (Self::Always(policy) | Self::Sometimes(policy, _)) = self;
        policy.place(call)
    }
}
