//! Dependencies point one way: the crates' manifests hold to the picture in `docs/ARCHITECTURE.md`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a manifest that cannot be read fails the test"
)]

#[path = "architecture/imports.rs"]
mod imports;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use imports::Imports;
use serde_json::Value;

/// What each crate may depend on among its siblings.
const ARROWS: [(&str, &[&str]); 11] = [
    ("jp_tool", &[]),
    ("jp_config", &["jp_tool"]),
    ("jp_policy", &[]),
    ("jp_analysis", &["jp_config", "jp_policy", "jp_tool"]),
    ("jp_conversation", &[]),
    ("jp_history", &["jp_conversation", "jp_policy"]),
    ("jp_llm", &["jp_conversation"]),
    (
        "jp_agent",
        &[
            "jp_config",
            "jp_conversation",
            "jp_llm",
            "jp_policy",
            "jp_sandbox",
            "jp_tool",
        ],
    ),
    ("jp_sandbox", &["jp_tool"]),
    ("jp_fs_tools", &["jp_tool"]),
    (
        "jp_lsp",
        &[
            "jp_agent",
            "jp_analysis",
            "jp_config",
            "jp_conversation",
            "jp_history",
            "jp_llm",
            "jp_policy",
            "jp_sandbox",
            "jp_tool",
        ],
    ),
];

/// Who may depend on what reaches outside: the protocol, the runtime, the network.
const OUTSIDE: [(&str, &[&str]); 4] = [
    ("tower-lsp", &["jp_lsp"]),
    ("lsp-types", &["jp_lsp"]),
    (
        "tokio",
        &["jp_lsp", "jp_agent", "jp_llm", "jp_conversation"],
    ),
    // Models, and MCP servers that are reached over HTTP.
    ("reqwest", &["jp_llm", "jp_agent"]),
];

/// The dependencies of every crate, without those of its tests.
fn manifests() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().unwrap().iter();
            let names = dependencies
                .filter(|dependency| dependency["kind"] != "dev")
                .map(|dependency| dependency["name"].as_str().unwrap().to_owned());
            (
                package["name"].as_str().unwrap().to_owned(),
                names.collect(),
            )
        })
        .collect()
}

#[test]
fn siblings_depend_downwards_only() {
    let manifests = manifests();
    let mut upwards = Vec::new();
    for (name, dependencies) in &manifests {
        let (_, allowed) = ARROWS
            .iter()
            .find(|(known, _)| known == name)
            .unwrap_or_else(|| panic!("`{name}` is missing from the picture"));
        for dependency in dependencies {
            if manifests.contains_key(dependency) && !allowed.contains(&dependency.as_str()) {
                upwards.push(format!("{name} -> {dependency}"));
            }
        }
    }
    assert_eq!(upwards, Vec::<String>::new());
    assert_eq!(manifests.len(), ARROWS.len());
}

#[test]
fn only_the_shell_reaches_outside() {
    let mut reaching = Vec::new();
    for (name, dependencies) in manifests() {
        for (outside, allowed) in OUTSIDE {
            if dependencies.iter().any(|dependency| dependency == outside)
                && !allowed.contains(&name.as_str())
            {
                reaching.push(format!("{name} -> {outside}"));
            }
        }
    }
    assert_eq!(reaching, Vec::<String>::new());
}

/// The crates, by name.
fn crates() -> impl Iterator<Item = &'static str> {
    ARROWS.into_iter().map(|(name, _)| name)
}

/// How many files may name one another.
const LARGEST_RING: usize = 3;

/// How many lines a file may have that does not say why it has more.
const LONGEST_FILE: usize = 600;

/// What the rooms of `jp_lsp` never name: rooms, or single files of them.
const CLOSED_DOORS: [(&str, &[&str]); 8] = [
    (
        "acp/",
        &[
            "features",
            "agent/",
            "session/",
            "wire/",
            "cli/",
            "server.rs",
        ],
    ),
    (
        "agent/",
        &[
            "features",
            "cli/",
            "session/engine.rs",
            "session/config_engine.rs",
            "session/event_loop",
        ],
    ),
    ("session/", &["features", "cli/", "server.rs"]),
    (
        "wire/",
        &[
            "features",
            "agent/",
            "cli/",
            "runtime",
            "trust",
            "disk/",
            "server.rs",
        ],
    ),
    ("features/", &["cli/", "server.rs", "session/event_loop"]),
    (
        "runtime/",
        &["features", "agent/", "session/", "wire/", "cli/"],
    ),
    (
        "trust/",
        &["features", "agent/", "session/", "wire/", "cli/", "runtime"],
    ),
    (
        "disk/",
        &["features", "agent/", "session/", "wire/", "cli/", "runtime"],
    ),
];

#[test]
fn no_more_than_three_files_name_one_another() {
    let rings: Vec<String> = crates()
        .flat_map(|name| {
            let imports = Imports::of(name);
            let rings = imports.rings().into_iter();
            let large = rings.filter(|ring| ring.len() > LARGEST_RING);
            large
                .map(|ring| format!("{name}: {ring:?}"))
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(rings, Vec::<String>::new());
}

#[test]
fn rooms_name_only_what_lies_below_them() {
    let imports = Imports::of("jp_lsp");
    let climbs: Vec<String> = imports
        .all()
        .filter(|(file, other)| {
            let mut doors = CLOSED_DOORS
                .iter()
                .filter(|(room, _)| file.starts_with(room));
            doors.any(|(_, closed)| closed.iter().any(|closed| other.starts_with(closed)))
        })
        .map(|(file, other)| format!("{file} -> {other}"))
        .collect();
    assert_eq!(climbs, Vec::<String>::new());
    // A door that no file stands behind would hold nothing.
    for (room, closed) in CLOSED_DOORS {
        for name in closed.iter().chain([&room]) {
            let mut files = imports.all().flat_map(|(file, other)| [file, other]);
            assert!(files.any(|file| file.starts_with(name)), "{name}");
        }
    }
}

/// The Rust files under a folder of the repository.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn only_the_wire_names_the_framework() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let wire = server.join("jp_lsp/src/wire");
    let naming: Vec<PathBuf> = rust_files(&server)
        .into_iter()
        .filter(|file| fs::read_to_string(file).unwrap().contains("tower_lsp"))
        .collect();
    let elsewhere: Vec<&PathBuf> = naming
        .iter()
        .filter(|file| !file.starts_with(&wire))
        .collect();
    assert_eq!(elsewhere, Vec::<&PathBuf>::new());
    assert!(!naming.is_empty());
}

/// Whether the head of a file says why it is longer than others.
fn says_why_it_is_long(text: &str) -> bool {
    let mut head = text.lines().take_while(|line| line.starts_with("//!"));
    head.any(|line| line.starts_with("//! One file: "))
}

#[test]
fn no_file_is_too_long_to_be_read_at_once() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![server.join("../tests")];
    for name in crates() {
        folders.extend(["src", "tests"].map(|part| server.join(name).join(part)));
    }
    let files = folders.iter().filter(|folder| folder.is_dir());
    let long: Vec<PathBuf> = files
        .flat_map(|folder| rust_files(folder))
        .filter(|file| {
            let text = fs::read_to_string(file).unwrap();
            text.lines().count() > LONGEST_FILE && !says_why_it_is_long(&text)
        })
        .collect();
    assert_eq!(long, Vec::<PathBuf>::new());
}
