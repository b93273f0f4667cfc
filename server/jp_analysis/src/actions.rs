//! Changes that a person can ask for: the fixes of findings, and rewrites that keep or tighten the meaning.
//!
//! ```toml
//! enable = true                                       # before
//! enable = { state = true, allow_toggle = "any" }     # after "Write `enable` as a table"
//! ```
//!
//! Every action replaces spans of the text, so that comments and formatting around them stay.

use std::{cell::OnceCell, collections::BTreeMap, ops::Range};

use jp_config::{
    document::{
        Document, Entry, Node, PathSegment, Place as At, Position, Span, Str, SyntaxErrorKind,
        Table,
    },
    graph::{FileId, Graph},
    view::View,
};

use crate::{
    Analysis, Code, Diagnostic, Edit, Fix, FixKind, Options, Place,
    text::{list_edit::ListText, node::node_at, text_edit::line_break},
};

mod declare_path;
mod enable_table;
mod fill_required;
mod inline_table;
mod merge_rules;
mod move_mode;
mod normal_path;
mod policy_rules;
mod sort_rules;
mod tool_source;

/// The most fixes that are tried together, one after the other.
const MOST_TRIED: usize = 100;

/// More edits than this cost more to take back than another copy.
const MOST_TAKEN_BACK: usize = 8;

/// The most findings of one range that are answered: nobody picks from a longer menu.
const MOST_FINDINGS: usize = 1000;

/// A change that a person can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// What it does, as a menu shows it.
    pub title: String,
    /// Its kind.
    pub kind: ActionKind,
    /// Whether it is the one right answer to a finding.
    pub preferred: bool,
    /// The finding that it answers, by its place in [`Analysis::diagnostics`] of the file.
    pub diagnostic: Option<usize>,
    /// The edits, which do not overlap.
    pub edits: Vec<Edit>,
    /// Why it cannot be done here; such an action has no edits.
    pub disabled: Option<String>,
}

/// What kind of change an [`Action`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// It answers a finding (`quickfix`).
    QuickFix,
    /// It says the same in another way, or something stricter (`refactor.rewrite`).
    Rewrite,
    /// It answers every finding that has one safe answer (`source.fixAll`).
    FixAll,
}

/// The changes on offer for a range of a file of the view.
#[must_use]
pub fn actions(analysis: &Analysis, view: &View, file: FileId, range: Span) -> Vec<Action> {
    let mut found = Vec::new();
    let mut mistakes = Mistakes::new(view.graph());
    let mut trials = Trials::new(view.graph());
    let diagnostics = analysis.diagnostics(file);
    let asked = || {
        let all = diagnostics.iter().enumerate();
        all.filter(|(_, diagnostic)| meets(diagnostic.place.span, range))
            .take(MOST_FINDINGS)
    };
    for (index, diagnostic) in asked() {
        fixes(&mut mistakes, &mut trials, index, diagnostic, &mut found);
    }
    let document = view
        .graph()
        .content(file)
        .and_then(|content| content.document());
    if let Some(document) = document {
        let site = Site::new(view, file, document, range, analysis.options());
        let missing = diagnostics.iter().position(|diagnostic| {
            diagnostic.code == Code::MissingRequired && meets(diagnostic.place.span, range)
        });
        found.extend(fill_required::action(&site, missing));
        for (index, diagnostic) in asked() {
            let changes = tool_source::actions(&site, index, diagnostic).into_iter();
            found.extend(changes.filter(|action| trials.is_harmless(&action.edits)));
        }
        // Where the text is broken, what an edit would do to it is anyone's guess.
        let section = document.section_at(range.start as usize).span();
        if !site.is_broken(section) {
            let rewrites = REWRITES.iter().filter_map(|rewrite| rewrite(&site));
            found.extend(rewrites.filter(|action| trials.is_harmless(&action.edits)));
        }
    }
    found
}

type Rewrite = fn(&Site<'_>) -> Option<Action>;

const REWRITES: &[Rewrite] = &[
    enable_table::action,
    move_mode::action,
    policy_rules::action,
    sort_rules::action,
    merge_rules::action,
    declare_path::action,
    normal_path::action,
    inline_table::expand,
    inline_table::collapse,
];

fn fixes(
    mistakes: &mut Mistakes<'_>,
    trials: &mut Trials<'_>,
    index: usize,
    diagnostic: &Diagnostic,
    found: &mut Vec<Action>,
) {
    for fix in &diagnostic.fixes {
        let allowed = match diagnostic.code {
            Code::TomlSyntax => trials.mends(&fix.edits),
            _ => mistakes.allow(fix) && trials.is_harmless(&fix.edits),
        };
        if !allowed {
            continue;
        }
        let kind = match fix.kind {
            FixKind::QuickFix => ActionKind::QuickFix,
            FixKind::Rewrite => ActionKind::Rewrite,
        };
        found.push(Action {
            title: fix.title.clone(),
            kind,
            preferred: fix.preferred,
            diagnostic: Some(index),
            edits: fix.edits.clone(),
            disabled: None,
        });
    }
}

/// The safe fixes of all findings of a file together, without those that collide with an earlier one.
///
/// Nothing if there is none.
#[must_use]
pub fn fix_all(analysis: &Analysis, file: FileId) -> Option<Action> {
    let mut mistakes = Mistakes::new(analysis.graph());
    let diagnostics = analysis.diagnostics(file);
    let safe: Vec<&Fix> = diagnostics
        .iter()
        .filter_map(|diagnostic| {
            let mut fixes = diagnostic.fixes.iter();
            fixes.find(|fix| fix.safe && !fix.edits.is_empty() && mistakes.allow(fix))
        })
        .collect();
    let mut trials = Trials::new(analysis.graph());
    let (mut edits, mut count) = together(&safe, |_| true);
    if !trials.is_harmless(&edits) {
        // Two words may become the same key: then each fix is tried on what the ones before it made.
        (edits, count) = together(safe.get(..MOST_TRIED).unwrap_or(&safe), |edits| {
            trials.is_harmless(edits.values().copied())
        });
    }
    if count == 0 {
        return None;
    }
    Some(Action {
        title: match count {
            1 => "Fix the one problem with a safe fix".to_owned(),
            _ => format!("Fix all {count} problems with a safe fix"),
        },
        kind: ActionKind::FixAll,
        preferred: false,
        diagnostic: None,
        edits,
        disabled: None,
    })
}

/// The edits of the fixes that do not collide and that `accept` takes together, in order of place, and the number of these fixes.
fn together(
    fixes: &[&Fix],
    mut accept: impl FnMut(&BTreeMap<Place, &Edit>) -> bool,
) -> (Vec<Edit>, usize) {
    let mut taken: BTreeMap<Place, &Edit> = BTreeMap::new();
    let mut count = 0;
    for fix in fixes {
        let collides = fix.edits.iter().any(|edit| {
            let before = taken.range(..=edit.place).next_back();
            let after = taken.range(edit.place..).next();
            let mut neighbours = before.into_iter().chain(after);
            neighbours.any(|(other, _)| overlap(edit.place, *other))
        });
        if collides {
            continue;
        }
        taken.extend(fix.edits.iter().map(|edit| (edit.place, edit)));
        if accept(&taken) {
            count += 1;
        } else {
            taken.retain(|place, _| !fix.edits.iter().any(|edit| edit.place == *place));
        }
    }
    (taken.into_values().cloned().collect(), count)
}

/// Where the syntax of the files is broken, looked up once for each file.
struct Mistakes<'a> {
    graph: &'a Graph,
    files: BTreeMap<FileId, Broken>,
}

/// The places of mistakes, by where they begin, each with the furthest end up to it.
struct Broken {
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Broken {
    fn of(document: &Document) -> Self {
        let mut spans: Vec<Span> = document
            .errors()
            .into_iter()
            .filter(|error| error.kind == SyntaxErrorKind::Syntax)
            .map(|error| error.span)
            .collect();
        spans.sort_unstable();
        let ends = spans.iter().scan(0, |furthest, span| {
            *furthest = span.end.max(*furthest);
            Some(*furthest)
        });
        Self {
            ends: ends.collect(),
            starts: spans.iter().map(|span| span.start).collect(),
        }
    }

    fn meets(&self, part: Span) -> bool {
        let before = self.starts.partition_point(|start| *start <= part.end);
        let furthest = before.checked_sub(1).and_then(|last| self.ends.get(last));
        furthest.is_some_and(|end| part.start <= *end)
    }
}

impl<'a> Mistakes<'a> {
    fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            files: BTreeMap::new(),
        }
    }

    /// Whether a fix can be trusted with the text as it is.
    ///
    /// Where brackets are broken, something put in or taken out may land in the wrong ones; a replaced word stays where it is.
    fn allow(&mut self, fix: &Fix) -> bool {
        fix.edits.iter().all(|edit| {
            let content = self.graph.content(edit.place.file);
            let Some(document) = content.and_then(|content| content.document()) else {
                return false;
            };
            let span = edit.place.span;
            let is_word = !span.is_empty() && !edit.text.is_empty();
            let part = if is_word {
                span
            } else {
                document.section_at(span.start as usize).span()
            };
            let broken = self.files.entry(edit.place.file);
            !broken.or_insert_with(|| Broken::of(document)).meets(part)
        })
    }
}

/// Copies of the documents, on which edits are tried and taken back.
struct Trials<'a> {
    graph: &'a Graph,
    copies: BTreeMap<FileId, Trial>,
}

/// A copy of a document, and how many mistakes it has.
struct Trial {
    document: Document,
    mistakes: usize,
}

impl<'a> Trials<'a> {
    fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            copies: BTreeMap::new(),
        }
    }

    /// Whether edits leave no mistake of syntax, and no key that stands twice, that was not there.
    fn is_harmless<'e>(&mut self, edits: impl IntoIterator<Item = &'e Edit>) -> bool {
        self.judged(edits, |before, after| after <= before)
    }

    /// Whether edits leave fewer mistakes of syntax than there were.
    fn mends(&mut self, edits: &[Edit]) -> bool {
        self.judged(edits, |before, after| after < before)
    }

    /// Compares the number of mistakes in each changed file before and after some edits.
    fn judged<'e>(
        &mut self,
        edits: impl IntoIterator<Item = &'e Edit>,
        accept: impl Fn(usize, usize) -> bool,
    ) -> bool {
        let mut edits: Vec<&Edit> = edits.into_iter().collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
        let mut undo: Vec<(FileId, Range<usize>, String)> = Vec::with_capacity(edits.len());
        let mut is_whole = true;
        for edit in edits {
            let file = edit.place.file;
            let range = edit.place.span.range();
            let before = self
                .copy(file)
                .and_then(|copy| Some((copy.document.text().get(range.clone())?.to_owned(), copy)));
            let Some((before, copy)) = before else {
                is_whole = false;
                break;
            };
            copy.document.edit(range.clone(), &edit.text);
            undo.push((file, range.start..range.start + edit.text.len(), before));
        }
        let accepted = undo.iter().all(|(file, ..)| {
            let copy = self.copies.get(file);
            copy.is_some_and(|copy| accept(copy.mistakes, copy.document.error_count()))
        });
        let is_long = undo.len() > MOST_TAKEN_BACK;
        for (file, range, before) in undo.into_iter().rev() {
            if is_long {
                self.copies.remove(&file);
            } else if let Some(copy) = self.copies.get_mut(&file) {
                copy.document.edit(range, &before);
            }
        }
        is_whole && accepted
    }

    fn copy(&mut self, file: FileId) -> Option<&mut Trial> {
        let content = self.graph.content(file)?;
        let document = content.document()?;
        Some(self.copies.entry(file).or_insert_with(|| Trial {
            document: document.clone(),
            mistakes: document.error_count(),
        }))
    }
}

/// Whether a place is touched by a range.
fn meets(span: Span, range: Span) -> bool {
    span.start <= range.end && range.start <= span.end
}

fn overlap(left: Place, right: Place) -> bool {
    left.file == right.file
        && (left.span == right.span
            || (left.span.start < right.span.end && right.span.start < left.span.end))
}

/// Where an action is asked for.
struct Site<'a> {
    view: &'a View,
    file: FileId,
    document: &'a Document,
    range: Span,
    options: Options,
    position: Position<'a>,
    /// The command that serves most local tools, once it was looked for.
    common_command: OnceCell<Option<String>>,
}

impl<'a> Site<'a> {
    fn new(
        view: &'a View,
        file: FileId,
        document: &'a Document,
        range: Span,
        options: Options,
    ) -> Self {
        // Whoever selects a line means what stands on it.
        let selected = document.text().get(range.range()).unwrap_or_default();
        let blank = selected.len() - selected.trim_start().len();
        let skipped = if blank < selected.len() { blank } else { 0 };
        let start = range.start + u32::try_from(skipped).unwrap_or_default();
        let range = Span::new(start, range.end);
        Self {
            view,
            file,
            document,
            range,
            options,
            position: document.at(range.start as usize),
            common_command: OnceCell::new(),
        }
    }

    fn text(&self, span: Span) -> Option<&'a str> {
        self.document.text().get(span.range())
    }

    /// Whether a part of the text holds a mistake of syntax, or one that spreads to it.
    fn is_broken(&self, part: Span) -> bool {
        let mut errors = self.document.errors().into_iter();
        errors.any(|error| meets(error.span, part))
    }

    /// The path, if every step is a key.
    fn keys(&self) -> Option<Vec<&'a str>> {
        let keys = self.position.path.iter().map(|segment| match segment {
            PathSegment::Key(key) => Some(*key),
            PathSegment::Index(_) => None,
        });
        keys.collect()
    }

    /// The entry that the place is on: on its key, or on its value if that has no parts.
    fn entry(&self) -> Option<Entry<'a>> {
        match self.position.place {
            At::Key {
                segment, segments, ..
            } if segment + 1 == segments => {}
            At::String { .. } | At::Value(_) => {}
            _ => return None,
        }
        let PathSegment::Key(key) = self.position.path.last()? else {
            return None;
        };
        self.parent()?.get(key)
    }

    /// The table that holds the last segment of the path.
    fn parent(&self) -> Option<Table<'a>> {
        let (_, parents) = self.position.path.split_last()?;
        match node_at(self.document, parents)? {
            Node::Table(table) => Some(table),
            _ => None,
        }
    }

    fn string(&self) -> Option<Str<'a>> {
        match self.position.place {
            At::String { string, .. } if string.is_whole() => Some(string),
            _ => match self.entry()?.value() {
                Node::Str(string) => Some(string),
                _ => None,
            },
        }
    }

    fn edit(&self, span: Span, text: impl Into<String>) -> Edit {
        Edit {
            place: Place {
                file: self.file,
                span,
            },
            text: text.into(),
        }
    }

    fn rewrite(&self, title: impl Into<String>, edits: Vec<Edit>) -> Action {
        Action {
            title: title.into(),
            kind: ActionKind::Rewrite,
            preferred: false,
            diagnostic: None,
            edits,
            disabled: None,
        }
    }

    /// A rewrite that cannot be done here, and why.
    fn refusal(&self, title: impl Into<String>, reason: impl Into<String>) -> Action {
        Action {
            disabled: Some(reason.into()),
            ..self.rewrite(title, Vec::new())
        }
    }

    fn line_break(&self) -> &'static str {
        line_break(self.document.text())
    }
}

/// The rules of a policy, as they are read and as they are written.
struct RuleList<'a> {
    rules: Vec<Table<'a>>,
    text: ListText<'a>,
    /// The rule at the place, if it is on one.
    index: Option<usize>,
}

/// The list of rules around a place.
fn rules_around<'a>(site: &Site<'a>) -> Option<RuleList<'a>> {
    let mut keys = Vec::new();
    for segment in &site.position.path {
        let PathSegment::Key(key) = segment else {
            return None;
        };
        keys.push(*key);
        if matches!(keys.as_slice(), [.., "policy", "run" | "result"]) {
            break;
        }
    }
    let text = ListText::of_file(site.view.graph(), site.file, &keys)?;
    let rules = text.items().map(Node::as_table).collect::<Option<_>>()?;
    let index = match site.position.path.get(keys.len()) {
        Some(PathSegment::Index(index)) => Some(*index),
        _ => None,
    };
    matches!(keys.as_slice(), [.., "policy", "run" | "result"]).then_some(RuleList {
        rules,
        text,
        index,
    })
}

#[cfg(test)]
#[path = "actions_tests.rs"]
mod tests;
