//! `conversation.tools`: every tool, and the defaults under `'*'`.
//!
//! ```toml
//! [conversation.tools.'*']
//! run = "ask"
//!
//! [conversation.tools.fs_modify_file]
//! source = "local"
//! command = "just serve-tools {{context}} {{tool}}"
//! parameters.path = { type = "path", required = true }
//! questions.apply_changes.answer = true
//! ```

use serde_json::{Value, json};

use super::{
    Effect, KeyKind, Merge, Requirement, Shared, StringFormat, Variant, access, assistant, model,
    policy, spec::*,
};
use crate::code::Code;

/// What the assistant reads when a human cancels a call, where no layer says anything else.
pub const CANCELLATION_RESPONSE: &str = "This tool request was intentionally rejected by the user. Please evaluate and either ask the user why it was \
     rejected, or infer the reason by looking at the historical messages in the conversation.";

const ENABLE: &[Variant] = &[
    variant("on", "The same as `true`."),
    variant("off", "The same as `false`."),
    variant(
        "explicit",
        "Off, and on only when it is named: `{ state = false, allow_toggle = \"if_named\" }`.",
    ),
    variant(
        "always",
        "On for good: `{ state = true, allow_toggle = \"never\" }`.",
    ),
    legacy("true", "on", "The same as `true` without quotes."),
    legacy("false", "off", "The same as `false` without quotes."),
];

const ALLOW_TOGGLE: &[Variant] = &[
    variant("any", "Every way of switching tools on and off applies."),
    variant("never", "The state is locked."),
    variant("if_named", "Only naming the tool switches it."),
    variant(
        "if_named_or_group",
        "Only naming the tool or its group switches it.",
    ),
];

const RUN_MODE: &[Variant] = &[
    variant("ask", "A human confirms every call."),
    variant("unattended", "Calls run without confirmation."),
    variant("edit", "A human edits the arguments before the call runs."),
    variant("skip", "Calls are answered without running the tool."),
];

const RESULT_MODE: &[Variant] = &[
    variant(
        "unattended",
        "Results reach the assistant without confirmation.",
    ),
    variant(
        "ask",
        "A human confirms every result before the assistant sees it.",
    ),
    variant(
        "edit",
        "A human edits every result before the assistant sees it.",
    ),
    variant("skip", "The assistant sees no result."),
];

const FORMAT_MODE: &[Variant] = &[
    variant("ask", "A human confirms before the formatter runs."),
    variant("unattended", "The formatter runs without confirmation."),
];

const PARAMETER_TYPE: &[Variant] = &[
    variant("string", "Text."),
    unreleased_variant(
        "path",
        "string",
        "A path of the file system: text for the model, and matched by whole components in `policy` rules (RFD D25).",
    ),
    variant("integer", "A whole number."),
    variant("number", "Any number."),
    variant("boolean", "`true` or `false`."),
    variant("array", "A list, whose elements `items` describes."),
    variant("object", "A table, whose keys `properties` describes."),
    variant("null", "No value."),
];

const INLINE_RESULTS: &[Variant] = &[
    variant("off", "Results are not shown."),
    variant("full", "Results are shown in full."),
];

const LINK_STYLE: &[Variant] = &[
    variant("full", "The whole path is shown."),
    variant("osc8", "A short text that terminals make clickable."),
    variant("off", "No link."),
];

const PARAMETERS_STYLE: &[Variant] = &[
    variant("json", "Arguments are shown as JSON."),
    variant("function_call", "Arguments are shown like a function call."),
    variant("off", "Arguments are not shown."),
];

const TARGET: &[Variant] = &[
    variant("user", "A human answers."),
    variant("assistant", "The assistant answers."),
];

pub(super) fn tools() -> Spec {
    map(
        KeyKind::Tool,
        shared(Shared::Tool, tool).doc("A tool that the assistant may call."),
    )
    .literal(
        "*",
        defaults().doc("What every tool uses where it does not say otherwise."),
    )
}

fn defaults() -> Spec {
    table([
        field("enable", ENABLE_DOC, enable()),
        field(
            "run",
            "Whether a human is asked before a tool runs.\n\nSome layer must set it.",
            run_mode().privileged().required(Requirement::Global),
        ),
        field(
            "format",
            FORMAT_DOC,
            shared(Shared::FormatMode, || one_of(FORMAT_MODE)).privileged(),
        ),
        field(
            "result",
            RESULT_DOC,
            result_mode().default("unattended").privileged(),
        ),
        field(
            "policy",
            policy::DOC,
            policy::policy().optional().unreleased().privileged(),
        ),
        field(
            "cancellation_response",
            CANCELLATION_DOC,
            multiline().default(CANCELLATION_RESPONSE),
        ),
        field("style", "How calls are rendered.", style()),
    ])
    .hints(&[
        (
            "access",
            "access is granted per tool: write `conversation.tools.<name>.access`",
        ),
        (
            "options",
            "options belong to one tool: write `conversation.tools.<name>.options`",
        ),
        (
            "source",
            "the source belongs to one tool: write `conversation.tools.<name>.source`",
        ),
        (
            "command",
            "the command belongs to one tool: write `conversation.tools.<name>.command`",
        ),
        (
            "parameters",
            "parameters belong to one tool: write `conversation.tools.<name>.parameters`",
        ),
        (
            "questions",
            "questions belong to one tool: write `conversation.tools.<name>.questions`",
        ),
    ])
}

const ENABLE_DOC: &str = "Whether the assistant sees the tool, and how the command line may switch it (RFD 081).\n\n\
    A boolean or string sets both `state` and `allow_toggle`; a table sets only what it names.";
const FORMAT_DOC: &str = "Whether a human is asked before a custom argument formatter runs.\n\n\
    It follows `run` by default: `unattended` there means `unattended` here, and anything else means `ask`.";
const RESULT_DOC: &str = "Whether a human is asked before the assistant sees a result.";
const CANCELLATION_DOC: &str = "What the assistant reads when a human cancels a call.";

fn tool() -> Spec {
    table([
        field(
            "source",
            "Where the tool comes from: `builtin`, `local` or `mcp.<server>`, each with an optional tool name, as in `mcp.github.search`.\n\n\
             Some layer must set it.",
            string(StringFormat::ToolSource)
                .code(Code::SourceInvalid)
                .examples(&[r#""local""#, r#""mcp.github.search""#])
                .privileged()
                .required(Requirement::Conditional),
        ),
        field("enable", ENABLE_DOC, enable()),
        field(
            "command",
            "What runs when a local tool is called.\n\n\
             `{{tool}}` and `{{context}}` are replaced by JSON.",
            model::command()
                .examples(&[r#""just serve-tools {{context}} {{tool}}""#])
                .privileged()
                .effect(Effect::Process),
        ),
        field(
            "summary",
            "What the tool does, in a line or two; the model always reads it.\n\n`description` stands in by default.",
            multiline(),
        ),
        field(
            "description",
            "What the tool does, at length; the model reads it on demand.",
            multiline(),
        ),
        field(
            "examples",
            "Examples of calls, as one text; the model reads it on demand.",
            multiline(),
        ),
        field(
            "parameters",
            "The arguments that the tool takes.\n\n\
             On an MCP tool, these override what the server says.",
            map(KeyKind::Parameter, shared(Shared::Parameter, parameter)),
        ),
        field(
            "run",
            "Whether a human is asked before the tool runs; `policy.run` wins over it.",
            run_mode().privileged(),
        ),
        field(
            "format",
            FORMAT_DOC,
            shared(Shared::FormatMode, || one_of(FORMAT_MODE)).privileged(),
        ),
        field(
            "result",
            "Whether a human is asked before the assistant sees a result; `policy.result` wins over it.",
            result_mode().privileged(),
        ),
        field(
            "policy",
            policy::DOC,
            policy::policy().optional().unreleased().privileged(),
        ),
        field("cancellation_response", CANCELLATION_DOC, multiline()),
        field(
            "style",
            "How calls are rendered.\n\n\
             Setting one key here makes the other keys fall back to the built-in defaults, not to those of `'*'`.",
            style().optional(),
        ),
        field(
            "questions",
            "Who answers the questions that the tool asks.",
            map(
                KeyKind::Question,
                question().doc("Who answers the question, and how."),
            )
            .privileged(),
        ),
        field(
            "options",
            "Settings of the tool, forwarded to it as they are (RFD 042).",
            map(
                KeyKind::Option,
                json().doc("A setting of the tool, forwarded as it is."),
            )
            .since("RFD 042")
            .effect(Effect::Input),
        ),
        field(
            "access",
            "What the tool may reach (RFD 076).\n\n\
             Without it, a local tool may reach everything; one rule of a kind denies the rest of that kind.\n\
             Only local tools take it.",
            access::access().optional().since("RFD 076").sensitive(),
        ),
    ])
}

pub(super) fn run_mode() -> Spec {
    shared(Shared::RunMode, || one_of(RUN_MODE))
}

pub(super) fn result_mode() -> Spec {
    shared(Shared::ResultMode, || one_of(RESULT_MODE))
}

fn enable() -> Spec {
    shared(Shared::Enable, || {
        union([
            boolean(),
            one_of(ENABLE),
            table([
                field("state", "Whether the assistant sees the tool.", boolean()),
                field(
                    "allow_toggle",
                    "What may switch the tool on and off.",
                    one_of(ALLOW_TOGGLE).default("any"),
                ),
            ]),
        ])
        .merge(Merge::Enable)
        .no_null_within()
    })
}

fn parameter() -> Spec {
    table([
        field(
            "type",
            "What the argument is; a list allows several types.",
            union([
                one_of(PARAMETER_TYPE).code(Code::ParameterTypeUnknown),
                list(one_of(PARAMETER_TYPE).code(Code::ParameterTypeUnknown)),
            ])
            .merge(Merge::Replace)
            .never_null()
            .examples(&[r#""string""#, r#""path""#, r#"["string", "object"]"#]),
        ),
        field("default", "The value that the model need not write.", any().optional()),
        field("required", "Whether the model must pass the argument.", boolean().default(false)),
        field(
            "summary",
            "What the argument means, in a line or two; the model always reads it.\n\n`description` stands in by default.",
            multiline(),
        ),
        field("description", "What the argument means, at length; the model reads it on demand.", multiline()),
        field("examples", "Examples of values, as one text; the model reads it on demand.", multiline()),
        field(
            "enum",
            "The only values that are legal.\n\nA later layer's list stands instead of this one.",
            list(any()).default(Value::Array(Vec::new())),
        ),
        field("items", "What each element of an array is.", shared(Shared::Parameter, parameter).optional()),
        field(
            "properties",
            "What each key of an object is.",
            map(KeyKind::Parameter, shared(Shared::Parameter, parameter)),
        ),
    ])
    .hints(&[
        ("kind", "write `type`"),
        ("enumeration", "write `enum`"),
        ("const", "write `enum` with one value"),
        ("oneOf", "write a list of types: `type = [\"string\", \"object\"]`"),
        ("anyOf", "write a list of types: `type = [\"string\", \"object\"]`"),
    ])
    .doc("An argument of a tool: a small JSON Schema.")
}

fn question() -> Spec {
    table([
        field(
            "target",
            "Who answers: `user`, `assistant`, or a table that changes the assistant which answers.\n\n\
             A later layer's target stands instead of this one.",
            union([one_of(TARGET), assistant::question_target()])
                .merge(Merge::Replace)
                .default("user"),
        ),
        field(
            "answer",
            "The fixed answer; nobody is asked.",
            any().optional(),
        ),
        field(
            "prompt_label",
            "The header that says who asks (RFD 083); it is for display only.",
            plain().since("RFD 083").unreleased(),
        ),
    ])
}

fn style() -> Spec {
    shared(Shared::ToolStyle, || {
        table([
            field(
                "hidden",
                "Whether calls and results are not rendered at all.",
                boolean().default(false),
            ),
            field(
                "inline_results",
                INLINE_RESULTS_DOC,
                inline_results().default(json!({ "truncate": { "lines": 10 } })),
            ),
            field("results_file_link", LINK_DOC, link().default("full")),
            field(
                "parameters",
                "How arguments are shown: a style, or a command that formats them.",
                union([
                    one_of(PARAMETERS_STYLE),
                    string(StringFormat::Command),
                    model::command_table(Requirement::Local),
                ])
                .default("json")
                .privileged()
                .effect(Effect::Process),
            ),
            field(
                "error",
                "What differs for failed calls.",
                table([
                    field("inline_results", INLINE_RESULTS_DOC, inline_results()),
                    field("results_file_link", LINK_DOC, link()),
                ]),
            ),
        ])
    })
}

const INLINE_RESULTS_DOC: &str = "How much of a result is shown: `off`, `full`, a boolean, or a number of lines written as a string (`\"10\"`).";
const LINK_DOC: &str =
    "How the link to the file with the result is shown: `full`, `osc8`, `off` or a boolean.";

fn inline_results() -> Spec {
    shared(Shared::InlineResults, inline_results_forms)
}

fn inline_results_forms() -> Spec {
    union([
        boolean(),
        one_of(INLINE_RESULTS),
        string(StringFormat::Number),
        table([field(
            "truncate",
            "Results are cut.",
            table([field(
                "lines",
                "The number of lines to show.",
                size().required(Requirement::Local),
            )])
            .required(Requirement::Local),
        )]),
    ])
    .merge(Merge::Replace)
}

pub(super) fn link() -> Spec {
    shared(Shared::LinkStyle, || {
        union([boolean(), one_of(LINK_STYLE)]).merge(Merge::Replace)
    })
}
