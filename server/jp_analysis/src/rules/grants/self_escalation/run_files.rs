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

use std::{collections::HashSet, sync::OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexSet;
use jp_config::{source::ToolSource, view::View};

use crate::{
    explain::permits_unasked,
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
}

/// The files that the tools and servers of a view run.
#[derive(Debug, Default)]
pub(super) struct RunFiles {
    all: IndexSet<RunFile>,
    index: PathIndex,
}

/// What runs in the workspace's own view, found when first asked for.
#[derive(Debug, Default)]
pub(crate) struct BaseRuns(OnceLock<RunFiles>);

/// What runs in one view: that of the workspace, and what a fragment says otherwise.
#[derive(Debug)]
pub(crate) struct Runs<'a> {
    base: &'a BaseRuns,
    /// The tools that the view's own layers say something of; nothing for the workspace's own view.
    own: Option<Vec<&'a str>>,
    found: OnceLock<RunFiles>,
}

impl<'a> Runs<'a> {
    /// What runs in the workspace's own view.
    pub(crate) fn of_workspace(base: &'a BaseRuns) -> Self {
        Self {
            base,
            own: None,
            found: OnceLock::new(),
        }
    }

    /// What runs in the view of a fragment, whose own layers say something of these tools.
    pub(crate) fn of_fragment(base: &'a BaseRuns, own: impl Iterator<Item = &'a str>) -> Self {
        Self {
            own: Some(own.collect()),
            ..Self::of_workspace(base)
        }
    }

    /// The files that run, below a path and not below deeper ones that are sorted.
    pub(super) fn between(
        &self,
        view: &View,
        path: &Utf8Path,
        deeper: &[&Utf8Path],
    ) -> Vec<RunFile> {
        let base = self.base.0.get_or_init(|| {
            let workspace = View::new(std::sync::Arc::clone(view.graph()));
            let names = workspace.keys(&TOOLS);
            RunFiles::of(&workspace, names.iter().map(String::as_str))
        });
        let Some(own) = &self.own else {
            return base.between(path, deeper).cloned().collect();
        };
        let found = self
            .found
            .get_or_init(|| RunFiles::of(view, own.iter().copied()));
        let own: HashSet<&str> = own.iter().copied().collect();
        let is_said_anew = |run: &&RunFile| match &run.runner {
            Runner::Tool(name) | Runner::Formatter(name) => own.contains(name.as_str()),
            Runner::Server(_) => true,
        };
        let base = base.between(path, deeper).filter(|run| !is_said_anew(run));
        base.chain(found.between(path, deeper)).cloned().collect()
    }
}

impl RunFiles {
    fn of<'n>(view: &View, names: impl Iterator<Item = &'n str>) -> Self {
        let mut all = IndexSet::new();
        for name in names {
            of_tool(view, name, &mut all);
        }
        for server in view.keys(&SERVERS) {
            of_server(view, &server, &mut all);
        }
        let paths = all.iter().map(|run: &RunFile| run.file.clone());
        Self {
            index: PathIndex::new(paths.zip(0..)),
            all,
        }
    }

    fn between(&self, path: &Utf8Path, deeper: &[&Utf8Path]) -> impl Iterator<Item = &RunFile> {
        let ranges = self.index.between(path, deeper).into_iter();
        let places = ranges.flatten().filter_map(|at| self.index.get(at));
        places.filter_map(|(_, place)| self.all.get_index(place))
    }
}

fn of_tool(view: &View, name: &str, found: &mut IndexSet<RunFile>) {
    let workspace = &view.graph().workspace;
    let key = |path: &[&str]| {
        let path: Vec<&str> = [TOOLS[0], TOOLS[1], name]
            .into_iter()
            .chain(path.iter().copied())
            .collect();
        view.effective(&path)
    };
    let mut note = |file: Utf8PathBuf, runner: Runner| {
        let file = in_workspace(&file, workspace);
        found.extend(file.map(|file| RunFile { file, runner }));
    };
    // Words that are no command name no file either.
    let formatter = key(&["style", "parameters"]);
    for file in formatter.iter().flat_map(scripts) {
        note(file, Runner::Formatter(name.to_owned()));
    }
    if name == DEFAULTS {
        return;
    }
    let files = key(&["command"]).as_ref().map(scripts).unwrap_or_default();
    if files.is_empty() {
        return;
    }
    let Some(context) = ToolContext::of(view, name, Options::default()) else {
        return;
    };
    let is_local = matches!(context.source(), Some(ToolSource::Local { .. }));
    if is_local && permits_unasked(&context) {
        for file in files {
            note(file, Runner::Tool(name.to_owned()));
        }
    }
}

fn of_server(view: &View, name: &str, found: &mut IndexSet<RunFile>) {
    let server = view.effective(&[SERVERS[0], SERVERS[1], name]);
    let Some((server, command)) = server
        .as_ref()
        .and_then(|it| Some((it, it.get("command")?)))
    else {
        return;
    };
    for file in scripts_of(command, server.get("arguments")) {
        let file = in_workspace(&file, &view.graph().workspace);
        let runner = Runner::Server(name.to_owned());
        found.extend(file.map(|file| RunFile { file, runner }));
    }
}
