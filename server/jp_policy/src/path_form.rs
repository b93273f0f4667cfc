//! The normal form in which `path` values are compared (RFD D25, "The `path` parameter type").
//!
//! ```toml
//! { arg = "/path", prefix = "./src/", mode = "unattended" } # covers "src", "src//lib.rs" and "src/../src/lib.rs", not "src-old"
//! ```

/// The normal form of `path`: `.` and empty components dropped, `..` resolved, no trailing separator.
///
/// A `..` that climbs above the start of a relative path stays; at the root it is dropped.
/// The empty path is `.`.
/// Links are not followed.
#[must_use]
pub fn normalize_path(path: &str) -> String {
    path_text(&path_key(path)).to_owned()
}

/// The normal form with a `/` after every component, so that a prefix of components is a prefix of bytes.
///
/// The key of `.` is empty, the key of the root is `/`, the key of `a/b` is `a/b/`.
pub(crate) fn path_key(path: &str) -> String {
    let mut key = String::with_capacity(path.len().saturating_add(1));
    let root = usize::from(path.starts_with('/'));
    if root == 1 {
        key.push('/');
    }
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                let parent = key
                    .get(root..)
                    .and_then(|components| components.strip_suffix('/'))
                    .map(|components| {
                        let start = components.rfind('/').map_or(0, |at| at.saturating_add(1));
                        (start, components.get(start..) == Some(".."))
                    });
                match parent {
                    Some((start, false)) => key.truncate(root.saturating_add(start)),
                    None if root == 1 => {}
                    Some((_, true)) | None => key.push_str("../"),
                }
            }
            component => {
                key.push_str(component);
                key.push('/');
            }
        }
    }
    key
}

/// The path that a key stands for.
pub(crate) fn path_text(key: &str) -> &str {
    match key {
        "" => ".",
        "/" => "/",
        key => key.strip_suffix('/').unwrap_or(key),
    }
}

#[cfg(test)]
#[path = "path_form_tests.rs"]
mod tests;
