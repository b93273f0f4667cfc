//! Tools that may remove a file that runs, so that another one may make it anew.
//!
//! ```toml
//! [conversation.tools.clean]
//! access.fs = [{ path = "tools", delete = true }]    # removes `tools/lint.py`
//! run = "unattended"
//!
//! [conversation.tools.new]
//! access.fs = [{ path = "tools", create = true }]    # makes it again, as it likes
//! run = "unattended"
//! ```

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::view::View;
use jp_tool::{FsCapability, FsRule, protected_prefix};

use super::unasked::RunPolicy;
use crate::{
    diagnostic::Place,
    options::Options,
    rules::grants::grant_covers_config::{
        Grants, PathIndex, below_root, fs_rule, is_bundled, is_bundled_reader,
    },
    tool::{TOOLS, ToolContext},
};

/// How many tools are known that may remove one file.
const MOST_REMOVERS: usize = 8;

/// A tool whose grants let it remove files, and those of the files that run which some unasked call removes.
///
/// Who is asked takes long to find out and most tools may remove nothing that runs: their policies are not looked at.
#[derive(Debug, Clone)]
pub(super) struct Remover {
    name: Arc<str>,
    /// Below which paths it may remove something.
    paths: Arc<[Utf8PathBuf]>,
    removes: Arc<OnceLock<Vec<Utf8PathBuf>>>,
}

impl Remover {
    /// What a tool may remove by its grants; one without grants does not say that it removes anything.
    pub(super) fn of(view: &View, name: &str) -> Option<Self> {
        let access = view.effective(&[TOOLS[0], TOOLS[1], name, "access"])?;
        let rules = access.get("fs")?.value.as_list()?;
        let root = &view.graph().workspace;
        let rules = rules.iter().filter_map(|rule| fs_rule(root, rule));
        let paths: Arc<[Utf8PathBuf]> = rules
            .filter(FsRule::delete)
            .map(|rule| below_root(rule.path()).to_owned())
            .collect();
        (!paths.is_empty()).then(|| Self {
            name: name.into(),
            paths,
            removes: Arc::default(),
        })
    }

    /// The same tool, to be asked about other files.
    pub(super) fn anew(&self) -> Self {
        Self {
            removes: Arc::default(),
            ..self.clone()
        }
    }

    /// Whether another reading of the tool says the same: of one that nobody asked, only its paths are known.
    pub(super) fn stands_for(&self, other: &Self) -> bool {
        self.removes.get().is_none() && self.paths == other.paths
    }

    /// The files that run below its paths.
    fn candidates<'i>(&self, index: &'i PathIndex) -> Vec<&'i Utf8Path> {
        let ranges = self.paths.iter().flat_map(|path| index.below(path));
        ranges
            .filter_map(|at| index.get(at))
            .map(|(file, _)| file)
            .collect()
    }

    /// Those of them that it removes without a question.
    fn removing(&self, view: &View, files: &[&Utf8Path]) -> &[Utf8PathBuf] {
        self.removes
            .get_or_init(|| self.unasked(view, files).unwrap_or_default())
    }

    fn unasked(&self, view: &View, files: &[&Utf8Path]) -> Option<Vec<Utf8PathBuf>> {
        let context = ToolContext::of(view, &self.name, Options::default())?;
        if is_bundled_reader(&context) {
            return None;
        }
        let grants = Grants::of(&context)?.into_policy();
        let policy = RunPolicy::of(&context)?;
        let unasked = policy.unasked()?;
        let bundled = is_bundled(&context);
        let is_removed = |file: &Utf8Path| {
            let kept = bundled.then(|| protected_prefix(file)).flatten();
            let decision = grants.decide_within(FsCapability::Delete, file, kept.as_deref());
            decision.allowed && unasked.touching(file).is_some()
        };
        let files = files.iter().filter(|file| is_removed(file));
        Some(files.map(|file| (*file).to_owned()).collect())
    }
}

/// Which tools may remove which files that run.
#[derive(Debug, Default, Hash)]
pub(super) struct Removed(BTreeMap<Utf8PathBuf, Vec<Arc<str>>>);

impl Removed {
    /// Asks the tools of a view about the files of an index.
    pub(super) fn of<'r>(
        view: &View,
        index: &PathIndex,
        removers: impl Iterator<Item = &'r Remover>,
    ) -> Self {
        let mut removed: BTreeMap<Utf8PathBuf, Vec<Arc<str>>> = BTreeMap::new();
        for remover in removers {
            let candidates = remover.candidates(index);
            let is_wanted = |file: &&Utf8Path| {
                let known = removed.get(*file);
                known.is_none_or(|known| known.len() < MOST_REMOVERS)
            };
            if !candidates.iter().any(is_wanted) {
                continue;
            }
            for file in remover.removing(view, &candidates) {
                let names = removed.entry(file.clone()).or_default();
                if names.len() < MOST_REMOVERS && !names.contains(&remover.name) {
                    names.push(Arc::clone(&remover.name));
                }
            }
        }
        Self(removed)
    }

    /// The tools that may remove a file.
    pub(super) fn by(&self, file: &Utf8Path) -> &[Arc<str>] {
        self.0.get(file).map_or(&[], Vec::as_slice)
    }
}

/// Where the grants of a tool let it remove a file.
pub(super) fn removes_at(context: &ToolContext<'_>, name: &str, file: &Utf8Path) -> Option<Place> {
    let context = ToolContext::of(context.view, name, Options::default())?;
    let grants = Grants::of(&context)?;
    let rule = grants.deciding(FsCapability::Delete, file)?;
    context.place(grants.located(rule)?.get("path")?)
}
