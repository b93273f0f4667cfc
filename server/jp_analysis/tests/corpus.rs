//! Real workspaces hold no finding that is not true.
//!
//! The committed workspaces that have no mistakes are read always; `JP_LSP_CORPUS` names a folder with a `.jp` to read as well.

#![expect(
    clippy::unwrap_used,
    reason = "a folder that cannot be read fails the test"
)]

use std::{fs, sync::Arc};

use camino::Utf8Path;
use jp_analysis::{Analysis, Code, Options, Severity};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};
use pretty_assertions::assert_eq;

/// What is wrong in that folder indeed: code and file.
///
/// The two personas extend files that the corpus leaves out.
const TRUE_FINDINGS: &[(Code, &str)] = &[
    (Code::ExtendsMissing, ".jp/config/personas/committer.toml"),
    (Code::ExtendsMissing, ".jp/config/personas/dev.toml"),
];

#[test]
fn real_workspaces_have_no_false_findings() {
    if let Ok(folder) = std::env::var("JP_LSP_CORPUS") {
        check(Utf8Path::new(&folder), TRUE_FINDINGS);
    }
}

#[test]
fn committed_workspaces_have_no_findings() {
    let workspaces = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/workspaces");
    for name in ["almanac", "sample"] {
        check(&workspaces.join(name), &[]);
    }
}

/// Expects no errors and no warnings but those that are known.
fn check(folder: &Utf8Path, known: &[(Code, &str)]) {
    let folder = folder.canonicalize_utf8().unwrap();
    let mut files = MemoryFiles::default();
    read(&folder.join(".jp"), &mut files);
    let graph = Graph::load(&Roots::workspace_only(&folder), &files);
    assert!(!graph.files.is_empty(), "{folder} holds no config");
    let analysis = Analysis::new(Arc::new(graph), Options::default());
    let mut found = Vec::new();
    for (file, findings) in analysis.all_diagnostics() {
        let path = analysis.graph().path(file);
        let path = path.strip_prefix(&folder).unwrap();
        for finding in findings.iter() {
            let is_listed = known
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
