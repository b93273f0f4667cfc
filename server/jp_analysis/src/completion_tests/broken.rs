//! Texts that are broken, and items that must not break them.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn the_first_line_may_name_the_schema() {
    has("$0\n[assistant]", &["#:schema"], &[]);
    has("#:sch$0\n[assistant]", &["#:schema"], &[]);
    has("# note$0\n[assistant]", &[], &["#:schema"]);
}

/// The mistakes of a text; of its keys that stand twice only where that counts.
fn errors(text: &str, with_duplicates: bool) -> usize {
    let errors = Document::parse(text).errors().into_iter();
    errors
        .filter(|error| with_duplicates || error.kind != SyntaxErrorKind::DuplicateKey)
        .count()
}

/// Accepts every item at a place of a text, and holds each to the rules for all edits.
fn hold_at(analysis: &Analysis, id: FileId, text: &str, offset: usize) {
    let line = text.get(..offset).unwrap().rsplit('\n').next().unwrap();
    let rest = text.get(offset..).unwrap().split('\n').next().unwrap();
    // Another name for a table that has entries already may well collide with another table's.
    let is_fresh = line.trim().is_empty() && rest.trim().is_empty();
    let before = errors(text, is_fresh);
    for item in at(analysis, id, offset).items {
        let span = item.edit.span;
        assert!(
            span.start as usize <= offset && offset <= span.end as usize,
            "{item:?} does not touch {offset}"
        );
        let replaced = text.get(span.range()).expect("the span lies on characters");
        assert!(!replaced.contains('\n'), "{item:?}");
        let after = accepted(text, &item);
        assert!(
            errors(&after, is_fresh) <= before,
            "accepting {item:?} at {offset} broke:\n{after}\n{:?}",
            Document::parse(&after).errors()
        );
    }
}

fn hold_everywhere(text: &str, step: usize) {
    let mut files = MemoryFiles::default();
    files.insert(CONFIG, text);
    let analysis = analyse(&files);
    let id = file(&analysis, CONFIG);
    for offset in (0..=text.len()).step_by(step) {
        if text.is_char_boundary(offset) {
            hold_at(&analysis, id, text, offset);
        }
    }
}

const SAMPLES: &[&str] = &[
    TOOL,
    "inherit = true\nextends = [\"a.toml\", { path = \"b.toml\", strategy = \"after\" }]\n\n[assistant]\nname = \"ü\"\nmodel = { id = \"haiku\" }\n\n[conversation]\n\n[conversation.tools.'*']\nrun = \"ask\"\n",
    "[conversation.tools.a]\nenable = { state = true }\npolicy.run = [\n  { arg = \"/x\", const = 1, mode = \"ask\" }, # é\n  { mode = \"ask\" }\n]\naccess = { fs = [{ path = \".\", read = true }], config = [] }\n\n[[conversation.tools.a.access.net]]\nhost = \"x\"\n",
    "[conversation.tools.a\nsource = \"local\ncommand =\nenable = tr\npolicy.\n[[conversation.tools.a.acc\nx = { a = 1, \n[conversation.\n[\n",
];

#[test]
fn accepted_items_never_break_the_text() {
    for sample in SAMPLES {
        hold_everywhere(sample, 1);
    }
}

#[test]
fn accepted_items_never_break_a_truncated_text() {
    for sample in SAMPLES {
        for end in (0..sample.len()).filter(|end| sample.is_char_boundary(*end)) {
            let text = sample.get(..end).unwrap();
            let mut files = MemoryFiles::default();
            files.insert(CONFIG, text);
            let analysis = analyse(&files);
            hold_at(&analysis, file(&analysis, CONFIG), text, end);
        }
    }
}

#[test]
fn a_string_that_is_not_closed_is_no_key() {
    assert_eq!(
        labels("[conversation.tools.a]\n\"\"\"$0\nsource = \"local\"\n"),
        Vec::<String>::new()
    );
}

#[test]
fn a_byte_order_mark_and_a_comment_are_no_statements() {
    has("\u{feff}$0", &["#:schema", "inherit", "[assistant]"], &[]);
    has("\u{feff}ass$0", &["[assistant]"], &["assistant"]);
    check_accepted(
        "[conversation.tools.a]\n$0 # ä\nsource = \"local\"",
        "run",
        &expect![[r#"
            [conversation.tools.a]
            run = "ask" # ä
            source = "local""#]],
    );
    has("[assistant]\nname = \"x\" $0 # ä", &[], &["model"]);
    has("[assistant] $0 # ä", &[], &["name"]);
}
