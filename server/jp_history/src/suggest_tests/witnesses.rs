//! What a suggested rule lets run beside what is on record.

use super::*;

#[test]
fn what_a_rule_also_lets_run_is_found_beside_other_paths_and_numbers() {
    let copy = |from: &str, to: &str| {
        let call = json!({ "path": from, "to": to });
        (call, "ask", Answer::AllowedByPerson)
    };
    let config = json!([
        { "arg": "/path", "prefix": "lib", "mode": "unattended" },
        { "mode": "ask" },
    ]);
    let parameters = Parameters::new([
        ("path", Parameter::of(ParameterType::Path).required()),
        ("to", Parameter::of(ParameterType::Path).required()),
    ]);
    let calls = [copy("lib/a", "out/a"), copy("lib/b", "out/b")];
    expect![[r#"
        calls 2 prompts 2 approvals 2 unrecorded 0 refusals 0
        { arg = "/to", enum = ["out/a", "out/b"], mode = "unattended" } at 1: every call whose `to` is one of `out/a`, `out/b` and whose other paths are let run too, unless an earlier rule decides; 2 approvals, 0 unrecorded, 0 others
        { arg = "/to", prefix = "out", mode = "unattended" } at 1: every call whose `to` lies in `out` and whose other paths are let run too, unless an earlier rule decides; 2 approvals, 0 unrecorded, 0 others
            {"path":"lib/a","to":"out/any/other/file"}
            {"path":"lib/b","to":"out/any/other/file"}
        { arg = "/to", const = "out/a", mode = "unattended" } at 1: every call whose `to` is `out/a` and whose other paths are let run too, unless an earlier rule decides; 1 approvals, 0 unrecorded, 0 others
        { arg = "/to", const = "out/b", mode = "unattended" } at 1: every call whose `to` is `out/b` and whose other paths are let run too, unless an earlier rule decides; 1 approvals, 0 unrecorded, 0 others
        withheld { arg = "/path", const = "lib/a", mode = "unattended" }: NeverDecides
        withheld { arg = "/path", const = "lib/b", mode = "unattended" }: NeverDecides
        withheld { arg = "/path", enum = ["lib/a", "lib/b"], mode = "unattended" }: NeverDecides
        withheld { arg = "/path", prefix = "lib", mode = "unattended" }: NeverDecides"#]].assert_eq(&shown(&config, &parameters, &calls));

    let waits = |seconds: f64| {
        let call = json!({ "a/b": seconds });
        (call, "ask", Answer::AllowedByPerson)
    };
    let config = json!([{ "mode": "ask" }]);
    let parameters = Parameters::new([("a/b", Parameter::of(ParameterType::Number).required())]);
    let calls = [waits(1.5), waits(2.5), waits(4.0)];
    expect![[r#"
        calls 3 prompts 3 approvals 3 unrecorded 0 refusals 0
        { arg = "/a~1b", enum = [1.5, 2.5, 4.0], mode = "unattended" } at 0: every call whose `a/b` is one of 1.5, 2.5, 4.0; 3 approvals, 0 unrecorded, 0 others
        { arg = "/a~1b", maximum = 4.0, mode = "unattended" } at 0: every call whose `a/b` is at most 4.0; 3 approvals, 0 unrecorded, 0 others
            {"a/b":0.5}
            {"a/b":3.5}
            {"a/b":3.0}
        { arg = "/a~1b", minimum = 1.5, mode = "unattended" } at 0: every call whose `a/b` is at least 1.5; 3 approvals, 0 unrecorded, 0 others
            {"a/b":3.5}
            {"a/b":3.0}
            {"a/b":5.0}
        { arg = "/a~1b", const = 1.5, mode = "unattended" } at 0: every call whose `a/b` is 1.5; 1 approvals, 0 unrecorded, 0 others"#]].assert_eq(&shown(&config, &parameters, &calls));
}

#[test]
fn numbers_and_words_have_rules_too() {
    let parameters = Parameters::new([
        ("lines", Parameter::of(ParameterType::Integer)),
        ("note", Parameter::of(ParameterType::String)),
    ]);
    let call = |lines: u32, note: &str| {
        let arguments = json!({ "lines": lines, "note": note });
        (arguments, "ask", Answer::AllowedByPerson)
    };
    let calls = [
        call(10, "a"),
        call(20, "b"),
        call(30, &"long ".repeat(60)),
        (json!({ "lines": 900 }), "ask", Answer::RefusedByPerson),
    ];
    expect![[r#"
        calls 4 prompts 4 approvals 3 unrecorded 0 refusals 1
        { arg = "/lines", enum = [10, 20, 30], mode = "unattended" } at 0: every call whose `lines` is one of 10, 20, 30, whatever `note` is; 3 approvals, 0 unrecorded, 0 others
            {"lines":10,"note":"anything else"}
            {"lines":20,"note":"anything else"}
            {"lines":30,"note":"anything else"}
        { arg = "/lines", maximum = 30, mode = "unattended" } at 0: every call whose `lines` is at most 30, whatever `note` is; 3 approvals, 0 unrecorded, 0 others
            {"lines":9,"note":"a"}
            {"lines":11,"note":"a"}
            {"lines":10,"note":"anything else"}
        { arg = "/lines", const = 10, mode = "unattended" } at 0: every call whose `lines` is 10, whatever `note` is; 1 approvals, 0 unrecorded, 0 others
            {"lines":10,"note":"anything else"}
            {"lines":10}
        { arg = "/lines", const = 20, mode = "unattended" } at 0: every call whose `lines` is 20, whatever `note` is; 1 approvals, 0 unrecorded, 0 others
            {"lines":20,"note":"anything else"}
            {"lines":20}
        withheld { arg = "/note", enum = ["a", "b", "long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long "], mode = "unattended" }: TooLong
        withheld { arg = "/lines", minimum = 10, mode = "unattended" }: Refused(Object {"lines": Number(900)})"#]].assert_eq(&shown(&json!([{ "mode": "ask" }]), &parameters, &calls));
}
