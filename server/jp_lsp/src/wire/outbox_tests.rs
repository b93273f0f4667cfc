use pretty_assertions::assert_eq;

use super::{Parcel, Waiting};

fn whole() -> Parcel {
    Parcel::Whole(Box::new(|_| Box::pin(std::future::ready(()))))
}

fn latest(of: &str) -> Parcel {
    Parcel::Latest {
        of: of.to_owned(),
        delivery: Box::new(|_| Box::pin(std::future::ready(()))),
    }
}

fn piece(of: &str, text: &str) -> Parcel {
    Parcel::Piece {
        of: of.to_owned(),
        text: text.to_owned(),
        send: |_, _| Box::new(|_| Box::pin(std::future::ready(()))),
    }
}

/// What waits once these were added.
fn added(parcels: Vec<Parcel>, is_read: bool) -> Vec<String> {
    let mut waiting = Waiting::default();
    for parcel in parcels {
        waiting.add(parcel, is_read);
    }
    let shown = waiting.parcels.iter().map(|parcel| match parcel {
        Parcel::Whole(_) => "whole".to_owned(),
        Parcel::Latest { of, .. } => format!("latest of {of}"),
        Parcel::Piece { of, text, .. } => format!("{text:?} of {of}"),
    });
    shown.collect()
}

#[test]
fn a_client_that_reads_gets_everything() {
    let parcels = || vec![piece("a", "x"), piece("a", "y"), latest("f"), latest("f")];
    assert_eq!(added(parcels(), true).len(), 4);
    assert_eq!(added(parcels(), false), [r#""xy" of a"#, "latest of f"]);
}

#[test]
fn a_hundred_thousand_pieces_wait_as_one() {
    let pieces = (0..100_000).map(|_| piece("a", "x")).collect();
    assert_eq!(
        added(pieces, false),
        [format!("{:?} of a", "x".repeat(100_000))]
    );
}

#[test]
fn pieces_of_several_texts_are_joined_each_with_its_own() {
    let parcels = vec![
        piece("a", "1"),
        piece("b", "2"),
        piece("a", "3"),
        piece("b", "4"),
    ];
    assert_eq!(added(parcels, false), [r#""13" of a"#, r#""24" of b"#]);
}

#[test]
fn no_piece_comes_before_what_was_sent_before_it() {
    let parcels = vec![
        piece("a", "1"),
        whole(),
        piece("a", "2"),
        latest("f"),
        piece("a", "3"),
    ];
    assert_eq!(
        added(parcels, false),
        [r#""1" of a"#, "whole", r#""23" of a"#, "latest of f"]
    );
}

#[test]
fn what_is_whole_is_never_left_out() {
    let parcels = (0..5_000).map(|_| whole()).collect();
    assert_eq!(added(parcels, false).len(), 5_000);
    let parcels = vec![latest("f"), whole(), latest("g"), latest("f")];
    assert_eq!(
        added(parcels, false),
        ["latest of f", "whole", "latest of g"]
    );
}
