//! `plugins`: command plugins.
//!
//! ```toml
//! [plugins.command.ticket]
//! run = "unattended"
//! ```

use super::{Effect, KeyKind, Variant, providers, spec::*};

const RUN_POLICY: &[Variant] = &[
    variant("ask", "A human confirms before the plugin runs."),
    variant("unattended", "The plugin runs without confirmation."),
    variant("deny", "The plugin never runs."),
];

pub(super) fn plugins() -> Spec {
    table([
        field(
            "auto_install",
            "Whether a plugin of the registry is installed on first use.",
            boolean().default(true),
        ),
        field(
            "shutdown_timeout_secs",
            "How long a plugin may take to stop, in seconds.",
            integer(Some(0), Some(i64::from(u16::MAX))).default(5),
        ),
        field(
            "command",
            "Command plugins, by name.",
            map(
                KeyKind::Plugin,
                table([
                    field(
                        "install",
                        "Whether the plugin is installed on first use.",
                        boolean(),
                    ),
                    field(
                        "run",
                        "Whether a human is asked before the plugin runs.",
                        one_of(RUN_POLICY),
                    ),
                    field(
                        "checksum",
                        "The checksum that the executable must have.",
                        providers::checksum().optional(),
                    ),
                    field(
                        "options",
                        "Settings of the plugin, forwarded to it as they are.",
                        any().optional(),
                    ),
                ])
                .doc("A command plugin.")
                .effect(Effect::Plugin),
            ),
        ),
    ])
}
