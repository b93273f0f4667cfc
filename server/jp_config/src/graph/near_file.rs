//! The config file that a path which leads nowhere was probably meant to name.
//!
//! ```toml
//! extends = ["tool/fs.toml"]   # there is `tools/fs.toml`
//! ```

use std::collections::HashSet;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::{
    content::ContentFormat,
    graph::{FileKind, Files},
    paths::normalize,
    words::suggest,
};

/// The path of a file as one in `base` names it, if `written` is nearly its name.
///
/// `taken` are the files that it must not be.
/// A path that is right from the workspace, and not from the file that holds it, is near too.
pub(crate) fn near_file(
    files: &dyn Files,
    base: &Utf8Path,
    workspace: &Utf8Path,
    written: &Utf8Path,
    taken: &HashSet<Utf8PathBuf>,
) -> Option<String> {
    let is_free = |path: &Utf8Path| is_config(files, path) && !taken.contains(path);
    let from_workspace = normalize(&workspace.join(written));
    if written.is_relative() && is_free(&from_workspace) {
        return Some(from(base, &from_workspace).to_string());
    }
    let mut found = Utf8PathBuf::new();
    let mut components = written.components().peekable();
    while let Some(component) = components.next() {
        let next = found.join(component);
        let is_last = components.peek().is_none();
        let stands = match files.kind(&normalize(&base.join(&next))) {
            FileKind::Directory => !is_last,
            FileKind::File => is_last,
            _ => false,
        };
        found = match component {
            Utf8Component::Normal(name) if !stands => {
                near_name(files, base, &found, name, is_last, &is_free)?
            }
            _ => next,
        };
    }
    is_free(&normalize(&base.join(&found))).then(|| found.to_string())
}

/// What stands in a directory under nearly a name: a config file, or a directory.
fn near_name(
    files: &dyn Files,
    base: &Utf8Path,
    directory: &Utf8Path,
    name: &str,
    is_file: bool,
    is_free: &dyn Fn(&Utf8Path) -> bool,
) -> Option<Utf8PathBuf> {
    let listing = files.glob(&normalize(&base.join(directory)), "*").paths;
    let fits = |path: &&Utf8PathBuf| match is_file {
        true => is_free(path),
        false => files.kind(path) == FileKind::Directory,
    };
    let names: Vec<&str> = listing
        .iter()
        .filter(fits)
        .filter_map(|path| path.file_name())
        .collect();
    // An extension that all have says nothing about how near two names are.
    let stem = |name: &str| match is_file {
        true => Utf8Path::new(name).file_stem().unwrap_or(name).to_owned(),
        false => name.to_owned(),
    };
    let stems: Vec<String> = names.iter().map(|name| stem(name)).collect();
    let near = suggest(&stem(name), stems.iter().map(String::as_str))?;
    let index = stems.iter().position(|stem| stem == near)?;
    Some(directory.join(names.get(index)?))
}

fn is_config(files: &dyn Files, path: &Utf8Path) -> bool {
    ContentFormat::of(path).is_some() && files.kind(path) == FileKind::File
}

/// A path as one below `base` writes it.
fn from(base: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    let common = base
        .components()
        .zip(path.components())
        .take_while(|(own, other)| own == other)
        .count();
    let up = base.components().skip(common).map(|_| "..");
    let down = path
        .components()
        .skip(common)
        .map(|component| component.as_str());
    up.chain(down).collect()
}

#[cfg(test)]
#[path = "near_file_tests.rs"]
mod tests;
