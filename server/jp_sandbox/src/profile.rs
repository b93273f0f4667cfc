//! What a process is let to do, as the kernel is told it.
//!
//! ```json
//! {"root": "/w", "directory": "/w", "restrictsFiles": true,
//!  "rules": [{"path": "/w/src", "rights": 1, "isDirectory": true}],
//!  "covers": [{"path": "/w/src/secret", "kind": "hidden"}], "network": "nothing", "isScoped": true, "namespaces": true}
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::FsCapability;
use serde::{Deserialize, Serialize};

use crate::{Network, Rights};

/// Something that the kernel lets through at a path, and at everything below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileRule {
    /// An absolute path without links.
    pub path: Utf8PathBuf,
    /// What is let through.
    pub rights: Rights,
    /// Whether it is a directory.
    pub is_directory: bool,
}

/// A mount that takes away, at a path and below, what the rules let through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cover {
    /// An absolute path without links.
    pub path: Utf8PathBuf,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether nothing of it is left.
    #[serde(default)]
    pub hidden: bool,
    /// Whether nothing can be written.
    #[serde(default)]
    pub read_only: bool,
    /// Whether nothing can be run.
    #[serde(default)]
    pub no_execution: bool,
    /// Whether it needs no cover any more where nothing is there any more, as with a socket file that its service removes.
    #[serde(default)]
    pub may_be_gone: bool,
}

/// What a process is held to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// Where the process runs.
    pub directory: Utf8PathBuf,
    /// Whether files are closed but for the rules; otherwise they are open but for the covers.
    pub restricts_files: bool,
    /// What is let through, in the order of the paths.
    pub rules: Vec<FileRule>,
    /// What is mounted, in the order of the paths.
    pub covers: Vec<Cover>,
    /// The places, outermost first, beside which everything is mounted read-only, so that no mode, owner, time or
    /// attribute of what lies elsewhere can be changed, which no rule keeps a process from; none where there are no
    /// mounts, or files are open.
    #[serde(default)]
    pub writable: Option<Vec<Utf8PathBuf>>,
    /// The folder that is mounted over `/tmp`, so that nothing of what others keep there is seen.
    #[serde(default)]
    pub private_tmp: Option<Utf8PathBuf>,
    /// What is open of the network.
    pub network: Network,
    /// Whether signals and abstract sockets of other processes are out of reach.
    pub is_scoped: bool,
    /// Whether the rule of the longest path decides, as the kernel of a Mac can, and not all of them together.
    ///
    /// A rule is about everything at its path and below then, whether or not it exists.
    #[serde(default)]
    pub nested: bool,
    /// Directories that can be neither moved nor removed where rules are nested, for the sake of what lies in them.
    #[serde(default)]
    pub fixed: Vec<Utf8PathBuf>,
}

impl Profile {
    /// Whether the process needs mounts of its own.
    #[must_use]
    pub fn has_mounts(&self) -> bool {
        !self.covers.is_empty() || self.writable.is_some() || self.private_tmp.is_some()
    }

    /// Whether the kernel lets `capability` through at a path, which is absolute and without links.
    #[must_use]
    pub fn allows(&self, capability: FsCapability, path: &Utf8Path) -> bool {
        let right = Rights::of(capability);
        if self.nested {
            let is_fixed = right == Rights::DELETE && self.fixed.iter().any(|fixed| fixed == path);
            return !is_fixed && self.nested_rights(path).has(right);
        }
        !self.covers_take(right, path) && (!self.restricts_files || self.rules_give(right, path))
    }

    /// What the kernel lets through at a path.
    #[must_use]
    pub fn rights(&self, path: &Utf8Path) -> Rights {
        FsCapability::ALL
            .into_iter()
            .filter(|capability| self.allows(*capability, path))
            .collect()
    }

    /// Whether a directory can be listed, also where not everything in it can be read.
    #[must_use]
    pub fn lists(&self, directory: &Utf8Path) -> bool {
        if self.nested {
            return self.nested_rights(directory).has(Rights::READ);
        }
        let lists = |right| !self.restricts_files || self.rules_give(right, directory);
        !self.covers_take(Rights::READ, directory) && (lists(Rights::READ) || lists(Rights::LIST))
    }

    /// What the rule of the longest path grants.
    fn nested_rights(&self, path: &Utf8Path) -> Rights {
        let around = self
            .rules
            .iter()
            .filter(|rule| path.starts_with(&rule.path));
        let nearest = around.max_by_key(|rule| rule.path.components().count());
        nearest.map_or(
            if self.restricts_files {
                Rights::NONE
            } else {
                Rights::ALL
            },
            |rule| rule.rights,
        )
    }

    /// Whether the rules alone let it through.
    pub(crate) fn rules_give(&self, right: Rights, path: &Utf8Path) -> bool {
        // Making and removing an entry is done to the directory that it stands in.
        let at = match right {
            Rights::CREATE | Rights::DELETE => path.parent(),
            _ => Some(path),
        };
        at.is_some_and(|at| {
            self.rules
                .iter()
                .any(|rule| rule.rights.has(right) && at.starts_with(&rule.path))
        })
    }

    /// Whether a mount takes it away.
    pub(crate) fn covers_take(&self, right: Rights, path: &Utf8Path) -> bool {
        // What is mounted somewhere cannot be removed.
        if right == Rights::DELETE && self.covers.iter().any(|cover| cover.path == path) {
            return true;
        }
        let nearest = self
            .covers
            .iter()
            .filter(|cover| path.starts_with(&cover.path))
            .max_by_key(|cover| cover.path.components().count());
        nearest.is_some_and(|cover| {
            cover.hidden
                || (cover.read_only && right.meets(Rights::WRITES))
                || (cover.no_execution && right == Rights::EXECUTE)
        })
    }
}
