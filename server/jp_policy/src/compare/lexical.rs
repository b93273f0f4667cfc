//! Where a path leads, as far as its text says.
//!
//! ```text
//! src/../../x      out of the workspace
//! ```

use crate::{path_evaluation::CanonicalPath, path_form::normalize_path};

/// Where a path leads when no link is on its way: the look at a path that needs no disk.
///
/// `root` is the absolute path of the workspace; without it, absolute paths lead out of it.
#[must_use]
pub fn lexical_path(path: &str, root: Option<&str>) -> CanonicalPath {
    let normal = normalize_path(path);
    if normal == ".." || normal.starts_with("../") {
        return CanonicalPath::Outside;
    }
    if !normal.starts_with('/') {
        return CanonicalPath::Inside(normal);
    }
    let below = root.and_then(|root| normal.strip_prefix(root.trim_end_matches('/')));
    match below {
        Some("") => CanonicalPath::Inside(".".to_owned()),
        Some(below) => match below.strip_prefix('/') {
            Some(below) => CanonicalPath::Inside(below.to_owned()),
            None => CanonicalPath::Outside,
        },
        None => CanonicalPath::Outside,
    }
}
