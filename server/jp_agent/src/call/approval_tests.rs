use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

use super::*;

fn inside(path: &str, target: &str) -> Link {
    Link {
        path: path.to_owned(),
        target: Some(target.to_owned()),
    }
}

fn outside(path: &str) -> Link {
    Link {
        path: path.to_owned(),
        target: None,
    }
}

fn links(count: usize) -> Vec<Link> {
    (1..=count)
        .map(|number| inside(&format!("l{number}"), ".env"))
        .collect()
}

fn check(
    links: &[Link],
    again: Option<&str>,
    held: Option<&str>,
    is_single: bool,
    expected: &Expect,
) {
    let note = note(links, again, held).expect("there is something to say");
    expected.assert_eq(&note.text);
    assert_eq!(note.is_single, is_single);
}

#[test]
fn a_note_says_why_what_holds_and_where_paths_lead() {
    assert_eq!(note(&[], None, None), None);
    check(
        &[inside("notes", ".env"), outside("../x")],
        Some("Again."),
        Some("Held."),
        true,
        &expect![[r#"
            Again.
            Held.
            notes leads to .env
            ../x leads out of the workspace
        "#]],
    );
    check(&[], None, Some("Held."), false, &expect![["Held.\n"]]);
}

#[test]
fn a_note_names_eight_links_and_counts_the_others() {
    check(
        &links(8),
        None,
        None,
        false,
        &expect![[r#"
            l1 leads to .env
            l2 leads to .env
            l3 leads to .env
            l4 leads to .env
            l5 leads to .env
            l6 leads to .env
            l7 leads to .env
            l8 leads to .env
        "#]],
    );
    // One that nobody gets to see leads out of the workspace all the same.
    let mut many = links(9);
    many.push(outside("../x"));
    check(
        &many,
        None,
        None,
        true,
        &expect![[r#"
            l1 leads to .env
            l2 leads to .env
            l3 leads to .env
            l4 leads to .env
            l5 leads to .env
            l6 leads to .env
            l7 leads to .env
            l8 leads to .env
            2 more paths lead elsewhere than they say
        "#]],
    );
}
