//! One tool call from complete arguments to its result.
//!
//! ```text
//! prepare -> decide -> format -> ask -> (the model has finished) -> decide again -> run -> questions, config changes -> deliver
//! ```

mod approval;
mod change;
mod delivery;
mod grant;
mod places;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use jp_conversation::CallDecisions;
use jp_llm::{InvalidArguments, ToolDefinition};
use jp_tool::AnswerType;
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use self::approval::Approval;
use self::change::Settled;
pub(crate) use self::places::{Place, Places};
use crate::config::{ToolConfig, TurnConfig};
use crate::delta::{CommitBuffer, CycleConfig, filter_config};
use crate::error::AgentError;
use crate::inquiry::{AskedQuestion, Inquirer, QuestionOutcome, TurnAnswers};
use crate::ports::{
    CallProgress, ConfigSource, EventSink, Execution, InquiryBackend, Prompts, ToolRun,
};
use crate::prompt::{PromptNote, PromptRequest, PromptRule, PromptSubject, PromptTool, Reply};
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
    /// The number of the part of the answer that the call is; texts have numbers too.
    pub(crate) index: usize,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: Result<Map<String, Value>, InvalidArguments>,
    /// What came of it besides its result.
    pub(crate) noted: Arc<Mutex<Noted>>,
}

/// What goes on record with the result of a call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Noted {
    /// The arguments that it ran with, if a person has edited them.
    pub(crate) edited: Option<Map<String, Value>>,
    /// What was decided about it.
    pub(crate) decisions: CallDecisions,
}

impl Call {
    /// What goes on record with its result.
    pub(crate) fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
    /// Its place among the calls that may have to ask, so that prompts come in the order of the calls.
    pub(crate) prompt_place: Place,
    /// Its place among the calls that name files: none runs before those that come first have run, since they may change where
    /// its paths lead.
    pub(crate) file_place: Place,
}

/// Decides a call, runs it if it may, and says what came of it.
///
/// # Errors
///
/// [`AgentError`] only when the conversation cannot be written, which no other call could be recorded in either.
pub(crate) async fn run_call(
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
    let approved = running
        .approve(&mut signals.rendered, signals.prompt_place)
        .await;
    drop(signals.rendered.take());
    let approval = match approved {
        Ok(approval) => approval,
        Err(result) => return Ok(result),
    };
    let mut place = Some(signals.file_place);
    if !approval.names_files() {
        drop(place.take());
    }
    tokio::select! {
        // A call that is ended before it runs never runs, whatever else has come to pass.
        biased;
        () = signals.cancel.cancelled() => return Ok(CallResult::cancelled()),
        () = signals.go.cancelled() => {}
    }
    if let Some(place) = &place {
        tokio::select! {
            biased;
            () = signals.cancel.cancelled() => return Ok(CallResult::cancelled()),
            () = place.comes() => {}
        }
    }
    let progress = CallProgress::Running { id: &call.id };
    cycle.sink.call_progress(cycle.record.id(), progress);
    running.run(approval, place).await
}

/// A call that may run, as it is now.
struct Attempt {
    run: ToolRun,
    approval: Approval,
}

/// What running a tool came to, its questions answered.
enum Ran {
    /// It finished, one way or another.
    Finished(Execution),
    /// It does not run again; this is the result of the call, whatever the result mode.
    Ended(CallResult),
}

struct Running<'a> {
    cycle: &'a Arc<Cycle>,
    call: &'a Call,
    tool: &'a ToolConfig,
    ready: &'a Tool,
    cancel: &'a CancellationToken,
}

impl Running<'_> {
    /// Runs the tool, settles its config changes and delivers its result.
    async fn run(
        &self,
        approval: Approval,
        place: Option<Place>,
    ) -> Result<CallResult, AgentError> {
        let mut attempt = Attempt {
            run: self.tool_run(approval.arguments.clone()),
            approval,
        };
        let executed = self.execute(&mut attempt).await?;
        drop(place);
        let arguments = attempt.approval.arguments.clone();
        let result = match executed {
            Ran::Ended(result) => return Ok(result),
            Ran::Finished(Execution::Success(success)) => {
                match self.settle(success, attempt).await? {
                    Settled::Delivered(result) => result,
                    Settled::Ended(result) => return Ok(result),
                }
            }
            Ran::Finished(Execution::Error(error)) => CallResult::error(error),
            Ran::Finished(Execution::Refused { error, refusals }) => {
                self.offer(error, refusals).await
            }
            Ran::Finished(Execution::Cancelled | Execution::NeedsInput { .. }) => {
                return Ok(CallResult::cancelled());
            }
        };
        Ok(self.deliver(&arguments, result).await)
    }

    /// Runs the tool again and again until it needs no more answers.
    async fn execute(&self, attempt: &mut Attempt) -> Result<Ran, AgentError> {
        for _ in 0..MAX_QUESTIONS {
            if let Err(result) = self.confirm(&mut attempt.approval).await {
                return Ok(Ran::Ended(result));
            }
            let Attempt { run, approval } = &mut *attempt;
            run.arguments.clone_from(&approval.arguments);
            if approval.is_edited {
                self.call.noted().edited = Some(approval.arguments.clone());
            }
            let executed = self
                .ready
                .executor
                .execute(&self.cycle.workspace, run.clone(), self.cancel.clone())
                .await;
            let Execution::NeedsInput { question, source } = executed else {
                return Ok(Ran::Finished(executed));
            };
            let id = question.id.clone();
            if question.answer_type == AnswerType::Secret {
                let reads_arguments =
                    (self.ready.local.as_ref()).is_some_and(|local| local.reads_arguments());
                if !run.secrets.insert(id.clone()) && reads_arguments {
                    return Ok(Ran::Ended(CallResult::error(texts::secret_not_read(
                        &self.call.name,
                        &id,
                    ))));
                }
            }
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
            rule: Some(PromptRule {
                place,
                ..PromptRule::default()
            }),
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

    async fn prompt(
        &self,
        subject: PromptSubject,
        rule: PromptRule,
        note: Option<PromptNote>,
    ) -> Reply {
        let request = PromptRequest {
            conversation: self.cycle.record.id(),
            root: self.cycle.workspace.root().to_owned(),
            tool: self.prompt_tool(),
            rule: Some(rule),
            note,
            subject,
        };
        let prompts = &self.cycle.prompts;
        prompts.ask_named(request, self.cancel.clone()).await
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
            secrets: BTreeSet::new(),
            config,
            delta_rejection: None,
            conversation: self.cycle.record.id(),
        }
    }
}
