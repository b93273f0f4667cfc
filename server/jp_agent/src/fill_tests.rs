use pretty_assertions::assert_eq;

use super::*;

fn fill(read: Option<u64>, written: Option<u64>, window: Option<u64>) -> Option<String> {
    let usage = Usage {
        input_tokens: read,
        output_tokens: written,
        cached_tokens: Some(7),
    };
    context_fill(&usage, window)
}

#[test]
fn what_is_known_is_said() {
    let said = |read, written, window| fill(read, written, window).unwrap_or_default();
    assert_eq!(
        said(Some(12_000), Some(400), Some(200_000)),
        "12,400 of 200,000 tokens"
    );
    assert_eq!(said(Some(999), None, None), "999 tokens");
    assert_eq!(said(Some(999), Some(1), None), "1,000 tokens");
    assert_eq!(
        said(Some(1_234_567), None, Some(1_048_576)),
        "1,234,567 of 1,048,576 tokens"
    );
    assert_eq!(
        said(Some(u64::MAX), Some(1), None),
        "18,446,744,073,709,551,615 tokens"
    );
}

#[test]
fn what_nobody_counts_is_not_said() {
    assert_eq!(fill(None, Some(4), Some(10)), None);
    assert_eq!(fill(Some(0), None, Some(10)), None);
}
