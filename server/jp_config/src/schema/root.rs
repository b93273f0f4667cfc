//! The whole file, and the keys that load other files.
//!
//! ```toml
//! inherit = false
//! config_load_paths = [".jp/config"]
//! extends = ["mcp/tools/**/*.toml", { path = "late.toml", strategy = "after" }]
//! ```

use serde_json::Value;

use super::{
    Merge, PathKind, Requirement, StringFormat, Variant, assistant, conversation, editor,
    interrupt, plugins, providers, spec::*, style,
};

const EXTENDS_STRATEGY: &[Variant] = &[
    variant("before", "The file loads first, so this file's values win."),
    variant(
        "after",
        "The file loads last, so its values win over this file's.",
    ),
];

pub(super) fn root() -> Spec {
    table([
        field(
            "inherit",
            "Whether more specific config files still apply after this one.\n\n\
             Only `false` matters: it makes this file the last word, and every source that would load after it is left out.",
            boolean(),
        ),
        field(
            "config_load_paths",
            "The directories in which `--cfg NAME` looks for a file of that name, relative to the workspace root.\n\n\
             A later layer's list stands instead of this one.",
            list(string(StringFormat::Path(PathKind::Directory)))
                .default(Value::Array(Vec::new()))
                .examples(&[r#"[".jp/config", ".jp/config/personas"]"#])
                .privileged(),
        ),
        field(
            "extends",
            "The files that this file builds on, relative to its own directory; `*`, `?` and `[` make a glob.\n\n\
             Give globs a suffix, as in `mcp/tools/**/*.toml`: a glob that matches a directory makes the released `jp` drop this file.",
            list(union([
                string(StringFormat::Path(PathKind::Extends)),
                table([
                    field(
                        "path",
                        "The file or glob, relative to the directory of the declaring file.",
                        string(StringFormat::Path(PathKind::Extends))
                            .required(Requirement::Local),
                    ),
                    field(
                        "strategy",
                        "Whether the file loads before or after the declaring one; a table must say it.",
                        one_of(EXTENDS_STRATEGY).required(Requirement::Local),
                    ),
                ]),
            ]))
            .merge(Merge::FirstWins)
            .examples(&[r#"["config/personas/default.toml", "mcp/tools/**/*.toml"]"#])
            .privileged(),
        ),
        field("assistant", "Who answers: the model, its parameters and its prompts.", assistant::assistant()),
        field("conversation", "Tools, attachments, labels, titles and compaction.", conversation::conversation()),
        field("style", "How output is rendered in the terminal.", style::style()),
        field("interrupt", "What an interrupt (Ctrl-C) does.", interrupt::interrupt()),
        field("editor", "The editor that composes messages.", editor::editor().privileged()),
        field("template", "Query templates.", editor::template()),
        field("providers", "Model providers and MCP servers.", providers::providers()),
        field("plugins", "Command plugins.", plugins::plugins().privileged()),
        field("user", "Who asks.", editor::user()),
    ])
    .hints(&[
        ("$schema", "name the schema in a comment: `#:schema ./jp-config.schema.json`"),
        ("aliases", "write `providers.llm.aliases`"),
        ("mcp", "write `providers.mcp`"),
        ("model", "write `assistant.model`"),
        ("tools", "write `conversation.tools`"),
        ("attachments", "write `conversation.attachments`"),
        ("id", "the root has no `id`"),
    ])
}
