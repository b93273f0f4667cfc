//! A workspace, a scripted model and somebody who answers prompts, for tests of whole turns.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test file uses another part"
)]

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jp_agent::{
    AgentError, AskUser, Builtins, CallChange, Clock, ConfigSource, DescribeTools, EventSink,
    FinishedTurn, InquiryBackend, InquiryCall, InquiryError, MAX_CYCLES, ProcessLimits,
    PromptOutcome, PromptRequest, PromptSubject, PromptTool, Prompts, Providers, Runtime,
    RuntimeParts, Sandbox, SourceRange, TrustedWorkspace, TurnControl, TurnHandle, TurnOutcome,
    config::ModelConfig,
};
use jp_conversation::{
    ChatRequest, ConversationEvent, ConversationId, ConversationMetadata, ConversationWriter,
    EventKind, Store, Timestamp,
};
use jp_llm::{LlmError, Provider, Script, ScriptedProvider};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// The model calls the tool `t` once, and is done.
pub const ONE_CALL: &str = r#"
[[cycles]]
batches = [[{ text = ["I ", "look."] }, { tool_call = { id = "c1", name = "t", arguments = {} } }]]
[[cycles]]
batches = [[{ text = "Done." }]]
"#;

/// What became of the calls of a recorded turn, one a line.
pub fn responses(recorded: &str) -> String {
    let responses: Vec<&str> = recorded
        .lines()
        .filter_map(|line| line.strip_prefix("tool_call_response "))
        .collect();
    responses.join("\n")
}

/// A workspace with everything around it.
pub struct World {
    pub root: Utf8PathBuf,
    pub config: Arc<Mutex<Value>>,
    pub model: Arc<ScriptedProvider>,
    pub log: Arc<Log>,
    pub people: Arc<People>,
    pub store: Store,
    pub limits: ProcessLimits,
    pub max_cycles: NonZeroU32,
    pub inquiry: Arc<Inquiries>,
    _directory: Option<TempDir>,
}

impl World {
    /// A world with the tools of `tools` and a model that follows `script`.
    pub fn new(tools: &Value, script: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
        Self {
            _directory: Some(directory),
            ..Self::at(&base, tools, script)
        }
    }

    /// The same in a directory that outlives the world.
    pub fn at(base: &Utf8Path, tools: &Value, script: &str) -> Self {
        let root = base.join("w");
        std::fs::create_dir_all(&root).unwrap();
        let config = json!({
            "assistant": {"model": {"id": "test/main"}},
            "conversation": {"tools": tools},
        });
        let script = Script::from_toml("script", script).unwrap();
        Self {
            root,
            config: Arc::new(Mutex::new(config)),
            model: Arc::new(ScriptedProvider::new(script)),
            log: Arc::default(),
            people: Arc::default(),
            store: Store::new(base.join("store")),
            limits: ProcessLimits {
                timeout: Duration::from_secs(60),
                output: 100_000,
            },
            max_cycles: MAX_CYCLES,
            inquiry: Arc::default(),
            _directory: None,
        }
    }

    /// Somebody is there and answers prompts in this order.
    pub fn with_people(self, outcomes: impl IntoIterator<Item = PromptOutcome>) -> Self {
        {
            let mut people = self.people.0.lock().unwrap();
            people.are_there = true;
            people.outcomes = outcomes.into_iter().collect();
        }
        self
    }

    pub fn runtime(&self) -> Runtime {
        self.runtime_with(Arc::clone(&self.log) as Arc<dyn EventSink>)
    }

    /// A runtime that somebody else listens to.
    pub fn runtime_with(&self, sink: Arc<dyn EventSink>) -> Runtime {
        self.runtime_of(self.parts(sink))
    }

    pub fn runtime_of(&self, parts: RuntimeParts) -> Runtime {
        Runtime::new(TrustedWorkspace::granted(&self.root, "abcde"), parts)
    }

    /// What a runtime here is made of.
    pub fn parts(&self, sink: Arc<dyn EventSink>) -> RuntimeParts {
        RuntimeParts {
            config: Arc::new(FixedConfig(Arc::clone(&self.config))),
            providers: Arc::new(Models(Arc::clone(&self.model))),
            prompts: Arc::clone(&self.people) as Arc<dyn Prompts>,
            inquiry: Arc::clone(&self.inquiry) as Arc<dyn InquiryBackend>,
            sink,
            clock: Arc::new(Stopped),
            builtins: Builtins::default()
                .with("describe_tools", DescribeTools)
                .with("ask_user", AskUser),
            limits: self.limits,
            sandbox: Sandbox::default(),
            max_cycles: self.max_cycles,
        }
    }

    pub fn conversation(&self) -> ConversationWriter {
        let metadata = ConversationMetadata::at(Timestamp::EPOCH);
        self.store.create(metadata, Map::new(), Vec::new()).unwrap()
    }

    /// Runs one turn to its end and returns what is on disk.
    pub async fn turn(&self) -> String {
        let (_handle, control) = TurnControl::new();
        self.turn_with(control).await
    }

    /// Runs one turn and lets `act` do something to it.
    pub async fn turn_while<F: Future<Output = ()>>(
        &self,
        act: impl FnOnce(TurnHandle) -> F,
    ) -> String {
        let (handle, control) = TurnControl::new();
        let (events, ()) = tokio::join!(self.turn_with(control), act(handle));
        events
    }

    async fn turn_with(&self, control: TurnControl) -> String {
        let writer = self.conversation();
        let id = writer.conversation().id;
        let FinishedTurn { writer, .. } = self
            .runtime()
            .turn(writer, request("Do it."), control)
            .await;
        // Whoever holds the writer holds the lock.
        drop(writer.expect("nothing else holds the conversation"));
        self.recorded(id)
    }

    /// What is on disk, one event a line; [`World::decisions`] has what was decided.
    pub fn recorded(&self, id: ConversationId) -> String {
        let conversation = self.store.read(id).unwrap();
        let mut text = String::new();
        for event in conversation.events() {
            writeln!(text, "{}", self.event(event)).unwrap();
        }
        text
    }

    /// What was decided about each call, as it is on disk.
    pub fn decisions(&self, id: ConversationId) -> String {
        let mut text = String::new();
        for event in self.store.read(id).unwrap().events() {
            if let EventKind::ToolCallResponse(response) = &event.kind {
                let decisions = json!(event.decisions());
                writeln!(text, "{} {decisions}", response.id).unwrap();
            }
        }
        text
    }

    fn event(&self, event: &ConversationEvent) -> String {
        let mut value = event.to_json();
        let fields = value.as_object_mut().unwrap();
        fields.shift_remove("timestamp");
        without_decisions(fields);
        let kind = fields.shift_remove("type").unwrap();
        format!("{} {value}", kind.as_str().unwrap()).replace(self.root.as_str(), "/w")
    }

    /// Writes an executable shell script into the workspace and returns its path.
    pub fn script(&self, name: &str, text: &str) -> Utf8PathBuf {
        write_script(&self.root.join(name), text)
    }
}

/// Most tests are about what happened, and not about who decided it.
fn without_decisions(event: &mut Map<String, Value>) {
    if let Some(Value::Object(metadata)) = event.get_mut("metadata") {
        metadata.shift_remove("decisions");
        if metadata.is_empty() {
            event.shift_remove("metadata");
        }
    }
}

pub fn request(text: &str) -> ChatRequest {
    ChatRequest {
        content: text.to_owned(),
        ..ChatRequest::default()
    }
}

pub fn write_script(path: &Utf8Path, text: &str) -> Utf8PathBuf {
    std::fs::write(path, text).unwrap();
    path.to_owned()
}

/// A local tool that is a shell script.
pub fn shell(script: &str) -> Value {
    json!({
        "source": "local",
        "run": "unattended",
        "command": {"program": "sh", "args": ["-c", script]},
    })
}

#[derive(Debug)]
struct FixedConfig(Arc<Mutex<Value>>);

impl ConfigSource for FixedConfig {
    fn effective(&self) -> Result<Value, AgentError> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn place(&self, path: &[&str], index: Option<usize>) -> Option<SourceRange> {
        Some(SourceRange {
            file: format!("/w/{}{index:?}", path.join(".")).into(),
            start: (0, 0),
            end: (0, 1),
        })
    }
}

#[derive(Debug)]
struct Models(Arc<ScriptedProvider>);

impl Providers for Models {
    fn provider(&self, _: &ModelConfig) -> Result<Arc<dyn Provider>, LlmError> {
        Ok(Arc::clone(&self.0) as Arc<dyn Provider>)
    }
}

#[derive(Debug)]
struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        Timestamp::EPOCH
    }
}

/// Answers every question of a tool in the model's stead.
#[derive(Debug, Default)]
pub struct Inquiries(pub Mutex<VecDeque<Result<Value, InquiryError>>>);

impl InquiryBackend for Inquiries {
    fn inquire(
        &self,
        _: InquiryCall,
        _: CancellationToken,
    ) -> BoxFuture<'_, Result<Value, InquiryError>> {
        let answer = self.0.lock().unwrap().pop_front();
        async move { answer.unwrap_or_else(|| Err(InquiryError::Other("no answer".to_owned()))) }
            .boxed()
    }
}

/// What listeners hear.
#[derive(Debug, Default)]
pub struct Log(pub Mutex<Vec<String>>);

impl Log {
    pub fn text(&self) -> String {
        self.0.lock().unwrap().join("\n")
    }

    fn say(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    /// Returns when `line` has been heard.
    pub async fn hears(&self, line: &str) {
        while !self.0.lock().unwrap().iter().any(|heard| heard == line) {
            tokio::task::yield_now().await;
        }
    }
}

impl EventSink for Log {
    fn committed(&self, _: ConversationId, event: &ConversationEvent) {
        self.say(format!("event {}", event.kind.tag()));
    }

    fn delta_text(&self, _: ConversationId, text: &str) {
        self.say(format!("text {text}"));
    }

    fn notice(&self, _: ConversationId, text: &str) {
        self.say(format!("notice {text}"));
    }

    fn rendered_arguments(&self, _: ConversationId, call_id: &str, text: &str) {
        self.say(format!("rendered {call_id} {text}"));
    }

    fn config_changed(&self, _: ConversationId, changes: &[CallChange]) {
        for CallChange {
            call_id,
            tool,
            delta,
        } in changes
        {
            let unsets = json!(delta.unsets);
            let sets = Value::Object(delta.delta.clone());
            self.say(format!("changed {call_id} {tool} {sets} unset {unsets}"));
        }
    }

    fn change_rejected(&self, _: ConversationId, tool: &PromptTool) {
        self.say(format!("rejected a change of {}", tool.name));
    }

    fn turn_end(&self, _: ConversationId, outcome: &TurnOutcome) {
        self.say(match outcome {
            TurnOutcome::Completed => "end completed".to_owned(),
            TurnOutcome::Cancelled => "end cancelled".to_owned(),
            TurnOutcome::Failed { error } => format!("end failed: {error}"),
        });
    }
}

/// Who answers prompts.
#[derive(Debug, Default)]
pub struct People(Mutex<Answering>);

#[derive(Debug, Default)]
struct Answering {
    are_there: bool,
    outcomes: VecDeque<PromptOutcome>,
    asked: Vec<String>,
}

impl People {
    /// Returns when they have been asked `count` times.
    pub async fn are_asked(&self, count: usize) {
        while self.0.lock().unwrap().asked.len() < count {
            tokio::task::yield_now().await;
        }
    }

    /// What they were asked, a line each.
    pub fn asked(&self) -> String {
        self.0.lock().unwrap().asked.join("\n")
    }
}

impl Prompts for People {
    fn ask(
        &self,
        request: PromptRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, PromptOutcome> {
        let outcome = {
            let mut people = self.0.lock().unwrap();
            people.asked.push(summary(&request));
            if people.are_there {
                people.outcomes.pop_front()
            } else {
                Some(PromptOutcome::Unavailable {
                    reason: "nobody".to_owned(),
                })
            }
        };
        async move {
            match outcome {
                Some(outcome) => outcome,
                // Nobody answers; the prompt waits until it is withdrawn.
                None => {
                    cancel.cancelled().await;
                    PromptOutcome::Withdrawn
                }
            }
        }
        .boxed()
    }

    fn is_available(&self) -> bool {
        self.0.lock().unwrap().are_there
    }
}

fn summary(request: &PromptRequest) -> String {
    let what = match &request.subject {
        PromptSubject::Run {
            arguments,
            argv,
            rendered,
        } => format!(
            "run {} argv {} rendered {}",
            Value::Object(arguments.clone()),
            json!(argv),
            json!(rendered)
        ),
        PromptSubject::Edit { arguments } => format!("edit {}", Value::Object(arguments.clone())),
        PromptSubject::Result {
            content,
            is_error,
            edit,
        } => format!("result {content:?} is_error {is_error} edit {edit}"),
        PromptSubject::Question { question, label } => {
            format!("question {:?} label {label:?}", question.text)
        }
        PromptSubject::Delta(delta) => {
            let paths: Vec<&str> = delta
                .changes
                .iter()
                .map(|change| change.path.as_str())
                .collect();
            format!("delta {}", paths.join(", "))
        }
        PromptSubject::Grant(grant) => format!("grant {}", grant.rule),
        PromptSubject::Consent(consent) => format!("consent {:?}", consent.title),
    };
    let rule = request.rule.as_ref().map_or_else(String::new, |rule| {
        let place = rule.place.as_ref().map(|place| place.file.as_str());
        format!(" by {} {:?}", place.unwrap_or("nowhere"), rule.index)
    });
    format!(
        "{} {}: {what}{rule}",
        request.tool.source, request.tool.name
    )
}

pub fn approved() -> PromptOutcome {
    PromptOutcome::Approved { remember: false }
}

pub fn rejected(reason: Option<&str>) -> PromptOutcome {
    PromptOutcome::Rejected {
        reason: reason.map(str::to_owned),
        remember: false,
    }
}

/// What is logged as a warning, without times.
#[derive(Debug, Clone, Default)]
pub struct Warnings(Arc<Mutex<Vec<u8>>>);

impl Warnings {
    /// Hears what this thread logs, for as long as the guard lives.
    pub fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let heard = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::WARN)
            .with_writer(move || heard.clone())
            .with_ansi(false)
            .without_time()
            .finish();
        tracing::subscriber::set_default(subscriber)
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl std::io::Write for Warnings {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
