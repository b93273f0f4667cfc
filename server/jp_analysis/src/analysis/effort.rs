//! How much of an analysis is new.

/// What an update had to make again; all else is shared with the analysis before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// The files that were read anew.
    pub files: usize,
    /// The tools that were judged, once for each view that judges them.
    pub tools: usize,
    /// The views that were judged outside their tools.
    pub views: usize,
    /// The files whose findings were put together.
    pub lists: usize,
}
