//! Turns over the wire: `jp/query/*`.
//!
//! ```json
//! {"method": "jp/query/start", "params": {"text": "What does main.rs do?", "conversation": "new"}}
//! {"result": {"conversation": "jp-c17636666521"}}
//! ```

use std::collections::HashMap;

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::{ConfiguredInterrupt, Interrupt, config::InterruptAction};
use jp_conversation::{ConversationId, markdown};
use lsp_types::{
    MessageActionItem, MessageType, ShowMessageRequestParams,
    notification::{Notification, WorkDoneProgressCancel},
    request::ShowMessageRequest,
};
use serde_json::Value;
use url::Url;

use super::{
    blocking::blocking,
    workspaces::{holder, kept, root, roots},
};
use crate::agent::protocol::{
    ConfigUndone, ConversationParams, ConversationShown, InterruptChoice, InterruptChoices,
    QueryCancel, QueryInterrupt, QueryInterruptParams, QueryStart, QueryStartParams,
};
use crate::{
    agent::{
        command::{HostError, Opened, Query},
        host::AgentHost,
        show_document,
    },
    disk::data::write_whole,
    runtime::{Assignments, conversations::Conversations, documents},
    session::{
        config_engine::ConfigEngine,
        content::ContentAddress,
        error::RequestError,
        event::Event,
        request::{Context, Routes},
    },
    wire::Outbox,
};

/// Adds the requests about turns.
pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes
        .on_waiting::<QueryStart, _>(|context, params| start(context, params, false))
        .on_waiting::<QueryCancel, _>(cancel)
        .on_waiting::<QueryInterrupt, _>(interrupt)
        .on_waiting::<InterruptChoices, _>(interrupt_choices)
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
    let untrusted = || {
        RequestError::Failed(
            "the workspace is not trusted: nothing runs in it before a person says so".to_owned(),
        )
    };
    if !context.snapshot().trusts_any() {
        return Err(untrusted());
    }
    let conversation = match params.conversation.as_str() {
        "new" => None,
        id => Some(parse(id)?),
    };
    if params.text.trim().is_empty() {
        return Err(RequestError::InvalidParams(
            "`text` is empty: write what to ask".to_owned(),
        ));
    }
    let workspace = params.workspace;
    let found = blocking(move || {
        let root = root(&context, workspace.as_ref(), conversation)?;
        let vouched = context.snapshot().vouched(&root).ok_or_else(untrusted)?;
        let is_of_folder = roots(&context).contains(&root);
        Ok((context, root, vouched, is_of_folder))
    });
    let (context, root, vouched, is_of_folder) = found.await?;
    let assignments =
        Assignments::of_request(params.model.as_deref(), params.config.unwrap_or_default());
    let assignments =
        assignments.map_err(|error| RequestError::InvalidParams(error.to_string()))?;
    if !is_of_folder {
        // What is asked about a call may be answered by a rule, which is written into config that is read.
        context.events().send(Event::WorkspaceUsed(root.clone()));
    }
    let query = Query {
        root,
        vouched,
        conversation,
        text: params.text,
        assignments,
        client: context.snapshot().client().clone(),
        is_presented,
        events: context.events().clone(),
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
    let agent = &context.engine().agent;
    let interrupt = match params.action {
        Some(action) => action.interrupt(params.text),
        None => {
            let configured = agent.configured(id).await.map_err(|error| failed(&error))?;
            configured_interrupt(configured, params.text, context.outbox()).await?
        }
    };
    agent
        .interrupt(id, interrupt)
        .await
        .map_err(|error| failed(&error))?;
    Ok(Value::Null)
}

/// What a person can choose for a turn that runs, in the words of every other menu.
async fn interrupt_choices(
    context: Context<ConfigEngine>,
    params: ConversationParams,
) -> Result<Vec<InterruptChoice>, RequestError> {
    let id = parse(&params.conversation)?;
    let configured = context.engine().agent.configured(id).await;
    let configured = configured.map_err(|error| failed(&error))?;
    Ok(InterruptChoice::all(configured.phase))
}

/// What the config says an interrupt does; a person is asked where it says so.
async fn configured_interrupt(
    configured: ConfiguredInterrupt,
    text: Option<String>,
    outbox: &Outbox,
) -> Result<Interrupt, RequestError> {
    let needs_text = |action: &InterruptAction| *action == InterruptAction::Reply && text.is_none();
    if needs_text(&configured.action) {
        return Err(RequestError::InvalidParams(
            "the config says `interrupt.streaming.action = \"reply\"`: send the reply as `text`"
                .to_owned(),
        ));
    }
    if let Some(interrupt) = configured.action.interrupt(text.clone()) {
        return Ok(interrupt);
    }
    let actions: Vec<InterruptAction> = configured.phase.actions().to_vec();
    let offered: Vec<InterruptAction> = actions
        .into_iter()
        .filter(|action| !needs_text(action))
        .collect();
    let buttons = offered.iter().map(|action| MessageActionItem {
        title: action.title().to_owned(),
        properties: HashMap::new(),
    });
    let answer = outbox.request::<ShowMessageRequest>(ShowMessageRequestParams {
        typ: MessageType::INFO,
        message: "jp: the turn is to be interrupted. What now?".to_owned(),
        actions: Some(buttons.collect()),
    });
    // Whoever picks nothing lets the turn go on.
    let Ok(Ok(Some(picked))) = answer.await else {
        return Ok(Interrupt::Continue);
    };
    let picked = offered
        .into_iter()
        .find(|action| action.title() == picked.title);
    let interrupt = picked.and_then(|action| action.interrupt(text));
    Ok(interrupt.unwrap_or(Interrupt::Continue))
}

/// Renders a conversation into a file and shows it, where the client can.
pub(crate) async fn show(
    context: Context<ConfigEngine>,
    conversation: &str,
) -> Result<ConversationShown, RequestError> {
    let id = parse(conversation)?;
    let root = holder(&context, id)?;
    let conversations = kept(&root)?;
    opened(&context, root.clone(), id);
    let address = ContentAddress::Conversation(id).uri();
    if let Some(uri) = address.filter(|_| context.snapshot().client().takes_contents()) {
        let client = context.snapshot().client();
        show_document(client, context.outbox(), &uri, true).await;
        return Ok(ConversationShown { uri });
    }
    let uri = if conversations.is_own(id) {
        let document = context.engine().agent.document(root, id).await;
        document.map_err(|error| failed(&error))?
    } else {
        // One that `jp` keeps does not grow here.
        blocking(move || write_out(&conversations, &root, id)).await?
    };
    let client = context.snapshot().client();
    show_document(client, context.outbox(), &uri, true).await;
    Ok(ConversationShown { uri })
}

/// Has the client shown what other processes ask in a conversation that it has open.
pub(super) fn opened(
    context: &Context<ConfigEngine>,
    root: Utf8PathBuf,
    conversation: ConversationId,
) {
    context.engine().agent.opened(Opened {
        root,
        conversation,
        client: context.snapshot().client().clone(),
        events: context.events().clone(),
        outbox: context.outbox().clone(),
    });
}

/// Takes back the last config change of a conversation.
pub(crate) fn undo_config(
    context: &Context<ConfigEngine>,
    conversation: &str,
) -> Result<ConfigUndone, RequestError> {
    let id = parse(conversation)?;
    let root = holder(context, id)?;
    let taken_back = kept(&root)?.take_back_config(id);
    let taken_back = taken_back.map_err(|error| RequestError::Failed(error.to_string()))?;
    Ok(ConfigUndone {
        delta: taken_back.delta,
        unsets: taken_back.unsets,
    })
}

/// Writes a conversation into a file of its own.
fn write_out(
    conversations: &Conversations,
    root: &Utf8Path,
    id: ConversationId,
) -> Result<Url, RequestError> {
    let failed = |error: String| RequestError::Failed(error);
    let conversation = conversations
        .read(id)
        .map_err(|error| failed(error.to_string()))?;
    let directory = documents(root).map_err(|error| failed(error.to_string()))?;
    let path = directory.join(format!("{id}.md"));
    write_whole(&path, &markdown(conversation.events()))
        .map_err(|error| failed(format!("`{path}` cannot be written: {error}")))?;
    Url::from_file_path(&path).map_err(|()| failed(format!("`{path}` has no address")))
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
