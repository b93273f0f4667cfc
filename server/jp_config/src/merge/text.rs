//! Texts whose table form names a strategy.
//!
//! ```toml
//! system_prompt = "You help."                                                          # replaces
//! system_prompt = { value = "Be brief.", strategy = "append", separator = "space" }    # follows
//! ```

use indexmap::IndexMap;

use super::{Located, LocatedValue, located::together};

/// The key of a wrapper's text.
const VALUE: &str = "value";

/// Joins two texts or wrappers; a value of the wrong type sets nothing.
pub(super) fn join(lower: Located, upper: Located) -> Located {
    let (lower_text, is_discarded) = match &lower.value {
        LocatedValue::String(text) => (Some(text.clone()), false),
        LocatedValue::Table(table) => (text_of(table), flag(table, "discard_when_merged")),
        _ => return upper,
    };
    let (mut table, origins) = match upper.value {
        LocatedValue::Table(table) if !is_discarded => (table, upper.origins),
        LocatedValue::Table(_) | LocatedValue::String(_) => return upper,
        _ => return lower,
    };
    let strategy = name(&table, "strategy").map(str::to_owned);
    let separator = separator(name(&table, "separator"));
    let own = text_of(&table);
    let text = match (lower_text, own, strategy.as_deref()) {
        (_, own, Some("replace")) => own,
        (Some(lower), Some(own), Some("append")) => Some(format!("{lower}{separator}{own}")),
        (Some(lower), Some(own), Some("prepend")) => Some(format!("{own}{separator}{lower}")),
        // Without a strategy, `jp` drops both texts: the `merge-trap` diagnostic warns of it.
        (Some(_), Some(_), _) => None,
        (lower, own, _) => own.or(lower),
    };
    let origins = match strategy.as_deref() {
        Some("replace") => origins,
        _ => together(lower.origins, origins),
    };
    match text {
        Some(text) => {
            let text = Located {
                value: LocatedValue::String(text),
                origins: origins.clone(),
            };
            table.insert(VALUE.to_owned(), text);
        }
        None => {
            table.shift_remove(VALUE);
        }
    }
    Located {
        value: LocatedValue::Table(table),
        origins,
    }
}

/// The text alone; a wrapper without one is empty.
pub(super) fn plain(located: Located) -> Located {
    let value = match located.value {
        LocatedValue::Table(table) => LocatedValue::String(text_of(&table).unwrap_or_default()),
        value @ LocatedValue::String(_) => value,
        _ => LocatedValue::Missing,
    };
    Located {
        value,
        origins: located.origins,
    }
}

fn text_of(table: &IndexMap<String, Located>) -> Option<String> {
    name(table, VALUE).map(str::to_owned)
}

fn name<'a>(table: &'a IndexMap<String, Located>, key: &str) -> Option<&'a str> {
    table.get(key)?.value.as_str()
}

fn flag(table: &IndexMap<String, Located>, key: &str) -> bool {
    let value = table.get(key).and_then(|item| item.value.as_bool());
    value.unwrap_or(false)
}

/// What a separator's name stands for; nothing where it has none or an unknown one.
pub(super) fn separator(name: Option<&str>) -> &'static str {
    match name {
        Some("space") => " ",
        Some("line") => "\n",
        Some("paragraph") => "\n\n",
        _ => "",
    }
}
