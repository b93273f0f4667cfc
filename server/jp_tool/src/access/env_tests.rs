use pretty_assertions::assert_eq;

use super::*;

fn rules(rules: &[(&str, bool)]) -> Vec<EnvRule> {
    rules
        .iter()
        .map(|(name, read)| EnvRule {
            name: (*name).to_owned(),
            read: *read,
        })
        .collect()
}

fn decided(declared: &[(&str, bool)], name: &str) -> (bool, Option<usize>) {
    let decision = EnvPolicy::compile(&rules(declared)).unwrap().decide(name);
    (decision.allowed, decision.rule)
}

/// The example of RFD 076, "Environment variable rules".
const EXAMPLE: [(&str, bool); 3] = [
    ("GITHUB_TOKEN", true),
    ("AWS_*", true),
    ("AWS_SECRET_ACCESS_KEY", false),
];

#[test]
fn exact_and_prefix_rules() {
    for (name, expected) in [
        ("GITHUB_TOKEN", (true, Some(0))),
        ("GITHUB_TOKEN_LOG", (false, None)),
        ("AWS_REGION", (true, Some(1))),
        ("AWS_", (true, Some(1))),
        ("AWS", (false, None)),
        ("AWS_SECRET_ACCESS_KEY", (false, Some(2))),
        ("HOME", (false, None)),
        ("aws_region", (false, None)),
    ] {
        assert_eq!(decided(&EXAMPLE, name), expected, "{name}");
    }
}

#[test]
fn the_longer_literal_wins() {
    let declared = [("AWS_SECRET_*", false), ("AWS_SEC*", true), ("*", false)];
    assert_eq!(decided(&declared, "AWS_SECRET_KEY"), (false, Some(0)));
    assert_eq!(decided(&declared, "AWS_SECURITY"), (true, Some(1)));
    assert_eq!(decided(&declared, "HOME"), (false, Some(2)));
}

#[test]
fn exact_beats_prefix_of_the_same_length() {
    for declared in [
        [("AWS_TOKEN", true), ("AWS_TOKEN*", false)],
        [("AWS_TOKEN*", false), ("AWS_TOKEN", true)],
    ] {
        assert!(decided(&declared, "AWS_TOKEN").0);
        assert!(!decided(&declared, "AWS_TOKEN_LOG").0);
    }
}

#[test]
fn of_equal_names_the_last_declared_decides() {
    let declared = [("A", true), ("A", false), ("B*", false), ("B*", true)];
    assert_eq!(decided(&declared, "A"), (false, Some(1)));
    assert_eq!(decided(&declared, "B1"), (true, Some(3)));
}

#[test]
fn a_star_alone_is_the_empty_prefix() {
    let declared = [("*", true), ("SECRET", false)];
    assert_eq!(decided(&declared, "HOME"), (true, Some(0)));
    assert_eq!(decided(&declared, "SECRET"), (false, Some(1)));
}

#[test]
fn impossible_names_are_denied() {
    for declared in [&EXAMPLE[..], &[]] {
        let policy = EnvPolicy::compile(&rules(declared)).unwrap();
        for name in ["", "A=B", "A\0"] {
            assert_eq!(
                policy.check(name),
                Err(EnvAccessError::InvalidName(name.to_owned()))
            );
        }
    }
}

#[test]
fn names_of_rules_are_checked() {
    let error = |name| validate_env_name(name).unwrap_err().to_string();
    assert_eq!(
        error(""),
        "the name is empty; write a variable's name, or `*` for all of them"
    );
    for name in ["A*B", "*A", "A**"] {
        let head = name.split('*').next().unwrap();
        assert_eq!(
            error(name),
            format!(
                "name `{name}` holds `*` before its end; write one `*` as the last character, as in `{head}*`"
            )
        );
    }
    assert_eq!(
        error("A=1"),
        "name `A=1` holds `=`, which no variable's name can hold; write the name alone"
    );
    assert_eq!(
        error("A\n"),
        "name `A\n` holds `\\n`, which no variable's name can hold; write the name alone"
    );
}
