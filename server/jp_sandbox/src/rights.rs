//! Sets of the five things that can be done with a file.

use std::fmt;

use jp_tool::FsCapability;
use serde::{Deserialize, Serialize};

/// A set of [`FsCapability`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rights(u8);

impl Rights {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Reading files and listing directories.
    pub const READ: Self = Self(1);
    /// Making files and directories.
    pub const CREATE: Self = Self(2);
    /// Changing what files hold.
    pub const UPDATE: Self = Self(4);
    /// Removing files and directories.
    pub const DELETE: Self = Self(8);
    /// Running files.
    pub const EXECUTE: Self = Self(16);
    /// Listing directories without reading files: what is left of reading on the way to a file that may not be read.
    pub(crate) const LIST: Self = Self(32);
    /// Everything that changes what is on disk.
    pub const WRITES: Self = Self(2 | 4 | 8);
    /// Everything.
    pub const ALL: Self = Self(31);

    /// The set of one capability.
    #[must_use]
    pub const fn of(capability: FsCapability) -> Self {
        match capability {
            FsCapability::Read => Self::READ,
            FsCapability::Create => Self::CREATE,
            FsCapability::Update => Self::UPDATE,
            FsCapability::Delete => Self::DELETE,
            FsCapability::Execute => Self::EXECUTE,
        }
    }

    /// What is in one set or the other.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in this set only.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of `other` is in this set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether anything of `other` is in this set.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The capabilities in the order of RFD 076.
    pub fn capabilities(self) -> impl Iterator<Item = FsCapability> {
        FsCapability::ALL
            .into_iter()
            .filter(move |capability| self.has(Self::of(*capability)))
    }
}

impl FromIterator<FsCapability> for Rights {
    fn from_iter<I: IntoIterator<Item = FsCapability>>(capabilities: I) -> Self {
        capabilities
            .into_iter()
            .fold(Self::NONE, |rights, capability| {
                rights.with(Self::of(capability))
            })
    }
}

impl fmt::Display for Rights {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return formatter.write_str("nothing");
        }
        let list = self.has(Self::LIST).then_some("list");
        let words: Vec<&str> = self
            .capabilities()
            .map(FsCapability::as_str)
            .chain(list)
            .collect();
        formatter.write_str(&words.join(", "))
    }
}

impl fmt::Debug for Rights {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}
