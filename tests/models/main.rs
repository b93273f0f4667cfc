//! Whole turns of the real binary, with models behind real HTTP.

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

mod aimock;
mod crowd;
mod editor;
mod endings;
mod faults;
#[cfg(target_os = "linux")]
mod history;
#[path = "../listener.rs"]
mod listener;
mod misbehaving;
#[path = "../program.rs"]
mod program;
mod raw;
#[path = "../wire/server.rs"]
#[expect(dead_code, reason = "these tests need less of the client than others")]
mod server;
mod settings;
mod whole_path;
mod workspace;
