//! `editor`, `template` and `user`.
//!
//! ```toml
//! [editor]
//! cmd = "hx"
//! envs = ["JP_EDITOR", "EDITOR"]
//!
//! [template.values]
//! ticket = "JP-12"
//! ```

use serde_json::json;

use super::{Effect, KeyKind, Merge, StringFormat, Variant, model, spec::*};

const EDIT_MODE: &[Variant] = &[
    variant("emacs", "Emacs key bindings."),
    variant("vi", "Vi key bindings."),
];

pub(super) fn editor() -> Spec {
    table([
        field(
            "cmd",
            "The editor to start.",
            model::command().effect(Effect::Process),
        ),
        field(
            "envs",
            "The environment variables that name an editor, tried in order; those of later layers follow.",
            list(string(StringFormat::EnvName))
                .merge(Merge::Append)
                .default(json!(["JP_EDITOR", "VISUAL", "EDITOR"]))
                .effect(Effect::Process),
        ),
        field(
            "inline",
            "The prompt in the terminal.",
            table([field(
                "edit_mode",
                "The key bindings.",
                one_of(EDIT_MODE).default("emacs"),
            )]),
        ),
    ])
}

pub(super) fn template() -> Spec {
    table([field(
        "values",
        "The variables that a query template may use.",
        map(
            KeyKind::Variable,
            json().doc("The value of a template variable."),
        ),
    )])
}

pub(super) fn user() -> Spec {
    table([field(
        "name",
        "The name under which messages are recorded.",
        plain(),
    )])
}
