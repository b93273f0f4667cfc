//! A suggested rule in the file where it belongs, read again before it is shown.
//!
//! ```diff
//!  policy.run = [
//! +    { arg = "/path", prefix = "docs", mode = "unattended" },
//!      { mode = "ask" },
//! ```

use std::{collections::BTreeMap, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{
    Analysis, Edit,
    diagnostic::Severity,
    explain::{NewRule, PolicyExplainer, PolicyQuestion, insert_run_rule, view_of_tool},
    options::Options,
};
use jp_config::{
    content::{Content, ContentFormat},
    graph::{FileKind, Files, Graph, Listing, ReadProblem, Roots},
    view::View,
};
use jp_history::{in_toml, toml_entries};
use jp_policy::{RawRule, RunMode};
use similar::TextDiff;

use crate::disk::config_files::DiskFiles;

/// A rule that goes into the config.
pub(super) struct Change<'a> {
    pub(super) view: &'a View,
    pub(super) tool: &'a str,
    pub(super) roots: &'a Roots,
    /// All rules with it.
    pub(super) planned: &'a [RawRule<RunMode>],
    /// Which rule of the present list it goes before; none for the end.
    pub(super) position: Option<usize>,
    pub(super) rule: &'a RawRule<RunMode>,
}

/// What a change comes to.
pub(super) enum Checked {
    /// The config says what was planned, and nothing new is wrong with it.
    Clean(Diff),
    /// Something new would be wrong.
    Dirty(String),
    /// A person has to write it: no edit makes the config say what was planned.
    ByHand,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Diff {
    /// The file, relative to the workspace.
    pub(super) path: Utf8PathBuf,
    /// A unified diff.
    pub(super) text: String,
}

impl Change<'_> {
    /// Makes the change in memory, and reads and checks what it makes of the config.
    pub(super) fn checked(&self) -> Checked {
        let Some((path, before, after)) = self.edited() else {
            return Checked::ByHand;
        };
        let files = Overlay {
            disk: DiskFiles::trusted(),
            path: &path,
            text: &after,
        };
        let graph = Arc::new(Graph::load(self.roots, &files));
        if !self.says_what_was_planned(&graph) {
            return Checked::ByHand;
        }
        if let Some(finding) = new_finding(self.view.graph(), &graph) {
            return Checked::Dirty(finding);
        }
        let shown = path
            .strip_prefix(&graph.workspace)
            .unwrap_or(&path)
            .to_owned();
        let text = TextDiff::from_lines(&before, &after)
            .unified_diff()
            .context_radius(2)
            .header(&format!("a/{shown}"), &format!("b/{shown}"))
            .to_string();
        Checked::Clean(Diff { path: shown, text })
    }

    /// The file that changes, its text and what becomes of it.
    fn edited(&self) -> Option<(Utf8PathBuf, String, String)> {
        let entries = toml_entries(self.rule);
        let rules: Vec<String> = self
            .planned
            .iter()
            .map(|rule| format!("\n    {},", in_toml(rule)))
            .collect();
        let list = format!("[{}\n]", rules.concat());
        let new = NewRule {
            position: self.position.unwrap_or(usize::MAX),
            entries: &entries,
            list: &list,
        };
        let mut edits: Vec<Edit> = insert_run_rule(self.view, self.tool, new)?;
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
        let graph = self.view.graph();
        let file = edits.first()?.place.file;
        let text = graph.content(file)?.document()?.text().to_owned();
        let mut after = text.clone();
        for edit in &edits {
            let range = edit.place.span.range();
            if edit.place.file != file || after.get(range.clone()).is_none() {
                return None;
            }
            after.replace_range(range, &edit.text);
        }
        Some((graph.path(file).to_owned(), text, after))
    }

    fn says_what_was_planned(&self, graph: &Arc<Graph>) -> bool {
        let Ok(view) = view_of_tool(graph, self.tool) else {
            return false;
        };
        let Ok(explainer) = PolicyExplainer::new(&view, self.tool, PolicyQuestion::Run) else {
            return false;
        };
        let Some(rules) = explainer.run_rules() else {
            return false;
        };
        let said: Vec<&RawRule<RunMode>> = (0..rules.policy.len())
            .filter_map(|rule| rules.policy.rule(rule))
            .collect();
        said == self.planned.iter().collect::<Vec<_>>()
    }
}

/// An error or a warning of which there is one more after than before.
fn new_finding(before: &Arc<Graph>, after: &Arc<Graph>) -> Option<String> {
    let count = |graph: &Arc<Graph>| {
        let analysis = Analysis::new(Arc::clone(graph), Options::default());
        let mut found: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        for (_, diagnostics) in analysis.all_diagnostics() {
            for diagnostic in diagnostics.iter() {
                if matches!(diagnostic.severity, Severity::Error | Severity::Warning) {
                    let of_code = found.entry(diagnostic.code.as_str()).or_default();
                    of_code.push(diagnostic.message.clone());
                }
            }
        }
        found
    };
    let (before, after) = (count(before), count(after));
    after.into_iter().find_map(|(code, messages)| {
        let known = before.get(code).map_or(&[][..], Vec::as_slice);
        if messages.len() <= known.len() {
            return None;
        }
        let message = messages.iter().find(|message| !known.contains(message));
        Some(format!("{code}: {}", message.or(messages.first())?))
    })
}

/// The disk, with one file changed.
struct Overlay<'a> {
    disk: DiskFiles,
    path: &'a Utf8Path,
    text: &'a str,
}

impl Files for Overlay<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        match ContentFormat::of(path) {
            Some(format) if path == self.path => Ok(Arc::new(Content::parse(format, self.text))),
            _ => self.disk.read(path),
        }
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        self.disk.kind(path)
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        self.disk.glob(base, pattern)
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        self.disk.walk(directory)
    }
}
