//! Patterns that are long, deep or hostile.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn nested_quantifiers_take_linear_time() {
    let pattern = Pattern::compile("^(a+)+$").unwrap();
    let mut text = "a".repeat(50_000);
    assert!(pattern.is_match(&text));
    text.push('!');
    assert_eq!(pattern.try_is_match(&text), Some(false));
}

#[test]
fn long_patterns_are_too_large() {
    let longest = "abcdefgh".repeat(MAX_SOURCE_LENGTH / 8);
    assert!(Pattern::compile(&longest).unwrap().is_match(&longest));
    let error = Pattern::compile(&format!("{longest}a")).unwrap_err();
    assert_eq!(
        error,
        PatternError {
            kind: PatternErrorKind::TooLarge,
            construct: "pattern".to_owned(),
            message: "the pattern is longer than 4096 bytes; split it into several rules"
                .to_owned(),
            offset: 0..4097,
        }
    );
}

#[test]
fn deep_groups_are_too_large_before_the_engine_sees_them() {
    let nested = |depth: usize| format!("{}x{}", "(a|b".repeat(depth), "c)*".repeat(depth));
    let deepest = Pattern::compile(&nested(50)).unwrap();
    assert!(deepest.is_match(""));
    // With the default limits of the `regex` crate too.
    Regex::new(deepest.rust_source()).unwrap();

    let error = Pattern::compile(&nested(51)).unwrap_err();
    assert_eq!(error.kind, PatternErrorKind::TooLarge);
    assert_eq!(error.offset, 200..201);
    assert_eq!(
        error.to_string(),
        "groups nest more than 50 deep; write the pattern with fewer groups or split it into several rules"
    );
    let error = Pattern::compile(&"(".repeat(MAX_SOURCE_LENGTH)).unwrap_err();
    assert_eq!(error.kind, PatternErrorKind::TooLarge);
}

#[test]
fn groups_beside_each_other_are_not_deep() {
    let pattern = Pattern::compile(&"(a)".repeat(60)).unwrap();
    assert!(pattern.is_match(&"a".repeat(60)));
    assert!(!pattern.is_match(&"a".repeat(59)));
}

#[test]
fn hostile_patterns_are_refused_or_compiled_without_blowing_up() {
    for source in [
        "^.{0,40460}$".to_owned(),
        r"\p{L}{1000}".to_owned(),
        r"\p{L}".repeat(MAX_SOURCE_LENGTH / 5),
        "((((((a{9}){9}){9}){9}){9}){9}){9}".to_owned(),
    ] {
        let error = Pattern::compile(&source).unwrap_err();
        assert_eq!(error.kind, PatternErrorKind::TooLarge);
        assert_eq!(
            error.message,
            "the pattern is too large once its repetitions are written out; lower the counts or split it into several rules"
        );
    }
    for source in [
        "(?:){65535}",
        "[]{65535}",
        "(?:a{0}){65535}",
        "(?:^|){9999}",
    ] {
        match Pattern::compile(source) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind, PatternErrorKind::TooLarge, "{source}"),
        }
    }
}

#[test]
fn a_panic_of_the_engine_is_no_answer() {
    assert_eq!(guarded(|| 1), Some(1));
    assert_eq!(guarded(|| -> bool { panic!("engine") }), None);
}
