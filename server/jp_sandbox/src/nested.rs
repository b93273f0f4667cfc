//! The rules of a kernel that looks at paths, where the longest one wins as in RFD 076.
//!
//! ```text
//! /w           read, delete
//! /w/src       read                  the rule of the longest path decides
//! /w/a/key     nothing               `/w/a` cannot be moved, which would give the key another path
//! ```

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::{
    FileRule, Tree,
    regions::{Region, Regions},
};

/// The rules of a process, and the directories that it cannot move.
pub(crate) fn nested(
    root: &Utf8Path,
    regions: &Regions,
    restricts_files: bool,
    tree: &dyn Tree,
) -> (Vec<FileRule>, Vec<Utf8PathBuf>) {
    let mut rules = Vec::new();
    let mut fixed = BTreeSet::from([root.to_owned()]);
    for region in &regions.list {
        let surrounding = regions.above(&region.path).last();
        let differs = surrounding.is_none_or(|outer| outer.granted != region.granted);
        let is_base = surrounding.is_none();
        if !differs || (is_base && !restricts_files) {
            continue;
        }
        rules.push(FileRule {
            path: as_written(region, root, tree),
            rights: region.granted,
            is_directory: region.is_directory(),
        });
        if region.path.starts_with(root) {
            let ways = region.path.ancestors().skip(1);
            fixed.extend(
                ways.take_while(|way| way.starts_with(root))
                    .map(Utf8Path::to_owned),
            );
        }
    }
    rules.sort_by_cached_key(|rule: &FileRule| folded(&rule.path));
    (rules, fixed.into_iter().collect())
}

/// The path of a region as it stands on disk: a rule may write its letters in another case.
fn as_written(region: &Region, root: &Utf8Path, tree: &dyn Tree) -> Utf8PathBuf {
    let within = region.path.ancestors();
    let within = within.take_while(|path| path.starts_with(root));
    let mut written = within.filter_map(|outer| {
        let written = tree.resolved(outer)?;
        let rest = region.path.strip_prefix(outer).ok()?;
        (folded(&written) == folded(outer)).then(|| match rest.as_str() {
            "" => written.clone(),
            _ => written.join(rest),
        })
    });
    written.next().unwrap_or_else(|| region.path.clone())
}

/// A path for comparing it without regard to the case of letters.
pub(crate) fn folded(path: &Utf8Path) -> Utf8PathBuf {
    path.as_str().to_lowercase().into()
}
