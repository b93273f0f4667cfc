//! The turn loop.
//!
//! ```text
//! turn_start, chat_request
//! cycle: resolve the config, ask the model, decide about its calls while it speaks,
//!        then run them in parallel and record the results in the order of the requests
//! again, until the model calls nothing
//! ```
//!
//! An answer that ends early was never said in full: none of its calls runs or is recorded.
//! Config changes of tools collect in the cycle's buffer and land as one event; then everything is resolved again.

mod calls;
mod consent;
mod course;
mod recorded;
mod speech;
mod window;

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use jp_conversation::{
    ChatRequest, ConfigDelta, ConversationEvent, ConversationId, ConversationWriter, EventKind,
};
use jp_llm::{LlmError, Provider, Request, Usage};
use serde_json::Value;

use crate::builtin::Builtins;
use crate::call::Cycle;
use crate::config::{TurnConfig, unheeded};
use crate::delta::CycleConfig;
use crate::error::AgentError;
use crate::interrupt::{Interrupt, TurnControl, TurnPhase};
use crate::mcp::McpServers;
use crate::ports::{
    Clock, ConfigSource, EventSink, InquiryBackend, Prompts, Providers, TurnEnd, TurnOutcome,
};
use crate::process::ProcessLimits;
use crate::record::Record;
use crate::sandbox::Sandbox;
use crate::title::AskedTitle;
use crate::toolbox::{Toolbox, Workshop};
use crate::trust::TrustedWorkspace;
use calls::{Calls, Collected};
use course::{Course, Patience};
use speech::{Heard, Speech, listen};
use window::Windows;

/// How many cycles a turn has at most, unless somebody says otherwise.
pub const MAX_CYCLES: NonZeroU32 = NonZeroU32::new(100).unwrap();

/// What a runtime is made of.
#[derive(Debug, Clone)]
pub struct RuntimeParts {
    /// Where the config comes from.
    pub config: Arc<dyn ConfigSource>,
    /// Which models there are.
    pub providers: Arc<dyn Providers>,
    /// Where a person is asked.
    pub prompts: Arc<dyn Prompts>,
    /// Where a second model is asked.
    pub inquiry: Arc<dyn InquiryBackend>,
    /// Who hears what happens.
    pub sink: Arc<dyn EventSink>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The builtin tools.
    pub builtins: Builtins,
    /// What a process of a tool may use.
    pub limits: ProcessLimits,
    /// How tools are held to their grants.
    pub sandbox: Sandbox,
    /// How many cycles a turn may have, so that no model calls tools for ever. Default [`MAX_CYCLES`].
    pub max_cycles: NonZeroU32,
}

/// Runs turns in one trusted workspace.
///
/// MCP servers stay connected from turn to turn; dropping the runtime ends them.
#[derive(Debug)]
pub struct Runtime {
    parts: RuntimeParts,
    workshop: Workshop,
    /// The config keys without effect that a person was told of.
    told: Mutex<BTreeSet<&'static str>>,
    windows: Windows,
}

/// What a turn is to do.
#[derive(Debug, Clone, Default)]
pub struct TurnRequest {
    /// What the user says.
    pub chat: ChatRequest,
    /// What the user sets for the conversation from this turn on. It is recorded as the turn begins.
    pub config: Option<ConfigDelta>,
}

impl From<ChatRequest> for TurnRequest {
    fn from(chat: ChatRequest) -> Self {
        Self { chat, config: None }
    }
}

/// A turn that is over.
#[derive(Debug)]
pub struct FinishedTurn {
    /// How it ended.
    pub outcome: TurnOutcome,
    /// Why it went no further, where it has completed.
    pub end: TurnEnd,
    /// The conversation with everything that was recorded; none when a call that did not end still holds it.
    pub writer: Option<ConversationWriter>,
}

/// What of a turn is settled when a cycle begins.
struct Resolved {
    config: Arc<TurnConfig>,
    provider: Arc<dyn Provider>,
    toolbox: Arc<Toolbox>,
}

/// Whether the turn goes on after a cycle.
enum Next {
    Cycle,
    End(TurnOutcome),
}

impl Runtime {
    /// A runtime for a workspace that is trusted.
    #[must_use]
    pub fn new(workspace: TrustedWorkspace, parts: RuntimeParts) -> Self {
        let workshop = Workshop {
            workspace,
            builtins: parts.builtins.clone(),
            limits: parts.limits,
            sandbox: parts.sandbox.clone(),
            servers: Arc::new(McpServers::new(parts.limits, parts.sandbox.clone())),
        };
        Self {
            parts,
            workshop,
            told: Mutex::default(),
            windows: Windows::default(),
        }
    }

    /// Tells a person once what the config asks for in vain.
    fn tell_unheeded(&self, record: &Record, config: &Value) {
        let texts: Vec<String> = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let unheeded = unheeded(config).into_iter();
            unheeded
                .filter(|(key, _)| told.insert(key))
                .map(|(_, text)| text)
                .collect()
        };
        if !texts.is_empty() {
            self.parts.sink.notice(record.id(), &texts.join("\n"));
        }
    }

    /// Runs one turn and records it.
    ///
    /// Calls of the turn before that were interrupted by a crash are closed first.
    /// The turn's end is recorded durably and told to the [`EventSink`] whatever happens.
    pub async fn turn(
        &self,
        writer: ConversationWriter,
        request: impl Into<TurnRequest> + Send,
        mut control: TurnControl,
    ) -> FinishedTurn {
        let request = request.into();
        let RuntimeParts { sink, clock, .. } = &self.parts;
        let record = Arc::new(Record::new(writer, Arc::clone(sink), Arc::clone(clock)));
        let mut title = None;
        let mut course = Course::default();
        let outcome = match self
            .cycles(&record, request, &mut course, &mut control, &mut title)
            .await
        {
            Ok(outcome) => outcome,
            Err(error) => TurnOutcome::Failed {
                error: error.to_string(),
            },
        };
        let outcome = match (record.sync(), outcome) {
            (Err(error), TurnOutcome::Completed) => TurnOutcome::Failed {
                error: error.to_string(),
            },
            (_, outcome) => outcome,
        };
        let id = record.id();
        if outcome == TurnOutcome::Completed {
            self.measure(id, &course).await;
        }
        sink.turn_end(id, &outcome);
        if outcome == TurnOutcome::Completed
            && let Some(title) = title
            && let Some(title) = AskedTitle::take(title).await
            && let Err(error) = record.call(title)
        {
            tracing::debug!(%error, "the title is not kept");
        }
        let writer = Arc::try_unwrap(record).ok().map(Record::into_writer);
        FinishedTurn {
            outcome,
            end: course.end,
            writer,
        }
    }

    async fn cycles(
        &self,
        record: &Arc<Record>,
        request: TurnRequest,
        course: &mut Course,
        control: &mut TurnControl,
        title: &mut Option<AskedTitle>,
    ) -> Result<TurnOutcome, AgentError> {
        let is_first = record.read(|conversation| conversation.events().is_empty());
        let question = request.chat.content.clone();
        record.close_interrupted_calls()?;
        let config = request.config.map(EventKind::ConfigDelta);
        let begin = [EventKind::TurnStart].into_iter().chain(config);
        let begin = begin.chain([EventKind::ChatRequest(request.chat)]);
        record.record_all(begin.map(ConversationEvent::new).collect())?;
        let cancel = control.cancel.clone();
        // What changes in a file from here on counts from the next turn.
        let base = tokio::select! {
            base = self.trusted_config(record.id()) => base?,
            () = cancel.cancelled() => return Ok(TurnOutcome::Cancelled),
        };
        let mut resolved = tokio::select! {
            resolved = self.resolve(record, &base, course) => resolved?,
            () = cancel.cancelled() => return Ok(TurnOutcome::Cancelled),
        };
        self.tell_unheeded(record, &base);
        if is_first {
            *title = AskedTitle::ask(&self.parts.providers, &resolved.config, &question);
        }
        loop {
            let deltas = record.read(jp_conversation::Conversation::config_delta_count);
            let next = self.cycle(record, &resolved, course, control).await;
            match next.map_err(|error| self.refused(record, &base, &resolved.config, error))? {
                Next::End(outcome) => return Ok(outcome),
                Next::Cycle => {}
            }
            if control.last_cycle.is_cancelled() {
                return Ok(TurnOutcome::Cancelled);
            }
            if course.cycles >= self.parts.max_cycles.get() {
                self.parts
                    .sink
                    .notice(record.id(), &too_long(course.cycles));
                course.end = TurnEnd::MaxCycles;
                return Ok(TurnOutcome::Completed);
            }
            if record.read(jp_conversation::Conversation::config_delta_count) > deltas {
                resolved = tokio::select! {
                    resolved = self.resolve(record, &base, course) => {
                        resolved.map_err(|error| AgentError::Resolve(Box::new(error)))?
                    }
                    () = cancel.cancelled() => return Ok(TurnOutcome::Cancelled),
                };
            }
        }
    }

    /// Works out config, provider and tools anew, from the workspace's config as the turn found it.
    async fn resolve(
        &self,
        record: &Record,
        base: &Value,
        course: &mut Course,
    ) -> Result<Resolved, AgentError> {
        let effective = record.read(|conversation| -> Value {
            conversation
                .config_deltas(0)
                .fold(base.clone(), |config, delta| {
                    crate::delta::apply(&config, delta)
                })
        });
        let blame = |error, holds_alone: &dyn Fn(&TurnConfig) -> bool| {
            self.blame(record, base, error, holds_alone)
        };
        let config =
            TurnConfig::resolve(&effective, &self.parts.builtins.defaults()).map_err(|error| {
                let source = &self.parts.config;
                let root = self.workshop.workspace.root();
                let error = blame(error, &|_| true);
                match error.refusal(root, |path, index| source.place(path, index)) {
                    Some(refusal) => AgentError::Unusable(Box::new(refusal)),
                    None => error,
                }
            })?;
        let config = Arc::new(config);
        let provider = self.connect(&config.model, record.id()).await;
        let provider =
            provider.map_err(|error| blame(error, &|alone| alone.model != config.model))?;
        let toolbox =
            Toolbox::fill(&self.workshop, &config, self.parts.config.files().into()).await;
        let toolbox = toolbox.map_err(|error| {
            blame(error, &|alone| {
                ["/conversation/tools", "/providers/mcp"]
                    .into_iter()
                    .any(|part| alone.effective.pointer(part) != config.effective.pointer(part))
            })
        });
        let toolbox = Arc::new(toolbox?);
        let notices = toolbox.notices(&self.workshop.workspace);
        for notice in course.untold(notices) {
            self.parts.sink.notice(record.id(), &notice);
        }
        Ok(Resolved {
            config,
            provider,
            toolbox,
        })
    }

    /// One cycle: the model speaks, then its calls run.
    async fn cycle(
        &self,
        record: &Arc<Record>,
        resolved: &Resolved,
        course: &mut Course,
        control: &mut TurnControl,
    ) -> Result<Next, AgentError> {
        let Resolved {
            config,
            provider,
            toolbox,
        } = resolved;
        let definitions = toolbox.definitions();
        let cycle = Arc::new(Cycle {
            workspace: self.workshop.workspace.clone(),
            base: CycleConfig::new(&config.effective),
            buffer: Mutex::default(),
            config: Arc::clone(config),
            toolbox: Arc::clone(toolbox),
            definitions: definitions.clone(),
            source: Arc::clone(&self.parts.config),
            record: Arc::clone(record),
            sink: Arc::clone(&self.parts.sink),
            prompts: Arc::clone(&self.parts.prompts),
            inquiry: Arc::clone(&self.parts.inquiry),
            answers: Arc::clone(&course.answers),
        });
        let request = Request {
            model: config.model.id.name.clone(),
            system: config.system_prompt.clone(),
            messages: record.messages(),
            tools: definitions,
            tool_choice: course.tool_choice(&config.tool_choice),
            parameters: config.model.parameters.clone(),
            output_schema: None,
            failures: course.failures,
        };
        let mut calls = Calls::new(Arc::clone(&cycle));
        control.enter(TurnPhase::Streaming, &config.interrupt);
        let heard = listen(&cycle, &**provider, request, &mut calls, control).await;
        match heard {
            Heard::All(speech) => {
                course.failures = 0;
                self.tell_usage(record.id(), resolved, &speech, course);
                self.finish(&cycle, speech, calls, course, control).await
            }
            Heard::Failed(error, speech) => {
                calls.end().await;
                self.broken_off(&cycle, error, speech, course, control)
                    .await
            }
            Heard::Cancelled(speech) => {
                calls.end().await;
                speech.record_words(record, None)?;
                Ok(Next::End(TurnOutcome::Cancelled))
            }
            Heard::Interrupted(interrupt, speech) => {
                calls.end().await;
                self.interrupted(record, interrupt, speech)
            }
        }
    }

    /// Tells what an answer has cost, and finds out how much of the model's window that is.
    fn tell_usage(
        &self,
        id: ConversationId,
        resolved: &Resolved,
        speech: &Speech,
        course: &mut Course,
    ) {
        let sink = &self.parts.sink;
        let Resolved {
            config, provider, ..
        } = resolved;
        if speech.usage == Usage::default() {
            return;
        }
        let window = self.windows.of(&config.model, provider);
        let known = window.known();
        sink.usage(id, &speech.usage, known);
        course.unmeasured = (known.is_none() && sink.tells_usage()).then(|| {
            window.ask();
            (speech.usage, window)
        });
    }

    /// Tells the cost of the last answer again, where the model's window has become known.
    async fn measure(&self, id: ConversationId, course: &Course) {
        if let Some((usage, window)) = &course.unmeasured
            && let Some(tokens) = window.soon().await
        {
            self.parts.sink.usage(id, usage, Some(tokens));
        }
    }

    /// Keeps the words of an answer that broke off, and has the model go on with it as long as there is patience.
    async fn broken_off(
        &self,
        cycle: &Cycle,
        error: LlmError,
        speech: Speech,
        course: &mut Course,
        control: &mut TurnControl,
    ) -> Result<Next, AgentError> {
        let Cycle { record, sink, .. } = cycle;
        course.failures = course.failures.max(speech.failures());
        let Patience::Left { attempt, delay } =
            course.patience(&cycle.config.model.request, &error)
        else {
            speech.record_words(record, None)?;
            return Err(error.into());
        };
        speech.record_words(record, Some(attempt))?;
        sink.retrying(record.id(), &speech::retrying(attempt, delay, &error));
        let cancel = control.cancel.clone();
        tokio::select! {
            biased;
            () = cancel.cancelled() => Ok(Next::End(TurnOutcome::Cancelled)),
            interrupt = control.next() => {
                self.interrupted(record, interrupt, Speech::default())
            }
            () = tokio::time::sleep(delay) => Ok(Next::Cycle),
        }
    }

    /// Goes on after a person has interrupted the model.
    fn interrupted(
        &self,
        record: &Record,
        interrupt: Interrupt,
        speech: Speech,
    ) -> Result<Next, AgentError> {
        match interrupt {
            Interrupt::Continue | Interrupt::Restart => Ok(Next::Cycle),
            Interrupt::StopAndReply { text: Some(text) } if !text.trim().is_empty() => {
                speech.record_words(record, None)?;
                record.record_all(vec![ConversationEvent::new(EventKind::ChatRequest(
                    ChatRequest {
                        content: text,
                        ..ChatRequest::default()
                    },
                ))])?;
                Ok(Next::Cycle)
            }
            Interrupt::StopAndReply { .. } | Interrupt::Stop => {
                speech.record_words(record, None)?;
                Ok(Next::End(TurnOutcome::Completed))
            }
            Interrupt::Abort => Ok(Next::End(TurnOutcome::Cancelled)),
        }
    }

    /// Records what the model has said, runs its calls and records their results.
    async fn finish(
        &self,
        cycle: &Arc<Cycle>,
        speech: Speech,
        mut calls: Calls,
        course: &mut Course,
        control: &mut TurnControl,
    ) -> Result<Next, AgentError> {
        // Before anybody hears of the calls: an interrupt from now on is for them.
        if !calls.is_empty() {
            control.enter(TurnPhase::ToolCalls, &cycle.config.interrupt);
        }
        let rendered = calls.rendered(&control.cancel).await;
        let end = speech.end(course.cycles);
        speech.record(&cycle.record, rendered)?;
        if calls.is_empty() {
            course.end = end;
            return Ok(Next::End(TurnOutcome::Completed));
        }
        calls.go();
        let collected = calls.collect(control).await?;
        course.cycles += 1;
        match collected {
            Collected::All => Ok(Next::Cycle),
            Collected::Stopped => Ok(Next::End(TurnOutcome::Completed)),
            Collected::Cancelled => Ok(Next::End(TurnOutcome::Cancelled)),
        }
    }
}

/// What a person is told of a turn that would go on and on.
fn too_long(cycles: u32) -> String {
    format!(
        "The turn was stopped after {cycles} cycles of answers and tool calls, which is the limit. Ask again to go on; \
         `initializationOptions.agent.maxCycles` of the language server, or `JP_LSP_MAX_CYCLES` in the environment, sets \
         another limit."
    )
}
