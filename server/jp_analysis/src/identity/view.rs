//! The identities of the parts of a view, and what is different from those before.

use std::{collections::BTreeSet, sync::Arc};

use jp_config::graph::{FileId, Graph, Layer};

use super::{ByTool, FileIdentity, combine, hash_of};
use crate::tool::TOOLS;

/// The identities of the parts of a view.
#[derive(Debug, Clone, Default)]
pub(crate) struct ViewIdentity {
    /// What all layers say of each tool; for a fragment, of those that its own layers say something of.
    pub(crate) tools: Arc<ByTool<u64>>,
    /// What every tool depends on: the defaults, the servers, the aliases, the names of other tools.
    pub(crate) context: u64,
    /// What the rules of the whole view look at: all but the insides of tools, whose names count.
    pub(crate) everything: u64,
    sums: Sums,
}

/// What the layers come to, part by part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sums {
    names: u64,
    defaults: u64,
    asked: u64,
    outside: u64,
    /// What tools and files ask of the tools of others, in all files of the graph.
    references: u64,
}

/// What is different from the views before.
#[derive(Debug)]
pub(crate) struct ViewChange {
    /// The files that are different, sorted.
    pub(crate) files: Vec<FileId>,
    /// The tools of which the workspace's own layers say something else, or nothing any more.
    pub(crate) tools: BTreeSet<Arc<str>>,
    pub(crate) context: bool,
    pub(crate) everything: bool,
}

/// The identity of the workspace's own view before, of its files, and which of these are different.
type Before<'a> = (&'a Arc<ViewIdentity>, Vec<&'a FileIdentity>, &'a [FileId]);

impl ViewIdentity {
    /// The identity of the workspace's own view, and what is different from before.
    pub(crate) fn of(
        graph: &Graph,
        files: &[&FileIdentity],
        before: Option<Before<'_>>,
    ) -> (Arc<Self>, Option<ViewChange>) {
        let Some((view, before, changed)) = before else {
            return (Arc::new(Self::base(graph, files)), None);
        };
        let mut pairs = changed
            .iter()
            .filter_map(|file| before.get(file.index()).zip(files.get(file.index())));
        let has_same_tools = pairs
            .clone()
            .all(|(before, after)| before.tools.keys().eq(after.tools.keys()));
        let mut tools = BTreeSet::new();
        let next = if has_same_tools {
            let mut next = Self::clone(view);
            for (before, after) in pairs.clone() {
                let of_both = before.tools.values().zip(&after.tools);
                for (before, (name, after)) in of_both {
                    if before.whole != after.whole
                        && !tools.contains(name)
                        && let Some(slot) = Arc::make_mut(&mut next.tools).get_mut(name)
                    {
                        *slot = tool(graph, files, name);
                        tools.insert(Arc::clone(name));
                    }
                }
            }
            if pairs.any(|(before, after)| before.sums() != after.sums()) {
                next.sums = Sums {
                    names: next.sums.names,
                    ..Sums::of(graph, files)
                };
            }
            next.summed()
        } else {
            let next = Self::base(graph, files);
            let is_other =
                |(name, identity): &(&Arc<str>, &u64)| view.tools.get(*name) != Some(*identity);
            tools.extend(
                next.tools
                    .iter()
                    .filter(is_other)
                    .map(|(name, _)| Arc::clone(name)),
            );
            let mut names = view.tools.keys();
            tools.extend(
                names
                    .by_ref()
                    .filter(|name| !next.tools.contains_key(*name))
                    .cloned(),
            );
            next
        };
        let change = ViewChange {
            files: changed.to_vec(),
            tools,
            context: next.context != view.context,
            everything: next.everything != view.everything,
        };
        (Arc::new(next), Some(change))
    }

    fn base(graph: &Graph, files: &[&FileIdentity]) -> Self {
        let nothing = Self {
            sums: Sums {
                references: Sums::of(graph, files).references,
                ..Sums::default()
            },
            ..Self::default()
        };
        nothing.with(&graph.layers, files)
    }

    /// The identities of the tools that further layers say something of, with these layers on top.
    pub(crate) fn with(&self, layers: &[Layer], files: &[&FileIdentity]) -> Self {
        let mut tools: ByTool<u64> = ByTool::default();
        let mut sums = self.sums;
        for file in layers
            .iter()
            .filter_map(|layer| files.get(layer.file.index()))
        {
            sums.add(file);
            for (name, identity) in &file.tools {
                let slot = match tools.get_mut(name) {
                    Some(slot) => slot,
                    None => {
                        let below = self.tools.get(name).copied().unwrap_or_else(|| {
                            sums.names = combine(sums.names, hash_of(name));
                            0
                        });
                        tools.entry(Arc::clone(name)).or_insert(below)
                    }
                };
                *slot = combine(*slot, identity.whole);
            }
        }
        Self {
            tools: Arc::new(tools),
            sums,
            ..Self::default()
        }
        .summed()
    }

    fn summed(mut self) -> Self {
        let everywhere = combine(self.sums.asked, self.sums.references);
        self.context = combine(everywhere, self.sums.defaults);
        let outside = combine(self.sums.outside, self.sums.references);
        self.everything = combine(outside, self.sums.names);
        self
    }
}

impl Sums {
    /// The sums of the workspace's own layers, but for the names of their tools.
    fn of(graph: &Graph, files: &[&FileIdentity]) -> Self {
        let mut sums = Self {
            references: files
                .iter()
                .fold(0, |all, file| combine(all, file.references)),
            ..Self::default()
        };
        let layers = graph.layers.iter();
        for file in layers.filter_map(|layer| files.get(layer.file.index())) {
            sums.add(file);
        }
        sums
    }

    fn add(&mut self, file: &FileIdentity) {
        self.defaults = combine(self.defaults, file.defaults);
        self.asked = combine(self.asked, file.asked);
        self.outside = combine(self.outside, file.outside);
    }
}

impl FileIdentity {
    /// What views sum up of a file.
    fn sums(&self) -> (u64, u64, u64, u64) {
        (self.defaults, self.asked, self.outside, self.references)
    }
}

/// What the workspace's own layers say of a tool.
fn tool(graph: &Graph, files: &[&FileIdentity], name: &str) -> u64 {
    let naming = graph.layers_naming(&[TOOLS[0], TOOLS[1], name]);
    naming
        .into_iter()
        .flatten()
        .filter_map(|place| files.get(graph.layers.get(*place)?.file.index()))
        .filter_map(|file| file.tools.get(name))
        .fold(0, |all, identity| combine(all, identity.whole))
}
