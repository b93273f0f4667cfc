//! `jp-lsp check`: the language server's checks without an editor.
//!
//! ```text
//! $ jp-lsp check
//! error[unknown-key]: unknown key `summery`, did you mean `summary`?
//!   --> .jp/config.toml:4:1
//! ```

use std::{collections::BTreeMap, fs, io::Write, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, ValueEnum};
use jp_analysis::{Analysis, Diagnostic, Dialect, Options, Severities, Severity, SeverityError};
use jp_config::{
    content::ContentFormat,
    graph::{FileId, Graph, MAXIMUM_ENTRIES},
    paths::{is_about_config, is_stored_conversation, normalize},
    view::View,
};
use jp_conversation::visible;

use super::report::{self, Finding, Format};
use crate::{
    disk::{
        below::below,
        config_files::DiskFiles,
        lint_settings,
        settings_file::SettingsFileError,
        workspace::{self, WorkspaceError},
    },
    line_index::LineIndex,
    trust::Records,
};

mod fix;
mod watch;

/// What to check, and how to say what was found.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Workspaces, folders or files; the working directory by default. With a folder come the files that a turn there loads.
    pub paths: Vec<Utf8PathBuf>,
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Which syntax counts as legal: everything in the design documents, or what the released `jp` loads.
    #[arg(long, value_enum, default_value_t = DialectName::Rfd)]
    pub dialect: DialectName,
    /// `warnings`: exit with 1 on warnings too.
    #[arg(long, value_enum)]
    pub deny: Option<Deny>,
    /// How bad the findings with a code are, such as `missing-catch-all=error` or `merge-trap=off`; stronger than `.jp/lsp.toml`. An error stays one.
    #[arg(long, value_name = "CODE=LEVEL")]
    pub severity: Vec<String>,
    /// Applies the preferred fix of each finding until none is left, and reports what needs a person.
    #[arg(long)]
    pub fix: bool,
    /// Checks again whenever a file changes, until it is stopped.
    #[arg(long, conflicts_with = "fix")]
    pub watch: bool,
}

/// The name of a dialect on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DialectName {
    /// Everything in the design documents.
    Rfd,
    /// The same, with a warning on what the released `jp` refuses to load.
    Released,
}

impl From<DialectName> for Dialect {
    fn from(name: DialectName) -> Self {
        match name {
            DialectName::Rfd => Self::Rfd,
            DialectName::Released => Self::Released,
        }
    }
}

/// What else counts as failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    /// Warnings.
    Warnings,
}

/// Why a check could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// A path does not exist.
    #[error("`{0}` does not exist")]
    Missing(Utf8PathBuf),
    /// No workspace holds a path, and none lies below it.
    #[error("no workspace: `{0}` has no `.jp` folder in it, above it or below it")]
    NoWorkspace(Utf8PathBuf),
    /// So much lies below a path that the search for workspaces was given up.
    #[error(
        "more than {MAXIMUM_ENTRIES} entries lie below `{0}`: name the workspaces to check themselves"
    )]
    TooMuchBelow(Utf8PathBuf),
    /// A file is in no format that config can have.
    #[error("`{0}` is no config file: name a TOML, JSON or YAML file")]
    NotConfig(Utf8PathBuf),
    /// A severity on the command line is none.
    #[error("--severity: {0}")]
    Severity(#[from] SeverityError),
    /// The settings of the repository cannot be heeded.
    #[error(transparent)]
    Settings(#[from] SettingsFileError),
    /// A `.jp` folder cannot be looked into, so that nothing found in it says nothing.
    #[error("`{path}` cannot be read: {problem}")]
    Unreadable {
        /// The folder.
        path: Utf8PathBuf,
        /// What the system says.
        problem: std::io::Error,
    },
    /// A fix cannot be written.
    #[error("`{path}` cannot be mended: {problem}")]
    Fix {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        problem: std::io::Error,
    },
    /// Changes cannot be heard of.
    #[error("the files cannot be watched: {0}")]
    Watch(#[from] notify::Error),
    /// There is nowhere to start from.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The output could not be written.
    #[error("the report cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

/// Checks what the arguments name and prints what was found, for people with colours if they are wanted.
///
/// Answers the exit code: 0 without errors, 1 with errors.
///
/// # Errors
///
/// A path that cannot be checked; nothing is printed then.
pub fn run(
    arguments: &CheckArguments,
    is_colored: bool,
    output: &mut dyn Write,
) -> Result<u8, CheckError> {
    let directory = workspace::working_directory()?;
    match arguments.watch {
        true => watch::run(&directory, arguments, is_colored, output),
        false => run_in(&directory, arguments, is_colored, output),
    }
}

pub(crate) fn run_in(
    directory: &Utf8Path,
    arguments: &CheckArguments,
    is_colored: bool,
    output: &mut dyn Write,
) -> Result<u8, CheckError> {
    let mut asked = Severities::default();
    for assignment in &arguments.severity {
        asked.assign(assignment)?;
    }
    let mut findings = Vec::new();
    let mut texts = BTreeMap::new();
    let mut mended = BTreeMap::new();
    let mut without_model = Vec::new();
    for (workspace, targets) in plan(&arguments.paths, directory)?.workspaces {
        let repository = lint_settings::severities(&workspace)?;
        let severities = asked.clone().over(&repository);
        for target in targets {
            let question = Question {
                workspace: &workspace,
                target: &target,
                directory,
                options: Options {
                    dialect: arguments.dialect.into(),
                },
                severities: &severities,
            };
            if arguments.fix {
                fix::apply(&question, &mut mended)?;
            }
            let checked = question.checked();
            findings.extend(checked.findings);
            texts.extend(checked.texts);
            if target == Target::Everything && !checked.names_model {
                without_model.push(workspace.clone());
            }
        }
    }
    if arguments.format == Format::Human {
        for (path, count) in &mended {
            let problems = report::plural(*count, "problem");
            let path = shown(path, directory);
            writeln!(output, "mended {problems} in {}", visible(path.as_str()))?;
        }
    }
    findings.sort_by(Finding::compare);
    findings.dedup();
    report::print(arguments.format, is_colored, &findings, &texts, output)?;
    if arguments.format == Format::Human && !arguments.watch {
        without_model.iter().for_each(|root| tell_no_model(root));
    }
    let denied = |finding: &Finding| match finding.severity {
        Severity::Error => true,
        Severity::Warning => arguments.deny == Some(Deny::Warnings),
        Severity::Information | Severity::Hint => false,
    };
    Ok(u8::from(findings.iter().any(denied)))
}

/// Says that no turn starts before a model is named, which is no mistake in any file.
#[expect(clippy::print_stderr, reason = "standard output has the report alone")]
fn tell_no_model(workspace: &Utf8Path) {
    eprintln!(
        "note: no model is set in `{}`: write `assistant.model.id = \"provider/name\"` into its config, or ask with `--model`",
        visible(workspace.as_str())
    );
}

/// What of a workspace was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// All of it.
    Everything,
    /// One file; or the files below a folder, and those that a turn there loads.
    Below(Utf8PathBuf),
}

/// What the paths name.
#[derive(Debug, Default)]
struct Plan {
    /// The workspaces that the paths lie in or hold, with what is asked of each.
    workspaces: BTreeMap<Utf8PathBuf, Vec<Target>>,
    /// The folders that were looked through for workspaces.
    searched: Vec<Utf8PathBuf>,
}

fn plan(paths: &[Utf8PathBuf], directory: &Utf8Path) -> Result<Plan, CheckError> {
    let mut plan = Plan::default();
    let here = [Utf8PathBuf::from(".")];
    let paths = if paths.is_empty() { &here[..] } else { paths };
    for path in paths {
        let path = normalize(&directory.join(path));
        if !path.exists() && fs::symlink_metadata(&path).is_err() {
            return Err(CheckError::Missing(path));
        }
        if path.is_file() && ContentFormat::of(&path).is_none() {
            return Err(CheckError::NotConfig(path));
        }
        if path.join(".jp").is_dir() {
            plan.ask(path, Target::Everything)?;
        } else if let Some(root) = workspace::root_of(&path) {
            let target = if path == root.join(".jp") {
                Target::Everything
            } else {
                Target::Below(path)
            };
            plan.ask(root, target)?;
        } else {
            let found = below(&path, MAXIMUM_ENTRIES);
            if !found.is_whole {
                return Err(CheckError::TooMuchBelow(path));
            }
            if found.workspaces.is_empty() {
                return Err(CheckError::NoWorkspace(path));
            }
            plan.searched.extend(found.searched);
            for root in found.workspaces {
                plan.ask(root, Target::Everything)?;
            }
        }
    }
    Ok(plan)
}

impl Plan {
    fn ask(&mut self, workspace: Utf8PathBuf, target: Target) -> Result<(), CheckError> {
        let path = workspace.join(".jp");
        // To list a folder and to open what is in it are two rights.
        let opened = fs::read_dir(&path).and_then(|_| fs::metadata(path.join(".")));
        if let Err(problem) = opened {
            return Err(CheckError::Unreadable { path, problem });
        }
        self.workspaces.entry(workspace).or_default().push(target);
        Ok(())
    }
}

/// What was found in one workspace, with the texts it was found in.
struct Checked {
    findings: Vec<Finding>,
    texts: BTreeMap<Utf8PathBuf, Arc<String>>,
    /// Whether a turn finds a model in the config.
    names_model: bool,
}

/// What of one workspace to check, and how.
struct Question<'a> {
    workspace: &'a Utf8Path,
    target: &'a Target,
    directory: &'a Utf8Path,
    options: Options,
    severities: &'a Severities,
}

impl Target {
    /// The folder that was asked for, if it was one in the workspace.
    fn folder(&self) -> Option<&Utf8Path> {
        match self {
            Self::Below(path) if path.is_dir() => Some(path),
            Self::Below(_) | Self::Everything => None,
        }
    }
}

/// Loads a workspace; of a folder also the files above it and elsewhere that are loaded by who works there.
///
/// Answers the folders, too, that were looked through for files of the target.
fn load(workspace: &Utf8Path, target: &Target, directory: &Utf8Path) -> (Graph, Vec<Utf8PathBuf>) {
    let folder = target.folder();
    let mut roots = workspace::roots(workspace, folder.unwrap_or(directory));
    let records = Records::open().ok();
    let record = records.and_then(|records| records.workspace(workspace).ok().flatten());
    let files = match record {
        Some(_) => DiskFiles::trusted(),
        None => DiskFiles::untrusted(&roots),
    };
    let mut searched = Vec::new();
    if let Some(folder) = folder {
        use jp_config::graph::Files as _;
        let listing = files.walk(folder);
        searched = listing.directories;
        let found = listing.paths.into_iter().filter(|path| {
            ContentFormat::of(path).is_some()
                && !is_stored_conversation(path)
                && !is_about_config(path)
                && path.components().any(|part| part.as_str() == ".jp")
        });
        roots.fragments.extend(found);
    } else if let Target::Below(file) = target
        && !is_about_config(file)
    {
        roots.fragments.push(file.clone());
    }
    (Graph::load(&roots, &files), searched)
}

impl Question<'_> {
    fn analysis(&self) -> Analysis {
        let (graph, _) = load(self.workspace, self.target, self.directory);
        Analysis::new(Arc::new(graph), self.options)
    }

    /// Whether a file's findings are asked for.
    fn wants(&self, graph: &Graph, file: FileId) -> bool {
        let path = graph.path(file);
        // Also what `inherit = false` leaves out: what is missing for that is said there.
        let is_loaded = || {
            let mut fragments = graph.fragments.iter().flat_map(|fragment| &fragment.layers);
            graph.layers.iter().any(|layer| layer.file == file)
                || !fragments.any(|layer| layer.file == file)
        };
        match self.target {
            Target::Everything => true,
            Target::Below(below) => {
                path.starts_with(below) || (self.target.folder().is_some() && is_loaded())
            }
        }
    }

    fn checked(&self) -> Checked {
        let analysis = self.analysis();
        let graph = analysis.graph();
        let mut checked = Checked {
            findings: Vec::new(),
            texts: BTreeMap::new(),
            names_model: View::new(Arc::clone(graph))
                .effective(&["assistant", "model", "id"])
                .is_some(),
        };
        let mut locations = Locations {
            graph,
            directory: self.directory,
            lines: BTreeMap::new(),
        };
        for (file, diagnostics) in analysis.all_diagnostics() {
            if diagnostics.is_empty() || !self.wants(graph, file) {
                continue;
            }
            for diagnostic in diagnostics.iter() {
                if let Some(severity) = self.severities.of(diagnostic) {
                    let finding = locations.finding(diagnostic);
                    checked.findings.push(Finding {
                        severity,
                        ..finding
                    });
                }
            }
            note_texts(graph, file, diagnostics, self.directory, &mut checked.texts);
        }
        checked
    }
}

/// Keeps the texts that the findings of a file point into.
fn note_texts(
    graph: &Graph,
    file: FileId,
    diagnostics: &[Diagnostic],
    directory: &Utf8Path,
    texts: &mut BTreeMap<Utf8PathBuf, Arc<String>>,
) {
    let related = diagnostics
        .iter()
        .flat_map(|diagnostic| &diagnostic.related)
        .map(|related| related.place.file);
    for file in std::iter::once(file).chain(related) {
        let text = graph
            .content(file)
            .and_then(|content| content.document())
            .map(jp_config::document::Document::shared_text);
        if let Some(text) = text {
            texts.insert(shown(graph.path(file), directory), text);
        }
    }
}

/// Places as reports print them; the lines of a file are counted once.
struct Locations<'g> {
    graph: &'g Graph,
    directory: &'g Utf8Path,
    lines: BTreeMap<FileId, LineIndex>,
}

impl Locations<'_> {
    fn of(&mut self, place: jp_analysis::Place) -> report::Location {
        let content = self.graph.content(place.file);
        let document = content.and_then(|content| content.document());
        let text = document.map_or("", |document| document.text());
        let lines = self
            .lines
            .entry(place.file)
            .or_insert_with(|| LineIndex::new(text));
        let path = shown(self.graph.path(place.file), self.directory);
        report::Location::new(path, text, lines, place.span)
    }

    fn finding(&mut self, diagnostic: &Diagnostic) -> Finding {
        let related = diagnostic.related.iter();
        Finding {
            location: self.of(diagnostic.place),
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: told(&diagnostic.message),
            help: diagnostic.help.as_deref().map(told),
            related: related
                .map(|related| (self.of(related.place), told(&related.message)))
                .collect(),
        }
    }
}

/// What a finding says, with nothing of the file in it that steers a terminal or hides text, wherever the report is shown.
fn told(text: &str) -> String {
    visible(text).into_owned()
}

/// A path as reports name it: relative to the working directory where it lies below it.
fn shown(path: &Utf8Path, directory: &Utf8Path) -> Utf8PathBuf {
    match path.strip_prefix(directory) {
        Ok(relative) => relative.to_owned(),
        Err(_) => path.to_owned(),
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
