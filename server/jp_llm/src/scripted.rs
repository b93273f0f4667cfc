//! A provider that says what a file tells it to.
//!
//! ```toml
//! [[cycles]]
//! batches = [
//!     [{ reasoning = "I should look." }],
//!     [{ text = ["I look ", "into it."] }, { tool_call = { id = "call_1", name = "fs_read_file", arguments = { path = "a" } } }],
//! ]
//!
//! [[cycles]]
//! batches = [[{ text = "It is empty." }]]
//! ```
//!
//! `docs/SCRIPTED_PROVIDER.md` describes the format.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::{BoxFuture, ready};
use futures::stream;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::task::yield_now;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::details::ModelDetails;
use crate::error::LlmError;
use crate::event::{FinishReason, PartKind, StreamEvent, Usage};
use crate::parts::{PartKey, Parts};
use crate::provider::{EventStream, Provider};
use crate::request::Request;

const PROVIDER: &str = "test";

/// What a scripted provider says, request by request.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The answers, in the order of the requests.
    #[serde(default)]
    cycles: Vec<Cycle>,
    /// The file that gets each request as a line of JSON.
    requests: Option<PathBuf>,
    /// How many tokens the models take in.
    context_window: Option<u64>,
}

/// The answer to one request.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cycle {
    /// Answers only requests to this model.
    model: Option<String>,
    /// What is said, in pieces that arrive together.
    #[serde(default)]
    batches: Vec<Vec<Step>>,
    /// How long each batch but the first lets wait.
    #[serde(default)]
    delay_ms: u64,
    /// `completed` (default), `max_tokens`, `refused`, or anything else.
    finish_reason: Option<String>,
    #[serde(default)]
    usage: ScriptedUsage,
    /// Ends with this error instead.
    error: Option<ScriptedError>,
    /// Ends without an end instead.
    #[serde(default)]
    truncated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cached_tokens: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedError {
    message: String,
    #[serde(default)]
    retryable: bool,
}

/// Something that is said.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Step {
    /// Words to the user.
    Text(Fragments),
    /// Words of the model to itself.
    Reasoning(Fragments),
    /// What is kept with the words said last.
    Metadata(Map<String, Value>),
    /// A tool call.
    ToolCall(ScriptedCall),
    /// More arguments for a tool call that was left open.
    Arguments(ScriptedArguments),
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
enum Fragments {
    One(String),
    Many(Vec<String>),
}

impl Fragments {
    fn iter(&self) -> std::slice::Iter<'_, String> {
        match self {
            Self::One(text) => std::slice::from_ref(text).iter(),
            Self::Many(texts) => texts.iter(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    id: String,
    name: String,
    /// The arguments as a whole.
    arguments: Option<Map<String, Value>>,
    /// The JSON text of the arguments, in fragments, well-formed or not.
    fragments: Option<Fragments>,
    /// Whether more arguments may follow.
    #[serde(default)]
    open: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedArguments {
    id: String,
    json: String,
}

impl Script {
    /// Reads a script from TOML.
    ///
    /// # Errors
    ///
    /// [`LlmError::Script`], with `name` for the path.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, LlmError> {
        toml::from_str(text)
            .map_err(|error| script_error(name, &error))
            .and_then(|script| Self::checked(script, name))
    }

    /// Reads a script from JSON.
    ///
    /// # Errors
    ///
    /// [`LlmError::Script`], with `name` for the path.
    pub fn from_json(name: &str, text: &str) -> Result<Self, LlmError> {
        serde_json::from_str(text)
            .map_err(|error| script_error(name, &error))
            .and_then(|script| Self::checked(script, name))
    }

    /// Reads a script from a file, JSON if its name ends in `.json` and else TOML.
    ///
    /// A relative path in `requests` starts at the folder of the script.
    ///
    /// # Errors
    ///
    /// [`LlmError::Script`].
    pub fn from_file(path: &Path) -> Result<Self, LlmError> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| script_error(&name, &error))?;
        let is_json = path
            .extension()
            .is_some_and(|extension| extension == "json");
        let mut script = if is_json {
            Self::from_json(&name, &text)?
        } else {
            Self::from_toml(&name, &text)?
        };
        if let (Some(requests), Some(folder)) = (&mut script.requests, path.parent()) {
            *requests = folder.join(&*requests);
        }
        Ok(script)
    }

    /// Adds a request to the file of requests, if there is one.
    fn log(&self, request: &Request) -> Result<(), LlmError> {
        let Some(path) = &self.requests else {
            return Ok(());
        };
        let mut line = serde_json::to_string(request).unwrap_or_default();
        line.push('\n');
        let file = fs::OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(|error| script_error(&path.display().to_string(), &error))
    }

    /// Refuses what would go wrong only when it is said.
    fn checked(self, name: &str) -> Result<Self, LlmError> {
        for (number, cycle) in self.cycles.iter().enumerate() {
            cycle.check().map_err(|reason| LlmError::Script {
                path: name.to_owned(),
                reason: format!("cycle {}: {reason}", number + 1),
            })?;
        }
        Ok(self)
    }
}

fn script_error(name: &str, error: &impl ToString) -> LlmError {
    LlmError::Script {
        path: name.to_owned(),
        reason: error.to_string().trim_end().to_owned(),
    }
}

impl Cycle {
    fn check(&self) -> Result<(), String> {
        if self.truncated && self.error.is_some() {
            return Err("`truncated` and `error` exclude each other, remove one".to_owned());
        }
        if self.finish_reason.is_some() && (self.truncated || self.error.is_some()) {
            return Err("an answer without an end has no `finish_reason`, remove it".to_owned());
        }
        let mut open = Vec::new();
        for step in self.batches.iter().flatten() {
            match step {
                Step::ToolCall(call) => {
                    if call.arguments.is_some() && call.fragments.is_some() {
                        let id = &call.id;
                        return Err(format!(
                            "tool call `{id}` has `arguments` and `fragments`, write one of them"
                        ));
                    }
                    if call.open {
                        open.push(call.id.as_str());
                    }
                }
                Step::Arguments(arguments) if !open.contains(&arguments.id.as_str()) => {
                    let id = &arguments.id;
                    return Err(format!(
                        "no tool call `{id}` is open, write `open = true` there"
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn say(&self, step: &Step, keys: &mut Vec<String>, parts: &mut Parts) {
        match step {
            Step::Text(fragments) => fragments
                .iter()
                .for_each(|text| parts.speak(&PartKind::Text, text)),
            Step::Reasoning(fragments) => fragments
                .iter()
                .for_each(|text| parts.speak(&PartKind::Reasoning, text)),
            Step::Metadata(metadata) => {
                for (name, value) in metadata {
                    parts.keep(PartKey::Speech, name, value.clone());
                }
            }
            Step::ToolCall(call) => {
                parts.end(PartKey::Speech);
                let key = key_of(keys.len());
                keys.push(call.id.clone());
                let (id, name) = (call.id.clone(), call.name.clone());
                parts.start(key, PartKind::ToolCall { id, name });
                if let Some(arguments) = &call.arguments {
                    parts.add(key, &Value::Object(arguments.clone()).to_string());
                }
                call.fragments
                    .iter()
                    .flat_map(Fragments::iter)
                    .for_each(|json| parts.add(key, json));
                if !call.open {
                    parts.end(key);
                }
            }
            Step::Arguments(arguments) => {
                if let Some(number) = keys.iter().rposition(|id| *id == arguments.id) {
                    parts.add(key_of(number), &arguments.json);
                }
            }
        }
    }

    /// Says how the answer ends, if it does; returns the error otherwise.
    fn end(&self, parts: &mut Parts) -> Option<LlmError> {
        if let Some(ScriptedError { message, retryable }) = &self.error {
            return Some(LlmError::Provider {
                provider: PROVIDER,
                message: message.clone(),
                retryable: *retryable,
            });
        }
        if self.truncated {
            return Some(LlmError::Incomplete { provider: PROVIDER });
        }
        parts.usage = Usage {
            input_tokens: self.usage.input_tokens,
            output_tokens: self.usage.output_tokens,
            cached_tokens: self.usage.cached_tokens,
        };
        parts.finish(match self.finish_reason.as_deref() {
            None | Some("completed") => FinishReason::Completed,
            Some("max_tokens") => FinishReason::MaxTokens,
            Some("refused") => FinishReason::Refused,
            Some(other) => FinishReason::Other(other.to_owned()),
        });
        None
    }
}

fn key_of(number: usize) -> PartKey {
    PartKey::Numbered(u64::try_from(number).unwrap_or(u64::MAX))
}

/// The provider `test`: says what a [`Script`] tells it to, and remembers what it was asked.
#[derive(Debug)]
pub struct ScriptedProvider {
    script: Script,
    remembers: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: Vec<bool>,
    /// How often it was asked.
    asked: usize,
    requests: Vec<Request>,
}

impl ScriptedProvider {
    /// A provider at the beginning of its script.
    #[must_use]
    pub fn new(script: Script) -> Self {
        let state = State {
            used: vec![false; script.cycles.len()],
            ..State::default()
        };
        Self {
            script,
            remembers: true,
            state: Mutex::new(state),
        }
    }

    /// Remembers nothing, for a provider that lives long: each request holds a whole conversation.
    #[must_use]
    pub fn forgetting(self) -> Self {
        Self {
            remembers: false,
            ..self
        }
    }

    /// What the provider was asked so far, unless it is [`forgetting`](Self::forgetting).
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first answer that is left and fits.
    fn take(&self, request: Request) -> Result<Cycle, LlmError> {
        let mut state = self.state();
        self.script.log(&request)?;
        let mut cycles = self.script.cycles.iter().zip(&mut state.used);
        let fits = |cycle: &Cycle| {
            cycle
                .model
                .as_ref()
                .is_none_or(|model| *model == request.model)
        };
        let found = cycles
            .find(|(cycle, used)| !**used && fits(cycle))
            .map(|(cycle, used)| {
                *used = true;
                cycle.clone()
            });
        state.asked += 1;
        if self.remembers {
            state.requests.push(request);
        }
        found.ok_or(LlmError::ScriptEnded {
            cycles: self.script.cycles.len(),
            request: state.asked,
        })
    }
}

impl Provider for ScriptedProvider {
    fn stream(&self, request: Request, cancel: CancellationToken) -> EventStream {
        let performance = match self.take(request) {
            Ok(cycle) => Performance {
                cycle,
                batch: 0,
                keys: Vec::new(),
                parts: Parts::default(),
                error: None,
                ended: false,
                cancel,
            },
            Err(error) => return Box::pin(stream::iter([StreamEvent::Error(error)])),
        };
        Box::pin(stream::unfold(performance, Performance::next))
    }

    fn model_details<'a>(
        &'a self,
        _model: &'a str,
    ) -> BoxFuture<'a, Result<ModelDetails, LlmError>> {
        Box::pin(ready(Ok(ModelDetails {
            context_window: self.script.context_window,
            ..ModelDetails::default()
        })))
    }
}

/// An answer that is being given.
struct Performance {
    cycle: Cycle,
    batch: usize,
    keys: Vec<String>,
    parts: Parts,
    error: Option<LlmError>,
    ended: bool,
    cancel: CancellationToken,
}

impl Performance {
    async fn next(mut self) -> Option<(StreamEvent, Self)> {
        loop {
            if self.cancel.is_cancelled() && !self.ended {
                self.parts = Parts::default();
                self.ended = true;
                return Some((StreamEvent::Error(LlmError::Cancelled), self));
            }
            if let Some(event) = self.parts.next_event() {
                return Some((event, self));
            }
            if let Some(error) = self.error.take() {
                return Some((StreamEvent::Error(error), self));
            }
            if self.ended {
                return None;
            }
            self.go_on().await;
        }
    }

    /// Says the next batch, or ends.
    async fn go_on(&mut self) {
        let Some(batch) = self.cycle.batches.get(self.batch).cloned() else {
            self.error = self.cycle.end(&mut self.parts);
            self.ended = true;
            return;
        };
        // Whoever listens gets to do something between two batches.
        yield_now().await;
        if self.cycle.delay_ms > 0 && self.batch > 0 {
            let delay = sleep(Duration::from_millis(self.cycle.delay_ms));
            tokio::select! {
                () = delay => {}
                () = self.cancel.cancelled() => return,
            }
        }
        self.batch += 1;
        for step in &batch {
            self.cycle.say(step, &mut self.keys, &mut self.parts);
        }
    }
}

#[cfg(test)]
#[path = "scripted_tests.rs"]
mod tests;
