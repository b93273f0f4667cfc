//! Every code is found by a name: a file bears it, or says in its head which codes it makes.
//!
//! ```text
//! rules/policy/rule_shadowed.rs     makes `rule-shadowed`
//!     //! codes: rule-shadowed, rule-redundant
//! ```

#![expect(
    clippy::unwrap_used,
    reason = "a source that cannot be read fails the test"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::Code;
use pretty_assertions::assert_eq;

/// The files below `src/rules` that are no tests, by their paths there.
fn sources() -> BTreeMap<Utf8PathBuf, String> {
    let root = Utf8Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/rules"));
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            let relative = path.strip_prefix(root).unwrap();
            let is_test = relative.with_extension("").as_str().ends_with("_tests");
            if is_test {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(relative.to_owned(), fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// The codes that a file makes by its own word: its name, that of a folder it lies in, or the line in its head.
fn said(path: &Utf8Path, text: &str) -> BTreeSet<String> {
    let names = path.with_extension("");
    let names = names
        .components()
        .map(|name| name.as_str().replace('_', "-"));
    let head = text.lines().take_while(|line| line.starts_with("//!"));
    let listed = head
        .filter_map(|line| line.strip_prefix("//! codes: "))
        .flat_map(|codes| codes.split(", ").map(str::to_owned));
    names.chain(listed).collect()
}

/// `rule-shadowed` as the sources write it: `RuleShadowed`.
fn variant(code: Code) -> String {
    format!("{code:?}")
}

#[test]
fn every_code_has_a_file_that_says_so() {
    let sources = sources();
    let said: BTreeSet<String> = sources
        .iter()
        .flat_map(|(path, text)| said(path, text))
        .collect();
    let lost: Vec<Code> = Code::ALL
        .iter()
        .copied()
        .filter(|code| !said.contains(code.as_str()))
        .collect();
    assert_eq!(lost, []);
}

#[test]
fn a_file_says_which_codes_it_makes() {
    for (path, text) in sources() {
        let said = said(&path, &text);
        let silent: Vec<&str> = Code::ALL
            .iter()
            .filter(|code| {
                let name = format!("Code::{}", variant(**code));
                let mut uses = text.match_indices(&name);
                // `Code::MatcherType` begins `Code::MatcherTypeOther`.
                uses.any(|(at, _)| {
                    let rest = text.get(at + name.len()..).unwrap_or_default();
                    !rest.starts_with(|next: char| next.is_alphanumeric())
                })
            })
            .map(|code| code.as_str())
            .filter(|code| !said.contains(*code))
            .collect();
        assert_eq!(silent, Vec::<&str>::new(), "{path}");
    }
}

#[test]
fn a_head_lists_codes_that_exist() {
    for (path, text) in sources() {
        let head = text.lines().take_while(|line| line.starts_with("//!"));
        let listed = head
            .filter_map(|line| line.strip_prefix("//! codes: "))
            .flat_map(|codes| codes.split(", "));
        let unknown: Vec<&str> = listed
            .filter(|name| Code::ALL.iter().all(|code| code.as_str() != *name))
            .collect();
        assert_eq!(unknown, Vec::<&str>::new(), "{path}");
    }
}
