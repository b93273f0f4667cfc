//! The state of the server, owned by value by the event loop.
//!
//! ```text
//! generation 7: config.toml v3 open, folder /w trusted   --snapshot-->  background threads
//! ```

use std::{collections::BTreeSet, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use tokio_util::sync::CancellationToken;

use super::{
    cell::{Cell, Known},
    client::{ClientProfile, Folder},
    disk_changes::DiskChanges,
    documents::Documents,
    engine::Engine,
    snapshot::Snapshot,
    trusted_folders::TrustedFolders,
};
use crate::agent::{approved::ApprovedChanges, pending::PendingPrompts, rules::WrittenRules};

fn paths(folders: &[Folder]) -> BTreeSet<Utf8PathBuf> {
    folders
        .iter()
        .filter_map(|folder| folder.path.clone())
        .collect()
}

/// The state itself.
pub(crate) struct World<E: Engine> {
    generation: u64,
    client: Arc<ClientProfile>,
    documents: Arc<Documents>,
    folders: Arc<Vec<Folder>>,
    disk: Arc<DiskChanges>,
    /// The folders that the person has come to trust, open or not: a client may say so before it opens one.
    granted: TrustedFolders,
    /// Those that are open.
    trusted: Arc<TrustedFolders>,
    prompts: Arc<PendingPrompts>,
    approved: Arc<ApprovedChanges>,
    rules: Arc<WrittenRules>,
    /// The workspaces below open folders in which turns have begun.
    used: Arc<BTreeSet<Utf8PathBuf>>,
    /// Cancelled when the state changes.
    superseded: CancellationToken,
    cell: Option<Arc<Cell<E>>>,
    latest: Known<E>,
    /// What nobody needs any more.
    retired: Vec<Known<E>>,
}

impl<E: Engine> World<E> {
    pub(crate) fn new(client: ClientProfile) -> Self {
        Self {
            generation: 1,
            folders: Arc::new(client.folders.clone()),
            trusted: Arc::default(),
            granted: TrustedFolders::default(),
            client: Arc::new(client),
            documents: Arc::default(),
            disk: Arc::default(),
            prompts: Arc::default(),
            approved: Arc::default(),
            rules: Arc::default(),
            used: Arc::default(),
            superseded: CancellationToken::new(),
            cell: None,
            latest: Known::default(),
            retired: Vec::new(),
        }
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    pub(crate) fn client(&self) -> &ClientProfile {
        &self.client
    }

    pub(crate) fn documents(&self) -> &Documents {
        &self.documents
    }

    pub(crate) fn folders(&self) -> &[Folder] {
        &self.folders
    }

    /// Grows with every change of the disk that is known.
    pub(crate) fn disk_changes(&self) -> u64 {
        self.disk.count()
    }

    /// A token that the next change of the state cancels.
    pub(crate) fn superseded(&self) -> CancellationToken {
        self.superseded.clone()
    }

    /// Changes the open buffers in place when no background thread reads them.
    pub(crate) fn edit_documents<T>(
        &mut self,
        edit: impl FnOnce(&mut Documents, &ClientProfile) -> T,
    ) -> T {
        self.advance();
        edit(Arc::make_mut(&mut self.documents), &self.client)
    }

    pub(crate) fn edit_folders(&mut self, edit: impl FnOnce(&mut Vec<Folder>)) {
        self.advance();
        edit(Arc::make_mut(&mut self.folders));
        let folders = paths(&self.folders);
        let is_open = |root: &Utf8PathBuf| folders.iter().any(|folder| root.starts_with(folder));
        Arc::make_mut(&mut self.used).retain(is_open);
        self.trusted = Arc::new(self.granted.among(&folders));
    }

    pub(crate) fn edit_disk(&mut self, edit: impl FnOnce(&mut DiskChanges)) {
        self.advance();
        edit(Arc::make_mut(&mut self.disk));
    }

    /// Trusts one folder, as long as it is open, or, when none is named, all that are open at this moment.
    ///
    /// `first_seen` says which workspace a folder lay in when it was trusted first.
    pub(crate) fn trust(
        &mut self,
        folder: Option<Utf8PathBuf>,
        first_seen: impl Fn(&Utf8Path) -> Option<Utf8PathBuf>,
    ) {
        self.advance();
        let open = paths(&self.folders);
        let granted = folder.map_or_else(|| open.clone(), |folder| BTreeSet::from([folder]));
        for folder in granted {
            let seen = first_seen(&folder);
            self.granted.grant(folder, seen);
        }
        self.trusted = Arc::new(self.granted.among(&open));
    }

    /// Trusts a folder that was closed no more.
    pub(crate) fn distrust(&mut self, folder: &Utf8Path) {
        self.granted.withdraw(folder);
    }

    /// The workspaces that the editor vouches for. Looks at the disk.
    pub(crate) fn vouched(&self) -> Vec<Utf8PathBuf> {
        self.trusted.vouched()
    }

    /// The prompts that wait, which are diagnostics too.
    pub(crate) fn prompts(&self) -> Arc<PendingPrompts> {
        Arc::clone(&self.prompts)
    }

    pub(crate) fn edit_prompts(&mut self, edit: impl FnOnce(&mut PendingPrompts)) {
        self.advance();
        edit(Arc::make_mut(&mut self.prompts));
    }

    pub(crate) fn edit_approved(&mut self, edit: impl FnOnce(&mut ApprovedChanges)) {
        self.advance();
        edit(Arc::make_mut(&mut self.approved));
    }

    /// The rules that were written because a person chose them.
    pub(crate) fn rules(&self) -> &WrittenRules {
        &self.rules
    }

    pub(crate) fn edit_rules(&mut self, edit: impl FnOnce(&mut WrittenRules)) {
        self.advance();
        edit(Arc::make_mut(&mut self.rules));
    }

    /// Reads the config of this workspace from here on: a turn begins in it, and nothing else need be open of it.
    pub(crate) fn use_workspace(&mut self, root: Utf8PathBuf) {
        if !self.used.contains(&root) {
            self.advance();
            Arc::make_mut(&mut self.used).insert(root);
        }
    }

    /// What is known about the present state; what is not known yet is made by whoever needs it first.
    pub(crate) fn cell(&mut self, engine: &E) -> Arc<Cell<E>> {
        if let Some(cell) = &self.cell {
            return Arc::clone(cell);
        }
        let cell = Cell::new(Arc::new(self.snapshot()), self.latest.clone());
        cell.reread(engine);
        let cell = Arc::new(cell);
        self.cell = Some(Arc::clone(&cell));
        cell
    }

    /// What is known of `generation`, when that is the present one; what was known before is retired.
    pub(crate) fn settle(&mut self, generation: u64) -> Option<Known<E>> {
        if generation != self.generation {
            return None;
        }
        self.remember();
        let cell = self.cell.take()?;
        let present = cell.present();
        self.cell = Some(Arc::new(Cell::filled(
            Arc::clone(cell.snapshot()),
            present.clone(),
        )));
        Some(present)
    }

    /// The analysis of the present state, when it is made.
    pub(crate) fn present(&self) -> Option<Arc<E::Analysis>> {
        self.cell.as_ref()?.present().analysis
    }

    /// Whether any analysis was ever finished.
    pub(crate) fn is_loaded(&self) -> bool {
        self.latest.analysis.is_some()
    }

    /// Takes what is known of a state that is past, where nothing is known of a later one: the first state is often past before its
    /// files are read, and most of them are what they were.
    pub(crate) fn learn(&mut self, past: &Cell<E>) {
        let present = past.present();
        if self.latest.reading.is_none() {
            self.latest.reading = present.reading;
        }
    }

    /// Takes what nobody needs any more. Dropping it may take a while.
    pub(crate) fn take_retired(&mut self) -> Vec<Known<E>> {
        std::mem::take(&mut self.retired)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            generation: self.generation,
            client: Arc::clone(&self.client),
            documents: Arc::clone(&self.documents),
            folders: Arc::clone(&self.folders),
            disk: Arc::clone(&self.disk),
            trusted: Arc::clone(&self.trusted),
            prompts: Arc::clone(&self.prompts),
            approved: Arc::clone(&self.approved),
            rules: Arc::clone(&self.rules),
            used: Arc::clone(&self.used),
        }
    }

    fn advance(&mut self) {
        self.generation += 1;
        std::mem::take(&mut self.superseded).cancel();
        self.remember();
        // Dropping the cell here, before the edit, is what lets the edit happen in place.
        self.cell = None;
    }

    /// Keeps what is known of the present state for the states after it.
    fn remember(&mut self) {
        let Some(cell) = &self.cell else {
            return;
        };
        let present = cell.present();
        let mut retired = Known::default();
        if let Some(reading) = present.reading {
            retired.reading = self.latest.reading.replace(reading);
        }
        if let Some(analysis) = present.analysis {
            retired.analysis = self.latest.analysis.replace(analysis);
        }
        self.retired.push(retired);
    }
}

#[cfg(test)]
#[path = "world_tests.rs"]
mod tests;
