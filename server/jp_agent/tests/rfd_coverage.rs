//! Holds `docs/rfd-coverage.md` to the source tree: every document is in it, and every test that
//! it names exists and runs.
//!
//! ```markdown
//! | What needs a yes is never taken for one. | `server/jp_agent/src/delta/review_tests.rs::with_nobody_to_ask_nothing_is_approved` |
//! ```

use std::{fs, path::Path};

const COVERAGE: &str = "docs/rfd-coverage.md";

/// The documents that the list is about.
const DOCUMENTS: [&str; 5] = ["RFD 042", "RFD 076", "RFD 078", "RFD 083", "RFD D25"];

/// The demand and the test references of each table row; the rows of a header are left out.
fn rows(document: &str) -> Vec<(&str, Vec<&str>)> {
    document
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .filter_map(|row| row.rsplit_once(" | "))
        .filter(|(demand, _)| !matches!(*demand, "Demand" | "---"))
        .map(|(demand, tests)| {
            let tests = tests.split('`').skip(1).step_by(2).collect();
            (demand, tests)
        })
        .collect()
}

fn missing(root: &Path, reference: &str) -> Option<String> {
    let Some((file, test)) = reference.split_once("::") else {
        return Some(format!("`{reference}` is not `file::test`"));
    };
    let Ok(source) = fs::read_to_string(root.join(file)) else {
        return Some(format!("there is no file `{file}`"));
    };
    let declaration = format!("fn {test}(");
    let Some((before, _)) = source.split_once(&declaration) else {
        return Some(format!("there is no test `{test}` in `{file}`"));
    };
    (!is_test(before)).then(|| format!("`{test}` in `{file}` is not a test that always runs"))
}

/// Whether the attributes at the end of `before`, the source up to a function, make it a test that runs.
///
/// In `proptest!` the attribute stands in the same place.
fn is_test(before: &str) -> bool {
    let attributes: Vec<&str> = before
        .lines()
        .rev()
        .skip_while(|line| matches!(line.trim(), "" | "async" | "pub"))
        .map(str::trim)
        .take_while(|line| line.starts_with("#[") || line.starts_with("//"))
        .collect();
    let is_marked = attributes
        .iter()
        .any(|attribute| *attribute == "#[test]" || attribute.starts_with("#[tokio::test"));
    is_marked && !attributes.iter().any(|line| line.starts_with("#[ignore"))
}

#[test]
fn every_listed_test_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate lies two levels below the root");
    let document = fs::read_to_string(root.join(COVERAGE)).expect("the list can be read");
    let sections = document.find("\n## ").and_then(|at| document.get(at..));
    let rows = rows(sections.expect("the list has sections"));
    assert!(rows.len() > 20, "only {} rows were found", rows.len());
    let mut problems = Vec::new();
    for (demand, tests) in &rows {
        if tests.is_empty() {
            problems.push(format!("no test is named for: {demand}"));
        }
        problems.extend(tests.iter().filter_map(|test| missing(root, test)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_document_has_as_many_rows_as_the_list_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate lies two levels below the root");
    let document = fs::read_to_string(root.join(COVERAGE)).expect("the list can be read");
    for name in DOCUMENTS {
        let (_, section) = document
            .split_once(&format!("\n## {name}: "))
            .expect("each document has a section");
        let section = section.split("\n## ").next().unwrap_or_default();
        let said = document
            .lines()
            .find_map(|line| {
                line.strip_prefix(&format!("| {name} | "))?
                    .strip_suffix(" |")
            })
            .and_then(|counts| counts.rsplit_once(" | "))
            .map(|(_, rows)| rows.to_owned());
        assert_eq!(
            said,
            Some(rows(section).len().to_string()),
            "rows of {name}"
        );
    }
}

#[test]
fn a_missing_test_is_noticed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(
        missing(root, "tests/rfd_coverage.rs::every_listed_test_exists"),
        None
    );
    assert!(missing(root, "tests/rfd_coverage.rs::no_such_test").is_some());
    assert!(missing(root, "tests/no_such_file.rs::test").is_some());
    assert!(missing(root, "no reference").is_some());
    assert_eq!(
        missing(root, "tests/rfd_coverage.rs::is_test"),
        Some("`is_test` in `tests/rfd_coverage.rs` is not a test that always runs".to_owned())
    );
    assert!(is_test(
        "#[tokio::test(flavor = \"current_thread\")]\n#[cfg(unix)]\nasync "
    ));
    assert!(!is_test("#[test]\n#[ignore]\n"));
    assert!(!is_test("#[test]\nfn other() {}\n\n"));
}
