//! The agent runtime of one workspace: its config from disk, its models, its store, its queue of prompts.
//!
//! ```text
//! jp-lsp query "..."      jp/query/start
//!          \                /
//!           Session of a trusted workspace
//! ```

mod assignments;
pub mod attachments;
mod builtins;
pub(crate) mod comparison;
mod config_source;
pub mod conversations;
pub(crate) mod held;
pub mod keyring;
#[cfg_attr(not(unix), path = "runtime/meeting_absent.rs")]
pub(crate) mod meeting;
pub(crate) mod refusal;
pub mod status;
pub(crate) mod suggestions;
mod tool_toggles;

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::{
    Broker, BrokerConfig, EventSink, HttpProviders, LlmInquiryBackend, MAX_CYCLES, ProcessLimits,
    Runtime, RuntimeParts, Sandbox, SystemClock, TrustedWorkspace, TurnOutcome,
};
use jp_conversation::{
    ClosedConversation, ConfigDelta, ConversationError, ConversationId, ConversationMetadata,
    ConversationWriter, Store, Timestamp, title_of, visible,
};
use jp_llm::{HttpClient, LlmError, Script, ScriptedProvider};
use serde_json::Value;

use self::builtins::builtins;
pub use assignments::{Assignment, AssignmentError, Assignments};
pub use config_source::WorkspaceConfig;
pub use tool_toggles::ToolToggles;

use crate::{
    disk::{
        data::{NoDataDirectory, data_directory},
        user_settings::{self, UserSettingsError},
        workspace,
    },
    line_index::PositionEncoding,
    runtime::{conversations::Conversations, keyring::Keyring},
    trust::{Consents, Door, TrustError, Vouched, unprivileged},
};

/// The environment variable that names the script of the `test` provider.
pub const SCRIPT_VARIABLE: &str = "JP_LSP_TEST_SCRIPT";

/// The environment variable that says for how many seconds a tool may run, instead of ten minutes.
pub const TOOL_TIMEOUT_VARIABLE: &str = "JP_LSP_TOOL_TIMEOUT_SECS";

/// The environment variable that says how many cycles a turn may have, instead of [`jp_agent::MAX_CYCLES`].
pub const MAX_CYCLES_VARIABLE: &str = "JP_LSP_MAX_CYCLES";

/// Why a runtime cannot start, or a conversation not be opened.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The models cannot be reached, or the script cannot be read.
    #[error(transparent)]
    Llm(#[from] LlmError),
    /// A conversation cannot be read or written.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// Nothing of the workspace may be started.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// What a person has set cannot be heeded.
    #[error(transparent)]
    Settings(#[from] UserSettingsError),
    /// A value cannot be set.
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    /// There is no place for conversations.
    #[error(transparent)]
    NoDataDirectory(#[from] NoDataDirectory),
    /// The time that tools have is none.
    #[error("`{TOOL_TIMEOUT_VARIABLE}` is `{0}`, write a whole number of seconds such as `600`")]
    InvalidToolTimeout(String),
    /// The number of cycles that turns have is none.
    #[error("`{MAX_CYCLES_VARIABLE}` is `{0}`, write a whole number from 1 such as `100`")]
    InvalidMaxCycles(String),
}

/// What a runtime of a workspace depends on beside the workspace.
#[derive(Debug)]
pub struct SessionOptions {
    /// Who says that the workspace is trusted; none for one that this program has made itself.
    pub vouched: Option<Vouched>,
    /// The tools that are switched on or off.
    pub toggles: ToolToggles,
    /// How places count characters.
    pub encoding: PositionEncoding,
    /// How many cycles a turn may have; none where that is left to the environment.
    pub max_cycles: Option<NonZeroU32>,
    /// How tools are held to their grants.
    pub sandbox: Sandbox,
    /// The script of the `test` provider.
    pub script: Option<Script>,
    /// Another folder for conversations than the person's own.
    pub conversations: Option<Utf8PathBuf>,
}

impl SessionOptions {
    /// No tool switched, places counted in UTF-16, no script, everything else as the environment says.
    #[must_use]
    pub fn new(vouched: Option<Vouched>) -> Self {
        Self {
            vouched,
            toggles: ToolToggles::default(),
            encoding: PositionEncoding::Utf16,
            max_cycles: None,
            sandbox: Sandbox::default(),
            script: None,
            conversations: None,
        }
    }
}

/// Everything that turns of one workspace share.
#[derive(Debug)]
pub struct Session {
    /// Runs turns.
    pub runtime: Arc<Runtime>,
    /// The queue of prompts.
    pub broker: Broker,
    /// The conversations.
    pub conversations: Conversations,
    config: Arc<WorkspaceConfig>,
}

impl Session {
    /// Starts the runtime of a workspace for a person who works in `directory`.
    ///
    /// Must be called within a tokio runtime. No process is started and nothing is connected before a turn, and none
    /// then unless the options say who trusts what the config starts and sends.
    ///
    /// # Errors
    ///
    /// [`SessionError`].
    pub fn start(
        root: &Utf8Path,
        directory: &Utf8Path,
        sink: Arc<dyn EventSink>,
        options: SessionOptions,
    ) -> Result<Self, SessionError> {
        let mut config = WorkspaceConfig::new(workspace::roots(root, directory))
            .with_encoding(options.encoding)
            .with_toggles(options.toggles, builtins().defaults());
        if let Some(vouched) = options.vouched {
            config = config.with_door(Door::new(root, vouched)?);
        }
        let store = match options.conversations {
            Some(folder) => Store::new(&folder),
            None => store(root)?,
        };
        let id = workspace::workspace_id(root).unwrap_or_default();
        let consents = Consents::new(config.roots().clone());
        let config = Arc::new(config);
        let broker = Broker::start(BrokerConfig { deadline: None });
        let mut providers =
            HttpProviders::new(HttpClient::new()?).with_consents(Arc::new(consents));
        match Keyring::of_system() {
            Ok(keyring) => providers = providers.with_kept_keys(Arc::new(keyring)),
            Err(error) => tracing::debug!(%error, "no key is kept"),
        }
        if let Some(script) = options.script {
            providers = providers.with_script(ScriptedProvider::new(script).forgetting());
        }
        let providers = Arc::new(providers);
        let parts = RuntimeParts {
            config: config.clone(),
            providers: providers.clone(),
            prompts: Arc::new(broker.clone()),
            inquiry: Arc::new(LlmInquiryBackend::new(providers)),
            sink,
            clock: Arc::new(SystemClock),
            builtins: builtins(),
            limits: limits()?,
            sandbox: user_settings::of(root)?.added_to(options.sandbox),
            max_cycles: max_cycles(options.max_cycles)?,
        };
        let trusted =
            TrustedWorkspace::granted(root, id).with_approvals(workspace::approvals(root));
        Ok(Self {
            runtime: Arc::new(Runtime::new(trusted, parts)),
            broker,
            conversations: Conversations::new(root, store),
            config,
        })
    }

    /// The config of the workspace.
    #[must_use]
    pub fn config(&self) -> &WorkspaceConfig {
        &self.config
    }

    /// The change that makes a conversation, or a new one, hold what a person sets for it; none where that is nothing.
    ///
    /// # Errors
    ///
    /// [`SessionError`]: nothing is to be recorded then.
    pub fn change(
        &self,
        assignments: &Assignments,
        conversation: Option<ConversationId>,
    ) -> Result<Option<ConfigDelta>, SessionError> {
        if assignments.is_empty() {
            return Ok(None);
        }
        let conversation = conversation
            .map(|id| self.conversations.read(id))
            .transpose()?;
        let effective = self.config.merged().map_err(AssignmentError::from)?;
        Ok(Some(assignments.delta(effective, conversation.as_ref())?))
    }

    /// Opens the conversation with an id, or a new one that is called after `question`.
    ///
    /// A conversation of `jp` is opened as a copy, under an id of its own; see [`kept_copy`] for what is left of it.
    ///
    /// # Errors
    ///
    /// [`SessionError`].
    pub fn open(
        &self,
        conversation: Option<ConversationId>,
        question: &str,
    ) -> Result<ConversationWriter, SessionError> {
        let own = &self.conversations.own;
        if let Some(id) = conversation {
            if !self.conversations.is_own(id)
                && let Some(original) = self.conversations.read_released(id)?
            {
                let (copy, left_out) = unprivileged(&original);
                if !left_out.is_empty() {
                    tracing::warn!(
                        "the conversation changes what nobody here has approved, which is left out: {}",
                        visible(&left_out.join(", "))
                    );
                }
                return Ok(own.continue_copy(&copy, Timestamp::now())?);
            }
            return Ok(own.open(id)?);
        }
        let base = match self.config.merged() {
            Ok(Value::Object(base)) => base,
            // The turn says what is wrong with the config; the conversation keeps what it can.
            Ok(_) | Err(_) => serde_json::Map::new(),
        };
        let metadata = ConversationMetadata {
            title: title_of(question).filter(|_| gives_titles(&base)),
            ..ConversationMetadata::at(Timestamp::now())
        };
        Ok(own.create(metadata, base, Vec::new())?)
    }

    /// Calls a conversation that was opened before its first question after that question.
    ///
    /// Nothing happens where it has a title, or the config wants none.
    ///
    /// # Errors
    ///
    /// [`SessionError::Conversation`].
    pub fn entitle(
        &self,
        writer: &mut ConversationWriter,
        question: &str,
    ) -> Result<(), SessionError> {
        let conversation = writer.conversation();
        if conversation.metadata.title.is_none()
            && conversation.events().is_empty()
            && gives_titles(&conversation.base_config)
            && let Some(title) = title_of(question)
        {
            writer.update_metadata(|metadata| metadata.title = Some(title))?;
        }
        Ok(())
    }

    /// Opens a conversation again that a turn has closed.
    ///
    /// # Errors
    ///
    /// [`SessionError::Conversation`].
    pub fn reopen(&self, closed: ClosedConversation) -> Result<ConversationWriter, SessionError> {
        Ok(self.conversations.own.reopen(closed)?)
    }
}

/// What is left of a copy of one of `jp`'s conversations after its first turn: nothing, where that came to nothing.
///
/// Whoever asks again gets another copy of the original.
#[must_use]
pub fn kept_copy(writer: ConversationWriter, outcome: &TurnOutcome) -> Option<ConversationWriter> {
    if *outcome == TurnOutcome::Completed || !writer.is_unanswered() {
        return Some(writer);
    }
    if let Err(error) = writer.discard() {
        tracing::warn!(%error, "a copy in which nothing was said is left behind");
    }
    None
}

/// Whether conversations get a title by themselves; they do unless the config says otherwise.
fn gives_titles(config: &serde_json::Map<String, Value>) -> bool {
    let auto = ["conversation", "title", "generate", "auto"];
    let (first, rest) = (config.get("conversation"), auto.iter().skip(1));
    let auto = rest.fold(first, |value, key| value.and_then(|value| value.get(*key)));
    auto.and_then(Value::as_bool).unwrap_or(true)
}

/// What tools may use of the machine.
fn limits() -> Result<ProcessLimits, SessionError> {
    let mut limits = ProcessLimits::default();
    if let Some(text) = std::env::var_os(TOOL_TIMEOUT_VARIABLE).filter(|text| !text.is_empty()) {
        let text = text.to_string_lossy();
        match text.parse() {
            Ok(seconds @ 1..) => limits.timeout = Duration::from_secs(seconds),
            _ => return Err(SessionError::InvalidToolTimeout(text.into_owned())),
        }
    }
    Ok(limits)
}

/// How many cycles a turn may have: what the client has set, or the environment.
fn max_cycles(configured: Option<NonZeroU32>) -> Result<NonZeroU32, SessionError> {
    if let Some(configured) = configured {
        return Ok(configured);
    }
    match std::env::var_os(MAX_CYCLES_VARIABLE).filter(|text| !text.is_empty()) {
        None => Ok(MAX_CYCLES),
        Some(text) => {
            let text = text.to_string_lossy();
            let cycles = text.parse();
            cycles.map_err(|_| SessionError::InvalidMaxCycles(text.into_owned()))
        }
    }
}

/// The conversations of a workspace.
///
/// # Errors
///
/// [`SessionError::NoDataDirectory`].
pub fn store(root: &Utf8Path) -> Result<Store, SessionError> {
    Ok(Store::new(
        data_directory()?
            .join("conversations")
            .join(folder_name(root)),
    ))
}

/// The folder of the documents that show a workspace's conversations.
///
/// # Errors
///
/// [`SessionError::NoDataDirectory`].
pub fn documents(root: &Utf8Path) -> Result<Utf8PathBuf, SessionError> {
    Ok(data_directory()?.join("documents").join(folder_name(root)))
}

/// The name under which a workspace's things are kept.
fn folder_name(root: &Utf8Path) -> String {
    let root = root.canonicalize_utf8().unwrap_or_else(|_| root.to_owned());
    let name = root.file_name().unwrap_or("workspace");
    let id = workspace::workspace_id(&root).unwrap_or_else(|| digest(root.as_str()));
    format!("{name}-{id}")
}

/// A short name for a workspace without an id, made from its path.
fn digest(path: &str) -> String {
    use sha2::{Digest as _, Sha256};
    let hash = Sha256::digest(path.as_bytes());
    hash.iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The script that [`SCRIPT_VARIABLE`] names, if it names one.
///
/// # Errors
///
/// [`SessionError::Llm`] when the script cannot be read.
pub fn script_from_environment() -> Result<Option<Script>, SessionError> {
    match std::env::var_os(SCRIPT_VARIABLE) {
        Some(path) if !path.is_empty() => Ok(Some(Script::from_file(std::path::Path::new(&path))?)),
        _ => Ok(None),
    }
}
