//! A value as an item: in the quotes and with the commas that its place needs.
//!
//! ```toml
//! mode = "a"       # `ask`, between the quotes
//! enum = ["x" ]    # `, "y"`
//! ```

use serde_json::Value;

use super::{
    context::{Replaced, ValueSlot},
    item::{Item, ItemKind},
    template::Template,
};
use crate::text::toml_text;

impl ValueSlot<'_> {
    /// A string, in the quotes that are typed already where it can stand in them.
    pub(super) fn string(&self, value: &str, kind: ItemKind) -> Item {
        let (span, text, filter) = match self.replaced {
            Replaced::Inside { span, whole, quote } => match within(value, quote) {
                Some(text) => (span, text, value.to_owned()),
                None => (whole, toml_text::string(value), format!("{quote}{value}")),
            },
            Replaced::Whole {
                span,
                quote: Some(quote),
            } => {
                let text = within(value, quote).map_or_else(
                    || toml_text::string(value),
                    |inside| format!("{quote}{inside}{quote}"),
                );
                (span, text, format!("{quote}{value}"))
            }
            Replaced::Whole { span, quote: None } => {
                (span, toml_text::string(value), value.to_owned())
            }
        };
        let template = self.between_commas(&Template::plain(&text));
        Item::new(value, kind, template.edit(span)).with_filter(filter)
    }

    /// A value that is no string.
    pub(super) fn literal(&self, text: &str, detail: &str) -> Item {
        let quote = self.replaced.quote();
        let mut filter = quote.map_or_else(String::new, String::from);
        filter.push_str(text);
        let template = self.between_commas(&Template::plain(text));
        Item::new(text, ItemKind::Value, template.edit(self.replaced.whole()))
            .with_filter(filter)
            .with_detail(detail)
    }

    /// Both truth values.
    pub(super) fn booleans(&self) -> [Item; 2] {
        ["true", "false"].map(|value| self.literal(value, "boolean"))
    }

    /// A JSON value; `null` and tables are none.
    pub(super) fn json(&self, value: &Value, detail: &str) -> Option<Item> {
        match value {
            Value::String(text) => Some(self.string(text, ItemKind::Value).with_detail(detail)),
            Value::Bool(_) | Value::Number(_) => Some(self.literal(&value.to_string(), detail)),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// A value with places to fill in.
    pub(super) fn snippet(&self, label: impl Into<String>, template: &Template) -> Item {
        let edit = self.between_commas(template).edit(self.replaced.span());
        Item::new(label, ItemKind::Snippet, edit)
    }

    fn between_commas(&self, template: &Template) -> Template {
        let mut whole = Template::plain(self.commas.lead);
        whole.append(template);
        whole.text(self.commas.tail);
        whole
    }
}

/// A text as it stands between quotes, where it can.
fn within(value: &str, quote: char) -> Option<String> {
    let is_plain = !value.contains(|character: char| character.is_control());
    match quote {
        '\'' => (is_plain && !value.contains('\'')).then(|| value.to_owned()),
        _ if is_plain => Some(value.replace('\\', "\\\\").replace('"', "\\\"")),
        _ => None,
    }
}
