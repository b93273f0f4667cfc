use pretty_assertions::assert_eq;

use super::*;

fn said(width: Option<usize>, pieces: &[&str]) -> String {
    let mut words = Words {
        width,
        ..Words::default()
    };
    let mut output = Vec::new();
    for piece in pieces {
        words.say(piece, &mut output).unwrap();
    }
    words.end_line(&mut output).unwrap();
    words.end_line(&mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn lines_break_between_words_wherever_the_pieces_end() {
    let text = "I look at the file, and it is empty.";
    let broken = "I look at the\nfile, and it is\nempty.\n";
    assert_eq!(said(Some(15), &[text]), broken);
    let pieces: Vec<String> = text.chars().map(String::from).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    assert_eq!(said(Some(15), &pieces), broken);
    assert_eq!(said(None, &pieces), format!("{text}\n"));
}

#[test]
fn what_stands_in_lines_keeps_its_lines_and_its_indent() {
    assert_eq!(
        said(Some(10), &["a\n\n    b  c\n- d\n"]),
        "a\n\n    b  c\n- d\n"
    );
    assert_eq!(
        said(Some(4), &["incomprehensibly long"]),
        "incomprehensibly\nlong\n"
    );
    assert_eq!(said(Some(4), &[""]), "");
}
