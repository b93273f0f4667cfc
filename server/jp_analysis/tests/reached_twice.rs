//! A file that is reached in more than one way keeps every finding that it has when it is reached in one.
//!
//! ```toml
//! # .jp/frag/both.toml
//! extends = ["one.toml", "one.toml"]   # listed twice; or by name and by a glob, or by a file between
//! ```

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::{collections::BTreeSet, fs, sync::Arc, sync::LazyLock};

use camino::Utf8PathBuf;
use jp_analysis::{Analysis, Code, Options, Severity};
use jp_config::{
    document::Span,
    graph::{Graph, Roots},
    memory::MemoryFiles,
};
use proptest::prelude::*;

/// The file that is reached, with its mistakes.
const MISTAKEN: &str = "/w/.jp/parts/sub/one.toml";

/// More mistakes than the pages show: what is appended to itself by a second visit, above all.
const MORE: &[&str] = &[
    "[[conversation.tools.more.access.config]]\npath = \"conversation.tools.*.access\"\nwrite = true\n",
    "[conversation.tools.more]\nsource = \"local\"\ncommand = \"more\"\naccess.fs = [{ path = \"a\", read = true }, { path = \"a\" }]\n",
    "[conversation.tools.more.policy.run]\nstrategy = \"append\"\nvalue = [{ mode = \"ask\" }, { arg = \"/a\", const = \"x\", mode = \"skip\" }]\n",
    "[conversation.tools.more.policy.run]\nstrategy = \"prepend\"\nvalue = [{ arg = \"/a\", prefix = \"x\", mode = \"skip\" }]\n",
];

/// How a file may be reached from `.jp/parts/`, and which further file that takes.
const WAYS: &[(&str, Option<(&str, &str)>)] = &[
    ("\"sub/one.toml\"", None),
    ("\"sub/*.toml\"", None),
    ("\"**/one.toml\"", None),
    (
        "{ path = \"./sub/../sub/one.toml\", strategy = \"after\" }",
        None,
    ),
    (
        "\"left.toml\"",
        Some(("/w/.jp/parts/left.toml", "extends = [\"sub/one.toml\"]\n")),
    ),
    (
        "{ path = \"right.toml\", strategy = \"after\" }",
        Some((
            "/w/.jp/parts/right.toml",
            "extends = [{ path = \"sub/o*.toml\", strategy = \"after\" }]\n",
        )),
    ),
];

static MISTAKES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = Utf8PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/diagnostics"
    ));
    // What the released `jp` rejects is said only to those who ask for it.
    let codes = Code::ALL
        .iter()
        .filter(|code| **code != Code::ReleasedJpRejects);
    let pages = codes.filter_map(|code| {
        let page = fs::read_to_string(folder.join(format!("{code}.md"))).unwrap();
        let (_, wrong) = page.split_once("\n## Wrong\n").unwrap();
        let (_, block) = wrong.split_once("```toml\n").unwrap();
        let text = block.split("```").next().unwrap();
        // An example of several files is about who extends whom.
        (!text.contains("# .jp/") && !text.contains("extends")).then(|| text.to_owned())
    });
    pages
        .chain(MORE.iter().map(|&text| text.to_owned()))
        .collect()
});

/// Who reaches the file.
#[derive(Debug, Clone, Copy)]
enum From {
    /// The workspace's config.
    Config,
    /// A file under a load path that covers the mistaken file too.
    Fragment,
    /// A file that is open, under no load path.
    OpenFile,
}

type Finding = (Code, Severity, Span, String);

/// The findings of the mistaken file, which is reached in these ways.
fn findings(text: &str, from: From, ways: &[usize]) -> BTreeSet<Finding> {
    let mut files = MemoryFiles::default();
    let mut entries = Vec::new();
    for way in ways {
        let (entry, between) = WAYS[*way];
        entries.push(entry);
        if let Some((path, text)) = between {
            files.insert(path, text);
        }
    }
    let extends = format!("extends = [{}]\n", entries.join(", "));
    files.insert(MISTAKEN, text);
    files.insert("/w/.jp/parts/top.toml", &extends);
    let mut roots = Roots::workspace_only("/w");
    let config = match from {
        From::Config => "extends = [\"parts/top.toml\"]\n",
        From::Fragment => "config_load_paths = [\".jp/parts\"]\n",
        From::OpenFile => {
            roots.fragments = vec!["/w/.jp/parts/top.toml".into()];
            ""
        }
    };
    files.insert("/w/.jp/config.toml", config);
    let analysis = Analysis::new(Arc::new(Graph::load(&roots, &files)), Options::default());
    let file = analysis.graph().file_at(MISTAKEN.into()).unwrap();
    let found = analysis.diagnostics(file);
    let found = found.iter().map(|finding| {
        let Span { start, end } = finding.place.span;
        (
            finding.code,
            finding.severity,
            Span { start, end },
            finding.message.clone(),
        )
    });
    found.collect()
}

#[test]
fn every_mistake_is_found_when_it_is_reached_once() {
    for text in MISTAKES.iter() {
        for from in [From::Config, From::Fragment, From::OpenFile] {
            assert!(!findings(text, from, &[0]).is_empty(), "{from:?}\n{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn another_way_to_a_file_takes_no_finding_away(
        text in prop::sample::select(MISTAKES.as_slice()),
        from in prop::sample::select(&[From::Config, From::Fragment, From::OpenFile][..]),
        way in 0..WAYS.len(),
        others in prop::collection::vec(0..WAYS.len(), 1..4),
    ) {
        let once = findings(&text, from, &[way]);
        let ways: Vec<usize> = std::iter::once(way).chain(others).collect();
        let often = findings(&text, from, &ways);
        let kinds = |found: &BTreeSet<Finding>| -> BTreeSet<(Code, Span)> {
            found.iter().map(|(code, _, span, _)| (*code, *span)).collect()
        };
        let lost: Vec<_> = kinds(&once).difference(&kinds(&often)).copied().collect();
        prop_assert!(lost.is_empty(), "{lost:?} by {ways:?} from {from:?}\n{text}\n{once:#?}\n{often:#?}");
        // A rule that a second visit repeats is not its own rival.
        let more: Vec<_> = kinds(&often).difference(&kinds(&once)).copied().collect();
        prop_assert!(more.is_empty(), "{more:?} by {ways:?} from {from:?}\n{text}\n{once:#?}\n{often:#?}");
    }
}
