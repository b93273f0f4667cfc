//! The choices that a prompt comes down to where one can only pick from a list.
//!
//! ```text
//! Reject / Run / Run, and other calls that this rule asks for, in this turn / Edit Arguments… / Show Details
//! Cancel / Yes / No
//! ```

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Prompt, PromptActionId, PromptAnswer, PromptAnswerType, PromptKind, Remember};
use crate::preview::one_line;

/// How many characters of an option are shown.
const TITLE_LIMIT: usize = 120;

/// The choice of a rule that answers from now on.
const ALWAYS: &str = "Always run calls like this\u{2026}";

/// One line of a list to pick from.
///
/// On the wire, `{"title": "Yes, for the rest of this turn", "effect": {"answer": {"action": "answer", "value": true, "remember": "turn"}}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptChoice {
    /// What it says; no two choices of a prompt say the same.
    pub title: String,
    /// What happens when it is picked.
    pub effect: ChoiceEffect,
}

/// What happens when a choice is picked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceEffect {
    /// This is the answer.
    Answer(Box<PromptAnswer>),
    /// The person gives a reason, and rejects with it.
    Reason,
    /// The person edits, and the edited text is the answer.
    Edit,
    /// Everything is shown, and the prompt goes on waiting.
    Details,
}

impl Prompt {
    /// The choices, the safe one first.
    #[must_use]
    pub fn choices(&self) -> Vec<PromptChoice> {
        let mut offered = Vec::new();
        for action in &self.actions {
            let title = action.title.as_str();
            match action.id {
                PromptActionId::Answer => self.add_answers(&mut offered),
                PromptActionId::Edit => offered.push(choice(title, ChoiceEffect::Edit)),
                PromptActionId::Details => offered.push(choice(title, ChoiceEffect::Details)),
                // No prompt has it among its actions.
                PromptActionId::Always => {}
                PromptActionId::Cancel => {
                    offered.push(choice(title, answer(PromptAnswer::new(action.id))));
                }
                PromptActionId::Approve | PromptActionId::Reject => {
                    offered.push(choice(title, answer(PromptAnswer::new(action.id))));
                    if self.may_remember {
                        let title = format!(
                            "{title}, and other calls that this rule asks for, in this turn"
                        );
                        let decision = PromptAnswer::new(action.id);
                        offered.push(choice(&title, remembered(decision)));
                    }
                }
            }
            if action.id == PromptActionId::Reject && self.kind != PromptKind::Question {
                let title = format!("{title} with a Reason\u{2026}");
                offered.push(choice(&title, ChoiceEffect::Reason));
            }
        }
        distinct(&mut offered);
        offered
    }

    /// The choices of a surface that can write a rule into the config: where a call waits that a rule could answer, one more, behind
    /// those that let it run.
    #[must_use]
    pub fn choices_with_rules(&self) -> Vec<PromptChoice> {
        let mut offered = self.choices();
        let runs = |choice: &PromptChoice| matches!(&choice.effect, ChoiceEffect::Answer(answer) if answer.action == PromptActionId::Approve);
        if let (Some(_), Some(last)) = (&self.waiting, offered.iter().rposition(runs)) {
            let always = answer(PromptAnswer::new(PromptActionId::Always));
            offered.insert(last + 1, choice(ALWAYS, always));
        }
        offered
    }

    fn add_answers(&self, offered: &mut Vec<PromptChoice>) {
        match self.question.as_ref().map(|question| &question.answer_type) {
            Some(PromptAnswerType::Boolean) => {
                let answers = [("Yes", true), ("No", false)];
                for (title, value) in answers {
                    offered.push(choice(title, answer(PromptAnswer::value(value))));
                }
                for (title, value) in answers.into_iter().filter(|_| self.may_remember) {
                    let title = format!("{title}, for the rest of this turn");
                    offered.push(choice(&title, remembered(PromptAnswer::value(value))));
                }
            }
            Some(PromptAnswerType::Select { options }) => {
                offered.extend(options.iter().map(|option| {
                    let title = one_line(option, TITLE_LIMIT);
                    choice(&title, answer(PromptAnswer::value(option.as_str())))
                }));
            }
            Some(PromptAnswerType::Text | PromptAnswerType::Secret) | None => {}
        }
    }
}

fn choice(title: &str, effect: ChoiceEffect) -> PromptChoice {
    PromptChoice {
        title: title.to_owned(),
        effect,
    }
}

fn answer(answer: PromptAnswer) -> ChoiceEffect {
    ChoiceEffect::Answer(Box::new(answer))
}

fn remembered(decision: PromptAnswer) -> ChoiceEffect {
    answer(PromptAnswer {
        remember: Some(Remember::Turn),
        ..decision
    })
}

/// Numbers the titles that stood there before: clients answer by title.
fn distinct(choices: &mut [PromptChoice]) {
    let mut seen = HashSet::new();
    for choice in choices {
        let title = choice.title.clone();
        let mut number = 1_u32;
        while !seen.insert(choice.title.clone()) {
            number += 1;
            choice.title = format!("{title} ({number})");
        }
    }
}
