//! The parts of the file tree in which one thing is granted.
//!
//! ```text
//! /            nothing
//! /usr         read, execute            beyond the grants
//! /w           read                     access.fs rule 1, `.`
//! /w/.jp       read                     protected
//! /w/src       read, create, update     access.fs rule 2, `src`
//! ```
//!
//! A region ends where a deeper one begins.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    AccessPolicy, AccessRuleError, FsCapability, FsPolicy, is_protected_name, linked_places,
    names_git_directory, protected_prefix,
};

use crate::{Beyond, Entry, Kind, Rights, Tree};

/// The most directory entries that are looked at for protected places.
const MOST_ENTRIES: usize = 30_000;

/// What a folder is that is made.
const MADE: Entry = Entry {
    kind: Kind::Directory,
    names: 1,
};

/// One region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) path: Utf8PathBuf,
    pub(crate) granted: Rights,
    /// Whether it was opened by the person and not by a grant, so that other names of a file do not matter.
    pub(crate) is_beyond: bool,
    /// What stands there; none for nothing.
    pub(crate) entry: Option<Entry>,
    /// Whether it is a folder that is made before the process starts.
    pub(crate) is_made: bool,
}

impl Region {
    pub(crate) fn is_directory(&self) -> bool {
        self.entry
            .is_some_and(|entry| entry.kind == Kind::Directory)
    }
}

/// All regions in the order of their paths, so that a region stands before what lies in it.
#[derive(Debug)]
pub(crate) struct Regions {
    pub(crate) list: Vec<Region>,
    /// Whether there was too much to find every protected place.
    pub(crate) overlooks: bool,
}

/// What the regions are made of.
pub(crate) struct Ground<'a> {
    pub(crate) root: &'a Utf8Path,
    pub(crate) access: Option<&'a AccessPolicy>,
    pub(crate) protected: &'a [Utf8PathBuf],
    pub(crate) beyond: &'a Beyond,
    /// Folders that are made before the process starts.
    pub(crate) folders: &'a BTreeSet<Utf8PathBuf>,
    pub(crate) tree: &'a dyn Tree,
}

impl Regions {
    /// The regions of a tool's grants.
    ///
    /// # Errors
    ///
    /// A rule that cannot be evaluated.
    pub(crate) fn of(ground: &Ground<'_>) -> Result<Self, AccessRuleError> {
        let unrestricted = FsPolicy::default();
        let policy = match ground.access {
            Some(access) => access.fs.compiled()?,
            None => &unrestricted,
        };
        let is_restricted = ground.access.is_some_and(|access| !access.fs.is_empty());
        let mut granted = BTreeMap::new();
        let base = if is_restricted {
            Rights::NONE
        } else {
            Rights::ALL
        };
        granted.insert(Utf8PathBuf::from("/"), base);
        if is_restricted {
            open_beyond(ground, &mut granted);
        }
        let rules = rule_places(ground);
        let writes = !is_restricted
            || ground
                .access
                .is_some_and(|access| access.fs.iter().any(changes));
        let (places, overlooks) = if writes {
            protected_places(ground)
        } else {
            (BTreeSet::new(), false)
        };
        for (absolute, relative) in rules.into_iter().chain(in_workspace(ground, &places)) {
            let place = outermost_place(ground.root, &absolute, &relative, &places);
            let rights = FsCapability::ALL
                .into_iter()
                .filter(|capability| {
                    policy
                        .decide_within(*capability, &relative, place.as_deref())
                        .allowed
                })
                .collect();
            granted.insert(absolute, rights);
        }
        open_command(ground, is_restricted, &mut granted);
        let list = granted
            .into_iter()
            .map(|(path, granted)| Region {
                is_beyond: !path.starts_with(ground.root) || ground.beyond.command.contains(&path),
                is_made: ground.folders.contains(&path),
                entry: match ground.folders.contains(&path) {
                    true => Some(MADE),
                    false => ground.tree.entry(&path),
                },
                path,
                granted,
            })
            .collect();
        Ok(Self { list, overlooks })
    }

    /// The regions that lie in another one.
    pub(crate) fn below(&self, index: usize) -> impl Iterator<Item = &Region> {
        let outer = self.list.get(index);
        let inner = self.list.iter().skip(index + 1);
        inner.take_while(move |region| {
            outer.is_some_and(|outer| region.path.starts_with(&outer.path))
        })
    }

    /// The regions that a region lies in, outermost first.
    pub(crate) fn above<'a>(&'a self, path: &'a Utf8Path) -> impl Iterator<Item = &'a Region> {
        let all = self.list.iter();
        all.take_while(move |region| region.path.as_path() < path)
            .filter(move |region| path.starts_with(&region.path))
    }
}

impl Regions {
    /// Whether what stands at a path can be given another place or name.
    pub(crate) fn can_move(&self, path: &Utf8Path) -> bool {
        self.above(path)
            .fold(Rights::NONE, |rights, region| rights.with(region.granted))
            .meets(Rights::CREATE.with(Rights::DELETE))
    }

    /// Whether something can be put where a right that it may have is not granted.
    pub(crate) fn take_without(&self, right: Rights) -> bool {
        let takes_without = |region: &Region| {
            region.granted.has(Rights::CREATE)
                && !region.granted.has(right)
                && region.is_directory()
        };
        self.list.iter().any(takes_without)
    }
}

fn changes(rule: &jp_tool::FsRule) -> bool {
    FsCapability::ALL
        .into_iter()
        .any(|capability| capability.changes() && rule.grants(capability))
}

/// What every tool may use.
fn open_beyond(ground: &Ground<'_>, granted: &mut BTreeMap<Utf8PathBuf, Rights>) {
    let Ground { beyond, tree, .. } = ground;
    let mut open = |path: &Utf8Path, rights: Rights| {
        // What leads into the workspace is the workspace's.
        if let Some(path) = tree.resolved(path)
            && !(path.starts_with(ground.root) && ground.root.parent().is_some())
            && path.parent().is_some()
        {
            let known = granted.entry(path).or_default();
            *known = known.with(rights);
        }
    };
    for path in &beyond.runnable {
        open(path, Rights::READ.with(Rights::EXECUTE));
    }
    for path in &beyond.readable {
        open(path, Rights::READ);
    }
    for path in &beyond.writable {
        open(path, Rights::READ.with(Rights::UPDATE));
    }
    if let Some(path) = &beyond.temporary {
        granted.insert(path.clone(), Rights::ALL);
    }
}

/// The tool's own program and scripts: whoever trusts a command lets it run.
fn open_command(
    ground: &Ground<'_>,
    is_restricted: bool,
    granted: &mut BTreeMap<Utf8PathBuf, Rights>,
) {
    if !is_restricted {
        return;
    }
    for path in &ground.beyond.command {
        let inherited = granted
            .range(..=path.clone())
            .rev()
            .find(|(outer, _)| path.starts_with(outer))
            .map_or(Rights::NONE, |(_, rights)| *rights);
        let rights = inherited.with(Rights::READ).with(Rights::EXECUTE);
        if rights != inherited {
            granted.insert(path.clone(), rights);
        }
    }
}

/// The places of the rules, absolute and as rules are compared, the workspace itself first.
fn rule_places(ground: &Ground<'_>) -> Vec<(Utf8PathBuf, Utf8PathBuf)> {
    let rules = ground.access.map(|access| access.fs.iter());
    let rules = rules.into_iter().flatten();
    let mut places = vec![(ground.root.to_owned(), Utf8PathBuf::from("."))];
    places.extend(rules.map(|rule| {
        let absolute = match rule.approved_target() {
            Some(target) => target.to_owned(),
            None => below(ground.root, rule.path()),
        };
        (absolute, rule.path().to_owned())
    }));
    places
}

fn below(root: &Utf8Path, relative: &Utf8Path) -> Utf8PathBuf {
    if matches!(relative.as_str(), "" | ".") {
        root.to_owned()
    } else {
        root.join(relative)
    }
}

fn in_workspace(
    ground: &Ground<'_>,
    places: &BTreeSet<Utf8PathBuf>,
) -> Vec<(Utf8PathBuf, Utf8PathBuf)> {
    places
        .iter()
        .map(|place| (ground.root.join(place), place.clone()))
        .collect()
}

/// The outermost protected place that a path lies in, relative to the workspace.
fn outermost_place(
    root: &Utf8Path,
    absolute: &Utf8Path,
    relative: &Utf8Path,
    places: &BTreeSet<Utf8PathBuf>,
) -> Option<Utf8PathBuf> {
    let known = absolute.strip_prefix(root).ok().into_iter();
    known
        .flat_map(Utf8Path::ancestors)
        .filter(|path| places.contains(*path))
        .map(Utf8Path::to_owned)
        .chain(protected_prefix(relative))
        .min_by_key(|place| place.components().count())
}

/// The protected places that exist, relative to the workspace, and whether some may have been overlooked.
fn protected_places(ground: &Ground<'_>) -> (BTreeSet<Utf8PathBuf>, bool) {
    let Ground { root, tree, .. } = ground;
    let mut places: BTreeSet<Utf8PathBuf> = linked_places(root)
        .into_iter()
        .chain(
            ground
                .protected
                .iter()
                .filter_map(|path| path.strip_prefix(root).ok())
                .filter(|path| !path.as_str().is_empty())
                .map(Utf8Path::to_owned),
        )
        .filter(|place| {
            let entry = tree.entry(&root.join(place));
            entry.is_some_and(|entry| entry.kind != Kind::Link)
        })
        .collect();
    let mut left = MOST_ENTRIES;
    let mut pending = VecDeque::from([Utf8PathBuf::new()]);
    while let Some(directory) = pending.pop_front() {
        let names = tree.names(&below(root, &directory));
        if names.len() > left {
            return (places, true);
        }
        left -= names.len();
        let holds = |name: &str| names.iter().any(|(known, _)| known == name);
        if !directory.as_str().is_empty() && names_git_directory(holds) {
            places.insert(directory);
            continue;
        }
        for (name, kind) in names {
            let path = directory.join(&name);
            if is_protected_name(&name) && kind != Kind::Link {
                places.insert(path);
            } else if kind == Kind::Directory && !places.contains(&path) {
                pending.push_back(path);
            }
        }
    }
    (places, false)
}
