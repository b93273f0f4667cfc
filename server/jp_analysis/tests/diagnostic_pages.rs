//! Every diagnostic has a page, whose examples are what it says they are.
//!
//! ```text
//! docs/diagnostics/rule-shadowed.md
//!     ## Wrong    at least one finding with the page's code
//!     ## Right    no error, no warning, and no finding with the page's code
//! ```
//!
//! A line `# .jp/name.toml` in an example starts a file; without one, the example is `.jp/config.toml`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a page that cannot be read fails the test"
)]

use std::{collections::BTreeSet, fmt::Write as _, fs, sync::Arc};

use camino::Utf8PathBuf;
use expect_test::expect_file;
use jp_analysis::{Analysis, Code, Diagnostic, Dialect, Options, Severity};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};
use pretty_assertions::assert_eq;

fn folder() -> Utf8PathBuf {
    Utf8PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/diagnostics"
    ))
}

/// The page of the one diagnostic that is no finding: a prompt that waits.
const PENDING_PROMPT: &str = "pending-prompt.md";

fn page(code: Code) -> String {
    let path = folder().join(format!("{code}.md"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let pages: BTreeSet<String> = folder()
        .read_dir_utf8()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_owned())
        .filter(|name| name != "README.md" && name != PENDING_PROMPT)
        .collect();
    let codes: BTreeSet<String> = Code::ALL.iter().map(|code| format!("{code}.md")).collect();
    assert_eq!(pages, codes);
}

#[test]
fn pages_begin_with_what_the_code_means() {
    for code in Code::ALL {
        let start = format!(
            "# `{code}`\n\n**{}**: {}.\n\n",
            code.severity().as_str(),
            code.summary()
        );
        let page = page(*code);
        let here: String = page.chars().take(start.chars().count()).collect();
        assert_eq!(here, start);
    }
}

#[test]
fn wrong_examples_are_wrong_and_right_ones_are_right() {
    for code in Code::ALL {
        let page = page(*code);
        let wrong = findings(*code, example(&page, "Wrong"));
        assert!(
            wrong.iter().any(|finding| finding.code == *code),
            "{code}: {wrong:#?}"
        );
        let others: Vec<&Diagnostic> = wrong
            .iter()
            .filter(|finding| finding.code != *code && finding.severity == Severity::Error)
            .collect();
        assert!(others.is_empty(), "{code}: {others:#?}");
        let right: Vec<Diagnostic> = findings(*code, example(&page, "Right"))
            .into_iter()
            .filter(|finding| finding.code == *code || finding.severity <= Severity::Warning)
            .collect();
        assert!(right.is_empty(), "{code}: {right:#?}");
    }
}

#[test]
fn the_table_of_contents_lists_every_code() {
    let mut table = String::from(
        "# Diagnostics\n\nThe source of every finding is `jp`; its code is one of these.\nThe severity is the usual one; the pages say where it differs.\nAn editor offers changes that answer a finding where there is one right answer, or a few.\n\n| code | severity | meaning | changes on offer |\n|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let _ = writeln!(
            table,
            "| [`{code}`]({code}.md) | {} | {} | {} |",
            code.severity().as_str(),
            code.summary(),
            code.without_fix()
                .map_or_else(|| "yes".to_owned(), |why| format!("none: {why}"))
        );
    }
    table.push_str(
        "\nA comment allows a finding that is to stay: [`allow-unused`](allow-unused.md) says how.\n\nWhile a turn of the assistant waits for a person, [`pending-prompt`](pending-prompt.md) stands on the line that led to the prompt.\n",
    );
    assert!(folder().join(PENDING_PROMPT).is_file());
    expect_file!["../../../docs/diagnostics/README.md"].assert_eq(&table);
}

/// The TOML under a heading.
fn example<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, section) = page
        .split_once(&format!("\n## {heading}\n"))
        .expect("the page has the heading");
    let (_, block) = section
        .split_once("```toml\n")
        .expect("the section has an example");
    block.split("```").next().unwrap()
}

fn findings(code: Code, example: &str) -> Vec<Diagnostic> {
    let mut files = MemoryFiles::default();
    let mut path = "/w/.jp/config.toml".to_owned();
    let mut text = String::new();
    for line in example.split_inclusive('\n') {
        let name = line
            .strip_prefix("# ")
            .map(str::trim)
            .filter(|name| name.starts_with(".jp/"));
        if let Some(name) = name {
            if !text.trim().is_empty() {
                files.insert(path, &text);
            }
            text.clear();
            path = format!("/w/{name}");
        } else {
            text.push_str(line);
        }
    }
    files.insert(path, &text);
    let dialect = if code == Code::ReleasedJpRejects {
        Dialect::Released
    } else {
        Dialect::Rfd
    };
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    Analysis::new(Arc::new(graph), Options { dialect })
        .all_diagnostics()
        .flat_map(|(_, found)| found.iter().cloned())
        .collect()
}
