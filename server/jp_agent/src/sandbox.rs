//! How the tools of a runtime are held to their grants by the kernel.
//!
//! ```json
//! {"initializationOptions": {"agent": {"sandbox": "require", "sandboxFolders": ["/srv/toolchain"]}}}
//! ```
//!
//! A person says this, and never a workspace, which would open its own door.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{Account, Beyond, DiskTree, Mechanisms, Plan, Profile, SandboxMode, Wish, plan};
use jp_tool::{AccessPolicy, AccessRuleError};
use serde_json::Value;
use tempfile::TempDir;

use crate::config::{CommandConfig, reader::Reader, tool::read_command};
use crate::environment::Variables;

/// The environment variable that names mechanisms to do without, `landlock` or `namespaces`, separated by commas.
pub const SANDBOX_WITHOUT_VARIABLE: &str = "JP_LSP_SANDBOX_WITHOUT";

/// The program of the bundled file tools.
const BUNDLED: &str = "jp-fs-tools";

/// What a person has set for the tools of a runtime.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sandbox {
    /// How much is insisted on.
    pub mode: SandboxMode,
    /// Folders that tools may read and run beyond their grants, beside the documented ones.
    pub folders: Vec<Utf8PathBuf>,
}

/// A tool as far as it decides what holds it.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) root: Utf8PathBuf,
    pub(crate) access: Option<AccessPolicy>,
    pub(crate) protected: std::sync::Arc<[Utf8PathBuf]>,
    /// What it runs, which it may read.
    pub(crate) command: Option<CommandConfig>,
    pub(crate) variables: Variables,
}

/// What a process is started with so that it is held.
#[derive(Debug)]
pub(crate) struct Confinement {
    pub(crate) profile: Profile,
    /// The folder that is the tool's own, and gone when it has ended.
    pub(crate) temporary: Option<TempDir>,
}

impl Sandbox {
    /// What the kernel holds of compiled grants in the workspace at `root`; the files at `protected` are its config, and
    /// `command` is the effective `command` of the tool.
    ///
    /// # Errors
    ///
    /// A rule that cannot be evaluated.
    pub fn account(
        &self,
        root: &Utf8Path,
        access: &AccessPolicy,
        protected: &[Utf8PathBuf],
        command: Option<&Value>,
    ) -> Result<Account, AccessRuleError> {
        // A command that cannot be read is found where the config is checked, and starts nothing.
        let command = read_command(&Reader::at(command, "command")).ok().flatten();
        let subject = Subject {
            root: root.to_owned(),
            access: Some(access.clone()),
            protected: protected.into(),
            command,
            variables: std::env::vars_os().collect(),
        };
        self.plan(&subject, None).map(|plan| plan.account)
    }

    /// What a tool would be held to, and what of its grants that is; with `off`, nothing.
    pub(crate) fn plan(
        &self,
        subject: &Subject,
        temporary: Option<Utf8PathBuf>,
    ) -> Result<Plan, AccessRuleError> {
        let mechanisms = match self.mode {
            SandboxMode::Off => Mechanisms::NONE,
            SandboxMode::On | SandboxMode::Require => mechanisms(),
        };
        let root = subject.root.canonicalize_utf8();
        let root = root.unwrap_or_else(|_| subject.root.clone());
        let command = subject.command.as_ref();
        let words = command.map(|command| words(command, &subject.variables));
        let words = words.unwrap_or_default();
        let mut beyond = Beyond::of_this_machine()
            .with_folders(&self.folders)
            .with_command(&root, words.iter().map(String::as_str), &DiskTree);
        beyond.temporary = temporary;
        beyond.checks_itself = command.is_some_and(|command| is_ours(command, subject));
        let wish = Wish {
            root: &root,
            access: subject.access.as_ref(),
            protected: &subject.protected,
            beyond: &beyond,
        };
        plan(&wish, mechanisms, &DiskTree)
    }

    /// What a tool's process is started with; none where nothing holds it.
    ///
    /// # Errors
    ///
    /// Why the tool must not start.
    pub(crate) fn confinement(&self, subject: &Subject) -> Result<Option<Confinement>, String> {
        if self.mode == SandboxMode::Off {
            return Ok(None);
        }
        let restricts = subject
            .access
            .as_ref()
            .is_some_and(|access| !access.fs.is_empty());
        let temporary = (restricts && mechanisms().hold_files())
            .then(|| tempfile::Builder::new().prefix("jp-lsp-tool-").tempdir())
            .transpose()
            .map_err(|error| format!("it gets no folder for temporary files: {error}"))?;
        let place = temporary
            .as_ref()
            .and_then(|folder| Utf8Path::from_path(folder.path())?.canonicalize_utf8().ok());
        let Plan { profile, account } = self
            .plan(subject, place)
            .map_err(|error| error.to_string())?;
        if let Some(reason) = self.refusal(&account) {
            return Err(reason);
        }
        Ok(profile.map(|profile| Confinement { profile, temporary }))
    }

    /// Why a tool does not start where everything has to be held.
    fn refusal(&self, account: &Account) -> Option<String> {
        let reason = match self.mode {
            SandboxMode::Require => account.refusal()?,
            SandboxMode::On | SandboxMode::Off => return None,
        };
        Some(format!(
            "the sandbox is `require`, and the kernel does not hold all of its grants: {reason}; set `sandbox` to `on` \
             to run it all the same"
        ))
    }
}

/// The words of a command that are no templates, its program as it is found.
fn words(command: &CommandConfig, variables: &Variables) -> Vec<String> {
    let all = match command.shell {
        true => shlex::split(&command.program).unwrap_or_default(),
        false => vec![command.program.clone()],
    };
    let fixed: Vec<String> = all
        .into_iter()
        .chain(command.args.iter().cloned())
        .filter(|word| !word.contains("{{") && !word.contains("{%"))
        .collect();
    let program = fixed.first().filter(|program| !program.contains('/'));
    let found = program.and_then(|program| found(program, variables));
    fixed.iter().cloned().chain(found).collect()
}

/// Whether a command starts the bundled file tools that lie beside this program, and nothing else.
fn is_ours(command: &CommandConfig, subject: &Subject) -> bool {
    let program = match command.program.contains('/') {
        true => Some(subject.root.join(&command.program).into_string()),
        false => found(&command.program, &subject.variables),
    };
    let ours = std::env::current_exe().ok().and_then(|own| {
        let own = own.canonicalize().ok()?;
        own.with_file_name(BUNDLED).canonicalize().ok()
    });
    let started = program.and_then(|program| Path::new(&program).canonicalize().ok());
    !command.shell && started.is_some() && started == ours
}

/// Where a program lies.
fn found(program: &str, variables: &Variables) -> Option<String> {
    let (_, path) = variables.iter().find(|(name, _)| name == "PATH")?;
    let path = std::env::split_paths(path)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())?;
    path.to_str().map(str::to_owned)
}

/// Names the tool's own folder where programs look for one.
pub(crate) fn with_temporary(variables: Variables, folder: &Path) -> Variables {
    let names = ["TMPDIR", "TMP", "TEMP"];
    variables
        .into_iter()
        .filter(|(name, _)| !names.iter().any(|known| name == known))
        .chain(names.map(|name| (OsString::from(name), folder.as_os_str().to_owned())))
        .collect()
}

/// What this machine can hold a tool with, tried once.
#[must_use]
pub fn mechanisms() -> Mechanisms {
    #[cfg(target_os = "linux")]
    {
        static FOUND: OnceLock<Mechanisms> = OnceLock::new();
        *FOUND.get_or_init(|| crate::confinement::probed().at_most(wanted()))
    }
    #[cfg(not(target_os = "linux"))]
    Mechanisms::NONE
}

/// The mechanisms that are not left out.
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "there is nothing to leave out")
)]
fn wanted() -> Mechanisms {
    let without = std::env::var(SANDBOX_WITHOUT_VARIABLE).unwrap_or_default();
    let without: BTreeSet<&str> = without.split(',').map(str::trim).collect();
    Mechanisms {
        landlock: if without.contains("landlock") {
            0
        } else {
            u8::MAX
        },
        namespaces: !without.contains("namespaces"),
    }
}
