//! The effective value of a config path, in words.
//!
//! ```text
//! assistant.model.id is "anthropic/claude-sonnet-4-5", from .jp/config.toml:2.
//! ```

use serde_json::Value;

use super::style::Style;
use crate::{
    explain::ConfigValue,
    text::{
        markup::{Markup, code, shortened},
        toml_text,
    },
};

/// The most characters of a value that are shown.
const MAXIMUM_VALUE: usize = 200;

/// What a config path holds, where that comes from, and the layers that say something else.
#[must_use]
pub fn config(found: &ConfigValue, style: Style<'_>) -> String {
    let mut markup = Markup::new(style.kind);
    markup.paragraph(&effective_sentence(found, style));
    if let Some((path, instead)) = &found.in_effect {
        markup.paragraph(&format!(
            "A zero here stands for {}: {} in a turn.",
            code(path),
            shown(instead)
        ));
    }
    if found.layers.len() > 1 {
        markup.paragraph("Set by, the strongest first:");
        for layer in found.layers.iter().rev() {
            let place = style.place(&layer.path, layer.line + 1);
            markup.item(&format!("{place}: {}", shown(&layer.value)));
        }
    }
    markup.finish()
}

fn shown(value: &Value) -> String {
    code(&shortened(&toml_text::value(value), MAXIMUM_VALUE))
}

/// What a config path holds and where that stands, or why it holds nothing.
pub(crate) fn effective_sentence(found: &ConfigValue, style: Style<'_>) -> String {
    let path = code(&found.path);
    let place = |index: usize| {
        let layer = found.layers.get(index)?;
        Some(style.place(&layer.path, layer.line + 1))
    };
    let strongest = found.layers.len().checked_sub(1).and_then(place);
    let origin = match (&found.inherited_from, strongest) {
        (Some(from), Some(place)) => format!(", inherited from {} at {place}", code(from)),
        (Some(from), None) => format!(", inherited from {}", code(from)),
        (None, Some(place)) => format!(", from {place}"),
        (None, None) => String::new(),
    };
    match (&found.replaced_by, &found.value) {
        (Some(above), _) => format!(
            "{path} has no value of its own: a stronger layer sets {} as a whole.",
            code(above)
        ),
        (None, _) if found.is_default => format!(
            "{path} is {}, the default: no config sets it.",
            shown(&found.value)
        ),
        (None, Value::Null) => format!("{path} is not set, and has no default."),
        (None, set) => format!("{path} is {}{origin}.", shown(set)),
    }
}
