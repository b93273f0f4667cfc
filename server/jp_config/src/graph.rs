//! The load graph: which files are config, and in which order they merge.
