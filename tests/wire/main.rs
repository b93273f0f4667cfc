//! The server over the wire: real frames, the real binary where no misbehaving handler is needed, and the same code on a thread where one is.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "literals of `json!` read best without a borrow at each of them"
)]

mod below;
mod config_changes;
mod conformance;
mod content;
#[cfg(unix)]
mod decisions;
mod desk;
mod diagnostics;
mod engine;
mod examples;
#[cfg(unix)]
mod grants;
#[cfg(target_os = "linux")]
mod held;
mod hostile;
mod hostile_folder;
mod keep;
#[path = "../listener.rs"]
mod listener;
mod pace;
#[cfg(target_os = "linux")]
mod processes;
#[path = "../program.rs"]
mod program;
#[cfg(unix)]
#[path = "../random.rs"]
mod random;
mod reading;
mod recorded;
mod rules;
mod server;
mod settings;
#[cfg(unix)]
mod since_head;
#[cfg(unix)]
mod streams;
mod sync;
mod talks;
mod torture;
mod trust;
mod turns;
#[cfg(target_os = "linux")]
mod unread;
mod workspace;
mod writing;
