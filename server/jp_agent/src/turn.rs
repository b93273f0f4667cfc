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
mod speech;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use jp_conversation::{ChatRequest, ConversationEvent, ConversationWriter, EventKind};
use jp_llm::{Provider, Request};
use serde_json::Value;

use crate::builtin::Builtins;
use crate::call::Cycle;
use crate::config::{TurnConfig, unheeded};
use crate::delta::CycleConfig;
use crate::error::AgentError;
use crate::inquiry::TurnAnswers;
use crate::interrupt::{Interrupt, TurnControl, TurnPhase};
use crate::mcp::McpServers;
use crate::ports::{
    Clock, ConfigSource, EventSink, InquiryBackend, Prompts, Providers, TurnOutcome,
};
use crate::process::ProcessLimits;
use crate::record::Record;
use crate::toolbox::{Toolbox, Workshop};
use crate::trust::TrustedWorkspace;
use calls::{Calls, Collected};
use speech::{Heard, Speech, listen};

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
}

/// A turn that is over.
#[derive(Debug)]
pub struct FinishedTurn {
    /// How it ended.
    pub outcome: TurnOutcome,
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
            servers: Arc::new(McpServers::new(parts.limits)),
        };
        Self {
            parts,
            workshop,
            told: Mutex::default(),
        }
    }

    /// Tells a person once what the config asks for in vain.
    fn tell_unheeded(&self, record: &Record, config: &TurnConfig) {
        let texts: Vec<String> = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let unheeded = unheeded(&config.effective).into_iter();
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
        request: ChatRequest,
        mut control: TurnControl,
    ) -> FinishedTurn {
        let RuntimeParts { sink, clock, .. } = &self.parts;
        let record = Arc::new(Record::new(writer, Arc::clone(sink), Arc::clone(clock)));
        let outcome = match self.cycles(&record, request, &mut control).await {
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
        let writer = Arc::try_unwrap(record).ok().map(Record::into_writer);
        sink.turn_end(id, &outcome);
        FinishedTurn { outcome, writer }
    }

    async fn cycles(
        &self,
        record: &Arc<Record>,
        request: ChatRequest,
        control: &mut TurnControl,
    ) -> Result<TurnOutcome, AgentError> {
        record.close_interrupted_calls()?;
        record.record_all(vec![
            ConversationEvent::new(EventKind::TurnStart),
            ConversationEvent::new(EventKind::ChatRequest(request)),
        ])?;
        let answers = Arc::new(TurnAnswers::default());
        let cancel = control.cancel.clone();
        let mut resolved = tokio::select! {
            resolved = self.resolve(record) => resolved?,
            () = cancel.cancelled() => return Ok(TurnOutcome::Cancelled),
        };
        self.tell_unheeded(record, &resolved.config);
        loop {
            let deltas = record.read(jp_conversation::Conversation::config_delta_count);
            match self.cycle(record, &resolved, &answers, control).await? {
                Next::End(outcome) => return Ok(outcome),
                Next::Cycle => {}
            }
            if record.read(jp_conversation::Conversation::config_delta_count) > deltas {
                resolved = tokio::select! {
                    resolved = self.resolve(record) => {
                        resolved.map_err(|error| AgentError::Resolve(Box::new(error)))?
                    }
                    () = cancel.cancelled() => return Ok(TurnOutcome::Cancelled),
                };
            }
        }
    }

    /// Works out config, provider and tools anew.
    async fn resolve(&self, record: &Record) -> Result<Resolved, AgentError> {
        let base = self.parts.config.effective()?;
        let effective = record.read(|conversation| -> Value {
            conversation
                .config_deltas(0)
                .fold(base, |config, delta| crate::delta::apply(&config, delta))
        });
        let config = TurnConfig::resolve(&effective, &self.parts.builtins.defaults())?;
        let config = Arc::new(config);
        let provider = self
            .parts
            .providers
            .provider(&config.model)
            .map_err(|error| AgentError::config("assistant.model.id", error.to_string()))?;
        let toolbox = Arc::new(Toolbox::fill(&self.workshop, &config).await?);
        for notice in toolbox.access_notices(&self.workshop.workspace) {
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
        answers: &Arc<TurnAnswers>,
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
            answers: Arc::clone(answers),
        });
        let request = Request {
            model: config.model.id.name.clone(),
            system: config.system_prompt.clone(),
            messages: record.messages(),
            tools: definitions,
            tool_choice: config.tool_choice.clone(),
            parameters: config.model.parameters.clone(),
            output_schema: None,
            failures: 0,
        };
        let mut calls = Calls::new(Arc::clone(&cycle));
        control.enter(TurnPhase::Streaming, &config.interrupt);
        let heard = listen(&cycle, &**provider, request, &mut calls, control).await;
        match heard {
            Heard::All(speech) => self.finish(&cycle, speech, calls, control).await,
            Heard::Failed(error, speech) => {
                calls.end().await;
                speech.record_words(record)?;
                Err(error.into())
            }
            Heard::Cancelled(speech) => {
                calls.end().await;
                speech.record_words(record)?;
                Ok(Next::End(TurnOutcome::Cancelled))
            }
            Heard::Interrupted(interrupt, speech) => {
                calls.end().await;
                self.interrupted(record, interrupt, speech)
            }
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
                speech.record_words(record)?;
                record.record_all(vec![ConversationEvent::new(EventKind::ChatRequest(
                    ChatRequest {
                        content: text,
                        ..ChatRequest::default()
                    },
                ))])?;
                Ok(Next::Cycle)
            }
            Interrupt::StopAndReply { .. } | Interrupt::Stop => {
                speech.record_words(record)?;
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
        control: &mut TurnControl,
    ) -> Result<Next, AgentError> {
        // Before anybody hears of the calls: an interrupt from now on is for them.
        if !calls.is_empty() {
            control.enter(TurnPhase::ToolCalls, &cycle.config.interrupt);
        }
        let rendered = calls.rendered(&control.cancel).await;
        speech.record(&cycle.record, rendered)?;
        if calls.is_empty() {
            return Ok(Next::End(TurnOutcome::Completed));
        }
        calls.go();
        match calls.collect(control).await? {
            Collected::All => Ok(Next::Cycle),
            Collected::Stopped => Ok(Next::End(TurnOutcome::Completed)),
            Collected::Cancelled => Ok(Next::End(TurnOutcome::Cancelled)),
        }
    }
}
