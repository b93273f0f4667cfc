//! Looking through directories that anybody may have put there.
//!
//! ```text
//! tools/a/more -> ..      # a circle: `tools/a` was looked into, so it is not again
//! tools/b/more -> /usr    # out of the workspace: named, and not followed before a person trusts it
//! ```

use std::{
    collections::{HashSet, VecDeque},
    fs::{self, FileType},
    io,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::graph::{Listing, MAXIMUM_FILES};

use super::DiskFiles;

/// The most directories that one load names as worth watching.
pub(super) const MAXIMUM_DIRECTORIES: usize = 2_000;

/// The most links that one walk names.
const MAXIMUM_LINKS: usize = 1_000;

/// Folders that never hold config and may be huge.
pub(crate) const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// One walk: what it may still do, and where it was.
pub(super) struct Walk<'f> {
    files: &'f DiskFiles,
    maximum_depth: usize,
    seen: HashSet<Identity>,
    /// Directories to look into, with their depth.
    ahead: VecDeque<(Utf8PathBuf, usize)>,
    /// Directories behind links: looked into last, so that a directory is found under its own name first.
    linked: VecDeque<(Utf8PathBuf, usize)>,
    listing: Listing,
}

/// What a directory is, by whatever path it was reached.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = Utf8PathBuf;

#[cfg(unix)]
fn identity(directory: &Utf8Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::metadata(directory).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(directory: &Utf8Path) -> Option<Identity> {
    directory.canonicalize_utf8().ok()
}

impl<'f> Walk<'f> {
    pub(super) fn new(files: &'f DiskFiles, maximum_depth: usize) -> Self {
        Self {
            files,
            maximum_depth,
            seen: HashSet::new(),
            ahead: VecDeque::new(),
            linked: VecDeque::new(),
            listing: Listing::default(),
        }
    }

    /// Looks below `start`; `wanted` is told each path, and whether it is a file.
    pub(super) fn look(
        mut self,
        start: &Utf8Path,
        wanted: &dyn Fn(&Utf8Path, bool) -> bool,
    ) -> Listing {
        if self.files.leads_out(start) {
            self.listing.links.push(start.to_owned());
            return self.listing;
        }
        match fs::metadata(start) {
            Ok(metadata) if metadata.is_dir() => self.ahead.push_back((start.to_owned(), 0)),
            Ok(metadata) if wanted(start, metadata.is_file()) => {
                self.listing.paths.push(start.to_owned());
            }
            _ => {}
        }
        while let Some((directory, depth)) = self.next() {
            if identity(&directory).is_some_and(|identity| self.seen.insert(identity)) {
                self.directory(&directory, depth, wanted);
            }
        }
        self.listing.links.sort();
        self.listing
    }

    fn next(&mut self) -> Option<(Utf8PathBuf, usize)> {
        if self.listing.is_cut {
            return None;
        }
        self.ahead.pop_front().or_else(|| self.linked.pop_front())
    }

    fn directory(
        &mut self,
        directory: &Utf8Path,
        depth: usize,
        wanted: &dyn Fn(&Utf8Path, bool) -> bool,
    ) {
        let directories = self.files.directories.get();
        if let Some(left) = directories.checked_sub(1) {
            self.files.directories.set(left);
            self.listing.directories.push(directory.to_owned());
        }
        if depth >= self.maximum_depth {
            return;
        }
        for (path, kind) in self.entries(directory) {
            self.entry(path, kind, depth + 1, wanted);
        }
    }

    /// The entries of a directory by name, as many as the load may still look at.
    fn entries(&mut self, directory: &Utf8Path) -> Vec<(Utf8PathBuf, FileType)> {
        let mut found = match fs::read_dir(directory) {
            Ok(found) => found,
            Err(error) => {
                if error.kind() == io::ErrorKind::PermissionDenied {
                    self.listing.closed.push(directory.to_owned());
                }
                return Vec::new();
            }
        };
        let left = self.files.entries.get();
        let taken: Vec<_> = found.by_ref().take(left).collect();
        self.files.entries.set(left - taken.len());
        self.listing.is_cut = taken.len() == left && found.next().is_some();
        let mut entries: Vec<_> = taken
            .into_iter()
            .filter_map(Result::ok)
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let path = directory.join(&name);
                (!SKIPPED.contains(&name.as_str())).then_some((path, entry.file_type().ok()?))
            })
            .collect();
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        entries
    }

    fn entry(
        &mut self,
        path: Utf8PathBuf,
        kind: FileType,
        depth: usize,
        wanted: &dyn Fn(&Utf8Path, bool) -> bool,
    ) {
        let (is_file, is_directory) = if kind.is_symlink() {
            // A link that leads nowhere names no file.
            let Ok(target) = fs::metadata(&path) else {
                return;
            };
            if !self.follows(&path) {
                let is_missed = (target.is_dir() && depth < self.maximum_depth)
                    || wanted(&path, target.is_file());
                if is_missed && self.listing.links.len() < MAXIMUM_LINKS {
                    self.listing.links.push(path);
                }
                return;
            }
            (target.is_file(), target.is_dir())
        } else {
            (kind.is_file(), kind.is_dir())
        };
        if self.listing.paths.len() < MAXIMUM_FILES && wanted(&path, is_file) {
            self.listing.paths.push(path.clone());
        }
        if is_directory {
            match kind.is_symlink() {
                true => self.linked.push_back((path, depth)),
                false => self.ahead.push_back((path, depth)),
            }
        }
    }

    fn follows(&self, link: &Utf8Path) -> bool {
        let bounds = self.files.bounds.as_ref();
        bounds.is_none_or(|bounds| bounds.follows(link))
    }
}
