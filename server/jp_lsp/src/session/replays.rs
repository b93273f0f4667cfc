//! The recorded calls of the workspaces that are open, judged again by the rules as they are being written.
//!
//! ```text
//! record of /w (read once) + rules in the buffers, and as they are saved -> figures, and what an edit changes
//! ```
//!
//! Only the tools whose rules changed are judged again; only what is on disk is read, and nothing is ever run.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{
    explain::PathResolver as _,
    recorded::{RecordedEdit, RecordedRule, RecordedTool, edited_tools, run_rules},
};
use jp_config::graph::{FileId, Graph};
use jp_history::{Answer, History, Judgement, Limits, Replay};
use jp_policy::{CanonicalPath, Parameters, Policy, RunMode, compare};

use super::{
    reading::{ConfigReading, WorkspaceReading},
    record::{Proposal, Record, WorkspaceRecord},
    snapshot::Snapshot,
    work::Work,
};
use crate::{
    disk::{config_files::read_text, paths::DiskPaths},
    runtime::{conversations::history_sources, suggestions::ToolRules},
};

/// How many of the newest conversations are watched for further calls.
const WATCHED: usize = 8;
/// How many paths are remembered with where they lead.
const TARGETS: usize = 200_000;
/// From how many rules on an edit is told by the calls on record alone: others are searched for in a time that grows with the rules.
const SEARCHED: usize = 200;

/// The records of all workspaces. Owned by the thread that judges.
#[derive(Debug, Default)]
pub struct Replays {
    workspaces: BTreeMap<Utf8PathBuf, WorkspaceReplay>,
    /// Whether more may be on record than was read.
    is_stale: bool,
}

/// The record of one workspace, and how it was judged last.
#[derive(Debug)]
struct WorkspaceReplay {
    replay: Replay,
    watched: Vec<Utf8PathBuf>,
    read_for: Duration,
    paths: DiskPaths,
    /// Where paths lead, as the disk was at `disk`.
    targets: HashMap<String, Option<CanonicalPath>>,
    disk: u64,
    /// The config as it is saved; none before somebody needs it.
    saved: Option<Arc<Graph>>,
    reading: Option<Arc<WorkspaceReading>>,
    now: BTreeMap<String, Judged>,
    before: BTreeMap<String, Judged>,
    edits: BTreeMap<String, KnownEdit>,
    proposals: BTreeMap<String, Proposal>,
}

/// What one list of rules decides.
#[derive(Debug, Clone)]
struct Judged {
    policy: Arc<Policy<RunMode>>,
    judgement: Arc<Judgement<RunMode>>,
}

/// What an edit changes, from which rules to which.
#[derive(Debug)]
struct KnownEdit {
    before: Judged,
    after: Judged,
    edit: RecordedEdit,
}

impl Replays {
    /// Notes that more may be on record.
    pub(super) fn forget(&mut self) {
        self.is_stale = true;
    }

    /// What is on record, by the rules of `reading`; none where nothing changed since the last time, or nobody waits for it any more.
    pub(crate) fn judge(
        &mut self,
        reading: &ConfigReading,
        snapshot: &Snapshot,
        work: &Work,
    ) -> Option<Record> {
        let is_stale = std::mem::take(&mut self.is_stale);
        let is_open = |root: &Utf8PathBuf| reading.shared().iter().any(|open| open.root() == root);
        let count = self.workspaces.len();
        self.workspaces.retain(|root, _| is_open(root));
        let mut is_new = is_stale || self.workspaces.len() != count;
        for workspace in reading.shared() {
            let root = workspace.root();
            if is_stale || !self.workspaces.contains_key(root) {
                let replay = WorkspaceReplay::read(root);
                self.workspaces.insert(root.to_owned(), replay);
            }
            if let Some(replay) = self.workspaces.get_mut(root)
                && replay.is_past(workspace, snapshot)
            {
                is_new = true;
                replay.judge(workspace, snapshot, work)?;
            }
        }
        is_new.then(|| self.record())
    }

    /// What the calls on record suggest, by the rules that were judged last; none where nothing changed since the last time, or nobody
    /// waits for it any more.
    pub(crate) fn propose(&mut self, reading: &ConfigReading, work: &Work) -> Option<Record> {
        let mut is_new = false;
        for workspace in reading.shared() {
            if let Some(replay) = self.workspaces.get_mut(workspace.root()) {
                is_new |= replay.propose(workspace.graph(), work)?;
            }
        }
        is_new.then(|| self.record())
    }

    fn record(&self) -> Record {
        let mut record = Record::default();
        for (root, replay) in &self.workspaces {
            record.watched.extend(replay.watched.iter().cloned());
            record.read_for = record.read_for.max(replay.read_for);
            record.workspaces.insert(root.clone(), replay.record());
        }
        record
    }
}

impl WorkspaceReplay {
    fn read(root: &Utf8Path) -> Self {
        let begun = Instant::now();
        let sources = history_sources(root).unwrap_or_else(|error| {
            tracing::debug!(%error, "nothing is on record");
            Vec::new()
        });
        let watched = sources
            .iter()
            .flat_map(|source| source.watched(WATCHED))
            .collect();
        let replay = Replay::new(History::read(&sources, Limits::default()));
        Self {
            replay,
            watched,
            read_for: begun.elapsed(),
            paths: DiskPaths::new(root),
            targets: HashMap::new(),
            disk: 0,
            saved: None,
            reading: None,
            now: BTreeMap::new(),
            before: BTreeMap::new(),
            edits: BTreeMap::new(),
            proposals: BTreeMap::new(),
        }
    }

    /// Whether what was judged last is past.
    fn is_past(&self, reading: &Arc<WorkspaceReading>, snapshot: &Snapshot) -> bool {
        let known = self.reading.as_ref();
        self.disk != snapshot.disk_changes()
            || known.is_none_or(|known| !Arc::ptr_eq(known, reading))
    }

    fn judge(
        &mut self,
        reading: &Arc<WorkspaceReading>,
        snapshot: &Snapshot,
        work: &Work,
    ) -> Option<()> {
        if self.disk != snapshot.disk_changes() || self.targets.len() > TARGETS {
            // A link may lead elsewhere, and a file may be saved.
            self.disk = snapshot.disk_changes();
            self.targets.clear();
            self.saved = None;
            self.now.clear();
            self.before.clear();
        }
        let graph = reading.graph();
        let mut tools: BTreeSet<String> = self.replay.tools().map(str::to_owned).collect();
        let unsaved = unsaved(graph, snapshot);
        let saved = if unsaved.is_empty() {
            // It shares its text with what is edited next, and nothing has to be read for that.
            self.saved = Some(Arc::clone(graph));
            None
        } else {
            let saved = &mut self.saved;
            let saved = saved.get_or_insert_with(|| Arc::new(reading.saved(snapshot)));
            Some(Arc::clone(saved))
        };
        for file in unsaved {
            let before = saved.as_ref().and_then(|saved| {
                let file = saved.file_at(graph.path(file))?;
                saved.content(file)?.document()
            });
            let after = graph.content(file).and_then(|content| content.document());
            tools.extend(
                after
                    .map(|after| edited_tools(before, after))
                    .into_iter()
                    .flatten(),
            );
        }
        let mut edits = BTreeMap::new();
        for tool in &tools {
            work.check().ok()?;
            let Some(after) = self.judge_tool(reading.graph(), tool, Side::Now, work)? else {
                self.now.remove(tool);
                continue;
            };
            let Some(saved) = &saved else {
                continue;
            };
            if let Some(before) = self.judge_tool(saved, tool, Side::Before, work)?
                && !before.policy.is_same(&after.policy)
            {
                let edit = self.edit(tool, before, after);
                edits.insert(tool.clone(), edit);
            }
        }
        self.edits = edits;
        self.now.retain(|tool, _| tools.contains(tool));
        self.reading = Some(Arc::clone(reading));
        Some(())
    }

    /// What a tool's rules decide; within, none where it has none that can be used.
    fn judge_tool(
        &mut self,
        graph: &Arc<Graph>,
        tool: &str,
        side: Side,
        work: &Work,
    ) -> Option<Option<Judged>> {
        let Ok(rules) = run_rules(graph, tool) else {
            return Some(None);
        };
        let known = match side {
            Side::Now => &self.now,
            Side::Before => &self.before,
        };
        // What is saved is often what was judged before the edit.
        let mut known = known.get(tool).into_iter().chain(self.now.get(tool));
        let known = known.find(|known| known.policy.is_same(&rules.policy));
        let judged = match known {
            Some(known) => known.clone(),
            None => {
                let judgement = self.decide(tool, &rules.policy, &rules.parameters, work)?;
                Judged {
                    policy: Arc::new(rules.policy),
                    judgement: Arc::new(judgement),
                }
            }
        };
        let kept = match side {
            Side::Now => &mut self.now,
            Side::Before => &mut self.before,
        };
        // Rules that are written over now are often those that are saved.
        if let Some(past) = kept.insert(tool.to_owned(), judged.clone())
            && side == Side::Now
        {
            self.before.entry(tool.to_owned()).or_insert(past);
        }
        Some(Some(judged))
    }

    fn decide(
        &mut self,
        tool: &str,
        policy: &Policy<RunMode>,
        parameters: &Parameters,
        work: &Work,
    ) -> Option<Judgement<RunMode>> {
        let (targets, paths) = (&mut self.targets, &self.paths);
        let mut canonical = |path: &str| match targets.get(path) {
            Some(target) => target.clone(),
            None => {
                let target = paths.canonical(path);
                targets.insert(path.to_owned(), target.clone());
                target
            }
        };
        let goes_on = || work.check().is_ok();
        self.replay
            .judge(tool, policy, parameters, &mut canonical, &goes_on)
    }

    /// What goes otherwise, and a call that shows it.
    fn edit(&mut self, tool: &str, before: Judged, after: Judged) -> KnownEdit {
        if let Some(known) = self.edits.remove(tool)
            && known.before.policy.is_same(&before.policy)
            && known.after.policy.is_same(&after.policy)
            && Arc::ptr_eq(&known.before.judgement, &before.judgement)
            && Arc::ptr_eq(&known.after.judgement, &after.judgement)
        {
            return known;
        }
        let changes = self
            .replay
            .changes(tool, &before.judgement, &after.judgement);
        let mut edit = RecordedEdit {
            changes: changes
                .iter()
                .map(|change| (change.before, change.after, change.calls))
                .collect(),
            ..RecordedEdit::default()
        };
        if before.policy.len().max(after.policy.len()) > SEARCHED {
            edit.is_uncertain = true;
        } else {
            let root = Some(self.paths.root().as_str());
            let compared = compare(&before.policy, &after.policy, root);
            edit.is_uncertain = !compared.undecided.is_empty();
            let changed = compared
                .changes
                .iter()
                .find(|change| change.before != change.after);
            edit.witness =
                changed.map(|change| (change.before, change.after, change.witness.clone()));
        }
        KnownEdit {
            before,
            after,
            edit,
        }
    }

    /// Finds out for which tools rules are proven; whether anything is known that was not.
    fn propose(&mut self, graph: &Arc<Graph>, work: &Work) -> Option<bool> {
        let mut is_new = false;
        let count = self.proposals.len();
        self.proposals.retain(|tool, _| self.now.contains_key(tool));
        is_new |= self.proposals.len() != count;
        for (tool, judged) in &self.now {
            work.check().ok()?;
            let known = self.proposals.get(tool);
            if known.is_some_and(|known| known.policy.is_same(&judged.policy)) {
                continue;
            }
            let calls = self.replay.calls(tool);
            let mut proposal = Proposal {
                policy: Arc::clone(&judged.policy),
                approvals: 0,
                rules: 0,
            };
            if calls.clone().any(|call| is_approval(call.answer()))
                && let Ok(rules) = ToolRules::of(graph, tool)
            {
                let protected = rules.protected(&self.paths);
                // What comes of it counts only where this went on to the end.
                let calls = calls.take_while(|_| work.check().is_ok());
                let proven = rules.proven(&self.paths, &protected, None, calls);
                work.check().ok()?;
                proposal.approvals = proven.approvals;
                proposal.rules = proven.offered.len();
            }
            is_new = true;
            self.proposals.insert(tool.clone(), proposal);
        }
        Some(is_new)
    }

    fn record(&self) -> WorkspaceRecord {
        let tools = self.now.iter().map(|(name, judged)| {
            let figures = self
                .replay
                .figures(name, &judged.judgement, judged.policy.len());
            let rules = figures.rules.iter().map(|rule| RecordedRule {
                calls: rule.calls,
                last: rule.last.map(|last| last.datetime().unix_timestamp()),
            });
            let tool = RecordedTool {
                policy: Arc::clone(&judged.policy),
                calls: figures.calls,
                rules: rules.collect(),
                edit: self.edits.get(name).map(|known| known.edit.clone()),
            };
            (name.clone(), tool)
        });
        WorkspaceRecord {
            tools: tools.collect(),
            proposals: self.proposals.clone(),
        }
    }
}

const fn is_approval(answer: Answer) -> bool {
    matches!(answer, Answer::AllowedByPerson | Answer::EditedByPerson)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Now,
    Before,
}

/// The open files that are not as the disk has them.
fn unsaved(graph: &Graph, snapshot: &Snapshot) -> Vec<FileId> {
    let open = snapshot.documents().iter();
    let open = open.filter_map(|open| {
        let path = open.key().path()?;
        let file = graph.file_at(path)?;
        let is_saved = read_text(path).is_ok_and(|saved| saved == open.text());
        (!is_saved).then_some(file)
    });
    open.collect()
}
