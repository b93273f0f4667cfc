//! The ways in which a tool can do, without a question, what its guard is there to prevent.

use camino::{Utf8Path, Utf8PathBuf};
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

/// What puts something else into a file.
const WRITING: [FsCapability; 2] = [FsCapability::Update, FsCapability::Create];

/// One way: a file that the tool may write without a question, and who runs it then.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) file: Utf8PathBuf,
    /// What the grants let the tool do with it.
    pub(super) capability: FsCapability,
    pub(super) leads_to: LeadsTo,
    /// Whether it takes that the file is not there yet, although the config runs it.
    pub(super) needs_absence: bool,
    /// Whether the file runs once it is there, and nothing fails where it is not.
    is_looked_for: bool,
    /// The tool that removes the file first, where that is another one.
    pub(super) removed_by: Option<String>,
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
        let file = code(self.file.as_str());
        match &self.removed_by {
            Some(remover) => format!("{verb} {file}, once tool {} has deleted it,", code(remover)),
            None if self.needs_absence => format!("{verb} {file}, if it is not there,"),
            None => format!("{verb} {file}"),
        }
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
            .filter(|(file, _)| Utf8Path::new(file).starts_with(below))
            .map(|(file, who)| (Utf8PathBuf::from(*file), LeadsTo::Hook(who), true));
        let runs = self.runs.between(below, &deeper).into_iter();
        let runs = runs.map(|run| (run.file, LeadsTo::Runs(run.runner), run.is_looked_for));
        let ways = hooks.chain(runs);
        let ways = ways.filter_map(|(file, leads_to, is_looked_for)| {
            self.way(rule, file, leads_to, is_looked_for)
        });
        let mut ways: Vec<Way> = ways.take(MOST_HITS).collect();
        // What is certain comes first, and then what takes fewer steps.
        ways.sort_by_key(|way| {
            (
                way.needs_absence,
                way.removed_by.is_some(),
                way.leads_to.steps(),
                way.is_looked_for,
            )
        });
        ways
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
                needs_absence: false,
                is_looked_for: false,
                removed_by: None,
                file: hit.file,
            })
        })
        .collect()
    }

    /// The way by one file, which is there unless it `is_looked_for`.
    fn way(
        &self,
        rule: Option<usize>,
        file: Utf8PathBuf,
        leads_to: LeadsTo,
        is_looked_for: bool,
    ) -> Option<Way> {
        let kept = self.bundled.then(|| self.places.kept(&file)).flatten();
        let may = |capability| self.grants.allows(rule, capability, &file, kept.as_deref());
        let capability = WRITING.into_iter().find(|capability| may(*capability))?;
        // What a command names is there, or it would not run, and has to make room for another file.
        // What programs look for may be missing.
        let is_there =
            capability == FsCapability::Create && !is_looked_for && !may(FsCapability::Delete);
        let call = self.unasked.touching(&file)?;
        let remover = is_there.then(|| self.runs.remover(&file)).flatten();
        Some(Way {
            needs_absence: is_there && remover.is_none(),
            is_looked_for,
            removed_by: remover.map(str::to_owned),
            call,
            file,
            capability,
            leads_to,
        })
    }

    /// Whether the tool may write a file without a question, if it is there or may be made.
    pub(super) fn may_write(&self, file: &Utf8Path) -> bool {
        let kept = self.bundled.then(|| self.places.kept(file)).flatten();
        let may = |capability| self.grants.may(capability, file, kept.as_deref());
        WRITING.into_iter().any(may) && self.unasked.touching(file).is_some()
    }
}

impl LeadsTo {
    /// How many steps follow until something runs: whoever runs it of itself, or a call of another tool.
    pub(super) fn steps(&self) -> usize {
        match self {
            Self::Config(_) => 0,
            Self::Hook(_) | Self::Runs(Runner::Server(_)) => 1,
            Self::Runs(Runner::Tool(_) | Runner::Formatter(_)) => 2,
        }
    }
}
