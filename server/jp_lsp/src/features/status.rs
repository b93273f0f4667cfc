//! `jp/status`: whether a turn can begin in a workspace, and what is missing.
//!
//! ```json
//! { "method": "jp/status", "params": {} }
//! { "workspace": "/w", "model": null, "canRun": false, "problem": "no model is set: …", "keys": [] }
//! ```

use crate::{
    agent::protocol::{StatusParams, StatusRequest},
    runtime::status::{Status, status},
    session::{
        config_engine::ConfigEngine,
        documents::FileKey,
        error::RequestError,
        request::{Context, Routes},
    },
};

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<StatusRequest>(|context, params| answer(context, &params))
}

fn answer(context: &Context<ConfigEngine>, params: &StatusParams) -> Result<Status, RequestError> {
    let reading = context.reading()?;
    let path = params.workspace.as_ref().map(FileKey::of);
    let path = path.as_ref().and_then(FileKey::path);
    let mut workspaces = reading.workspaces();
    let found = workspaces
        .find(|workspace| path.is_none_or(|path| path.starts_with(&workspace.graph().workspace)));
    match found {
        Some(workspace) => Ok(status(workspace.graph())),
        None => Err(RequestError::Failed(
            "no folder of the editor holds `.jp`: the command `jp.config.create` makes one"
                .to_owned(),
        )),
    }
}
