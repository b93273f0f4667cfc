//! Places that no wide grant opens: config and hooks decide what runs, so a rule has to name them.
//!
//! ```toml
//! [[access.fs]]
//! path = "."          # opens everything but the protected places
//! write = true
//!
//! [[access.fs]]
//! path = ".jp/mcp"    # lies below the protected place `.jp`, and opens this part of it
//! write = true
//! ```
//!
//! Protected are `.jp`, `.git`, `.vscode` and `.idea` with everything below them, `.envrc` and `.jp.toml` (also as
//! `.json`, `.yaml` and `.yml`) in any directory, whatever git takes for a repository's data, and the files that the
//! host lists in [`Context::protected`](crate::Context::protected).
//! Reading and running are not restricted.

use std::{collections::VecDeque, fs};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::{Canonical, path::resolve};

/// The names that are protected in any directory, with everything below them.
pub const PROTECTED_NAMES: [&str; 9] = [
    ".jp", ".jp.toml", ".jp.json", ".jp.yaml", ".jp.yml", ".git", ".vscode", ".idea", ".envrc",
];

/// The most directory entries that are looked at for links.
const MAXIMUM_ENTRIES: usize = 4_000;

/// Directories of `.git` and `.jp` that hold much, and nothing that decides what runs.
const DATA: [&str; 3] = ["objects", "logs", "conversations"];

/// Whether a file or a directory of this name is protected wherever it stands.
///
/// Spellings that some file system takes for the same name count as that name: other letter case, characters that are
/// ignored, dots and spaces at the end, a stream behind a colon.
#[must_use]
pub fn is_protected_name(name: &str) -> bool {
    // Nearly every name is told apart by its first character.
    let may_be = name
        .chars()
        .find(|character| !is_ignored(*character))
        .is_some_and(|character| character == '.');
    may_be && PROTECTED_NAMES.contains(&folded(name).as_str())
}

/// Whether HFS+ takes no notice of the character in a name.
const fn is_ignored(character: char) -> bool {
    matches!(
        character,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
    )
}

fn folded(name: &str) -> String {
    let name = name.split(':').next().unwrap_or_default();
    let folded: String = name
        .chars()
        .filter(|character| !is_ignored(*character))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    folded.trim_end_matches(['.', ' ']).to_owned()
}

/// Whether two paths name the same place, also where letter case does not count.
fn is_same(left: &Utf8Path, right: &Utf8Path) -> bool {
    left == right
        || (left.as_str().len() == right.as_str().len() && {
            let lower = |path: &Utf8Path| path.as_str().to_lowercase();
            lower(left) == lower(right)
        })
}

/// The outermost directory or file on a relative path whose name is protected.
#[must_use]
pub fn protected_prefix(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut prefix = Utf8PathBuf::new();
    for component in path.components() {
        prefix.push(component.as_str());
        if let Utf8Component::Normal(name) = component
            && is_protected_name(name)
        {
            return Some(prefix);
        }
    }
    None
}

/// Whether git takes a directory for the data of a repository, whose config and hooks name programs.
///
/// `holds` says whether the directory holds an entry of a name.
/// Its own name says nothing: a bare repository and the target of a `.git` file may have any.
#[must_use]
pub fn names_git_directory(holds: impl Fn(&str) -> bool) -> bool {
    holds("HEAD") && (holds("commondir") || (holds("objects") && holds("refs")))
}

/// The outermost protected place that a path lies in, relative to the workspace; none for an ordinary path.
///
/// `input` is the path as it was asked for, `canonical` where it leads, and `files` are those that the host lists.
/// What is listed protects all that is, or would be, below it.
#[must_use]
pub fn protected_place(
    root: &Utf8Path,
    input: &Utf8Path,
    canonical: &Canonical,
    files: &[Utf8PathBuf],
) -> Option<Utf8PathBuf> {
    let relative = canonical.relative.as_path();
    let absolute = canonical.absolute.as_path();
    // Without a link on its way the file is another one, or none.
    let holds_up = |file: &Utf8PathBuf| file.starts_with(absolute) && absolute.is_symlink();
    let listed = absolute
        .ancestors()
        .zip(relative.ancestors())
        // The workspace itself is no place within it.
        .take_while(|(_, relative)| !matches!(relative.as_str(), "" | "."))
        .find(|(absolute, _)| files.iter().any(|file| is_same(file, absolute)))
        .map(|(_, relative)| relative)
        .or_else(|| files.iter().any(holds_up).then_some(relative))
        .map(Utf8Path::to_owned);
    protected_prefix(relative)
        .into_iter()
        .chain(listed)
        .chain(git_directory(canonical))
        .chain(behind_links(root, input, relative))
        .min_by_key(|place| place.components().count())
}

/// The outermost directory on the way to a path that git takes for a repository's data, or will if the path exists.
fn git_directory(canonical: &Canonical) -> Option<Utf8PathBuf> {
    let mut found = None;
    let mut child = None;
    let ancestors = canonical.absolute.ancestors();
    for (absolute, relative) in ancestors.zip(canonical.relative.ancestors()) {
        // The workspace itself is no place within it.
        if matches!(relative.as_str(), "" | ".") {
            break;
        }
        let holds = |name: &str| {
            child.is_some_and(|child: &str| child.eq_ignore_ascii_case(name))
                || absolute.join(name).symlink_metadata().is_ok()
        };
        if names_git_directory(holds) {
            found = Some(relative.to_owned());
        }
        child = absolute.file_name();
    }
    found
}

/// The places that the path lies in because a link of a protected name leads there.
fn behind_links<'a>(
    root: &'a Utf8Path,
    input: &'a Utf8Path,
    relative: &'a Utf8Path,
) -> impl Iterator<Item = Utf8PathBuf> + 'a {
    let asked = match input.is_absolute() {
        true => input.strip_prefix(root).unwrap_or(Utf8Path::new("")),
        false => input,
    };
    let on_the_way = asked
        .ancestors()
        .filter(|path| path.file_name().is_some_and(is_protected_name))
        .map(Utf8Path::to_owned);
    on_the_way
        .filter_map(|link| led_to(root, &link))
        .chain(linked_places(root))
        .filter(move |place| relative.starts_with(place))
}

/// Where a link leads within the workspace, which itself is no place within it.
fn led_to(root: &Utf8Path, link: &Utf8Path) -> Option<Utf8PathBuf> {
    let place = resolve(root, link).ok()?.inside()?.relative;
    (place != ".").then_some(place)
}

/// What links lead to that have a protected name at the top of the workspace, or lie below `.jp` or `.git` there.
///
/// The paths are relative to the workspace, and need not exist.
/// A large `.git` or `.jp` is looked through from the top, up to a bound.
#[must_use]
pub fn linked_places(root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut places = Vec::new();
    let mut pending: VecDeque<Utf8PathBuf> = VecDeque::new();
    let mut take = |path: Utf8PathBuf, kind: fs::FileType, pending: &mut VecDeque<_>| {
        if kind.is_dir() {
            pending.push_back(path);
        } else if kind.is_symlink()
            && let Some(place) = led_to(root, &path)
            && !places.contains(&place)
        {
            // A place is looked into once, so that links in a circle come to an end.
            pending.push_back(place.clone());
            places.push(place);
        }
    };
    for name in PROTECTED_NAMES {
        if let Ok(entry) = fs::symlink_metadata(root.join(name)) {
            let is_searched = matches!(name, ".jp" | ".git");
            if is_searched || entry.is_symlink() {
                take(name.into(), entry.file_type(), &mut pending);
            }
        }
    }
    let mut left = MAXIMUM_ENTRIES;
    while let Some(directory) = pending.pop_front() {
        // What is a file, or is not there, holds nothing.
        let entries = root.join(&directory).read_dir_utf8().into_iter().flatten();
        for entry in entries.filter_map(Result::ok) {
            if left == 0 {
                return places;
            }
            left -= 1;
            if let Ok(kind) = entry.file_type()
                && !DATA.contains(&entry.file_name())
            {
                take(directory.join(entry.file_name()), kind, &mut pending);
            }
        }
    }
    places
}

#[cfg(test)]
#[cfg(unix)]
#[path = "protected_tests.rs"]
mod tests;
