//! `jp/status`: whether a turn can begin in a workspace, and what is missing.
//!
//! ```json
//! { "method": "jp/status", "params": {} }
//! { "workspace": "/w", "model": null, "canRun": false, "problem": "no model is set: …", "keys": [] }
//! ```

use std::sync::Arc;

use jp_config::graph::Graph;

use super::workspaces::{Why, meant, open_root, which};
use crate::{
    agent::protocol::{StatusParams, StatusRequest},
    disk::{config_files::DiskFiles, workspace},
    runtime::status::{Status, status},
    session::{
        config_engine::ConfigEngine,
        error::RequestError,
        request::{Context, Routes},
    },
};

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<StatusRequest>(|context, params| answer(context, &params))
}

fn answer(context: &Context<ConfigEngine>, params: &StatusParams) -> Result<Status, RequestError> {
    let reading = context.reading()?;
    let wanted = params.workspace.as_ref();
    let saved = wanted.and_then(|wanted| open_root(context, wanted));
    let read = match (&saved, wanted) {
        (Some(root), _) => reading.workspaces().find(|known| known.root() == root),
        (None, Some(_)) => reading.meant(wanted),
        (None, None) => reading.workspaces().next(),
    };
    if let Some(workspace) = read {
        return Ok(status(workspace.graph()));
    }
    match meant(context, wanted).as_slice() {
        [] => Err(RequestError::Failed(
            "no folder of the editor holds `.jp`: the command `jp.config.create` makes one"
                .to_owned(),
        )),
        // Nothing of it is open.
        [only] => {
            let roots = workspace::roots(only, only);
            let graph = Graph::load(&roots, &DiskFiles::untrusted(&roots));
            Ok(status(&Arc::new(graph)))
        }
        several => Err(RequestError::InvalidParams(which(several, Why::Below))),
    }
}
