//! Hover, navigation, reading aids and formatting at every place of real and of broken texts.
//!
//! `JP_LSP_CORPUS` names a folder with real workspaces; without it, only the sample below is read.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::{fs, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{
    folding::folds,
    format::{FormatSettings, Indent, format},
    hints::hints,
    hover::{hover, markup::MarkupKind},
    lenses::lenses,
    links::links,
    navigation::{definitions, highlights, name_at, names_in, references, rename, view_of_file},
    selection::selection,
    symbols::{Symbol, document_symbols},
    tokens::tokens,
};
use jp_config::{
    document::{Document, Span},
    graph::{FileId, Graph, Roots},
    memory::MemoryFiles,
    view::View,
};
use proptest::prelude::*;

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

/// One file of a workspace, and the workspace.
struct Place {
    graph: Arc<Graph>,
    view: View,
    file: FileId,
}

impl Place {
    fn of(text: &str) -> Self {
        let mut files = MemoryFiles::default();
        files.insert("/w/.jp/config.toml", text);
        let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
        Self::in_graph(graph, "/w/.jp/config.toml".into())
    }

    fn in_graph(graph: Arc<Graph>, path: &Utf8Path) -> Self {
        let file = graph.file_at(path).expect("a file of the graph");
        Self {
            view: view_of_file(&graph, file),
            graph,
            file,
        }
    }

    fn document(&self) -> &Document {
        let content = self.graph.content(self.file);
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
        for fold in folds(document) {
            self.has(fold.span);
        }
        for symbol in document_symbols(document) {
            self.check_symbol(&symbol);
        }
        for occurrence in names_in(document) {
            self.has(occurrence.span);
        }
        for hint in hints(&self.view, self.file, document, document.span()) {
            self.has(Span::new(hint.offset, hint.offset));
        }
        for lens in lenses(&self.view, self.file, document) {
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
        if let Some(found) = hover(&self.view, self.file, document, offset, kind) {
            self.has(found.span);
            let at = u32::try_from(offset).expect("a small text");
            assert!(found.span.touches(at), "{found:?} is not at {at}");
            let hostile = found
                .text
                .chars()
                .find(|c| c.is_control() && !"\n\t".contains(*c));
            assert_eq!(hostile, None, "{}", found.text);
        }
        let parts = selection(document, offset);
        for (inner, outer) in parts.iter().zip(parts.iter().skip(1)) {
            assert!(outer.start <= inner.start && inner.end <= outer.end && inner != outer);
        }
        parts.into_iter().for_each(|part| self.has(part));
    }

    /// What looks through the whole workspace.
    fn check_name_at(&self, offset: usize) {
        let document = self.document();
        let Some((name, span)) = name_at(document, offset) else {
            return;
        };
        self.has(span);
        assert!(!highlights(document, offset).is_empty());
        let all = references(&self.graph, document, offset, true);
        assert!(
            definitions(&self.graph, document, offset)
                .iter()
                .all(|place| all.contains(place))
        );
        if let Ok(edits) = rename(&self.graph, document, offset, "renamed_by_test") {
            let places: Vec<_> = edits.iter().map(|edit| edit.place).collect();
            assert_eq!(
                places, all,
                "a rename of {name:?} changes what it names and nothing else"
            );
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
    }
}

#[test]
fn every_truncation_of_the_sample() {
    for end in offsets(SAMPLE) {
        let text = SAMPLE.get(..end).expect("a boundary");
        let place = Place::of(text);
        place.check_whole();
        let start = text.floor_char_boundary(end.saturating_sub(12));
        for offset in start..=end {
            if text.is_char_boundary(offset) {
                place.check_at(offset);
            }
        }
        place.check_name_at(end);
    }
}

#[test]
fn every_offset_of_the_corpus() {
    let Ok(corpus) = std::env::var("JP_LSP_CORPUS") else {
        return;
    };
    let corpus = Utf8PathBuf::from(corpus);
    let mut files = MemoryFiles::default();
    read_into(&mut files, &corpus, &corpus);
    let mut roots = Roots::workspace_only("/w");
    roots.fragments = files.paths().map(Utf8Path::to_owned).collect();
    let graph = Arc::new(Graph::load(&roots, &files));
    let mut read = 0;
    for path in files.paths() {
        let place = Place::in_graph(Arc::clone(&graph), path);
        place.check_whole();
        let text = place.document().text();
        for (index, offset) in offsets(text).enumerate() {
            place.check_at(offset);
            if index % 509 == 0 {
                place.check_name_at(offset);
            }
        }
        read += 1;
    }
    assert!(read > 0, "`JP_LSP_CORPUS` holds no TOML file");
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
    #![proptest_config(ProptestConfig::with_cases(24))]

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
        }
    }
}
