//! How the tools of a runtime are held to their grants by the kernel.
//!
//! ```json
//! {"initializationOptions": {"agent": {"sandbox": "require", "sandboxFolders": ["/srv/toolchain"]}}}
//! ```
//!
//! A person says this, and never a workspace, which would open its own door.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::Path;
#[cfg(any(target_os = "linux", target_os = "macos"))]
use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{
    Account, Beyond, DiskTree, Mechanisms, Plan, Profile, SandboxMode, Wish, plan,
    sockets_of_this_machine,
};
use jp_tool::{AccessPolicy, AccessRuleError, BUNDLED_PROGRAM, FsCapability};
use serde_json::Value;
use tempfile::TempDir;

use crate::config::{
    CommandConfig, McpProgram, McpReach, mcp::read_server, reader::Reader, tool::read_command,
};
use crate::environment::Variables;
use crate::server_grants::{ServerAccount, ServerGrants};

/// The environment variable that names mechanisms to do without, `landlock`, `namespaces` or `seatbelt`, separated by commas.
pub const SANDBOX_WITHOUT_VARIABLE: &str = "JP_LSP_SANDBOX_WITHOUT";

/// What a person has set for the tools of a runtime.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sandbox {
    /// How much is insisted on.
    pub mode: SandboxMode,
    /// Folders that tools may read and run beyond their grants, beside the documented ones.
    pub folders: Vec<Utf8PathBuf>,
    /// What each MCP server may do, by its name; others are not held.
    pub servers: BTreeMap<String, ServerGrants>,
    /// Whether what is held gets a `/tmp` of its own, empty at first, where the machine can give it one. Default: no.
    pub private_tmp: bool,
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
    /// What was made for it.
    pub(crate) folders: MadeFolders,
}

impl Confinement {
    /// The folder for temporary files, as the tool sees it.
    pub(crate) fn own_folder(&self) -> Option<&Path> {
        let temporary = self.temporary.as_ref()?;
        Some(match self.profile.private_tmp {
            Some(_) => Path::new("/tmp"),
            None => temporary.path(),
        })
    }
}

/// Folders that were made for a tool, and that go when it has ended, if they are empty.
#[derive(Debug, Default)]
pub(crate) struct MadeFolders(Vec<Utf8PathBuf>);

impl MadeFolders {
    /// Makes folders, outermost first.
    fn make(folders: Vec<Utf8PathBuf>) -> Result<Self, String> {
        let mut made = Self::default();
        for folder in folders {
            match std::fs::create_dir(&folder) {
                Ok(()) => made.0.push(folder),
                // Another tool was faster, or a person.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("`{folder}` cannot be made for it: {error}")),
            }
        }
        Ok(made)
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // What holds something stays.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

impl Sandbox {
    /// What the kernel of a machine with these `mechanisms` holds of compiled grants in the workspace at `root`; the files at
    /// `protected` are its config, and `command` is the effective `command` of the tool.
    ///
    /// # Errors
    ///
    /// A rule that cannot be evaluated.
    pub fn account(
        &self,
        mechanisms: Mechanisms,
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
        let plan = match self.mode {
            SandboxMode::Off => self.plan(&subject, None),
            SandboxMode::On | SandboxMode::Require => self.plan_with(mechanisms, &subject, None),
        };
        plan.map(|plan| plan.account)
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
        self.plan_with(mechanisms, subject, temporary)
    }

    /// Whether a tool would start, and get `capability` at an absolute path without links past the kernel.
    pub(crate) fn lets(
        &self,
        subject: &Subject,
        capability: FsCapability,
        path: &Utf8Path,
    ) -> bool {
        self.plan(subject, None).is_ok_and(|plan| {
            let profile = plan.profile.as_ref();
            self.refusal(&plan.account).is_none()
                && profile.is_none_or(|profile| profile.allows(capability, path))
        })
    }

    fn plan_with(
        &self,
        mechanisms: Mechanisms,
        subject: &Subject,
        temporary: Option<Utf8PathBuf>,
    ) -> Result<Plan, AccessRuleError> {
        let root = resolved(&subject.root);
        let command = subject.command.as_ref();
        let words = command.map(|command| words(command, &subject.variables));
        let words = words.unwrap_or_default();
        let mut beyond = Beyond::of_this_machine()
            .with_folders(&self.folders)
            .with_command(&root, words.iter().map(String::as_str), &DiskTree);
        beyond.temporary = temporary;
        beyond.private_tmp = self.private_tmp;
        if mechanisms.hold_mounts() {
            beyond.sockets = sockets_of_this_machine();
        }
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
        let temporary = ((restricts || self.private_tmp) && mechanisms().hold_files())
            .then(|| tempfile::Builder::new().prefix("jp-lsp-tool-").tempdir())
            .transpose()
            .map_err(|error| format!("it gets no folder for temporary files: {error}"))?;
        let place = temporary
            .as_ref()
            .and_then(|folder| Utf8Path::from_path(folder.path())?.canonicalize_utf8().ok());
        let Plan {
            profile,
            account,
            folders,
        } = self
            .plan(subject, place)
            .map_err(|error| error.to_string())?;
        if let Some(reason) = self.refusal(&account) {
            return Err(reason);
        }
        let Some(profile) = profile else {
            return Ok(None);
        };
        Ok(Some(Confinement {
            profile,
            temporary,
            folders: MadeFolders::make(folders)?,
        }))
    }

    /// What the kernel of this machine holds of an MCP server in the workspace at `root`; nothing for one that no grants are
    /// written for, or that is no process of this machine.
    ///
    /// The files at `protected` are the workspace's config, and `server` is the effective table of the server.
    ///
    /// # Errors
    ///
    /// A grant that cannot be evaluated.
    pub fn server_account(
        &self,
        name: &str,
        root: &Utf8Path,
        protected: &[Utf8PathBuf],
        server: &Value,
    ) -> Result<Option<ServerAccount>, AccessRuleError> {
        // A server that cannot be read is found where the config is checked, and does not start.
        let server = read_server(&Reader::at(Some(server), name)).map_or_else(
            |_| McpReach::Stdio(McpProgram::of(String::new())),
            |it| it.reach,
        );
        self.account_of_server(name, root, protected, &server)
    }

    pub(crate) fn account_of_server(
        &self,
        name: &str,
        root: &Utf8Path,
        protected: &[Utf8PathBuf],
        server: &McpReach,
    ) -> Result<Option<ServerAccount>, AccessRuleError> {
        let (Some(grants), McpReach::Stdio(server)) = (self.servers.get(name), server) else {
            return Ok(None);
        };
        let access = grants.access(&resolved(root), home().as_deref());
        let subject = server_subject(root, &access.policy, protected, server, Vec::new());
        let plan = self.plan(&subject, None)?;
        Ok(Some(access.account(plan.account)))
    }

    /// What an MCP server is started with; none where nothing holds it.
    ///
    /// # Errors
    ///
    /// Why it must not start.
    pub(crate) fn server_confinement(
        &self,
        name: &str,
        root: &Utf8Path,
        protected: &[Utf8PathBuf],
        server: &McpProgram,
        variables: Variables,
    ) -> Result<Option<Confinement>, String> {
        let Some(grants) = self.servers.get(name) else {
            return Ok(None);
        };
        let access = grants.access(&resolved(root), home().as_deref());
        self.confinement(&server_subject(
            root,
            &access.policy,
            protected,
            server,
            variables,
        ))
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

fn resolved(root: &Utf8Path) -> Utf8PathBuf {
    root.canonicalize_utf8().unwrap_or_else(|_| root.to_owned())
}

fn home() -> Option<Utf8PathBuf> {
    let home = std::env::home_dir()?.canonicalize().ok()?;
    Utf8PathBuf::from_path_buf(home).ok()
}

/// An MCP server as far as it decides what holds it; with no `variables`, those of this process.
fn server_subject(
    root: &Utf8Path,
    access: &AccessPolicy,
    protected: &[Utf8PathBuf],
    server: &McpProgram,
    variables: Variables,
) -> Subject {
    Subject {
        root: root.to_owned(),
        access: Some(access.clone()),
        protected: protected.into(),
        command: Some(CommandConfig {
            program: server.command.clone(),
            args: server.arguments.clone(),
            shell: false,
        }),
        variables: match variables.is_empty() {
            true => std::env::vars_os().collect(),
            false => variables,
        },
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
        own.with_file_name(BUNDLED_PROGRAM).canonicalize().ok()
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

/// What [`mechanisms`] has found.
#[cfg(any(target_os = "linux", target_os = "macos"))]
static FOUND: OnceLock<Mechanisms> = OnceLock::new();

/// What this machine can hold a tool with, where that is known without starting a process for it.
#[must_use]
pub fn known_mechanisms() -> Option<Mechanisms> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        FOUND.get().copied()
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    Some(Mechanisms::NONE)
}

/// What this machine can hold a tool with, tried once.
#[must_use]
pub fn mechanisms() -> Mechanisms {
    #[cfg(target_os = "linux")]
    {
        *FOUND.get_or_init(|| crate::confinement::probed().at_most(wanted()))
    }
    #[cfg(target_os = "macos")]
    {
        *FOUND.get_or_init(|| crate::seatbelt::probed().at_most(wanted()))
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    Mechanisms::NONE
}

/// The mechanisms that are not left out.
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
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
        seatbelt: !without.contains("seatbelt"),
    }
}
