//! Where a tool runs, what it may touch, and the checks it makes before it does.
//!
//! ```json
//! {"action": "run", "root": "/work", "workspace_id": "a1b2c", "conversation_id": "17127583920",
//!  "access": {"fs": [{"path": ".", "read": true}], "net": [], "env": []},
//!  "config": {"assistant": {"model": {"id": {"provider": "anthropic", "name": "opus"}}}}}
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::{
    AccessPolicy, ConfigAccessError, ConfigCapability, ConfigPath, EnvAccessError, EnvPolicy,
    FsAccessError, FsCapability, FsPolicy, NetAccessError, NetPolicy, Reason, protected_place,
};

/// Why the host started the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Do the work and answer with its result.
    #[default]
    Run,

    /// Render the arguments for a person who decides about the call; do nothing else.
    FormatArguments,
}

/// What the host tells a tool about the place it runs in (RFD 076, "Runtime types"; RFD 078, "Tool Protocol").
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Context {
    /// The absolute path of the workspace.
    pub root: Utf8PathBuf,

    /// Why the tool was started.
    pub action: Action,

    /// The tool's grants.
    /// `None` leaves files below `root`, network and environment unrestricted; config stays closed.
    #[serde(default)]
    pub access: Option<AccessPolicy>,

    /// The absolute paths of the files that the config in force is made of, which are protected as `.jp` is.
    /// Links are listed as such and as what they lead to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<Utf8PathBuf>,

    /// The id of the workspace, empty if the host did not say.
    #[serde(default)]
    pub workspace_id: String,

    /// The id of the conversation, empty if the host did not say.
    #[serde(default)]
    pub conversation_id: String,

    /// The part of the config that the tool may read; absent without `access.config`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,

    /// Why the config change of the previous run of this call was not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_rejection: Option<DeltaRejection>,
}

impl Context {
    /// A context without grants, ids or config.
    #[must_use]
    pub fn new(root: impl Into<Utf8PathBuf>, action: Action) -> Self {
        Self {
            root: root.into(),
            action,
            ..Self::default()
        }
    }

    /// Sets the grants.
    #[must_use]
    pub fn with_access(mut self, access: AccessPolicy) -> Self {
        self.access = Some(access);
        self
    }

    /// Asks to read the file `input`, or to list that directory; returns the path to open.
    ///
    /// # Errors
    ///
    /// As for [`Context::check_fs`].
    pub fn check_read(&self, input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
        self.check_fs(FsCapability::Read, input)
    }

    /// Asks to create `input`; returns the path to open.
    ///
    /// # Errors
    ///
    /// As for [`Context::check_fs`].
    pub fn check_create(&self, input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
        self.check_fs(FsCapability::Create, input)
    }

    /// Asks to change the existing `input`; returns the path to open.
    ///
    /// # Errors
    ///
    /// As for [`Context::check_fs`].
    pub fn check_update(&self, input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
        self.check_fs(FsCapability::Update, input)
    }

    /// Asks to remove `input`; returns the path to remove.
    ///
    /// # Errors
    ///
    /// As for [`Context::check_fs`].
    pub fn check_delete(&self, input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
        self.check_fs(FsCapability::Delete, input)
    }

    /// Asks to run `input` as a program; returns the path to run.
    ///
    /// # Errors
    ///
    /// As for [`Context::check_fs`].
    pub fn check_execute(&self, input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
        self.check_fs(FsCapability::Execute, input)
    }

    /// Asks for `capability` on `input`, relative to the workspace or absolute below it.
    ///
    /// Returns the path with every link resolved: open that one, not the one that was asked for.
    /// A path outside the workspace is refused with or without grants.
    /// A protected place is changed only under a rule of its own, see [`protected_place`].
    /// Removing acts on the entry that the path names, also where that is a link; everything else follows it.
    ///
    /// # Errors
    ///
    /// [`FsAccessError::Protected`] names the rule to write, [`FsAccessError::Denied`] names what is granted instead; the other variants say why the path has no canonical form.
    pub fn check_fs(
        &self,
        capability: FsCapability,
        input: &Utf8Path,
    ) -> Result<Utf8PathBuf, FsAccessError> {
        let unrestricted = FsPolicy::default();
        let policy = match &self.access {
            None => &unrestricted,
            Some(access) => access.fs.compiled()?,
        };
        let canonical = policy.locate(capability, &self.root, input)?;
        let place = protected_place(&self.root, input, &canonical, &self.protected);
        let target = canonical.relative;
        let decision = policy.decide_within(capability, &target, place.as_deref());
        match (decision.allowed, place) {
            (true, _) => Ok(canonical.absolute),
            (false, Some(place)) if decision.reason == Reason::Protected => {
                Err(FsAccessError::Protected {
                    capability: capability.as_str(),
                    target,
                    place,
                })
            }
            (false, _) => Err(FsAccessError::Denied {
                capability: capability.as_str(),
                target,
                grants: policy
                    .granting_paths(capability)
                    .map(Utf8Path::to_owned)
                    .collect(),
            }),
        }
    }

    /// Asks to connect to `target`, an absolute URL; returns it parsed, the form to connect with.
    ///
    /// # Errors
    ///
    /// [`NetAccessError::Denied`] names what is granted instead; the other variants say why the URL names no host.
    pub fn check_net(&self, target: &str) -> Result<Url, NetAccessError> {
        match &self.access {
            None => NetPolicy::default().check(target),
            Some(access) => access.net.compiled()?.check(target),
        }
    }

    /// Asks to read the environment variable `name`.
    ///
    /// # Errors
    ///
    /// [`EnvAccessError::Denied`] names what is granted instead.
    pub fn check_env(&self, name: &str) -> Result<(), EnvAccessError> {
        match &self.access {
            None => EnvPolicy::default().check(name),
            Some(access) => access.env.compiled()?.check(name),
        }
    }

    /// Whether the host would let this tool read the config path.
    ///
    /// # Errors
    ///
    /// [`ConfigAccessError::Denied`] names what is granted instead.
    pub fn check_config_read(&self, path: &str) -> Result<(), ConfigAccessError> {
        self.check_config(ConfigCapability::Read, path)
    }

    /// Whether the host would let this tool return a value for the config path in `config`.
    ///
    /// # Errors
    ///
    /// [`ConfigAccessError::Denied`] names what is granted instead, [`ConfigAccessError::Sensitive`] that the grant
    /// lacks `write = "insecure_allow"`.
    pub fn check_config_write(&self, path: &str) -> Result<(), ConfigAccessError> {
        self.check_config(ConfigCapability::Write, path)
    }

    /// Whether the host would let this tool return the config path, or one element of that list, in `unset`.
    ///
    /// # Errors
    ///
    /// As for [`Context::check_config_write`].
    pub fn check_config_delete(&self, path: &str) -> Result<(), ConfigAccessError> {
        self.check_config(ConfigCapability::Delete, path)
    }

    fn check_config(
        &self,
        capability: ConfigCapability,
        path: &str,
    ) -> Result<(), ConfigAccessError> {
        let path = match capability {
            ConfigCapability::Delete => ConfigPath::parse_unset(path)?.0,
            ConfigCapability::Read | ConfigCapability::Write => ConfigPath::parse(path)?,
        };
        match &self.access {
            None => Err(ConfigAccessError::Denied {
                capability,
                target: path.to_string(),
                grants: Vec::new(),
            }),
            Some(access) => access.config.compiled()?.check(capability, &path),
        }
    }
}

/// Why the host did not accept the config change that a tool returned (RFD 078, "Delta Rejection and Re-Invocation").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeltaRejection {
    /// The kind of refusal.
    pub reason: DeltaRejectionReason,

    /// The config paths it is about.
    #[serde(default)]
    pub fields: Vec<String>,

    /// What is wrong, in words.
    #[serde(default)]
    pub detail: String,
}

/// The kinds of refusal of a config change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaRejectionReason {
    /// `config` or `unset` does not fit the config schema, or an alias in it is unknown.
    InvalidConfig,

    /// A path lies outside the granted write or delete rules.
    UnauthorizedPaths,

    /// A person declined.
    UserRejected,

    /// A person would have had to confirm, and there is nobody to ask.
    ConfirmationUnavailable,
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
