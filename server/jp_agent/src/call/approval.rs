//! From arguments to leave to run with them: the policy decides, and a person where it says so.
//!
//! ```text
//! prepare -> decide -> format -> ask (in the order of the calls) -> (the model has finished) -> decide again -> run
//! ```
//!
//! A policy looks at where paths lead, and that can change while a model speaks, a person reads or another call runs.
//! So it is asked again right before the tool starts; what a person has approved holds for exactly what was shown.

use std::fmt::Write as _;
use std::pin::pin;
use std::task::Poll;

use futures::poll;
use jp_conversation::{Answerer, DecidedBy, DecisionOutcome};
use jp_policy::RunMode;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::places::Place;
use super::{CallResult, Cycle, Running};
use crate::arguments::{invalid_arguments, prepare};
use crate::decision::{Decision, Link, decide, prompt_rule};
use crate::local::LocalTool;
use crate::prompt::{PromptNote, PromptOutcome, PromptRule, PromptSubject, Reply};
use crate::texts;

/// How many links a prompt names.
const MOST_LINKS: usize = 8;

/// Leave to run.
#[derive(Debug)]
pub(super) struct Approval {
    /// The prepared arguments.
    pub(super) arguments: Map<String, Value>,
    /// Whether a person has edited them.
    pub(super) is_edited: bool,
    /// The decision that nobody had to be asked about, or that a person has said yes to.
    decision: Decision<RunMode>,
}

impl Approval {
    /// Whether the call names files, so that its place among the other calls matters.
    pub(super) const fn names_files(&self) -> bool {
        self.decision.names_files
    }

    /// Whether the call may run although it is decided like this.
    fn covers(&self, decision: &Decision<RunMode>) -> bool {
        match decision.mode {
            RunMode::Unattended => true,
            RunMode::Skip => false,
            RunMode::Ask | RunMode::Edit => *decision == self.decision,
        }
    }
}

/// What a person is asked about.
struct Question {
    arguments: Map<String, Value>,
    is_edited: bool,
    decision: Decision<RunMode>,
    /// Whether the arguments are to be edited.
    edits: bool,
    /// What the tool's own formatter makes of the arguments.
    rendered: Option<String>,
    /// Why the person is asked again.
    again: Option<String>,
}

impl From<Question> for Approval {
    fn from(question: Question) -> Self {
        Self {
            arguments: question.arguments,
            is_edited: question.is_edited,
            decision: question.decision,
        }
    }
}

impl Running<'_> {
    /// Prepares, decides and asks: leave to run, or the result of a call that does not run.
    ///
    /// The first prompt is in the queue, or known to be none, before a later call asks.
    pub(super) async fn approve(
        &self,
        rendered: &mut Option<oneshot::Sender<Option<String>>>,
        place: Place,
    ) -> Result<Approval, CallResult> {
        let config = &self.cycle.config;
        let arguments = self.call.arguments.clone().map_err(|invalid| {
            CallResult::error(invalid_arguments(self.tool, config, &invalid.to_string()))
        })?;
        let arguments = prepare(self.tool, config, arguments).map_err(CallResult::error)?;
        let decision = self.decide(&arguments)?;
        let is_unattended = decision.mode == RunMode::Unattended;
        let mut place = Some(place);
        if is_unattended {
            drop(place.take());
        }
        let formats_early = self.tool.formats_unattended(decision.mode);
        let shown = if formats_early {
            self.format(&arguments).await?
        } else {
            None
        };
        let mut tell = || {
            if let Some(rendered) = rendered.take()
                && formats_early
            {
                // Nobody waits for it any more when the turn has gone on.
                let _ = rendered.send(shown.clone());
            }
        };
        let question = Question {
            arguments,
            is_edited: false,
            edits: decision.mode == RunMode::Edit,
            decision,
            rendered: shown.clone(),
            again: None,
        };
        let approval = if is_unattended {
            tell();
            self.note_policy(&question.decision, DecisionOutcome::Allowed);
            question.into()
        } else {
            if let Some(place) = &place {
                place.comes().await;
            }
            let mut asked = pin!(self.ask(question));
            // The prompt is in the queue before the turn goes on, so the question of no later call comes first.
            let first = poll!(asked.as_mut());
            drop(place.take());
            tell();
            match first {
                Poll::Ready(answer) => answer?,
                Poll::Pending => asked.await?,
            }
        };
        if !formats_early {
            self.format(&approval.arguments).await?;
        }
        Ok(approval)
    }

    /// Decides again on the file system as it is, and asks where that is not what was decided and approved before.
    pub(super) async fn confirm(&self, approval: &mut Approval) -> Result<(), CallResult> {
        loop {
            let decision = self.decide(&approval.arguments)?;
            if approval.covers(&decision) {
                return Ok(());
            }
            let question = Question {
                arguments: approval.arguments.clone(),
                is_edited: approval.is_edited,
                edits: decision.mode == RunMode::Edit,
                decision,
                rendered: None,
                again: Some(texts::DECIDED_ANEW.to_owned()),
            };
            // A prompt takes its time too, so this is not the last look.
            *approval = self.ask(question).await?;
        }
    }

    /// The decision about arguments; as an error where the call does not run.
    fn decide(&self, arguments: &Map<String, Value>) -> Result<Decision<RunMode>, CallResult> {
        let root = self.cycle.workspace.root();
        let decision = decide(&self.tool.run, &self.tool.schema, root, arguments);
        if decision.mode == RunMode::Skip {
            self.note_policy(&decision, DecisionOutcome::Refused);
            return Err(CallResult::ok(texts::skipped(None)));
        }
        Ok(decision)
    }

    /// Puts on record what the policy has decided alone.
    fn note_policy(&self, decision: &Decision<RunMode>, outcome: DecisionOutcome) {
        let said = (outcome, DecidedBy::Policy);
        let recorded = decision.recorded(&self.tool.run, said, Answerer::default());
        self.call.noted().decisions.run = Some(recorded);
    }

    /// Puts on record what a person, or nobody, has said to a decision.
    fn note_reply(&self, decision: &Decision<RunMode>, reply: &Reply) {
        let recorded =
            decision.recorded(&self.tool.run, said(&reply.outcome), reply.answerer.clone());
        self.call.noted().decisions.run = Some(recorded);
    }

    /// Puts on record what a person has said earlier in the turn.
    fn note_remembered(&self, decision: &Decision<RunMode>, outcome: DecisionOutcome) {
        let said = (outcome, DecidedBy::Person);
        let mut recorded = decision.recorded(&self.tool.run, said, Answerer::default());
        recorded.remembered = true;
        self.call.noted().decisions.run = Some(recorded);
    }

    /// Runs the tool's formatter, if it has one.
    async fn format(&self, arguments: &Map<String, Value>) -> Result<Option<String>, CallResult> {
        let (Some(local), Some(_)) = (&self.ready.local, &self.tool.formatter) else {
            return Ok(None);
        };
        let run = self.tool_run(arguments.clone());
        let formatted = LocalTool::format(local, &self.cycle.workspace, &run, self.cancel).await;
        match formatted {
            Ok(text) => {
                if let Some(text) = &text {
                    let Cycle { sink, record, .. } = &**self.cycle;
                    sink.rendered_arguments(record.id(), &self.call.id, text);
                }
                Ok(text)
            }
            Err(_) if self.cancel.is_cancelled() => Err(CallResult::cancelled()),
            Err(error) => {
                let error = texts::formatter_failed(&self.call.name, &error);
                Err(CallResult::error(error))
            }
        }
    }

    /// Asks until there is an answer that stands.
    async fn ask(&self, mut question: Question) -> Result<Approval, CallResult> {
        while let Some(edited) = self.ask_once(&question).await? {
            question.is_edited = true;
            question.rendered = None;
            // What a person has edited is checked and decided like what the model wrote.
            match jp_policy::prepare(edited.clone(), &self.tool.schema) {
                Ok(arguments) => {
                    let decision = self.decide(&arguments)?;
                    // The person has seen and approved exactly these, but not where their links lead.
                    let is_seen =
                        decision.links.is_empty() || decision.links == question.decision.links;
                    question = Question {
                        arguments,
                        decision,
                        edits: false,
                        again: None,
                        ..question
                    };
                    if is_seen {
                        break;
                    }
                }
                Err(problem) => {
                    let problem = problem.to_string();
                    let notice = invalid_arguments(self.tool, &self.cycle.config, &problem);
                    self.cycle.sink.notice(self.cycle.record.id(), &notice);
                    // Nothing that the person wrote is lost.
                    question = Question {
                        arguments: edited,
                        edits: true,
                        again: Some(format!("Invalid arguments: {problem}.")),
                        ..question
                    };
                }
            }
        }
        Ok(question.into())
    }

    /// Asks whether the call may run; `Some` holds edited arguments.
    async fn ask_once(
        &self,
        question: &Question,
    ) -> Result<Option<Map<String, Value>>, CallResult> {
        let Question {
            arguments,
            decision,
            edits,
            rendered,
            again,
            ..
        } = question;
        let Cycle {
            answers, source, ..
        } = &**self.cycle;
        let asking = decision.asking(&self.call.name, &self.tool.run);
        match answers.permission(&asking) {
            Some(false) => {
                self.note_remembered(decision, DecisionOutcome::Refused);
                return Err(CallResult::ok(texts::SKIPPED_REMEMBERED));
            }
            // A path out of the workspace is a question of its own.
            Some(true) if !edits && !decision.leaves() => {
                self.note_remembered(decision, DecisionOutcome::Allowed);
                return Ok(None);
            }
            _ => {}
        }
        let subject = if *edits {
            PromptSubject::Edit {
                arguments: arguments.clone(),
            }
        } else {
            let run = self.tool_run(arguments.clone());
            let argv = self
                .ready
                .local
                .as_ref()
                .map(|local| local.command_line(&self.cycle.workspace, &run))
                .transpose()
                .map_err(CallResult::error)?;
            PromptSubject::Run {
                arguments: arguments.clone(),
                argv,
                rendered: rendered.clone(),
            }
        };
        let rules = &self.tool.run.policy;
        let rule = PromptRule {
            rules: (0..rules.len())
                .filter_map(|rule| rules.rule(rule).cloned())
                .collect(),
            ..prompt_rule(&**source, &self.tool.run, decision.rule)
        };
        let local = self.ready.local.as_ref();
        let held = local.and_then(|local| local.held_in_words(&self.cycle.workspace));
        let held = held.as_ref().or(self.ready.server_held.as_ref());
        let note = note(&decision.links, again.as_deref(), held.map(String::as_str));
        let reply = self.prompt(subject, rule, note).await;
        self.note_reply(decision, &reply);
        match reply.outcome {
            PromptOutcome::Approved { remember } => {
                if remember && !decision.leaves() {
                    answers.remember_permission(&asking, true);
                }
                Ok(None)
            }
            PromptOutcome::Edited {
                value: Value::Object(edited),
            } => Ok(Some(edited)),
            PromptOutcome::Rejected { reason, remember } => {
                if remember {
                    let decisive = decision.decisive(&self.call.name, &self.tool.run);
                    answers.remember_permission(&[decisive], false);
                }
                Err(CallResult::ok(texts::skipped(reason.as_deref())))
            }
            PromptOutcome::Cancelled if *edits => {
                Err(CallResult::ok(texts::skipped(Some("Edit cancelled"))))
            }
            PromptOutcome::Withdrawn => Err(CallResult::cancelled()),
            PromptOutcome::Unavailable { reason } => {
                tracing::info!(tool = self.call.name, reason, "nobody to approve a call");
                Err(CallResult::error(texts::nobody_to_approve(&self.call.name)))
            }
            // Whatever else comes back is no approval.
            PromptOutcome::Cancelled
            | PromptOutcome::Edited { .. }
            | PromptOutcome::Answered { .. } => Err(CallResult::ok(texts::skipped(None))),
        }
    }
}

/// What an outcome of a prompt comes to on record, and who has said so.
pub(super) const fn said(outcome: &PromptOutcome) -> (DecisionOutcome, DecidedBy) {
    match outcome {
        PromptOutcome::Approved { .. } => (DecisionOutcome::Allowed, DecidedBy::Person),
        PromptOutcome::Edited { .. } => (DecisionOutcome::Edited, DecidedBy::Person),
        PromptOutcome::Withdrawn => (DecisionOutcome::Withdrawn, DecidedBy::Nobody),
        PromptOutcome::Unavailable { .. } => (DecisionOutcome::Refused, DecidedBy::Nobody),
        // Whatever else comes back is no approval.
        PromptOutcome::Rejected { .. }
        | PromptOutcome::Cancelled
        | PromptOutcome::Answered { .. } => (DecisionOutcome::Refused, DecidedBy::Person),
    }
}

/// What a person has to know before everything else: why they are asked again, what holds the tool, and where the paths
/// of the call lead.
pub(super) fn note(links: &[Link], again: Option<&str>, held: Option<&str>) -> Option<PromptNote> {
    let mut text = String::new();
    if let Some(again) = again {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{again}");
    }
    if let Some(held) = held {
        let _ = writeln!(text, "{held}");
    }
    for Link { path, target } in links.iter().take(MOST_LINKS) {
        let _ = match target {
            Some(target) => writeln!(text, "{path} leads to {target}"),
            None => writeln!(text, "{path} leads out of the workspace"),
        };
    }
    let more = links.len().saturating_sub(MOST_LINKS);
    if more > 0 {
        let _ = writeln!(text, "{more} more paths lead elsewhere than they say");
    }
    (!text.is_empty()).then(|| PromptNote {
        text,
        is_single: links.iter().any(|link| link.target.is_none()),
    })
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;
