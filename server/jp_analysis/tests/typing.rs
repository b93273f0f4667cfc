//! Typing is safe: every state between two keys is judged, in bounds, and as if the text were read anew.
//!
//! ```text
//! [conversation.tools.edit.policy]
//! run = [{ arg = "/pa|
//! ```
//!
//! The committed workspaces are typed always; `JP_LSP_CORPUS` names a folder with a `.jp` to type as well.

#![expect(
    clippy::unwrap_used,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use std::{collections::BTreeMap, env, fs, ops::Range, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{Analysis, Code, Diagnostic, Options, Place, Severity};
use jp_config::{
    content::{Content, ContentFormat},
    document::Document,
    graph::{FileId, Graph, LoaderKeys, Roots},
    memory::MemoryFiles,
};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

/// The keys that are typed of one file, in runs spread over it; the text between two runs is pasted.
const KEYS_OF_A_FILE: usize = 60;

/// The length of one run.
const RUN: usize = 20;

/// How far apart the keys are after which everything is judged anew and compared.
const COMPARED: usize = 31;

/// What is typed at the end of a config that has mistakes in other places.
const RULES: &str = r#"
[[conversation.tools.edit_file.access.fs]]
path = "src/new"
read = true
write = false

[conversation.tools.brand_new]
source = "local"
command = "brand-new {{tool}}"
enable = true

[conversation.tools.brand_new.parameters.path]
type = "path"
enum = ["a", 'b']

[conversation.tools.brand_new.policy]
run = [
    { arg = "/path", const = "a", mode = "ask" },
    { mode = "unattended" },
]
"#;

/// One person who types in one file of a workspace.
struct Typist {
    roots: Roots,
    files: MemoryFiles,
    path: Utf8PathBuf,
    document: Document,
    keys: LoaderKeys,
    analysis: Analysis,
}

impl Typist {
    fn new(files: MemoryFiles, workspace: &Utf8Path, path: &Utf8Path) -> Self {
        let mut roots = Roots::workspace_only(workspace);
        roots.fragments.push(path.to_owned());
        let text = files.text(path).unwrap();
        let document = Document::parse(text);
        let keys = LoaderKeys::of(&Content::Toml(document.clone()));
        let graph = Arc::new(Graph::load(&roots, &files));
        Self {
            analysis: Analysis::new(graph, Options::default()),
            keys,
            document,
            path: path.to_owned(),
            files,
            roots,
        }
    }

    fn text(&self) -> &str {
        self.document.text()
    }

    fn edit(&mut self, range: Range<usize>, text: &str) {
        self.document.edit(range, text);
        let content = Arc::new(Content::Toml(self.document.clone()));
        let keys = LoaderKeys::of(&content);
        let mut graph = Arc::clone(self.analysis.graph());
        if keys != self.keys {
            self.files.insert(self.path.clone(), self.document.text());
            graph = Arc::new(Graph::load(&self.roots, &self.files));
            self.keys = keys;
        }
        let file = graph.file_at(&self.path).unwrap();
        self.analysis = self
            .analysis
            .update(Arc::new(graph.with_content(file, content)));
    }

    fn file(&self) -> FileId {
        self.analysis.graph().file_at(&self.path).unwrap()
    }

    fn found(&self) -> Arc<Vec<Diagnostic>> {
        self.analysis.diagnostics(self.file())
    }

    /// Every place of every finding lies in its text, on character boundaries.
    fn assert_in_bounds(&self) {
        for (_, found) in self.analysis.all_diagnostics() {
            for finding in found.iter() {
                finding.clone().visit_places(&mut |place| {
                    self.assert_place(*place, finding);
                });
            }
        }
    }

    fn assert_place(&self, place: Place, finding: &Diagnostic) {
        let content = self.analysis.graph().content(place.file);
        let Some(document) = content.and_then(|content| content.document()) else {
            assert_eq!(place.span.range(), 0..0, "no text to point into");
            return;
        };
        assert!(
            document.text().get(place.span.range()).is_some(),
            "{finding:?} points outside of {:?}",
            document.text()
        );
    }

    /// The incremental state is that of the same text read anew.
    fn assert_as_anew(&mut self) {
        self.files.insert(self.path.clone(), self.document.text());
        let graph = Arc::new(Graph::load(&self.roots, &self.files));
        let anew = Analysis::new(graph, Options::default());
        let all = |analysis: &Analysis| -> BTreeMap<Utf8PathBuf, Arc<Vec<Diagnostic>>> {
            analysis
                .all_diagnostics()
                .map(|(file, found)| (analysis.graph().path(file).to_owned(), Arc::clone(found)))
                .collect()
        };
        assert_eq!(all(&self.analysis), all(&anew), "of {:?}", self.text());
    }
}

/// A workspace and where it stands.
struct Workspace {
    root: Utf8PathBuf,
    files: MemoryFiles,
}

impl Workspace {
    fn read(root: &Utf8Path) -> Self {
        let mut files = MemoryFiles::default();
        read(&root.join(".jp"), &mut files);
        Self {
            root: root.to_owned(),
            files,
        }
    }

    fn committed(name: &str) -> Self {
        let tests = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/workspaces");
        Self::read(&tests.join(name).canonicalize_utf8().unwrap())
    }

    fn all() -> Vec<Self> {
        let mut all = Vec::from(["almanac", "sample", "mistakes"].map(Self::committed));
        if let Ok(corpus) = env::var("JP_LSP_CORPUS") {
            let corpus = Utf8PathBuf::from(corpus).canonicalize_utf8().unwrap();
            all.push(Self::read(&corpus));
        }
        all
    }

    fn toml_files(&self) -> Vec<Utf8PathBuf> {
        let toml = |path: &&Utf8Path| ContentFormat::of(path) == Some(ContentFormat::Toml);
        self.files
            .paths()
            .filter(toml)
            .map(Utf8Path::to_owned)
            .collect()
    }

    fn typist(&self, path: &Utf8Path) -> Typist {
        Typist::new(self.files.clone(), &self.root, path)
    }
}

fn read(directory: &Utf8Path, files: &mut MemoryFiles) {
    for entry in directory.read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        if path.is_dir() {
            read(&path, files);
        } else if let Ok(text) = fs::read_to_string(&path) {
            files.insert(path, &text);
        }
    }
}

/// The runs of keys in which a text is typed, as offsets.
fn runs(text: &str) -> Vec<Range<usize>> {
    let count = (KEYS_OF_A_FILE / RUN).max(1);
    if text.len() <= KEYS_OF_A_FILE {
        return std::iter::once(0..text.len()).collect();
    }
    (0..count)
        .map(|run| {
            let start = text.floor_char_boundary((text.len() - RUN) * run / (count - 1));
            start..text.floor_char_boundary(start + RUN)
        })
        .collect()
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count()
}

/// What identifies a finding while the text around it moves.
fn name(finding: &Diagnostic) -> (Code, &str) {
    (finding.code, &finding.message)
}

/// Whether an error or warning that `known` lacks stands more than three lines from the cursor.
///
/// What is open where the person types is told at its opening, however long it is.
fn is_far_off(typist: &Typist, known: &[Diagnostic], cursor: usize) -> bool {
    let text = typist.text();
    let line = line_of(text, cursor);
    typist.found().iter().any(|finding| {
        finding.severity <= Severity::Warning
            && !known.iter().any(|known| name(known) == name(finding))
            && !finding.message.starts_with("unclosed")
            && line_of(text, finding.place.span.start as usize).abs_diff(line) > 3
    })
}

#[test]
fn every_file_can_be_typed_key_by_key() {
    let (mut keys, mut compared, mut far_off) = (0, 0, 0);
    for workspace in Workspace::all() {
        for path in workspace.toml_files() {
            let whole = workspace.files.text(&path).unwrap().to_owned();
            let mut typist = workspace.typist(&path);
            let known = typist.found();
            typist.edit(0..whole.len(), "");
            for run in runs(&whole) {
                let typed = typist.text().len();
                if typed < run.start {
                    typist.edit(typed..typed, &whole[typed..run.start]);
                }
                for key in whole[typist.text().len()..run.end.max(typed)].chars() {
                    let end = typist.text().len();
                    typist.edit(end..end, key.encode_utf8(&mut [0; 4]));
                    typist.assert_in_bounds();
                    keys += 1;
                    let cursor = end + key.len_utf8();
                    far_off += usize::from(is_far_off(&typist, &known, cursor));
                    if keys % COMPARED == 0 {
                        typist.assert_as_anew();
                        compared += 1;
                    }
                }
            }
            assert_eq!(typist.text(), whole);
            typist.assert_as_anew();
            assert_eq!(typist.found(), known);
        }
    }
    println!(
        "{keys} keys typed, {compared} states compared with a fresh analysis, \
         findings more than 3 lines from the cursor on {far_off}"
    );
    assert!(far_off * 100 <= keys, "{far_off} of {keys}");
}

#[test]
fn mistakes_elsewhere_stay_shown_while_rules_are_typed() {
    let workspace = Workspace::committed("mistakes");
    let path = workspace.root.join(".jp/config.toml");
    let (mut keys, mut kept, mut far_off) = (0, 0, 0);
    let end = workspace.files.text(&path).unwrap().len();
    let header = workspace
        .files
        .text(&path)
        .unwrap()
        .find("[conversation")
        .unwrap();
    for start in [end, header] {
        let mut typist = workspace.typist(&path);
        let known = typist.found();
        assert!(known.len() >= 5, "{known:?}");
        for (typed, key) in RULES.char_indices() {
            let at = start + typed;
            typist.edit(at..at, key.encode_utf8(&mut [0; 4]));
            typist.assert_in_bounds();
            typist.assert_as_anew();
            let found = typist.found();
            keys += 1;
            kept += usize::from(known.iter().all(|known| {
                let mut found = found.iter();
                found.any(|found| name(found) == name(known))
            }));
            far_off += usize::from(is_far_off(&typist, &known, at + key.len_utf8()));
        }
        assert_eq!(typist.found().len(), known.len());
    }
    println!(
        "{keys} keys typed: mistakes elsewhere kept on {kept}, \
         findings more than 3 lines from the cursor on {far_off}"
    );
    assert!(kept * 100 >= keys * 99, "{kept} of {keys}");
    assert!(far_off * 100 <= keys, "{far_off} of {keys}");
}

#[test]
fn one_bracket_that_is_not_closed_is_one_finding() {
    let (mut brackets, mut most) = (0, 0);
    for workspace in Workspace::all() {
        for path in workspace.toml_files() {
            let text = workspace.files.text(&path).unwrap().to_owned();
            let mut typist = workspace.typist(&path);
            let known = typist.found();
            for (at, closing) in text.match_indices([']', '}']) {
                if !is_bracket(&text, at) {
                    continue;
                }
                typist.edit(at..at + 1, "");
                let found = typist.found();
                let errors = |found: &[Diagnostic]| {
                    let mut count = 0;
                    for finding in found {
                        count += usize::from(finding.severity == Severity::Error);
                    }
                    count
                };
                let more = errors(&found).saturating_sub(errors(&known));
                brackets += 1;
                if more > most {
                    println!("{path} without the bracket at {at}: {more}");
                    for finding in found.iter() {
                        println!("    {}: {}", finding.code, finding.message);
                    }
                }
                most = most.max(more);
                typist.edit(at..at, closing);
            }
        }
    }
    println!("{brackets} brackets left open, {most} findings at most for one of them");
    assert!(brackets > 0);
    assert_eq!(most, 1);
}

/// Whether a closing bracket is syntax: one in a string or comment can be left out without a mistake.
fn is_bracket(text: &str, at: usize) -> bool {
    let without = format!("{}{}", &text[..at], &text[at + 1..]);
    !Document::parse(&without).errors().is_empty()
}

/// What random edits insert: pieces that open, close and cut what stands around them.
const PIECES: &[&str] = &[
    "",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\"",
    "\"\"\"",
    "'",
    "'''",
    "[",
    "[[",
    "]",
    "]]",
    "{",
    "}",
    ",",
    "=",
    ".",
    "#",
    "\\",
    "ä𝄞",
    "\u{feff}",
    "\0",
    "a",
    "1",
    "*",
    "true",
    "[a]\n",
    "[[b]]\n",
    "x = 1\n",
    "[conversation.tools.edit_file]\n",
    "policy.run = \"ask\"\n",
    "mode = \"ask\"",
    "{ arg = \"/path\", const = \"x\", mode = \"ask\" }",
    "extends = [\"tools/*.toml\"]\n",
    "inherit = false\n",
    "[conversation.tools.edit_file.parameters.path]\n",
    "type = \"path\"\n",
    "assistant.model.id = \"sonnet\"\n",
    "providers.llm.aliases.sonnet = \"a/b\"\n",
];

fn edits() -> impl Strategy<Value = Vec<(f64, usize, &'static str)>> {
    let edit = (0.0..1.0, 0..40_usize, prop::sample::select(PIECES));
    prop::collection::vec(edit, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_edits_leave_the_state_of_the_text(
        workspace in prop::sample::select(&["sample", "mistakes"][..]),
        file in prop::sample::select(&[".jp/config.toml", ".jp/tools/edit_file.toml"][..]),
        edits in edits(),
    ) {
        let workspace = Workspace::committed(workspace);
        let mut typist = workspace.typist(&workspace.root.join(file));
        for (at, removed, piece) in edits {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a share of a length is within it"
            )]
            let start = (at * typist.text().len() as f64) as usize;
            typist.edit(start..start + removed, piece);
            typist.assert_in_bounds();
            typist.assert_as_anew();
        }
    }
}

/// What a fix writes ends its lines as the file does, also when the file begins to end them in another way.
#[test]
fn fixes_follow_the_line_ends_of_the_file() {
    let workspace = Workspace::committed("mistakes");
    let mut typist = workspace.typist(&workspace.root.join(".jp/config.toml"));
    let first_end = typist.text().find('\n').unwrap();
    typist.edit(first_end..first_end, "\r");
    typist.assert_as_anew();
}
