//! The one schema tree of the whole config.
