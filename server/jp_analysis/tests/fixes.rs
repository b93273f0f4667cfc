//! Accepting a fix removes its finding and brings no other, whatever stands around the mistake.
//!
//! ```toml
//! access.env = [{ name = "AWS_*_KEY", read = true }]   # every fix on offer is applied, and everything is judged again
//! ```
//!
//! The mistakes are the wrong examples of the pages in `docs/diagnostics`, and some more forms of them.
//! Each is written for tools of any name, with comments, other tools and other line ends around it.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::{Arc, LazyLock},
};

use camino::Utf8PathBuf;
use jp_analysis::{
    Analysis, Code, Dialect, Edit, Options, Severity,
    actions::{Action, ActionKind, actions, fix_all},
};
use jp_config::{
    graph::{FileId, Graph, Roots},
    memory::MemoryFiles,
    view::View,
};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

/// More mistakes than the pages show, in other forms.
const MORE: &[&str] = &[
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\n\n[[conversation.tools.more.access.fs]]\nread = true\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\naccess.fs = [{ read = true }, { path = \"/w/src\", read = true }]\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\naccess.net = [{ host = \"me@docs.rs\", allow = true }]\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\npolicy.run = [{ arg = \"/p/a/0\", const = 1, mode = \"ask\" }, { mode = \"ask\" }]\nparameters.p = { type = \"object\", properties.a = { type = \"array\", items.type = \"integer\" } }\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\n[[conversation.tools.more.policy.run]]\narg = \"/p\"\nprefix = \"a\"\nmode = \"ask\"\n\n[[conversation.tools.more.policy.run]]\narg = \"/p\"\nconst = \"ab\"\nmode = \"skip\"\n\n[[conversation.tools.more.policy.run]]\nmode = \"ask\"\n\n[conversation.tools.more.parameters]\np.type = \"string\"\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\npolicy.run = [{ arg = \"/p\", prefix = \"a\", mode = \"ask\" }, { mode = \"skip\" }, { arg = \"/p\", const = \"z\", mode = \"unattended\" }]\nparameters.p.type = \"string\"\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\npolicy.run = [{ arg = \"/p\", enum = [\"./x/\", \"y\"], mode = \"skip\" }, { mode = \"ask\" }]\nparameters.p.type = \"path\"\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more {{ tool }}\"\nenabled = true\nrun = \"unatended\"\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more -- {{tool.arguments.pth}}\"\nparameters.path.type = \"path\"\n",
    "[conversation.tools.more]\nsource = \"mcp.githup.search\"\n\n[providers.mcp.github]\ntype = \"stdio\"\ncommand = \"x\"\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\n[[conversation.tools.more.access.config]]\npath = \"conversation.tools\"\nwrite = true\n\n[[conversation.tools.more.access.config]]\npath = \"asistant.model\"\nread = true\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\n[[conversation.tools.more.access.fs]]\npath = \"src/../../x\"\nread = true\n\n[[conversation.tools.more.access.fs]]\npath = \"src/../docs\"\nread = true\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\nresult = \"ask\" # why\n[conversation.tools.more.policy]\nresult = \"unattended\"\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\nparameters.a = { type = \"integer\", default = \"7\" }\nparameters.b = { type = \"boolean\", default = \"true\" }\nparameters.c = { type = \"strin\" }\n",
    "[conversation.tools]\n\"more\" = { source = \"local\", command = \"more\", access.fs = [{ path = \"a\", raed = true }] }\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\nacces.fs = [{ path = \"a\", read = true }]\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\nenable = true\nenable = true\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\nenable = true\n[conversation.tools.more.policy]\nrun = \"ask\"\n\n# why\n[conversation.tools.more.policy]\nresult = \"ask\" # so\n\n[style.code]\ncolor = true\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\npolicy = \"ask\"\n\n[conversation.tools.more.policy]\nresult = \"ask\"\n",
    "[conversation.tools.more]\nsource = local\ncommand = \"more\"\nenable = tru\nparameters.p = { type = \"integer\" default = 1 }\npolicy.run = [\n    { arg = \"/p\", const = 1, mode = \"ask\" }\n    { mode = \"ask\" },\n]\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\nsummary = \"a\\sb\"\n\n[[conversation.tools.more.access.fs]\npath = \"a\"\nread = true\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\npolicy.run = [\n    { mode = \"ask\" },\n\n[conversation.tools.more.parameters]\na b.type = \"string\"\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\n[[conversation.tools.more.access.net]]\nhost = \"https://me@docs.rs:8443/serde\" # why\nallow = true\n\n[[conversation.tools.more.access.net]]\nhost = \"crates.io/api\"\nallow = true\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\naccess.net = [{ host = \"https://docs.rs/\", scheme = \"https\", allow = true }, { host = \"docs.rs\", path_prefix = \"/a?b\", allow = true }]\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\n[[conversation.tools.more.access.config]]\npath = \"assistant.model.id.*\"\nread = true\n\n[[conversation.tools.more.access.config]]\npath = \"assistant.name.first\"\nread = true\n",
    "[conversation.tools.more]\nsource = \"builtin\"\n[[conversation.tools.more.access.fs]]\npath = \"a\"\nread = true\n\n[[conversation.tools.more.access.fs]]\npath = \"b\"\nread = true\n\n[conversation.tools.more.access]\nenv = [{ name = \"A\", read = true }]\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\n[[conversation.tools.more.access.fs]]\npath = \"a\"\nread = true\n\n[[conversation.tools.more.access.fs]]\npath = \"a\"\nread = true\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\npolicy.run = [{ arg = \"/force\", mode = \"ask\" }, { const = 3, arg = \"/kind\", mode = \"ask\" }, { prefix = \"x\", mode = \"ask\" }, { mode = \"ask\" }]\nparameters.force.type = \"boolean\"\nparameters.kind = { type = \"string\", enum = [\"a\", \"b\"] }\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\npolicy.run = [{ arg = \"/kind\", minimum = 3, mode = \"ask\" }, { arg = \"/line\", pattern = \"12\", mode = \"ask\" }, { mode = \"ask\" }]\nparameters.line.type = \"integer\"\nparameters.kind = { type = \"string\", enum = [\"a\", \"b\"] }\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\n[[conversation.tools.more.policy.run]]\narg = \"/line\"\nminimum = 1 # low\nmaximum = 9\nmode = \"ask\"\n\n[[conversation.tools.more.policy.run]]\nmode = \"ask\"\n[conversation.tools.more.parameters]\nline.type = \"integer\"\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\n[conversation.tools.more.parameters.list]\ntype = \"string\"\n\n[conversation.tools.more.parameters.list.items]\ntype = \"path\"\n",
    "[conversation.tools.more]\nsource = \"mcp\"\n\n[providers.mcp.github]\ntype = \"stdio\"\ncommand = \"x\"\n",
    "[conversation.tools.more]\nsource = \"github.search\"\n\n[providers.mcp.github]\ntype = \"stdio\"\ncommand = \"x\"\n",
    "[conversation.tools.more]\nsource = \"local.\"\ncommand = \"more\"\n",
    "[conversation.tools]\nmore = {}\n\n[providers.mcp.github]\ntype = \"stdio\"\ncommand = \"x\"\n",
    "[conversation.tools.more.style]\nhidden = true\n\n[providers.mcp.github]\ntype = \"stdio\"\ncommand = \"x\"\n",
    "extends = [\n    \"a.toml\", # one\n    \"b.toml\",\n]\n",
    "[assistant.model]\nid = \"opnai/gpt\"\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\nenable = \"sometimes\" # why\npolicy.run = [{ arg = \"/p\", prefix = \"a\", mode = \"never\" }, { mode = \"ask\" }]\nparameters.p = { type = \"text\" }\n",
];

/// Other tools that nothing is wrong with.
const AROUND: &[&str] = &[
    "",
    "# ä😀\n[conversation.tools.around]\nsource = \"local\" # ä\ncommand = \"around\"\nsummary = \"\"\"\n😀\n\"\"\"\n",
    "[style.inline_code]\nbackground = \"#102030\"\n\n[conversation.tools.'Ä b']\nsource = \"local\"\ncommand = \"around\"\npolicy.run = [\n  # one\n  { mode = \"ask\" }, # two\n]\n",
];

/// How a tool may be called.
const NAMES: &[&str] = &["fs_modify_file", "x-1", "\"ä😀 b\"", "'a.b'"];

/// A mistake as files.
#[derive(Debug, Clone, PartialEq)]
struct Example {
    /// The code that the page is about.
    code: Option<Code>,
    files: BTreeMap<String, String>,
}

static EXAMPLES: LazyLock<Vec<Example>> = LazyLock::new(|| {
    let folder = Utf8PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/diagnostics"
    ));
    let pages = Code::ALL.iter().map(|code| {
        let page = fs::read_to_string(folder.join(format!("{code}.md"))).unwrap();
        let (_, wrong) = page.split_once("\n## Wrong\n").unwrap();
        let (_, block) = wrong.split_once("```toml\n").unwrap();
        Example {
            code: Some(*code),
            files: files_of(block.split("```").next().unwrap()),
        }
    });
    let more = MORE.iter().map(|text| Example {
        code: None,
        files: files_of(text),
    });
    pages.chain(more).collect()
});

/// The files of an example, which name themselves in comments.
fn files_of(example: &str) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut path = ".jp/config.toml".to_owned();
    for line in example.split_inclusive('\n') {
        match line.strip_prefix("# ").map(str::trim) {
            Some(name) if name.starts_with(".jp/") => name.clone_into(&mut path),
            _ => files.entry(path.clone()).or_default().push_str(line),
        }
    }
    files
}

/// What is done to an example.
#[derive(Debug, Clone)]
struct Surroundings {
    name: &'static str,
    before: &'static str,
    after: &'static str,
    comments: bool,
    line_break: &'static str,
}

fn surroundings() -> impl Strategy<Value = Surroundings> {
    (
        prop::sample::select(NAMES),
        prop::sample::select(AROUND),
        prop::sample::select(AROUND),
        any::<bool>(),
        prop::sample::select(&["\n", "\r\n"][..]),
    )
        .prop_map(|(name, before, after, comments, line_break)| Surroundings {
            name,
            before,
            // A table stands once.
            after: if before == after { "" } else { after },
            comments,
            line_break,
        })
}

impl Surroundings {
    fn apply(&self, text: &str, is_config: bool) -> String {
        let mut text = renamed(text, self.name);
        if self.comments {
            text = commented(&text);
        }
        if is_config {
            if text.starts_with('[') {
                text = format!("{}\n{text}", self.before);
            }
            text = format!("{text}\n{}", self.after);
        }
        text.replace('\n', self.line_break)
    }
}

/// The text with another name for each of its tools.
fn renamed(text: &str, name: &str) -> String {
    let mut text = text.to_owned();
    for (index, tool) in ["fs_modify_file", "renumber", "grep", "more"]
        .iter()
        .enumerate()
    {
        let new = match name.strip_suffix(['"', '\'']) {
            // What is quoted stays quoted.
            Some(open) if index > 0 => name.replacen(open, &format!("{open}{index}"), 1),
            None if index > 0 => format!("{name}{index}"),
            _ => name.to_owned(),
        };
        text = text.replace(&format!("tools.{tool}"), &format!("tools.{new}"));
    }
    text
}

/// A comment after each line, where one can stand.
fn commented(text: &str) -> String {
    let mut is_text = false;
    let lines = text.lines().map(|line| {
        is_text ^= line.matches("\"\"\"").count() % 2 == 1;
        if is_text || line.trim().is_empty() || line.contains('#') {
            format!("{line}\n")
        } else {
            format!("{line} # ä😀\n")
        }
    });
    lines.collect()
}

/// A workspace with mistakes.
struct Faulty {
    files: MemoryFiles,
    analysis: Analysis,
    dialect: Dialect,
}

impl Faulty {
    fn new(files: MemoryFiles, dialect: Dialect) -> Self {
        let graph = Graph::load(&Roots::workspace_only("/w"), &files);
        Self {
            analysis: Analysis::new(Arc::new(graph), Options { dialect }),
            files,
            dialect,
        }
    }

    fn of(example: &Example, surroundings: &Surroundings) -> Self {
        let mut files = MemoryFiles::default();
        for (path, text) in &example.files {
            let is_config = path == ".jp/config.toml";
            files.insert(format!("/w/{path}"), &surroundings.apply(text, is_config));
        }
        let dialect = match example.code {
            Some(Code::ReleasedJpRejects) => Dialect::Released,
            _ => Dialect::Rfd,
        };
        Self::new(files, dialect)
    }

    fn after(&self, action: &Action) -> Self {
        let edited = self.edited(&action.edits);
        let Some(created) = &action.creates else {
            return edited;
        };
        let mut files = edited.files;
        files.insert(&created.path, &created.text);
        Self::new(files, self.dialect)
    }

    fn edited(&self, edits: &[Edit]) -> Self {
        let mut files = self.files.clone();
        let mut edits: Vec<&Edit> = edits.iter().collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
        for edit in edits {
            let path = self.analysis.graph().path(edit.place.file);
            let mut text = files.text(path).expect("a file").to_owned();
            text.replace_range(edit.place.span.range(), &edit.text);
            files.insert(path, &text);
        }
        Self::new(files, self.dialect)
    }

    /// How many findings there are of each kind, without the mild ones.
    fn counts(&self) -> BTreeMap<Code, usize> {
        let mut counts = BTreeMap::new();
        for (_, found) in self.analysis.all_diagnostics() {
            for finding in found.iter() {
                if finding.severity <= Severity::Warning {
                    *counts.entry(finding.code).or_default() += 1;
                }
            }
        }
        counts
    }

    fn texts(&self) -> String {
        let texts = self.files.paths().map(|path| {
            let text = self.files.text(path).unwrap_or_default();
            format!("//- {path}\n{text}")
        });
        texts.collect()
    }

    /// Every fix on offer, with the code that it answers.
    fn fixes(&self) -> Vec<(Code, Severity, Action)> {
        let view = View::new(Arc::clone(self.analysis.graph()));
        let mut fixes = Vec::new();
        for (file, found) in self.analysis.all_diagnostics() {
            for (index, finding) in found.iter().enumerate() {
                let offered = actions(&self.analysis, &view, file, finding.place.span);
                let own = offered.into_iter().filter(|action| {
                    action.diagnostic == Some(index) && action.kind == ActionKind::QuickFix
                });
                fixes.extend(own.map(|action| (finding.code, finding.severity, action)));
            }
        }
        fixes
    }

    /// Applies every fix, each alone, and looks at what is left; answers the codes that have one.
    fn hold(&self) -> BTreeSet<Code> {
        let before = self.counts();
        let mut answered = BTreeSet::new();
        for (code, severity, action) in self.fixes() {
            answered.insert(code);
            let fixed = self.after(&action);
            let mut allowed = before.clone();
            if severity <= Severity::Warning {
                *allowed.entry(code).or_default() -= 1;
            }
            let more: Vec<(Code, usize)> = fixed
                .counts()
                .into_iter()
                .filter(|(code, count)| *count > allowed.get(code).copied().unwrap_or_default())
                .collect();
            assert_eq!(
                more,
                [],
                "after `{}` for {code} in\n{}\n=>\n{}",
                action.title,
                self.texts(),
                fixed.texts()
            );
        }
        answered
    }
}

#[test]
fn the_codes_with_a_fix_are_known() {
    let plain = Surroundings {
        name: "fs_modify_file",
        before: "",
        after: "",
        comments: false,
        line_break: "\n",
    };
    let answered: BTreeSet<Code> = EXAMPLES
        .iter()
        .flat_map(|example| Faulty::of(example, &plain).hold())
        .collect();
    let fixed = Code::ALL.iter().copied();
    let fixed: BTreeSet<Code> = fixed.filter(|code| code.without_fix().is_none()).collect();
    assert_eq!(answered, fixed);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_fix_removes_its_finding_and_brings_none(
        example in prop::sample::select(EXAMPLES.as_slice()),
        surroundings in surroundings(),
    ) {
        Faulty::of(&example, &surroundings).hold();
    }

    #[test]
    fn fixing_all_ends_with_nothing_left_to_fix(
        example in prop::sample::select(EXAMPLES.as_slice()),
        surroundings in surroundings(),
    ) {
        let mut faulty = Faulty::of(&example, &surroundings);
        let file = FileId(0);
        let errors = |faulty: &Faulty| {
            let all = faulty.analysis.all_diagnostics();
            // What is merely worth knowing is no fault, and a rule that begins to work may be worth a word.
            all.flat_map(|(_, found)| found.iter())
                .filter(|finding| finding.severity != Severity::Information)
                .count()
        };
        // What one fix uncovers, such as what stands below a key that was misspelt, the next round answers.
        for _ in 0..6 {
            let Some(action) = fix_all(&faulty.analysis, file) else {
                break;
            };
            let fixed = faulty.edited(&action.edits);
            prop_assert!(
                errors(&fixed) < errors(&faulty),
                "{}\n=>\n{}",
                faulty.texts(),
                fixed.texts()
            );
            faulty = fixed;
        }
        prop_assert_eq!(fix_all(&faulty.analysis, file), None);
    }
}
