//! Grants that the kernel holds, through the real binary and real processes that ignore them.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a world that cannot be made fails the test"
)]

mod attacks;
mod confined;
mod desk;
mod documents;
mod private_tmp;
#[path = "../program.rs"]
mod program;
mod programs;
#[path = "../random.rs"]
mod random;
mod servers;
mod subset;

use camino::Utf8Path;
use jp_sandbox::{Account, Beyond, DiskTree, Mechanisms, Wish, plan};
use jp_tool::{AccessPolicy, FsRule};

/// What is said of a tool that may read its workspace, where the machine has these mechanisms.
fn held_in_words(mechanisms: Mechanisms) -> (String, Account) {
    let folder = tempfile::tempdir().unwrap();
    let access = AccessPolicy {
        fs: vec![FsRule::new(".").with_read(true)].into(),
        ..AccessPolicy::default()
    };
    let wish = Wish {
        root: Utf8Path::from_path(folder.path()).unwrap(),
        access: Some(&access),
        protected: &[],
        beyond: &Beyond::default(),
    };
    let account = plan(&wish, mechanisms, &DiskTree).unwrap().account;
    (account.in_words(), account)
}
