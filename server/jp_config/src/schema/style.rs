//! `style`: how output is rendered in the terminal.
//!
//! ```toml
//! [style]
//! reasoning.display = "full"
//! code.copy_link = "osc8"
//! typewriter.text_delay = "3ms"
//! ```

use super::{Merge, Requirement, StringFormat, Variant, model, spec::*, tool};

const HR_STYLE: &[Variant] = &[
    variant("markdown", "Three dashes."),
    variant("line", "A line across the terminal."),
];

const DISPLAY: &[Variant] = &[
    variant("hidden", "Reasoning is not shown."),
    variant("summary", "A model's summary of the reasoning is shown."),
    variant("static", "A fixed text is shown."),
    variant("progress", "Growing dots are shown."),
    variant("timer", "The elapsed time is shown."),
    variant("full", "Reasoning is shown in full."),
];

pub(super) fn style() -> Spec {
    table([
        field(
            "code",
            "Fenced code.",
            table([
                field(
                    "color",
                    "Whether code is highlighted.",
                    boolean().default(true),
                ),
                field(
                    "line_numbers",
                    "Whether lines are numbered.",
                    boolean().default(false),
                ),
                field(
                    "file_link",
                    "How the link to the file with the code is shown.",
                    tool::link().default("osc8"),
                ),
                field(
                    "copy_link",
                    "How the link that copies the code is shown.",
                    tool::link().default("off"),
                ),
            ]),
        ),
        field(
            "inline_code",
            "Code within a line.",
            table([field(
                "background",
                "The background colour: `#RRGGBB`, or a number from `0` to `255`.",
                color(),
            )]),
        ),
        field("markdown", "Markdown.", markdown()),
        field(
            "reasoning",
            "What the model thinks before it answers.",
            reasoning(),
        ),
        field(
            "streaming",
            "Answers as they arrive.",
            table([field(
                "progress",
                "The sign of life while the first words are awaited.",
                indicator(3),
            )]),
        ),
        field(
            "tool_call",
            "Tool calls.",
            table([
                field(
                    "show",
                    "Whether tool calls are shown.",
                    boolean().default(true),
                ),
                field(
                    "progress",
                    "The sign of life while a tool runs.",
                    indicator(3),
                ),
                field(
                    "preparing",
                    "The sign of life while arguments arrive.",
                    indicator(3),
                ),
            ]),
        ),
        field(
            "mcp_startup",
            "The sign of life while MCP servers start.",
            indicator(4),
        ),
        field(
            "lock_wait",
            "The sign of life while another process holds the conversation.",
            lock_wait(),
        ),
        field(
            "typewriter",
            "The pace of the text.",
            table([
                field(
                    "text_delay",
                    "The pause after each character of text.",
                    duration().default("3ms"),
                ),
                field(
                    "code_delay",
                    "The pause after each character of code.",
                    duration().default("500us"),
                ),
                field(
                    "max_latency",
                    "How far the shown text may lag behind the received one; `0s` is no limit.",
                    duration().default("0s"),
                ),
            ]),
        ),
    ])
}

fn markdown() -> Spec {
    table([
        field(
            "wrap_width",
            "The column at which text wraps; `0` never.",
            size().default(80),
        ),
        field(
            "table_max_column_width",
            "The widest column of a table.",
            size().default(40),
        ),
        field(
            "table_continuation_edge",
            "Whether wrapped rows of a table are marked.",
            boolean().default(true),
        ),
        field(
            "theme",
            "The colour theme of highlighted code.",
            string(StringFormat::Theme).default("gruvbox-dark"),
        ),
        field(
            "hr_style",
            "How a horizontal rule is drawn.",
            one_of(HR_STYLE).default("line"),
        ),
    ])
}

fn reasoning() -> Spec {
    table([
        field(
            "display",
            "How reasoning is shown: a style, or `{ truncate = { characters = N } }`.",
            union([
                one_of(DISPLAY),
                table([field(
                    "truncate",
                    "Reasoning is cut.",
                    table([field(
                        "characters",
                        "The number of characters to show.",
                        size().required(Requirement::Local),
                    )])
                    .required(Requirement::Local),
                )]),
            ])
            .merge(Merge::Replace)
            .text_in_yaml()
            .default("full"),
        ),
        field(
            "summary_model",
            "The model that summarises reasoning.",
            model::model().optional(),
        ),
        field(
            "background",
            "The background colour: `#RRGGBB`, or a number from `0` to `255`.",
            color().default(236),
        ),
        field(
            "extend_across_tool_calls",
            "Whether reasoning before and after a tool call is one block.",
            boolean().default(true),
        ),
    ])
}

fn indicator(delay: i64) -> Spec {
    table([
        field("show", "Whether it is shown.", boolean().default(true)),
        field(
            "delay_secs",
            "After how many seconds it is shown.",
            unsigned().default(delay),
        ),
        field(
            "interval_ms",
            "How often it moves, in milliseconds.",
            unsigned().default(100),
        ),
    ])
}

fn lock_wait() -> Spec {
    table([
        field("show", "Whether it is shown.", boolean().default(true)),
        field(
            "delay_secs",
            "After how many seconds it is shown.",
            unsigned().default(1),
        ),
        field(
            "interval_ms",
            "How often it moves, in milliseconds.",
            unsigned().default(100),
        ),
        field(
            "timeout_secs",
            "After how many seconds waiting ends in an error.",
            unsigned().default(10),
        ),
    ])
}

fn color() -> Spec {
    union([integer(Some(0), Some(255)), string(StringFormat::Color)]).merge(Merge::Replace)
}

fn duration() -> Spec {
    union([
        string(StringFormat::Duration),
        table([
            field("secs", "Whole seconds.", size().default(0).never_null()),
            field(
                "nanos",
                "Nanoseconds beyond the whole seconds.",
                integer(Some(0), Some(999_999_999)).default(0).never_null(),
            ),
        ]),
    ])
    .merge(Merge::Replace)
}
