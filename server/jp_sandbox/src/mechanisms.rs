//! What a machine can hold a process with.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The mechanisms that a machine has.
///
/// ```json
/// {"landlock": 7, "namespaces": true}
/// {"landlock": 0, "namespaces": false, "seatbelt": true}
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Mechanisms {
    /// The version of Landlock's interface; 0 where there is none.
    pub landlock: u8,
    /// Whether a process may give itself mounts and a network of its own.
    pub namespaces: bool,
    /// Whether `sandbox-exec` of macOS holds a process; said only where it does.
    #[serde(skip_serializing_if = "is_absent")]
    pub seatbelt: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_absent(mechanism: &bool) -> bool {
    !*mechanism
}

/// The first version that can keep a file from being cut short.
const FILES: u8 = 3;

/// The first version that knows TCP ports.
const PORTS: u8 = 4;

/// The first version that keeps signals and abstract sockets in.
const SCOPES: u8 = 6;

/// The first version that keeps connections to socket files in.
const SOCKET_FILES: u8 = 9;

impl Mechanisms {
    /// All that a kernel of Linux can have.
    pub const ALL: Self = Self {
        landlock: u8::MAX,
        namespaces: true,
        seatbelt: false,
    };

    /// All that a Mac can have.
    pub const MACOS: Self = Self {
        seatbelt: true,
        ..Self::NONE
    };

    /// All that a machine with this system can have.
    #[must_use]
    pub const fn of_this_system() -> Self {
        if cfg!(target_os = "macos") {
            Self::MACOS
        } else {
            Self::ALL
        }
    }

    /// None at all.
    pub const NONE: Self = Self {
        landlock: 0,
        namespaces: false,
        seatbelt: false,
    };

    /// Whether files can be held.
    #[must_use]
    pub const fn hold_files(self) -> bool {
        self.seatbelt || self.landlock >= FILES
    }

    /// Whether TCP ports can be held.
    #[must_use]
    pub const fn hold_ports(self) -> bool {
        self.seatbelt || self.landlock >= PORTS
    }

    /// Whether signals and abstract sockets can be kept in.
    #[must_use]
    pub const fn hold_scopes(self) -> bool {
        self.seatbelt || self.landlock >= SCOPES
    }

    /// Whether socket files can be kept closed without mounts.
    #[must_use]
    pub const fn hold_socket_files(self) -> bool {
        self.seatbelt || self.landlock >= SOCKET_FILES
    }

    /// Whether what lies below an open folder can be closed by a mount.
    ///
    /// Without Landlock a tool could undo its mounts.
    #[must_use]
    pub const fn hold_mounts(self) -> bool {
        self.namespaces && self.landlock >= FILES
    }

    /// Whether the kernel looks at paths, so that the longest of several rules decides.
    #[must_use]
    pub const fn hold_paths(self) -> bool {
        self.seatbelt
    }

    /// Whether all of the network can be closed.
    #[must_use]
    pub const fn hold_networks(self) -> bool {
        self.seatbelt || self.hold_mounts()
    }

    /// What is in both: for leaving mechanisms out.
    #[must_use]
    pub fn at_most(self, other: Self) -> Self {
        Self {
            landlock: self.landlock.min(other.landlock),
            namespaces: self.namespaces && other.namespaces,
            seatbelt: self.seatbelt && other.seatbelt,
        }
    }
}

impl fmt::Display for Mechanisms {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.seatbelt {
            return formatter.write_str("sandbox-exec");
        }
        match self.landlock {
            0 => formatter.write_str("no Landlock")?,
            version => write!(formatter, "Landlock {version}")?,
        }
        formatter.write_str(if self.namespaces {
            ", namespaces"
        } else {
            ", no namespaces"
        })
    }
}
