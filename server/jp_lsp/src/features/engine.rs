//! The engine with all features of the editor.
//!
//! ```json
//! { "capabilities": { "completionProvider": {}, "hoverProvider": true } }
//! ```

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::WaitingCall;
use lsp_types::ServerCapabilities;

use crate::{
    disk::workspace,
    features,
    session::{
        analysis::ConfigAnalysis,
        client::{ClientProfile, Folder},
        commits::Commits,
        config_engine::ConfigEngine,
        engine::Engine,
        error::Cancelled,
        reading::ConfigReading,
        record::Record,
        replays::Replays,
        report::FileReport,
        request::{Context, Routes},
        since_head::SinceHead,
        snapshot::Snapshot,
        work::Work,
    },
    trust::Records,
};

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

    fn vouched(&self, roots: Vec<Utf8PathBuf>) {
        self.agent.vouched(roots);
    }

    fn first_seen(&self, folder: &Utf8Path) -> Option<Utf8PathBuf> {
        let workspace = workspace::root_of(folder);
        // Without a place for records nobody knows what was there first.
        let records = Records::open().ok()?;
        records.first_seen(folder, workspace.as_deref())
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
        ConfigAnalysis::of(snapshot, reading, previous, work)
    }

    fn judge(
        &self,
        snapshot: &Snapshot,
        reading: &Arc<ConfigReading>,
        replays: &mut Replays,
        work: &Work,
    ) -> Option<Record> {
        replays.judge(reading, snapshot, work)
    }

    fn propose(
        &self,
        reading: &Arc<ConfigReading>,
        replays: &mut Replays,
        work: &Work,
    ) -> Option<Record> {
        replays.propose(reading, work)
    }

    fn compare(
        &self,
        snapshot: &Snapshot,
        reading: &Arc<ConfigReading>,
        commits: &mut Commits,
    ) -> SinceHead {
        commits.compare(reading, snapshot)
    }

    fn lets_run(&self, context: &Context<Self>, call: &WaitingCall) -> bool {
        features::suggest::lets_run(context, call)
    }

    fn reports<'a>(&self, analysis: &'a ConfigAnalysis) -> &'a [Arc<FileReport>] {
        analysis.reports()
    }

    fn lenses_elsewhere(&self, analysis: &ConfigAnalysis) -> u64 {
        analysis.figures()
    }

    fn watched<'a>(&self, reading: &'a ConfigReading) -> &'a [Utf8PathBuf] {
        reading.watched()
    }
}
