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
    explain::{NewRule, insert_run_rule, run_rules_in},
    options::Options,
    recorded::run_rules,
};
use jp_config::{
    content::{Content, ContentFormat},
    graph::{FileId, FileKind, Files, Graph, Listing, ReadProblem},
    view::View,
};
use jp_history::{in_toml, toml_entries};
use jp_policy::{RawRule, RunMode};
use similar::TextDiff;

use super::ConfigPlace;

/// How many files are shown that can hold a rule beside the one that holds the others.
const MOST_OTHERS: usize = 3;

/// A rule that goes into the config.
pub(super) struct Change<'a, 'p> {
    pub(super) view: &'a View,
    pub(super) tool: &'a str,
    pub(super) place: ConfigPlace<'p>,
    /// All rules with it.
    pub(super) planned: &'a [RawRule<RunMode>],
    /// Which rule of the present list it goes before; none for the end.
    pub(super) position: Option<usize>,
    pub(super) rule: &'a RawRule<RunMode>,
}

/// What a change comes to.
pub(super) enum Checked {
    /// The config says what was planned, and nothing new is wrong with it.
    Clean(Layer),
    /// Something new would be wrong.
    Dirty(String),
    /// A person has to write it: no edit makes the config say what was planned.
    ByHand,
}

/// A file that can hold a rule, and what changes in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layer {
    /// The file.
    pub(crate) file: Utf8PathBuf,
    /// The file, relative to the workspace where it lies there.
    pub(crate) shown: Utf8PathBuf,
    /// A unified diff.
    pub(crate) diff: String,
    /// The change itself.
    pub(crate) edits: Vec<Edit>,
}

impl Change<'_, '_> {
    /// Makes the change in memory where the rules stand, and reads and checks what it makes of the config.
    pub(super) fn checked(&self) -> Checked {
        let edits = self.among_the_others();
        edits.map_or(Checked::ByHand, |edits| self.checked_with(edits))
    }

    /// The files that can hold the rule.
    pub(super) fn layers(&self) -> Vec<Layer> {
        let graph = self.view.graph();
        let list = self.list();
        let own = self.checked();
        let files =
            (0..graph.files.len()).filter_map(|index| graph.file_at(&graph.files.get(index)?.path));
        let others = files.filter_map(|file: FileId| {
            let edits = run_rules_in(self.view, self.tool, file, &list)?;
            match self.checked_with(edits) {
                Checked::Clean(layer) => Some(layer),
                _ => None,
            }
        });
        let own = match own {
            Checked::Clean(layer) => Some(layer),
            _ => None,
        };
        let known = own.as_ref().map(|layer| layer.file.clone());
        let others = others.filter(|layer| Some(&layer.file) != known.as_ref());
        let others: Vec<Layer> = others.take(MOST_OTHERS).collect();
        own.into_iter().chain(others).collect()
    }

    fn checked_with(&self, edits: Vec<Edit>) -> Checked {
        let Some((path, before, after)) = self.edited(&edits) else {
            return Checked::ByHand;
        };
        let graph = {
            let files = Overlay {
                files: (self.place.files)(),
                path: &path,
                text: &after,
            };
            Arc::new(Graph::load(self.place.roots, &files))
        };
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
        let diff = TextDiff::from_lines(&before, &after)
            .unified_diff()
            .context_radius(2)
            .header(&format!("a/{shown}"), &format!("b/{shown}"))
            .to_string();
        Checked::Clean(Layer {
            file: path,
            shown,
            diff,
            edits,
        })
    }

    /// The rules with the new one as a list of TOML.
    fn list(&self) -> String {
        let rules = self.planned.iter();
        let rules: Vec<String> = rules
            .map(|rule| format!("\n    {},", in_toml(rule)))
            .collect();
        format!("[{}\n]", rules.concat())
    }

    /// The edits that put the rule where the others stand.
    fn among_the_others(&self) -> Option<Vec<Edit>> {
        let entries = toml_entries(self.rule);
        let new = NewRule {
            position: self.position.unwrap_or(usize::MAX),
            entries: &entries,
            list: &self.list(),
        };
        insert_run_rule(self.view, self.tool, new)
    }

    /// The file that changes, its text and what becomes of it.
    fn edited(&self, edits: &[Edit]) -> Option<(Utf8PathBuf, String, String)> {
        let mut edits: Vec<&Edit> = edits.iter().collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
        let graph = self.view.graph();
        let file = edits.first()?.place.file;
        let text = graph.content(file)?.document()?.text().to_owned();
        let mut after = text.clone();
        for edit in edits {
            let range = edit.place.span.range();
            if edit.place.file != file || after.get(range.clone()).is_none() {
                return None;
            }
            after.replace_range(range, &edit.text);
        }
        Some((graph.path(file).to_owned(), text, after))
    }

    fn says_what_was_planned(&self, graph: &Arc<Graph>) -> bool {
        let Ok(rules) = run_rules(graph, self.tool) else {
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

/// Files of which one is changed.
struct Overlay<'a> {
    files: Box<dyn Files + 'a>,
    path: &'a Utf8Path,
    text: &'a str,
}

impl Files for Overlay<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        match ContentFormat::of(path) {
            Some(format) if path == self.path => Ok(Arc::new(Content::parse(format, self.text))),
            _ => self.files.read(path),
        }
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        self.files.kind(path)
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        self.files.glob(base, pattern)
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        self.files.walk(directory)
    }

    fn is_shut(&self, path: &Utf8Path) -> bool {
        self.files.is_shut(path)
    }
}
