#![expect(clippy::string_slice, reason = "a test fails by panicking")]

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use url::Url;

use super::{DocumentError, Documents, Edit, FileKey};
use crate::line_index::{LineIndex, PositionEncoding};

fn uri() -> Url {
    Url::parse("file:///w/.jp/config.toml").unwrap()
}

fn opened(text: &str) -> Documents {
    let mut documents = Documents::default();
    documents.open(uri(), "toml", 1, text.to_owned()).unwrap();
    documents
}

fn change(range: Option<((u32, u32), (u32, u32))>, text: &str) -> TextDocumentContentChangeEvent {
    let position = |(line, character)| Position { line, character };
    TextDocumentContentChangeEvent {
        range: range.map(|(start, end)| Range {
            start: position(start),
            end: position(end),
        }),
        range_length: None,
        text: text.to_owned(),
    }
}

#[test]
fn a_file_has_one_key_however_its_uri_is_spelled() {
    let key = |uri: &str| FileKey::of(&Url::parse(uri).unwrap()).to_string();
    assert_eq!(key("file:///w/%2Ejp/config.toml"), "/w/.jp/config.toml");
    assert_eq!(
        key("file:///w/a/../.jp/./config.toml"),
        "/w/.jp/config.toml"
    );
    assert_eq!(key("file:///w//.jp/config.toml"), "/w/.jp/config.toml");
    assert_eq!(key("untitled:Untitled-1"), "untitled:Untitled-1");
}

#[test]
fn a_key_gives_a_uri_back() {
    assert_eq!(FileKey::of(&uri()).uri(), Some(uri()));
    assert_eq!(FileKey::of_path("relative".into()).uri(), None);
}

#[test]
fn several_changes_apply_one_after_another() {
    let mut documents = opened("a = 1\n");
    let changes = vec![
        change(Some(((0, 4), (0, 5))), "22"),
        change(Some(((0, 6), (0, 6))), " # x"),
        change(Some(((1, 0), (1, 0))), "b = 2\n"),
    ];
    documents
        .change(&uri(), 2, changes, PositionEncoding::Utf8)
        .unwrap();
    let document = documents.by_uri(&uri()).unwrap();
    assert_eq!(
        (document.text(), document.version()),
        ("a = 22 # x\nb = 2\n", 2)
    );
}

#[test]
fn a_change_without_a_range_replaces_the_text() {
    let mut documents = opened("a = 1\n");
    let before = documents.by_uri(&uri()).unwrap().revision();
    documents
        .change(
            &uri(),
            2,
            vec![change(None, "b\rc"), change(Some(((1, 0), (1, 1))), "d")],
            PositionEncoding::Utf16,
        )
        .unwrap();
    let document = documents.by_uri(&uri()).unwrap();
    assert_eq!(document.text(), "b\rd");
    assert_eq!(document.lines().len(), 2);
    assert_eq!(document.edits_since(before), None);
}

#[test]
fn edits_since_a_revision_lead_to_the_text() {
    let mut documents = opened("abc");
    let before = documents.by_uri(&uri()).unwrap().revision();
    documents
        .open(
            Url::parse("file:///w/other.toml").unwrap(),
            "toml",
            1,
            String::new(),
        )
        .unwrap();
    documents
        .change(
            &uri(),
            2,
            vec![change(Some(((0, 0), (0, 1))), "x")],
            PositionEncoding::Utf8,
        )
        .unwrap();
    documents
        .change(
            &uri(),
            3,
            vec![change(Some(((0, 1), (0, 2))), "")],
            PositionEncoding::Utf8,
        )
        .unwrap();
    let document = documents.by_uri(&uri()).unwrap();
    assert_eq!(
        document.edits_since(before),
        Some(vec![
            Edit {
                range: 0..1,
                text: "x".into()
            },
            Edit {
                range: 1..2,
                text: "".into()
            }
        ])
    );
    assert_eq!(document.edits_since(document.revision()), Some(vec![]));
    assert_eq!(document.edits_since(before + 1), None);
    assert_eq!(document.edits_since(u64::MAX), None);
}

#[test]
fn old_edits_are_forgotten() {
    let mut documents = opened("");
    let before = documents.by_uri(&uri()).unwrap().revision();
    for version in 2..600 {
        documents
            .change(
                &uri(),
                version,
                vec![change(Some(((0, 0), (0, 0))), "x")],
                PositionEncoding::Utf8,
            )
            .unwrap();
    }
    let document = documents.by_uri(&uri()).unwrap();
    assert_eq!(document.edits_since(before), None);
    assert_eq!(
        document
            .edits_since(document.revision() - 512)
            .map(|edits| edits.len()),
        Some(512)
    );
}

#[test]
fn buffers_out_of_step_are_reported() {
    let mut documents = opened("a");
    let other = Url::parse("file:///w/other.toml").unwrap();
    assert_eq!(
        documents.change(&other, 2, vec![], PositionEncoding::Utf8),
        Err(DocumentError::NotOpen(FileKey::of(&other)))
    );
    assert_eq!(
        documents.close(&other).unwrap_err().to_string(),
        "`/w/other.toml` is not open: send `textDocument/didOpen` first"
    );
    assert_eq!(
        documents.open(uri(), "toml", 7, "b".into()),
        Err(DocumentError::OpenTwice(FileKey::of(&uri())))
    );
    assert_eq!(
        documents
            .change(&uri(), 7, vec![change(None, "c")], PositionEncoding::Utf8)
            .unwrap_err()
            .to_string(),
        "version 7 of `/w/.jp/config.toml` does not follow version 7: versions must grow"
    );
    assert_eq!(documents.by_uri(&uri()).unwrap().text(), "c");
    documents.close(&uri()).unwrap();
    assert_eq!(documents.iter().len(), 0);
}

#[test]
fn a_snapshot_keeps_the_former_text() {
    let mut documents = opened("a");
    let snapshot = documents.clone();
    documents
        .change(&uri(), 2, vec![change(None, "b")], PositionEncoding::Utf8)
        .unwrap();
    assert_eq!(snapshot.by_uri(&uri()).unwrap().text(), "a");
    assert_eq!(documents.by_uri(&uri()).unwrap().text(), "b");
}

/// The text as UTF-16 units per line, edited as the protocol describes it.
fn naive(
    text: &str,
    start: (u32, u32),
    end: (u32, u32),
    inserted: &str,
    encoding: PositionEncoding,
) -> String {
    let lines = LineIndex::new(text);
    let offset = |(line, character): (u32, u32)| {
        let range = lines.line(text, line as usize);
        let mut left = character as usize;
        let mut offset = range.start;
        for symbol in text[range].chars() {
            let width = match encoding {
                PositionEncoding::Utf8 => symbol.len_utf8(),
                PositionEncoding::Utf16 => symbol.len_utf16(),
                PositionEncoding::Utf32 => 1,
            };
            if left < width {
                break;
            }
            left -= width;
            offset += symbol.len_utf8();
        }
        offset
    };
    let (start, end) = (offset(start), offset(end));
    format!(
        "{}{inserted}{}",
        &text[..start.min(end)],
        &text[start.max(end)..]
    )
}

proptest! {
    #[test]
    fn changes_agree_with_a_naive_model(
        text in "[ab\n\rä𝄞]{0,20}",
        changes in proptest::collection::vec(((0_u32..5, 0_u32..6), (0_u32..5, 0_u32..6), "[cd\n\r€𝄞]{0,4}"), 1..8),
        encoding in prop_oneof![Just(PositionEncoding::Utf8), Just(PositionEncoding::Utf16), Just(PositionEncoding::Utf32)],
    ) {
        let mut documents = opened(&text);
        let revision = documents.by_uri(&uri()).unwrap().revision();
        let events = changes.iter().map(|(start, end, inserted)| change(Some((*start, *end)), inserted)).collect();
        documents.change(&uri(), 2, events, encoding).unwrap();
        let expected = changes.iter().fold(text.clone(), |text, (start, end, inserted)| naive(&text, *start, *end, inserted, encoding));
        let document = documents.by_uri(&uri()).unwrap();
        prop_assert_eq!(document.text(), &expected);
        prop_assert_eq!(document.lines(), &LineIndex::new(&expected));
        let mut replayed = text;
        for edit in document.edits_since(revision).unwrap() {
            replayed.replace_range(edit.range, &edit.text);
        }
        prop_assert_eq!(replayed, expected);
    }
}
