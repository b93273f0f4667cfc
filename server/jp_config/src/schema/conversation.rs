//! `conversation`: attachments, labels, titles, compaction and tools.
//!
//! ```toml
//! [conversation]
//! attachments = ["cmd:git diff", { type = "file", path = "README.md" }]
//! labels.team = "core"
//! title.generate.model.id = "haiku"
//! ```

use serde_json::json;

use super::{
    KeyKind, Merge, Requirement, Shared, StringFormat, Variant, assistant, mergeable::*, model,
    spec::*, tool,
};

const LABEL_RUN: &[Variant] = &[
    variant("ask", "A human confirms the command first."),
    variant("unattended", "The command runs without confirmation."),
    variant("deny", "The command never runs."),
];

const REASONING: &[Variant] = &[variant("strip", "Reasoning is removed.")];

const TOOL_CALLS: &[Variant] = &[
    variant_with(
        "strip",
        &["s"],
        "The arguments and results of tool calls are removed.",
    ),
    variant_with(
        "strip-responses",
        &["strip_responses", "sres"],
        "The results of tool calls are removed.",
    ),
    variant_with(
        "strip-requests",
        &["strip_requests", "sreq"],
        "The arguments of tool calls are removed.",
    ),
    variant_with("omit", &["o"], "Tool calls are left out altogether."),
];

const LAST_COMPACTION: &[Variant] = &[variant_with(
    "last-compaction",
    &["last"],
    "The place of the last compaction.",
)];

const DEFAULT_ID: &[Variant] = &[
    variant("ask", "A human picks the conversation."),
    variant_with(
        "last-activated",
        &["last", "last_activated"],
        "The conversation that was active last.",
    ),
    variant_with(
        "last-created",
        &["last_created"],
        "The conversation that was created last.",
    ),
    variant_with(
        "previous",
        &["prev"],
        "The conversation before the active one.",
    ),
];

pub(super) fn conversation() -> Spec {
    table([
        field(
            "title",
            "Where the title of a conversation comes from.",
            table([
                field(
                    "from_heading",
                    "Whether a Markdown heading at the start of the first message is the title.",
                    boolean().default(true),
                ),
                field(
                    "generate",
                    "Titles that a model writes.",
                    table([
                        field(
                            "auto",
                            "Whether a model writes a title for a conversation without one.",
                            boolean().default(true),
                        ),
                        field(
                            "model",
                            "The model that writes titles; the assistant's own by default.",
                            model::model().optional(),
                        ),
                    ]),
                ),
            ]),
        ),
        field(
            "tools",
            "Tools keyed by name, which the assistant may call, and their defaults under `'*'`.",
            tool::tools(),
        ),
        field(
            "attachments",
            "Files and other resources that every request of `jp` carries.\n\n\
             `jp-lsp` sends none of them, and says so when a turn begins: attach files to the question itself.\n\
             Equal elements of several layers all stay.",
            mergeable_list(attachment).examples(&[r#"["file://README.md", "cmd:git diff"]"#]),
        ),
        field(
            "labels",
            "Labels of new and forked conversations: a text, or a table with a command.",
            mergeable_map(KeyKind::Label, label).examples(&[r#"{ team = "core" }"#]),
        ),
        field(
            "compaction",
            "How a long conversation is shortened.",
            compaction(),
        ),
        field(
            "inquiry",
            "How the assistant answers the questions of tools.",
            table([field(
                "assistant",
                "What differs from `assistant` while it answers.",
                assistant::inquiry(),
            )]),
        ),
        field(
            "start_local",
            "Whether conversations start outside the repository.",
            boolean().default(false),
        ),
        field(
            "default_id",
            "The conversation that a query continues: a rule, or the id of one.",
            union([one_of(DEFAULT_ID), string(StringFormat::ConversationId)])
                .merge(Merge::Replace)
                .default("ask"),
        ),
    ])
    .hints(&[("model", "write `assistant.model`")])
}

fn attachment() -> Spec {
    shared(Shared::Attachment, || {
        union([
            string(StringFormat::Url),
            table([
                field(
                    "type",
                    "The kind of resource, which is the scheme of its URL: `file`, `cmd`, `http`, ...",
                    string(StringFormat::Scheme).required(Requirement::Local),
                ),
                field("path", "What the URL holds after its scheme.", plain().required(Requirement::Local)),
                field(
                    "params",
                    "The query parameters of the URL.",
                    map(KeyKind::Query, union([plain(), list(plain())]).doc("A query parameter, or the values of a repeated one.")).optional(),
                ),
            ])
            .hints(&[("kind", "write `type`")]),
        ])
        .no_null_within()
        .doc("A resource: its URL, or the parts of one.")
    })
}

fn label() -> Spec {
    shared(Shared::Label, || {
        union([
            plain(),
            table([
                field(
                    "value",
                    "The text, or the command that prints it.",
                    union([
                        plain(),
                        table([field(
                            "cmd",
                            "The command that prints the text.",
                            model::command()
                                .required(Requirement::Conditional)
                                .never_null(),
                        )]),
                    ])
                    .never_null()
                    .default(""),
                ),
                field(
                    "apply_on",
                    "When the label is set.",
                    table([
                        field(
                            "new",
                            "Whether a new conversation gets the label.",
                            boolean().default(true),
                        ),
                        field(
                            "fork",
                            "Whether a forked conversation gets the label anew.",
                            boolean().default(false),
                        ),
                    ]),
                ),
                field(
                    "run",
                    "Whether a human confirms the command.",
                    one_of(LABEL_RUN).default("ask"),
                ),
            ]),
        ])
        .no_null_within()
        .doc("The value of a label.")
    })
}

fn compaction() -> Spec {
    table([field(
        "rules",
        "What is removed or summarised, in order.\n\n\
         The built-in rule is dropped as soon as a layer adds one.",
        mergeable_list(|| {
            shared(Shared::CompactionRule, || {
                table([
                    field(
                        "keep_first",
                        "Where the compacted range starts: after so many turns, or at `@N`, `-N`, an age, or the last compaction.",
                        bound().default(json!(1)),
                    ),
                    field(
                        "keep_last",
                        "Where the compacted range ends: before so many last turns, or at `@N`, `-N`, an age, or the last compaction.",
                        bound().default(json!(1)),
                    ),
                    field("reasoning", "What happens to reasoning.", one_of(REASONING)),
                    field("tool_calls", "What happens to tool calls.", one_of(TOOL_CALLS)),
                    field(
                        "summary",
                        "A summary that stands instead of the range.",
                        table([
                            field("model", "The model that summarises; the assistant's own by default.", model::model().optional()),
                            field("instructions", "What the model is told.", multiline()),
                            field("context", "What the model also reads.", multiline()),
                        ])
                        .optional(),
                    ),
                ])
                .doc("One step of compaction.")
            })
        })
        .default(json!([{ "reasoning": "strip", "tool_calls": "strip" }])),
    )])
}

fn bound() -> Spec {
    union([
        size(),
        one_of(LAST_COMPACTION),
        string(StringFormat::CompactionBound),
    ])
    .merge(Merge::Replace)
}
