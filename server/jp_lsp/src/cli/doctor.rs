//! `jp-lsp doctor`: what is installed, what is trusted, and whether a turn can begin.
//!
//! ```text
//! $ jp-lsp doctor
//! jp-lsp     0.1.0 at /usr/bin/jp-lsp
//! sandbox    files: held
//! workspace  /work/project, 0 errors, 0 warnings
//! model      anthropic/claude-sonnet-4-5 (.jp/config.toml:3)
//! keys       ANTHROPIC_API_KEY is set; it goes to https://api.anthropic.com
//!
//! A turn can begin.
//! ```
//!
//! Nothing is sent, and no process is started but our own that tries the kernel; of keys the names are told.

mod agreement;

use std::{
    env,
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use jp_analysis::{
    Analysis, Code, Dialect, Options, Severity,
    agreement::{Agreement, agreement},
};
use jp_config::{graph::Graph, view::View};
use jp_conversation::visible;
use jp_sandbox::{Mechanisms, abilities};
use serde_json::{Value, json};

use super::answer_format::AnswerFormat;
use crate::{
    disk::{
        config_files::DiskFiles,
        data::data_directory,
        user_settings,
        workspace::{self, Location, WorkspaceError},
    },
    runtime::{
        WorkspaceConfig,
        keyring::{Keyring, KeyringError},
        status::{KeyStatus, ModelStatus, Status, status},
    },
    trust::{Door, Vouched},
};

/// The programs of editors that have a client for this server.
const EDITORS: [&str; 6] = ["code", "nvim", "emacs", "hx", "zed", "kak"];

/// How long the keyring has to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What to look at, and how to tell it.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// The workspace, or a directory in it; the working directory by default.
    #[arg(long)]
    pub workspace: Option<Utf8PathBuf>,
    /// How it is told.
    #[arg(long, value_enum, default_value_t)]
    pub format: AnswerFormat,
    /// Compares our config with the one that `jp` resolved, a JSON object on standard input.
    ///
    /// The exit code is then 0 where they agree and 1 where they differ.
    #[arg(long, hide = true)]
    pub resolved: bool,
}

/// Why nothing was looked at.
#[derive(Debug, thiserror::Error)]
pub enum DoctorError {
    /// The working directory cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The config that `jp` resolved cannot be read.
    #[error("the config that `jp` resolved cannot be compared: {0}")]
    Resolved(String),
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What was found.
struct Findings {
    program: Option<Utf8PathBuf>,
    jp: Option<Utf8PathBuf>,
    editors: Vec<&'static str>,
    store: Option<Utf8PathBuf>,
    mechanisms: Mechanisms,
    /// Why the keyring of the system cannot be used, if it cannot.
    keyring: Result<(), String>,
    workspace: Option<Workspace>,
}

/// What was found of a workspace.
struct Workspace {
    status: Status,
    errors: usize,
    warnings: usize,
    hints: usize,
    /// How many places the released `jp` refuses to load.
    refused_by_released: usize,
    trust: Result<(), String>,
    /// Which MCP servers are held to grants of the person, and why none where those cannot be read.
    servers: Result<Vec<ServerFinding>, String>,
    /// What our config and that of `jp` have in common, where `jp` says it.
    agreement: Option<Agreement>,
}

/// Tells what is installed, what is trusted and whether a turn can begin.
///
/// Answers the exit code: 0 where a turn can begin, 1 where something keeps it from that, 2 where there is no workspace;
/// with [`DoctorArguments::resolved`], 0 where the configs agree and 1 where they differ.
///
/// # Errors
///
/// [`DoctorError`].
pub fn run(arguments: &DoctorArguments, output: &mut dyn Write) -> Result<u8, DoctorError> {
    let resolved = match arguments.resolved {
        true => Some(agreement::read(io::stdin().lock())?),
        false => None,
    };
    let workspace = match workspace::locate(arguments.workspace.as_deref()) {
        Ok(location) => Ok(examine(&location, resolved.as_ref())),
        Err(error @ WorkspaceError::NoWorkspace(_)) => Err(error.to_string()),
        Err(error) => return Err(error.into()),
    };
    let missing = workspace.as_ref().err().cloned();
    let findings = Findings {
        program: env::current_exe()
            .ok()
            .and_then(|path| Utf8PathBuf::from_path_buf(path).ok()),
        jp: on_path("jp"),
        editors: EDITORS
            .into_iter()
            .filter(|name| on_path(name).is_some())
            .collect(),
        store: data_directory().ok(),
        mechanisms: jp_agent::mechanisms(),
        keyring: reach_keyring(),
        workspace: workspace.ok(),
    };
    let problem = match (&findings.workspace, missing) {
        (_, Some(missing)) => Some(format!("{missing}; `jp-lsp init` makes one")),
        (Some(workspace), None) => workspace.problem(&findings.keyring),
        (None, None) => None,
    };
    match arguments.format {
        AnswerFormat::Json => {
            writeln!(output, "{}", findings.to_json(problem.as_deref()))?;
        }
        AnswerFormat::Human => findings.tell(problem.as_deref(), output)?,
    }
    Ok(match (&findings.workspace, problem) {
        (None, _) => 2,
        (Some(workspace), problem) => u8::from(match &workspace.agreement {
            Some(agreement) => !agreement.differences.is_empty(),
            None => problem.is_some(),
        }),
    })
}

fn examine(Location { root, directory }: &Location, resolved: Option<&Value>) -> Workspace {
    let roots = workspace::roots(root, directory);
    let graph = Arc::new(Graph::load(&roots, &DiskFiles::trusted()));
    let dialect = Dialect::Released;
    let analysis = Analysis::new(Arc::clone(&graph), Options { dialect });
    let count = |is_meant: &dyn Fn(&jp_analysis::Diagnostic) -> bool| {
        let all = analysis.all_diagnostics();
        all.flat_map(|(_, findings)| findings.iter())
            .filter(|finding| is_meant(finding))
            .count()
    };
    let is_refused = |finding: &jp_analysis::Diagnostic| finding.code == Code::ReleasedJpRejects;
    let trust = Door::new(root, Vouched::Nobody)
        .and_then(|door| WorkspaceConfig::new(roots).pass(&door))
        .map_err(|error| error.to_string());
    Workspace {
        status: status(&graph),
        errors: count(&|finding| finding.severity == Severity::Error),
        warnings: count(&|finding| finding.severity == Severity::Warning && !is_refused(finding)),
        hints: count(&|finding| finding.severity == Severity::Hint),
        refused_by_released: count(&is_refused),
        trust,
        servers: servers(&graph, root),
        agreement: resolved.map(|resolved| agreement(&View::new(graph), resolved)),
    }
}

/// An MCP server of a workspace.
struct ServerFinding {
    name: String,
    /// Whether the person's settings hold it to something.
    has_grants: bool,
    /// Whether it is reached over HTTP, so that nothing of it runs here.
    is_remote: bool,
}

/// The MCP servers of a workspace.
fn servers(graph: &Arc<Graph>, root: &Utf8Path) -> Result<Vec<ServerFinding>, String> {
    let granted = user_settings::of(root)
        .map_err(|error| error.to_string())?
        .servers;
    let view = View::new(Arc::clone(graph));
    let names = view.keys(&["providers", "mcp"]).into_iter();
    Ok(names
        .map(|name| {
            let kind = view.effective(&["providers", "mcp", &name, "type"]);
            ServerFinding {
                has_grants: granted.contains_key(&name),
                is_remote: kind.is_some_and(|kind| kind.value.as_str() == Some("http")),
                name,
            }
        })
        .collect())
}

/// Whether the keyring of the system is there.
fn reach_keyring() -> Result<(), String> {
    let keyring = Keyring::of_system().map_err(|error| error.to_string())?;
    let reached = keyring.with_patience(PATIENCE).reach();
    reached.map_err(|error: KeyringError| error.to_string())
}

/// Where a program is found, as a shell would.
fn on_path(program: &str) -> Option<Utf8PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(format!("{program}{}", env::consts::EXE_SUFFIX)))
        .find(|path| path.is_file())
        .and_then(|path| Utf8PathBuf::from_path_buf(path).ok())
}

impl Workspace {
    fn problem(&self, keyring: &Result<(), String>) -> Option<String> {
        let unreachable = || {
            let used = self.status.used_key().filter(|key| key.is_kept)?;
            let problem = keyring.as_ref().err()?;
            Some(format!("the key of {} is kept: {problem}", used.provider))
        };
        let untrusted = || {
            let trust = self.trust.as_ref().err()?;
            let first = trust.lines().next().unwrap_or_default();
            Some(format!(
                "{}; `jp-lsp trust` shows what it starts and sends and records that you trust it",
                first.trim_end_matches(':')
            ))
        };
        let settings = || self.servers.as_ref().err().cloned();
        let problem = self.status.problem.clone();
        problem
            .or_else(unreachable)
            .or_else(untrusted)
            .or_else(settings)
    }
}

impl Findings {
    fn to_json(&self, problem: Option<&str>) -> Value {
        let workspace = self.workspace.as_ref().map(|workspace| {
            json!({
                "status": workspace.status,
                "errors": workspace.errors,
                "warnings": workspace.warnings,
                "hints": workspace.hints,
                "refusedByReleasedJp": workspace.refused_by_released,
                "isTrusted": workspace.trust.is_ok(),
                "servers": workspace.servers.iter().flatten().map(|server| json!({
                    "name": server.name,
                    "hasGrants": server.has_grants,
                    "isRemote": server.is_remote,
                })).collect::<Vec<_>>(),
                "agreement": workspace.agreement.as_ref().map(agreement::to_json),
            })
        });
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "program": self.program,
            "jp": self.jp,
            "editors": self.editors,
            "store": self.store,
            "sandbox": {
                "mechanisms": self.mechanisms,
                "abilities": abilities(self.mechanisms),
            },
            "keyring": { "problem": self.keyring.as_ref().err() },
            "workspace": workspace,
            "problem": problem,
        })
    }

    fn tell(&self, problem: Option<&str>, output: &mut dyn Write) -> io::Result<()> {
        let mut line = |name: &str, text: &str| {
            writeln!(output, "{name:<11}{}", visible(text).replace('\n', " "))
        };
        let place = |path: &Option<Utf8PathBuf>| match path {
            Some(path) => format!("at {path}"),
            None => "at a place that is not known".to_owned(),
        };
        let version = env!("CARGO_PKG_VERSION");
        line("jp-lsp", &format!("{version} {}", place(&self.program)))?;
        match &self.jp {
            Some(path) => line("jp", &format!("at {path}"))?,
            None => line("jp", "not on PATH; jp-lsp does not need it")?,
        }
        match self.editors.as_slice() {
            [] => line("editors", "none on PATH")?,
            editors => line("editors", &editors.join(", "))?,
        }
        if let Some(store) = &self.store {
            line("store", store.as_str())?;
        }
        for ability in abilities(self.mechanisms) {
            line("sandbox", &ability.in_words())?;
        }
        match &self.keyring {
            Ok(()) => line(
                "keyring",
                "there; `jp-lsp key set PROVIDER` keeps a key in it",
            )?,
            Err(problem) => line("keyring", &format!("not used: {problem}"))?,
        }
        if let Some(workspace) = &self.workspace {
            for (name, text) in workspace.lines() {
                line(name, &text)?;
            }
        }
        match problem {
            Some(problem) => writeln!(output, "\nNo turn can begin: {}", visible(problem))?,
            None => writeln!(output, "\nA turn can begin.")?,
        }
        let found = self.workspace.as_ref();
        match found.and_then(|workspace| workspace.agreement.as_ref()) {
            Some(found) => agreement::tell(found, output),
            None => Ok(()),
        }
    }
}

impl Workspace {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut counts = vec![
            plural(self.errors, "error"),
            plural(self.warnings, "warning"),
        ];
        if self.hints > 0 {
            counts.push(plural(self.hints, "hint"));
        }
        let mut lines = vec![(
            "workspace",
            format!("{}, {}", self.status.workspace, counts.join(", ")),
        )];
        lines.push(match self.refused_by_released {
            0 => (
                "dialect",
                "the released jp loads this config too".to_owned(),
            ),
            count => (
                "dialect",
                format!("the released jp refuses {}", plural(count, "key")),
            ),
        });
        lines.push(match &self.trust {
            Ok(()) => ("trust", "trusted, or there is nothing to trust".to_owned()),
            Err(_) => ("trust", "not trusted as it is".to_owned()),
        });
        lines.push((
            "model",
            self.status
                .model
                .as_ref()
                .map_or_else(|| "none".to_owned(), model_words),
        ));
        let used = self.status.used_key();
        let keys = self.status.keys.iter();
        let told = keys.filter(|key| key.is_set || !key.is_own_origin || Some(*key) == used);
        let told: Vec<String> = told.map(key_words).collect();
        match told.as_slice() {
            [] => lines.push(("keys", "none is set".to_owned())),
            told => lines.extend(told.iter().map(|words| ("keys", words.clone()))),
        }
        match &self.servers {
            Ok(servers) => lines.extend(servers.iter().map(|server| {
                let held = match (server.is_remote, server.has_grants) {
                    (true, false) => "is reached over HTTP: nothing of it runs here",
                    (true, true) => {
                        "is not asked: it has grants of a process, and is reached over HTTP"
                    }
                    (false, true) => "has grants",
                    (false, false) => "has no grants, and nothing holds it",
                };
                ("servers", format!("{} {held}", server.name))
            })),
            Err(why) => lines.push(("servers", format!("none starts: {why}"))),
        }
        lines
    }
}

fn plural(count: usize, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    }
}

fn model_words(model: &ModelStatus) -> String {
    let alias = match model.written == model.id {
        true => String::new(),
        false => format!(", for {}", model.written),
    };
    match (&model.path, model.line) {
        (Some(path), Some(line)) => format!("{}{alias} ({path}:{line})", model.id),
        _ => format!("{}{alias}", model.id),
    }
}

fn key_words(key: &KeyStatus) -> String {
    let is = match (key.is_kept, key.is_set) {
        (true, _) => "is kept in the keyring",
        (false, true) => "is set",
        (false, false) => "is not set",
    };
    let own = if key.is_own_origin {
        ""
    } else {
        ", which is not the provider's own address"
    };
    format!("{} {is}; it goes to {}{own}", key.variable, key.origin)
}
