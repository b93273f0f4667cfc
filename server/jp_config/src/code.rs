//! What kind of mistake a violation is, and how bad.
//!
//! ```json
//! { "code": "unknown-key", "severity": "error" }
//! ```

use std::fmt;

/// What kind of mistake a violation is.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub enum Code {
    /// A table has a key that means nothing there.
    UnknownKey,
    /// A value has a type that is not legal there.
    TypeMismatch,
    /// A value has a legal type but is not legal.
    InvalidValue,
    /// A key is missing.
    MissingRequired,
    /// A tool's `source` follows no known form.
    SourceInvalid,
    /// A model id follows no known form.
    ModelIdInvalid,
    /// A parameter has a type that does not exist.
    ParameterTypeUnknown,
    /// The released `jp` rejects the key.
    ReleasedJpRejects,
}

impl Code {
    /// The name in diagnostics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownKey => "unknown-key",
            Self::TypeMismatch => "type-mismatch",
            Self::InvalidValue => "invalid-value",
            Self::MissingRequired => "missing-required",
            Self::SourceInvalid => "source-invalid",
            Self::ModelIdInvalid => "model-id-invalid",
            Self::ParameterTypeUnknown => "parameter-type-unknown",
            Self::ReleasedJpRejects => "released-jp-rejects",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// How bad a mistake is.
#[derive(Debug, Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub enum Severity {
    /// `jp` refuses the file, or the config means something else than it says.
    Error,
    /// `jp` accepts the file and ignores a part of it.
    Warning,
}
