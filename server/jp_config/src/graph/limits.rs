//! How much config one load reads, so that no workspace can exhaust the machine.

/// The deepest chain of `extends` that is followed.
pub const MAXIMUM_DEPTH: usize = 255;

/// The most files that one glob or one load path may bring in, and that one load reads.
pub const MAXIMUM_FILES: usize = 20_000;

/// The largest config file that is read, in bytes.
pub const MAXIMUM_SIZE: usize = 4 << 20;

/// The most bytes of config files that one load reads.
pub const MAXIMUM_LOAD_SIZE: usize = 16 << 20;

/// The most directory entries that all globs and load paths of one load look at.
pub const MAXIMUM_ENTRIES: usize = 100_000;
