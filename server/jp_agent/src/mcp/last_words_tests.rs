use pretty_assertions::assert_eq;

use super::*;

async fn quoted(written: &'static [u8]) -> String {
    LastWords::of(written).quoted().await
}

#[tokio::test]
async fn the_last_lines_are_told() {
    assert_eq!(quoted(b"").await, "");
    assert_eq!(quoted(b"\n \n").await, "");
    assert_eq!(quoted(b"no license\n").await, "; it wrote `no license`");
    assert_eq!(
        quoted(b"1\n2\n3\n4\n5\n6\n").await,
        "; it wrote `2 / 3 / 4 / 5 / 6`"
    );
}

#[tokio::test]
async fn what_controls_a_terminal_is_taken_out() {
    assert_eq!(
        quoted(b"\x1b[31mred\x1b[0m \x07\xff").await,
        "; it wrote `red \u{fffd}`"
    );
}

#[tokio::test]
async fn a_flood_leaves_its_end() {
    static FLOOD: [u8; 1_000_000] = [b'x'; 1_000_000];
    assert_eq!(quoted(&FLOOD).await.len(), "; it wrote ``".len() + KEPT);
}
