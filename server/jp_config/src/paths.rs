//! Paths as text: what can be said of them without looking at the disk.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// Resolves `.` and `..`, and writes a Windows drive letter in upper case.
///
/// What leads above the root of an absolute path stays at the root, as it does on disk; what leads above the start of a relative path keeps its `..`.
#[must_use]
pub fn normalize(path: &Utf8Path) -> Utf8PathBuf {
    let mut normal = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => match normal.components().next_back() {
                Some(Utf8Component::Normal(_)) => {
                    normal.pop();
                }
                Some(Utf8Component::RootDir) => {}
                _ => normal.push(".."),
            },
            Utf8Component::Prefix(prefix) => normal.push(prefix.as_str().to_ascii_uppercase()),
            other => normal.push(other.as_str()),
        }
    }
    normal
}

/// The normal form of a path as one below its start, or nothing if it leads out of it.
///
/// The root of an absolute path counts as the start.
#[must_use]
pub fn normalize_below(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let relative: Utf8PathBuf = path
        .components()
        .filter(|component| {
            matches!(
                component,
                Utf8Component::Normal(_) | Utf8Component::ParentDir
            )
        })
        .collect();
    let normal = normalize(&relative);
    (!normal.starts_with("..")).then_some(normal)
}

/// Whether a path lies in the conversations that `jp` stores, which are data and not config.
#[must_use]
pub fn is_stored_conversation(path: &Utf8Path) -> bool {
    let mut components = path.components().map(|component| component.as_str());
    let mut previous = "";
    components.any(|component| {
        let found = previous == ".jp" && component == "conversations";
        previous = component;
        found
    })
}

/// Whether a path is a file about the config that is no config itself: how it is judged, `.jp/lsp.toml`, or what it is expected to
/// decide, `.jp/policy.tests.toml`.
#[must_use]
pub fn is_about_config(path: &Utf8Path) -> bool {
    path.ends_with(".jp/lsp.toml") || path.ends_with(".jp/policy.tests.toml")
}

#[cfg(test)]
#[path = "paths_tests.rs"]
mod tests;
