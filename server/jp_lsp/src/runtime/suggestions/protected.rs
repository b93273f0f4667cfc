//! The files that no suggested rule may let a tool change.
//!
//! ```text
//! .jp/config.toml   .git/hooks/pre-commit   vendor/lib/.git/config   .envrc
//! ```
//!
//! Those that are there and those that may come to be, except where the tool's grants keep it out anyway.

use camino::{Utf8Path, Utf8PathBuf};
use ignore::WalkBuilder;
use jp_analysis::{explain::AccessExplainer, reader::reads_only};
use jp_config::view::View;
use serde_json::{Value, json};

use crate::disk::paths::DiskPaths;

/// Where a file decides what runs, whether or not it is there.
const ALWAYS: [&str; 8] = [
    ".jp/config.toml",
    ".jp/any/file.toml",
    ".jp.toml",
    ".git/config",
    ".git/hooks/pre-commit",
    ".vscode/settings.json",
    ".idea/workspace.xml",
    ".envrc",
];

/// How many entries of the workspace are looked at for further ones.
const MOST_ENTRIES: usize = 50_000;

/// How a file changes.
const CAPABILITIES: [&str; 3] = ["create", "write", "delete"];

/// The protected paths that the tool may change, relative to the workspace.
pub(super) fn paths(view: &View, tool: &str, paths: &DiskPaths) -> Vec<String> {
    if reads_only(view, tool) {
        return Vec::new();
    }
    let graph = view.graph();
    let root = &graph.workspace;
    let relative = |path: &Utf8PathBuf| Some(path.strip_prefix(root).ok()?.to_string());
    let files = graph.files.iter().map(|file| file.path.clone());
    let decisive = graph.decisive_paths().into_iter();
    let config = files.chain(decisive).filter_map(|path| relative(&path));
    let mut found: Vec<String> = ALWAYS
        .iter()
        .map(|path| (*path).to_owned())
        .chain(config)
        .chain(there(root))
        .filter(|path| !path.is_empty())
        .collect();
    found.sort();
    found.dedup();
    match AccessExplainer::new(view, tool, paths) {
        Ok(explainer) => {
            let is_open = |path: &String| {
                CAPABILITIES.iter().any(|capability| {
                    let question = json!({ "fs": { "capability": capability, "path": path } });
                    let answer = explainer.explain(&question, paths);
                    answer.map_or(true, |answer| {
                        answer.get("allowed") != Some(&Value::Bool(false))
                    })
                })
            };
            found.retain(is_open);
        }
        // A tool whose grants say nothing may change what it likes.
        Err(error) => tracing::debug!(%error, "the grants of a tool hold nothing back"),
    }
    found
}

/// Protected files that are in the workspace, in whatever folder; links are not followed.
fn there(root: &Utf8Path) -> Vec<String> {
    let entries = WalkBuilder::new(root)
        .standard_filters(false)
        .follow_links(false)
        .build();
    let mut found = Vec::new();
    for entry in entries.filter_map(Result::ok).take(MOST_ENTRIES) {
        let Some(path) = Utf8Path::from_path(entry.path()) else {
            continue;
        };
        let is_protected = matches!(
            path.file_name(),
            Some(
                ".jp"
                    | ".git"
                    | ".vscode"
                    | ".idea"
                    | ".envrc"
                    | ".jp.toml"
                    | ".jp.json"
                    | ".jp.yaml"
                    | ".jp.yml"
            )
        );
        if let (true, Ok(relative)) = (is_protected, path.strip_prefix(root)) {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let path = if is_folder {
                relative.join("any")
            } else {
                relative.to_owned()
            };
            found.push(path.into_string());
        }
    }
    found
}
