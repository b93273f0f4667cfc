//! Unified diffs, as models and people read them.
//!
//! ```diff
//! --- src/lib.rs
//! +++ src/lib.rs
//! @@ -1 +1 @@
//! -old
//! +new
//! ```

use std::time::Duration;

use similar::{Algorithm, ChangeTag, TextDiff};

use crate::text;

/// After this long a diff may be larger than it has to be; it stays right.
const DIFF_TIMEOUT: Duration = Duration::from_secs(2);

/// The difference between two texts of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The unified diff with three lines of context, ending in a line feed unless it is empty.
    pub(crate) unified: String,
    /// How many lines were taken away.
    pub(crate) removed: usize,
    /// How many lines were put in.
    pub(crate) inserted: usize,
}

/// Compares two texts line by line.
pub(crate) fn difference(path: &str, before: &str, after: &str) -> Difference {
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Patience)
        .timeout(DIFF_TIMEOUT)
        .diff_lines(before, after);
    let count = |tag| {
        diff.iter_all_changes()
            .filter(|change| change.tag() == tag)
            .count()
    };
    let path = text::visible_line(path);
    Difference {
        removed: count(ChangeTag::Delete),
        inserted: count(ChangeTag::Insert),
        unified: diff
            .unified_diff()
            .context_radius(3)
            .header(&path, &path)
            .to_string(),
    }
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
