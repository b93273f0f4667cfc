//! Which grant a tool lacked that the kernel has held, as far as its own words tell.
//!
//! ```text
//! sh: 1: cannot create docs/a.md: Permission denied
//! `create` on `docs/a.md` is not granted; this rule would grant it: `{ path = "docs/a.md", read = true, create = true }`
//! ```
//!
//! The kernel tells the tool what kind of error it is, and the tool may name the path.
//! What is told is never wider than that: one capability on one path, beside what is granted there already.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::visible;
use jp_tool::{Context, FsAccessError, FsCapability};

/// How programs say that the kernel has refused something.
const SIGNS: [&str; 8] = [
    "permission denied",
    "eacces",
    "read-only file system",
    "erofs",
    "operation not permitted",
    "eperm",
    "invalid cross-device link",
    "exdev",
];

/// The words by which a line says what was tried.
const WORDS: [(FsCapability, &[&str]); 3] = [
    (
        FsCapability::Create,
        &["create", "touch", "mkdir", "make", "exdev", "cross-device"],
    ),
    (
        FsCapability::Delete,
        &["remove", "unlink", "rmdir", "delete", "rename", "move"],
    ),
    (FsCapability::Execute, &["exec", "spawn"]),
];

/// The most refusals that are told.
const MOST: usize = 5;

/// How long a line may be that is looked at.
const LONGEST: usize = 4096;

/// What the words of a failed tool tell about what it was refused; nothing where they name no path.
pub(crate) fn refused(name: &str, text: &str, context: &Context) -> Vec<String> {
    let lines = text.lines().filter(|line| line.len() <= LONGEST);
    let mut told = BTreeSet::new();
    let mut all = Vec::new();
    for line in lines {
        let lower = line.to_lowercase();
        if !SIGNS.iter().any(|sign| lower.contains(sign)) {
            continue;
        }
        for path in paths(line, &context.root) {
            let tried = tried(&lower, &path, context);
            if let Some((capability, why)) = tried
                && told.insert((capability.as_str(), path.clone()))
                && all.len() < MOST
            {
                all.push(in_words(name, capability, &path, why, context));
            }
        }
    }
    all
}

/// The paths that a line names.
fn paths(line: &str, root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let quoted = line.split(['\'', '"', '`', '\u{2018}', '\u{2019}']);
    let bare = line.split(|character: char| character.is_whitespace() || character == ':');
    let mut paths: Vec<Utf8PathBuf> = Vec::new();
    for word in quoted.chain(bare) {
        let word = word.trim_matches(['\'', '"', '`', ',', ';', ':', '(', ')', '[', ']']);
        let path = Utf8Path::new(word);
        let is_path = word.contains('/') || (!word.is_empty() && root.join(path).exists());
        let has_place = root
            .join(path)
            .parent()
            .is_some_and(|parent| parent.symlink_metadata().is_ok());
        if is_path && has_place && !word.contains(' ') && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// What was tried on a path and is not granted, or the first thing of it that could have been.
fn tried(line: &str, path: &Utf8Path, context: &Context) -> Option<(FsCapability, FsAccessError)> {
    let said = WORDS
        .iter()
        .filter(|(_, words)| words.iter().any(|word| line.contains(word)))
        .map(|(capability, _)| *capability);
    let entry = context.root.join(path).metadata().ok();
    let exists = entry.is_some();
    let guessed = match entry {
        None => [FsCapability::Create].as_slice(),
        // Whoever lists a directory says no word for it.
        Some(entry) if entry.is_dir() => &[FsCapability::Read],
        Some(_) => &[FsCapability::Read, FsCapability::Update],
    };
    said.filter(|capability| exists == (*capability != FsCapability::Create))
        .chain(guessed.iter().copied())
        .find_map(|capability| {
            let error = context.check_fs(capability, path).err()?;
            Some((capability, error))
        })
}

fn in_words(
    name: &str,
    capability: FsCapability,
    path: &Utf8Path,
    why: FsAccessError,
    context: &Context,
) -> String {
    let (FsAccessError::Denied { target, .. } | FsAccessError::Protected { target, .. }) = why
    else {
        let path = visible(path.as_str());
        return format!(
            "`{capability}` on `{path}` is not granted: it lies outside of the workspace"
        );
    };
    // The rule decides alone there, so that it has to repeat what is granted already.
    let granted = FsCapability::ALL
        .into_iter()
        .filter(|known| *known == capability || context.check_fs(*known, path).is_ok());
    let words: String = granted.map(|known| format!(", {known} = true")).collect();
    let target = visible(target.as_str());
    format!(
        "`{capability}` on `{target}` is not granted; this rule in `conversation.tools.{name}.access.fs` would grant it: \
         `{{ path = \"{target}\"{words} }}`"
    )
}

#[cfg(test)]
#[cfg(unix)]
#[path = "refused_tests.rs"]
mod tests;
