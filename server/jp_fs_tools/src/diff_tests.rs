use pretty_assertions::assert_eq;

use super::*;

#[test]
fn counts_lines_and_shows_them_in_context() {
    let before = "1\n2\n3\n4\n5\n6\n7\n8\n";
    let after = "1\n2\n3\n4\nfive\nand a half\n6\n7\n8\n";
    assert_eq!(
        difference("a.txt", before, after),
        Difference {
            unified: "--- a.txt\n+++ a.txt\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+and a half\n 6\n 7\n 8\n".to_owned(),
            removed: 1,
            inserted: 2,
        }
    );
}

#[test]
fn says_that_the_last_line_feed_is_gone() {
    assert_eq!(
        difference("a", "x\n", "x").unified,
        "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n"
    );
}

#[test]
fn a_name_stays_on_its_line() {
    let unified = difference("a\n+evil", "x\n", "y\n").unified;
    assert!(
        unified.starts_with("--- a\\n+evil\n+++ a\\n+evil\n@@"),
        "{unified}"
    );
}
