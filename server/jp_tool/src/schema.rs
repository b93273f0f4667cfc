//! The wire format and the meaning of grants, for authors in other languages.
//!
//! ```json
//! {"input": "https://api.github.com/%61dmin", "target": "https://api.github.com/admin", "allowed": false, "rule": 1}
//! ```

/// The JSON Schema (draft 2020-12) of [`Context`](crate::Context), with the call in `$defs/tool`.
pub const TOOL_CONTEXT_SCHEMA: &str = include_str!("../../../schemas/tool-context.schema.json");

/// The JSON Schema (draft 2020-12) of [`Outcome`](crate::Outcome).
pub const TOOL_OUTCOME_SCHEMA: &str = include_str!("../../../schemas/tool-outcome.schema.json");

/// Test vectors for grants on files.
pub const ACCESS_FS_VECTORS: &str = include_str!("../../../schemas/vectors/access-fs.json");

/// Test vectors for grants to connect.
pub const ACCESS_NET_VECTORS: &str = include_str!("../../../schemas/vectors/access-net.json");

/// Test vectors for grants on environment variables.
pub const ACCESS_ENV_VECTORS: &str = include_str!("../../../schemas/vectors/access-env.json");

/// Test vectors for grants on the config.
pub const ACCESS_CONFIG_VECTORS: &str = include_str!("../../../schemas/vectors/access-config.json");

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
