//! Located TOML documents.
