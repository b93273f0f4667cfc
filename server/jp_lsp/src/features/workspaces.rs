//! Which workspace is meant: `jp/workspaces`, and what other requests do that name none.
//!
//! ```json
//! {"method": "jp/workspaces", "params": {"file": "file:///mono/README.md"}}
//! {"result": [{"uri": "file:///mono/packages/app", "name": "packages/app"}, {"uri": "file:///mono/site", "name": "site"}]}
//! ```
//!
//! A folder of the editor lies in a workspace, or workspaces lie below it, as in a repository of several projects.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::ConversationId;
use url::Url;

use crate::{
    agent::protocol::{NamedWorkspace, Workspaces, WorkspacesParams},
    disk::{
        below::{self, lies_below},
        workspace,
    },
    runtime::conversations::Conversations,
    session::{
        config_engine::ConfigEngine,
        documents::FileKey,
        error::RequestError,
        request::{Context, Routes},
    },
};

/// The most names that one search below a folder looks at.
const MAXIMUM_NAMES: usize = 20_000;

/// How many workspaces an error names.
const MOST_NAMED: usize = 10;

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<Workspaces>(|context, params| Ok(answer(context, &params)))
}

fn answer(context: &Context<ConfigEngine>, params: &WorkspacesParams) -> Vec<NamedWorkspace> {
    let meant = meant(context, params.file.as_ref());
    let named = meant.into_iter().filter_map(|root| {
        Some(NamedWorkspace {
            uri: Url::from_file_path(&root).ok()?,
            name: name(context, &root),
        })
    });
    named.collect()
}

/// What a person calls a workspace: its way from the folder that it lies below, or its own name.
pub(super) fn name(context: &Context<ConfigEngine>, root: &Utf8Path) -> String {
    let folders = context.snapshot().folders().iter();
    let way = folders
        .filter_map(|folder| root.strip_prefix(folder.path.as_deref()?).ok())
        .find(|way| !way.as_str().is_empty());
    let way = way.map(Utf8Path::as_str).or(root.file_name());
    way.unwrap_or(root.as_str()).to_owned()
}

/// The workspaces of the client's folders, and those below them in which turns have begun.
pub(super) fn roots(context: &Context<ConfigEngine>) -> Vec<Utf8PathBuf> {
    let used = context.snapshot().used_workspaces().iter().cloned();
    sorted(around(context).into_iter().chain(used))
}

/// The workspaces of the client's folders, and all that are found below them.
pub(super) fn all_roots(context: &Context<ConfigEngine>) -> Vec<Utf8PathBuf> {
    sorted(roots(context).into_iter().chain(below(context)))
}

/// The workspaces that the client's folders lie in, in the order of the folders.
fn around(context: &Context<ConfigEngine>) -> Vec<Utf8PathBuf> {
    let folders = context.snapshot().folders().iter();
    once_each(folders.filter_map(|folder| workspace::root_of(folder.path.as_deref()?)))
}

/// The workspaces below the client's folders, in the order of the folders.
fn below(context: &Context<ConfigEngine>) -> Vec<Utf8PathBuf> {
    below_all(context).0
}

/// The workspaces below the client's folders, and whether all of the folders were looked through.
fn below_all(context: &Context<ConfigEngine>) -> (Vec<Utf8PathBuf>, bool) {
    let folders = context.snapshot().folders().iter();
    let folders = folders.filter_map(|folder| folder.path.as_deref());
    let found = folders.map(|folder| below::below(folder, MAXIMUM_NAMES));
    let found: Vec<below::Below> = found.collect();
    let is_whole = found.iter().all(|below| below.is_whole);
    let workspaces = found.into_iter().flat_map(|below| below.workspaces);
    (once_each(workspaces), is_whole)
}

fn once_each(roots: impl Iterator<Item = Utf8PathBuf>) -> Vec<Utf8PathBuf> {
    let mut seen = BTreeSet::new();
    roots.filter(|root| seen.insert(root.clone())).collect()
}

fn sorted(roots: impl Iterator<Item = Utf8PathBuf>) -> Vec<Utf8PathBuf> {
    let roots: BTreeSet<Utf8PathBuf> = roots.collect();
    roots.into_iter().collect()
}

/// The open workspace that a file or folder lies in: that of a folder of the client, or one below such a folder.
pub(super) fn open_root(context: &Context<ConfigEngine>, uri: &Url) -> Option<Utf8PathBuf> {
    let key = FileKey::of(uri);
    let root = workspace::root_of(key.path()?)?;
    let mut folders = context.snapshot().folders().iter();
    let is_open = around(context).contains(&root)
        || folders.any(|folder| {
            let path = folder.path.as_deref();
            path.is_some_and(|path| lies_below(&root, path))
        });
    is_open.then_some(root)
}

/// The workspaces that may be meant: the one that a file lies in, else those of the client's folders, else those below them.
pub(super) fn meant(context: &Context<ConfigEngine>, file: Option<&Url>) -> Vec<Utf8PathBuf> {
    if let Some(root) = file.and_then(|file| open_root(context, file)) {
        return vec![root];
    }
    let around = around(context);
    match around.is_empty() {
        true => below(context),
        false => around,
    }
}

/// The workspace of a turn: the one that is named, else that of the conversation, else the only one that can be meant.
pub(super) fn root(
    context: &Context<ConfigEngine>,
    wanted: Option<&Url>,
    conversation: Option<ConversationId>,
) -> Result<Utf8PathBuf, RequestError> {
    if let Some(wanted) = wanted {
        return open_root(context, wanted).ok_or_else(|| {
            RequestError::InvalidParams(format!(
                "`{wanted}` lies in no open workspace with a `.jp` folder"
            ))
        });
    }
    if let Some(id) = conversation {
        match holders(context, id).as_slice() {
            [] => {}
            [only] => return Ok(only.clone()),
            several => return Err(RequestError::InvalidParams(which(several, Why::Kept))),
        }
    }
    let around = around(context);
    let trusted = around.iter().find(|root| context.snapshot().trusts(root));
    if let Some(root) = trusted.or(around.first()) {
        return Ok(root.clone());
    }
    let (below, is_whole) = below_all(context);
    match below.as_slice() {
        [] => Err(RequestError::InvalidParams(
            "no folder of the editor is a workspace with a `.jp` folder, and none below is either"
                .to_owned(),
        )),
        [only] if is_whole => Ok(only.clone()),
        [only] => Err(RequestError::InvalidParams(which(
            std::slice::from_ref(only),
            Why::CutOff,
        ))),
        several => Err(RequestError::InvalidParams(which(several, Why::Below))),
    }
}

/// Why a workspace has to be named.
#[derive(Debug, Clone, Copy)]
pub(super) enum Why {
    /// Several lie below the folders of the client.
    Below,
    /// One was found below them, and not all was looked through.
    CutOff,
    /// Several keep the conversation.
    Kept,
}

/// Says which workspaces can be meant, as they are to be named.
pub(super) fn which(several: &[Utf8PathBuf], why: Why) -> String {
    let named = several.iter().take(MOST_NAMED);
    let mut named: Vec<String> = named
        .filter_map(|root| Url::from_file_path(root).ok())
        .map(|uri| format!("`{uri}`"))
        .collect();
    if several.len() > MOST_NAMED {
        named.push(format!("or one of {} more", several.len() - MOST_NAMED));
    }
    let why = match why {
        Why::Below => "several folders below have a `.jp`: say which one is meant",
        Why::CutOff => {
            "there are too many folders below to look for a `.jp` in all of them: say which one is meant"
        }
        Why::Kept => {
            "several workspaces hold the conversation, as those with one name and `.jp/.id` do: say which one is meant"
        }
    };
    format!("{why}, as `workspace`: {}", named.join(", "))
}

/// The conversations of a workspace.
pub(super) fn kept(root: &Utf8Path) -> Result<Conversations, RequestError> {
    Conversations::of(root).map_err(|error| RequestError::Failed(error.to_string()))
}

/// The open workspace that a conversation belongs to.
pub(super) fn holder(
    context: &Context<ConfigEngine>,
    id: ConversationId,
) -> Result<Utf8PathBuf, RequestError> {
    // Those that share a conversation show the same.
    let used = holders_among(roots(context), id).into_iter().next();
    if let Some(root) = used.or_else(|| holders(context, id).into_iter().next()) {
        return Ok(root);
    }
    Err(RequestError::InvalidParams(format!(
        "there is no conversation `{id}` in the open workspaces"
    )))
}

/// The open workspaces that a conversation belongs to: one, unless several share a name and an id.
///
/// Looking below the folders of the client takes longer, and is left out where one of these keeps it itself.
fn holders(context: &Context<ConfigEngine>, id: ConversationId) -> Vec<Utf8PathBuf> {
    let found = holders_among(around(context), id);
    match found.is_empty() {
        true => holders_among(all_roots(context), id),
        false => found,
    }
}

/// Of these workspaces those that keep a conversation: of our own where there are any, since one of `jp`'s may have come with
/// a workspace. What cannot be looked at keeps nothing.
fn holders_among(roots: Vec<Utf8PathBuf>, id: ConversationId) -> Vec<Utf8PathBuf> {
    let (mut own, mut released) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for root in roots {
        // One folder may be open under two names.
        let is_new = seen.insert(root.canonicalize_utf8().unwrap_or_else(|_| root.clone()));
        let Some(conversations) = kept(&root).ok().filter(|_| is_new) else {
            continue;
        };
        if conversations.is_own(id) {
            own.push(root);
        } else if conversations.holds(id).unwrap_or_default() {
            released.push(root);
        }
    }
    match own.is_empty() {
        true => released,
        false => own,
    }
}
