//! The definitions that tell the host about the tools.
//!
//! ```toml
//! [conversation.tools.fs_delete_file.parameters.path]
//! type = "path"
//! required = true
//! ```
//!
//! `jp-fs-tools definitions` prints them, and `jp-fs-tools definitions .jp/mcp/tools` writes those that are not there
//! yet, each as `fs/<name>.toml`.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use cap_std::{ambient_authority, fs::Dir};

use crate::tree::Tree;

/// The names of the tools, sorted.
pub const NAMES: [&str; 7] = [
    "fs_create_file",
    "fs_delete_file",
    "fs_grep_files",
    "fs_list_files",
    "fs_modify_file",
    "fs_move_file",
    "fs_read_file",
];

/// One shipped definition file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition {
    /// The tool that it defines.
    pub name: &'static str,
    /// Where it belongs, relative to a directory of tool definitions.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! definition {
    ($name:literal, $path:literal) => {
        Definition {
            name: $name,
            path: $path,
            text: include_str!(concat!("../definitions/", $path)),
        }
    };
}

/// Every definition, in the order of [`NAMES`].
pub const ALL: [Definition; 7] = [
    definition!("fs_create_file", "fs/create_file.toml"),
    definition!("fs_delete_file", "fs/delete_file.toml"),
    definition!("fs_grep_files", "fs/grep_files.toml"),
    definition!("fs_list_files", "fs/list_files.toml"),
    definition!("fs_modify_file", "fs/modify_file.toml"),
    definition!("fs_move_file", "fs/move_file.toml"),
    definition!("fs_read_file", "fs/read_file.toml"),
];

/// All definitions as one document.
#[must_use]
pub fn document() -> String {
    let texts: Vec<_> = ALL.iter().map(|definition| definition.text).collect();
    texts.join("\n")
}

/// What became of one definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// The file was created.
    Created(Utf8PathBuf),
    /// A file of that name exists and was left as it is.
    Kept(Utf8PathBuf),
}

/// Writes the definitions below `directory`, which is created if it is missing, and leaves existing files alone.
///
/// # Errors
///
/// Fails if a file or directory cannot be created, or if `fs` is a symlink.
pub fn write(directory: &Utf8Path) -> io::Result<Vec<Written>> {
    Dir::create_ambient_dir_all(directory, ambient_authority())?;
    let tree = Tree::open(directory)?;
    ALL.iter()
        .map(|definition| {
            let place = tree.place_with_parents(Utf8Path::new(definition.path))?;
            let path = directory.join(definition.path);
            match place.create(definition.text.as_bytes()) {
                Ok(()) => Ok(Written::Created(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    Ok(Written::Kept(path))
                }
                Err(error) => Err(error),
            }
        })
        .collect()
}

#[cfg(test)]
#[path = "definitions_tests.rs"]
mod tests;
