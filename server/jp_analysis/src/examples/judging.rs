//! What is decided about each case.
//!
//! ```text
//! expected `ask` by rule 2, decided `unattended` by rule 1 at .jp/config.toml:5
//! ```

use std::{collections::BTreeMap, sync::Arc};

use jp_config::{document::Span, graph::Graph, view::View};
use jp_policy::{ArgumentProblem, Parameters};
use serde_json::Value;

use super::{Answer, Aspect, Case, Expectation, ExpectedRule, Question};
use crate::{
    explain::{
        AccessExplainer, ExplainError, PathResolver, PolicyExplainer, PolicyQuestion, view_of_tool,
    },
    mistake::Mistake,
    tool::DEFAULTS,
};

/// What came of the cases.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judged {
    /// What is decided about each case, in their order, expectation by expectation; nothing about a case with a mistake.
    pub verdicts: Vec<Vec<Verdict>>,
    /// What no config can answer, by position: an unknown tool, arguments that it does not take.
    pub mistakes: Vec<Mistake>,
}

/// An expectation beside what is decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What is expected.
    pub expectation: Expectation,
    /// What is decided; an error where the config cannot be decided with.
    pub decided: Result<Decided, ExplainError>,
}

/// What the config decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The decision.
    pub answer: Answer,
    /// The rule that makes it; none for the fallback.
    pub rule: Option<DecidedRule>,
}

/// The rule that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedRule {
    /// Its number in the effective list, counted from 1.
    pub number: u64,
    /// Its file, relative to the workspace where it lies below it.
    pub path: String,
    /// Its line, counted from 1.
    pub line: u64,
}

/// Whether a case holds; one with a mistake, of which nothing is decided, does not.
#[must_use]
pub fn holds(verdicts: &[Verdict]) -> bool {
    !verdicts.is_empty() && verdicts.iter().all(Verdict::holds)
}

/// What of a case does not hold, a line each; nothing where it holds, or has a mistake.
pub fn failures(verdicts: &[Verdict]) -> impl Iterator<Item = String> + '_ {
    verdicts
        .iter()
        .filter(|verdict| !verdict.holds())
        .map(|verdict| {
            let aspect = verdict.expectation.aspect.key();
            format!("{aspect}: {}", verdict.in_words())
        })
}

impl Verdict {
    /// Whether what is decided is what is expected.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.decided.as_ref().is_ok_and(|decided| {
            let number = decided.rule.as_ref().map(|rule| rule.number);
            decided.answer == self.expectation.answer
                && match self.expectation.rule {
                    None => true,
                    Some(ExpectedRule::Fallback) => number.is_none(),
                    Some(ExpectedRule::Number(expected)) => number == Some(expected),
                }
        })
    }

    /// What is expected and what is decided, in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        let expected = self.expectation.answer.word();
        let by = match self.expectation.rule {
            None => String::new(),
            Some(ExpectedRule::Number(number)) => format!(" by rule {number}"),
            Some(ExpectedRule::Fallback) => " by no rule".to_owned(),
        };
        let decided = match &self.decided {
            Ok(decided) => format!("decided `{}` {}", decided.answer.word(), decided.by()),
            Err(error) => format!("cannot be decided: {error}"),
        };
        format!("expected `{expected}`{by}, {decided}")
    }
}

impl Decided {
    /// By what it is decided, in words.
    fn by(&self) -> String {
        match &self.rule {
            Some(DecidedRule { number, path, line }) => {
                format!("by rule {number} at {path}:{line}")
            }
            None => "by no rule".to_owned(),
        }
    }
}

/// Compares each case with what the config of a graph decides.
#[must_use]
pub fn judge(cases: &[Case], graph: &Arc<Graph>, paths: &dyn PathResolver) -> Judged {
    let mut by_tool: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        by_tool.entry(&case.tool).or_default().push(index);
    }
    let mut judged = Judged {
        verdicts: vec![Vec::new(); cases.len()],
        mistakes: Vec::new(),
    };
    for (tool, indexes) in by_tool {
        let view = match tool == DEFAULTS {
            // The defaults are no tool, and no call is one of them.
            true => Err(ExplainError::UnknownTool {
                tool: tool.to_owned(),
                suggestion: None,
            }),
            false => view_of_tool(graph, tool),
        };
        let mut asked = view.as_ref().map(|view| Asked::new(view, tool, paths));
        for index in indexes {
            let (Some(case), Some(verdicts)) = (cases.get(index), judged.verdicts.get_mut(index))
            else {
                continue;
            };
            match &mut asked {
                Ok(asked) => match asked.verdicts(case) {
                    Ok(found) => *verdicts = found,
                    Err(mistakes) => judged.mistakes.extend(mistakes),
                },
                Err(error) => judged.mistakes.push(Mistake {
                    span: case.tool_span,
                    message: unknown_tool(error),
                }),
            }
        }
    }
    judged.mistakes.sort();
    judged.mistakes.dedup();
    judged
}

fn unknown_tool(error: &ExplainError) -> String {
    match error {
        ExplainError::UnknownTool {
            suggestion: None, ..
        } => format!("{error}: write the name of a table below `conversation.tools`"),
        error => error.to_string(),
    }
}

/// The explainers of one tool, each made when it is first asked.
struct Asked<'a> {
    view: &'a View,
    tool: &'a str,
    paths: &'a dyn PathResolver,
    run: Option<Result<PolicyExplainer<'a>, ExplainError>>,
    result: Option<Result<PolicyExplainer<'a>, ExplainError>>,
    access: Option<Result<AccessExplainer<'a>, ExplainError>>,
}

impl<'a> Asked<'a> {
    const fn new(view: &'a View, tool: &'a str, paths: &'a dyn PathResolver) -> Self {
        Self {
            view,
            tool,
            paths,
            run: None,
            result: None,
            access: None,
        }
    }

    /// What is decided about a case, or what is wrong with it.
    fn verdicts(&mut self, case: &Case) -> Result<Vec<Verdict>, Vec<Mistake>> {
        let verdicts = case.expectations.iter().map(|expectation| {
            let answered = self.answer(case, expectation.aspect);
            let decided = match answered {
                Ok(answer) => Ok(answer),
                Err(Refused::Config(error)) => Err(error),
                Err(Refused::Case(mistakes)) => return Err(mistakes),
            };
            Ok(Verdict {
                expectation: expectation.clone(),
                decided,
            })
        });
        verdicts.collect()
    }

    fn answer(&mut self, case: &Case, aspect: Aspect) -> Result<Decided, Refused> {
        let (view, tool, paths) = (self.view, self.tool, self.paths);
        let (made, question) = match aspect {
            Aspect::Run => (&mut self.run, PolicyQuestion::Run),
            Aspect::Result => (&mut self.result, PolicyQuestion::Result),
            Aspect::Allowed => {
                let explainer = self
                    .access
                    .get_or_insert_with(|| AccessExplainer::new(view, tool, paths))
                    .as_ref()
                    .map_err(|error| Refused::Config(error.clone()))?;
                let answer = explainer.explain(&case.input, paths);
                let answer = answer.map_err(|error| Refused::Case(vec![target(case, &error)]))?;
                let allowed = answer.get("allowed").and_then(Value::as_bool);
                return Ok(Decided {
                    answer: Answer::Allowed(allowed == Some(true)),
                    rule: rule(&answer),
                });
            }
        };
        let explainer = made
            .get_or_insert_with(|| PolicyExplainer::new(view, tool, question))
            .as_ref()
            .map_err(|error| Refused::Config(error.clone()))?;
        let answer = explainer.explain(&case.input, paths);
        let answer =
            answer.map_err(|error| Refused::Case(call(case, error, explainer.parameters())))?;
        let mode = answer.get("mode").and_then(Value::as_str);
        Ok(Decided {
            answer: Answer::Mode(mode.unwrap_or_default().to_owned()),
            rule: rule(&answer),
        })
    }
}

/// Why nothing is decided.
enum Refused {
    /// The config cannot be decided with.
    Config(ExplainError),
    /// Nothing can be decided about the case.
    Case(Vec<Mistake>),
}

/// The rule in an answer of `explain`, where `index` counts from 0.
fn rule(answer: &Value) -> Option<DecidedRule> {
    let rule = answer.get("rule")?;
    Some(DecidedRule {
        number: rule.get("index")?.as_u64()? + 1,
        path: rule.get("path")?.as_str()?.to_owned(),
        line: rule.get("line")?.as_u64()?,
    })
}

/// What is wrong with the target of an access.
fn target(case: &Case, error: &ExplainError) -> Mistake {
    let place = match case.question {
        Question::Fs | Question::Config => case.places.get("path"),
        Question::Call | Question::Net | Question::Env => None,
    };
    Mistake {
        span: place.copied().unwrap_or(case.input_span),
        message: error.to_string(),
    }
}

/// What is wrong with the arguments of a call, one by one.
fn call(case: &Case, error: ExplainError, parameters: &Parameters) -> Vec<Mistake> {
    let problems = match error {
        ExplainError::Arguments(error) => error.0,
        error => {
            return vec![Mistake {
                span: case.input_span,
                message: error.to_string(),
            }];
        }
    };
    let at = |place: &str| -> Span { case.places.get(place).copied().unwrap_or(case.input_span) };
    let names = || {
        let names: Vec<&str> = parameters.properties.keys().map(String::as_str).collect();
        match names.as_slice() {
            [] => format!("`{}` takes no arguments", case.tool),
            names => format!("`{}` takes `{}`", case.tool, names.join("`, `")),
        }
    };
    let mistakes = problems.iter().map(|problem| match problem {
        ArgumentProblem::Unknown { place, near } => Mistake {
            span: at(place),
            message: match near {
                Some(_) => format!("{problem}?"),
                None if place.contains(['.', '[']) => format!("{problem}: leave it out"),
                None => format!("{problem}: {}", names()),
            },
        },
        ArgumentProblem::Missing { place } => Mistake {
            span: case.input_span,
            message: format!(
                "{problem}: `{}` requires it, so write `{place} = …`",
                case.tool
            ),
        },
        ArgumentProblem::Type { place, .. } | ArgumentProblem::Enumeration { place, .. } => {
            Mistake {
                span: at(place),
                message: problem.to_string(),
            }
        }
    });
    mistakes.collect()
}
