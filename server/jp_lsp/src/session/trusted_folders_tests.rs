use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use super::TrustedFolders;
use crate::disk::workspace;

struct Disk(TempDir);

impl Disk {
    fn with(folders: &[&str]) -> Self {
        let disk = Self(tempfile::tempdir().unwrap());
        for folder in folders {
            disk.make(folder);
        }
        disk
    }

    fn make(&self, folder: &str) {
        fs::create_dir_all(self.path(folder)).unwrap();
    }

    /// Trusts a folder with the workspace that it lies in now.
    fn granted(&self, folder: &str) -> TrustedFolders {
        let mut trusted = TrustedFolders::default();
        let root = workspace::root_of(&self.path(folder));
        let root = root.map(|root| root.canonicalize_utf8().unwrap());
        trusted.grant(self.path(folder), root);
        trusted
    }

    fn path(&self, name: &str) -> Utf8PathBuf {
        Utf8Path::from_path(self.0.path()).unwrap().join(name)
    }
}

/// Whether the workspace is trusted, and vouched for.
fn judged(trusted: &TrustedFolders, root: &Utf8Path) -> (bool, bool) {
    (trusted.trusts(root), trusted.vouches(root))
}

#[test]
fn a_workspace_that_was_there_is_vouched_for_and_no_other() {
    let disk = Disk::with(&["w/.jp", "w/sub", "w/inner/.jp", "other/.jp"]);
    for opened in ["w", "w/sub"] {
        let mut trusted = disk.granted(opened);
        assert_eq!(judged(&trusted, &disk.path("w")), (true, true));
        assert_eq!(judged(&trusted, &disk.path("w/inner")), (false, false));
        assert_eq!(judged(&trusted, &disk.path("other")), (false, false));
        trusted.withdraw(&disk.path(opened));
        assert_eq!(judged(&trusted, &disk.path("w")), (false, false));
        assert!(trusted.is_empty());
    }
}

#[test]
fn a_workspace_that_appeared_later_is_trusted_and_not_vouched_for() {
    for (opened, appears) in [("w", "w"), ("w/sub", "w"), ("w/sub", "w/sub")] {
        let disk = Disk::with(&["w/sub"]);
        let trusted = disk.granted(opened);
        disk.make(&format!("{appears}/.jp"));
        assert_eq!(judged(&trusted, &disk.path(appears)), (true, false));
        assert!(trusted.vouched().is_empty());
    }
    // A nearer one hides the one that was there.
    let disk = Disk::with(&["w/.jp", "w/sub"]);
    let trusted = disk.granted("w/sub");
    disk.make("w/sub/.jp");
    assert_eq!(judged(&trusted, &disk.path("w/sub")), (true, false));
    assert_eq!(judged(&trusted, &disk.path("w")), (false, false));
}

#[test]
fn what_is_not_open_counts_only_once_it_is() {
    let disk = Disk::with(&["a/.jp", "b/.jp"]);
    let (a, b) = (disk.path("a"), disk.path("b"));
    let granted = disk.granted("a");
    assert!(granted.among([&b]).is_empty());
    let open = granted.among([&b, &a]);
    assert_eq!(open.folders().collect::<Vec<_>>(), [&a]);
    assert_eq!(judged(&open, &a), (true, true));
    assert_eq!(open.vouched(), [a]);
}
