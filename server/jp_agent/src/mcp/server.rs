//! One MCP server, from its start to its end.
//!
//! ```json
//! {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"clientInfo": {"name": "jp-lsp", "version": "0.1.0"}}}
//! ```

use std::collections::HashSet;
use std::ffi::OsString;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use camino::Utf8PathBuf;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
    PaginatedRequestParams, Tool,
};
use rmcp::service::{
    ClientInitializeError, NotificationContext, Peer, RunningService, serve_client,
};
use rmcp::{ClientHandler, RoleClient, ServiceError};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::checksum;
use super::http;
use super::last_words::LastWords;
use super::lines::bounded;
use super::patience::Patience;
use crate::config::{McpProgram, McpReach, McpServerConfig};
use crate::environment::{Variables, searchable};
use crate::exit::ending;
use crate::group::{Group, Prepared};
use crate::sandbox::{Confinement, MadeFolders, Sandbox, with_temporary};
use crate::trust::TrustedWorkspace;

/// What every program may need to know of its surroundings.
const ENVIRONMENT: [&str; 12] = [
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "SYSTEMROOT",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_RUNTIME_DIR",
];

/// How many pages a list of tools may have.
const MOST_PAGES: usize = 100;

/// How many tools a server may have.
const MOST_TOOLS: usize = 10_000;

/// How long a process that has closed its streams may take to end.
const ENDING: Duration = Duration::from_secs(1);

/// How long the streams of a process that has ended may take to close.
const CLOSING: Duration = Duration::from_millis(100);

/// How long it may take to notice that a process has ended.
const NOTICING: Duration = Duration::from_millis(200);

/// What we are to a server.
#[derive(Debug)]
struct Client {
    /// Whether the server has said that its tools are others than before.
    tools_changed: Arc<AtomicBool>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let ourselves = Implementation::new("jp-lsp", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), ourselves)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.store(true, Ordering::Relaxed);
    }
}

/// A server that was started.
#[derive(Debug)]
pub(super) struct Server {
    service: RunningService<RoleClient, Client>,
    tools: Mutex<Vec<Tool>>,
    tools_changed: Arc<AtomicBool>,
    patience: Arc<Patience>,
    /// Passes on what the server says, until that ends.
    relay: Mutex<JoinHandle<()>>,
    /// What runs here; nothing for a server that is reached over HTTP.
    process: Option<Process>,
}

/// A server that is a process here.
#[derive(Debug)]
struct Process {
    last_words: LastWords,
    /// Ends the processes when the last user is gone.
    group: Mutex<Group>,
    /// The folders that are there for the server, where it is held, and as long as it is.
    _own: Own,
}

/// The folders that are there for a server: its own one, and those that were made.
type Own = (Option<TempDir>, MadeFolders);

/// What a server is started with beside its config.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    pub(super) workspace: TrustedWorkspace,
    pub(super) sandbox: Arc<Sandbox>,
    /// The files that the config is made of.
    pub(super) protected: Arc<[Utf8PathBuf]>,
}

/// What went wrong before a server could be used.
enum Failed {
    /// It does not answer in the protocol, perhaps because it has ended.
    Greeting(String),
    /// It does, and then something else was wrong.
    Later(String),
}

/// Starts a server and asks for its tools.
pub(super) async fn start(
    ground: &Ground,
    name: &str,
    config: &McpServerConfig,
) -> Result<Server, String> {
    let patience = Arc::new(Patience::default());
    match &config.reach {
        McpReach::Stdio(program) => start_process(ground, name, config, program, patience).await,
        McpReach::Http(address) => {
            if ground.sandbox.servers.contains_key(name) {
                return Err(format!(
                    "it is not asked: `[sandbox.mcp.{name}]` of your `lsp.toml` says what its process may do, and it is reached \
                     over HTTP, where nothing can be held; remove one of them"
                ));
            }
            let (says, told) =
                http::connect(address, &patience).map_err(|why| format!("it {why}"))?;
            greet(name, config, (says, told), patience, None)
                .await
                .map_err(|(failed, patience, _)| match failed {
                    Failed::Greeting(error) => patience.lost().unwrap_or(&error).to_owned(),
                    Failed::Later(problem) => problem,
                })
        }
    }
}

async fn start_process(
    ground: &Ground,
    name: &str,
    config: &McpServerConfig,
    program: &McpProgram,
    patience: Arc<Patience>,
) -> Result<Server, String> {
    let (mut group, own) = spawn(ground, name, program).await?;
    let streams = (
        group.child.stdout.take(),
        group.child.stdin.take(),
        group.child.stderr.take(),
    );
    let (Some(stdout), Some(stdin), Some(stderr)) = streams else {
        return Err("its streams are not open".to_owned());
    };
    let process = Process {
        last_words: LastWords::of(stderr),
        group: Mutex::new(group),
        _own: own,
    };
    let greeted = greet(name, config, (stdout, stdin), patience, Some(process)).await;
    let (failed, patience, process) = match greeted {
        Ok(server) => return Ok(server),
        Err(failed) => failed,
    };
    let Some(process) = process else {
        return Err("it has no process".to_owned());
    };
    let mut group = process.group.into_inner();
    match failed {
        Failed::Greeting(error) => {
            let error = patience.lost().unwrap_or(&error);
            // It may be on its way out; what still runs has nothing more to say.
            let ended = timeout(NOTICING, group.wait()).await;
            let ended = ended.ok().and_then(Result::ok).map(ending);
            group.kill();
            let ended = ended.map_or_else(String::new, |how| format!("; it ended with {how}"));
            let last = process.last_words.quoted().await;
            Err(format!("it does not speak MCP: {error}{ended}{last}"))
        }
        Failed::Later(problem) => {
            group.kill();
            Err(format!("{problem}{}", process.last_words.quoted().await))
        }
    }
}

/// Greets a server over its streams and asks for its tools; where that fails, what is there of it comes back.
async fn greet(
    name: &str,
    config: &McpServerConfig,
    (says, told): (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ),
    patience: Arc<Patience>,
    process: Option<Process>,
) -> Result<Server, (Failed, Arc<Patience>, Option<Process>)> {
    let tools_changed = Arc::new(AtomicBool::new(false));
    let client = Client {
        tools_changed: Arc::clone(&tools_changed),
    };
    let (lines, relay) = bounded(says, Arc::clone(&patience));
    let greeting = async {
        let service = serve_client(client, (lines, told))
            .await
            .map_err(|error| match error {
                // Over HTTP it says in words of ours why there is no greeting.
                ClientInitializeError::JsonRpcError(error) if process.is_none() => {
                    Failed::Greeting(error.message.into_owned())
                }
                error => Failed::Greeting(error.to_string()),
            })?;
        let tools = list(&service, &patience).await.map_err(Failed::Later)?;
        Ok((service, tools))
    };
    let greeted = timeout(config.startup_timeout, greeting).await;
    let seconds = config.startup_timeout.as_secs();
    let greeted = greeted.unwrap_or_else(|_| {
        Err(Failed::Later(format!(
            "it did not start within {seconds} seconds, see `providers.mcp.{name}.startup_timeout_secs`"
        )))
    });
    match greeted {
        Ok((service, tools)) => Ok(Server {
            service,
            tools: Mutex::new(tools),
            tools_changed,
            patience,
            relay: Mutex::new(relay),
            process,
        }),
        Err(failed) => Err((failed, patience, process)),
    }
}

async fn spawn(ground: &Ground, name: &str, config: &McpProgram) -> Result<(Group, Own), String> {
    let workspace = &ground.workspace;
    let program = match &config.checksum {
        // The file that was looked at is the one that runs, whatever `PATH` says a moment later.
        Some(checksum) => checksum::verified(&config.command, workspace.root(), checksum).await?,
        None => config.command.clone().into(),
    };
    let variables = ENVIRONMENT
        .into_iter()
        .chain(config.variables.iter().map(String::as_str))
        .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
    let variables = searchable(variables);
    let confinement = confinement(ground, name, config, variables.clone()).await?;
    let variables = match confinement.as_ref().and_then(Confinement::own_folder) {
        Some(folder) => with_temporary(variables, folder),
        None => variables,
    };
    let (profile, own) = match confinement {
        Some(confinement) => (
            Some(confinement.profile),
            (confinement.temporary, confinement.folders),
        ),
        None => (None, Own::default()),
    };
    let failed = |error| format!("`{}` cannot be started: {error}", config.command);
    let mut prepared = Prepared::server(&program, profile.as_ref()).map_err(failed)?;
    prepared
        .command
        .args(&config.arguments)
        .current_dir(workspace.root())
        .env_clear()
        .envs(variables)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let group = prepared.spawn().await.map_err(failed)?;
    Ok((group, own))
}

/// What holds a server, where a person has said what it may do.
async fn confinement(
    ground: &Ground,
    name: &str,
    config: &McpProgram,
    variables: Variables,
) -> Result<Option<Confinement>, String> {
    if !ground.sandbox.servers.contains_key(name) {
        return Ok(None);
    }
    let (ground, name, config) = (ground.clone(), name.to_owned(), config.clone());
    // It looks at many files.
    let found = tokio::task::spawn_blocking(move || {
        let root = ground.workspace.root();
        let protected = &ground.protected;
        let sandbox = &ground.sandbox;
        sandbox.server_confinement(&name, root, protected, &config, variables)
    });
    found
        .await
        .map_err(|error| error.to_string())?
        .map_err(|why| format!("it was not started: {why}"))
}

/// All tools of a server, if it comes to an end with them.
async fn list(peer: &Peer<RoleClient>, patience: &Patience) -> Result<Vec<Tool>, String> {
    let mut tools = Vec::new();
    let mut cursor = None;
    let mut seen = HashSet::new();
    for _ in 0..MOST_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor.take());
        patience.renew();
        let page = peer.list_tools(Some(page)).await.map_err(|error| {
            let why = patience.lost().map(str::to_owned);
            let why = why.unwrap_or_else(|| error.to_string());
            format!("it does not list its tools: {why}")
        })?;
        tools.extend(page.tools);
        if tools.len() > MOST_TOOLS {
            return Err(format!("it lists more than {MOST_TOOLS} tools"));
        }
        match page.next_cursor {
            None => return Ok(tools),
            Some(next) if !seen.insert(next.clone()) => {
                return Err("its list of tools leads back to a page of its own".to_owned());
            }
            next => cursor = next,
        }
    }
    Err(format!(
        "its list of tools has more than {MOST_PAGES} pages"
    ))
}

impl Server {
    /// Whether it can be asked something.
    pub(super) async fn is_alive(&self) -> bool {
        if self.service.is_closed() || self.service.is_transport_closed() {
            return false;
        }
        let mut relay = self.relay.lock().await;
        if let Some(process) = &self.process {
            let exited = process.group.lock().await.child.try_wait();
            if matches!(exited, Ok(Some(_))) && !relay.is_finished() {
                // What it started may serve on in its place; if not, its streams are about to close.
                let _ = timeout(CLOSING, &mut *relay).await;
            }
        }
        !relay.is_finished()
    }

    /// Its tools, asked for again where it has said that they are others.
    pub(super) async fn tools(&self, limit: Duration) -> Result<Vec<Tool>, String> {
        let mut tools = self.tools.lock().await;
        if self.tools_changed.swap(false, Ordering::Relaxed) {
            let listed = timeout(limit, list(&self.service, &self.patience)).await;
            *tools = listed.unwrap_or_else(|_| {
                Err(format!(
                    "it did not list its tools within {} seconds",
                    limit.as_secs()
                ))
            })?;
        }
        Ok(tools.clone())
    }

    /// Calls a tool. Dropping the call tells the server to cancel it.
    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
    ) -> Result<CallToolResult, ServiceError> {
        self.patience.renew();
        self.service.call_tool(request).await
    }

    /// How a server that has closed its streams has ended, and what it wrote to standard error at last.
    ///
    /// One that nobody listens to any more is ended.
    pub(super) async fn last_words(&self) -> String {
        let why = self.patience.lost();
        let Some(Process {
            last_words, group, ..
        }) = &self.process
        else {
            return why.map_or_else(String::new, |why| format!(": {why}"));
        };
        if let Some(why) = why {
            group.lock().await.kill();
            return format!(": {why}{}", last_words.quoted().await);
        }
        let status = timeout(ENDING, async { group.lock().await.wait().await }).await;
        let how = match status {
            Ok(Ok(status)) => format!(" with {}", ending(status)),
            _ => String::new(),
        };
        format!("{how}{}", last_words.quoted().await)
    }
}
