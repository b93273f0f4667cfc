//! What the protocol gains, see `docs/PROTOCOL.md`; a test holds that page to these types.
//!
//! ```json
//! {"method": "jp/query/start", "params": {"text": "What does main.rs do?", "conversation": "new"}}
//! {"result": {"conversation": "jp-c17636666521"}}
//! ```

use jp_agent::{
    CallProgress, Interrupt, TurnOutcome, TurnPhase, config::InterruptAction, context_fill,
};
use jp_llm::Usage;
use lsp_types::{notification::Notification, request::Request};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use crate::runtime::{conversations::Keeper, status::Status};

/// `jp/trustGranted`: the person has come to trust a folder, or all of them.
pub(crate) const TRUST_GRANTED: &str = "jp/trustGranted";

/// Declares requests: a marker type, its parameters, its result and its method.
macro_rules! requests {
    ($($name:ident($params:ty) -> $result:ty = $method:literal;)*) => {
        $(
            #[doc = concat!("`", $method, "`.")]
            #[derive(Debug)]
            pub(crate) enum $name {}

            impl Request for $name {
                type Params = $params;
                type Result = $result;
                const METHOD: &'static str = $method;
            }
        )*
    };
}

/// Declares notifications from the server.
macro_rules! notifications {
    ($($name:ident($params:ty) = $method:literal;)*) => {
        $(
            #[doc = concat!("`", $method, "`, from the server.")]
            #[derive(Debug)]
            pub(crate) enum $name {}

            impl Notification for $name {
                type Params = $params;
                const METHOD: &'static str = $method;
            }
        )*

        /// The methods of the notifications from the server.
        #[cfg(test)]
        pub(crate) const NOTIFICATIONS: &[&str] = &[$($method),*];
    };
}

requests! {
    QueryStart(QueryStartParams) -> ConversationParams = "jp/query/start";
    QueryCancel(ConversationParams) -> Value = "jp/query/cancel";
    QueryInterrupt(QueryInterruptParams) -> Value = "jp/query/interrupt";
    InterruptChoices(ConversationParams) -> Vec<InterruptChoice> = "jp/query/interruptChoices";
    ConversationList(Value) -> Vec<ConversationListed> = "jp/conversation/list";
    ConversationRead(ConversationReadParams) -> ConversationRecord = "jp/conversation/read";
    ConversationRename(ConversationRenameParams) -> ConversationRenamed = "jp/conversation/rename";
    ConversationDelete(ConversationParams) -> Value = "jp/conversation/delete";
    ConversationFork(ConversationForkParams) -> ConversationParams = "jp/conversation/fork";
    ConversationSearch(ConversationSearchParams) -> Vec<ConversationListed> = "jp/conversation/search";
    Workspaces(WorkspacesParams) -> Vec<NamedWorkspace> = "jp/workspaces";
    StatusRequest(StatusParams) -> Status = "jp/status";
}

/// What `jp/trustGranted` says, from the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TrustGrantedParams {
    /// The folder that is trusted; without it, all that are open at this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<Url>,
}

notifications! {
    ConversationNotification(ConversationEventParams) = "jp/conversation/event";
    NoticeNotification(NoticeParams) = "jp/notice";
    PromptResolved(PromptResolvedParams) = "jp/promptResolved";
}

/// What to ask, and where.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueryStartParams {
    /// What to ask.
    pub(crate) text: String,
    /// An id, or `new`.
    #[serde(default = "new_conversation")]
    pub(crate) conversation: String,
    /// The folder of the workspace; the first folder that has one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<Url>,
    /// The model to ask from now on, `provider/name` or an alias; what the config says by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    /// Config paths and the values that hold for the conversation from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) config: Option<Map<String, Value>>,
}

fn new_conversation() -> String {
    "new".to_owned()
}

/// The conversation that a request is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ConversationParams {
    /// Its id.
    pub(crate) conversation: String,
}

/// Which part of a conversation is read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ConversationReadParams {
    /// Its id.
    pub(crate) conversation: String,
    /// At least so many events, back to the beginning of a turn or to a place between calls; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<usize>,
    /// Only events before this one, counted from 0; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<usize>,
    /// Whether the answer has the whole conversation as Markdown as well; it has by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) markdown: Option<bool>,
}

/// What to do to a turn.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct QueryInterruptParams {
    /// The conversation.
    pub(crate) conversation: String,
    /// What to do; what the config says by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<InterruptName>,
    /// What the model is told with `stop_and_reply`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

/// The ways to interrupt a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InterruptName {
    /// Nothing happens.
    Continue,
    /// What runs is stopped, and the model reads a text.
    StopAndReply,
    /// What runs is done again.
    Restart,
    /// The turn ends.
    Stop,
    /// The turn ends, and what the model was saying is dropped.
    Abort,
}

impl InterruptName {
    /// What an action is called here; none where the person is to be asked.
    const fn of(action: InterruptAction) -> Option<Self> {
        Some(match action {
            InterruptAction::Prompt => return None,
            InterruptAction::Continue => Self::Continue,
            InterruptAction::Reply | InterruptAction::Respond => Self::StopAndReply,
            InterruptAction::Restart => Self::Restart,
            InterruptAction::Stop => Self::Stop,
            InterruptAction::Abort => Self::Abort,
        })
    }

    pub(crate) fn interrupt(self, text: Option<String>) -> Interrupt {
        match self {
            Self::Continue => Interrupt::Continue,
            Self::StopAndReply => Interrupt::StopAndReply { text },
            Self::Restart => Interrupt::Restart,
            Self::Stop => Interrupt::Stop,
            Self::Abort => Interrupt::Abort,
        }
    }
}

/// A way to interrupt a turn, as a menu shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InterruptChoice {
    /// What to do.
    pub(crate) action: InterruptName,
    /// What to write on its button.
    pub(crate) title: String,
}

impl InterruptChoice {
    /// What a person can choose while a turn does this, in the order of a menu.
    pub(crate) fn all(phase: TurnPhase) -> Vec<Self> {
        let actions = phase.actions().iter();
        let named =
            actions.filter_map(|action| Some((InterruptName::of(*action)?, action.title())));
        named
            .map(|(action, title)| Self {
                action,
                title: title.to_owned(),
            })
            .collect()
    }
}

/// A conversation in a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationListed {
    /// Its id.
    pub(crate) id: String,
    /// Its title, if it has one.
    pub(crate) title: Option<String>,
    /// When it was used last.
    pub(crate) last_activated_at: String,
    /// Who keeps it.
    pub(crate) keeper: Keeper,
    /// The line in which a search found its words, if they stand in what was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) excerpt: Option<String>,
    /// The folder of its workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<Url>,
    /// What a person calls that.
    #[serde(default)]
    pub(crate) workspace_name: String,
}

/// Another title for a conversation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ConversationRenameParams {
    /// Its id.
    pub(crate) conversation: String,
    /// The title.
    pub(crate) title: String,
}

/// The title that a conversation has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ConversationRenamed {
    /// The title, as it is kept.
    pub(crate) title: String,
}

/// What to copy of a conversation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationForkParams {
    /// Its id.
    pub(crate) conversation: String,
    /// How many of its last turns are left out; none by default, and 1 undoes the last turn.
    #[serde(default)]
    pub(crate) without_last: usize,
}

/// What to look for in conversations.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ConversationSearchParams {
    /// Words that all stand in the title or in one thing that was said.
    pub(crate) text: String,
}

/// What is known of the workspace that is meant.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct WorkspacesParams {
    /// The file or folder that the person is at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<Url>,
}

/// A workspace that may be meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NamedWorkspace {
    /// Its folder.
    pub(crate) uri: Url,
    /// What a person calls it: its way from the folder of the editor that it lies below, or its own name.
    pub(crate) name: String,
}

/// The workspace whose status is asked for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct StatusParams {
    /// A file or folder in it; the first workspace by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<Url>,
}

/// Where a first config goes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct CreateParams {
    /// The folder of the editor that gets a `.jp`; the first folder by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<Url>,
    /// The model, as `provider/name`; by default one whose key is in the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
}

/// The first config of a folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CreateResult {
    /// Where it is.
    pub(crate) file: Url,
    /// Whether it was written; what was there already stays as it is.
    pub(crate) created: bool,
}

/// A conversation, or its last turns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ConversationRecord {
    /// The events as they are recorded.
    pub(crate) events: Vec<Value>,
    /// How many events stand before them.
    pub(crate) earlier: usize,
    /// The whole conversation for people, unless it was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) markdown: Option<String>,
}

/// Where a conversation can be read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ConversationShown {
    /// A Markdown file that grows as the conversation does.
    pub(crate) uri: Url,
}

/// Something that happened in a conversation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ConversationEventParams {
    /// The conversation.
    pub(crate) conversation: String,
    /// An event as it is recorded, or a [`TransientEvent`].
    pub(crate) event: Value,
}

/// What happens in a turn and is not recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum TransientEvent {
    /// The model goes on speaking.
    DeltaText {
        /// What it says.
        text: String,
    },
    /// An attempt to reach the model failed, and another follows.
    Retrying {
        /// What failed, and when it is tried again.
        text: String,
    },
    /// A call is known, runs, or has its result, before that is recorded.
    CallState {
        /// Its id.
        id: String,
        /// How far it has come.
        state: CallStateName,
        /// The tool, with `deciding`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Its arguments, with `deciding` where they can be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<Map<String, Value>>,
        /// Its result, with `done` and `failed`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
    },
    /// What an answer of the model cost, as far as its provider says.
    #[serde(rename_all = "camelCase")]
    Usage {
        /// Tokens read, those from a cache included.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input_tokens: Option<u64>,
        /// Tokens written, reasoning included.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_tokens: Option<u64>,
        /// Tokens read from a cache.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cached_tokens: Option<u64>,
        /// How many tokens the model takes in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context_window: Option<u64>,
        /// How full that is, for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// The turn is over.
    TurnEnd {
        /// How.
        outcome: OutcomeName,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallStateName {
    /// It is being decided about, by a rule or by a person.
    Deciding,
    /// The tool runs.
    Running,
    /// It has a result.
    Done,
    /// It failed.
    Failed,
}

impl From<CallProgress<'_>> for TransientEvent {
    fn from(progress: CallProgress<'_>) -> Self {
        let (id, state, name, arguments, content) = match progress {
            CallProgress::Deciding {
                id,
                name,
                arguments,
            } => (id, CallStateName::Deciding, Some(name), arguments, None),
            CallProgress::Running { id } => (id, CallStateName::Running, None, None, None),
            CallProgress::Finished {
                id,
                content,
                is_error: false,
            } => (id, CallStateName::Done, None, None, Some(content)),
            CallProgress::Finished { id, content, .. } => {
                (id, CallStateName::Failed, None, None, Some(content))
            }
        };
        Self::CallState {
            id: id.to_owned(),
            state,
            name: name.map(str::to_owned),
            arguments: arguments.cloned(),
            content: content.map(str::to_owned),
        }
    }
}

impl TransientEvent {
    /// What an answer of a model cost that takes in as many tokens as `window`.
    pub(crate) fn usage(usage: &Usage, window: Option<u64>) -> Self {
        Self::Usage {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_tokens: usage.cached_tokens,
            context_window: window,
            text: context_fill(usage, window),
        }
    }
}

/// How a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutcomeName {
    /// The model has nothing more to do, or a person stopped the turn.
    Completed,
    /// It was cancelled.
    Cancelled,
    /// It could not go on.
    Failed,
}

impl From<&TurnOutcome> for TransientEvent {
    fn from(outcome: &TurnOutcome) -> Self {
        let (outcome, error) = match outcome {
            TurnOutcome::Completed => (OutcomeName::Completed, None),
            TurnOutcome::Cancelled => (OutcomeName::Cancelled, None),
            TurnOutcome::Failed { error } => (OutcomeName::Failed, Some(error.clone())),
        };
        Self::TurnEnd { outcome, error }
    }
}

impl TransientEvent {
    /// The event as it goes over the wire.
    pub(crate) fn to_json(&self) -> Value {
        // A tagged enum of strings and JSON always has a JSON form.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Something to tell the person that is no part of a conversation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct NoticeParams {
    /// The conversation.
    pub(crate) conversation: String,
    /// What to tell.
    pub(crate) text: String,
}

/// What came of a prompt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PromptResolvedParams {
    /// The prompt.
    pub(crate) id: String,
    /// What was done.
    pub(crate) action: String,
}

/// What came of the command `jp.prompt.answer`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct AnswerResult {
    /// Whether the prompt waits no more.
    pub(crate) decided: bool,
}

/// The config change of a conversation that was taken back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ConfigUndone {
    /// What it had set.
    pub(crate) delta: Map<String, Value>,
    /// What it had removed.
    pub(crate) unsets: Vec<String>,
}

/// The workspace whose effective config is asked for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct EffectiveParams {
    /// A file or folder in it; the first workspace by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<Url>,
}

/// An effective config.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct EffectiveResult {
    /// The config as TOML.
    pub(crate) text: String,
    /// Where the client can ask for it as a document, if it asks for such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) uri: Option<Url>,
}

#[cfg(test)]
#[path = "protocol_tests.rs"]
mod tests;
