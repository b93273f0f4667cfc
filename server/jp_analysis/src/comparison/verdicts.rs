//! What became of each tool, in a word, and the line above it that says so.
//!
//! ```toml
//! # since HEAD: loosened
//! [conversation.tools.edit]
//! ```

use std::collections::{BTreeMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    document::{Document, Entry, Span, Str},
    schema::{KeyKind, NodeId, schema},
};
use jp_policy::ChangeVerdict;

use super::model::Comparison;
use crate::text::walk::{Visitor, walk};

/// The verdict on each tool that is decided otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolVerdicts {
    /// By fragment, and by tool; `*` stands for the tool defaults and for what belongs to no tool.
    by_fragment: BTreeMap<Option<Utf8PathBuf>, BTreeMap<String, ChangeVerdict>>,
    leaves_all_open: bool,
}

/// A line above a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeLens {
    /// The tool's name where the file speaks of it first.
    pub span: Span,
    /// The tool.
    pub tool: String,
    /// What became of it; never [`ChangeVerdict::Equal`].
    pub verdict: ChangeVerdict,
}

impl ToolVerdicts {
    /// What a comparison comes to.
    #[must_use]
    pub fn of(comparison: &Comparison) -> Self {
        let mut verdicts = Self {
            leaves_all_open: comparison.leaves_all_open,
            ..Self::default()
        };
        for found in &comparison.tools {
            let tools = verdicts
                .by_fragment
                .entry(found.fragment.clone())
                .or_default();
            let verdict = tools
                .entry(found.tool.clone())
                .or_insert(ChangeVerdict::Equal);
            *verdict = verdict.and(found.verdict);
        }
        verdicts
    }

    /// What became of a tool, of `*` the tool defaults, for who picks `fragment`, a path from the workspace, or none.
    #[must_use]
    pub fn of_tool(&self, tool: &str, fragment: Option<&Utf8Path>) -> ChangeVerdict {
        if self.leaves_all_open {
            return ChangeVerdict::Unknown;
        }
        let picked = fragment.map(|path| Some(path.to_owned()));
        std::iter::once(None)
            .chain(picked)
            .filter_map(|key| self.by_fragment.get(&key)?.get(tool).copied())
            .fold(ChangeVerdict::Equal, ChangeVerdict::and)
    }

    /// The lines above the tools of a document, by position; `fragment` is the one that the document belongs to.
    #[must_use]
    pub fn lenses(&self, document: &Document, fragment: Option<&Utf8Path>) -> Vec<ChangeLens> {
        if self.by_fragment.is_empty() && !self.leaves_all_open {
            return Vec::new();
        }
        let mut tools = ToolKeys { found: Vec::new() };
        walk(document, &mut tools);
        tools.found.sort_by_key(|(_, span)| *span);
        let mut seen = HashSet::new();
        tools
            .found
            .into_iter()
            .filter(|(tool, _)| seen.insert(*tool))
            .filter_map(|(tool, span)| match self.of_tool(tool, fragment) {
                ChangeVerdict::Equal => None,
                verdict => Some(ChangeLens {
                    span,
                    tool: tool.to_owned(),
                    verdict,
                }),
            })
            .collect()
    }
}

/// The keys of `conversation.tools`, the defaults with them.
struct ToolKeys<'a> {
    found: Vec<(&'a str, Span)>,
}

impl<'a> Visitor<'a> for ToolKeys<'a> {
    fn entry(&mut self, _: &[&'a str], parent: Option<NodeId>, entry: Entry<'a>) {
        let map = parent.and_then(|parent| schema().map(parent));
        if map.is_some_and(|map| map.key == KeyKind::Tool) {
            let spans = entry.key_spans().into_iter();
            self.found.extend(spans.map(|span| (entry.key(), span)));
        }
    }

    fn string(&mut self, _: &[&'a str], _: Option<NodeId>, _: Str<'a>) {}
}

#[cfg(test)]
#[path = "verdicts_tests.rs"]
mod tests;
