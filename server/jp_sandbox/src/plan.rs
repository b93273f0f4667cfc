//! From grants to what the kernel is told.
//!
//! The kernel adds up whatever is let through at a path and above it, and takes names for nothing: a rule belongs to a
//! file, whatever it is called a moment later.
//! So a region that grants less than one above it is *covered* by a mount, which can take away writing, running or
//! everything; and where there are no mounts, or they do not say it, the right is *split*: given to what lies beside
//! the way to the inner region, and not to the directories on that way.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{AccessPolicy, AccessRuleError, FsCapability, FsRule};

use crate::{
    Account, Beyond, Cover, Entry, FileRule, Held, Kind, Mechanisms, Network, Profile, Rights,
    Tree,
    folders::folders_to_make,
    hard_links::HardLinks,
    nested::nested,
    private_tmp::{TMP, private_tmp},
    regions::{Ground, Region, Regions},
    sockets,
};

/// The most files that a right is given to one by one; further ones go without.
const MOST_SPLIT: usize = 20_000;

/// What a plan is made of.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    /// The workspace: absolute, without links.
    pub root: &'a Utf8Path,
    /// The compiled grants; none opens everything.
    pub access: Option<&'a AccessPolicy>,
    /// The absolute paths of the files that the config is made of.
    pub protected: &'a [Utf8PathBuf],
    /// What may be used beyond the grants.
    pub beyond: &'a Beyond,
}

/// What a process can be held to, and what of its grants that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What the kernel is told; none where it can hold nothing.
    pub profile: Option<Profile>,
    /// What of each grant is held.
    pub account: Account,
    /// Folders that have to be made before the process starts, outermost first; gone after it if they are empty.
    pub folders: Vec<Utf8PathBuf>,
}

/// Makes the profile of a tool.
///
/// # Errors
///
/// A rule that cannot be evaluated.
pub fn plan(
    wish: &Wish<'_>,
    mechanisms: Mechanisms,
    tree: &dyn Tree,
) -> Result<Plan, AccessRuleError> {
    let widened = wish.access.filter(|_| wish.beyond.checks_itself);
    let widened = widened.map(with_updates);
    let needs_folders = mechanisms.hold_files() && !mechanisms.hold_paths();
    let folders = match wish.access.filter(|_| needs_folders) {
        Some(access) => folders_to_make(wish.root, access, tree)?,
        None => BTreeSet::new(),
    };
    let private_tmp = private_tmp(wish.beyond, wish.root, mechanisms, tree);
    let is_private = matches!(private_tmp, Some((Held::Held, _)));
    let own = wish.beyond.temporary.as_ref().filter(|_| is_private);
    let moved = own.map(|_| Beyond {
        temporary: Some(TMP.into()),
        ..wish.beyond.clone()
    });
    let regions = Regions::of(&Ground {
        root: wish.root,
        access: widened.as_ref().or(wish.access),
        folders: &folders,
        protected: wish.protected,
        beyond: moved.as_ref().unwrap_or(wish.beyond),
        tree,
    })?;
    let restricts_files = wish.access.is_some_and(|access| !access.fs.is_empty());
    let by_paths = || {
        let (rules, fixed) = nested(wish.root, &regions, restricts_files, tree);
        Profile {
            directory: wish.root.to_owned(),
            restricts_files,
            rules,
            covers: Vec::new(),
            writable: None,
            private_tmp: None,
            network: Network::of(wish.access, mechanisms),
            is_scoped: restricts_files,
            nested: true,
            fixed,
        }
    };
    let by_files = || {
        let mut planner = Planner {
            regions: &regions,
            covers: mechanisms.hold_mounts(),
            root: wish.root,
            tree,
            movers: Vec::new(),
            links: HardLinks {
                root: wish.root,
                regions: &regions,
                tree,
                covers: mechanisms.hold_mounts(),
                found: OnceCell::new(),
            },
        };
        let rules = if restricts_files {
            planner.movers = planner.rules(Rights::CREATE.with(Rights::DELETE));
            planner.rules(Rights::ALL)
        } else {
            Vec::new()
        };
        let mut profile = Profile {
            directory: wish.root.to_owned(),
            restricts_files,
            covers: planner.covers(&rules),
            writable: (restricts_files && mechanisms.hold_mounts()).then(|| planner.writable()),
            rules,
            private_tmp: own.cloned(),
            network: Network::of(wish.access, mechanisms),
            is_scoped: restricts_files && mechanisms.hold_scopes(),
            nested: false,
            fixed: Vec::new(),
        };
        // A service could connect where the process itself cannot.
        let closes = restricts_files && !mechanisms.hold_socket_files()
            || profile.network == Network::Nothing;
        if closes && mechanisms.hold_mounts() {
            let more = sockets::covers(wish.beyond, &profile, &regions.list, tree);
            profile.covers.extend(more);
            profile
                .covers
                .sort_by(|left, right| left.path.cmp(&right.path));
        }
        profile
    };
    let profile = match mechanisms.hold_paths() {
        true => Some(by_paths()),
        false => mechanisms.hold_files().then(by_files),
    };
    let account = Account {
        private_tmp,
        ..Account::of(wish, mechanisms, profile.as_ref(), &regions)
    };
    Ok(Plan {
        profile,
        account,
        folders: folders.into_iter().collect(),
    })
}

/// The same grants for a program that refuses itself to change what it may only make.
fn with_updates(access: &AccessPolicy) -> AccessPolicy {
    let rules = access.fs.iter().map(|rule| match makes_only(rule) {
        true => rule.clone().with_update(true),
        false => rule.clone(),
    });
    let rules: Vec<FsRule> = rules.collect();
    AccessPolicy {
        fs: rules.into(),
        ..access.clone()
    }
}

/// Whether a rule grants to make files and not to change any.
pub(crate) fn makes_only(rule: &FsRule) -> bool {
    rule.create() && !rule.update()
}

struct Planner<'a> {
    regions: &'a Regions,
    /// Whether there are mounts.
    covers: bool,
    root: &'a Utf8Path,
    tree: &'a dyn Tree,
    /// The rules that let something be moved or linked out of a directory, once they are known.
    movers: Vec<FileRule>,
    links: HardLinks<'a>,
}

impl Planner<'_> {
    /// What is given to each path, of some rights.
    fn rules(&self, wanted: Rights) -> Vec<FileRule> {
        let mut given: BTreeMap<Utf8PathBuf, (Rights, bool)> = BTreeMap::new();
        let mut give = |path: &Utf8Path, right: Rights, is_directory: bool| {
            let known = given
                .entry(path.to_owned())
                .or_insert((Rights::NONE, is_directory));
            known.0 = known.0.with(right);
        };
        for (index, region) in self.regions.list.iter().enumerate() {
            let Some(entry) = region.entry else {
                continue;
            };
            for capability in region.granted.and(wanted).capabilities() {
                let right = Rights::of(capability);
                match entry.kind {
                    Kind::Link => {}
                    Kind::File => {
                        if applies_to_files(right)
                            && (region.is_beyond || self.is_about_one(&region.path, entry, right))
                        {
                            give(&region.path, right, false);
                        }
                    }
                    Kind::Directory => {
                        let blocked = self.blocked(index, region, right);
                        if blocked.is_empty() {
                            give(&region.path, right, true);
                        } else {
                            let mut left = MOST_SPLIT;
                            self.split(&region.path, right, &blocked, &mut left, &mut give);
                        }
                    }
                }
            }
        }
        given
            .into_iter()
            .map(|(path, (rights, is_directory))| FileRule {
                path,
                rights,
                is_directory,
            })
            .collect()
    }

    /// The places below a region that a right must not reach, and that no mount keeps it from.
    fn blocked(&self, index: usize, region: &Region, right: Rights) -> Vec<&Utf8Path> {
        self.regions
            .below(index)
            .filter(|inner| match inner.entry {
                // What is made there would have the rights of its surroundings.
                None => right == Rights::CREATE && !inner.granted.has(self.leaking(&inner.path)),
                Some(_) if !inner.granted.has(right) => !self.is_shielded(inner, right),
                Some(entry) => {
                    !self.covers && moves(right, entry.kind) && inner.granted != region.granted
                }
            })
            .map(|inner| inner.path.as_path())
            .collect()
    }

    /// Gives a right to everything below `directory` but the blocked places and the ways to them.
    fn split(
        &self,
        directory: &Utf8Path,
        right: Rights,
        blocked: &[&Utf8Path],
        left: &mut usize,
        give: &mut impl FnMut(&Utf8Path, Rights, bool),
    ) {
        for (name, kind) in self.tree.names(directory) {
            let path = directory.join(name);
            let inner: Vec<&Utf8Path> = blocked
                .iter()
                .copied()
                .filter(|place| place.starts_with(&path))
                .collect();
            if inner.contains(&path.as_path()) {
                continue;
            }
            if *left == 0 {
                return;
            }
            *left -= 1;
            match kind {
                Kind::Directory if inner.is_empty() => give(&path, right, true),
                Kind::Directory => self.split(&path, right, &inner, left, give),
                Kind::File if applies_to_files(right) => {
                    let entry = self.tree.entry(&path);
                    if entry.is_some_and(|entry| self.is_about_one(&path, entry, right)) {
                        give(&path, right, false);
                    }
                }
                Kind::File | Kind::Link => {}
            }
        }
        // Files let nobody list anything, so that a closed one does not keep its directory from being listed.
        if right == Rights::READ && blocked.iter().all(|place| !self.is_directory(place)) {
            give(directory, Rights::LIST, true);
        }
    }

    /// Whether a rule about a file says nothing of places that do not grant the right: it holds for all names of the file,
    /// and for those that it gets later where no mount lies between them.
    fn is_about_one(&self, path: &Utf8Path, entry: Entry, right: Rights) -> bool {
        match entry.names {
            0 | 1 => {
                let mut movers = self.movers.iter();
                let stays = path
                    .parent()
                    .is_none_or(|parent| !movers.any(|mover| parent.starts_with(&mover.path)));
                self.covers || stays || !self.regions.take_without(right)
            }
            names => self.links.may_give(path, names, right),
        }
    }

    fn is_directory(&self, path: &Utf8Path) -> bool {
        let entry = self.tree.entry(path);
        entry.is_some_and(|entry| entry.kind == Kind::Directory)
    }

    /// What the regions around a path grant, its own left out.
    fn leaking(&self, path: &Utf8Path) -> Rights {
        self.regions
            .above(path)
            .fold(Rights::NONE, |rights, region| rights.with(region.granted))
    }

    /// Whether a mount keeps the right from a region that exists and does not grant it.
    fn is_shielded(&self, region: &Region, right: Rights) -> bool {
        self.covers
            && (self.is_hidden(region)
                || match right {
                    Rights::READ => false,
                    Rights::EXECUTE => true,
                    _ => !region.granted.meets(Rights::WRITES),
                })
    }

    /// Whether nothing of a region is left, nor of what lies in it.
    fn is_hidden(&self, region: &Region) -> bool {
        let inner = self.regions.list.iter();
        region.granted.is_empty()
            && inner
                .skip_while(|inner| inner.path <= region.path)
                .take_while(|inner| inner.path.starts_with(&region.path))
                .all(|inner| inner.granted.is_empty())
    }

    /// The mounts, in the order of their paths.
    fn covers(&self, rules: &[FileRule]) -> Vec<Cover> {
        if !self.covers {
            return Vec::new();
        }
        let mut covers: BTreeMap<Utf8PathBuf, Cover> = BTreeMap::new();
        let mut pinned: BTreeSet<Utf8PathBuf> = BTreeSet::new();
        for region in &self.regions.list {
            let Some(entry) = region.entry.filter(|entry| entry.kind != Kind::Link) else {
                continue;
            };
            let Some(surrounding) = self.regions.above(&region.path).last() else {
                continue;
            };
            let leaking = self.leaking(&region.path);
            let is_movable = leaking.meets(Rights::CREATE.with(Rights::DELETE));
            let differs = region.granted != surrounding.granted;
            let lost = leaking.without(region.granted);
            if !(differs && is_movable) && lost.is_empty() {
                continue;
            }
            let hidden = self.is_hidden(region);
            let is_read = !region.granted.meets(Rights::WRITES);
            let cover = Cover {
                path: region.path.clone(),
                is_directory: entry.kind == Kind::Directory,
                hidden,
                read_only: !hidden && is_read && lost.meets(Rights::WRITES),
                no_execution: !hidden && lost.has(Rights::EXECUTE),
                may_be_gone: false,
            };
            // What lies in a place that is gone is gone with it.
            let is_gone = region
                .path
                .ancestors()
                .skip(1)
                .any(|outer| covers.get(outer).is_some_and(|cover| cover.hidden));
            if is_gone {
                continue;
            }
            pinned.extend(self.movable_directories(region));
            covers.insert(region.path.clone(), cover);
        }
        for path in pinned {
            let inherited = self.regions.above(&path).last();
            let inherited = inherited
                .and_then(|region| covers.get(&region.path))
                .cloned();
            let (read_only, no_execution) = inherited.map_or((false, false), |cover| {
                (cover.read_only, cover.no_execution)
            });
            covers.entry(path.clone()).or_insert(Cover {
                path,
                is_directory: true,
                hidden: false,
                read_only,
                no_execution,
                may_be_gone: false,
            });
        }
        self.cover_names(rules, &mut covers);
        covers.into_values().collect()
    }

    /// Covers the other names of files that rules are about.
    fn cover_names(&self, rules: &[FileRule], covers: &mut BTreeMap<Utf8PathBuf, Cover>) {
        let is_shared = |rule: &&FileRule| {
            let entry = self.tree.entry(&rule.path);
            !rule.is_directory
                && rule.path.starts_with(self.root)
                && entry.is_some_and(|entry| entry.names > 1)
        };
        for rule in rules.iter().filter(is_shared) {
            for (name, lost) in self.links.to_cover(&rule.path, rule.rights) {
                let around = name.ancestors().find_map(|outer| covers.get(outer));
                if around.is_some_and(|around| around.hidden) {
                    continue;
                }
                let around = around.cloned();
                let is_set = |flag: fn(&Cover) -> bool| around.as_ref().is_some_and(flag);
                let hidden = lost.has(Rights::READ);
                let cover = Cover {
                    path: name.to_owned(),
                    is_directory: false,
                    hidden,
                    read_only: !hidden
                        && (lost.has(Rights::UPDATE) || is_set(|around| around.read_only)),
                    no_execution: !hidden
                        && (lost.has(Rights::EXECUTE) || is_set(|around| around.no_execution)),
                    may_be_gone: false,
                };
                covers.insert(cover.path.clone(), cover);
            }
        }
    }

    /// The outermost places in which something may be written; devices are written on any mount.
    fn writable(&self) -> Vec<Utf8PathBuf> {
        let mut places: Vec<Utf8PathBuf> = Vec::new();
        for region in &self.regions.list {
            let is_there = region.entry.is_some_and(|entry| entry.kind != Kind::Link);
            let is_known = places.iter().any(|outer| region.path.starts_with(outer));
            let is_device = region.path.starts_with("/dev");
            if is_there && !is_known && !is_device && region.granted.meets(Rights::WRITES) {
                places.push(region.path.clone());
            }
        }
        places
    }

    /// The directories around a region that could be moved away with it.
    fn movable_directories(&self, region: &Region) -> Vec<Utf8PathBuf> {
        let outermost = self
            .regions
            .above(&region.path)
            .find(|outer| outer.granted.has(Rights::DELETE));
        let Some(outermost) = outermost else {
            return Vec::new();
        };
        // Where everything is open, so is the way to the workspace.
        region
            .path
            .ancestors()
            .skip(1)
            .take_while(|path| *path != outermost.path && *path != self.root)
            .map(Utf8Path::to_owned)
            .collect()
    }
}

/// Whether a right says something about a file itself, and not about the directory that it stands in.
fn applies_to_files(right: Rights) -> bool {
    !right.meets(Rights::CREATE.with(Rights::DELETE))
}

/// Whether a right could give an inner region another place, which takes its rules along.
fn moves(right: Rights, kind: Kind) -> bool {
    match right {
        Rights::DELETE => true,
        Rights::CREATE => kind != Kind::Directory,
        _ => false,
    }
}

/// The words for what a right does directly in a directory.
pub(crate) fn done_in(capability: FsCapability, directory: &Utf8Path) -> String {
    match capability {
        FsCapability::Read => {
            format!("listing `{directory}`, and reading what is made directly in it")
        }
        FsCapability::Create => format!("making files directly in `{directory}`"),
        FsCapability::Update => format!("changing files that are made directly in `{directory}`"),
        FsCapability::Delete => format!("removing or renaming what lies directly in `{directory}`"),
        FsCapability::Execute => format!("running files that are made directly in `{directory}`"),
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
