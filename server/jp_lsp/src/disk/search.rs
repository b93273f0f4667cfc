//! What a glob looks for below a folder, whatever the files are read from.
//!
//! ```toml
//! extends = ["tools/**/*.toml"]   # below `tools`, however deep
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{graph::Listing, paths::normalize};

/// A search for the paths that a glob matches.
pub(super) struct Search {
    /// Where to begin: the folder that the pattern names before its first wildcard.
    pub(super) start: Utf8PathBuf,
    /// How many levels below it anything can match.
    pub(super) depth: usize,
    whole: glob::Pattern,
}

impl Search {
    /// The search for a pattern below a folder; none for a pattern that is none.
    pub(super) fn new(base: &Utf8Path, pattern: &str) -> Option<Self> {
        let escaped = glob::Pattern::escape(base.as_str());
        let whole = glob::Pattern::new(&format!("{escaped}/{pattern}")).ok()?;
        let components: Vec<_> = Utf8Path::new(pattern).components().collect();
        let literal: Utf8PathBuf = components
            .iter()
            .take_while(|component| !component.as_str().contains(['*', '?', '[']))
            .collect();
        let depth = match pattern.contains("**") {
            true => usize::MAX,
            false => components
                .len()
                .saturating_sub(literal.components().count()),
        };
        Some(Self {
            start: base.join(&literal),
            depth,
            whole,
        })
    }

    /// Whether the pattern matches a path.
    pub(super) fn matches(&self, path: &Utf8Path) -> bool {
        let options = glob::MatchOptions {
            require_literal_separator: true,
            ..glob::MatchOptions::default()
        };
        path != self.start && self.whole.matches_with(path.as_str(), options)
    }

    /// What was found, as the load graph names paths.
    pub(super) fn found(mut listing: Listing) -> Listing {
        for path in &mut listing.paths {
            *path = normalize(path);
        }
        sorted(listing)
    }
}

/// A listing in the order of its paths, each once.
pub(super) fn sorted(mut listing: Listing) -> Listing {
    listing.paths.sort();
    listing.paths.dedup();
    listing
}
