//! A model block, and the command block: the descriptions that several places share.
//!
//! ```toml
//! [assistant.model]
//! id = "haiku"                         # an alias, `provider/name`, or a table
//! parameters.reasoning.effort = "low"
//!
//! [conversation.tools.cargo_check]
//! command = "just serve-tools {{context}} {{tool}}"
//! ```

use serde_json::Value;

use super::{
    KeyKind, Merge, PathKind, Requirement, Shared, StringFormat, Variant, providers, spec::*,
};

const REASONING: &[Variant] = &[
    variant("off", "The model does not reason before it answers."),
    variant("auto", "The model's own default."),
];

const EFFORT: &[Variant] = &[
    variant("none", "No reasoning."),
    variant("auto", "The model's own default."),
    variant("max", "As much as the model supports."),
    variant("xhigh", "More than `high`."),
    variant("high", "Much."),
    variant("medium", "A middle amount."),
    variant("low", "Little."),
    variant("xlow", "Less than `low`."),
];

/// A model id and its parameters.
pub(super) fn model() -> Spec {
    shared(Shared::Model, || {
        table([
            field(
                "id",
                "Which model answers.",
                model_id().required(Requirement::Conditional),
            ),
            field(
                "parameters",
                "How the model samples and reasons.",
                parameters(),
            ),
        ])
        .lenient()
    })
}

/// A model id: `provider/name`, an alias, or a table.
pub(super) fn model_id() -> Spec {
    shared(Shared::ModelId, || {
        union([
            string(StringFormat::ModelId),
            table([
                field(
                    "provider",
                    "The provider that serves the model.",
                    one_of(&providers::PROVIDER)
                        .required(Requirement::Conditional)
                        .never_null(),
                ),
                field(
                    "name",
                    "The provider's name for the model.",
                    string(StringFormat::ModelName)
                        .required(Requirement::Conditional)
                        .never_null(),
                ),
            ])
            .lenient(),
        ])
        .never_null()
        .doc("A model: `<provider>/<name>`, an alias from `providers.llm.aliases`, or a table.")
        .examples(&[r#""anthropic/claude-sonnet-5""#, r#""haiku""#])
    })
}

fn parameters() -> Spec {
    shared(Shared::ModelParameters, || {
        table([
            field("max_tokens", "The most tokens that one answer may have.", unsigned()),
            field(
                "reasoning",
                "Whether and how hard the model reasons before it answers.\n\n\
                 A bare effort such as `\"high\"` is not legal here: write `reasoning.effort = \"high\"`.",
                union([one_of(REASONING), reasoning()]),
            ),
            field("temperature", "How freely the model samples: `0` is the most predictable.", number()),
            field("top_p", "Sample only from the likeliest tokens that together have this probability.", number()),
            field("top_k", "Sample only from this many of the likeliest tokens.", unsigned()),
            field(
                "stop_words",
                "The answer ends before any of these texts.\n\n\
                 A later layer's list stands instead of this one.",
                list(plain()).default(Value::Array(Vec::new())),
            ),
            field(
                "other",
                "Provider-specific parameters, sent as they are.\n\n\
                 A later layer's table stands instead of this one.\n\
                 They must stand here: an unknown key beside `other` is silently dropped by the released `jp`.",
                map(KeyKind::Option, any().doc("A provider-specific parameter, sent as it is."))
                    .merge(Merge::Replace)
                    .optional(),
            ),
        ])
        .lenient()
        .hints(&[
            ("effort", "write `parameters.reasoning.effort`"),
            ("max_output_tokens", "write `max_tokens`"),
            ("stop", "write `stop_words`"),
        ])
        .doc("How the model samples and reasons.")
    })
}

fn reasoning() -> Spec {
    table([
        field(
            "effort",
            "How hard the model reasons.",
            union([
                one_of(EFFORT),
                table([field(
                    "absolute",
                    "The number of tokens that reasoning may take.",
                    unsigned().required(Requirement::Local),
                )]),
            ])
            .default("medium"),
        ),
        field(
            "exclude",
            "Whether reasoning is left out of the answer.",
            boolean().default(false),
        ),
    ])
}

/// A command line, or its parts.
pub(super) fn command() -> Spec {
    shared(Shared::Command, || {
        union([
            string(StringFormat::Command),
            command_table(Requirement::Optional),
        ])
        .doc(
            "A command line, split into words like a shell would, or its parts as a table.\n\n\
                 No shell runs unless `shell = true`.",
        )
        .merge(Merge::Union)
        .no_null_within()
    })
}

/// The parts of a command.
pub(super) fn command_table(requirement: Requirement) -> Spec {
    table([
        field(
            "program",
            "The executable: a path, or a name on the search path.",
            string(StringFormat::Path(PathKind::Program))
                .default("")
                .required(requirement),
        ),
        field(
            "args",
            "The arguments, each a template of its own.\n\nA later layer's list stands instead of this one.",
            list(string(StringFormat::Command))
                .default(Value::Array(Vec::new()))
                .required(requirement),
        ),
        field(
            "shell",
            "Whether the system shell interprets the command.",
            boolean().default(false).required(requirement),
        ),
    ])
}
