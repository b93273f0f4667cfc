//! From a path as the model wrote it to a place that a tool may use.
//!
//! ```json
//! {"fs": [{"path": ".", "read": true}, {"path": ".config/jp/tools", "read": true, "write": true}]}
//! ```
//!
//! [`jp_tool`] resolves the path and decides (RFD 076, "Path evaluation"); what it resolved is what is opened, through
//! the directory handle of [`Tree`].
//!
//! Reading and modifying follow a symlink to the file that it names.
//! Creating, deleting and moving act on the entry itself: of their paths all but the last component is resolved, and the
//! rules are asked about the entry.
//!
//! Config and hooks are protected: a grant for a directory above them does not open them, and neither does having no
//! grants at all, see [`protected_place`].

use std::{io, sync::Arc};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_tool::{
    Canonical, Context, Decision, FsAccessError, FsPolicy, Reason, is_protected_name,
    linked_places, names_git_directory, protected_place,
};

pub(crate) use jp_tool::FsCapability as Capability;

use crate::{
    error::Error,
    tree::{Entry, EntryKind, Tree},
};

/// The most components that a path argument may have.
const MAX_COMPONENTS: usize = 20;
/// The most bytes that one of them may have.
const MAX_COMPONENT_BYTES: usize = 100;

/// A workspace held open, and the grants in it.
#[derive(Debug)]
pub(crate) struct OpenWorkspace<'a> {
    context: &'a Context,
    policy: FsPolicy,
    root: Utf8PathBuf,
    tree: Arc<Tree>,
}

impl<'a> OpenWorkspace<'a> {
    /// Opens the workspace of a context.
    pub(crate) fn open(context: &'a Context) -> Result<Self, Error> {
        let policy = match &context.access {
            None => FsPolicy::default(),
            Some(access) => access
                .fs
                .compiled()
                .map_err(|error| Error::Policy(error.to_string()))?
                .clone(),
        };
        let unusable = |source| Error::Root {
            root: context.root.clone(),
            source,
        };
        if !context.root.is_absolute() {
            return Err(unusable(io::Error::new(
                io::ErrorKind::InvalidInput,
                "write an absolute path",
            )));
        }
        let root = context.root.canonicalize_utf8().map_err(unusable)?;
        let tree = Tree::open(&root).map_err(unusable)?;
        Ok(Self {
            context,
            policy,
            root,
            tree: Arc::new(tree),
        })
    }

    /// The workspace itself.
    pub(crate) fn root_target(&self) -> Target {
        Target {
            path: Utf8PathBuf::new(),
            absolute: self.root.clone(),
            tree: Arc::clone(&self.tree),
            inner: Utf8PathBuf::new(),
            is_mount: false,
            place: None,
        }
    }

    /// Where `input` leads, with every symlink followed, provided that `capability` is granted there.
    pub(crate) fn target(&self, capability: Capability, input: &str) -> Result<Target, Error> {
        let target = self.resolved(input)?;
        if target.path.as_str().is_empty() {
            return Err(Error::PathEmpty);
        }
        self.require(capability, &target)?;
        Ok(target)
    }

    /// Where `input` leads, with every symlink followed; no capability is asked for.
    pub(crate) fn resolved(&self, input: &str) -> Result<Target, Error> {
        self.followed(&self.plain(input)?)
    }

    fn followed(&self, path: &Utf8Path) -> Result<Target, Error> {
        let canonical = self.canonical(path)?;
        let place = protected_place(&self.root, path, &canonical, &self.context.protected);
        Ok(Target {
            place,
            ..self.locate(canonical)?
        })
    }

    /// The entry that `input` names, which may be a symlink; no capability is asked for.
    pub(crate) fn entry(&self, input: &str) -> Result<Target, Error> {
        let path = self.plain(input)?;
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Error::PathEmpty);
        };
        let parent = self
            .canonical(parent)
            .and_then(|canonical| self.locate(canonical))?;
        let entry = parent.join(Utf8Path::new(name));
        match entry.kind()? {
            None | Some(EntryKind::Symlink) => {
                let canonical = Canonical {
                    absolute: entry.absolute.clone(),
                    relative: entry.path.clone(),
                };
                let place = protected_place(&self.root, &path, &canonical, &self.context.protected);
                Ok(Target { place, ..entry })
            }
            // Resolving what is no link only finds out how the file system spells it, which matters where case does not.
            Some(_) => self.followed(&path),
        }
    }

    /// Like [`OpenWorkspace::entry`], for an entry that is going to be a file: `docs/` names none.
    pub(crate) fn entry_for_file(&self, input: &str) -> Result<Target, Error> {
        let last = input.rsplit(std::path::is_separator).next();
        if input.len() > 1 && matches!(last, Some("" | ".")) {
            return Err(Error::PathNamesDirectory);
        }
        self.entry(input)
    }

    /// Whether `capability` is granted on a canonical path, protected places aside.
    pub(crate) fn permits(&self, capability: Capability, path: &Utf8Path) -> bool {
        self.policy.decide(capability, path).allowed
    }

    /// Stops the call unless `capability` is granted on the target.
    pub(crate) fn require(&self, capability: Capability, target: &Target) -> Result<(), Error> {
        self.require_within(capability, &target.path, target.place.as_deref())
    }

    fn decide_within(
        &self,
        capability: Capability,
        path: &Utf8Path,
        place: Option<&Utf8Path>,
    ) -> Decision {
        self.policy.decide_within(capability, path, place)
    }

    fn require_within(
        &self,
        capability: Capability,
        path: &Utf8Path,
        place: Option<&Utf8Path>,
    ) -> Result<(), Error> {
        let decision = self.decide_within(capability, path, place);
        match place {
            _ if decision.allowed => Ok(()),
            Some(place) if decision.reason == Reason::Protected => Err(Error::Protected {
                capability,
                path: path.to_owned(),
                place: place.to_owned(),
                has_rules: decision.rule.is_some(),
            }),
            _ => Err(self.denied(capability, path)),
        }
    }

    /// Stops the move of a directory that holds protected places which it may not take along.
    pub(crate) fn require_protected_beneath(
        &self,
        source: &Target,
        target: &Target,
    ) -> Result<(), Error> {
        let listed = self
            .context
            .protected
            .iter()
            .filter_map(|file| file.strip_prefix(&source.absolute).ok())
            .map(Utf8Path::to_owned);
        let found = source
            .subtree()
            .and_then(|tree| protected_beneath(&tree))
            .map_err(|error| source.error("inspect", error))?;
        for place in found.iter().cloned().chain(listed) {
            let (from, to) = (source.path.join(&place), target.path.join(&place));
            self.require_within(Capability::Delete, &from, Some(&from))?;
            if found.contains(&place) {
                self.require_within(Capability::Create, &to, Some(&to))?;
            }
        }
        Ok(())
    }

    /// Stops a move that would bring forth a protected place below its target, whatever the source holds.
    pub(crate) fn require_protected_above(&self, target: &Target) -> Result<(), Error> {
        let linked = linked_places(&self.root).into_iter();
        let places = linked.map(|place| self.root.join(place));
        for place in places.chain(self.context.protected.iter().cloned()) {
            // Letter case does not count everywhere.
            let top = Utf8PathBuf::from(target.absolute.as_str().to_lowercase());
            let below = Utf8PathBuf::from(place.as_str().to_lowercase());
            let depth = top.components().count();
            if below != top && below.starts_with(&top) {
                let rest: Utf8PathBuf = place.components().skip(depth).collect();
                let path = target.path.join(rest);
                self.require_within(Capability::Create, &path, Some(&path))?;
            }
        }
        Ok(())
    }

    /// Stops the call if a rule for something below the target withholds `capability` there.
    pub(crate) fn require_beneath(
        &self,
        capability: Capability,
        target: &Target,
    ) -> Result<(), Error> {
        let rules = self
            .context
            .access
            .iter()
            .flat_map(|access| access.fs.iter());
        for rule in rules {
            if rule.path().starts_with(&target.path) && !self.permits(capability, rule.path()) {
                return Err(self.denied(capability, rule.path()));
            }
        }
        Ok(())
    }

    fn denied(&self, capability: Capability, path: &Utf8Path) -> Error {
        Error::Denied {
            capability,
            path: path.to_owned(),
            grants: self
                .policy
                .granting_paths(capability)
                .map(Utf8Path::to_owned)
                .collect(),
        }
    }

    /// Removes the parent of an entry that is gone, if that left it empty, and returns what to say about it.
    ///
    /// The workspace itself stays, and so does a directory that the tool may not delete.
    pub(crate) fn remove_emptied_parent(&self, target: &Target) -> &'static str {
        let Some(parent) = target.parent() else {
            return "";
        };
        let place = parent.place.as_deref();
        if !self
            .decide_within(Capability::Delete, &parent.path, place)
            .allowed
        {
            return "";
        }
        match parent
            .place()
            .and_then(|place| place.remove_empty_directory())
        {
            Ok(true) => " Removed empty parent directory.",
            // The call did what it was asked to; a directory that stays does not change that.
            Ok(false) | Err(_) => "",
        }
    }

    /// The path relative to the root, lexically clean and of sane size.
    fn plain(&self, input: &str) -> Result<Utf8PathBuf, Error> {
        if input.is_empty() {
            return Err(Error::PathEmpty);
        }
        if input.contains('\0') {
            return Err(Error::PathHoldsNul);
        }
        let mut path = Utf8Path::new(input);
        if path.has_root() || path.is_absolute() {
            path = [self.root.as_path(), self.context.root.as_path()]
                .into_iter()
                .find_map(|root| path.strip_prefix(root).ok())
                .ok_or(Error::PathAbsolute)?;
        }
        let mut plain = Utf8PathBuf::new();
        for component in path.components() {
            match component {
                Utf8Component::CurDir => {}
                Utf8Component::Normal(name) => plain.push(name),
                Utf8Component::ParentDir if plain.pop() => {}
                Utf8Component::ParentDir => return Err(Error::PathEscapes),
                Utf8Component::Prefix(_) | Utf8Component::RootDir => {
                    return Err(Error::PathAbsolute);
                }
            }
        }
        if plain.components().count() > MAX_COMPONENTS {
            return Err(Error::PathTooDeep);
        }
        if plain
            .components()
            .any(|component| component.as_str().len() > MAX_COMPONENT_BYTES)
        {
            return Err(Error::PathComponentTooLong);
        }
        Ok(plain)
    }

    fn canonical(&self, path: &Utf8Path) -> Result<Canonical, Error> {
        self.policy
            .canonicalize(&self.root, path)
            .map_err(|error| match error {
                FsAccessError::Outside(_) => Error::PathAbsolute,
                FsAccessError::Escape(_) => Error::PathEscapes,
                FsAccessError::Io { path, message, .. } => Error::PathUnresolvable(path, message),
                other => Error::Policy(other.to_string()),
            })
    }

    fn locate(&self, canonical: Canonical) -> Result<Target, Error> {
        let Canonical { absolute, relative } = canonical;
        let path = match relative.as_str() {
            "." => Utf8PathBuf::new(),
            _ => relative,
        };
        if let Ok(inner) = absolute.strip_prefix(&self.root) {
            return Ok(Target {
                inner: inner.to_owned(),
                tree: Arc::clone(&self.tree),
                is_mount: false,
                place: None,
                path,
                absolute,
            });
        }
        let is_approved = self
            .context
            .access
            .iter()
            .flat_map(|access| access.fs.iter())
            .filter(|rule| rule.external())
            .filter_map(jp_tool::FsRule::approved_target)
            .any(|approved| absolute.starts_with(approved));
        let top = absolute.ancestors().last().filter(|_| is_approved);
        let Some((top, inner)) = top.and_then(|top| Some((top, absolute.strip_prefix(top).ok()?)))
        else {
            return Err(Error::PathEscapes);
        };
        // From the top of the file system, so that no component of the mount's own path can be swapped either.
        let tree = Tree::open(top).map_err(|source| Error::io("open", top, source))?;
        Ok(Target {
            inner: inner.to_owned(),
            tree: Arc::new(tree),
            is_mount: true,
            place: None,
            path,
            absolute,
        })
    }
}

/// The outermost protected places below a directory, relative to it.
fn protected_beneath(top: &Tree) -> io::Result<Vec<Utf8PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![Utf8PathBuf::new()];
    while let Some(path) = pending.pop() {
        let entries = top.subtree(&path)?.entries()?;
        let holds = |name: &str| entries.iter().any(|(entry, _)| entry == name);
        if !path.as_str().is_empty() && names_git_directory(holds) {
            found.push(path);
            continue;
        }
        for (name, kind) in &entries {
            // No protected name is anything but UTF-8, and neither can be a path to one.
            let Some(name) = name.to_str() else {
                continue;
            };
            let below = path.join(name);
            if is_protected_name(name) {
                found.push(below);
            } else if *kind == EntryKind::Directory {
                pending.push(below);
            }
        }
    }
    Ok(found)
}

/// A resolved path, and the open directory that it is reached through.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    path: Utf8PathBuf,
    absolute: Utf8PathBuf,
    tree: Arc<Tree>,
    inner: Utf8PathBuf,
    is_mount: bool,
    /// The protected place that the path lies in.
    place: Option<Utf8PathBuf>,
}

impl Target {
    /// The canonical workspace-relative path, which rules are matched on and messages show; empty for the workspace.
    pub(crate) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The resolved absolute path, for those that cannot use a handle.
    pub(crate) fn absolute(&self) -> &Utf8Path {
        &self.absolute
    }

    /// Whether the path leads out of the workspace through an approved mount.
    pub(crate) fn is_mount(&self) -> bool {
        self.is_mount
    }

    /// The entry below this one, to read.
    pub(crate) fn join(&self, relative: &Utf8Path) -> Self {
        Self {
            path: self.path.join(relative),
            absolute: self.absolute.join(relative),
            tree: Arc::clone(&self.tree),
            inner: self.inner.join(relative),
            is_mount: self.is_mount,
            place: None,
        }
    }

    /// The directory that holds this entry, unless that is the workspace or lies outside it.
    fn parent(&self) -> Option<Self> {
        let path = self
            .path
            .parent()
            .filter(|path| !path.as_str().is_empty())?;
        (!self.is_mount).then_some(())?;
        Some(Self {
            path: path.to_owned(),
            absolute: self.absolute.parent()?.to_owned(),
            tree: Arc::clone(&self.tree),
            inner: self.inner.parent()?.to_owned(),
            is_mount: false,
            place: self
                .place
                .as_ref()
                .filter(|place| path.starts_with(place))
                .cloned(),
        })
    }

    /// The handle for this entry.
    pub(crate) fn place(&self) -> io::Result<Entry> {
        self.tree.place(&self.inner)
    }

    /// The handle for this entry, its parent directories created if they are missing.
    pub(crate) fn place_with_parents(&self) -> io::Result<Entry> {
        self.tree.place_with_parents(&self.inner)
    }

    /// What stands here, symlinks not followed.
    pub(crate) fn kind(&self) -> Result<Option<EntryKind>, Error> {
        if self.inner.as_str().is_empty() {
            return Ok(Some(EntryKind::Directory));
        }
        match self.place().and_then(|place| place.kind()) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            other => other.map_err(|source| self.error("inspect", source)),
        }
    }

    /// The handle for what is below this directory.
    pub(crate) fn subtree(&self) -> io::Result<Tree> {
        self.tree.subtree(&self.inner)
    }

    /// The directory that this entry is reached from: the workspace, or the top of the file system for a mount.
    pub(crate) fn top(&self) -> &Utf8Path {
        let depth = self.inner.components().count();
        self.absolute
            .ancestors()
            .nth(depth)
            .unwrap_or(&self.absolute)
    }

    /// Wraps an operating system error on this path.
    pub(crate) fn error(&self, action: &'static str, source: io::Error) -> Error {
        Error::io(action, &self.path, source)
    }
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
