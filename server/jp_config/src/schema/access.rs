//! `conversation.tools.<name>.access`: what a tool may reach (RFD 076, RFD 078).
//!
//! ```toml
//! [[conversation.tools.fs_create_file.access.fs]]
//! path = ".config/jp/tools"
//! read = true
//! write = true
//!
//! [[conversation.tools.change_model.access.config]]
//! path = "assistant.model"
//! write = true
//! apply = "ask"
//! ```

use super::{PathKind, Requirement, Shared, StringFormat, Variant, mergeable::*, spec::*};

const INSECURE: &[Variant] = &[variant(
    "insecure_allow",
    "Returned values may also reach sensitive paths, such as the access rules of a tool.",
)];

const APPLY: &[Variant] = &[
    variant("ask", "A human confirms every change."),
    variant("unattended", "Changes apply without confirmation."),
];

pub(super) fn access() -> Spec {
    table([
        field(
            "fs",
            "Which files the tool may reach.\n\n\
             The rule with the most path components wins; of equals, the last one.",
            mergeable_list(fs_rule).examples(&[
                r#"[{ path = ".", read = true }, { path = "src", read = true, write = true }]"#,
            ]),
        ),
        field(
            "net",
            "Which hosts the tool may reach.\n\n\
             The rule with the most matching parts wins; of equals, the last one.",
            mergeable_list(net_rule)
                .since("RFD 076")
                .unreleased()
                .examples(&[r#"[{ host = "api.github.com", allow = true }]"#]),
        ),
        field(
            "env",
            "Which environment variables the tool may read.\n\n\
             The rule with the longest name wins; of equals, an exact name over a prefix, then the last one.",
            mergeable_list(env_rule)
                .since("RFD 076")
                .unreleased()
                .examples(&[r#"[{ name = "AWS_*", read = true }]"#]),
        ),
        field(
            "config",
            "Which config the tool may read and change (RFD 078).\n\n\
             Without a rule, it may do neither.\n\
             The rule with the most path segments wins; of equals, the last one.",
            mergeable_list(config_rule)
                .since("RFD 078")
                .unreleased()
                .examples(&[
                    r#"[{ path = "assistant.model", read = true, write = true, apply = "ask" }]"#,
                ]),
        ),
    ])
}

fn fs_rule() -> Spec {
    shared(Shared::FsRule, || {
        table([
            field(
                "path",
                "The file or directory, relative to the workspace root; `.` is the whole workspace.\n\n\
                 It is no glob: `*` and `?` stand for themselves.",
                string(StringFormat::Path(PathKind::Rule)).required(Requirement::Local),
            ),
            field("external", "Whether the path leads outside the workspace.\n\n\
                 It grants nothing until a person has approved where it leads.", boolean().since("RFD D43")),
            capability("read", "Grants reading files and listing directories."),
            capability("write", "Grants writing: the default of `create`, `update` and `delete`."),
            field("create", "Grants creating files and directories; `write` by default.", boolean()),
            field("update", "Grants changing existing files; `write` by default.", boolean()),
            field("delete", "Grants removing files and directories; `write` by default.", boolean()),
            capability("execute", "Grants running files as programs."),
        ])
        .doc("A rule for one path and everything below it; it applies in full, and inherits nothing.")
    })
}

fn net_rule() -> Spec {
    shared(Shared::NetRule, || {
        table([
            field(
                "host",
                "The exact host: no scheme, port, path or `*`.",
                string(StringFormat::Host).required(Requirement::Local),
            ),
            field(
                "scheme",
                "The URL scheme; any by default.",
                string(StringFormat::Scheme),
            ),
            field(
                "port",
                "The port; the default port of the target's scheme by default.",
                integer(Some(0), Some(i64::from(u16::MAX))),
            ),
            field(
                "path_prefix",
                "The first segments of the URL path; any by default.",
                string(StringFormat::UrlPath),
            ),
            capability("allow", "Whether matching requests are allowed."),
        ])
        .doc("A rule for one host.")
    })
}

fn env_rule() -> Spec {
    shared(Shared::EnvRule, || {
        table([
            field(
                "name",
                "The name of the variable, or a prefix of names that ends in `*`.",
                string(StringFormat::EnvPattern).required(Requirement::Local),
            ),
            capability("read", "Whether the variable may be read."),
        ])
        .doc("A rule for one environment variable, or for all whose names start alike.")
    })
}

fn config_rule() -> Spec {
    shared(Shared::ConfigRule, || {
        table([
            field(
                "path",
                "The config path, dot-separated; `*` stands for any one key of a map.",
                string(StringFormat::ConfigPath).required(Requirement::Local),
            ),
            capability("read", "Whether the tool receives the values."),
            field(
                "write",
                "Whether the tool may return changed values.\n\n\
                 A path that touches a sensitive one needs `\"insecure_allow\"`.",
                union([boolean(), one_of(INSECURE)]).default(false),
            ),
            capability("delete", "Whether the tool may unset values and remove elements of lists."),
            field(
                "apply",
                "How deltas are applied: whether a human confirms a change first.",
                one_of(APPLY).default("ask"),
            ),
        ])
        .doc("A rule for one config path and everything below it; it applies in full, and inherits nothing.")
    })
}

fn capability(name: &'static str, doc: &'static str) -> (&'static str, Spec) {
    field(name, doc, boolean().default(false))
}
