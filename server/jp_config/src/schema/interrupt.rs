//! `interrupt`: what an interrupt does.
//!
//! ```toml
//! [interrupt.streaming]
//! action = "reply"
//! compose_in_editor = "always"
//! ```

use super::{Merge, Variant, spec::*};

const STREAMING: &[Variant] = &[
    variant("prompt", "A menu offers the other actions."),
    variant("continue", "The answer goes on."),
    variant("stop", "The answer ends, and what there is of it stays."),
    variant("abort", "The answer ends and is discarded."),
    variant("reply", "The answer ends, and a reply to it is composed."),
];

const TOOL_CALL: &[Variant] = &[
    variant("prompt", "A menu offers the other actions."),
    variant("continue", "The call goes on."),
    variant("restart", "The call is stopped and run again."),
    variant("respond", "The call is stopped and answered by a human."),
    variant("stop", "The call is stopped."),
];

const COMPOSE: &[Variant] = &[
    variant("always", "The same as `true`."),
    variant("never", "The same as `false`."),
    legacy("true", "always", "The same as `true` without quotes."),
    legacy("false", "never", "The same as `false` without quotes."),
];

pub(super) fn interrupt() -> Spec {
    table([
        field(
            "escalation_cooldown_secs",
            "Within how many seconds a second interrupt escalates.",
            unsigned().default(2),
        ),
        field(
            "streaming",
            "Interrupts while an answer streams.",
            table([
                field(
                    "action",
                    "What an interrupt does.",
                    one_of(STREAMING).default("prompt"),
                ),
                compose(),
            ]),
        ),
        field(
            "tool_call",
            "Interrupts while tools run.",
            table([
                field(
                    "action",
                    "What an interrupt does.",
                    one_of(TOOL_CALL).default("prompt"),
                ),
                compose(),
            ]),
        ),
    ])
}

fn compose() -> (&'static str, Spec) {
    field(
        "compose_in_editor",
        "Whether a reply is composed in the editor instead of the terminal.",
        union([boolean(), one_of(COMPOSE)])
            .merge(Merge::Replace)
            .default(false),
    )
}
