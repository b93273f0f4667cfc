//! Where a workspace's config is looked for on this machine.

use std::{env, fs};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    graph::{EXTENSIONS, Roots},
    paths::normalize,
};
use jp_tool::spellings;

use crate::{disk::data::data_directory, trust::Records};

/// The file with approved targets in the folder of a person's config for a workspace.
const APPROVALS: &str = "approvals.json";

/// Why there is no workspace to work in.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// No folder at or above this one holds a `.jp` folder.
    #[error("no workspace: `{0}` has no `.jp` folder in it or above it")]
    NoWorkspace(Utf8PathBuf),
    /// The working directory is unknown or not UTF-8.
    #[error("the working directory cannot be used: {0}")]
    WorkingDirectory(String),
}

/// Where a command of the command line works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The workspace.
    pub root: Utf8PathBuf,
    /// The directory in it whose local config counts.
    pub directory: Utf8PathBuf,
}

/// The workspace that `named`, or else the working directory, lies in.
///
/// # Errors
///
/// [`WorkspaceError`].
pub fn locate(named: Option<&Utf8Path>) -> Result<Location, WorkspaceError> {
    let directory = working_directory()?;
    let directory = match named {
        Some(named) => normalize(&directory.join(named)),
        None => directory,
    };
    match root_of(&directory) {
        Some(root) => Ok(Location { root, directory }),
        None => Err(WorkspaceError::NoWorkspace(directory)),
    }
}

/// The working directory.
///
/// # Errors
///
/// [`WorkspaceError::WorkingDirectory`].
pub fn working_directory() -> Result<Utf8PathBuf, WorkspaceError> {
    let directory =
        env::current_dir().map_err(|error| WorkspaceError::WorkingDirectory(error.to_string()))?;
    Utf8PathBuf::from_path_buf(directory).map_err(|path| {
        WorkspaceError::WorkingDirectory(format!("`{}` is not UTF-8", path.display()))
    })
}

/// The nearest folder at or above a path that holds a `.jp` folder.
#[must_use]
pub fn root_of(path: &Utf8Path) -> Option<Utf8PathBuf> {
    path.ancestors()
        .find(|ancestor| ancestor.join(".jp").is_dir())
        .map(Utf8Path::to_owned)
}

/// The roots of a workspace for a person who works in `directory`.
#[must_use]
pub fn roots(workspace: &Utf8Path, directory: &Utf8Path) -> Roots {
    let mut locals: Vec<Utf8PathBuf> = directory
        .ancestors()
        .take_while(|ancestor| ancestor.starts_with(workspace))
        .map(Utf8Path::to_owned)
        .collect();
    locals.reverse();
    if locals.is_empty() {
        locals.push(workspace.to_owned());
    }
    let (user_global, user_workspace) = (user_global(), user_workspace(workspace));
    let own = [&user_global, &user_workspace].into_iter().flatten();
    Roots {
        decisions: decisions(workspace, own),
        user_global,
        user_workspace,
        workspace: workspace.to_owned(),
        locals,
        fragments: Vec::new(),
    }
}

/// Where in the workspace the person's own config is, or would be, and what this program and `jp` record of it.
///
/// Of the folder of a config only what is config counts: it may be as wide as `~/.config`.
fn decisions<'a>(
    workspace: &Utf8Path,
    own: impl Iterator<Item = &'a Utf8PathBuf>,
) -> Vec<Utf8PathBuf> {
    let configs = own.flat_map(|folder| {
        let named = |extension| folder.join(format!("config.{extension}"));
        let files = EXTENSIONS.into_iter().map(named);
        files.chain([folder.join("config")])
    });
    let records = [data_directory().ok(), private_folder()];
    let workspace = workspace
        .canonicalize_utf8()
        .unwrap_or_else(|_| workspace.to_owned());
    let is_inside = |path: &Utf8PathBuf| {
        let resolved = spellings(path).pop();
        resolved.is_some_and(|resolved| resolved.starts_with(&workspace))
    };
    let found = configs.chain(records.into_iter().flatten());
    found.filter(is_inside).collect()
}

/// The folder in which `jp` keeps a person's config and approvals for each workspace.
fn private_folder() -> Option<Utf8PathBuf> {
    let data = Utf8PathBuf::from_path_buf(dirs::data_dir()?).ok()?;
    Some(data.join("jp").join("workspace"))
}

/// The folder of the user's global config.
pub(super) fn user_global() -> Option<Utf8PathBuf> {
    if let Some(directory) = env::var("JP_GLOBAL_CONFIG_DIR")
        .ok()
        .filter(|text| !text.is_empty())
    {
        return match directory.strip_prefix("~/") {
            Some(rest) => Some(home()?.join(rest)),
            None => Some(directory.into()),
        };
    }
    let config = Utf8PathBuf::from_path_buf(dirs::config_dir()?).ok()?;
    let directory = if cfg!(windows) {
        config.join("jp").join("config")
    } else {
        config.join("jp")
    };
    Some(directory)
}

fn home() -> Option<Utf8PathBuf> {
    Utf8PathBuf::from_path_buf(dirs::home_dir()?).ok()
}

/// The folder of the user's config for one workspace, found by the workspace's id.
///
/// The id comes with the workspace, and whoever copies it is not to get what is the person's: an id belongs to the folder
/// for which the person has said so first, see [`Records::hold`].
#[must_use]
pub fn user_workspace(workspace: &Utf8Path) -> Option<Utf8PathBuf> {
    private(workspace).map(|private| private.folder)
}

/// A person's config and approvals for a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Private {
    /// The workspace's id.
    pub(crate) id: String,
    /// The folder of the person's.
    pub(crate) folder: Utf8PathBuf,
}

impl Private {
    /// Whether there is config or an approval in it, which decide what runs.
    pub(crate) fn decides(&self) -> bool {
        let holds = |name: &str| self.folder.join(name).symlink_metadata().is_ok();
        let configs = EXTENSIONS.map(|extension| format!("config.{extension}"));
        let names = configs.iter().map(String::as_str);
        names.chain(["config", APPROVALS]).any(holds)
    }
}

/// What is the person's own for the id of a workspace; none where the id is another folder's.
pub(crate) fn private(workspace: &Utf8Path) -> Option<Private> {
    let id = workspace_id(workspace)?;
    let holder = Records::open().ok()?.holder(&id);
    if let Some(holder) = &holder
        && *holder != Records::name_of(workspace)
    {
        tracing::warn!(
            %workspace, %id, %holder,
            "your private config for this workspace id belongs to another folder and is not used here; \
             `jp-lsp trust` in this folder gives it to this one"
        );
        return None;
    }
    private_of(workspace, id)
}

/// What is the person's own for an id, whoever holds that.
fn private_of(workspace: &Utf8Path, id: String) -> Option<Private> {
    let found = private_folders(&id);
    let own = Records::name_of(workspace)
        .file_name()
        .map(|name| format!("{name}-{id}"));
    let is_own = |path: &&Utf8PathBuf| path.file_name() == own.as_deref();
    // A workspace that was renamed keeps its config.
    let folder = found.iter().find(is_own).or(found.first()).cloned()?;
    Some(Private { id, folder })
}

/// What is the person's own for the id of a workspace and belongs to another folder, and that folder.
pub(crate) fn held_elsewhere(workspace: &Utf8Path) -> Option<(Private, Utf8PathBuf)> {
    let id = workspace_id(workspace)?;
    let holder = Records::open().ok()?.holder(&id)?;
    let is_elsewhere = holder != Records::name_of(workspace);
    let private = private_of(workspace, id).filter(|_| is_elsewhere)?;
    Some((private, holder))
}

/// The folders of the user's config that bear an id.
fn private_folders(id: &str) -> Vec<Utf8PathBuf> {
    let Some(directory) = private_folder() else {
        return Vec::new();
    };
    let suffix = format!("-{id}");
    let Ok(entries) = fs::read_dir(&directory) else {
        return Vec::new();
    };
    let mut found: Vec<Utf8PathBuf> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.path()).ok())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name == id || name.ends_with(&suffix))
        })
        .collect();
    found.sort();
    found
}

/// The file with the targets that the user has approved for `external` rules, if `jp` knows the workspace.
#[must_use]
pub fn approvals(workspace: &Utf8Path) -> Option<Utf8PathBuf> {
    Some(user_workspace(workspace)?.join(APPROVALS))
}

/// The id in `.jp/.id`: the last line that is no comment.
#[must_use]
pub fn workspace_id(workspace: &Utf8Path) -> Option<String> {
    let text =
        crate::disk::config_files::read_inside(workspace, &workspace.join(".jp/.id")).ok()?;
    let line = text
        .lines()
        .map(str::trim)
        .rfind(|line| !line.is_empty() && !line.starts_with('#'))?;
    let is_id = line.len() <= 16 && line.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_id.then(|| line.to_owned())
}
