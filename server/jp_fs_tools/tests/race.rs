//! A hostile neighbour: while the tools work, another thread keeps exchanging what they work on.
//!
//! Three names in the workspace change all the time between something inside and something outside:
//!
//! ```text
//! link.txt    a link to in/file.txt, or to ../outside/file.txt
//! dir         a link to in, or to ../outside
//! real        a directory, or a link to ../outside
//! ```
//!
//! No byte outside may change, and no byte of it may be read, whatever the timing.
//! 40,000 calls run by default; `JP_FS_TOOLS_RACE_CALLS=1000000` runs a million.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of a test outside of a test function"
)]

use std::{
    fs, io,
    os::unix::fs::symlink,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{Action, Context, Invocation, Outcome, Tool};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What stands in every file outside.
const SECRET: &str = "TOP-SECRET 0\n";
/// How many calls are made unless the environment says otherwise.
const DEFAULT_CALLS: u64 = 40_000;
/// How often the unsafe way is tried before the neighbour counts as too slow.
const MAX_CONTROL_ATTEMPTS: u64 = 2_000_000;

struct Arena {
    _base: TempDir,
    root: Utf8PathBuf,
    outside: Utf8PathBuf,
}

impl Arena {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let base = Utf8Path::from_path(directory.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        let arena = Self {
            root: base.join("workspace"),
            outside: base.join("outside"),
            _base: directory,
        };
        for directory in ["in", "real", "moved"] {
            fs::create_dir_all(arena.root.join(directory)).unwrap();
        }
        fs::create_dir(&arena.outside).unwrap();
        fs::write(arena.root.join("in/file.txt"), "inside 0\n").unwrap();
        fs::write(arena.root.join("real/file.txt"), "inside 0\n").unwrap();
        fs::write(arena.outside.join("file.txt"), SECRET).unwrap();
        fs::write(arena.outside.join("only-outside.txt"), SECRET).unwrap();
        arena
    }

    /// Exchanges all three names once, there and back.
    fn exchange(&self) {
        let path = |name: &str| self.root.join(name);
        for (file, directory) in [("in/file.txt", "in"), ("../outside/file.txt", "../outside")] {
            for (target, name) in [(file, "link.txt"), (directory, "dir")] {
                let fresh = path(&format!("{name}.fresh"));
                // A tool may be quicker with any of these names; the next round sets things right.
                let _ = symlink(target, &fresh);
                let _ = fs::rename(&fresh, path(name));
            }
        }
        let _ = fs::rename(path("real"), path("aside"));
        let _ = symlink("../outside", path("real"));
        if path("real").is_symlink() {
            let _ = fs::remove_file(path("real"));
        }
        if fs::rename(path("aside"), path("real")).is_err() {
            // A tool created a directory of that name; one of the two is enough.
            let _ = fs::remove_dir_all(path("aside"));
        }
        if !path("real").exists() {
            let _ = fs::create_dir(path("real"));
        }
    }

    fn assert_untouched(&self) {
        let mut names: Vec<_> = self
            .outside
            .read_dir_utf8()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["file.txt", "only-outside.txt"]);
        for name in names {
            assert_eq!(fs::read_to_string(self.outside.join(name)).unwrap(), SECRET);
        }
    }

    fn call(&self, tool: &str, arguments: &Value) -> Outcome {
        let object = |value: &Value| value.as_object().cloned().unwrap();
        jp_fs_tools::run(&Invocation {
            tool: Tool {
                name: tool.to_owned(),
                arguments: object(arguments),
                answers: object(&json!({
                    "apply_changes": true,
                    "broad_replacement": true,
                    "delete_dirty_file": true,
                    "modify_dirty_file": true,
                    "move_dirty_source": true,
                    "overwrite_file": true,
                })),
                ..Tool::default()
            },
            context: Context::new(&self.root, Action::Run),
        })
    }
}

/// Ends the neighbour's work, also when an assertion fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` while a neighbour exchanges the names, and returns how often it did.
fn beside_a_neighbour(arena: &Arena, work: impl FnOnce()) -> u64 {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let neighbour = scope.spawn(|| {
            let mut rounds = 0_u64;
            while !is_over.load(Ordering::Relaxed) {
                arena.exchange();
                rounds += 1;
            }
            rounds
        });
        let stop = Stop(&is_over);
        work();
        drop(stop);
        neighbour.join().unwrap()
    })
}

/// The calls to make, a mix of all tools over all names.
fn call(number: u64) -> (&'static str, Value) {
    const FILES: [&str; 3] = ["link.txt", "dir/file.txt", "real/file.txt"];
    let file = *usize::try_from(number % 3)
        .ok()
        .and_then(|index| FILES.get(index))
        .unwrap();
    let text = format!("inside {number}\n");
    match number % 100 {
        0 => ("fs_list_files", json!({"prefixes": ["dir", "real"]})),
        1 => ("fs_list_files", json!({})),
        2 => (
            "fs_grep_files",
            json!({"pattern": ".", "paths": ["dir", "real", "link.txt"]}),
        ),
        3 => ("fs_grep_files", json!({"pattern": "SECRET"})),
        4..=8 => ("fs_delete_file", json!({"path": file})),
        9..=12 => (
            "fs_move_file",
            json!({"source": file, "target": format!("moved/{}", number % 7)}),
        ),
        13..=16 => (
            "fs_move_file",
            json!({"source": format!("moved/{}", number % 7), "target": "real/file.txt"}),
        ),
        17..=19 => (
            "fs_create_file",
            json!({"path": "dir/created.txt", "content": text}),
        ),
        20..=34 => ("fs_create_file", json!({"path": file, "content": text})),
        35..=54 => (
            "fs_modify_file",
            json!({"path": file, "patterns": [{"old": "\\d+", "new": number.to_string()}], "replace_using_regex": true}),
        ),
        55..=59 => ("fs_read_file", json!({"path": "real/only-outside.txt"})),
        _ => ("fs_read_file", json!({"path": file})),
    }
}

#[test]
fn a_swapped_link_leads_no_tool_outside() {
    let calls = std::env::var("JP_FS_TOOLS_RACE_CALLS")
        .ok()
        .map_or(DEFAULT_CALLS, |calls| calls.parse().unwrap());
    let arena = Arena::new();
    let mut done = 0_u64;
    let mut stopped = 0_u64;
    let rounds = beside_a_neighbour(&arena, || {
        for number in 0..calls {
            let (tool, arguments) = call(number);
            let text = match arena.call(tool, &arguments) {
                Outcome::Success { content, .. } => {
                    done += 1;
                    content
                }
                Outcome::Error { message, .. } => {
                    stopped += 1;
                    message
                }
                Outcome::NeedsInput { question } => panic!("unanswered: {question:?}"),
            };
            // Only a listing or a search names files that its arguments did not name.
            let names_files = tool == "fs_list_files" || tool == "fs_grep_files";
            let is_leak =
                text.contains("TOP-SECRET") || names_files && text.contains("only-outside");
            assert!(!is_leak, "{tool} {arguments} disclosed: {text}");
            if number % 1000 == 0 {
                arena.assert_untouched();
            }
        }
    });
    arena.assert_untouched();
    // A race in which nothing worked, or nothing was in the way, would prove nothing.
    assert!(done * 10 > calls, "only {done} of {calls} calls succeeded");
    assert!(
        stopped * 100 > calls,
        "only {stopped} of {calls} calls were stopped"
    );
    assert!(rounds > 100, "only {rounds} exchanges happened");
}

#[test]
fn the_neighbour_is_quick_enough_to_fool_a_check_by_name() {
    let arena = Arena::new();
    let context = Context::new(&arena.root, Action::Run);
    let mut attempts = 0_u64;
    beside_a_neighbour(&arena, || {
        while attempts < MAX_CONTROL_ATTEMPTS {
            attempts += 1;
            let text = context
                .check_read(Utf8Path::new("real/file.txt"))
                .map_err(io::Error::other)
                .and_then(fs::read_to_string);
            if text.is_ok_and(|text| text == SECRET) {
                return;
            }
        }
    });
    assert!(
        attempts < MAX_CONTROL_ATTEMPTS,
        "the unsafe way never read the secret"
    );
}
