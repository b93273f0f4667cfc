//! Holds `docs/rfd-coverage.md` to the source tree: every test that it names exists.
//!
//! ```markdown
//! | JP never auto-approves a write that required confirmation. | `server/jp_agent/src/delta/review_tests.rs::with_nobody_to_ask_nothing_is_approved` |
//! ```

use std::{fs, path::Path};

const COVERAGE: &str = "docs/rfd-coverage.md";

/// The sentence and the test references of each table row; the rows of a header are left out.
fn rows(document: &str) -> Vec<(&str, Vec<&str>)> {
    document
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .filter_map(|row| row.rsplit_once(" | "))
        .filter(|(sentence, _)| !matches!(*sentence, "Sentence" | "---"))
        .map(|(sentence, tests)| {
            let tests = tests.split('`').skip(1).step_by(2).collect();
            (sentence, tests)
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
    (!source.contains(&declaration)).then(|| format!("there is no test `{test}` in `{file}`"))
}

#[test]
fn every_listed_test_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate lies two levels below the root");
    let document = fs::read_to_string(root.join(COVERAGE)).expect("the list can be read");
    let rows = rows(&document);
    assert!(rows.len() > 20, "only {} rows were found", rows.len());
    let mut problems = Vec::new();
    for (sentence, tests) in &rows {
        if tests.is_empty() {
            problems.push(format!("no test is named for: {sentence}"));
        }
        problems.extend(tests.iter().filter_map(|test| missing(root, test)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
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
}
