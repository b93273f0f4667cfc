//! What the released `jp` makes of small workspaces, and that we make the same of them.
//!
//! The workspaces are in `agreement/*.txt`.
//! A line `=== name` starts one and `//- path` starts a file of it; what lies below `/home` is the user's global config.
//! Then come the expectations:
//!
//! ```text
//! --- cwd a/b                                     the working directory
//! --- fragment frag.toml                          a file that is chosen on top
//! --- assistant.name = "x"                        a value, as JSON; `null` where there is none
//! --- error .jp.json type-mismatch                an error in a file; all of them are listed
//! --- note .jp.toml merge-trap                    any other finding; only those that are listed count
//! ```

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::{fs, path::Path, sync::Arc};

use camino::Utf8PathBuf;
use jp_analysis::{Analysis, Options, Severity, explain};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
    merge::Located,
    view::View,
};
use serde_json::Value;

struct Workspace<'a> {
    name: &'a str,
    files: String,
    expectations: Vec<&'a str>,
}

fn workspaces(text: &str) -> Vec<Workspace<'_>> {
    text.split("=== ")
        .skip(1)
        .map(|block| {
            let (name, rest) = block.split_once('\n').unwrap();
            let (expectations, files): (Vec<&str>, Vec<&str>) =
                rest.lines().partition(|line| line.starts_with("--- "));
            Workspace {
                name,
                files: files.join("\n") + "\n",
                expectations,
            }
        })
        .collect()
}

impl Workspace<'_> {
    fn given(&self, word: &str) -> Option<&str> {
        self.expectations
            .iter()
            .find_map(|line| line.strip_prefix("--- ")?.strip_prefix(word))
    }

    fn graph(&self) -> Graph {
        let files = MemoryFiles::from_fixture(&self.files);
        let mut roots = Roots::workspace_only("/w");
        if files.paths().any(|path| path.starts_with("/home")) {
            roots.user_global = Some("/home".into());
        }
        let mut below = Utf8PathBuf::from("/w");
        for part in self
            .given("cwd ")
            .into_iter()
            .flat_map(|path| path.split('/'))
        {
            below.push(part);
            roots.locals.push(below.clone());
        }
        if let Some(fragment) = self.given("fragment ") {
            roots.fragments.push(Utf8PathBuf::from("/w").join(fragment));
        }
        Graph::load(&roots, &files)
    }

    /// What is expected and not so, or so and not expected.
    fn disagreements(&self) -> Vec<String> {
        let graph = Arc::new(self.graph());
        let view = match graph.fragments.len() {
            0 => View::new(Arc::clone(&graph)),
            _ => View::with_fragment(Arc::clone(&graph), 0),
        };
        let mut found: Vec<String> = self
            .expectations
            .iter()
            .filter_map(|line| line.strip_prefix("--- ")?.split_once(" = "))
            .filter_map(|(path, expected)| {
                let expected: Value = serde_json::from_str(expected).unwrap();
                let actual = explain::config(&view, path).unwrap().value;
                (actual != expected).then(|| format!("{path}: expected {expected}, is {actual}"))
            })
            .collect();
        let analysis = Analysis::new(graph, Options::default());
        let expected: Vec<&str> = self
            .expectations
            .iter()
            .filter_map(|line| line.strip_prefix("--- "))
            .filter(|line| line.starts_with("error ") || line.starts_with("note "))
            .collect();
        let mut seen = Vec::new();
        for (file, findings) in analysis.all_diagnostics() {
            let path = analysis.graph().path(file);
            let path = path.strip_prefix("/w").unwrap_or(path);
            for finding in findings.iter() {
                let is_error = finding.severity == Severity::Error;
                let word = if is_error { "error" } else { "note" };
                let line = format!("{word} {path} {}", finding.code.as_str());
                let is_expected = expected.contains(&line.as_str());
                if is_error && !is_expected {
                    found.push(format!("{line}: {}", finding.message));
                }
                seen.push(line);
            }
        }
        let absent = expected
            .iter()
            .filter(|line| !seen.iter().any(|seen| seen == *line));
        found.extend(absent.map(|line| format!("{line}: expected, is not found")));
        found
    }
}

#[test]
fn small_workspaces_come_to_what_jp_makes_of_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement");
    let mut disagreements = Vec::new();
    let mut count = 0;
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        for workspace in workspaces(&text) {
            count += 1;
            let found = workspace.disagreements();
            disagreements.extend(
                found
                    .iter()
                    .map(|found| format!("{}: {found}", workspace.name)),
            );
        }
    }
    assert!(count > 50, "only {count} workspaces were found");
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n"));
}

/// Every path of tables in a value, the value itself included.
fn paths(value: &Value, above: &[String], found: &mut Vec<Vec<String>>) {
    found.push(above.to_vec());
    for (key, inner) in value.as_object().into_iter().flatten() {
        let below = [above, std::slice::from_ref(key)].concat();
        paths(inner, &below, found);
    }
}

#[test]
fn a_path_on_its_own_comes_to_what_it_is_in_the_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement");
    let mut compared = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for workspace in workspaces(&text) {
            let view = View::new(Arc::new(workspace.graph()));
            let whole = view.effective(&[]).unwrap();
            let mut all = Vec::new();
            paths(&whole.to_json(), &[], &mut all);
            for path in all {
                let keys: Vec<&str> = path.iter().map(String::as_str).collect();
                let part = view.effective(&keys).map(|part| part.to_json());
                let within = whole.at(&keys).map(Located::to_json);
                assert_eq!(part, within, "{}: {path:?}", workspace.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "only {compared} paths were compared");
}
