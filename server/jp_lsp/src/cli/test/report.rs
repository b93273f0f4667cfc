//! What came of examples, for people and for programs.
//!
//! ```json
//! {"holds":false,"total":2,"held":1,"cases":[…],"mistakes":[]}
//! ```
//!
//! Lines, columns and rules count from 1.

use std::io::{self, Write};

use camino::Utf8PathBuf;
use jp_analysis::{
    Mistake,
    examples::{self, Answer, Case, DecidedRule, Examples, ExpectedRule, Judged, Verdict},
};
use jp_config::{document::Span, refusal::Refusal};
use jp_conversation::visible;
use serde_json::{Value, json};

use crate::{
    cli::report::{
        Location,
        junit::{self, Outcome, Suite},
    },
    line_index::LineIndex,
    runtime::refusal,
};

/// What came of the examples of a workspace.
pub(super) struct Report<'a> {
    cases: Vec<Told>,
    mistakes: Vec<(Place, String)>,
    refusal: Option<&'a Refusal>,
}

/// A case, with what is decided about it; nothing where it has a mistake.
struct Told {
    case: Case,
    place: Place,
    verdicts: Vec<Verdict>,
}

/// A line and a column of the examples, from 1.
#[derive(Debug, Clone, Copy)]
struct Place {
    line: u64,
    column: u64,
}

impl Place {
    fn of(text: &str, lines: &LineIndex, span: Span) -> Self {
        let location = Location::new(Utf8PathBuf::new(), text, lines, span);
        Self {
            line: u64::from(location.start.line) + 1,
            column: u64::from(location.start.character) + 1,
        }
    }
}

impl Told {
    fn holds(&self) -> bool {
        examples::holds(&self.verdicts)
    }

    /// What does not hold, a line each.
    fn failures(&self) -> Vec<String> {
        examples::failures(&self.verdicts).collect()
    }
}

impl<'a> Report<'a> {
    pub(super) fn new(
        text: &str,
        examples: Examples,
        judged: Judged,
        refusal: Option<&'a Refusal>,
    ) -> Self {
        let lines = LineIndex::new(text);
        let place = |span| Place::of(text, &lines, span);
        let mut mistakes: Vec<Mistake> = examples.mistakes;
        mistakes.extend(judged.mistakes);
        mistakes.sort();
        let cases = examples.cases.into_iter().zip(judged.verdicts);
        Self {
            cases: cases
                .map(|(case, verdicts)| Told {
                    place: place(case.span),
                    case,
                    verdicts,
                })
                .collect(),
            mistakes: mistakes
                .into_iter()
                .map(|mistake| (place(mistake.span), mistake.message))
                .collect(),
            refusal,
        }
    }

    pub(super) fn has_mistakes(&self) -> bool {
        !self.mistakes.is_empty()
    }

    /// The exit code.
    pub(super) fn code(&self) -> u8 {
        match self.has_mistakes() {
            true => 2,
            false => u8::from(self.held() < self.cases.len()),
        }
    }

    fn held(&self) -> usize {
        self.cases.iter().filter(|told| told.holds()).count()
    }

    /// Each mistake on a line, and how many they are.
    pub(super) fn mistakes(&self) -> impl Iterator<Item = String> + '_ {
        let path = examples::PATH;
        let mistakes = self.mistakes.iter().map(move |(place, message)| {
            let Place { line, column } = place;
            format!("{path}:{line}:{column}: error: {message}")
        });
        let sum = match self.mistakes.len() {
            0 => None,
            count => {
                let count = crate::cli::report::plural(count, "mistake");
                Some(format!("jp-lsp: {count} in `{path}`, so nothing is tested"))
            }
        };
        mistakes.chain(sum)
    }

    pub(super) fn print(&self, output: &mut dyn Write) -> io::Result<()> {
        for told in &self.cases {
            let word = if told.holds() { "holds" } else { "fails" };
            let title = on_one_line(&told.case.title());
            let line = told.place.line;
            writeln!(output, "{}:{line}: {word}: {title}", examples::PATH)?;
            for failure in told.failures() {
                writeln!(output, "  {}", on_one_line(&failure))?;
            }
        }
        writeln!(output, "{} of {} hold", self.held(), self.cases.len())
    }

    pub(super) fn to_json(&self) -> Value {
        let cases: Vec<Value> = self.cases.iter().map(case_to_json).collect();
        let mistakes = self.mistakes.iter().map(|(place, message)| {
            let Place { line, column } = place;
            json!({ "path": examples::PATH, "line": line, "column": column, "message": message })
        });
        let mistakes: Vec<Value> = mistakes.collect();
        let report = json!({
            "holds": self.code() == 0,
            "total": self.cases.len(),
            "held": self.held(),
            "cases": cases,
            "mistakes": mistakes,
        });
        refusal::beside(report, self.refusal)
    }

    pub(super) fn junit(&self, output: &mut dyn Write) -> io::Result<()> {
        let path = examples::PATH;
        let decided = self.cases.iter().filter(|told| !told.verdicts.is_empty());
        let mut cases: Vec<junit::Case> = decided
            .map(|told| junit::Case {
                class: told.case.tool.clone(),
                name: told.case.title(),
                place: Some((path.to_owned(), told.place.line)),
                outcome: match told.failures() {
                    failures if failures.is_empty() => Outcome::Passed,
                    failures => Outcome::Failed {
                        kind: "failure",
                        message: failures.join("; "),
                        text: format!("{path}:{}: {}", told.place.line, failures.join("\n")),
                    },
                },
            })
            .collect();
        cases.extend(self.mistakes.iter().map(|(place, message)| {
            let Place { line, column } = place;
            junit::Case {
                class: "mistake".to_owned(),
                name: format!("{line}:{column} {message}"),
                place: Some((path.to_owned(), *line)),
                outcome: Outcome::Failed {
                    kind: "error",
                    message: message.clone(),
                    text: format!("{path}:{line}:{column}: {message}"),
                },
            }
        }));
        let name = path.to_owned();
        junit::document("jp-lsp test", &[Suite { name, cases }], output)
    }
}

fn case_to_json(told: &Told) -> Value {
    let checks: Vec<Value> = told.verdicts.iter().map(check_to_json).collect();
    json!({
        "name": told.case.name,
        "title": told.case.title(),
        "tool": told.case.tool,
        "question": told.case.question.key(),
        "path": examples::PATH,
        "line": told.place.line,
        "holds": told.holds(),
        "checks": checks,
    })
}

fn check_to_json(verdict: &Verdict) -> Value {
    let aspect = verdict.expectation.aspect.key();
    let said = |answer: &Answer, rule: Value| json!({ aspect: answer.to_json(), "rule": rule });
    let expected = match verdict.expectation.rule {
        None => json!({ aspect: verdict.expectation.answer.to_json() }),
        Some(ExpectedRule::Number(number)) => said(&verdict.expectation.answer, number.into()),
        Some(ExpectedRule::Fallback) => said(&verdict.expectation.answer, "fallback".into()),
    };
    let mut check = json!({
        "aspect": aspect,
        "holds": verdict.holds(),
        "expected": expected,
        "message": verdict.in_words(),
    });
    let (key, value) = match &verdict.decided {
        Ok(decided) => {
            let rule = decided.rule.as_ref().map_or(Value::Null, rule_to_json);
            ("decided", said(&decided.answer, rule))
        }
        Err(error) => ("error", error.to_string().into()),
    };
    if let Some(check) = check.as_object_mut() {
        check.insert(key.to_owned(), value);
    }
    check
}

fn rule_to_json(rule: &DecidedRule) -> Value {
    json!({ "number": rule.number, "path": rule.path, "line": rule.line })
}

/// Text without what could steer a terminal or look like a line of its own.
fn on_one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}
