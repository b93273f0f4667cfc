//! Rules for a call that waits.

use pretty_assertions::assert_eq;

use super::*;

/// What is suggested while a call of these arguments waits, with `docs` skipped below `docs/x` and asked about elsewhere.
fn while_waiting(call: &Value, calls: &[(Value, &str, Answer)]) -> String {
    let config = json!([
        { "arg": "/path", "prefix": "docs/x", "mode": "skip" },
        { "arg": "/path", "prefix": "docs", "mode": "ask" },
        { "arg": "/path", "prefix": "edited", "mode": "edit" },
        { "mode": "ask" },
    ]);
    let found = suggested_for(Some(call), &rules(&config), &one_path(), &recorded(calls));
    in_words(&found)
}

#[test]
fn every_rule_for_a_call_that_waits_lets_it_run() {
    let calls = [allowed("src/a"), allowed("src/b"), allowed("docs/a/1")];
    let waiting = json!({ "path": "docs/a/2" });
    expect![[r#"
        calls 3 prompts 3 approvals 3 unrecorded 0 refusals 0
        { arg = "/path", enum = ["docs/a/1", "docs/a/2"], mode = "unattended" } at 1: every call whose `path` is one of `docs/a/1`, `docs/a/2`, unless an earlier rule decides; 1 approvals, 0 unrecorded, 0 others
        { arg = "/path", prefix = "docs/a", mode = "unattended" } at 1: every call whose `path` lies in `docs/a`, unless an earlier rule decides; 1 approvals, 0 unrecorded, 0 others
            {"path":"docs/a/any/other/file"}
            {"path":"docs/a/x"}
        { arg = "/path", const = "docs/a/2", mode = "unattended" } at 1: every call whose `path` is `docs/a/2`, unless an earlier rule decides; 0 approvals, 0 unrecorded, 0 others
            {"path":"docs/a/2"}"#]].assert_eq(&while_waiting(&waiting, &calls));
    // Nothing is on record: the call alone says what it is like.
    expect![[r#"
        calls 0 prompts 0 approvals 0 unrecorded 0 refusals 0
        { arg = "/path", const = "lib/a/b.rs", mode = "unattended" } at 3: every call whose `path` is `lib/a/b.rs`, unless an earlier rule decides; 0 approvals, 0 unrecorded, 0 others
            {"path":"lib/a/b.rs"}
        { arg = "/path", prefix = "lib/a", mode = "unattended" } at 3: every call whose `path` lies in `lib/a`, unless an earlier rule decides; 0 approvals, 0 unrecorded, 0 others
            {"path":"lib/a/any/other/file"}
            {"path":"lib/a/x"}"#]].assert_eq(&while_waiting(&json!({ "path": "lib/a/b.rs" }), &[]));
    // What was refused once is not let run because it is asked about again.
    expect![[r#"
        calls 1 prompts 1 approvals 0 unrecorded 0 refusals 1
        withheld { arg = "/path", const = "lib/a", mode = "unattended" }: Refused(Object {"path": String("lib/a")})
        withheld { arg = "/path", prefix = "lib", mode = "unattended" }: Refused(Object {"path": String("lib/a")})"#]].assert_eq(&while_waiting(
        &json!({ "path": "lib/a" }),
        &[refused("lib/a")],
    ));
}

#[test]
fn a_call_that_no_rule_can_answer_gets_none() {
    let calls = [allowed("docs/a"), allowed("docs/b")];
    for path in ["edited/a", "src/link", "docs/x/y"] {
        let found = while_waiting(&json!({ "path": path }), &calls);
        assert_eq!(
            found, "calls 2 prompts 2 approvals 2 unrecorded 0 refusals 0",
            "{path}"
        );
    }
    let misfit = while_waiting(&json!({ "path": 7 }), &calls);
    assert_eq!(
        misfit,
        "calls 2 prompts 2 approvals 2 unrecorded 0 refusals 0"
    );
}
