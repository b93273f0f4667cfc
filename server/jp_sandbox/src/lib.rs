//! What a tool's access grants mean to the kernel, and a process that is held to them (RFD 076).
//!
//! ```toml
//! [[conversation.tools.t.access.fs]]
//! path = "src"       # the profile: everything below `src` can be read, and nothing else of the workspace
//! read = true
//! ```
//!
//! [`plan`] turns grants into a [`Profile`], which says for any path what it lets through, and into an [`Account`] of
//! what of each grant is held.
//! A profile never lets through more than the grants: the longest prefix wins there, while the kernel adds up whatever
//! is allowed above a path, so that what it cannot tell apart is left out and said.
//! On Linux, [`confine`] holds the process that calls it to a profile, for good.
//! On macOS, [`seatbelt_text`] is what `sandbox-exec` is told.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::panic,
        reason = "a fixture that cannot be made fails the test"
    )
)]

mod ability;
mod account;
mod beyond;
#[cfg(target_os = "linux")]
mod confine;
mod folders;
mod hard_links;
mod mechanisms;
mod mode;
mod nested;
mod network;
mod plan;
mod private_tmp;
mod profile;
mod regions;
mod rights;
mod seatbelt;
mod sockets;
mod tree;

pub use ability::{Ability, abilities};
pub use account::{Account, GrantAccount, Held, LIMITS, LIMITS_BY_PATHS, Limit, Overall, limits};
pub use beyond::{Beyond, DEVICES, HOME_FOLDERS, SYSTEM_FILES, SYSTEM_FOLDERS};
#[cfg(target_os = "linux")]
pub use confine::{ConfineError, LIMITED, confine, probe};
pub use mechanisms::Mechanisms;
pub use mode::{SandboxMode, UnknownSandboxMode};
pub use network::Network;
pub use plan::{Plan, Wish, plan};
pub use profile::{Cover, FileRule, Profile};
pub use rights::Rights;
pub use seatbelt::{SANDBOX_EXEC, seatbelt_text, seatbelt_trial};
pub use sockets::{NAME_SERVICES, SERVICES, of_this_machine as sockets_of_this_machine};
pub use tree::{DiskTree, Entry, Kind, Tree};
