//! The files on disk, as the load graph sees them.
//!
//! Reading is bounded: a pipe is never opened, a huge file never loaded, a loop of links never followed twice.

use std::{collections::BTreeMap, fs, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    content::{Content, ContentFormat},
    graph::{FileKind, Files, Listing, MAXIMUM_FILES, ReadProblem},
};
use walkdir::WalkDir;

/// The largest config file that is read, in bytes.
const MAXIMUM_SIZE: u64 = 64 << 20;

/// The most directory entries that one walk looks at.
const MAXIMUM_ENTRIES: usize = 200_000;

/// The most directories that one look reports as worth watching.
const MAXIMUM_DIRECTORIES: usize = 2_000;

/// Folders that never hold config and may be huge.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// The disk, with some files replaced by what an editor holds of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct DiskFiles {
    /// Contents that stand instead of the disk's, by path: open buffers, and files that did not change.
    pub(crate) known: BTreeMap<Utf8PathBuf, Arc<Content>>,
}

/// The text of a config file.
///
/// # Errors
///
/// Says why the path cannot be read as one.
pub(crate) fn read_text(path: &Utf8Path) -> Result<String, ReadProblem> {
    let metadata = fs::metadata(path).map_err(|error| refused(&error))?;
    if metadata.is_dir() {
        return Err(ReadProblem::Directory);
    }
    if !metadata.is_file() {
        return Err(ReadProblem::NotAFile);
    }
    if metadata.len() > MAXIMUM_SIZE {
        return Err(ReadProblem::TooLarge(metadata.len()));
    }
    let bytes = fs::read(path).map_err(|error| refused(&error))?;
    String::from_utf8(bytes).map_err(|error| ReadProblem::NotUtf8(error.utf8_error().valid_up_to()))
}

fn refused(error: &std::io::Error) -> ReadProblem {
    match error.kind() {
        std::io::ErrorKind::NotFound => ReadProblem::Missing,
        _ => ReadProblem::Refused(error.to_string()),
    }
}

impl Files for DiskFiles {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        if let Some(content) = self.known.get(path) {
            return Ok(Arc::clone(content));
        }
        let text = read_text(path)?;
        let format = ContentFormat::of(path).unwrap_or(ContentFormat::Toml);
        Ok(Arc::new(Content::parse(format, &text)))
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        if self.known.contains_key(path) {
            return FileKind::File;
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => FileKind::File,
            Ok(metadata) if metadata.is_dir() => FileKind::Directory,
            Ok(_) => FileKind::Other,
            // A link that leads nowhere, or around in a circle, is in the way all the same.
            Err(_) if fs::symlink_metadata(path).is_ok() => FileKind::Other,
            Err(_) => FileKind::Missing,
        }
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        let escaped = glob::Pattern::escape(base.as_str());
        let Ok(whole) = glob::Pattern::new(&format!("{escaped}/{pattern}")) else {
            return Listing::default();
        };
        let options = glob::MatchOptions {
            require_literal_separator: true,
            ..glob::MatchOptions::default()
        };
        let components: Vec<_> = Utf8Path::new(pattern).components().collect();
        let literal: Utf8PathBuf = components
            .iter()
            .take_while(|component| !component.as_str().contains(['*', '?', '[']))
            .collect();
        let start = base.join(&literal);
        let depth = if pattern.contains("**") {
            usize::MAX
        } else {
            components.len() - literal.components().count()
        };
        let walk = WalkDir::new(&start).follow_links(true).max_depth(depth);
        let mut listing = self.look(walk, &start, |path, _| {
            path != start && whole.matches_with(path.as_str(), options)
        });
        for path in &mut listing.paths {
            *path = jp_config::graph::normalize(path);
        }
        listing.paths.sort();
        listing.paths.dedup();
        listing
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        let walk = WalkDir::new(directory).follow_links(true);
        let mut listing = self.look(walk, directory, |_, is_file| is_file);
        listing.paths.sort();
        listing.paths.dedup();
        listing
    }
}

impl DiskFiles {
    /// Walks a folder, and adds the buffers below it that have no file yet.
    fn look(
        &self,
        walk: WalkDir,
        start: &Utf8Path,
        wanted: impl Fn(&Utf8Path, bool) -> bool,
    ) -> Listing {
        let mut listing = Listing::default();
        let entries = walk
            .into_iter()
            .filter_entry(|entry| {
                let name = entry.file_name().to_str();
                entry.depth() == 0 || name.is_some_and(|name| !SKIPPED.contains(&name))
            })
            .take(MAXIMUM_ENTRIES)
            .filter_map(Result::ok);
        for entry in entries {
            let kind = entry.file_type();
            let Ok(path) = Utf8PathBuf::from_path_buf(entry.into_path()) else {
                continue;
            };
            if kind.is_dir() && listing.directories.len() < MAXIMUM_DIRECTORIES {
                listing.directories.push(path.clone());
            }
            if listing.paths.len() < MAXIMUM_FILES && wanted(&path, kind.is_file()) {
                listing.paths.push(path);
            }
        }
        let buffers = self.known.keys().filter(|path| path.starts_with(start));
        listing
            .paths
            .extend(buffers.filter(|path| wanted(path, true)).cloned());
        listing
    }
}
