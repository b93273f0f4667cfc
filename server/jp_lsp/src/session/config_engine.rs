//! The engine of the production server: the checks of `jp_analysis` over the workspaces of the editor.
//!
//! ```text
//! open buffers + disk -> contents -> load graph -> (reading) -> findings -> a report for every file (analysis)
//! ```
//!
//! Each step reuses what the one before it holds.
//! A keystroke reads no file: buffers come from the snapshot, everything else from the reading before it.
//! Most requests need the reading alone, so they wait for no rule.

use std::sync::Arc;

use camino::Utf8PathBuf;
use lsp_types::ServerCapabilities;

pub use super::{
    analysis::ConfigAnalysis,
    reading::{ConfigReading, WorkspaceReading},
};
use crate::{
    agent::{approved::ApprovedChanges, host::AgentHost, surfaces::PendingPrompts},
    features,
    session::{
        client::{ClientProfile, Folder},
        engine::{Cancelled, Engine, FileReport, Routes, Work},
        world::Snapshot,
    },
};

/// The engine; all state is in what it makes of snapshots, and in the runtime behind the agent.
#[derive(Debug, Clone, Default)]
pub struct ConfigEngine {
    pub(crate) agent: AgentHost,
    pub(crate) pending: PendingPrompts,
    pub(crate) approved: ApprovedChanges,
}

impl Engine for ConfigEngine {
    type Reading = ConfigReading;
    type Analysis = ConfigAnalysis;

    fn capabilities(&self, client: &ClientProfile) -> ServerCapabilities {
        features::capabilities(client)
    }

    async fn leave(&self) {
        self.agent.leave().await;
    }

    fn routes(&self) -> Routes<Self> {
        features::routes()
    }

    fn notified(&self, method: &str, params: &serde_json::Value) {
        features::agent::notified(&self.agent, method, params);
    }

    fn folders_changed(&self, folders: &[Folder]) {
        let open = folders.iter().filter_map(|folder| folder.path.clone());
        self.agent.folders_changed(open.collect());
    }

    fn trusted(&self, folders: Vec<Utf8PathBuf>) {
        self.agent.trusted(folders);
    }

    fn watch_globs(&self) -> Vec<String> {
        vec![
            "**/.jp/**/*.{toml,json,json5,yaml,yml}".to_owned(),
            "**/.jp".to_owned(),
            "**/.jp.{toml,json,json5,yaml,yml}".to_owned(),
        ]
    }

    fn reread(&self, snapshot: &Snapshot, previous: &ConfigReading) -> Option<ConfigReading> {
        ConfigReading::reread(snapshot, previous)
    }

    fn read(
        &self,
        snapshot: &Snapshot,
        previous: Option<&ConfigReading>,
        work: &Work,
    ) -> Result<ConfigReading, Cancelled> {
        ConfigReading::of(snapshot, previous, work)
    }

    fn analyze(
        &self,
        snapshot: &Snapshot,
        reading: &Arc<ConfigReading>,
        previous: Option<&ConfigAnalysis>,
        work: &Work,
    ) -> Result<ConfigAnalysis, Cancelled> {
        self.pending.connect(&work.events);
        let analysis = ConfigAnalysis::of(snapshot, reading, previous, work)?;
        Ok(analysis.with_reports(|reports| self.pending.add_to(reports)))
    }

    fn reports<'a>(&self, analysis: &'a ConfigAnalysis) -> &'a [Arc<FileReport>] {
        analysis.reports()
    }

    fn watched<'a>(&self, reading: &'a ConfigReading) -> &'a [Utf8PathBuf] {
        reading.watched()
    }
}
