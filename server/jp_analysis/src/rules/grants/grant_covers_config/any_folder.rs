//! Config that `jp` reads only when it is started in the folder that holds it, or below.
//!
//! ```text
//! src/.jp.toml           # is config for whoever starts `jp` in `src`
//! src/.jp/config.toml    # makes `src` a workspace of its own
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::protected_prefix;

use super::places::EXTENSIONS;

/// Files without an extension that no folder has the name of.
const FILES: [&str; 12] = [
    "AUTHORS",
    "CHANGELOG",
    "CODEOWNERS",
    "Dockerfile",
    "Gemfile",
    "LICENSE",
    "Makefile",
    "NOTICE",
    "Procfile",
    "README",
    "Rakefile",
    "justfile",
];

/// The files that a rule for a path reaches and that are config for whoever starts `jp` beside them.
///
/// The workspace itself is left out, and so is what lies in `.jp`, `.git` and the like: nobody starts `jp` there.
pub(super) fn files(rule: &Utf8Path) -> Vec<Utf8PathBuf> {
    if let Some(protected) = protected_prefix(rule) {
        let is_nested = protected.components().count() > 1;
        let name = protected.file_name().unwrap_or_default();
        let rest = rule.strip_prefix(&protected).unwrap_or(rule).as_str();
        return match (is_nested, name) {
            (true, ".jp") if rest.is_empty() => named(&rule.join("config")),
            (true, ".jp") if is_config(rest) => vec![rule.to_owned()],
            (true, _) if name.starts_with(".jp.") && rest.is_empty() => vec![rule.to_owned()],
            _ => Vec::new(),
        };
    }
    if names_a_file(rule) {
        return Vec::new();
    }
    // More names than a list has rules for, so that one of them is no rule's path.
    let mut files = match rule.as_str() {
        "" => Vec::new(),
        _ => named(&rule.join(".jp")),
    };
    files.extend(["new", "new1", "new2"].map(|folder| rule.join(folder).join(".jp.toml")));
    files
}

fn named(stem: &Utf8Path) -> Vec<Utf8PathBuf> {
    let with = |extension| Utf8PathBuf::from(format!("{stem}.{extension}"));
    EXTENSIONS.map(with).to_vec()
}

fn is_config(name: &str) -> bool {
    let extension = name.strip_prefix("config.");
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// Whether a path looks like a file's: what stands on disk is not looked at.
fn names_a_file(path: &Utf8Path) -> bool {
    let has_extension = path
        .extension()
        .is_some_and(|extension| extension.starts_with(|first: char| first.is_ascii_alphabetic()));
    has_extension || path.file_name().is_some_and(|name| FILES.contains(&name))
}
