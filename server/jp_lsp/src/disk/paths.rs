//! Paths as they are on disk, for decisions that a link cannot dodge (RFD 076, "Path evaluation").

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::{approved_targets, canonical_path};
use jp_analysis::explain::PathResolver;
use jp_policy::CanonicalPath;
use jp_tool::{
    AccessPolicy, AccessRuleError, ApprovedTargets, Canonical, CompiledAccess, FsAccessError,
    FsCapability, FsPolicy, FsRule, protected_place, spellings,
};

use crate::disk::workspace;

/// The paths of one workspace.
#[derive(Debug, Clone)]
pub(crate) struct DiskPaths {
    root: Utf8PathBuf,
}

impl DiskPaths {
    /// The paths below the directory that holds `.jp`.
    pub(crate) fn new(root: impl Into<Utf8PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The directory that holds `.jp`.
    pub(crate) fn root(&self) -> &Utf8Path {
        &self.root
    }
}

impl PathResolver for DiskPaths {
    fn canonical(&self, path: &str) -> Option<CanonicalPath> {
        Some(canonical_path(&self.root, path))
    }

    fn compile_access(&self, declared: &AccessPolicy) -> Result<CompiledAccess, AccessRuleError> {
        let approved = if declared.fs.iter().any(FsRule::external) {
            // A file that cannot be read approves nothing.
            approved_targets(workspace::approvals(&self.root).as_deref()).unwrap_or_default()
        } else {
            ApprovedTargets::new()
        };
        AccessPolicy::compile_rules(&self.root, declared, &approved)
    }

    fn locate(
        &self,
        policy: &FsPolicy,
        capability: FsCapability,
        path: &Utf8Path,
        config: &[Utf8PathBuf],
    ) -> Result<(Canonical, Option<Utf8PathBuf>), FsAccessError> {
        let canonical = policy.locate(capability, &self.root, path)?;
        let place = protected_place(&self.root, path, &canonical, config);
        Ok((canonical, place))
    }

    fn spellings(&self, file: &Utf8Path) -> Vec<Utf8PathBuf> {
        spellings(file)
    }
}
