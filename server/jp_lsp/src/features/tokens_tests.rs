use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn answer(text: &str, encoding: PositionEncoding) -> Answer {
    let document = Document::parse(text);
    let lines = LineIndex::new(text);
    Answer::write(&document, &mut Writer::new(text, &lines, encoding))
}

fn numbers(data: &[SemanticToken]) -> Vec<u32> {
    let numbers = data.iter().map(|token| {
        [
            token.delta_line,
            token.delta_start,
            token.length,
            token.token_type,
            token.token_modifiers_bitset,
        ]
    });
    numbers.flatten().collect()
}

/// What a client makes of an answer and a delta.
fn patched(before: &[SemanticToken], delta: &SemanticTokensDelta) -> Vec<u32> {
    let mut numbers = numbers(before);
    for edit in &delta.edits {
        let start = edit.start as usize;
        let end = start + edit.delete_count as usize;
        let data = self::numbers(edit.data.as_deref().unwrap_or_default());
        numbers.splice(start..end, data);
    }
    numbers
}

#[test]
fn lengths_are_in_units_of_the_encoding() {
    let text = "a = \"é😀\" # x\n";
    let lengths = |encoding| -> Vec<u32> {
        let data = answer(text, encoding).data;
        data.iter().map(|token| token.length).collect()
    };
    assert_eq!(lengths(PositionEncoding::Utf8), [1, 8, 3]);
    assert_eq!(lengths(PositionEncoding::Utf16), [1, 5, 3]);
    assert_eq!(lengths(PositionEncoding::Utf32), [1, 4, 3]);
}

#[test]
fn a_text_over_lines_is_a_token_on_each() {
    let data = answer("a = \"\"\"x\r\ny\n\"\"\"\n", PositionEncoding::Utf8).data;
    let lines: Vec<_> = data
        .iter()
        .map(|token| (token.delta_line, token.length))
        .collect();
    assert_eq!(lines, [(0, 1), (0, 4), (1, 1), (1, 3)]);
}

#[test]
fn an_edit_of_one_section_sends_little() {
    let section = |index: usize, value: usize| {
        format!("[conversation.tools.t{index}]\nrun = \"ask\"\noptions.x = {value}\n")
    };
    let text = |value| -> String {
        (0..400)
            .map(|index| section(index, if index == 200 { value } else { 1 }))
            .collect()
    };
    let before = answer(&text(1), PositionEncoding::Utf16);
    let now = answer(&text(123), PositionEncoding::Utf16);
    let expected = numbers(&now.data);
    let parts = before.parts.clone();
    let delta = now.delta_from(&parts);
    let sent = delta
        .edits
        .iter()
        .flat_map(|edit| &edit.data)
        .flatten()
        .count();
    assert!(
        sent < 400,
        "{sent} tokens of {} were sent",
        expected.len() / 5
    );
    assert_eq!(patched(&before.data, &delta), expected);
}

#[test]
fn an_id_of_something_else_is_no_id() {
    assert_eq!(Part::read_all("x"), None);
    assert_eq!(Part::read_all("1:zz"), None);
    assert_eq!(Part::read_all("99999999999999999999:1"), None);
    assert_eq!(Part::read_all(""), Some(Vec::new()));
}

proptest! {
    #[test]
    fn a_delta_gives_what_a_full_answer_gives(
        before in "(\\[[ab]\\]\n|[xy] = (1|\"é\"|\"\"\"\n\"\"\")\n|# c\n){0,12}",
        now in "(\\[[ab]\\]\n|[xy] = (1|\"é\"|\"\"\"\n\"\"\")\n|# c\n){0,12}",
    ) {
        let before = answer(&before, PositionEncoding::Utf16);
        let now = answer(&now, PositionEncoding::Utf16);
        let id = Part::write_all(&before.parts);
        let parts = Part::read_all(&id).expect("our own id");
        prop_assert_eq!(&parts, &before.parts);
        let expected = numbers(&now.data);
        let delta = now.delta_from(&parts);
        prop_assert_eq!(patched(&before.data, &delta), expected);
    }
}
