//! Dependencies point one way: the crates' manifests hold to the picture in `docs/ARCHITECTURE.md`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a manifest that cannot be read fails the test"
)]

use std::{collections::BTreeMap, process::Command};

use serde_json::Value;

/// What each crate may depend on among its siblings.
const ARROWS: [(&str, &[&str]); 9] = [
    ("jp_tool", &[]),
    ("jp_config", &["jp_tool"]),
    ("jp_policy", &[]),
    ("jp_analysis", &["jp_config", "jp_policy", "jp_tool"]),
    ("jp_conversation", &[]),
    ("jp_llm", &["jp_conversation"]),
    (
        "jp_agent",
        &[
            "jp_config",
            "jp_conversation",
            "jp_llm",
            "jp_policy",
            "jp_tool",
        ],
    ),
    ("jp_fs_tools", &["jp_tool"]),
    (
        "jp_lsp",
        &[
            "jp_agent",
            "jp_analysis",
            "jp_config",
            "jp_conversation",
            "jp_llm",
            "jp_policy",
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
    ("reqwest", &["jp_llm"]),
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
