//! `assistant`: who answers.
//!
//! ```toml
//! [assistant]
//! name = "JP"
//! tool_choice = "auto"
//! model.id = "anthropic/claude-sonnet-5"
//!
//! [[assistant.instructions]]
//! title = "How to respond"
//! items = ["Be brief."]
//! ```

use serde_json::{Value, json};

use super::{Merge, Shared, StringFormat, Variant, mergeable::*, model, spec::*};

const TOOL_CHOICE: &[Variant] = &[
    variant("auto", "The model decides whether it calls a tool."),
    variant("none", "The model calls no tool."),
    variant("required", "The model must call some tool."),
];

const CACHE: &[Variant] = &[
    variant("off", "Prompts are not cached."),
    variant("short", "The provider's shorter cache lifetime."),
    variant("long", "The provider's longer cache lifetime."),
    legacy("true", "short", "The same as `short`."),
    legacy("false", "off", "The same as `off`."),
];

pub(super) fn assistant() -> Spec {
    table([
        field("name", "A display name.", plain()),
        field(
            "system_prompt",
            "The base of the system prompt.",
            mergeable_string().default("You are a helpful assistant."),
        ),
        field(
            "system_prompt_sections",
            "Further blocks of the system prompt, sorted by `position`.",
            mergeable_list(section),
        ),
        field(
            "instructions",
            "Titled lists of instructions, sorted by `position`.",
            mergeable_list(instruction),
        ),
        field(
            "tool_choice",
            TOOL_CHOICE_DOC,
            tool_choice().default("auto"),
        ),
        field("model", "The model that answers.", model::model()),
        field(
            "request",
            "How requests to the provider are made.",
            request(),
        ),
    ])
}

/// The assistant that answers a tool's question, as a table.
pub(super) fn question_target() -> Spec {
    table([
        field("name", "A display name.", plain()),
        field(
            "system_prompt",
            "The base of the system prompt.",
            mergeable_string(),
        ),
        field(
            "system_prompt_sections",
            "Further blocks of the system prompt, sorted by `position`.",
            mergeable_list(section),
        ),
        field(
            "instructions",
            "Titled lists of instructions, sorted by `position`.",
            mergeable_list(instruction),
        ),
        field("tool_choice", TOOL_CHOICE_DOC, tool_choice()),
        field("model", "The model that answers.", model::model()),
        field(
            "request",
            "How requests to the provider are made.",
            request(),
        ),
    ])
}

/// What a tool's questions to the assistant change.
pub(super) fn inquiry() -> Spec {
    table([
        field(
            "system_prompt",
            "Stands instead of `assistant.system_prompt`.",
            multiline(),
        ),
        field(
            "system_prompt_sections",
            "Follow those of `assistant.system_prompt_sections`.",
            list(section()).merge(Merge::Append).empty_if_null(),
        ),
        field("tool_choice", TOOL_CHOICE_DOC, tool_choice()),
        field(
            "model",
            "Stands instead of `assistant.model`.",
            model::model().optional(),
        ),
        field(
            "request",
            "Stands instead of `assistant.request`.\n\n\
             Set every key that matters: setting one leaves the others at zero.",
            request().optional(),
        ),
    ])
}

const TOOL_CHOICE_DOC: &str = "Whether the model must call a tool: `auto`, `none`, `required`, or the name of the tool that it must call.";

fn tool_choice() -> Spec {
    union([one_of(TOOL_CHOICE), string(StringFormat::ToolName)]).merge(Merge::Replace)
}

fn section() -> Spec {
    shared(Shared::Section, || {
        table([
            field("content", "The text of the block.", multiline().default("")),
            field("tag", "The XML tag that wraps the block.", plain()),
            field(
                "title",
                "The title: an attribute of the XML tag, or a Markdown heading without one.",
                plain(),
            ),
            position(integer(
                Some(i64::from(i32::MIN)),
                Some(i64::from(i32::MAX)),
            )),
        ])
        .doc("A block of the system prompt.")
    })
}

fn instruction() -> Spec {
    shared(Shared::Instruction, || {
        table([
            field("title", "The heading.", plain()),
            field("description", "The text above the list.", multiline()),
            position(integer(None, None)),
            field(
                "items",
                "The instructions, one bullet each.",
                list(multiline()).default(Value::Array(Vec::new())),
            ),
            field(
                "examples",
                "Examples: a text, or a good and a bad one.",
                list(
                    union([
                        multiline(),
                        table([
                            field("good", "What to do.", multiline().default("")),
                            field("bad", "What not to do.", multiline().default("")),
                            field("reason", "Why.", multiline()),
                        ]),
                    ])
                    .no_null_within(),
                )
                .empty_if_null()
                .default(Value::Array(Vec::new())),
            ),
        ])
        .doc("A titled list of instructions.")
    })
}

fn position(spec: Spec) -> (&'static str, Spec) {
    field(
        "position",
        "The place in the order: lower comes first.",
        spec.default(0),
    )
}

fn request() -> Spec {
    shared(Shared::Request, || {
        table([
            field(
                "max_retries",
                "How often a failed request is repeated; `0` never.",
                unsigned().default(5),
            ),
            field(
                "base_backoff_ms",
                "The pause before the first repetition, in milliseconds; it doubles each time.",
                unsigned().default(1000),
            ),
            field(
                "max_backoff_secs",
                "The longest pause between repetitions, in seconds.",
                unsigned().default(60),
            ),
            field(
                "stream_idle_timeout_secs",
                "How long an answer may stall, in seconds: at least `10`, or `0` for ever.",
                union([
                    integer(Some(10), Some(i64::from(u32::MAX))),
                    integer(Some(0), Some(0)),
                ])
                .merge(Merge::Replace)
                .default(60),
            ),
            field(
                "max_response_bytes",
                "The most bytes that one answer may have; `0` for any number.",
                unsigned().default(1_048_576),
            ),
            field(
                "cache",
                "How long the provider caches the prompt: a policy, a boolean, or a duration such as `10m`.",
                union([boolean(), one_of(CACHE), string(StringFormat::Duration)])
                    .merge(Merge::Replace)
                    .default(json!("short")),
            ),
        ])
        .doc("How requests to the provider are made.")
    })
}
