//! The state of the server, owned by value by the event loop.
//!
//! ```text
//! generation 7: config.toml v3 open, folder /w, trusted   --snapshot-->  background threads
//! ```

use std::sync::Arc;

use camino::Utf8Path;
use tokio_util::sync::CancellationToken;

use crate::{
    client::{ClientProfile, Folder},
    disk_changes::DiskChanges,
    documents::Documents,
    engine::{Cell, Engine},
};

/// The state at one moment. It never changes, so background threads read it without locks.
#[derive(Clone, Debug)]
pub struct Snapshot {
    generation: u64,
    client: Arc<ClientProfile>,
    documents: Arc<Documents>,
    folders: Arc<Vec<Folder>>,
    disk: Arc<DiskChanges>,
    trusted: bool,
}

impl Snapshot {
    /// Grows with every change of the state.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// What the client can do, and the negotiated encoding.
    #[must_use]
    pub fn client(&self) -> &ClientProfile {
        &self.client
    }

    /// The open buffers; they win over files on disk.
    #[must_use]
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// The workspace folders, in the client's order.
    #[must_use]
    pub fn folders(&self) -> &[Folder] {
        &self.folders
    }

    /// Whether the user trusts the workspace; nothing is run before.
    #[must_use]
    pub fn trusted(&self) -> bool {
        self.trusted
    }

    /// Grows whenever the content of `path` on disk may have changed.
    #[must_use]
    pub fn disk_revision(&self, path: &Utf8Path) -> u64 {
        self.disk.revision(path)
    }

    /// Grows whenever the names in the directory `path` may have changed.
    #[must_use]
    pub fn listing_revision(&self, path: &Utf8Path) -> u64 {
        self.disk.listing_revision(path)
    }
}

/// An analysis that nobody needs any more. Dropping it may take a while.
pub(crate) type Retired<E> = (Arc<Cell<E>>, Option<Arc<<E as Engine>::Analysis>>);

/// The state itself.
pub(crate) struct World<E: Engine> {
    generation: u64,
    client: Arc<ClientProfile>,
    documents: Arc<Documents>,
    folders: Arc<Vec<Folder>>,
    disk: Arc<DiskChanges>,
    trusted: bool,
    /// Cancelled when the state changes.
    superseded: CancellationToken,
    cell: Option<Arc<Cell<E>>>,
    latest: Option<Arc<E::Analysis>>,
}

impl<E: Engine> World<E> {
    pub(crate) fn new(client: ClientProfile) -> Self {
        Self {
            generation: 1,
            folders: Arc::new(client.folders.clone()),
            trusted: client.trusted,
            client: Arc::new(client),
            documents: Arc::default(),
            disk: Arc::default(),
            superseded: CancellationToken::new(),
            cell: None,
            latest: None,
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
    }

    pub(crate) fn edit_disk(&mut self, edit: impl FnOnce(&mut DiskChanges)) {
        self.advance();
        edit(Arc::make_mut(&mut self.disk));
    }

    pub(crate) fn trust(&mut self) {
        self.advance();
        self.trusted = true;
    }

    /// Notes that other prompts wait, which are diagnostics too.
    pub(crate) fn prompts_changed(&mut self) {
        self.advance();
    }

    /// The shared analysis of the present state; whoever needs it first makes it.
    pub(crate) fn cell(&mut self) -> Arc<Cell<E>> {
        if let Some(cell) = &self.cell {
            return Arc::clone(cell);
        }
        let cell = Arc::new(Cell::new(Arc::new(self.snapshot()), self.latest.clone()));
        self.cell = Some(Arc::clone(&cell));
        cell
    }

    /// The analysis of `generation`, when that is the present one and it is made; and the analysis before it, to be dropped.
    pub(crate) fn settle(&mut self, generation: u64) -> Option<(Arc<E::Analysis>, Retired<E>)> {
        if generation != self.generation {
            return None;
        }
        let cell = self.cell.take_if(|cell| cell.is_filled())?;
        let analysis = cell.latest()?;
        self.cell = Some(Arc::new(Cell::filled(
            Arc::clone(cell.snapshot()),
            Arc::clone(&analysis),
        )));
        let retired = (cell, self.latest.replace(Arc::clone(&analysis)));
        Some((analysis, retired))
    }

    /// The analysis of the present state, when it is made.
    pub(crate) fn present(&self) -> Option<Arc<E::Analysis>> {
        self.cell.as_ref().filter(|cell| cell.is_filled())?.latest()
    }

    /// Whether any analysis was ever finished.
    pub(crate) fn is_loaded(&self) -> bool {
        self.latest.is_some()
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            generation: self.generation,
            client: Arc::clone(&self.client),
            documents: Arc::clone(&self.documents),
            folders: Arc::clone(&self.folders),
            disk: Arc::clone(&self.disk),
            trusted: self.trusted,
        }
    }

    fn advance(&mut self) {
        self.generation += 1;
        std::mem::take(&mut self.superseded).cancel();
        // Dropping the cell here, before the edit, is what lets the edit happen in place.
        if let Some(latest) = self.cell.take().and_then(|cell| cell.latest()) {
            self.latest = Some(latest);
        }
    }
}
