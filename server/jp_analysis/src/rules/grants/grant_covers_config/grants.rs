//! What the rules of a tool let it do to files that are config.
//!
//! ```toml
//! access.fs = [{ path = ".", write = true }, { path = ".jp" }]    # all but what lies in `.jp`
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::{Bound, Range},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    merge::{Located, LocatedValue},
    paths::normalize,
};
use jp_tool::{FsCapability, FsPolicy, FsRule, protected_prefix};

use super::{
    MOST_HITS, any_folder, fixes,
    path_index::PathIndex,
    places::{ConfigPlace, Places},
};
use crate::tool::ToolContext;

/// The rules of a tool for files, compiled, with the places where they stand.
pub(in crate::rules::grants) struct Grants<'a> {
    policy: FsPolicy,
    rules: Vec<FsRule>,
    located: Vec<&'a Located>,
    /// The rules by their paths: of several for one path the last, which decides.
    by_path: BTreeMap<Utf8PathBuf, usize>,
}

/// A file that a tool may write although it is, or would be, config.
pub(in crate::rules::grants) struct Hit<'a> {
    pub(in crate::rules::grants) file: Utf8PathBuf,
    pub(in crate::rules::grants) place: &'a ConfigPlace,
    /// What the rule lets the tool do with it.
    pub(in crate::rules::grants) capability: FsCapability,
    /// Whether it is config only for whoever starts `jp` in its folder.
    pub(in crate::rules::grants) is_in_any_folder: bool,
}

impl<'a> Grants<'a> {
    /// The rules as the runtime reads them; nothing where it would not.
    pub(in crate::rules::grants) fn of(context: &'a ToolContext<'_>) -> Option<Self> {
        let root = &context.view.graph().workspace;
        let declared = crate::rules::grants::list::rules(context, "fs");
        let (rules, located): (Vec<FsRule>, Vec<&Located>) = declared
            .iter()
            .filter_map(|located| Some((fs_rule(root, located)?, located)))
            .unzip();
        // Rules without a single readable path grant nothing.
        if rules.is_empty() && !declared.is_empty() {
            return None;
        }
        let numbered = rules.iter().enumerate();
        Some(Self {
            policy: FsPolicy::compile(&rules).ok()?,
            by_path: numbered
                .map(|(index, rule)| (below_root(rule.path()).to_owned(), index))
                .collect(),
            rules,
            located,
        })
    }

    /// Whether the tool may do everything, because there are no rules.
    pub(in crate::rules::grants) fn is_unrestricted(&self) -> bool {
        self.rules.is_empty()
    }

    pub(in crate::rules::grants) fn rules(&self) -> &[FsRule] {
        &self.rules
    }

    pub(in crate::rules::grants) fn located(&self, rule: usize) -> Option<&'a Located> {
        self.located.get(rule).copied()
    }

    /// The rules that let the tool write something.
    pub(in crate::rules::grants) fn writing(&self) -> impl Iterator<Item = usize> {
        let rules = self.rules.iter().enumerate();
        rules
            .filter(|(_, rule)| rule.create() || rule.update() || rule.delete())
            .map(|(index, _)| index)
    }

    /// The files that a rule, or the absence of rules, lets the tool write: one for each place of config.
    ///
    /// Beyond [`MOST_HITS`] only those follow that a fix has to name.
    pub(in crate::rules::grants) fn hits<'p>(
        &self,
        places: &'p Places,
        rule: Option<usize>,
        bundled: bool,
    ) -> Vec<Hit<'p>> {
        let Some(below) = self.reach(rule) else {
            return Vec::new();
        };
        let mut search = Search {
            grants: self,
            places,
            rule,
            below,
            bundled,
            hits: BTreeMap::new(),
            closing: BTreeSet::new(),
        };
        search.run();
        let mut hits: Vec<Hit<'p>> = search.hits.into_values().collect();
        hits.extend(self.in_any_folder(&places.any_folder, rule, below, bundled));
        hits
    }

    /// The path below which a rule, or the absence of rules, decides; nothing where a later rule for the same path does.
    pub(in crate::rules::grants) fn reach(&self, rule: Option<usize>) -> Option<&Utf8Path> {
        let below = match rule {
            Some(rule) => below_root(self.rules.get(rule)?.path()),
            None => Utf8Path::new(""),
        };
        (self.by_path.get(below).copied() == rule).then_some(below)
    }

    /// The paths of the other rules below a path, in order.
    pub(in crate::rules::grants) fn deeper<'s>(&'s self, path: &'s Utf8Path) -> Vec<&'s Utf8Path> {
        let from = (Bound::Excluded(path), Bound::Unbounded);
        let paths = self.by_path.range::<Utf8Path, _>(from);
        paths
            .map(|(other, _)| other.as_path())
            .take_while(|other| other.starts_with(path))
            .collect()
    }

    /// What lies below the rule and no deeper rule decides, so far as a file there would be config.
    fn in_any_folder<'p>(
        &self,
        place: &'p ConfigPlace,
        rule: Option<usize>,
        below: &Utf8Path,
        bundled: bool,
    ) -> Option<Hit<'p>> {
        any_folder::files(below).into_iter().find_map(|file| {
            let kept = bundled.then(|| protected_prefix(&file)).flatten();
            let capability = FsCapability::Create;
            self.allows(rule, capability, &file, kept.as_deref())
                .then_some(Hit {
                    file,
                    place,
                    capability,
                    is_in_any_folder: true,
                })
        })
    }

    /// Whether a rule, or the absence of rules, is what lets the tool do something with a file that lies in a kept place, if it does.
    pub(in crate::rules::grants) fn allows(
        &self,
        rule: Option<usize>,
        capability: FsCapability,
        file: &Utf8Path,
        kept: Option<&Utf8Path>,
    ) -> bool {
        let decision = self.policy.decide_within(capability, file, kept);
        decision.allowed && decision.rule == rule
    }

    /// Whether any rule lets the tool do something with a file that lies in a kept place, if it does.
    pub(in crate::rules::grants) fn may(
        &self,
        capability: FsCapability,
        file: &Utf8Path,
        kept: Option<&Utf8Path>,
    ) -> bool {
        self.policy.decide_within(capability, file, kept).allowed
    }

    /// The rule that decides about a file.
    pub(in crate::rules::grants) fn deciding(
        &self,
        capability: FsCapability,
        file: &Utf8Path,
    ) -> Option<usize> {
        self.policy.decide(capability, file).rule
    }

    /// The rules without their places.
    pub(in crate::rules::grants) fn into_policy(self) -> FsPolicy {
        self.policy
    }
}

/// A walk over the places that one rule can reach.
struct Search<'s, 'a, 'p> {
    grants: &'s Grants<'a>,
    places: &'p Places,
    rule: Option<usize>,
    below: &'s Utf8Path,
    bundled: bool,
    /// By the number of the place.
    hits: BTreeMap<usize, Hit<'p>>,
    /// The paths of rules that would close what was hit.
    closing: BTreeSet<Utf8PathBuf>,
}

impl Search<'_, '_, '_> {
    fn run(&mut self) {
        for place in &self.places.looked_for {
            self.visit(*place);
        }
        let above = self.below.ancestors().skip(1);
        for directory in above {
            for place in self.places.globs.at(directory) {
                self.visit(place);
            }
        }
        let deeper = self.grants.deeper(self.below);
        // The bundled tools keep each file closed that no rule lies at, unless the rule lies in a place that is kept.
        let is_kept = self.bundled && self.places.kept(self.below).is_none();
        if is_kept {
            for place in self.places.files.at(self.below) {
                self.visit(place);
            }
        } else {
            self.walk(&self.places.files, &deeper);
        }
        self.walk(&self.places.globs, &deeper);
    }

    fn walk(&mut self, index: &PathIndex, deeper: &[&Utf8Path]) {
        for Range { mut start, end } in index.between(self.below, deeper) {
            while let Some((path, place)) = index.get(start).filter(|_| start < end) {
                start += 1;
                if self.hits.len() >= MOST_HITS {
                    if self.closing.len() > fixes::MOST_DENIALS {
                        return;
                    }
                    if let Some(closed) = path.ancestors().find(|path| self.closing.contains(*path))
                    {
                        start = start.max(index.below(closed).end);
                        continue;
                    }
                }
                self.visit(place);
            }
        }
    }

    fn visit(&mut self, index: usize) {
        let Some(place) = self.places.get(index) else {
            return;
        };
        if let Some(hit) = self.hit(place) {
            self.closing.insert(closing(&hit));
            self.hits.insert(index, hit);
        }
    }
}

impl<'p> Search<'_, '_, 'p> {
    fn hit(&self, place: &'p ConfigPlace) -> Option<Hit<'p>> {
        let capabilities: &[FsCapability] = if place.exists {
            &[FsCapability::Update, FsCapability::Delete]
        } else {
            &[FsCapability::Create]
        };
        (0..place.variants()).find_map(|variant| {
            let file = place.witness(self.below, variant)?;
            let kept = self.bundled.then(|| self.places.kept(&file)).flatten();
            let may = |capability: &FsCapability| {
                self.grants
                    .allows(self.rule, *capability, &file, kept.as_deref())
            };
            let capability = capabilities.iter().copied().find(may)?;
            Some(Hit {
                file,
                place,
                capability,
                is_in_any_folder: false,
            })
        })
    }
}

/// The path of a rule that closes the place of a hit.
pub(super) fn closing(hit: &Hit<'_>) -> Utf8PathBuf {
    protected_prefix(&hit.file).unwrap_or_else(|| hit.place.root())
}

/// The path of a rule that closes a file: the file, or the protected place that it lies in.
pub(in crate::rules::grants) fn closing_place(file: &Utf8Path) -> Utf8PathBuf {
    protected_prefix(file).unwrap_or_else(|| file.to_owned())
}

/// A rule with its path relative to the workspace; nothing where it leaves that, or cannot be read.
pub(in crate::rules::grants) fn fs_rule(root: &Utf8Path, located: &Located) -> Option<FsRule> {
    let path = normalize(&root.join(located.get("path")?.value.as_str()?));
    let path = match path.strip_prefix(root).ok()? {
        path if path.as_str().is_empty() => Utf8Path::new("."),
        path => path,
    };
    let flag = |key: &str| match located.get(key)?.value {
        LocatedValue::Boolean(flag) => Some(flag),
        _ => None,
    };
    let rule = FsRule::new(path)
        .with_read(flag("read"))
        .with_write(flag("write"))
        .with_create(flag("create"))
        .with_update(flag("update"))
        .with_delete(flag("delete"))
        .with_execute(flag("execute"));
    Some(rule)
}

/// A rule's path as that of a place: the workspace itself has no name.
pub(in crate::rules::grants) fn below_root(path: &Utf8Path) -> &Utf8Path {
    if path == "." { Utf8Path::new("") } else { path }
}
