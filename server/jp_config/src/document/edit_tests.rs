use std::sync::Arc;

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::super::{Document, SectionRef, dump};

const SAMPLE: &str = r#"# A sample.
inherit = true

[assistant]
name = "jp"   # who
model.id = "a/b"

[conversation.tools.'*']
run = "ask"

[conversation.tools.a]
command = """
just
[not.a.header]
"""
policy.run = [
  { arg = "/p\u00e4th", mode = "ask" },
  { mode = "unattended" },
]

[[conversation.tools.a.access.fs]]
path = "src"
  [conversation.tools.a.access.fs.deep]
  list = [
["a"],
["b"]
]

[[conversation.tools.a.access.fs]]
path = 'ö'
"#;

/// What editing can break or mend.
const PIECES: [&str; 34] = [
    "",
    "a",
    "[",
    "]",
    "{",
    "}",
    "=",
    ",",
    ".",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "\n",
    "\r",
    "\r\n",
    " ",
    "#",
    "[x]\n",
    "\n[a.b]\n",
    "\n[[a.b]]\n",
    "k = 1\n",
    "x = [\n",
    "x = {\n",
    "\\",
    "*",
    "ö",
    "\u{feff}",
    "\0",
    "[\"a\"]",
    "1.5",
    "\n[conversation.tools.a]\n",
    "a.b = { c = [",
    "  ",
];

fn assert_same(edited: &Document) {
    let fresh = Document::parse(edited.text());
    assert_eq!(
        dump::everything(edited),
        dump::everything(&fresh),
        "{:?}",
        edited.text()
    );
}

#[derive(Clone, Debug)]
struct Script {
    start: usize,
    remove: usize,
    piece: usize,
}

fn script() -> impl Strategy<Value = Vec<Script>> {
    let step = (
        0..10_000_usize,
        prop_oneof![3 => Just(0), 2 => 1..4_usize, 1 => 0..200_usize],
        0..PIECES.len(),
    );
    prop::collection::vec(
        step.prop_map(|(start, remove, piece)| Script {
            start,
            remove,
            piece,
        }),
        1..24,
    )
}

fn run(text: &str, script: &[Script]) {
    let mut document = Document::parse(text);
    for step in script {
        let len = document.text().len();
        let start = step.start % (len + 1);
        document.edit(start..(start + step.remove).min(len), PIECES[step.piece]);
        assert_same(&document);
    }
}

#[test]
fn a_key_under_a_header_and_under_a_dotted_key_is_one() {
    assert_same(&Document::parse("a.b = 1\n[a]\nb = 2\n"));
    assert_same(&Document::parse("a. ö = 1\n[x]\n[\"a\"].b]\na= [x]\nö = ["));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn edits_give_what_a_fresh_parse_gives(script in script()) {
        run(SAMPLE, &script);
    }

    #[test]
    fn edits_from_nothing_give_what_a_fresh_parse_gives(script in script()) {
        run("", &script);
    }

    #[test]
    fn any_text_is_read(text in "[\\[\\]{}=,.\"'#\\\\ \n\ra-c1*ö]{0,60}") {
        let document = Document::parse(&text);
        dump::everything(&document);
        for offset in 0..=text.len() {
            let _ = format!("{:?}", document.at(offset));
        }
    }
}

/// Types `text` key by key, then takes it away again from the middle.
fn replay(text: &str) {
    let mut document = Document::parse("");
    for c in text.chars() {
        let end = document.text().len();
        document.edit(end..end, c.encode_utf8(&mut [0; 4]));
        assert_same(&document);
    }
    assert_eq!(document.text(), text);
    while !document.text().is_empty() {
        let middle = document
            .text()
            .floor_char_boundary(document.text().len() / 2);
        let rest = document.text().get(middle..).unwrap();
        let width = rest.chars().next().map_or(1, char::len_utf8);
        document.edit(middle..middle + width, "");
        assert_same(&document);
    }
}

#[test]
fn typing_and_deleting_a_file_key_by_key() {
    replay(SAMPLE);
}

#[test]
fn an_edit_within_a_body_keeps_every_other_section() {
    let mut document = Document::parse(SAMPLE);
    let revisions = |document: &Document| -> Vec<u64> {
        document.sections().map(SectionRef::revision).collect()
    };
    let before = revisions(&document);
    let at = SAMPLE.find("\"jp\"").unwrap() + 1;
    let snapshot = document.clone();
    document.edit(at..at, "x");
    let after = revisions(&document);
    let changed: Vec<usize> = (0..before.len())
        .filter(|i| before[*i] != after[*i])
        .collect();
    assert_eq!(changed, [1]);
    assert_eq!(snapshot.text(), SAMPLE);
    assert_eq!(revisions(&snapshot), before);
    // What the headers come to is not built again for a key.
    assert!(Arc::ptr_eq(&snapshot.spine, &document.spine));
    let hash = |document: &Document, key: &str| {
        let table = document
            .root()
            .get(key)
            .unwrap()
            .value()
            .as_table()
            .unwrap();
        table.sections_revision_hash()
    };
    assert_eq!(
        hash(&snapshot, "conversation"),
        hash(&document, "conversation")
    );
    assert_ne!(hash(&snapshot, "assistant"), hash(&document, "assistant"));
}

#[test]
fn closing_quotes_far_below_reach_the_string_that_lacks_them() {
    let mut document = Document::parse("[a]\nx = \"\"\"\n[b]\ny = 1\n[c]\nz = 1\n");
    assert_eq!(document.sections().len(), 4);
    let end = document.text().len();
    document.edit(end..end, "\"\"\"\n");
    assert_same(&document);
    assert_eq!(document.sections().len(), 2);
}

#[test]
fn a_closing_bracket_far_below_reaches_the_array_that_lacks_it() {
    let mut document = Document::parse("x = [\n[\"a\"],\n[\"b\"]\n\n");
    assert_eq!(document.errors().len(), 1);
    let end = document.text().len();
    document.edit(end..end, "]");
    assert_same(&document);
    assert_eq!(document.errors(), []);
}

#[test]
fn a_range_beyond_the_text_is_cut() {
    let mut document = Document::parse("ö = 1");
    document.edit(1..99, "x");
    assert_eq!(document.text(), "x");
    assert_same(&document);
}
