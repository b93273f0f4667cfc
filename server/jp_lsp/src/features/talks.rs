//! The conversations of the open workspaces: `jp/conversation/*`.
//!
//! ```json
//! {"method": "jp/conversation/rename", "params": {"conversation": "jp-c17636666521", "title": "The date in the version"}}
//! {"result": {"title": "The date in the version"}}
//! ```

use std::cmp::Reverse;

use camino::Utf8Path;
use jp_conversation::{
    ConversationError, ConversationEvent, ConversationPart, GrowingMarkdown, ListedConversation,
    Wanted,
};
use serde_json::Value;
use url::Url;

use super::{
    agent::{opened, parse},
    workspaces::{all_roots, holder, kept, name, roots},
};
use crate::{
    agent::protocol::{
        ConversationDelete, ConversationFork, ConversationForkParams, ConversationList,
        ConversationListed, ConversationParams, ConversationRead, ConversationReadParams,
        ConversationRecord, ConversationRename, ConversationRenameParams, ConversationRenamed,
        ConversationSearch, ConversationSearchParams,
    },
    runtime::conversations::{ChangeError, Conversations, Keeper},
    session::{
        config_engine::ConfigEngine,
        error::RequestError,
        request::{Context, Routes},
    },
    trust::on_one_line,
};

/// How many bytes of events an answer has that is not to have all of them, unless one call alone has more.
const LARGEST_PART: usize = 1 << 20;

/// Adds the requests about conversations.
pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes
        .on::<ConversationList>(|context, _| list(context))
        .on::<ConversationRead>(|context, params| read(context, &params))
        .on::<ConversationRename>(|context, params| rename(context, &params))
        .on::<ConversationDelete>(|context, params| delete(context, &params))
        .on::<ConversationFork>(|context, params| fork(context, &params))
        .on::<ConversationSearch>(|context, params| search(context, &params))
}

/// A conversation that was found: who keeps it, and the line in which a search found its words.
type Found = (Keeper, ListedConversation, Option<String>);

fn entry(
    root: &Utf8Path,
    workspace: &str,
    keeper: Keeper,
    conversation: &ListedConversation,
    excerpt: Option<String>,
) -> ConversationListed {
    let metadata = conversation.metadata.as_ref().ok();
    ConversationListed {
        id: conversation.id.to_string(),
        // A conversation of the workspace may be anybody's.
        title: metadata.and_then(|metadata| metadata.title.as_deref().map(on_one_line)),
        last_activated_at: conversation.last_activated_at().to_string(),
        keeper,
        excerpt,
        workspace: Url::from_file_path(root).ok(),
        workspace_name: on_one_line(workspace),
    }
}

fn list(context: &Context<ConfigEngine>) -> Result<Vec<ConversationListed>, RequestError> {
    of_all(context, |conversations| {
        let listed = conversations.list()?.into_iter();
        Ok(listed
            .map(|(keeper, listed)| (keeper, listed, None))
            .collect())
    })
}

/// What is wanted of the conversations of all workspaces, the one used last first.
fn of_all(
    context: &Context<ConfigEngine>,
    wanted: impl Fn(&Conversations) -> Result<Vec<Found>, ConversationError>,
) -> Result<Vec<ConversationListed>, RequestError> {
    let own = roots(context);
    let mut listed = Vec::new();
    for root in all_roots(context) {
        let name = name(context, &root);
        match wanted(&kept(&root)?) {
            Ok(found) => listed.extend(found.into_iter().map(|(keeper, found, excerpt)| {
                let used = (found.last_activated_at(), found.id);
                (used, entry(&root, &name, keeper, &found, excerpt))
            })),
            // One of many that lie below does not hide the others.
            Err(error) if !own.contains(&root) => {
                tracing::warn!(%root, %error, "the conversations cannot be read");
            }
            Err(error) => return Err(RequestError::Failed(error.to_string())),
        }
    }
    listed.sort_by_key(|(used, _)| Reverse(*used));
    Ok(listed.into_iter().map(|(_, entry)| entry).collect())
}

fn read(
    context: &Context<ConfigEngine>,
    params: &ConversationReadParams,
) -> Result<ConversationRecord, RequestError> {
    let id = parse(&params.conversation)?;
    let root = holder(context, id)?;
    let wanted = Wanted {
        last: params.last.unwrap_or(usize::MAX),
        before: params.before.unwrap_or(usize::MAX),
        bytes: params.last.map_or(usize::MAX, |_| LARGEST_PART),
    };
    let (part, markdown) = if params.markdown.unwrap_or(true) {
        let whole = kept(&root)?.read(id);
        let whole = whole.map_err(|error| RequestError::Failed(error.to_string()))?;
        // A call that runs has no result yet, and is not to be called interrupted.
        let (_, markdown) = GrowingMarkdown::begin(whole.events());
        (ConversationPart::of(whole.events(), wanted), Some(markdown))
    } else {
        let part = kept(&root)?.read_part(id, wanted);
        let part = part.map_err(|error| RequestError::Failed(error.to_string()))?;
        (part, None)
    };
    opened(context, root, id);
    let events = part.events.iter();
    Ok(ConversationRecord {
        events: events.map(ConversationEvent::to_json).collect(),
        earlier: part.earlier,
        markdown,
    })
}

fn rename(
    context: &Context<ConfigEngine>,
    params: &ConversationRenameParams,
) -> Result<ConversationRenamed, RequestError> {
    let id = parse(&params.conversation)?;
    let renamed = kept(&holder(context, id)?)?.rename(id, &params.title);
    let title = renamed.map_err(|error| refused(&error))?;
    Ok(ConversationRenamed { title })
}

fn delete(
    context: &Context<ConfigEngine>,
    params: &ConversationParams,
) -> Result<Value, RequestError> {
    let id = parse(&params.conversation)?;
    let deleted = kept(&holder(context, id)?)?.delete(id);
    deleted.map_err(|error| refused(&error))?;
    Ok(Value::Null)
}

fn fork(
    context: &Context<ConfigEngine>,
    params: &ConversationForkParams,
) -> Result<ConversationParams, RequestError> {
    let id = parse(&params.conversation)?;
    let forked = kept(&holder(context, id)?)?.fork(id, params.without_last);
    Ok(ConversationParams {
        conversation: forked.map_err(|error| refused(&error))?.to_string(),
    })
}

fn search(
    context: &Context<ConfigEngine>,
    params: &ConversationSearchParams,
) -> Result<Vec<ConversationListed>, RequestError> {
    of_all(context, |conversations| {
        let found = conversations.search(&params.text)?.into_iter();
        Ok(found
            .map(|found| (found.keeper, found.listed, found.excerpt))
            .collect())
    })
}

fn refused(error: &ChangeError) -> RequestError {
    match error {
        ChangeError::NoTitle | ChangeError::FewerTurns(..) => {
            RequestError::InvalidParams(error.to_string())
        }
        ChangeError::Conversation(_) | ChangeError::Released(_) => {
            RequestError::Failed(error.to_string())
        }
    }
}
