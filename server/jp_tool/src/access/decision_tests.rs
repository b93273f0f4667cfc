use std::collections::BTreeSet;

use super::Reason;

#[test]
fn each_reason_has_words_of_its_own() {
    let reasons = [
        Reason::Unrestricted,
        Reason::Granted,
        Reason::NotGranted,
        Reason::NoRule,
        Reason::NotCanonical,
        Reason::Ambiguous,
        Reason::Protected,
        Reason::Sensitive,
    ];
    let words: BTreeSet<&str> = reasons.into_iter().map(Reason::as_str).collect();
    assert_eq!(words.len(), reasons.len());
}
