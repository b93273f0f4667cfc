//! The disk, as far as an explanation needs it.

use camino::{Utf8Path, Utf8PathBuf};
use jp_policy::CanonicalPath;
use jp_tool::{
    AccessPolicy, AccessRuleError, Canonical, CompiledAccess, FsAccessError, FsCapability, FsPolicy,
};

/// How paths are looked up; the disk in production.
pub trait PathResolver {
    /// Where a path argument really leads; `None` where that is not known.
    fn canonical(&self, path: &str) -> Option<CanonicalPath>;

    /// The declared access rules with canonical paths.
    ///
    /// # Errors
    ///
    /// The first rule that cannot be used.
    fn compile_access(&self, declared: &AccessPolicy) -> Result<CompiledAccess, AccessRuleError>;

    /// The canonical form of the path that a capability acts on, and the protected place that it lies in.
    ///
    /// `config` are the files that the config is made of, as [`PathResolver::spellings`] gives them.
    ///
    /// # Errors
    ///
    /// A path that leaves the workspace or cannot be looked up.
    fn locate(
        &self,
        policy: &FsPolicy,
        capability: FsCapability,
        path: &Utf8Path,
        config: &[Utf8PathBuf],
    ) -> Result<(Canonical, Option<Utf8PathBuf>), FsAccessError>;

    /// All the paths that a config file is read through, see [`jp_tool::spellings`].
    fn spellings(&self, file: &Utf8Path) -> Vec<Utf8PathBuf>;
}
