//! `conversation.tools.<name>.policy`: modes that depend on the arguments of a call (RFD D25).
//!
//! ```toml
//! [conversation.tools.fs_modify_file.policy]
//! run = [
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { mode = "ask" },
//! ]
//! result = "unattended"
//! ```

use super::{
    Requirement, Shared, StringFormat,
    mergeable::*,
    spec::*,
    tool::{result_mode, run_mode},
};

pub(super) const DOC: &str = "Modes that depend on the arguments of a call (RFD D25).";

pub(super) fn policy() -> Spec {
    shared(Shared::Policy, || {
        table([
            field(
                "run",
                "Whether a human is asked before the tool runs: a mode, or rules of which the first match decides.\n\n\
                 A call that no rule matches asks.\n\
                 It wins over the tool's `run`.\n\
                 A later layer's rules stand instead of these.",
                replaceable(run).examples(&[
                    r#""ask""#,
                    r#"[{ arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]"#,
                ]),
            ),
            field(
                "result",
                "Whether a human is asked before the assistant sees a result: a mode, or rules of which the first match decides.\n\n\
                 A call that no rule matches asks.\n\
                 It wins over the tool's `result`.\n\
                 A later layer's rules stand instead of these.",
                replaceable(result).examples(&[
                    r#""unattended""#,
                    r#"[{ arg = "/path", prefix = ".env", mode = "ask" }, { mode = "unattended" }]"#,
                ]),
            ),
        ])
        .since("RFD D25")
    })
}

fn run() -> Spec {
    union([
        run_mode(),
        list(shared(Shared::RunRule, || rule(run_mode())).kept_null()),
    ])
}

fn result() -> Spec {
    union([
        result_mode(),
        list(shared(Shared::ResultRule, || rule(result_mode())).kept_null()),
    ])
}

fn rule(mode: Spec) -> Spec {
    table([
        field(
            "arg",
            "The argument to look at, as a JSON Pointer into the tool's parameters, such as `/path` or `/patterns/paths`.\n\n\
             Where the pointer meets an array, any element may match.\n\
             A rule without it matches every call.",
            string(StringFormat::JsonPointer).kept_null(),
        ),
        field("const", "The argument equals this value.", any()),
        field("enum", "The argument equals one of these values.", list(any()).kept_null()),
        field(
            "prefix",
            "The argument starts with this text; on a `path` parameter, with these whole components.",
            plain().kept_null(),
        ),
        field(
            "pattern",
            "The argument contains a match of this ECMA-262 regular expression.",
            string(StringFormat::Regex).kept_null(),
        ),
        field("minimum", "The argument is at least this number.", number().kept_null()),
        field("maximum", "The argument is at most this number.", number().kept_null()),
        field("exclusive_minimum", "The argument is greater than this number.", number().kept_null()),
        field("exclusive_maximum", "The argument is less than this number.", number().kept_null()),
        field(
            "mode",
            "How the user is involved in a call that matches.",
            mode.required(Requirement::Local).kept_null(),
        ),
    ])
    .hints(&[
        ("exclusiveMinimum", "write `exclusive_minimum`"),
        ("exclusiveMaximum", "write `exclusive_maximum`"),
        ("regex", "write `pattern`"),
        ("run", "write `mode`"),
        ("result", "write `mode`"),
        ("path", "write `arg = \"/path\"` and a matcher such as `prefix`"),
        ("all", "a rule has one condition; write one rule for each"),
    ])
    .doc("A rule: at most one condition (`arg` and one matcher), and the mode of calls that meet it.")
}
