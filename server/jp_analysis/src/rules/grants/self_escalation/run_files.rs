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

use super::unasked::RunPolicy;
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
    /// The file of the config that has the last word in it.
    said_in: Option<FileId>,
}

/// The files that the tools and servers of a view run.
#[derive(Debug, Default)]
pub(crate) struct RunFiles {
    /// By tool, in no order that counts; tools that run none are left out.
    by_tool: BTreeMap<String, Vec<RunFile>>,
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
    /// What the tools run that the view's own layers say something of, and their names; nothing for the workspace's own view.
    own: Option<(RunFiles, HashSet<&'a str>)>,
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
        let is_known = |name: &str| self.by_tool.get(name).map_or(&[][..], Vec::as_slice);
        let changed: Vec<(&str, Vec<RunFile>)> = changed
            .map(|name| (name, of_tool(&view, name)))
            .filter(|(name, runs)| is_known(name) != runs)
            .collect();
        if changed.is_empty() {
            return None;
        }
        let mut by_tool = self.by_tool.clone();
        for (name, runs) in changed {
            by_tool.insert(name.to_owned(), runs);
        }
        by_tool.retain(|_, runs| !runs.is_empty());
        Some(Self::of_parts(by_tool, self.servers.clone()))
    }

    /// Equal where the same files are run by the same.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    fn of<'n>(view: &View, names: impl Iterator<Item = &'n str>) -> Self {
        let by_tool = names.map(|name| (name.to_owned(), of_tool(view, name)));
        let by_tool = by_tool.filter(|(_, runs)| !runs.is_empty()).collect();
        let servers = view.keys(&SERVERS);
        let servers = servers.iter().flat_map(|server| of_server(view, server));
        Self::of_parts(by_tool, servers.collect())
    }

    fn of_parts(by_tool: BTreeMap<String, Vec<RunFile>>, servers: Vec<RunFile>) -> Self {
        let all: Vec<RunFile> = by_tool
            .values()
            .flatten()
            .chain(&servers)
            .cloned()
            .collect();
        let mut hasher = DefaultHasher::new();
        all.hash(&mut hasher);
        let paths = all.iter().map(|run| run.file.clone());
        Self {
            by_tool,
            servers,
            index: PathIndex::new(paths.zip(0..)),
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
        Self {
            base,
            own: Some((found, names)),
        }
    }

    /// Equal where the same files are run by the same.
    pub(crate) fn identity(&self) -> u64 {
        match &self.own {
            None => self.base.identity,
            Some((own, _)) => combine(self.base.identity, own.identity),
        }
    }

    /// The files that run, below a path and not below deeper ones that are sorted.
    pub(super) fn between(&self, path: &Utf8Path, deeper: &[&Utf8Path]) -> Vec<RunFile> {
        let base = self.base.between(path, deeper);
        let Some((found, own)) = &self.own else {
            return base.cloned().collect();
        };
        let is_said_anew = |run: &&RunFile| match &run.runner {
            Runner::Tool(name) | Runner::Formatter(name) => own.contains(name.as_str()),
            Runner::Server(_) => true,
        };
        let base = base.filter(|run| !is_said_anew(run));
        base.chain(found.between(path, deeper)).cloned().collect()
    }
}

/// The files that a tool runs: by its command, where some call runs unasked, and by its formatter.
fn of_tool(view: &View, name: &str) -> Vec<RunFile> {
    let workspace = &view.graph().workspace;
    let mut found: Vec<RunFile> = Vec::new();
    let mut note = |files: Vec<Utf8PathBuf>, command: Option<&Located>, runner: &Runner| {
        for file in files
            .iter()
            .filter_map(|file| in_workspace(file, workspace))
        {
            let run = RunFile {
                file,
                runner: runner.clone(),
                said_in: said_in(view, command),
            };
            if !found.contains(&run) {
                found.push(run);
            }
        }
    };
    // A word that is no command names no file either.
    let formatter = view.effective(&[TOOLS[0], TOOLS[1], name, "style", "parameters"]);
    let files = formatter.as_ref().map(scripts).unwrap_or_default();
    note(
        files,
        formatter.as_ref(),
        &Runner::Formatter(name.to_owned()),
    );
    if name == DEFAULTS {
        return found;
    }
    let command = view.effective(&[TOOLS[0], TOOLS[1], name, "command"]);
    let files = command.as_ref().map(scripts).unwrap_or_default();
    if !files.is_empty()
        && let Some(context) = ToolContext::of(view, name, Options::default())
        && let Some(policy) = RunPolicy::of(&context)
        && policy.unasked().is_some()
    {
        note(files, command.as_ref(), &Runner::Tool(name.to_owned()));
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
    let files = scripts_of(command, server.get("arguments"));
    let files = files
        .iter()
        .filter_map(|file| in_workspace(file, workspace));
    let runner = Runner::Server(name.to_owned());
    files
        .map(|file| RunFile {
            file,
            runner: runner.clone(),
            said_in: said_in(view, Some(command)),
        })
        .collect()
}

fn said_in(view: &View, command: Option<&Located>) -> Option<FileId> {
    view.file(command?.origin()?.layer)
}
