//! Tells a client which files its config is made of, wherever they lie.
//!
//! ```json
//! { "method": "jp/configFiles", "params": { "files": ["file:///w/.jp/config.toml", "file:///w/shared/team.toml"] } }
//! ```
//!
//! An editor decides by name and place which files it shows to a server; what `extends` and `config_load_paths` bring in
//! has no name or place of its own.

use std::sync::Arc;

use lsp_types::notification::Notification;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{session::report::FileReport, wire::Outbox};

/// `jp/configFiles`, from the server.
#[derive(Debug)]
pub(crate) enum ConfigFiles {}

/// Every file that was judged, in a fixed order.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ConfigFilesParams {
    files: Vec<Url>,
}

impl Notification for ConfigFiles {
    type Params = ConfigFilesParams;
    const METHOD: &'static str = "jp/configFiles";
}

/// What a client that announces `{"experimental": {"jp": {"configFiles": true}}}` was told last.
#[derive(Debug, Default)]
pub(crate) struct ConfigFileList {
    told: Option<Vec<Url>>,
}

impl ConfigFileList {
    /// Tells the files of an analysis, unless they are those that were told last.
    pub(crate) fn tell(&mut self, reports: &[Arc<FileReport>], outbox: &Outbox) {
        let files = || reports.iter().map(|report| report.uri());
        if self
            .told
            .as_ref()
            .is_some_and(|told| told.iter().eq(files()))
        {
            return;
        }
        let files: Vec<Url> = files().cloned().collect();
        self.told = Some(files.clone());
        outbox.notify::<ConfigFiles>(ConfigFilesParams { files });
    }
}
