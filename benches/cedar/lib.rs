//! The benchmark lies in `benches/cedar.rs`; a package needs a target of its own.
