//! Which grant a tool lacked that the kernel has held, as far as its own words tell.
//!
//! ```text
//! sh: 1: cannot create docs/a.md: Permission denied
//! `create` on `docs/a.md` is not granted; this rule would grant it: `{ path = "docs/a.md", read = true, create = true }`
//! ```
//!
//! The kernel tells the tool what kind of error it is, and the tool may name the path.
//! A tool that asks before it touches a file says both itself.
//! What is told is never wider than that: one capability on one path, beside what is granted there already.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use jp_conversation::visible;
use jp_tool::{Canonical, Context, FsAccessError, FsCapability, FsRule, protected_place};
use serde_json::{Map, Value, json};

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

/// The longest path that a grant is offered for, in bytes: a person sees the whole of it in a line.
const LONGEST_PATH: usize = 200;

/// One capability on one file that no rule of a tool grants, and that a person could grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What the tool wanted to do.
    pub capability: FsCapability,
    /// The file, relative to the workspace, every link resolved.
    pub path: Utf8PathBuf,
}

impl Refusal {
    /// What a tool was refused; none where a rule would open more than one file, a protected place, or a place that a rule
    /// closes, and where something else than a missing rule is the reason.
    fn of(capability: FsCapability, path: &Utf8Path, context: &Context) -> Option<Self> {
        let Err(FsAccessError::Denied { target, .. }) = context.check_fs(capability, path) else {
            return None;
        };
        let absolute = context.root.canonicalize_utf8().ok()?.join(&target);
        let is_file = match absolute.symlink_metadata() {
            Ok(entry) => !entry.is_dir() && capability != FsCapability::Create,
            Err(_) => capability == FsCapability::Create,
        };
        let canonical = Canonical {
            absolute,
            relative: target,
        };
        let place = protected_place(&context.root, path, &canonical, &context.protected);
        let is_offered = is_file
            && place.is_none()
            && !is_closed(&canonical.relative, context)
            && canonical.relative.as_str().len() <= LONGEST_PATH;
        is_offered.then_some(Self {
            capability,
            path: canonical.relative,
        })
    }

    /// The rule that grants it, beside what is granted there already, since a rule decides alone for its path.
    pub(crate) fn rule(&self, context: &Context) -> FsRule {
        rule(self.capability, &self.path, &self.path, context)
    }
}

/// Whether a rule is about the path that grants nothing, so that somebody has closed it on purpose.
fn is_closed(path: &Utf8Path, context: &Context) -> bool {
    let access = context.access.as_ref();
    let policy = access.and_then(|access| access.fs.compiled().ok());
    policy.is_some_and(|policy| {
        let mut decisions = FsCapability::ALL
            .map(|known| policy.decide(known, path))
            .into_iter();
        decisions.all(|decision| decision.rule.is_some() && !decision.allowed)
    })
}

/// What a failed tool tells about what it was refused.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// In words, for the model.
    pub(crate) words: Vec<String>,
    /// The same for programs, one for each of the words.
    pub(crate) missing: Vec<Value>,
    /// What a person could grant of it.
    pub(crate) refusals: Vec<Refusal>,
}

/// What a tool says that asks for leave before it touches a file: the sentence of `jp`'s own tools, or the error of `jp_tool`.
///
/// ```text
/// Access denied: cannot read 'src/a.rs'. Paths granting read: [docs]. If required, ask the user for explicit access.
/// access denied: read on src/a.rs
/// ```
pub(crate) fn denied(text: &str, context: &Context) -> Vec<Refusal> {
    let lines = text.lines().filter(|line| line.len() <= LONGEST);
    let mut all: Vec<Refusal> = Vec::new();
    for line in lines {
        let Some((_, said)) = line.split_once("ccess denied: ") else {
            continue;
        };
        let named = match said.strip_prefix("cannot ") {
            Some(said) => said
                .split_once(" '")
                .and_then(|(word, said)| Some((word, said.split_once("'. Paths granting ")?.0))),
            None => said.split_once(" on "),
        };
        let refusal = named.and_then(|(word, path)| {
            let capability = FsCapability::ALL
                .into_iter()
                .find(|capability| capability.as_str() == word)?;
            Refusal::of(capability, Utf8Path::new(path), context)
        });
        all.extend(refusal.filter(|refusal| !all.contains(refusal) && all.len() < MOST));
    }
    all
}

/// What the words of a failed tool tell about what the kernel has refused it; nothing where they name no path.
pub(crate) fn refused(name: &str, text: &str, context: &Context) -> Told {
    let lines = text.lines().filter(|line| line.len() <= LONGEST);
    let mut told = BTreeSet::new();
    let mut all = Told::default();
    for line in lines {
        let lower = line.to_lowercase();
        if !SIGNS.iter().any(|sign| lower.contains(sign)) {
            continue;
        }
        for path in paths(line, &context.root) {
            let tried = tried(&lower, &path, context);
            if let Some((capability, why)) = tried
                && told.insert((capability.as_str(), path.clone()))
                && all.words.len() < MOST
            {
                all.refusals.extend(Refusal::of(capability, &path, context));
                all.missing.push(missing(capability, &path, &why, context));
                all.words
                    .push(in_words(name, capability, &path, why, context));
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
    let rule = in_toml(&rule(capability, path, &target, context));
    let target = visible(target.as_str());
    format!(
        "`{capability}` on `{target}` is not granted; this rule in `conversation.tools.{name}.access.fs` would grant it: \
         `{rule}`"
    )
}

/// The grant that was missing.
///
/// ```json
/// {"access": "fs", "capability": "create", "path": "docs/a.md", "rule": {"path": "docs/a.md", "create": true}}
/// ```
///
/// The `rule` is `null` where none can grant it, since the path lies outside of the workspace.
fn missing(
    capability: FsCapability,
    path: &Utf8Path,
    why: &FsAccessError,
    context: &Context,
) -> Value {
    let (FsAccessError::Denied { target, .. } | FsAccessError::Protected { target, .. }) = why
    else {
        return json!({ "access": "fs", "capability": capability.as_str(), "path": path, "rule": null });
    };
    let granting = rule(capability, path, target, context);
    let granted = FsCapability::ALL.into_iter();
    let granted = granted.filter(|known| granting.grants(*known));
    let mut rule = Map::from_iter([("path".to_owned(), json!(target))]);
    rule.extend(granted.map(|known| (known.as_str().to_owned(), json!(true))));
    json!({ "access": "fs", "capability": capability.as_str(), "path": target, "rule": rule })
}

/// The rule about `target` that grants what is granted on `path` already, and `capability`.
fn rule(capability: FsCapability, path: &Utf8Path, target: &Utf8Path, context: &Context) -> FsRule {
    let grants = |known| known == capability || context.check_fs(known, path).is_ok();
    FsRule::new(target)
        .with_read(grants(FsCapability::Read).then_some(true))
        .with_create(grants(FsCapability::Create).then_some(true))
        .with_update(grants(FsCapability::Update).then_some(true))
        .with_delete(grants(FsCapability::Delete).then_some(true))
        .with_execute(grants(FsCapability::Execute).then_some(true))
}

/// A rule as the config writes it, safe to show.
pub(crate) fn in_toml(rule: &FsRule) -> String {
    let path = toml_edit::Value::from(rule.path().as_str());
    let granted = FsCapability::ALL.into_iter();
    let granted = granted.filter(|capability| rule.grants(*capability));
    let words: String = granted.map(|known| format!(", {known} = true")).collect();
    format!("{{ path = {}{words} }}", visible(path.to_string().trim()))
}

#[cfg(test)]
#[cfg(unix)]
#[path = "refused_tests.rs"]
mod tests;
