//! Every feature at every place of real and of broken texts.
//!
//! ```text
//! completion, hover, actions, …  x  every offset  x  whole, truncated and mutated texts
//! ```
//!
//! Nothing panics, every span lies in its text, every edit applies, and no accepted completion or action breaks what was whole.
//!
//! `JP_LSP_CORPUS` names a folder with real workspaces; without it, a committed workspace is read.
//! Of these, some offsets are left out unless `JP_LSP_EVERY_OFFSET` is set.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeMap,
    env, fs,
    sync::{Arc, LazyLock},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{
    Analysis, Edit, Options,
    actions::{actions, fix_all},
    completion::{PathEntry, Paths, complete},
    explain::words::Style,
    folding::folds,
    format::{FormatSettings, Indent, format},
    hints::{HintOptions, hints},
    hover::hover,
    lenses::lenses,
    links::links,
    navigation::{
        Name, definitions, highlights, name_at, names_in, references, rename, view_of_file,
    },
    selection::selection,
    signature::signature_help,
    symbols::{Symbol, document_symbols},
    text::markup::MarkupKind,
    tokens::tokens,
};
use jp_config::{
    content::Content,
    document::{Document, Span, SyntaxErrorKind},
    graph::{FileId, Graph, Roots},
    memory::MemoryFiles,
    view::View,
};
use proptest::{prelude::*, test_runner::RngSeed};

const SAMPLE: &str = r#"# ä😀
extends = ["tools/*.toml"]
[conversation.tools.'*']
run = "ask"
enable = "explicit"
[conversation.tools.edit]
source = "mcp.git.edit"
summary = """
ä😀
"""
parameters.path = { type = "path", enum = ["a", "b"] }
parameters."ä" = { type = "array", items = { type = "object", properties.x.type = "integer" } }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" }, # one
    { arg = "/ä/x", minimum = 3, mode = "skip" },
    { mode = "ask" },
]
policy.result = { strategy = "append", value = [{ arg = "/path", pattern = "^a", mode = "ask" }] }
[[conversation.tools.edit.access.fs]]
path = "."
write = true
[[conversation.tools.edit.access.config]]
path = "conversation.tools.edit.access"
write = "insecure_allow"
[assistant]
tool_choice = "edit"
model.id = "fast"
[providers.llm.aliases]
fast = { id = "anthropic/claude" }
[providers.mcp.git]
type = "stdio"
"#;

/// The same few files in every directory.
struct SomeFiles;

impl Paths for SomeFiles {
    fn list(&self, _: &Utf8Path) -> Vec<PathEntry> {
        let entry = |name: &str, is_directory| PathEntry {
            name: name.to_owned(),
            is_directory,
        };
        vec![
            entry("src", true),
            entry("ä \" 😀.toml", false),
            entry("it's.toml", false),
        ]
    }
}

/// One file of a workspace, and what is found in the workspace.
struct Place {
    analysis: Analysis,
    view: View,
    file: FileId,
}

impl Place {
    fn of(text: &str) -> Self {
        let mut files = MemoryFiles::default();
        files.insert("/w/.jp/config.toml", text);
        let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
        let file = graph.file_at("/w/.jp/config.toml".into());
        Self::in_analysis(
            Analysis::new(graph, Options::default()),
            file.expect("a file"),
        )
    }

    fn in_analysis(analysis: Analysis, file: FileId) -> Self {
        Self {
            view: view_of_file(analysis.graph(), file),
            analysis,
            file,
        }
    }

    /// The same place with another text.
    fn with_text(&self, text: &str) -> Self {
        let content = Arc::new(Content::Toml(Document::parse(text)));
        let graph = self.analysis.graph().with_content(self.file, content);
        Self::in_analysis(self.analysis.update(Arc::new(graph)), self.file)
    }

    fn graph(&self) -> &Arc<Graph> {
        self.analysis.graph()
    }

    fn document(&self) -> &Document {
        let content = self.graph().content(self.file);
        content
            .and_then(|content| content.document())
            .expect("TOML")
    }

    fn has(&self, span: Span) {
        let text = self.document().text();
        assert!(
            text.get(span.range()).is_some(),
            "{span:?} is no part of {text:?}"
        );
    }

    /// What is answered for the file as a whole.
    fn check_whole(&self) {
        let document = self.document();
        let mut end = 0;
        for token in tokens(document) {
            self.has(token.span);
            assert!(token.span.start >= end, "tokens do not overlap");
            end = token.span.end;
        }
        if let Some(action) = fix_all(&self.analysis, self.file) {
            self.check_edits(&action.title, &action.edits);
        }
        for fold in folds(document) {
            self.has(fold.span);
        }
        for symbol in document_symbols(document) {
            self.check_symbol(&symbol);
        }
        for occurrence in names_in(document) {
            self.has(occurrence.span);
        }
        let all = HintOptions {
            rule_examples: true,
        };
        for hint in hints(&self.view, self.file, document, document.span(), all) {
            self.has(Span::new(hint.offset, hint.offset));
        }
        for lens in lenses(&self.view, document) {
            self.has(lens.span);
        }
        for link in links(document, "/w/.jp/config.toml".into(), "/w".into()) {
            self.has(link.span);
        }
        // It is refused or keeps every value, which it checks itself; the edits must fit the text.
        let indent = Indent { spaces: Some(2) };
        let settings = FormatSettings::default();
        if let Ok(edits) = format(document, "config.toml".into(), &settings, indent, None) {
            let mut start = 0;
            for (span, _) in edits {
                self.has(span);
                assert!(span.start >= start, "edits do not overlap");
                start = span.end;
            }
        }
    }

    fn check_symbol(&self, symbol: &Symbol) {
        self.has(symbol.span);
        let Span { start, end } = symbol.name_span;
        assert!(
            symbol.span.start <= start && end <= symbol.span.end,
            "{symbol:?}"
        );
        assert!(!symbol.name.is_empty());
        for child in &symbol.children {
            self.check_symbol(child);
        }
    }

    /// What is answered for one offset, cheap ones only.
    fn check_at(&self, offset: usize) {
        let document = self.document();
        let kind = MarkupKind::Markdown;
        let link = |_: &Utf8Path, _: u32| Some("file:///w/a".to_owned());
        let style = Style { kind, link: &link };
        if let Some(found) = hover(&self.view, self.file, document, offset, None, style) {
            self.has(found.span);
            let at = u32::try_from(offset).expect("a small text");
            assert!(found.span.touches(at), "{found:?} is not at {at}");
            let hostile = found
                .text
                .chars()
                .find(|c| c.is_control() && !"\n\t".contains(*c));
            assert_eq!(hostile, None, "{}", found.text);
        }
        if let Some(signature) = signature_help(&self.view, document, offset, kind) {
            for parameter in &signature.parameters {
                assert!(signature.label.get(parameter.label.clone()).is_some());
            }
            let mut lines = signature.parameters.iter().map(|parameter| &parameter.doc);
            assert!(lines.all(|doc| !doc.contains('\n')), "{signature:?}");
            let active = signature.active_parameter.unwrap_or_default();
            assert!(active < signature.parameters.len());
        }
        let parts = selection(document, offset);
        for (inner, outer) in parts.iter().zip(parts.iter().skip(1)) {
            assert!(outer.start <= inner.start && inner.end <= outer.end && inner != outer);
        }
        parts.into_iter().for_each(|part| self.has(part));
    }

    /// What is offered to be written at one offset.
    fn check_writing_at(&self, offset: usize) {
        self.check_completions_at(offset);
        let narrow = |offset| u32::try_from(offset).expect("a small text");
        let end = self.document().text().len().min(offset + 40);
        for end in [offset, end] {
            let range = Span::new(narrow(offset), narrow(end));
            for action in actions(&self.analysis, &self.view, self.file, range) {
                if action.disabled.is_some() {
                    assert!(action.edits.is_empty(), "{} cannot be done", action.title);
                    continue;
                }
                if let Some(file) = &action.creates {
                    let is_empty = file.text.is_empty();
                    assert_eq!(action.edits.is_empty(), is_empty, "{}", action.title);
                    if is_empty {
                        continue;
                    }
                }
                self.check_edits(&action.title, &action.edits);
            }
        }
    }

    fn check_completions_at(&self, offset: usize) {
        let document = self.document();
        let (before, after) = document.text().split_at_checked(offset).expect("a place");
        let line = before.rsplit('\n').next().unwrap_or_default();
        let rest = after.split('\n').next().unwrap_or_default();
        // Another name for a table that has entries already may well collide with another table's.
        let is_fresh = line.trim().is_empty() && rest.trim().is_empty();
        let mistakes = |document: &Document| {
            let errors = document.errors().into_iter();
            let counts = |kind| is_fresh || kind != SyntaxErrorKind::DuplicateKey;
            errors.filter(|error| counts(error.kind)).count()
        };
        let known = mistakes(document);
        let options = Options::default();
        let found = complete(&self.view, self.file, document, offset, options, &SomeFiles);
        for item in found.items {
            let span = item.edit.span;
            assert!(
                span.touches(u32::try_from(offset).expect("a small text")),
                "{item:?} does not touch {offset}"
            );
            let replaced = document.text().get(span.range());
            assert!(
                replaced.is_some_and(|replaced| !replaced.contains('\n')),
                "{item:?}"
            );
            let mut accepted = document.clone();
            accepted.edit(span.range(), &item.edit.text);
            assert!(
                mistakes(&accepted) <= known,
                "accepting {item:?} at {offset} broke:\n{}\n{:?}",
                accepted.text(),
                accepted.errors()
            );
        }
    }

    /// Applies edits, which may reach other files too.
    fn check_edits(&self, title: &str, edits: &[Edit]) {
        assert!(!edits.is_empty(), "{title} does nothing");
        let mut changed: BTreeMap<FileId, (&Document, Document, u32)> = BTreeMap::new();
        let mut edits: Vec<&Edit> = edits.iter().collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
        for edit in edits {
            let content = self.graph().content(edit.place.file);
            let document = content.and_then(|content| content.document());
            let document = document.expect("edits are in TOML files");
            let span = edit.place.span;
            let (_, after, start) = changed
                .entry(edit.place.file)
                .or_insert_with(|| (document, document.clone(), document.span().end));
            assert!(
                document.text().get(span.range()).is_some() && span.end <= *start,
                "{title}: {edit:?} does not fit, or overlaps another"
            );
            *start = span.start;
            after.edit(span.range(), &edit.text);
        }
        for (before, after, _) in changed.into_values() {
            assert!(
                after.errors().len() <= before.errors().len(),
                "{title} broke:\n{}\n{:?}",
                after.text(),
                after.errors()
            );
        }
    }

    /// What looks through the whole workspace.
    fn check_name_at(&self, offset: usize) {
        let document = self.document();
        let Some((name, span)) = name_at(document, offset) else {
            return;
        };
        self.has(span);
        assert!(!highlights(document, offset).is_empty());
        let all = references(self.graph(), document, offset, true);
        assert!(
            definitions(self.graph(), document, offset)
                .iter()
                .all(|place| all.contains(place))
        );
        if let Ok(edits) = rename(self.graph(), document, offset, "renamed_by_test") {
            let (named, kept): (Vec<_>, Vec<_>) =
                edits.iter().partition(|edit| all.contains(&edit.place));
            let places: Vec<_> = named.iter().map(|edit| edit.place).collect();
            assert_eq!(places, all, "a rename of {name:?} changes what it names");
            // Beside that, only a source that left the tool's own name to the key says it.
            for edit in kept {
                let tool = match &name {
                    Name::Tool(tool) => Some(tool),
                    _ => None,
                };
                let tool = tool.expect("only a tool's source is written beside its name");
                let content = self.graph().content(edit.place.file);
                let document = content.and_then(|content| content.document());
                let before =
                    document.and_then(|document| document.text().get(edit.place.span.range()));
                let source = before.map(|before| before.trim_matches(['"', '\'']));
                let said = source.map(|source| format!("{source}.{tool}"));
                assert_eq!(Some(edit.text.trim_matches(['"', '\''])), said.as_deref());
            }
        }
    }
}

fn offsets(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.char_indices()
        .map(|(offset, _)| offset)
        .chain([text.len()])
}

#[test]
fn every_offset_of_the_sample() {
    let place = Place::of(SAMPLE);
    place.check_whole();
    for offset in offsets(SAMPLE) {
        place.check_at(offset);
        place.check_name_at(offset);
        place.check_writing_at(offset);
    }
}

#[test]
fn every_truncation_of_the_sample() {
    let whole = Place::of(SAMPLE);
    for end in some_offsets(SAMPLE, 3) {
        let text = SAMPLE.get(..end).expect("a boundary");
        let place = whole.with_text(text);
        place.check_whole();
        let start = text.floor_char_boundary(end.saturating_sub(12));
        for offset in start..=end {
            if text.is_char_boundary(offset) {
                place.check_at(offset);
            }
        }
        place.check_name_at(end);
        place.check_writing_at(end);
    }
}

/// Whether no offset of the corpus is left out.
fn is_thorough() -> bool {
    env::var_os("JP_LSP_EVERY_OFFSET").is_some()
}

/// What random texts grow from: the same ones every time, but in a thorough run.
fn seed() -> RngSeed {
    if is_thorough() {
        RngSeed::Random
    } else {
        RngSeed::Fixed(2)
    }
}

/// Some of the offsets of a text, all in a thorough run.
fn some_offsets(text: &str, step: usize) -> impl Iterator<Item = usize> + '_ {
    offsets(text).step_by(if is_thorough() { 1 } else { step })
}

/// The workspaces that `JP_LSP_CORPUS` names, or a committed one, judged once.
static CORPUS: LazyLock<Analysis> = LazyLock::new(|| {
    let committed = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/workspaces/almanac"
    );
    let corpus = env::var("JP_LSP_CORPUS").unwrap_or_else(|_| committed.to_owned());
    let corpus = Utf8PathBuf::from(corpus);
    let mut files = MemoryFiles::default();
    read_into(&mut files, &corpus, &corpus);
    let mut roots = Roots::workspace_only("/w");
    roots.fragments = files.paths().map(Utf8Path::to_owned).collect();
    let graph = Arc::new(Graph::load(&roots, &files));
    assert!(!graph.files.is_empty(), "{corpus} holds no TOML file");
    Analysis::new(graph, Options::default())
});

fn corpus() -> Vec<Place> {
    let files = 0..u32::try_from(CORPUS.graph().files.len()).expect("few files");
    files
        .map(|file| Place::in_analysis(CORPUS.clone(), FileId(file)))
        .collect()
}

#[test]
fn every_offset_of_the_corpus_can_be_read() {
    for place in corpus() {
        place.check_whole();
        let text = place.document().text();
        for offset in some_offsets(text, 13) {
            place.check_at(offset);
        }
        for offset in some_offsets(text, 197) {
            place.check_name_at(offset);
        }
    }
}

#[test]
fn every_offset_of_the_corpus_can_be_written() {
    for place in corpus() {
        for offset in some_offsets(place.document().text(), 11) {
            place.check_writing_at(offset);
        }
    }
}

fn read_into(files: &mut MemoryFiles, corpus: &Utf8Path, directory: &Utf8Path) {
    let entries = directory.read_dir_utf8().expect("a folder");
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            read_into(files, corpus, path);
        } else if path.extension() == Some("toml") {
            let relative = path.strip_prefix(corpus).expect("a path below the corpus");
            let text = fs::read_to_string(path).expect("UTF-8");
            files.insert(Utf8Path::new("/w").join(relative), &text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if is_thorough() { 1_000 } else { 24 }, failure_persistence: None, rng_seed: seed(), ..ProptestConfig::default() })]

    #[test]
    fn mutations_of_the_sample(
        cuts in prop::collection::vec((0.0..1.0_f64, 0..6_usize, "[\\[\\]{}=.,\"'#\\n *ä0-9a]{0,3}"), 1..5)
    ) {
        let mut text = SAMPLE.to_owned();
        for (at, length, new) in cuts {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "any place will do")]
            let at = (at * text.len() as f64) as usize;
            let start = text.floor_char_boundary(at);
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, &new);
        }
        let place = Place::of(&text);
        place.check_whole();
        for offset in offsets(&text).step_by(5) {
            place.check_at(offset);
        }
        for offset in offsets(&text).step_by(17) {
            place.check_name_at(offset);
            place.check_writing_at(offset);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if is_thorough() { 200 } else { 12 }, failure_persistence: None, rng_seed: seed(), ..ProptestConfig::default() })]

    #[test]
    fn truncations_of_the_corpus(file in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>()) {
        let mut places = corpus();
        let place = places.swap_remove(file.index(places.len()));
        let whole = place.document().text();
        let end = whole.floor_char_boundary(cut.index(whole.len() + 1));
        let text = whole.get(..end).expect("a boundary");
        let place = place.with_text(text);
        place.check_whole();
        let near = text.floor_char_boundary(end.saturating_sub(30));
        let far = some_offsets(text, 37).take_while(|offset| *offset < near);
        let tail = offsets(text).skip_while(|offset| *offset < near);
        for offset in far.chain(tail) {
            place.check_at(offset);
            place.check_name_at(offset);
            place.check_writing_at(offset);
        }
    }
}
