//! Turns over the wire: `jp/query/*`, `jp/conversation/*`.
//!
//! ```json
//! {"method": "jp/query/start", "params": {"text": "What does main.rs do?", "conversation": "new"}}
//! {"result": {"conversation": "jp-c17636666521"}}
//! ```

use camino::Utf8PathBuf;
use jp_agent::Interrupt;
use jp_conversation::{ConversationId, GrowingMarkdown};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::lsp_types::{
    notification::{Notification, WorkDoneProgressCancel},
    request::Request,
};
use url::Url;

use crate::{
    agent_host::{AgentHost, HostError, Query, show_document},
    config_engine::ConfigEngine,
    documents::FileKey,
    engine::{Context, RequestError, Routes},
    runtime::store,
    workspace,
};

/// `jp/query/start`.
#[derive(Debug)]
pub(crate) enum QueryStart {}

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

impl Request for QueryStart {
    type Params = QueryStartParams;
    type Result = ConversationParams;
    const METHOD: &'static str = "jp/query/start";
}

/// `jp/query/cancel`.
#[derive(Debug)]
pub(crate) enum QueryCancel {}

impl Request for QueryCancel {
    type Params = ConversationParams;
    type Result = Value;
    const METHOD: &'static str = "jp/query/cancel";
}

/// `jp/query/interrupt`.
#[derive(Debug)]
pub(crate) enum QueryInterrupt {}

/// What to do to a turn.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct QueryInterruptParams {
    /// The conversation.
    pub(crate) conversation: String,
    /// `continue`, `stop_and_reply`, `restart` or `stop`.
    pub(crate) action: InterruptAction,
    /// What the model is told with `stop_and_reply`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

/// The ways to interrupt a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InterruptAction {
    /// Nothing happens.
    Continue,
    /// What runs is stopped, and the model reads a text.
    StopAndReply,
    /// What runs is done again.
    Restart,
    /// The turn ends.
    Stop,
}

impl Request for QueryInterrupt {
    type Params = QueryInterruptParams;
    type Result = Value;
    const METHOD: &'static str = "jp/query/interrupt";
}

/// `jp/conversation/list`.
#[derive(Debug)]
pub(crate) enum ConversationList {}

impl Request for ConversationList {
    type Params = Value;
    type Result = Value;
    const METHOD: &'static str = "jp/conversation/list";
}

/// `jp/conversation/read`.
#[derive(Debug)]
pub(crate) enum ConversationRead {}

impl Request for ConversationRead {
    type Params = ConversationParams;
    type Result = Value;
    const METHOD: &'static str = "jp/conversation/read";
}

/// `jp/conversation/event`, from the server.
#[derive(Debug)]
pub(crate) enum ConversationNotification {}

impl Notification for ConversationNotification {
    type Params = Value;
    const METHOD: &'static str = "jp/conversation/event";
}

/// `jp/notice`, from the server.
#[derive(Debug)]
pub(crate) enum NoticeNotification {}

impl Notification for NoticeNotification {
    type Params = Value;
    const METHOD: &'static str = "jp/notice";
}

/// Adds the requests about turns.
pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes
        .on_waiting::<QueryStart, _>(|context, params| start(context, params, false))
        .on_waiting::<QueryCancel, _>(cancel)
        .on_waiting::<QueryInterrupt, _>(interrupt)
        .on::<ConversationList>(|context, _| list(context))
        .on::<ConversationRead>(|context, params| read(context, &params))
}

/// Hears that a person wants to end what a progress shows.
pub(crate) fn notified(agent: &AgentHost, method: &str, params: &Value) {
    if method != WorkDoneProgressCancel::METHOD {
        return tracing::debug!(method, "a notification of no interest");
    }
    if let Some(token) = params.get("token").and_then(Value::as_str) {
        agent.cancel_progress(token);
    }
}

/// Starts a turn, if the workspace is trusted.
pub(crate) async fn start(
    context: Context<ConfigEngine>,
    params: QueryStartParams,
    is_presented: bool,
) -> Result<ConversationParams, RequestError> {
    if !context.snapshot().trusted() {
        return Err(RequestError::Failed(
            "the workspace is not trusted: nothing runs in it before a person says so".to_owned(),
        ));
    }
    let conversation = match params.conversation.as_str() {
        "new" => None,
        id => Some(parse(id)?),
    };
    let query = Query {
        root: root(&context, params.workspace.as_ref())?,
        conversation,
        text: params.text,
        client: context.snapshot().client().clone(),
        pending: context.engine().pending.clone(),
        approved: context.engine().approved.clone(),
        is_presented,
        outbox: context.outbox().clone(),
    };
    let id = context
        .engine()
        .agent
        .start(query)
        .await
        .map_err(|error| failed(&error))?;
    Ok(ConversationParams {
        conversation: id.to_string(),
    })
}

async fn cancel(
    context: Context<ConfigEngine>,
    params: ConversationParams,
) -> Result<Value, RequestError> {
    let id = parse(&params.conversation)?;
    context
        .engine()
        .agent
        .cancel(id)
        .await
        .map_err(|error| failed(&error))?;
    Ok(Value::Null)
}

async fn interrupt(
    context: Context<ConfigEngine>,
    params: QueryInterruptParams,
) -> Result<Value, RequestError> {
    let id = parse(&params.conversation)?;
    let interrupt = match params.action {
        InterruptAction::Continue => Interrupt::Continue,
        InterruptAction::StopAndReply => Interrupt::StopAndReply { text: params.text },
        InterruptAction::Restart => Interrupt::Restart,
        InterruptAction::Stop => Interrupt::Stop,
    };
    let agent = &context.engine().agent;
    agent
        .interrupt(id, interrupt)
        .await
        .map_err(|error| failed(&error))?;
    Ok(Value::Null)
}

fn list(context: &Context<ConfigEngine>) -> Result<Value, RequestError> {
    let mut listed = Vec::new();
    for root in roots(context) {
        let store = store(&root).map_err(|error| RequestError::Failed(error.to_string()))?;
        let conversations = store
            .list()
            .map_err(|error| RequestError::Failed(error.to_string()))?;
        for conversation in conversations {
            let title = conversation
                .metadata
                .as_ref()
                .ok()
                .and_then(|metadata| metadata.title.clone());
            listed.push(json!({
                "id": conversation.id.to_string(),
                "title": title,
                "lastActivatedAt": conversation.last_activated_at().to_string(),
            }));
        }
    }
    Ok(Value::Array(listed))
}

fn read(
    context: &Context<ConfigEngine>,
    params: &ConversationParams,
) -> Result<Value, RequestError> {
    let id = parse(&params.conversation)?;
    let root = holder(context, id)?;
    let store = store(&root).map_err(|error| RequestError::Failed(error.to_string()))?;
    let conversation = store
        .read(id)
        .map_err(|error| RequestError::Failed(error.to_string()))?;
    let events = conversation.events().iter();
    let events: Vec<Value> = events
        .map(jp_conversation::ConversationEvent::to_json)
        .collect();
    // A call that runs has no result yet, and is not to be called interrupted.
    let (_, markdown) = GrowingMarkdown::begin(conversation.events());
    Ok(json!({ "events": events, "markdown": markdown }))
}

/// Where a conversation can be read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ConversationShown {
    /// A Markdown file that grows as the conversation does.
    pub(crate) uri: Url,
}

/// Renders a conversation into a file and shows it, where the client can.
pub(crate) async fn show(
    context: Context<ConfigEngine>,
    conversation: &str,
) -> Result<ConversationShown, RequestError> {
    let id = parse(conversation)?;
    let root = holder(&context, id)?;
    let document = context.engine().agent.document(root, id).await;
    let uri = document.map_err(|error| failed(&error))?;
    let client = context.snapshot().client();
    show_document(client, context.outbox(), &uri, true).await;
    Ok(ConversationShown { uri })
}

/// The open workspace that a conversation belongs to.
fn holder(
    context: &Context<ConfigEngine>,
    id: ConversationId,
) -> Result<Utf8PathBuf, RequestError> {
    for root in roots(context) {
        let store = store(&root).map_err(|error| RequestError::Failed(error.to_string()))?;
        if store.directory(id).is_dir() {
            return Ok(root);
        }
    }
    Err(RequestError::InvalidParams(format!(
        "there is no conversation `{id}` in the open workspaces"
    )))
}

pub(crate) fn parse(id: &str) -> Result<ConversationId, RequestError> {
    id.parse().map_err(|_| {
        RequestError::InvalidParams(format!(
            "`{id}` is no conversation: write an id such as `jp-c17636666521`, or `new`"
        ))
    })
}

fn failed(error: &HostError) -> RequestError {
    RequestError::Failed(error.to_string())
}

/// The workspaces of the client's folders.
fn roots(context: &Context<ConfigEngine>) -> Vec<Utf8PathBuf> {
    let mut roots: Vec<Utf8PathBuf> = context
        .snapshot()
        .folders()
        .iter()
        .filter_map(|folder| workspace::root_of(folder.path.as_deref()?))
        .collect();
    roots.sort();
    roots.dedup();
    roots
}

fn root(
    context: &Context<ConfigEngine>,
    wanted: Option<&Url>,
) -> Result<Utf8PathBuf, RequestError> {
    let open = roots(context);
    let Some(wanted) = wanted else {
        return open.into_iter().next().ok_or_else(|| {
            RequestError::InvalidParams(
                "no folder of the editor is a workspace with a `.jp` folder".to_owned(),
            )
        });
    };
    let key = FileKey::of(wanted);
    let root = key.path().and_then(workspace::root_of);
    // Trust was given for the folders that are open, and for no others.
    root.filter(|root| open.contains(root)).ok_or_else(|| {
        RequestError::InvalidParams(format!(
            "`{wanted}` lies in no open workspace with a `.jp` folder"
        ))
    })
}
