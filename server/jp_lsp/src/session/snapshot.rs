//! The state of the server at one moment.
//!
//! ```text
//! generation 7: config.toml v3 open, folder /w trusted, one prompt waits
//! ```

use std::{collections::BTreeSet, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    client::{ClientProfile, Folder},
    disk_changes::DiskChanges,
    documents::Documents,
    trusted_folders::TrustedFolders,
};
use crate::{
    agent::{approved::ApprovedChanges, pending::PendingPrompts, rules::WrittenRules},
    disk::{below::lies_below, workspace},
    trust::Vouched,
};

/// The state at one moment. It never changes, so background threads read it without locks.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) generation: u64,
    pub(super) client: Arc<ClientProfile>,
    pub(super) documents: Arc<Documents>,
    pub(super) folders: Arc<Vec<Folder>>,
    pub(super) disk: Arc<DiskChanges>,
    pub(super) trusted: Arc<TrustedFolders>,
    pub(super) prompts: Arc<PendingPrompts>,
    pub(super) approved: Arc<ApprovedChanges>,
    pub(super) rules: Arc<WrittenRules>,
    pub(super) used: Arc<BTreeSet<Utf8PathBuf>>,
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

    /// Whether the person trusts the workspace at `root`; nothing of it is run before.
    ///
    /// Trust is given for folders that are open: it holds for the workspace that such a folder lies in, and for no other.
    /// Looks at the disk.
    #[must_use]
    pub fn trusts(&self, root: &Utf8Path) -> bool {
        self.trusted.trusts(root)
    }

    /// Who says that turns may begin in the workspace at `root`; none where nobody does.
    ///
    /// A workspace below a folder that the person trusts may be anybody's, such as that of a dependency: turns may begin in
    /// it, and what it starts and sends is shown to a person first. So is one that appeared after its folder was trusted.
    /// Looks at the disk.
    #[must_use]
    pub fn vouched(&self, root: &Utf8Path) -> Option<Vouched> {
        if self.trusted.vouches(root) {
            return Some(Vouched::Editor);
        }
        if self.trusts(root) {
            return Some(Vouched::Nobody);
        }
        // What is opened on its own is trusted on its own.
        let mut folders = self.folders.iter();
        let is_opened = folders.any(|folder| {
            let path = folder.path.as_deref();
            path.and_then(workspace::root_of).as_deref() == Some(root)
        });
        let mut trusted = self.trusted.folders();
        let is_below = !is_opened && trusted.any(|folder| lies_below(root, folder));
        is_below.then_some(Vouched::Nobody)
    }

    /// The workspaces below open folders in which turns have begun.
    #[must_use]
    pub fn used_workspaces(&self) -> &Arc<BTreeSet<Utf8PathBuf>> {
        &self.used
    }

    /// The folders that the person trusts.
    #[must_use]
    pub fn trusted_folders(&self) -> &Arc<TrustedFolders> {
        &self.trusted
    }

    /// Whether the person trusts any folder.
    #[must_use]
    pub fn trusts_any(&self) -> bool {
        !self.trusted.is_empty()
    }

    /// The prompts that wait for a person.
    #[must_use]
    pub(crate) fn prompts(&self) -> &PendingPrompts {
        &self.prompts
    }

    /// The config changes of tools that were settled.
    #[must_use]
    pub(crate) fn approved(&self) -> &ApprovedChanges {
        &self.approved
    }

    /// The rules that were written because a person chose them.
    #[must_use]
    pub(crate) fn rules(&self) -> &WrittenRules {
        &self.rules
    }

    /// Grows with every change of the disk that is known.
    #[must_use]
    pub fn disk_changes(&self) -> u64 {
        self.disk.count()
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
