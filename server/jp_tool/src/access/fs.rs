//! Grants on files (RFD 076, "Filesystem rules").
//!
//! ```toml
//! [[access.fs]]
//! path = "."
//! read = true
//!
//! [[access.fs]]
//! path = ".env"      # all capabilities default to false
//! ```
//!
//! On the wire a rule carries its path twice, and either spelling is read:
//!
//! ```json
//! {"path": ".", "lexical_path": "", "external": false, "approved_target": null, "read": true, "write": null, …}
//! ```
//!
//! `path` is RFD 076's; `lexical_path`, `external` and `approved_target` are what tools built against the released
//! `jp` require.
//! Those spell the workspace itself as the empty path.

use std::fmt;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::trie::SegmentTrie;
use crate::{
    AccessRule, AccessRuleError, AccessRuleProblem, Canonical, Decision, FsAccessError, Reason,
    Resource,
    path::{dot_if_empty, entry, resolve},
};

/// Something that can be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FsCapability {
    /// Read file contents, list directory entries.
    Read,
    /// Create files and directories.
    Create,
    /// Change existing files.
    Update,
    /// Remove files and directories.
    Delete,
    /// Run files as programs.
    Execute,
}

impl FsCapability {
    /// All capabilities, in the order of RFD 076.
    pub const ALL: [Self; 5] = [
        Self::Read,
        Self::Create,
        Self::Update,
        Self::Delete,
        Self::Execute,
    ];

    /// The name of the capability, as in a rule.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Execute => "execute",
        }
    }

    /// Whether the capability changes what is on disk.
    #[must_use]
    pub const fn changes(self) -> bool {
        matches!(self, Self::Create | Self::Update | Self::Delete)
    }
}

impl fmt::Display for FsCapability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// What may be done below one path.
///
/// The fields are private so that the `write` alias is read in one way only.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "WireFsRule", try_from = "WireFsRule")]
pub struct FsRule {
    path: Utf8PathBuf,
    external: bool,
    approved_target: Option<Utf8PathBuf>,
    read: Option<bool>,
    write: Option<bool>,
    create: Option<bool>,
    update: Option<bool>,
    delete: Option<bool>,
    execute: Option<bool>,
}

#[derive(Serialize, Deserialize)]
struct WireFsRule {
    #[serde(default)]
    path: Option<Utf8PathBuf>,
    #[serde(default)]
    lexical_path: Option<Utf8PathBuf>,
    #[serde(default)]
    external: bool,
    #[serde(default)]
    approved_target: Option<Utf8PathBuf>,
    #[serde(default)]
    read: Option<bool>,
    #[serde(default)]
    write: Option<bool>,
    #[serde(default)]
    create: Option<bool>,
    #[serde(default)]
    update: Option<bool>,
    #[serde(default)]
    delete: Option<bool>,
    #[serde(default)]
    execute: Option<bool>,
}

impl From<FsRule> for WireFsRule {
    fn from(rule: FsRule) -> Self {
        let lexical_path = if rule.path == "." {
            Utf8PathBuf::new()
        } else {
            rule.path.clone()
        };
        Self {
            path: Some(rule.path),
            lexical_path: Some(lexical_path),
            external: rule.external,
            approved_target: rule.approved_target,
            read: rule.read,
            write: rule.write,
            create: rule.create,
            update: rule.update,
            delete: rule.delete,
            execute: rule.execute,
        }
    }
}

impl TryFrom<WireFsRule> for FsRule {
    type Error = String;

    fn try_from(wire: WireFsRule) -> Result<Self, String> {
        let path = match (wire.path, wire.lexical_path) {
            (Some(path), Some(lexical)) if dot_if_empty(&path) != dot_if_empty(&lexical) => {
                return Err(format!(
                    "fs rule has `path` = `{path}` and `lexical_path` = `{lexical}`; write one of them"
                ));
            }
            (Some(path), _) | (None, Some(path)) => dot_if_empty(&path),
            (None, None) => return Err("fs rule has no `path`".to_owned()),
        };
        Ok(Self {
            path,
            external: wire.external,
            approved_target: wire.approved_target,
            read: wire.read,
            write: wire.write,
            create: wire.create,
            update: wire.update,
            delete: wire.delete,
            execute: wire.execute,
        })
    }
}

impl FsRule {
    /// A rule that grants nothing at `path`, relative to the workspace.
    #[must_use]
    pub fn new(path: impl Into<Utf8PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// Says that the path leads out of the workspace on purpose.
    #[must_use]
    pub fn with_external(mut self, external: bool) -> Self {
        self.external = external;
        self
    }

    /// Sets the resolved directory outside the workspace that an external rule may reach.
    #[must_use]
    pub fn with_approved_target(mut self, target: Option<Utf8PathBuf>) -> Self {
        self.approved_target = target;
        self
    }

    /// Sets `read`.
    #[must_use]
    pub fn with_read(mut self, read: impl Into<Option<bool>>) -> Self {
        self.read = read.into();
        self
    }

    /// Sets `write`, the default of `create`, `update` and `delete`.
    #[must_use]
    pub fn with_write(mut self, write: impl Into<Option<bool>>) -> Self {
        self.write = write.into();
        self
    }

    /// Sets `create`.
    #[must_use]
    pub fn with_create(mut self, create: impl Into<Option<bool>>) -> Self {
        self.create = create.into();
        self
    }

    /// Sets `update`.
    #[must_use]
    pub fn with_update(mut self, update: impl Into<Option<bool>>) -> Self {
        self.update = update.into();
        self
    }

    /// Sets `delete`.
    #[must_use]
    pub fn with_delete(mut self, delete: impl Into<Option<bool>>) -> Self {
        self.delete = delete.into();
        self
    }

    /// Sets `execute`.
    #[must_use]
    pub fn with_execute(mut self, execute: impl Into<Option<bool>>) -> Self {
        self.execute = execute.into();
        self
    }

    /// The same rule at another path.
    #[must_use]
    pub(crate) fn at(&self, path: Utf8PathBuf) -> Self {
        Self {
            path,
            ..self.clone()
        }
    }

    /// The path that the rule applies to, with everything below it; `.` is the workspace.
    #[must_use]
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Whether the path leads out of the workspace on purpose.
    #[must_use]
    pub const fn external(&self) -> bool {
        self.external
    }

    /// The resolved directory outside the workspace that the rule may reach.
    #[must_use]
    pub fn approved_target(&self) -> Option<&Utf8Path> {
        self.approved_target.as_deref()
    }

    /// Whether the rule grants reading.
    #[must_use]
    pub fn read(&self) -> bool {
        self.read.unwrap_or(false)
    }

    /// Whether the rule grants creating.
    #[must_use]
    pub fn create(&self) -> bool {
        self.create.or(self.write).unwrap_or(false)
    }

    /// Whether the rule grants changing.
    #[must_use]
    pub fn update(&self) -> bool {
        self.update.or(self.write).unwrap_or(false)
    }

    /// Whether the rule grants removing.
    #[must_use]
    pub fn delete(&self) -> bool {
        self.delete.or(self.write).unwrap_or(false)
    }

    /// Whether the rule grants running.
    #[must_use]
    pub fn execute(&self) -> bool {
        self.execute.unwrap_or(false)
    }

    /// Whether the rule grants `capability`.
    #[must_use]
    pub fn grants(&self, capability: FsCapability) -> bool {
        match capability {
            FsCapability::Read => self.read(),
            FsCapability::Create => self.create(),
            FsCapability::Update => self.update(),
            FsCapability::Delete => self.delete(),
            FsCapability::Execute => self.execute(),
        }
    }
}

/// The evaluator of a list of [`FsRule`]s.
#[derive(Debug, Clone, Default)]
pub struct FsPolicy {
    rules: Vec<FsRule>,
    by_path: SegmentTrie<usize>,
}

impl FsPolicy {
    /// Builds the evaluator of rules whose paths are canonical.
    ///
    /// # Errors
    ///
    /// A rule path that is absolute or holds `..` can match no canonical path.
    pub fn compile(rules: &[FsRule]) -> Result<Self, AccessRuleError> {
        let mut by_path = SegmentTrie::default();
        for (index, rule) in rules.iter().enumerate() {
            let segments = segments(rule.path()).ok_or_else(|| AccessRuleError {
                resource: Resource::Fs,
                index,
                problem: AccessRuleProblem::FsPathNotRelative {
                    path: rule.path().to_string(),
                },
            })?;
            by_path.insert(segments, index);
        }
        Ok(Self {
            rules: rules.to_vec(),
            by_path,
        })
    }

    /// Decides about `target`, the relative part of a [`Canonical`] path.
    #[must_use]
    pub fn decide(&self, capability: FsCapability, target: &Utf8Path) -> Decision {
        let decision = |allowed, rule, reason| Decision {
            allowed,
            rule,
            target: target.to_string(),
            reason,
        };
        let Some(segments) = segments(target) else {
            return decision(false, None, Reason::NotCanonical);
        };
        if self.rules.is_empty() {
            return decision(true, None, Reason::Unrestricted);
        }
        let winner = self
            .by_path
            .longest(segments)
            .and_then(|(_, index)| Some((*index, self.rules.get(*index)?)));
        match winner {
            None => decision(false, None, Reason::NoRule),
            Some((index, rule)) if rule.grants(capability) => {
                decision(true, Some(index), Reason::Granted)
            }
            Some((index, _)) => decision(false, Some(index), Reason::NotGranted),
        }
    }

    /// [`FsPolicy::decide`] for a path that lies in the protected place `place`, if there is one.
    ///
    /// A rule that opens the place lies at it or below it.
    #[must_use]
    pub fn decide_within(
        &self,
        capability: FsCapability,
        target: &Utf8Path,
        place: Option<&Utf8Path>,
    ) -> Decision {
        let decision = self.decide(capability, target);
        let Some(place) = place.filter(|_| decision.allowed && capability.changes()) else {
            return decision;
        };
        let names_the_place = decision
            .rule
            .and_then(|rule| self.rules.get(rule))
            .map(FsRule::path)
            .is_some_and(|path| path.starts_with(place));
        if names_the_place {
            return decision;
        }
        Decision {
            allowed: false,
            reason: Reason::Protected,
            ..decision
        }
    }

    /// [`canonicalize`](crate::canonicalize), and in addition paths that lead into the approved target of an
    /// `external` rule.
    ///
    /// The relative form of such a path starts with the rule's path, whichever link led there, so that another link
    /// cannot dodge a rule.
    ///
    /// # Errors
    ///
    /// As for [`canonicalize`](crate::canonicalize).
    pub fn canonicalize(
        &self,
        root: &Utf8Path,
        input: &Utf8Path,
    ) -> Result<Canonical, FsAccessError> {
        let resolved = resolve(root, input)?;
        if let Some(canonical) = resolved.inside() {
            return Ok(canonical);
        }
        let mount = self
            .rules
            .iter()
            .filter(|rule| rule.external)
            .filter_map(|rule| {
                let target = rule.approved_target()?;
                let below = resolved.absolute.strip_prefix(target).ok()?;
                Some((target.components().count(), rule, below))
            })
            // Of equally deep targets `max_by_key` takes the last, as everywhere in the rules.
            .max_by_key(|(depth, ..)| *depth);
        let Some((_, rule, below)) = mount else {
            return Err(FsAccessError::Escape(input.to_owned()));
        };
        let relative = if below.as_str().is_empty() {
            rule.path.clone()
        } else {
            rule.path.join(below)
        };
        Ok(Canonical {
            absolute: resolved.absolute,
            relative,
        })
    }

    /// The canonical form of the path that `capability` acts on.
    ///
    /// Removing acts on the entry itself, also where that is a link: all but the last component is resolved.
    /// Everything else acts on what a link leads to.
    ///
    /// # Errors
    ///
    /// As for [`canonicalize`](crate::canonicalize).
    pub fn locate(
        &self,
        capability: FsCapability,
        root: &Utf8Path,
        input: &Utf8Path,
    ) -> Result<Canonical, FsAccessError> {
        if capability == FsCapability::Delete
            && let Some(entry) = entry(root, input)?
        {
            let parent = self.canonicalize(root, &entry.parent)?;
            let absolute = parent.absolute.join(&entry.name);
            if absolute.is_symlink() {
                let relative = match parent.relative.as_str() {
                    "." => Utf8PathBuf::from(entry.name),
                    _ => parent.relative.join(entry.name),
                };
                return Ok(Canonical { absolute, relative });
            }
        }
        self.canonicalize(root, input)
    }

    /// The paths of the rules that grant `capability`, in declaration order.
    pub fn granting_paths(&self, capability: FsCapability) -> impl Iterator<Item = &Utf8Path> {
        self.rules
            .iter()
            .filter(move |rule| rule.grants(capability))
            .map(FsRule::path)
    }
}

impl AccessRule for FsRule {
    type Policy = FsPolicy;

    fn compile(rules: &[Self]) -> Result<FsPolicy, AccessRuleError> {
        FsPolicy::compile(rules)
    }
}

/// The names in a relative path; `None` if it is absolute or holds `..`.
fn segments(path: &Utf8Path) -> Option<impl Iterator<Item = &[u8]>> {
    let canonical = path
        .components()
        .all(|component| matches!(component, Utf8Component::Normal(_) | Utf8Component::CurDir));
    canonical.then(|| {
        path.components()
            .filter(|component| matches!(component, Utf8Component::Normal(_)))
            .map(|component| component.as_str().as_bytes())
    })
}

#[cfg(test)]
#[path = "fs_tests.rs"]
mod tests;
