//! Paths in order, so that all below one of them are found without looking at the others.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};

/// Places by their paths, sorted by components: what lies below a path stands in a row.
#[derive(Debug, Default)]
pub(in crate::rules::grants) struct PathIndex(Vec<(Utf8PathBuf, usize)>);

impl PathIndex {
    pub(in crate::rules::grants) fn new(
        entries: impl Iterator<Item = (Utf8PathBuf, usize)>,
    ) -> Self {
        let mut entries: Vec<_> = entries.collect();
        entries.sort();
        Self(entries)
    }

    pub(in crate::rules::grants) fn get(&self, at: usize) -> Option<(&Utf8Path, usize)> {
        let (path, place) = self.0.get(at)?;
        Some((path, *place))
    }

    /// Where a path and all below it stand.
    pub(in crate::rules::grants) fn below(&self, path: &Utf8Path) -> Range<usize> {
        let start = self.0.partition_point(|(entry, _)| entry < path);
        let rest = self.0.get(start..).unwrap_or_default();
        start..start + rest.partition_point(|(entry, _)| entry.starts_with(path))
    }

    /// The places of exactly one path.
    pub(in crate::rules::grants) fn at(&self, path: &Utf8Path) -> impl Iterator<Item = usize> {
        let start = self.0.partition_point(|(entry, _)| entry < path);
        let rest = self.0.get(start..).unwrap_or_default().iter();
        rest.take_while(move |(entry, _)| entry == path)
            .map(|(_, place)| *place)
    }

    /// The ranges below a path without what lies below some deeper paths, which are sorted and all below it.
    pub(in crate::rules::grants) fn between(
        &self,
        path: &Utf8Path,
        deeper: &[&Utf8Path],
    ) -> Vec<Range<usize>> {
        let whole = self.below(path);
        let mut ranges = Vec::new();
        let mut from = whole.start;
        let mut deeper = deeper;
        while let Some((next, rest)) = deeper.split_first() {
            let out = self.below(next);
            ranges.push(from..out.start.max(from));
            from = out.end.max(from);
            let within = rest.partition_point(|path| path.starts_with(next));
            deeper = rest.get(within..).unwrap_or_default();
        }
        ranges.push(from..whole.end.max(from));
        ranges.retain(|range| !range.is_empty());
        ranges
    }
}

#[cfg(test)]
#[path = "path_index_tests.rs"]
mod tests;
