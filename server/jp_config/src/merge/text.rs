//! Texts whose table form names a strategy.
//!
//! ```toml
//! system_prompt = "You help."                                                          # replaces
//! system_prompt = { value = "Be brief.", strategy = "append", separator = "space" }    # follows
//! ```

use indexmap::IndexMap;

use super::{Located, LocatedValue, located::together};
use crate::schema::{
    Strategy, WrapperSettings,
    wrapper::{VALUE, discards},
};

/// Joins two texts or wrappers; a value of the wrong type sets nothing.
pub(super) fn join(lower: Located, upper: Located) -> Located {
    let lower_text = match &lower.value {
        LocatedValue::String(text) => Some(text.clone()),
        LocatedValue::Table(table) => text_of(table),
        _ => return upper,
    };
    let is_discarded = discards(&lower);
    let WrapperSettings {
        strategy,
        separator,
        ..
    } = WrapperSettings::of(&upper);
    let (mut table, origins) = match upper.value {
        LocatedValue::Table(table) if !is_discarded => (table, upper.origins),
        LocatedValue::Table(_) | LocatedValue::String(_) => return upper,
        _ => return lower,
    };
    let own = text_of(&table);
    let text = match (lower_text, own, strategy) {
        (_, own, Some(Strategy::Replace)) => own,
        (Some(lower), Some(own), Some(Strategy::Append)) => {
            Some(format!("{lower}{separator}{own}"))
        }
        (Some(lower), Some(own), Some(Strategy::Prepend)) => {
            Some(format!("{own}{separator}{lower}"))
        }
        // Without a strategy, `jp` drops both texts: the `merge-trap` diagnostic warns of it.
        (Some(_), Some(_), _) => None,
        (lower, own, _) => own.or(lower),
    };
    let origins = match strategy {
        Some(Strategy::Replace) => origins,
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
    table.get(VALUE)?.value.as_str().map(str::to_owned)
}
