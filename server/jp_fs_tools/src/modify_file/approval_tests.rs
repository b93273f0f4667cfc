use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn trigger(options: Value) -> Result<Trigger, String> {
    let Value::Object(options) = options else {
        panic!("options are an object");
    };
    Trigger::from_options(&options).map_err(|error| error.to_string())
}

fn extent(lines_before: usize, removed: usize, inserted: usize) -> Extent {
    Extent {
        lines_before,
        removed,
        inserted,
    }
}

#[test]
fn asks_always_unless_told_otherwise() {
    for options in [
        json!({}),
        json!({"apply_changes_trigger": "always", "other": 1}),
    ] {
        let trigger = trigger(options).unwrap();
        assert_eq!(trigger, Trigger::Always);
        assert!(trigger.applies([extent(1000, 1, 1)].into_iter()));
    }
}

#[test]
fn the_heuristics_let_small_changes_pass() {
    let trigger = trigger(json!({"apply_changes_trigger": "heuristics"})).unwrap();
    for (extents, asks) in [
        (vec![extent(100, 10, 3)], false),
        (vec![extent(100, 5, 5), extent(100, 5, 5)], false),
        (vec![extent(100, 11, 0)], true),
        (vec![extent(100, 0, 11)], true),
        (vec![extent(100, 6, 6), extent(100, 5, 5)], true),
        (vec![extent(100, 1, 1); 3], true),
        (vec![extent(10, 2, 2)], false),
        (vec![extent(10, 3, 3)], true),
        (vec![extent(0, 0, 1)], true),
    ] {
        assert_eq!(
            trigger.applies(extents.iter().copied()),
            asks,
            "{extents:?}"
        );
    }
}

#[test]
fn the_limits_are_options() {
    assert_eq!(
        trigger(json!({
            "apply_changes_trigger": "heuristics",
            "auto_approve_max_changed_files": 1,
            "auto_approve_max_changed_lines": 0,
            "auto_approve_max_changed_ratio_percent": 100,
        })),
        Ok(Trigger::Heuristics {
            max_files: 1,
            max_lines: 0,
            max_percent: 100
        })
    );
    assert_eq!(
        trigger(json!({"apply_changes_trigger": "sometimes"})).unwrap_err(),
        "Invalid option `apply_changes_trigger`: write `\"always\"` or `\"heuristics\"`."
    );
    assert_eq!(
        trigger(json!({"auto_approve_max_changed_lines": -1})).unwrap_err(),
        "Invalid option `auto_approve_max_changed_lines`: write a whole number, 0 or larger."
    );
}

#[test]
fn broad_is_more_than_half_of_a_file_of_some_size() {
    assert!(!extent(9, 9, 9).is_broad());
    assert!(!extent(10, 5, 50).is_broad());
    assert!(extent(10, 6, 0).is_broad());
}

#[test]
fn knows_patterns_that_match_anything() {
    for pattern in [
        ".*",
        ".+",
        "^.*$",
        "(.*)",
        "(?s).*",
        "(?s:.+)",
        r"[\s\S]*",
        r"\A[\s\S]+\z",
        "^(.*)$",
        ".*?",
        r"^.*\n?",
        r"(?:[\S\s]*?)",
        "(?s)^(.*)$",
        ".*+",
    ] {
        assert!(is_catch_all(pattern), "{pattern}");
    }
    for pattern in [
        "a.*",
        ".",
        "^",
        r"\w+",
        "[a-z]*",
        "(a|.*)",
        "",
        "*",
        "+?",
        "(.*)(.*)x",
    ] {
        assert!(!is_catch_all(pattern), "{pattern}");
    }
}
