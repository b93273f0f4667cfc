//! What `policy.run` or `policy.result` decides about a call (RFD D25).
//!
//! ```toml
//! [conversation.tools.fs_modify_file.policy]
//! run = [{ arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]
//! ```

use std::collections::HashMap;

use jp_config::{
    builtin,
    merge::{Located, LocatedValue},
    view::View,
};
use jp_policy::{
    DecidedPath, Mode, Parameters, PathEvaluation, Policy, RawRule, Reason, ResultMode,
    RuleConfigError, RuleProblem, RunMode, UnresolvedArg, Verdict, compile_with, evaluate_paths,
    prepare, rules_but_unreadable, witnesses,
};
use serde_json::{Map, Value, json};

use super::{error::ExplainError, resolver::PathResolver, rule_place::RulePlace, tool::context};
use crate::{
    place::Place,
    tool::{ToolContext, parameters::parameters},
};

/// What a policy is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PolicyQuestion {
    /// Whether the tool runs: `policy.run`.
    Run,
    /// Whether its result is delivered: `policy.result`.
    Result,
}

impl PolicyQuestion {
    /// The key in `policy`.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Result => "result",
        }
    }
}

/// Which value of the config decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PolicyOrigin {
    /// The tool's own `policy`.
    Policy,
    /// The tool's own `run` or `result`.
    Mode,
    /// The `policy` of the tool defaults.
    DefaultsPolicy,
    /// `run` or `result` of the tool defaults.
    DefaultsMode,
    /// Nothing: no layer says anything.
    Nothing,
}

impl PolicyOrigin {
    /// The config path of the value, below `conversation.tools`.
    #[must_use]
    pub fn describe(self, tool: &str, question: PolicyQuestion) -> String {
        let key = question.key();
        match self {
            Self::Policy => format!("conversation.tools.{tool}.policy.{key}"),
            Self::Mode => format!("conversation.tools.{tool}.{key}"),
            Self::DefaultsPolicy => format!("conversation.tools.'*'.policy.{key}"),
            Self::DefaultsMode => format!("conversation.tools.'*'.{key}"),
            Self::Nothing => "the built-in default".to_owned(),
        }
    }
}

/// The rules that decide about the calls of one tool, compiled, with the places where they stand.
#[derive(Debug)]
pub struct ToolPolicy<M> {
    /// The rules.
    pub policy: Policy<M>,
    /// What is wrong with them; a config with such a problem does not load.
    pub problems: Vec<RuleProblem>,
    /// The parameters that the rules look at.
    pub parameters: Parameters,
    /// Where each rule stands; of a single mode, where the mode does.
    pub places: Vec<Option<Place>>,
    /// Which value of the config they are.
    pub origin: PolicyOrigin,
}

impl<M: Mode> ToolPolicy<M> {
    /// Finds and compiles the rules of a tool: its `policy`, else its mode, else those of the tool defaults.
    ///
    /// # Errors
    ///
    /// The first rule that cannot be read, and its number.
    pub fn of(
        context: &ToolContext<'_>,
        question: PolicyQuestion,
        fallback: M,
    ) -> Result<Self, (usize, RuleConfigError)> {
        let (rules, unreadable) = Self::but_unreadable(context, question, fallback);
        match unreadable.into_iter().next() {
            None => Ok(rules),
            Some(first) => Err(first),
        }
    }

    /// Finds and compiles the rules of a tool around those that cannot be read, which it tells with their numbers.
    ///
    /// Nothing is to be decided by what is left: it is for telling a person what the other rules say.
    pub(super) fn but_unreadable(
        context: &ToolContext<'_>,
        question: PolicyQuestion,
        fallback: M,
    ) -> (Self, Vec<(usize, RuleConfigError)>) {
        let completed = completed(context);
        let is_builtin = completed.is_some();
        let context = completed.as_ref().unwrap_or(context);
        let parameters = parameters(context);
        let (located, origin) = source(context, question);
        let ((rules, unreadable), places) = match located {
            Some(located) => (
                rules_but_unreadable(&located.to_json()),
                places(context, located),
            ),
            None => ((vec![RawRule::catch_all(fallback)], Vec::new()), vec![None]),
        };
        let origin = match places.as_slice() {
            // No file says it.
            [None] if is_builtin && origin == PolicyOrigin::Mode => PolicyOrigin::Nothing,
            _ => origin,
        };
        let unresolved = match origin {
            PolicyOrigin::DefaultsPolicy => UnresolvedArg::Skip,
            _ if context.is_defaults() => UnresolvedArg::Skip,
            _ => UnresolvedArg::Report,
        };
        let (policy, problems) = compile_with(&rules, &parameters, unresolved);
        let rules = Self {
            policy,
            problems,
            parameters,
            places,
            origin,
        };
        (rules, unreadable)
    }
}

/// A builtin with the defaults of its table, which the runtime merges under what the config says.
fn completed<'a>(context: &ToolContext<'a>) -> Option<ToolContext<'a>> {
    let defaults = builtin::defaults(context.name)?;
    let tool = builtin::over_defaults(context.name, &defaults, Some(context.tool.clone()))?;
    Some(ToolContext {
        view: context.view,
        name: context.name,
        tool,
        defaults: context.defaults.clone(),
        options: context.options,
    })
}

/// The value that decides, strongest first (RFD D25, "The `policy` namespace").
pub(super) fn source<'a>(
    context: &'a ToolContext<'_>,
    question: PolicyQuestion,
) -> (Option<&'a Located>, PolicyOrigin) {
    let key = question.key();
    let defaults = context.defaults.as_ref();
    let candidates = [
        (context.tool.at(&["policy", key]), PolicyOrigin::Policy),
        (context.tool.at(&[key]), PolicyOrigin::Mode),
        (
            defaults.and_then(|defaults| defaults.at(&["policy", key])),
            PolicyOrigin::DefaultsPolicy,
        ),
        (
            defaults.and_then(|defaults| defaults.at(&[key])),
            PolicyOrigin::DefaultsMode,
        ),
    ];
    candidates
        .into_iter()
        .find_map(|(located, origin)| {
            let located = located?;
            let unset = matches!(located.value, LocatedValue::Null | LocatedValue::Missing);
            (!unset).then_some((Some(located), origin))
        })
        .unwrap_or((None, PolicyOrigin::Nothing))
}

fn places(context: &ToolContext<'_>, located: &Located) -> Vec<Option<Place>> {
    match located.value.as_list() {
        Some(rules) => rules.iter().map(|rule| context.place(rule)).collect(),
        None => vec![context.place(located)],
    }
}

/// Explains what happens to calls of one tool.
#[derive(Debug)]
pub struct PolicyExplainer<'a> {
    view: &'a View,
    rules: Compiled,
}

#[derive(Debug)]
enum Compiled {
    Run(ToolPolicy<RunMode>),
    Result(ToolPolicy<ResultMode>),
}

impl<'a> PolicyExplainer<'a> {
    /// Compiles the rules of a tool.
    ///
    /// # Errors
    ///
    /// No such tool, or rules with which the config does not load.
    pub fn new(
        view: &'a View,
        tool: &'a str,
        question: PolicyQuestion,
    ) -> Result<Self, ExplainError> {
        let context = context(view, tool)?;
        let rules = match question {
            PolicyQuestion::Run => Compiled::Run(usable(&context, question, RunMode::Ask)?),
            PolicyQuestion::Result => {
                Compiled::Result(usable(&context, question, ResultMode::Unattended)?)
            }
        };
        Ok(Self { view, rules })
    }

    /// The parameters that calls are held to.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        match &self.rules {
            Compiled::Run(rules) => &rules.parameters,
            Compiled::Result(rules) => &rules.parameters,
        }
    }

    /// The rules that decide whether the tool runs; none for an explainer of results.
    #[must_use]
    pub const fn run_rules(&self) -> Option<&ToolPolicy<RunMode>> {
        match &self.rules {
            Compiled::Run(rules) => Some(rules),
            Compiled::Result(_) => None,
        }
    }

    /// Decides about a call as the runtime does: on prepared arguments, on the paths as given and with links resolved, and on each of
    /// several paths without the others.
    ///
    /// `null` stands for no arguments at all, as in a turn.
    ///
    /// # Errors
    ///
    /// [`ExplainError::NotAnObject`] and [`ExplainError::Arguments`] for arguments that do not fit the tool.
    pub fn explain(
        &self,
        arguments: &Value,
        paths: &dyn PathResolver,
    ) -> Result<Value, ExplainError> {
        match &self.rules {
            Compiled::Run(rules) => self.decide(rules, arguments, paths),
            Compiled::Result(rules) => self.decide(rules, arguments, paths),
        }
    }

    /// Every rule with its mode and a call that reaches it: `{"rules":[{"index","mode","reachedBy"}]}`.
    #[must_use]
    pub fn overview(&self) -> Value {
        match &self.rules {
            Compiled::Run(rules) => overview(rules),
            Compiled::Result(rules) => overview(rules),
        }
    }

    fn decide<M: Mode>(
        &self,
        rules: &ToolPolicy<M>,
        arguments: &Value,
        paths: &dyn PathResolver,
    ) -> Result<Value, ExplainError> {
        let decided = decided(rules, arguments, paths)?;
        let mut known = HashMap::new();
        let mut place = |rule: Option<usize>| -> Value {
            let Some(index) = rule else {
                return Value::Null;
            };
            let place = known.entry(index).or_insert_with(|| {
                let place = rules.places.get(index).copied().flatten()?;
                Some(RulePlace::new(self.view.graph(), index, place).to_json())
            });
            place.clone().unwrap_or_default()
        };
        let mut answer = Map::new();
        let mut put = |key: &str, value: Value| answer.insert(key.to_owned(), value);
        put("mode", decided.evaluation.mode.keyword().into());
        put("rule", place(decided.evaluation.rule));
        put("values", decided.evaluation.values.clone().into());
        if let [several @ .., _] = decided.decision.paths.as_slice()
            && !several.is_empty()
        {
            let each = |path: &DecidedPath<M>| {
                json!({
                    "pointer": path.pointer,
                    "value": path.value,
                    "mode": path.mode.keyword(),
                    "rule": place(path.rule),
                })
            };
            put("paths", decided.decision.paths.iter().map(each).collect());
        }
        put("trace", trace(&decided).into());
        Ok(Value::Object(answer))
    }
}

/// The decision on a call, with its reasons.
pub(super) fn decided<M: Mode>(
    rules: &ToolPolicy<M>,
    arguments: &Value,
    paths: &dyn PathResolver,
) -> Result<PathEvaluation<M>, ExplainError> {
    let arguments = match arguments {
        Value::Object(arguments) => arguments.clone(),
        Value::Null => Map::new(),
        _ => return Err(ExplainError::NotAnObject),
    };
    let arguments = Value::Object(prepare(arguments, &rules.parameters)?);
    Ok(evaluate_paths(&rules.policy, &arguments, |path| {
        paths.canonical(path)
    }))
}

fn overview<M: Mode>(rules: &ToolPolicy<M>) -> Value {
    let rules: Vec<Value> = witnesses(&rules.policy)
        .into_iter()
        .enumerate()
        .map(|(index, call)| {
            let mode = rules.policy.rule(index).map(|rule| rule.mode.keyword());
            json!({ "index": index, "mode": mode, "reachedBy": call })
        })
        .collect();
    json!({ "rules": rules })
}

/// The rules of a tool, where all of them can be used.
pub(crate) fn usable<M: Mode>(
    context: &ToolContext<'_>,
    question: PolicyQuestion,
    fallback: M,
) -> Result<ToolPolicy<M>, ExplainError> {
    let tool = || context.name.to_owned();
    let rules = ToolPolicy::of(context, question, fallback).map_err(|(index, problem)| {
        ExplainError::UnreadableRule {
            tool: tool(),
            index,
            problem,
        }
    })?;
    match rules.problems.first() {
        None => Ok(rules),
        Some(problem) => Err(ExplainError::InvalidRule {
            tool: tool(),
            problem: Box::new(problem.clone()),
        }),
    }
}

fn trace<M: Mode>(decided: &PathEvaluation<M>) -> Vec<Value> {
    let decision = &decided.decision;
    let is_one_of_several = decision.decisive.is_some() && decision.paths.len() > 1;
    let leaves = decision.outside().next().is_some();
    let overruled = decided.evaluation.rule.is_none() && leaves;
    decided
        .evaluation
        .trace
        .iter()
        .map(|entry| {
            let mut reason = entry.reason.to_string();
            if is_one_of_several && matches!(entry.reason, Reason::NoValue { .. }) {
                reason = format!("without the other paths, {reason}");
            }
            if overruled && entry.verdict == Verdict::Matched {
                reason.push_str(
                    ", but a path leads out of the workspace, so a human is asked all the same",
                );
            }
            json!({
                "index": entry.index,
                "verdict": entry.verdict.keyword(),
                "reason": reason,
            })
        })
        .collect()
}
