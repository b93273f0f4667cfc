//! Files with several names, and what a rule about one of them may give.
//!
//! ```text
//! /w/a/f   read              one file, two names: a rule that gives `read` would hold for both,
//! /w/b/f   nothing           so that a mount covers the second
//! ```
//!
//! A rule of the kernel is about the file.
//! It is made where every name is known, and grants the right or is covered, and none can be moved or linked to another place.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, VecDeque},
};

use camino::{Utf8Path, Utf8PathBuf};

use crate::{Kind, Rights, Tree, regions::Regions};

/// The most directory entries that are looked at for the other names of a file.
const MOST_ENTRIES: usize = 30_000;

/// The most names among which some are covered for the sake of others, since each is a mount.
const MOST_COVERED: usize = 256;

/// The names of each file that has several, by what tells files apart.
#[derive(Debug, Default)]
pub(crate) struct Names {
    by_file: BTreeMap<(u64, u64), Vec<Utf8PathBuf>>,
    count: usize,
}

/// The files of a workspace that have several names.
pub(crate) struct HardLinks<'a> {
    pub(crate) root: &'a Utf8Path,
    pub(crate) regions: &'a Regions,
    pub(crate) tree: &'a dyn Tree,
    /// Whether there are mounts.
    pub(crate) covers: bool,
    /// Found when the first such file needs a rule.
    pub(crate) found: OnceCell<Names>,
}

impl HardLinks<'_> {
    /// Whether a rule about the file at a path, which has `count` names, may give a right.
    pub(crate) fn may_give(&self, path: &Utf8Path, count: u64, right: Rights) -> bool {
        let names = self.names_of(path);
        let is_complete = u64::try_from(names.len()) == Ok(count);
        is_complete
            && names.iter().all(|name| {
                let granted = self.granted(name);
                let is_granted = granted.has(right);
                (is_granted || self.can_cover(granted, right)) && !self.is_movable(name)
            })
    }

    /// The names at which a mount has to take away what rules about the file give, and what that is.
    pub(crate) fn to_cover(&self, path: &Utf8Path, given: Rights) -> Vec<(&Utf8Path, Rights)> {
        let names = self.names_of(path).iter();
        let lost = names.map(|name| (name.as_path(), given.without(self.granted(name))));
        lost.filter(|(_, lost)| !lost.is_empty()).collect()
    }

    fn can_cover(&self, granted: Rights, right: Rights) -> bool {
        self.covers
            && self.found().count <= MOST_COVERED
            && match right {
                // Only all of a file can be hidden.
                Rights::READ => granted.is_empty(),
                _ => true,
            }
    }

    /// Whether a name can be given another place, which takes the rule about its file along.
    fn is_movable(&self, name: &Utf8Path) -> bool {
        self.regions.can_move(name)
    }

    fn granted(&self, name: &Utf8Path) -> Rights {
        let mut regions = self.regions.list.iter();
        let own = regions.find(|region| region.path == name);
        let region = own.or_else(|| self.regions.above(name).last());
        region.map_or(Rights::NONE, |region| region.granted)
    }

    fn names_of(&self, path: &Utf8Path) -> &[Utf8PathBuf] {
        let identity = self.tree.identity(path);
        let names = identity.and_then(|identity| self.found().by_file.get(&identity));
        names.map_or(&[], Vec::as_slice)
    }

    fn found(&self) -> &Names {
        self.found.get_or_init(|| self.find())
    }

    /// Nothing where there is too much to look at, so that no file is known by all of its names.
    fn find(&self) -> Names {
        let mut names = Names::default();
        let mut left = MOST_ENTRIES;
        let mut pending = VecDeque::from([self.root.to_owned()]);
        while let Some(directory) = pending.pop_front() {
            for (name, kind) in self.tree.names(&directory) {
                let Some(fewer) = left.checked_sub(1) else {
                    return Names::default();
                };
                left = fewer;
                let path = directory.join(name);
                match kind {
                    Kind::Directory => pending.push_back(path),
                    Kind::Link => {}
                    Kind::File => {
                        let entry = self.tree.entry(&path);
                        if entry.is_some_and(|entry| entry.names > 1)
                            && let Some(identity) = self.tree.identity(&path)
                        {
                            names.count += 1;
                            names.by_file.entry(identity).or_default().push(path);
                        }
                    }
                }
            }
        }
        names
    }
}
