//! What a policy decides about a call, in words.
//!
//! ```text
//! edit asks before it runs, by rule 3 at .jp/config.toml:12.
//! ```

use std::collections::{BTreeMap, BTreeSet};

use jp_config::{refusal::Refusal, view::View};
use jp_policy::{
    DecidedPath, Mode, ParameterType, Parameters, PathEvaluation, Reason, ResultMode, RunMode,
    Verdict, normalize_path, witnesses,
};
use serde_json::{Map, Value};

use super::{
    rules::{condition_words, mode_words},
    style::Style,
};
use crate::{
    explain::{
        ExplainError, PathResolver, PolicyOrigin, PolicyQuestion, RulePlace, ToolPolicy,
        policy::decided, tool::context,
    },
    text::markup::{Markup, code, shortened},
    tool::{ToolContext, parameters::parameters},
};

/// The most rules that a table lists beside the one that decides.
const MAXIMUM_ROWS: usize = 60;

/// The most characters of a value that are shown.
const MAXIMUM_VALUE: usize = 80;

/// What happens to a call, or, without one, what the rules of the tool are.
///
/// A rule that is broken is told and left out; that no turn starts then is said too.
///
/// # Errors
///
/// No such tool, and arguments that do not fit it.
pub fn policy(
    view: &View,
    tool: &str,
    question: PolicyQuestion,
    call: Option<&Value>,
    refusal: Option<&Refusal>,
    paths: &dyn PathResolver,
    style: Style<'_>,
) -> Result<String, ExplainError> {
    let context = context(view, tool)?;
    let mut markup = Markup::new(style.kind);
    match question {
        PolicyQuestion::Run => {
            let account = Account::<RunMode>::of(view, &context, question, RunMode::Ask, style);
            account.write(call, paths, &mut markup)?;
        }
        PolicyQuestion::Result => {
            let fallback = ResultMode::Unattended;
            let account = Account::of(view, &context, question, fallback, style);
            account.write(call, paths, &mut markup)?;
        }
    }
    if let Some(refusal) = refusal {
        markup.paragraph(&format!(
            "No turn starts with this config: {}",
            style.message(&refusal.to_string())
        ));
    }
    Ok(markup.finish())
}

/// The arguments of a call, from `NAME=VALUE` as people type them.
///
/// A parameter that takes text takes the value as it stands; any other takes it as JSON where it is JSON.
/// A name that is given several times, and a single value for a list, make a list.
///
/// # Errors
///
/// A word without `=`, and a name that is given twice though the parameter is no list.
pub fn arguments_from_words(
    view: &View,
    tool: &str,
    words: &[String],
) -> Result<Value, ExplainError> {
    let parameters = parameters(&context(view, tool)?);
    let mut given: Map<String, Value> = Map::new();
    for word in words {
        let Some((name, text)) = word.split_once('=') else {
            return Err(ExplainError::Argument(word.clone()));
        };
        let (value, is_list) = argument(&parameters, name, text);
        match given.get_mut(name) {
            None => {
                given.insert(name.to_owned(), value);
            }
            Some(Value::Array(items)) if is_list => match value {
                Value::Array(more) => items.extend(more),
                one => items.push(one),
            },
            Some(_) => return Err(ExplainError::GivenTwice(name.to_owned())),
        }
    }
    Ok(Value::Object(given))
}

/// The value that a text stands for, and whether it may be one of several.
fn argument(parameters: &Parameters, name: &str, text: &str) -> (Value, bool) {
    let types = parameters
        .properties
        .get(name)
        .map(|parameter| parameter.types.as_slice())
        .unwrap_or_default();
    let takes_text = types
        .iter()
        .any(|kind| matches!(kind, ParameterType::String | ParameterType::Path));
    if takes_text {
        return (text.into(), false);
    }
    let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let is_list = types.contains(&ParameterType::Array);
    match value {
        Value::Array(_) => (value, is_list),
        one if is_list => {
            let items = parameters.properties.get(name);
            let items = items.and_then(|list| list.items.as_ref());
            let holds_text = items.is_some_and(|items| {
                let text = |kind| matches!(kind, ParameterType::String | ParameterType::Path);
                items.types.iter().copied().any(text)
            });
            let item = if holds_text { text.into() } else { one };
            (Value::Array(vec![item]), true)
        }
        one => (one, false),
    }
}

/// The rules of a tool, with everything that a text about them needs.
struct Account<'a, M> {
    view: &'a View,
    tool: &'a str,
    question: PolicyQuestion,
    rules: ToolPolicy<M>,
    /// Why a rule takes no part, by its index.
    broken: BTreeMap<usize, String>,
    style: Style<'a>,
}

impl<'a, M: Mode> Account<'a, M> {
    fn of(
        view: &'a View,
        context: &ToolContext<'a>,
        question: PolicyQuestion,
        fallback: M,
        style: Style<'a>,
    ) -> Self {
        let (rules, unreadable) = ToolPolicy::but_unreadable(context, question, fallback);
        let problems = rules.problems.iter();
        let mut broken: BTreeMap<usize, String> = problems
            .map(|problem| (problem.rule, problem.kind.to_string()))
            .collect();
        broken.extend(
            unreadable
                .into_iter()
                .map(|(rule, error)| (rule, error.to_string())),
        );
        Self {
            view,
            tool: context.name,
            question,
            rules,
            broken,
            style,
        }
    }

    fn write(
        &self,
        call: Option<&Value>,
        paths: &dyn PathResolver,
        markup: &mut Markup,
    ) -> Result<(), ExplainError> {
        match call {
            Some(call) => {
                let decided = decided(&self.rules, call, paths)?;
                self.decision(&decided, markup);
            }
            None => self.overview(markup),
        }
        Ok(())
    }

    /// `edit` or `the result of edit`.
    fn subject(&self) -> String {
        match self.question {
            PolicyQuestion::Run => code(self.tool),
            PolicyQuestion::Result => format!("the result of {}", code(self.tool)),
        }
    }

    fn is_one_mode(&self) -> bool {
        let first = self.rules.policy.rule(0);
        self.rules.policy.len() < 2
            && self.broken.is_empty()
            && first.is_none_or(|rule| rule.arg.is_none())
    }

    fn place(&self, rule: usize) -> Option<String> {
        let place = self.rules.places.get(rule).copied().flatten()?;
        let RulePlace { path, line, .. } = RulePlace::new(self.view.graph(), rule, place);
        Some(self.style.place(&path, line + 1))
    }

    /// `by rule 2 at .jp/config.toml:5`.
    fn by(&self, rule: usize) -> String {
        let key = self.question.key();
        let name = match self.rules.origin {
            PolicyOrigin::Policy => format!("rule {}", rule + 1),
            PolicyOrigin::DefaultsPolicy => format!("rule {} of the tool defaults", rule + 1),
            PolicyOrigin::Mode => code(key),
            PolicyOrigin::DefaultsMode => format!("{} of the tool defaults", code(key)),
            PolicyOrigin::Nothing => return "because no config says otherwise".to_owned(),
        };
        match self.place(rule) {
            Some(place) => format!("by {name} at {place}"),
            None => format!("by {name}"),
        }
    }

    fn decision(&self, decided: &PathEvaluation<M>, markup: &mut Markup) {
        let evaluation = &decided.evaluation;
        let words = mode_words(self.question, evaluation.mode.keyword());
        let outside: Vec<String> = decided.decision.outside().map(code).collect();
        let reason = match evaluation.rule {
            Some(rule) => self.by(rule),
            None if !outside.is_empty() => {
                let verb = if outside.len() == 1 { "leads" } else { "lead" };
                format!("because {} {verb} out of the workspace", listed(&outside))
            }
            None if self.broken.is_empty() => "because no rule matches".to_owned(),
            None => "because no other rule matches".to_owned(),
        };
        markup.paragraph(&sentence(&format!("{} {words}, {reason}.", self.subject())));
        self.each_path(decided, markup);
        self.tell_broken(|rule| evaluation.rule.is_none_or(|by| rule < by), markup);
        if !self.is_one_mode() {
            self.table_of_call(decided, markup);
        }
    }

    fn each_path(&self, decided: &PathEvaluation<M>, markup: &mut Markup) {
        let paths = &decided.decision.paths;
        let is_one_of_several = paths.len() > 1;
        let leads = |path: &DecidedPath<M>| {
            let target = path.target.as_ref()?;
            let is_elsewhere = *target != normalize_path(&path.value);
            is_elsewhere.then(|| format!("leads to {}", code(target)))
        };
        if is_one_of_several {
            markup.paragraph("Each path is decided on its own, and the strictest decision counts:");
        }
        for path in paths.iter().take(MAXIMUM_ROWS) {
            let mut words = vec![];
            words.extend(leads(path));
            if is_one_of_several {
                let mode = mode_words(self.question, path.mode.keyword());
                words.push(match path.rule {
                    Some(rule) => format!("{mode} (rule {})", rule + 1),
                    None => mode.to_owned(),
                });
            }
            if !words.is_empty() {
                let value = code(&shortened(&path.value, MAXIMUM_VALUE));
                markup.item(&format!("{value} {}", words.join(", and ")));
            }
        }
    }

    fn tell_broken(&self, could_decide: impl Fn(usize) -> bool, markup: &mut Markup) {
        for (rule, problem) in self.broken.iter().take(MAXIMUM_ROWS) {
            let more = match could_decide(*rule) {
                true => "; once it is mended, it may decide this call",
                false => "",
            };
            markup.paragraph(&format!(
                "Rule {} is broken and left out{more}: {}",
                rule + 1,
                self.style.message(problem)
            ));
        }
    }

    /// `/path starts with "src": unattended`.
    fn rule_words(&self, index: usize) -> String {
        let Some(rule) = self.rules.policy.rule(index) else {
            return String::new();
        };
        if self.broken.contains_key(&index) {
            return "(broken)".to_owned();
        }
        let condition = condition_words(rule).unwrap_or_else(|| "every call".to_owned());
        format!("{condition}: {}", code(rule.mode.keyword()))
    }

    fn table_of_call(&self, decided: &PathEvaluation<M>, markup: &mut Markup) {
        let decides = decided.evaluation.rule;
        let shown = self.shown_rules(decides);
        let others = decided.decision.decisive.is_some() && decided.decision.paths.len() > 1;
        let trace = decided.evaluation.trace.iter();
        let mut rows: Vec<Vec<String>> = trace
            .filter(|entry| shown.contains(&entry.index))
            .map(|entry| {
                let verdict = match (entry.verdict, self.broken.contains_key(&entry.index)) {
                    (_, true) => "broken",
                    (Verdict::Matched, _) => "yes",
                    (Verdict::NotMatched, _) => "no",
                    (Verdict::Skipped, _) => "not tried",
                };
                vec![
                    (entry.index + 1).to_string(),
                    verdict.to_owned(),
                    self.rule_words(entry.index),
                    reason_words(&entry.reason, others),
                    self.place(entry.index).unwrap_or_default(),
                ]
            })
            .collect();
        if decides.is_none() {
            rows.push(vec![
                String::new(),
                "yes".to_owned(),
                format!("otherwise: {}", code(M::ASK.keyword())),
            ]);
        }
        markup.table(&["#", "matches", "rule", "why", "where"], &rows);
        self.tell_hidden(&shown, markup);
    }

    fn overview(&self, markup: &mut Markup) {
        let subject = self.subject();
        if self.is_one_mode() {
            let mode = self.rules.policy.is_unconditional().unwrap_or(M::ASK);
            let words = mode_words(self.question, mode.keyword());
            markup.paragraph(&sentence(&format!("{subject} {words}, {}.", self.by(0))));
            return;
        }
        let count = self.rules.policy.len();
        let noun = if count == 1 { "rule" } else { "rules" };
        markup.paragraph(&sentence(&format!(
            "{subject} has {count} {noun}; the first that matches a call decides."
        )));
        self.tell_broken(|_| false, markup);
        let shown = self.shown_rules(None);
        let calls = witnesses(&self.rules.policy);
        let rows: Vec<Vec<String>> = shown
            .iter()
            .map(|index| {
                let call = calls.get(*index).and_then(Option::as_ref);
                let call = call.map(|call| code(&shortened(&call.to_string(), MAXIMUM_VALUE)));
                vec![
                    (index + 1).to_string(),
                    self.rule_words(*index),
                    call.unwrap_or_else(|| "no call was found".to_owned()),
                    self.place(*index).unwrap_or_default(),
                ]
            })
            .collect();
        markup.table(&["#", "rule", "reached by", "where"], &rows);
        self.tell_hidden(&shown, markup);
    }

    /// The rules that a table shows: the first ones, and the one that decides.
    fn shown_rules(&self, decides: Option<usize>) -> BTreeSet<usize> {
        (0..self.rules.policy.len().min(MAXIMUM_ROWS))
            .chain(decides)
            .collect()
    }

    fn tell_hidden(&self, shown: &BTreeSet<usize>, markup: &mut Markup) {
        let hidden = self.rules.policy.len().saturating_sub(shown.len());
        if hidden > 0 {
            markup.paragraph(&format!("{hidden} more rules are not shown."));
        }
    }
}

/// The same, as the begin of a sentence.
fn sentence(text: &str) -> String {
    match text.strip_prefix("the ") {
        Some(rest) => format!("The {rest}"),
        None => text.to_owned(),
    }
}

/// `a`, `b` and `c`.
fn listed(names: &[String]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((one, [])) => one.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// Why a rule matched or did not; beside the rule, so that neither argument nor matcher is named again.
fn reason_words(reason: &Reason, without_others: bool) -> String {
    let shown = |value: &Value| code(&shortened(&value.to_string(), MAXIMUM_VALUE));
    match reason {
        Reason::CatchAll => "it has no condition".to_owned(),
        Reason::ValueMatches { value, .. } => format!("{} fits", shown(value)),
        Reason::NoValueMatches { count, .. } => format!("none of the {count} values fits"),
        Reason::ValueDoesNotMatch { value, .. } => format!("{} does not fit", shown(value)),
        Reason::NoValue { .. } if without_others => {
            "without the other paths, the call has no value there".to_owned()
        }
        Reason::NoValue { .. } => "the call has no value there".to_owned(),
        Reason::Decided { by } => format!("rule {} decides before it", by + 1),
        Reason::Invalid => "it cannot be used".to_owned(),
        Reason::Unresolved { pointer } => format!("the tool has no parameter {}", code(pointer)),
    }
}
