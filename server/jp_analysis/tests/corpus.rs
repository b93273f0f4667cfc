//! Real workspaces hold no finding that is not true.
//!
//! Set `JP_LSP_CORPUS` to a folder with a `.jp` to run it; without it there is nothing to check.

#![expect(
    clippy::unwrap_used,
    reason = "a folder that cannot be read fails the test"
)]

use std::{fs, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{Analysis, Code, Options, Severity};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};
use pretty_assertions::assert_eq;

/// What is wrong in the corpus indeed: code and file.
///
/// The two personas extend files that the corpus leaves out.
const TRUE_FINDINGS: &[(Code, &str)] = &[
    (Code::ExtendsMissing, ".jp/config/personas/committer.toml"),
    (Code::ExtendsMissing, ".jp/config/personas/dev.toml"),
];

#[test]
fn real_workspaces_have_no_false_findings() {
    let Ok(folder) = std::env::var("JP_LSP_CORPUS") else {
        eprintln!("JP_LSP_CORPUS is not set: no real workspace is checked");
        return;
    };
    let folder = Utf8PathBuf::from(folder).canonicalize_utf8().unwrap();
    let mut files = MemoryFiles::default();
    read(&folder.join(".jp"), &mut files);
    let graph = Graph::load(&Roots::workspace_only(&folder), &files);
    let analysis = Analysis::new(Arc::new(graph), Options::default());
    let mut found = Vec::new();
    for (file, findings) in analysis.all_diagnostics() {
        let path = analysis.graph().path(file);
        let path = path.strip_prefix(&folder).unwrap();
        for finding in findings.iter() {
            let is_listed = TRUE_FINDINGS
                .iter()
                .any(|(code, file)| finding.code == *code && path == *file);
            if finding.severity <= Severity::Warning && !is_listed {
                found.push(format!("{path}: {}: {}", finding.code, finding.message));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

fn read(directory: &Utf8Path, files: &mut MemoryFiles) {
    for entry in directory.read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        if path.is_dir() {
            read(&path, files);
        } else if let Ok(text) = fs::read_to_string(&path) {
            files.insert(path, &text);
        }
    }
}
