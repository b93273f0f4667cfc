#![expect(clippy::string_slice, reason = "a test fails by panicking")]

use lsp_types::Position;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{LineIndex, PositionEncoding};

const ENCODINGS: [PositionEncoding; 3] = [
    PositionEncoding::Utf8,
    PositionEncoding::Utf16,
    PositionEncoding::Utf32,
];

fn at(line: u32, character: u32) -> Position {
    Position { line, character }
}

/// Lines with their ends, found one character after another.
fn naive_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = vec![(0, String::new())];
    let mut characters = text.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let ends = match character {
            '\n' => true,
            '\r' => characters.peek().is_none_or(|(_, next)| *next != '\n'),
            _ => false,
        };
        if character != '\n' && character != '\r' {
            lines.last_mut().unwrap().1.push(character);
        }
        if ends {
            lines.push((offset + 1, String::new()));
        }
    }
    lines
}

fn naive_width(character: char, encoding: PositionEncoding) -> usize {
    match encoding {
        PositionEncoding::Utf8 => character.len_utf8(),
        PositionEncoding::Utf16 => character.len_utf16(),
        PositionEncoding::Utf32 => 1,
    }
}

fn naive_offset(text: &str, position: Position, encoding: PositionEncoding) -> usize {
    let lines = naive_lines(text);
    let Some((start, line)) = lines.get(position.line as usize) else {
        return text.len();
    };
    let mut units = 0;
    for (offset, character) in line.char_indices() {
        units += naive_width(character, encoding);
        if units > position.character as usize {
            return start + offset;
        }
    }
    start + line.len()
}

#[test]
fn prefers_utf_8_then_utf_16_whatever_the_order() {
    assert_eq!(PositionEncoding::negotiate([]), PositionEncoding::Utf16);
    assert_eq!(
        PositionEncoding::negotiate(["utf-16"]),
        PositionEncoding::Utf16
    );
    assert_eq!(
        PositionEncoding::negotiate(["utf-32", "utf-16", "utf-8"]),
        PositionEncoding::Utf8
    );
    assert_eq!(
        PositionEncoding::negotiate(["utf-32", "utf-16"]),
        PositionEncoding::Utf16
    );
    assert_eq!(
        PositionEncoding::negotiate(["utf-32"]),
        PositionEncoding::Utf32
    );
    assert_eq!(
        PositionEncoding::negotiate(["utf-7"]),
        PositionEncoding::Utf16
    );
}

#[test]
fn counts_characters_in_the_negotiated_unit() {
    let text = "a = \"ä€𝄞\" # x\r\ny";
    let index = LineIndex::new(text);
    let hash = text.find('#').unwrap();
    let characters = ENCODINGS.map(|encoding| index.position(text, hash, encoding));
    assert_eq!(characters, [at(0, 16), at(0, 11), at(0, 10)]);
    for (encoding, position) in ENCODINGS.into_iter().zip(characters) {
        assert_eq!(index.offset(text, position, encoding), hash);
    }
}

#[test]
fn every_kind_of_line_end_begins_a_line() {
    let text = "a\nb\r\nc\rd\n\re";
    let index = LineIndex::new(text);
    let lines: Vec<&str> = (0..index.len())
        .map(|line| &text[index.line(text, line)])
        .collect();
    assert_eq!(lines, ["a", "b", "c", "d", "", "e"]);
}

#[test]
fn positions_outside_the_text_are_clamped() {
    let text = "ä\r\nb";
    let index = LineIndex::new(text);
    let utf8 = PositionEncoding::Utf8;
    assert_eq!(index.offset(text, at(0, 1), utf8), 0);
    assert_eq!(index.offset(text, at(0, 99), utf8), 2);
    assert_eq!(index.offset(text, at(9, 0), utf8), 5);
    assert_eq!(index.position(text, 1, utf8), at(0, 0));
    assert_eq!(index.position(text, 3, utf8), at(0, 2));
    assert_eq!(index.position(text, usize::MAX, utf8), at(1, 1));
    assert_eq!(index.offset("", at(u32::MAX, u32::MAX), utf8), 0);
}

#[test]
fn a_range_that_ends_before_it_starts_is_turned_round() {
    let text = "abc";
    let range = lsp_types::Range {
        start: at(0, 2),
        end: at(0, 1),
    };
    assert_eq!(
        LineIndex::new(text).bytes(text, range, PositionEncoding::Utf8),
        1..2
    );
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            "[a-c]",
            Just("\n".to_owned()),
            Just("\r".to_owned()),
            Just("ä".to_owned()),
            Just("€".to_owned()),
            Just("𝄞".to_owned())
        ],
        0..24,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn an_edited_index_equals_a_fresh_one(mut held in text(), edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), text()), 0..12)) {
        let mut index = LineIndex::new(&held);
        for (start, end, inserted) in edits {
            let (start, end) = (start.index(held.len() + 1), end.index(held.len() + 1));
            let range = held.floor_char_boundary(start.min(end))..held.floor_char_boundary(start.max(end));
            held.replace_range(range.clone(), &inserted);
            index.edit(&held, &range, inserted.len());
            prop_assert_eq!(&index, &LineIndex::new(&held));
        }
    }

    #[test]
    fn offsets_equal_those_of_a_naive_reader(text in text(), line in 0_u32..12, character in 0_u32..12) {
        let index = LineIndex::new(&text);
        for encoding in ENCODINGS {
            let position = at(line, character);
            prop_assert_eq!(index.offset(&text, position, encoding), naive_offset(&text, position, encoding));
        }
    }

    #[test]
    fn a_converter_agrees_with_single_conversions_in_any_order(text in text(), offsets in proptest::collection::vec(0_usize..64, 0..16)) {
        let index = LineIndex::new(&text);
        for encoding in ENCODINGS {
            let mut converter = index.converter(&text, encoding);
            for offset in &offsets {
                let position = index.position(&text, *offset, encoding);
                prop_assert_eq!(converter.position(*offset), position);
                let lines = naive_lines(&text);
                let line = lines.iter().rposition(|(start, _)| *start <= text.floor_char_boundary(*offset)).unwrap();
                prop_assert_eq!(position.line as usize, line);
                prop_assert!(index.offset(&text, position, encoding) <= text.floor_char_boundary(*offset));
            }
        }
    }
}
