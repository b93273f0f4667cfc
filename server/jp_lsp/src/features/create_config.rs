//! The command `jp.config.create`, which writes a first config into a folder of the editor.
//!
//! ```json
//! { "command": "jp.config.create", "arguments": [{ "workspace": "file:///w" }] }
//! { "file": "file:///w/.jp/config.toml", "created": true }
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use url::Url;

use crate::{
    agent::protocol::{CreateParams, CreateResult},
    disk::{
        below::{leads_out, lies_below},
        starter::{self, StarterError},
        workspace,
    },
    runtime::{WorkspaceConfig, status::is_set},
    session::{
        config_engine::ConfigEngine, documents::FileKey, error::RequestError, request::Context,
    },
    trust::{Door, TrustList, Vouched},
};

/// The command.
pub(crate) const COMMAND: &str = "jp.config.create";

/// Writes a first config; one that is there stays as it is.
pub(crate) fn create(
    context: &Context<ConfigEngine>,
    params: &CreateParams,
) -> Result<CreateResult, RequestError> {
    let model = starter::model(params.model.as_deref(), is_set)
        .map_err(|error| RequestError::InvalidParams(error.to_string()))?;
    let folder = folder(context, params)?;
    if leads_out(&folder) {
        return Err(RequestError::Failed(format!(
            "`{}` leads out of its folder: nothing is written there",
            folder.join(".jp")
        )));
    }
    let is_alone = trust_list(&folder).is_empty() && workspace::private(&folder).is_none();
    let (path, created) = match starter::create(&folder, &model) {
        Ok(path) => {
            if is_alone && is_trusted(context, &folder) {
                trust(&folder);
            }
            (path, true)
        }
        Err(StarterError::Exists(path)) => (path, false),
        Err(error) => return Err(RequestError::Failed(error.to_string())),
    };
    let file = Url::from_file_path(&path)
        .map_err(|()| RequestError::Failed(format!("`{path}` has no address")))?;
    Ok(CreateResult { file, created })
}

/// What is started and sent in a folder.
fn trust_list(folder: &Utf8Path) -> TrustList {
    WorkspaceConfig::new(workspace::roots(folder, folder)).trust_list()
}

/// Whether the person trusts a folder, or one that it lies below.
fn is_trusted(context: &Context<ConfigEngine>, folder: &Utf8Path) -> bool {
    let mut trusted = context.snapshot().trusted_folders().folders();
    trusted.any(|trusted| folder == trusted || lies_below(folder, trusted))
}

/// Trusts what the person has just had written, where nothing else stands beside it: nobody is asked about it again.
fn trust(folder: &Utf8Path) {
    let list = trust_list(folder);
    let kept = Door::new(folder, Vouched::Nobody).and_then(|door| door.keep(&list));
    if let Err(error) = kept {
        tracing::warn!(%folder, %error, "what the new config starts is asked about with the first turn");
    }
}

/// The folder of the editor that is meant; nothing is written anywhere else.
fn folder(
    context: &Context<ConfigEngine>,
    params: &CreateParams,
) -> Result<Utf8PathBuf, RequestError> {
    let folders = context.snapshot().folders();
    let mut open = folders.iter().filter_map(|folder| folder.path.clone());
    let Some(wanted) = &params.workspace else {
        return open.next().ok_or_else(|| {
            RequestError::Failed(
                "no folder is open: open the folder that is to get a `.jp`".to_owned(),
            )
        });
    };
    let key = FileKey::of(wanted);
    let path = key.path();
    // Only what the person has open is written into, at any depth: a repository may hold several workspaces.
    path.filter(|path| open.any(|folder| *path == folder || lies_below(path, &folder)))
        .map(ToOwned::to_owned)
        .ok_or_else(|| RequestError::InvalidParams(format!("`{wanted}` lies in no open folder")))
}
