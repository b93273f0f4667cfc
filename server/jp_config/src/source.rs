//! The grammar of a tool's `source`.
