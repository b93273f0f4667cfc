//! Hostile folders: opening one costs little, and nothing outside it is read before a person trusts it.

#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::mpsc,
};

use notify::{EventKind, RecursiveMode, Watcher as _, event::AccessKind};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::desk::Desk;

const CONFIG: &str = ".jp/config.toml";

/// What the server may take for any of these folders, in KiB, in a build without optimization.
const MEMORY: u64 = 500 << 10;

fn peak(desk: &Desk) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", desk.server.process_id())).unwrap();
    let peak = status.lines().find_map(|row| row.strip_prefix("VmHWM:"));
    let peak = peak.unwrap().trim().trim_end_matches(" kB");
    peak.parse().unwrap()
}

/// Opens a file beside the hostile one: the server answers about it, and has taken no more than it may.
fn is_alive(desk: &mut Desk) {
    if desk.path(".jp/beside.toml").exists() {
        desk.close(".jp/beside.toml");
    }
    desk.write(".jp/beside.toml", "inherit = 1\n");
    desk.open(".jp/beside.toml");
    let params = json!({
        "textDocument": { "uri": desk.uri(".jp/beside.toml") },
        "position": { "line": 0, "character": 2 },
    });
    let hover = desk.server.call("textDocument/hover", params).unwrap();
    assert!(hover["contents"]["value"].is_string(), "{hover}");
    desk.shows(".jp/beside.toml", &["0:10-11 type-mismatch"]);
    assert!(peak(desk) < MEMORY, "{} KiB", peak(desk));
}

/// A desk whose root is opened only after `make` put something into it.
fn opened_after(make: impl FnOnce(&Desk), trusted: bool) -> Desk {
    let mut desk = Desk::with(
        "",
        json!({ "capabilities": {}, "workspaceFolders": [],
            "initializationOptions": { "trusted": trusted } }),
    );
    fs::create_dir_all(desk.path(".jp")).unwrap();
    make(&desk);
    let added = json!({ "event": { "added": [desk.as_folder("")], "removed": [] } });
    desk.server
        .notify("workspace/didChangeWorkspaceFolders", added);
    desk
}

#[test]
fn files_that_never_end_are_not_read() {
    for trusted in [false, true] {
        let mut desk = opened_after(
            |desk| {
                symlink("/proc/self/pagemap", desk.path(CONFIG)).unwrap();
                symlink("/proc/self/pagemap", desk.path(".jp/.id")).unwrap();
                symlink("/dev/zero", desk.path(".jp.toml")).unwrap();
            },
            trusted,
        );
        for file in [CONFIG, ".jp.toml"] {
            desk.shows(file, &["0:0-0 extends-missing"]);
        }
        is_alive(&mut desk);
    }
}

#[test]
fn a_file_larger_than_the_limit_is_named_on_disk_and_in_a_buffer() {
    let large = format!("# {}\nmistake = 1\n", "x".repeat(4 << 20));
    let mut desk = Desk::new(&format!("//- {CONFIG}\n{large}"));
    desk.shows(CONFIG, &["0:0-0 extends-missing"]);
    desk.open(CONFIG);
    desk.append(CONFIG, "# typed\n");
    desk.append(CONFIG, "# typed again\n");
    desk.shows(CONFIG, &["0:0-0 extends-missing"]);
    desk.replace(CONFIG, &"x".repeat(4 << 20), "x");
    desk.shows(CONFIG, &["1:0-7 unknown-key"]);
    desk.replace(CONFIG, "x", &"x".repeat(4 << 20));
    desk.shows(CONFIG, &["0:0-0 extends-missing"]);
    is_alive(&mut desk);
}

#[test]
fn many_looks_at_a_large_tree_are_cut() {
    let patterns: Vec<String> = (0..100)
        .map(|index| format!("\"/usr/**/*{index}.toml\""))
        .collect();
    let config = format!("extends = [{}]\n", patterns.join(", "));
    let mut desk = Desk::with(
        &format!("//- {CONFIG}\n{config}"),
        json!({ "capabilities": {}, "initializationOptions": { "trusted": true } }),
    );
    is_alive(&mut desk);
    let found = desk.shows_some(CONFIG);
    assert!(found.iter().any(|found| found.ends_with("invalid-value")));
}

#[test]
fn circles_of_links_are_looked_through_once() {
    let mut desk = opened_after(
        |desk| {
            for directory in 0..20 {
                let directory = desk.path(&format!(".jp/d{directory}"));
                fs::create_dir(&directory).unwrap();
                for link in 0..20 {
                    symlink(format!("../d{link}"), directory.join(format!("l{link}"))).unwrap();
                }
            }
            desk.write(".jp/d7/x.toml", "mistake = 1\n");
            desk.write(
                CONFIG,
                "extends = [\"**/x.toml\"]\nconfig_load_paths = [\".jp\"]\n",
            );
        },
        false,
    );
    desk.shows(".jp/d7/x.toml", &["0:0-7 unknown-key"]);
    is_alive(&mut desk);
}

#[test]
fn two_megabytes_of_mistakes_are_a_thousand_findings() {
    let mistakes: String = (0..140_000)
        .map(|index| format!("unknown_{index} = 1\n"))
        .collect();
    let mut desk = opened_after(|desk| desk.write(CONFIG, &mistakes), false);
    is_alive(&mut desk);
    let params = json!({ "textDocument": { "uri": desk.uri(CONFIG) } });
    let pulled = desk.server.call("textDocument/diagnostic", params).unwrap();
    let found = pulled["items"].as_array().unwrap();
    assert_eq!(found.len(), 1_000);
    assert_eq!(
        found.last().unwrap()["message"],
        "139001 more findings in this file: mend those above first"
    );
    desk.open(CONFIG);
    desk.append(CONFIG, "unknown = 1\n");
    is_alive(&mut desk);
}

/// Says which files of a directory somebody opened, in order.
struct Opened {
    opened: mpsc::Receiver<PathBuf>,
    _watcher: notify::RecommendedWatcher,
}

impl Opened {
    fn in_directory(directory: &Path) -> Self {
        let (sender, opened) = mpsc::channel();
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                let event = event.unwrap();
                if matches!(event.kind, EventKind::Access(AccessKind::Open(_))) {
                    for path in event.paths {
                        let _ = sender.send(path);
                    }
                }
            })
            .unwrap();
        watcher
            .watch(directory, RecursiveMode::NonRecursive)
            .unwrap();
        Self {
            opened,
            _watcher: watcher,
        }
    }

    /// The files that were opened until the test itself opens this one.
    fn until(&self, last: &Path) -> Vec<PathBuf> {
        fs::read(last).unwrap();
        self.opened.iter().take_while(|path| path != last).collect()
    }
}

#[test]
fn nothing_outside_is_read_through_a_link_before_trust() {
    let mut desk = Desk::with("", json!({ "capabilities": {}, "workspaceFolders": [] }));
    let outside = desk.home("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("far.toml"), "mistake = 1\n").unwrap();
    fs::write(outside.join("last"), "").unwrap();
    fs::create_dir_all(desk.path(".jp")).unwrap();
    symlink(&outside, desk.path(".jp/more")).unwrap();
    symlink(outside.join("far.toml"), desk.path(".jp/far.toml")).unwrap();
    symlink(outside.join("far.toml"), desk.path(".jp.toml")).unwrap();
    symlink(outside.join("far.toml"), desk.path(".jp/.id")).unwrap();
    desk.write(
        CONFIG,
        "extends = [\"more/*.toml\", \"more/far.toml\", \"far.toml\"]\nconfig_load_paths = [\".jp/more\"]\n",
    );
    let opened = Opened::in_directory(&outside);
    let added = json!({ "event": { "added": [desk.as_folder("")], "removed": [] } });
    desk.server
        .notify("workspace/didChangeWorkspaceFolders", added);
    desk.shows(
        CONFIG,
        &[
            "0:11-24 extends-missing",
            "0:26-41 extends-missing",
            "0:43-53 extends-missing",
            "1:20-32 extends-missing",
        ],
    );
    desk.shows(".jp.toml", &["0:0-0 extends-missing"]);
    is_alive(&mut desk);
    assert_eq!(opened.until(&outside.join("last")), Vec::<PathBuf>::new());
    desk.server.notify("jp/trustGranted", json!({}));
    desk.shows(".jp/far.toml", &["0:0-7 unknown-key"]);
    desk.shows(".jp/more/far.toml", &["0:0-7 unknown-key"]);
    desk.shows(".jp.toml", &["0:0-7 unknown-key"]);
    assert!(!opened.until(&outside.join("last")).is_empty());
}

/// The messages of a file's findings, with the home of the desk as `~`.
fn messages(desk: &mut Desk, file: &str) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": desk.uri(file) } });
    let pulled = desk.server.call("textDocument/diagnostic", params).unwrap();
    let home = desk.home("").canonicalize().unwrap();
    let home = home.to_str().unwrap().trim_end_matches('/');
    let items = pulled["items"].as_array().unwrap().iter();
    items
        .map(|item| item["message"].as_str().unwrap().replace(home, "~"))
        .collect()
}

#[test]
fn nothing_outside_is_read_because_it_is_named_before_trust() {
    let mut desk = Desk::with("", json!({ "capabilities": {}, "workspaceFolders": [] }));
    let outside = desk.home("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("far.toml"), "mistake = 1\n").unwrap();
    fs::write(outside.join("last"), "").unwrap();
    fs::create_dir_all(desk.path(".jp")).unwrap();
    let up = "../".repeat(desk.path(".jp").components().count() - 1);
    let absolute = outside.to_str().unwrap();
    let named = format!("{up}{}", absolute.trim_start_matches('/'));
    desk.write(
        CONFIG,
        format!(
            "extends = [\n\"{named}/far.toml\",\n\"{absolute}/*.toml\",\n{{ path = \"{named}/[f]ar.toml\", strategy = \"after\" }},\n\"{absolute}/faar.toml\",\n\"step.toml\",\n]\n\
             config_load_paths = [\"{absolute}\"]\n"
        ),
    );
    desk.write(
        ".jp/step.toml",
        format!("extends = [\"{absolute}/far.toml\"]\n"),
    );
    let opened = Opened::in_directory(&outside);
    let added = json!({ "event": { "added": [desk.as_folder("")], "removed": [] } });
    desk.server
        .notify("workspace/didChangeWorkspaceFolders", added);
    let found = desk.shows_some(CONFIG);
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(found.iter().all(|found| found.ends_with("extends-missing")));
    let beyond = "what lies outside the workspace is not read before the workspace is trusted";
    assert_eq!(
        messages(&mut desk, ".jp/step.toml"),
        [format!(
            "this adds nothing from `~/outside/far.toml`: {beyond}"
        )]
    );
    is_alive(&mut desk);
    assert_eq!(opened.until(&outside.join("last")), Vec::<PathBuf>::new());
    desk.server.notify("jp/trustGranted", json!({}));
    desk.shows(".jp/step.toml", &[]);
    assert!(!opened.until(&outside.join("last")).is_empty());
}
