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
    let path = code(&found.path);
    let value = |value: &Value| code(&shortened(&toml_text::value(value), MAXIMUM_VALUE));
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
    markup.paragraph(&match (&found.replaced_by, &found.value) {
        (Some(above), _) => format!(
            "{path} has no value of its own: a stronger layer sets {} as a whole.",
            code(above)
        ),
        (None, _) if found.is_default => format!(
            "{path} is {}, the default: no config sets it.",
            value(&found.value)
        ),
        (None, Value::Null) => format!("{path} is not set, and has no default."),
        (None, set) => format!("{path} is {}{origin}.", value(set)),
    });
    if let Some((path, instead)) = &found.in_effect {
        markup.paragraph(&format!(
            "A zero here stands for {}: {} in a turn.",
            code(path),
            value(instead)
        ));
    }
    if found.layers.len() > 1 {
        markup.paragraph("Set by, the strongest first:");
        for (index, layer) in found.layers.iter().enumerate().rev() {
            let place = place(index).unwrap_or_default();
            markup.item(&format!("{place}: {}", value(&layer.value)));
        }
    }
    markup.finish()
}
