//! Files that run without anybody being asked: whoever writes one of them runs what they like.
//!
//! ```toml
//! [conversation.tools.lint]
//! command = "python3 tools/lint.py"   # runs whenever the tool does
//! run = "unattended"
//!
//! [providers.mcp.docs]
//! command = "tools/docs-server"       # runs at every start
//! ```

use std::{
    collections::{BTreeMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    graph::{FileId, Graph},
    merge::Located,
    view::View,
};

use super::{
    removers::{Removed, Remover},
    unasked::RunPolicy,
};
use crate::{
    identity::combine,
    options::Options,
    rules::{
        commands::{in_workspace, scripts, scripts_of},
        grants::grant_covers_config::PathIndex,
    },
    tool::{DEFAULTS, TOOLS, ToolContext},
};

/// The config path of the MCP servers.
pub(super) const SERVERS: [&str; 2] = ["providers", "mcp"];

/// What git, `direnv` and editors run of themselves, and who does.
pub(super) const HOOKS: [(&str, &str); 14] = [
    (".git/config", "`git`"),
    (".git/hooks/pre-commit", "`git`"),
    (".git/hooks/commit-msg", "`git`"),
    (".git/hooks/post-checkout", "`git`"),
    (".git/hooks/post-commit", "`git`"),
    (".git/hooks/post-merge", "`git`"),
    (".git/hooks/post-rewrite", "`git`"),
    (".git/hooks/pre-push", "`git`"),
    (".git/hooks/pre-rebase", "`git`"),
    (".git/hooks/prepare-commit-msg", "`git`"),
    (".envrc", "`direnv`"),
    (".vscode/settings.json", "the editor"),
    (".vscode/tasks.json", "the editor"),
    (".idea/workspace.xml", "the editor"),
];

/// Who runs a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Runner {
    /// A tool that may run without a question, by its `command`.
    Tool(String),
    /// The formatter of a tool's arguments, whenever they are shown.
    Formatter(String),
    /// An MCP server, when it starts.
    Server(String),
}

/// A file that runs without a question.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct RunFile {
    /// The file, relative to the workspace.
    pub(super) file: Utf8PathBuf,
    pub(super) runner: Runner,
    /// Whether it runs once it is there, and nothing fails where it is not.
    pub(super) is_looked_for: bool,
    /// The file of the config that has the last word in it.
    said_in: Option<FileId>,
    /// What stands in the grants of the tool that runs it, which are those of whoever writes the file.
    grants: u64,
}

/// What one tool has to do with files that run.
#[derive(Debug, Clone, Default)]
struct ToolRuns {
    files: Vec<RunFile>,
    /// What it may remove.
    remover: Option<Remover>,
}

impl ToolRuns {
    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.remover.is_none()
    }

    /// Whether another reading of the tool says the same.
    fn stands_for(&self, other: &Self) -> bool {
        let remover = match (&self.remover, &other.remover) {
            (Some(known), Some(other)) => known.stands_for(other),
            (known, other) => known.is_none() && other.is_none(),
        };
        remover && self.files == other.files
    }
}

/// The files that the tools and servers of a view run.
#[derive(Debug, Default)]
pub(crate) struct RunFiles {
    /// Tools that run and remove none are left out.
    by_tool: BTreeMap<String, ToolRuns>,
    files: Arc<Files>,
    removed: Removed,
    identity: u64,
}

/// The files themselves, which stay the same while a key changes who may remove them.
#[derive(Debug, Default)]
struct Files {
    servers: Vec<RunFile>,
    /// All of them by their paths.
    all: Vec<RunFile>,
    index: PathIndex,
    identity: u64,
}

/// What runs in one view: that of the workspace, and what a fragment says otherwise.
#[derive(Debug)]
pub(crate) struct Runs<'a> {
    base: &'a RunFiles,
    /// What the view's own layers say otherwise; nothing for the workspace's own view.
    own: Option<Own<'a>>,
}

/// What the layers of a fragment say of the tools that they name.
#[derive(Debug)]
struct Own<'a> {
    names: HashSet<&'a str>,
    found: RunFiles,
    /// Which files of the workspace these tools may remove.
    removed: Removed,
}

impl RunFiles {
    /// What runs in the workspace's own view.
    pub(crate) fn of_workspace(graph: &Arc<Graph>) -> Self {
        let view = View::new(Arc::clone(graph));
        let names = view.keys(&TOOLS);
        Self::of(&view, names.iter().map(String::as_str))
    }

    /// The same after a change of some tools; nothing where it comes to the same.
    pub(crate) fn updated<'n>(
        &self,
        graph: &Arc<Graph>,
        changed: impl Iterator<Item = &'n str>,
    ) -> Option<Self> {
        let view = View::new(Arc::clone(graph));
        let nothing = ToolRuns::default();
        let is_known = |name: &str| self.by_tool.get(name).unwrap_or(&nothing);
        let changed: Vec<(&str, ToolRuns)> = changed
            .map(|name| (name, of_tool(&view, name)))
            .filter(|(name, runs)| !is_known(name).stands_for(runs))
            .collect();
        if changed.is_empty() {
            return None;
        }
        let runs_the_same = changed
            .iter()
            .all(|(name, runs)| is_known(name).files == runs.files);
        let mut by_tool = self.by_tool.clone();
        for (name, runs) in changed {
            by_tool.insert(name.to_owned(), runs);
        }
        by_tool.retain(|_, runs| !runs.is_empty());
        let files = if runs_the_same {
            Arc::clone(&self.files)
        } else {
            let removers = by_tool
                .values_mut()
                .filter_map(|runs| runs.remover.as_mut());
            removers.for_each(|remover| *remover = remover.anew());
            Arc::new(Files::of(&by_tool, self.files.servers.clone()))
        };
        Some(Self::of_parts(&view, by_tool, files))
    }

    /// Equal where the same files are run and removed by the same.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    fn of<'n>(view: &View, names: impl Iterator<Item = &'n str>) -> Self {
        let by_tool = names.map(|name| (name.to_owned(), of_tool(view, name)));
        let by_tool = by_tool.filter(|(_, runs)| !runs.is_empty()).collect();
        let servers = view.keys(&SERVERS);
        let servers = servers.iter().flat_map(|server| of_server(view, server));
        let files = Files::of(&by_tool, servers.collect());
        Self::of_parts(view, by_tool, Arc::new(files))
    }

    fn of_parts(view: &View, by_tool: BTreeMap<String, ToolRuns>, files: Arc<Files>) -> Self {
        let removers = by_tool.values().filter_map(|runs| runs.remover.as_ref());
        let removed = Removed::of(view, &files.index, removers);
        let mut hasher = DefaultHasher::new();
        removed.hash(&mut hasher);
        Self {
            identity: combine(files.identity, hasher.finish()),
            by_tool,
            files,
            removed,
        }
    }
}

impl Files {
    fn of(by_tool: &BTreeMap<String, ToolRuns>, servers: Vec<RunFile>) -> Self {
        let files = by_tool.values().flat_map(|runs| &runs.files);
        let all: Vec<RunFile> = files.chain(&servers).cloned().collect();
        let paths = all.iter().map(|run| run.file.clone());
        let mut hasher = DefaultHasher::new();
        all.hash(&mut hasher);
        Self {
            index: PathIndex::new(paths.zip(0..)),
            servers,
            identity: hasher.finish(),
            all,
        }
    }

    fn between(&self, path: &Utf8Path, deeper: &[&Utf8Path]) -> impl Iterator<Item = &RunFile> {
        let ranges = self.index.between(path, deeper).into_iter();
        let places = ranges.flatten().filter_map(|at| self.index.get(at));
        places.filter_map(|(_, place)| self.all.get(place))
    }
}

impl<'a> Runs<'a> {
    /// What runs in the workspace's own view.
    pub(crate) fn of_workspace(base: &'a RunFiles) -> Self {
        Self { base, own: None }
    }

    /// What runs in the view of a fragment, whose own layers say something of these tools.
    pub(crate) fn of_fragment(
        base: &'a RunFiles,
        view: &View,
        own: impl Iterator<Item = &'a str>,
    ) -> Self {
        let names: HashSet<&str> = own.collect();
        let found = RunFiles::of(view, names.iter().copied());
        let removers = found.by_tool.values();
        let removers = removers.filter_map(|runs| runs.remover.as_ref().map(Remover::anew));
        let removers: Vec<Remover> = removers.collect();
        let removed = Removed::of(view, &base.files.index, removers.iter());
        Self {
            base,
            own: Some(Own {
                names,
                found,
                removed,
            }),
        }
    }

    /// Equal where the same files are run and removed by the same.
    pub(crate) fn identity(&self) -> u64 {
        match &self.own {
            None => self.base.identity,
            Some(own) => {
                let mut hasher = DefaultHasher::new();
                own.removed.hash(&mut hasher);
                let own = combine(own.found.identity, hasher.finish());
                combine(self.base.identity, own)
            }
        }
    }

    /// A tool that may remove a file without a question, so that there is none.
    pub(super) fn remover(&self, file: &Utf8Path) -> Option<&str> {
        let base = self.base.removed.by(file);
        let Some(own) = &self.own else {
            return base.first().map(AsRef::as_ref);
        };
        let base = base.iter().map(AsRef::as_ref);
        let base = base.filter(|name| !own.names.contains(name));
        let said = own
            .removed
            .by(file)
            .iter()
            .chain(own.found.removed.by(file));
        base.chain(said.map(AsRef::as_ref)).next()
    }

    /// The files that run, below a path and not below deeper ones that are sorted.
    pub(super) fn between(&self, path: &Utf8Path, deeper: &[&Utf8Path]) -> Vec<RunFile> {
        let base = self.base.files.between(path, deeper);
        let Some(Own { names, found, .. }) = &self.own else {
            return base.cloned().collect();
        };
        let is_said_anew = |run: &&RunFile| match &run.runner {
            Runner::Tool(name) | Runner::Formatter(name) => names.contains(name.as_str()),
            Runner::Server(_) => true,
        };
        let base = base.filter(|run| !is_said_anew(run));
        base.chain(found.files.between(path, deeper))
            .cloned()
            .collect()
    }
}

/// The files that a tool runs, by its command, where some call runs unasked, and by its formatter; and what it may remove.
fn of_tool(view: &View, name: &str) -> ToolRuns {
    let formatter = view.effective(&[TOOLS[0], TOOLS[1], name, "style", "parameters"]);
    let mut runs = ToolRuns {
        files: files_of(
            view,
            formatter.as_ref(),
            &Runner::Formatter(name.to_owned()),
            0,
        ),
        remover: None,
    };
    if name == DEFAULTS {
        return runs;
    }
    runs.remover = Remover::of(view, name);
    let command = view.effective(&[TOOLS[0], TOOLS[1], name, "command"]);
    if command.as_ref().is_some_and(|it| !scripts(it).is_empty())
        && let Some(grants) = unasked_grants(view, name)
    {
        let runner = Runner::Tool(name.to_owned());
        runs.files
            .extend(files_of(view, command.as_ref(), &runner, grants));
    }
    runs
}

/// What stands in the grants of a tool; nothing where somebody is asked about each of its calls.
fn unasked_grants(view: &View, name: &str) -> Option<u64> {
    let context = ToolContext::of(view, name, Options::default())?;
    RunPolicy::of(&context)?.unasked()?;
    let mut hasher = DefaultHasher::new();
    let access = context.tool.at(&["access", "fs"]);
    access
        .map(|access| access.to_json().to_string())
        .hash(&mut hasher);
    Some(hasher.finish())
}

/// The files of the workspace that a command runs; a word that is no command names none.
fn files_of(view: &View, command: Option<&Located>, runner: &Runner, grants: u64) -> Vec<RunFile> {
    let mut found: Vec<RunFile> = Vec::new();
    for script in command.map(scripts).unwrap_or_default() {
        let Some(file) = in_workspace(&script.file, &view.graph().workspace) else {
            continue;
        };
        let run = RunFile {
            file,
            is_looked_for: script.is_looked_for,
            runner: runner.clone(),
            said_in: said_in(view, command),
            grants,
        };
        if !found.contains(&run) {
            found.push(run);
        }
    }
    found
}

/// The files that start a server.
fn of_server(view: &View, name: &str) -> Vec<RunFile> {
    let server = view.effective(&[SERVERS[0], SERVERS[1], name]);
    let Some((server, command)) = server
        .as_ref()
        .and_then(|it| Some((it, it.get("command")?)))
    else {
        return Vec::new();
    };
    let workspace = &view.graph().workspace;
    let scripts = scripts_of(command, server.get("arguments")).into_iter();
    let files = scripts
        .filter_map(|script| Some((in_workspace(&script.file, workspace)?, script.is_looked_for)));
    let runner = Runner::Server(name.to_owned());
    files
        .map(|(file, is_looked_for)| RunFile {
            file,
            is_looked_for,
            runner: runner.clone(),
            said_in: said_in(view, Some(command)),
            grants: 0,
        })
        .collect()
}

fn said_in(view: &View, command: Option<&Located>) -> Option<FileId> {
    view.file(command?.origin()?.layer)
}
