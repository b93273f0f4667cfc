//! The ways in which a tool can do, without a question, what its guard is there to prevent.

use camino::Utf8PathBuf;
use jp_config::view::View;
use jp_tool::FsCapability;
use serde_json::Value;

use super::{
    run_files::{HOOKS, Runner, Runs},
    unasked::Unasked,
};
use crate::{
    rules::grants::grant_covers_config::{Grants, MOST_HITS, Places},
    text::markup::code,
};

/// One way: a file that the tool may write without a question, and who runs it then.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) file: Utf8PathBuf,
    /// What the grants let the tool do with it.
    pub(super) capability: FsCapability,
    pub(super) leads_to: LeadsTo,
    /// A call that does it; `null` where every call may.
    pub(super) call: Value,
}

/// What comes of writing a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LeadsTo {
    /// The file is config, for the reason that is given.
    Config(String),
    /// Another program runs it of itself.
    Hook(&'static str),
    /// The config runs it.
    Runs(Runner),
}

impl Way {
    /// What the tool may do, in words: "change `a`".
    pub(super) fn action(&self) -> String {
        let verb = match self.capability {
            FsCapability::Create => "create",
            FsCapability::Delete => "delete",
            _ => "change",
        };
        format!("{verb} {}", code(self.file.as_str()))
    }

    /// What comes of it, in words.
    pub(super) fn consequence(&self) -> String {
        match &self.leads_to {
            LeadsTo::Config(how) => format!("which is config ({how})"),
            LeadsTo::Hook(who) => format!("which {who} may run of itself"),
            LeadsTo::Runs(Runner::Tool(name)) => {
                format!("which tool {} runs without asking", code(name))
            }
            LeadsTo::Runs(Runner::Formatter(name)) => {
                format!(
                    "which runs whenever arguments of tool {} are shown",
                    code(name)
                )
            }
            LeadsTo::Runs(Runner::Server(name)) => {
                format!("which runs when MCP server {} starts", code(name))
            }
        }
    }
}

/// What is known of one tool.
pub(super) struct Search<'s> {
    pub(super) view: &'s View,
    pub(super) grants: &'s Grants<'s>,
    pub(super) places: &'s Places,
    pub(super) runs: &'s Runs<'s>,
    pub(super) unasked: &'s Unasked<'s>,
    pub(super) bundled: bool,
}

impl Search<'_> {
    /// The files that run and that a rule, or the absence of rules, lets the tool write without a question.
    pub(super) fn run_files(&self, rule: Option<usize>) -> Vec<Way> {
        let Some(below) = self.grants.reach(rule) else {
            return Vec::new();
        };
        let deeper = self.grants.deeper(below);
        let hooks = HOOKS
            .iter()
            .filter(|(file, _)| camino::Utf8Path::new(file).starts_with(below))
            .map(|(file, who)| (Utf8PathBuf::from(*file), LeadsTo::Hook(who)));
        let runs = self.runs.between(self.view, below, &deeper).into_iter();
        let runs = runs.map(|run| (run.file, LeadsTo::Runs(run.runner)));
        let ways = hooks.chain(runs);
        let ways = ways.filter_map(|(file, leads_to)| self.way(rule, file, leads_to));
        ways.take(MOST_HITS).collect()
    }

    /// The files that are config, or would be, and that a rule, or the absence of rules, lets the tool write without a question.
    pub(super) fn config_files(&self, rule: Option<usize>) -> Vec<Way> {
        let hits = self.grants.hits(self.places, rule, self.bundled);
        let hits = hits.into_iter().filter(|hit| !hit.is_in_any_folder);
        hits.filter_map(|hit| {
            Some(Way {
                call: self.unasked.touching(&hit.file)?,
                capability: hit.capability,
                leads_to: LeadsTo::Config(hit.place.how.clone()),
                file: hit.file,
            })
        })
        .collect()
    }

    fn way(&self, rule: Option<usize>, file: Utf8PathBuf, leads_to: LeadsTo) -> Option<Way> {
        let kept = self.bundled.then(|| self.places.kept(&file)).flatten();
        let may = |capability| self.grants.allows(rule, capability, &file, kept.as_deref());
        let capability = if may(FsCapability::Update) {
            FsCapability::Update
        } else if may(FsCapability::Create)
            && (matches!(leads_to, LeadsTo::Hook(_)) || may(FsCapability::Delete))
        {
            // What the config runs is there already, and has to make room for another file.
            FsCapability::Create
        } else {
            return None;
        };
        Some(Way {
            call: self.unasked.touching(&file)?,
            file,
            capability,
            leads_to,
        })
    }
}
