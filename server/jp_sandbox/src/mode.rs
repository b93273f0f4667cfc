//! How much a person insists on being held.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Whether tools are held to their grants by the kernel.
///
/// Never from a workspace's config: that would let a workspace open its own door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// Whatever can be held is; the default.
    #[default]
    On,
    /// A tool of which something is not held does not start.
    Require,
    /// Nothing is held.
    Off,
}

impl SandboxMode {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Require => "require",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for SandboxMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A word that is no [`SandboxMode`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not fit, write `on`, `require` or `off`")]
pub struct UnknownSandboxMode(pub String);

impl FromStr for SandboxMode {
    type Err = UnknownSandboxMode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::On, Self::Require, Self::Off]
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| UnknownSandboxMode(text.to_owned()))
    }
}
