//! One tool call from complete arguments to its result.
//!
//! ```text
//! prepare -> decide -> format -> ask -> (the model has finished) -> run -> questions, config changes -> deliver
//! ```

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use futures::{FutureExt as _, poll};
use indexmap::IndexMap;
use jp_conversation::{Conversation, EventKind, ToolCallRequest};
use jp_llm::{InvalidArguments, ToolDefinition};
use jp_policy::{ResultMode, RunMode};
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::arguments::{invalid_arguments, prepare};
use crate::config::{ToolConfig, TurnConfig};
use crate::decision::{Decision, decide, prompt_rule};
use crate::delta::{CommitBuffer, CycleConfig, DeltaOutcome, DeltaReview, Grants, filter_config};
use crate::error::AgentError;
use crate::inquiry::{AskedQuestion, Inquirer, QuestionOutcome, TurnAnswers};
use crate::local::LocalTool;
use crate::ports::{
    ConfigSource, EventSink, Execution, InquiryBackend, Prompts, ToolRun, ToolSuccess,
};
use crate::prompt::{PromptOutcome, PromptRequest, PromptRule, PromptSubject, PromptTool};
use crate::record::Record;
use crate::texts;
use crate::toolbox::{Tool, Toolbox};
use crate::trust::TrustedWorkspace;

/// How many questions one call may ask before it is taken for one that never ends.
const MAX_QUESTIONS: usize = 100;

/// What all calls of one cycle share.
#[derive(Debug)]
pub(crate) struct Cycle {
    pub(crate) workspace: TrustedWorkspace,
    pub(crate) config: Arc<TurnConfig>,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) definitions: Vec<ToolDefinition>,
    pub(crate) source: Arc<dyn ConfigSource>,
    pub(crate) record: Arc<Record>,
    pub(crate) sink: Arc<dyn EventSink>,
    pub(crate) prompts: Arc<dyn Prompts>,
    pub(crate) inquiry: Arc<dyn InquiryBackend>,
    pub(crate) answers: Arc<TurnAnswers>,
    /// The config that all calls of the cycle see.
    pub(crate) base: CycleConfig,
    /// Accepted config changes, until the cycle ends.
    pub(crate) buffer: Mutex<CommitBuffer>,
}

impl Cycle {
    /// Accepted config changes, until the cycle ends.
    pub(crate) fn buffer(&self) -> MutexGuard<'_, CommitBuffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call as the model made it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// Its place among the calls of the answer.
    pub(crate) index: usize,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: Result<Map<String, Value>, InvalidArguments>,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallResult {
    pub(crate) content: String,
    pub(crate) is_error: bool,
    /// Whether it is the result only because the call was ended from outside, so that who ended it may say it better.
    pub(crate) is_cancelled: bool,
}

impl CallResult {
    pub(crate) fn ok(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            is_error: false,
            is_cancelled: false,
        }
    }

    pub(crate) fn error(content: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::ok(content)
        }
    }

    fn cancelled() -> Self {
        Self {
            is_cancelled: true,
            ..Self::ok(texts::CANCELLED)
        }
    }
}

/// What a call listens to.
#[derive(Debug)]
pub(crate) struct Signals {
    /// The model's answer is complete, so calls may run.
    pub(crate) go: CancellationToken,
    /// The call is to end.
    pub(crate) cancel: CancellationToken,
    /// Gets what the formatter makes of the arguments, as soon as that is known without asking anybody.
    pub(crate) rendered: Option<oneshot::Sender<Option<String>>>,
}

/// Takes a call to its result.
///
/// # Errors
///
/// [`AgentError`] only when the conversation cannot be written.
pub(crate) async fn take(
    cycle: Arc<Cycle>,
    call: Call,
    mut signals: Signals,
) -> Result<CallResult, AgentError> {
    let Some(tool) = cycle
        .config
        .tools
        .get(&call.name)
        .filter(|tool| tool.is_enabled)
    else {
        return Ok(CallResult::error(texts::not_available(&call.name)));
    };
    let Some(ready) = cycle.toolbox.get(&call.name) else {
        return Ok(CallResult::error(texts::not_available(&call.name)));
    };
    let running = Running {
        cycle: &cycle,
        call: &call,
        tool,
        ready,
        cancel: &signals.cancel,
    };
    let approved = running.approve(&mut signals.rendered).await;
    drop(signals.rendered.take());
    let arguments = match approved {
        Ok(arguments) => arguments,
        Err(result) => return Ok(result),
    };
    tokio::select! {
        // A call that is ended before it runs never runs, whatever else has come to pass.
        biased;
        () = signals.cancel.cancelled() => return Ok(CallResult::cancelled()),
        () = signals.go.cancelled() => {}
    }
    running.run(arguments).await
}

/// What running a tool came to, its questions answered.
enum Ran {
    /// It finished, one way or another.
    Finished(Execution),
    /// It does not run again; this is the result of the call, whatever the result mode.
    Ended(CallResult),
}

/// What became of a success.
enum Settled {
    /// It goes on to the result mode.
    Delivered(CallResult),
    /// This is the result of the call, whatever the result mode.
    Ended(CallResult),
}

fn recorded_calls(conversation: &Conversation) -> Vec<ToolCallRequest> {
    let events = conversation.events().iter();
    events
        .filter_map(|event| match &event.kind {
            EventKind::ToolCallRequest(call) => Some(call.clone()),
            _ => None,
        })
        .collect()
}

struct Running<'a> {
    cycle: &'a Arc<Cycle>,
    call: &'a Call,
    tool: &'a ToolConfig,
    ready: &'a Tool,
    cancel: &'a CancellationToken,
}

impl Running<'_> {
    /// Prepares, decides and asks: the arguments to run with, or the result of a call that does not run.
    async fn approve(
        &self,
        rendered: &mut Option<oneshot::Sender<Option<String>>>,
    ) -> Result<Map<String, Value>, CallResult> {
        let refuse = |problem: String| CallResult::error(problem);
        let config = &self.cycle.config;
        let arguments = self.call.arguments.clone().map_err(|invalid| {
            refuse(invalid_arguments(self.tool, config, &invalid.to_string()))
        })?;
        let mut arguments = prepare(self.tool, config, arguments).map_err(refuse)?;
        let mut decision = self.decide(&arguments);
        if decision.mode == RunMode::Skip {
            return Err(CallResult::ok(texts::skipped(None)));
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
        if decision.mode == RunMode::Unattended {
            tell();
        }
        while decision.mode != RunMode::Unattended {
            let answer = {
                let mut asked = pin!(self.ask(&arguments, decision, shown.clone()));
                // The prompt is in the queue before the turn goes on, so the question of no later call comes first.
                let first = poll!(asked.as_mut());
                tell();
                match first {
                    Poll::Ready(answer) => answer,
                    Poll::Pending => asked.await,
                }
            };
            match answer? {
                None => break,
                Some(edited) => {
                    // What a person has edited is checked and decided like what the model wrote.
                    arguments = match prepare(self.tool, config, edited) {
                        Ok(arguments) => arguments,
                        Err(problem) => {
                            self.cycle.sink.notice(self.cycle.record.id(), &problem);
                            continue;
                        }
                    };
                    decision = self.decide(&arguments);
                    if decision.mode == RunMode::Skip {
                        return Err(CallResult::ok(texts::skipped(None)));
                    }
                    // The person has seen and approved exactly these.
                    break;
                }
            }
        }
        if !formats_early {
            self.format(&arguments).await?;
        }
        Ok(arguments)
    }

    fn decide(&self, arguments: &Map<String, Value>) -> Decision<RunMode> {
        let root = self.cycle.workspace.root();
        decide(&self.tool.run, &self.tool.schema, root, arguments)
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

    /// Asks whether the call may run; `Some` holds edited arguments.
    async fn ask(
        &self,
        arguments: &Map<String, Value>,
        decision: Decision<RunMode>,
        rendered: Option<String>,
    ) -> Result<Option<Map<String, Value>>, CallResult> {
        let edits = decision.mode == RunMode::Edit;
        match self.cycle.answers.permission(&self.call.name) {
            Some(false) => return Err(CallResult::ok(texts::SKIPPED_REMEMBERED)),
            Some(true) if !edits => return Ok(None),
            _ => {}
        }
        let subject = if edits {
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
                rendered,
            }
        };
        let rule = prompt_rule(&*self.cycle.source, &self.tool.run, decision.rule);
        let remember = |runs| {
            self.cycle
                .answers
                .remember_permission(&self.call.name, runs);
        };
        match self.prompt(subject, rule).await {
            PromptOutcome::Approved { remember: all } => {
                if all {
                    remember(true);
                }
                Ok(None)
            }
            PromptOutcome::Edited {
                value: Value::Object(edited),
            } => Ok(Some(edited)),
            PromptOutcome::Rejected {
                reason,
                remember: all,
            } => {
                if all {
                    remember(false);
                }
                Err(CallResult::ok(texts::skipped(reason.as_deref())))
            }
            PromptOutcome::Cancelled if edits => {
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

    /// Runs the tool, settles its config changes and delivers its result.
    async fn run(&self, arguments: Map<String, Value>) -> Result<CallResult, AgentError> {
        let mut run = self.tool_run(arguments.clone());
        let result = match self.execute(&mut run).await? {
            Ran::Ended(result) => return Ok(result),
            Ran::Finished(Execution::Success(success)) => match self.settle(success, run).await? {
                Settled::Delivered(result) => result,
                Settled::Ended(result) => return Ok(result),
            },
            Ran::Finished(Execution::Error(error)) => CallResult::error(error),
            Ran::Finished(Execution::Cancelled | Execution::NeedsInput { .. }) => {
                return Ok(CallResult::cancelled());
            }
        };
        Ok(self.deliver(&arguments, result).await)
    }

    /// Runs the tool again and again until it needs no more answers.
    async fn execute(&self, run: &mut ToolRun) -> Result<Ran, AgentError> {
        for _ in 0..MAX_QUESTIONS {
            let executed = self
                .ready
                .executor
                .execute(&self.cycle.workspace, run.clone(), self.cancel.clone())
                .await;
            let Execution::NeedsInput { question, source } = executed else {
                return Ok(Ran::Finished(executed));
            };
            let id = question.id.clone();
            match self.answer(*question, source).await? {
                QuestionOutcome::Answered(answer) => {
                    run.answers.insert(id, answer);
                }
                // A question that the end of the call has withdrawn is no question that a person left.
                QuestionOutcome::Ended { is_error, .. }
                    if !is_error && self.cancel.is_cancelled() =>
                {
                    return Ok(Ran::Ended(CallResult::cancelled()));
                }
                QuestionOutcome::Ended { content, is_error } => {
                    return Ok(Ran::Ended(CallResult {
                        is_error,
                        ..CallResult::ok(content)
                    }));
                }
            }
        }
        Ok(Ran::Ended(CallResult::error(format!(
            "Tool '{}' asked more than {MAX_QUESTIONS} questions and was stopped.",
            self.call.name
        ))))
    }

    /// Takes a success through the config change that it proposes, if it proposes one (RFD 078).
    async fn settle(&self, success: ToolSuccess, run: ToolRun) -> Result<Settled, AgentError> {
        // Executors of other tools drop what they propose; whatever comes through all the same is not obeyed.
        if self.ready.local.is_none() || !success.proposes_change() {
            return Ok(Settled::Delivered(CallResult::ok(success.content)));
        }
        let Cycle {
            record,
            workspace,
            base,
            prompts,
            sink,
            source,
            ..
        } = &**self.cycle;
        let grants = self.grants()?;
        let calls = record.read(recorded_calls);
        let review = DeltaReview {
            conversation: record.id(),
            root: workspace.root().to_owned(),
            tool: self.prompt_tool(),
            grants: &grants,
            base,
            calls: &calls,
            prompts: &**prompts,
            sink: &**sink,
            source: &**source,
        };
        // One run at a time; the lock lets the runs share their answers.
        let run = tokio::sync::Mutex::new(run);
        let ended: Mutex<Option<Result<CallResult, AgentError>>> = Mutex::default();
        let end = |result| {
            *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            Execution::Cancelled
        };
        let rerun = |rejection| {
            let (run, end) = (&run, &end);
            async move {
                let mut run = run.lock().await;
                run.delta_rejection = Some(rejection);
                match self.execute(&mut run).await {
                    Ok(Ran::Finished(execution)) => execution,
                    Ok(Ran::Ended(result)) => end(Ok(result)),
                    Err(error) => end(Err(error)),
                }
            }
            .boxed()
        };
        let outcome = review.process_outcome(success, self.cancel, rerun).await;
        if let Some(ended) = ended.into_inner().unwrap_or_else(PoisonError::into_inner) {
            sink.change_rejected(record.id(), &review.tool);
            return ended.map(Settled::Ended);
        }
        let is_approved =
            matches!(&outcome, DeltaOutcome::Delivered { change, .. } if change.is_some());
        if !is_approved {
            sink.change_rejected(record.id(), &review.tool);
        }
        Ok(match outcome {
            DeltaOutcome::Delivered { content, change } => {
                if let Some(leaves) = change {
                    self.cycle.buffer().push(self.call.index, leaves);
                }
                Settled::Delivered(CallResult::ok(content))
            }
            DeltaOutcome::Failed(error) => Settled::Delivered(CallResult::error(error)),
            DeltaOutcome::Cancelled => Settled::Ended(CallResult::cancelled()),
        })
    }

    /// The tool's `access.config` rules.
    fn grants(&self) -> Result<Grants, AgentError> {
        let rules = self
            .tool
            .access
            .as_ref()
            .map(|access| access.config.to_vec())
            .unwrap_or_default();
        Grants::compile(&rules).map_err(|error| {
            let path = format!("conversation.tools.{}.access.config", self.tool.name);
            AgentError::config(path, error.to_string())
        })
    }

    async fn answer(
        &self,
        question: jp_tool::Question,
        source: jp_conversation::InquirySource,
    ) -> Result<QuestionOutcome, AgentError> {
        let Cycle {
            record,
            prompts,
            inquiry,
            answers,
            config,
            workspace,
            definitions,
            ..
        } = &**self.cycle;
        let path = ["conversation", "tools", &self.call.name];
        let place = self.cycle.source.place(&path, None);
        let asked = AskedQuestion {
            conversation: record.id(),
            root: workspace.root(),
            tool: self.prompt_tool(),
            rule: Some(PromptRule { index: None, place }),
            config: self.tool.questions.get(&question.id),
            question,
            source,
            turn: Arc::clone(config),
            tools: definitions.clone(),
        };
        let inquirer = Inquirer {
            answers,
            recorder: &**record,
            prompts: &**prompts,
            backend: &**inquiry,
        };
        inquirer.answer(asked, self.cancel.clone()).await
    }

    /// Applies the result mode (RFD D25, "Applying policy.run to result").
    async fn deliver(&self, arguments: &Map<String, Value>, result: CallResult) -> CallResult {
        let root = self.cycle.workspace.root();
        let decision = decide(&self.tool.result, &self.tool.schema, root, arguments);
        let edit = match decision.mode {
            ResultMode::Unattended => return result,
            ResultMode::Skip => return CallResult::ok(texts::RESULT_SKIPPED_BY_CONFIG),
            ResultMode::Ask => false,
            ResultMode::Edit => true,
        };
        let rule = prompt_rule(&*self.cycle.source, &self.tool.result, decision.rule);
        let subject = PromptSubject::Result {
            content: result.content.clone(),
            is_error: result.is_error,
            edit,
        };
        match self.prompt(subject, rule).await {
            PromptOutcome::Approved { .. } => result,
            PromptOutcome::Edited {
                value: Value::String(content),
            } => CallResult::ok(content),
            PromptOutcome::Cancelled if edit => CallResult::ok(texts::RESULT_EDIT_CANCELLED),
            PromptOutcome::Cancelled | PromptOutcome::Withdrawn => {
                CallResult::ok(texts::RESULT_CANCELLED)
            }
            PromptOutcome::Unavailable { reason } => {
                tracing::info!(tool = self.call.name, reason, "nobody to approve a result");
                CallResult::error(texts::nobody_to_deliver(&self.call.name))
            }
            PromptOutcome::Rejected { .. }
            | PromptOutcome::Edited { .. }
            | PromptOutcome::Answered { .. } => CallResult::ok(texts::RESULT_SKIPPED_BY_USER),
        }
    }

    async fn prompt(&self, subject: PromptSubject, rule: PromptRule) -> PromptOutcome {
        let request = PromptRequest {
            conversation: self.cycle.record.id(),
            root: self.cycle.workspace.root().to_owned(),
            tool: self.prompt_tool(),
            rule: Some(rule),
            subject,
        };
        self.cycle.prompts.ask(request, self.cancel.clone()).await
    }

    fn prompt_tool(&self) -> PromptTool {
        use jp_config::source::ToolSource;
        PromptTool {
            name: self.call.name.clone(),
            call_id: self.call.id.clone(),
            source: match &self.tool.source {
                ToolSource::Mcp { server, .. } => format!("mcp.{server}"),
                other => other.kind().to_owned(),
            },
        }
    }

    fn tool_run(&self, arguments: Map<String, Value>) -> ToolRun {
        // Grants that cannot be understood grant nothing; running the tool says what is wrong with them.
        let config = match (&self.ready.local, self.grants()) {
            (Some(_), Ok(grants)) => filter_config(&self.cycle.base, &grants),
            _ => None,
        };
        ToolRun {
            name: self.call.name.clone(),
            arguments,
            answers: IndexMap::new(),
            config,
            delta_rejection: None,
            conversation: self.cycle.record.id(),
        }
    }
}
