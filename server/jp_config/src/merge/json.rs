//! Free-form data: `options`, `template.values`.
//!
//! ```toml
//! [conversation.tools.t.options]
//! web.port = 3000                                          # tables merge deeply
//! hosts = ["a"]                                            # everything else replaces
//! words = { value = ["x"], strategy = "append" }           # unless it says otherwise, at any depth
//! ```

use indexmap::IndexMap;

use super::{Located, LocatedValue, list, located::together, map};
use crate::schema::{
    Strategy, Wrapped, WrapperSettings,
    wrapper::{VALUE, merges_by_key},
};

/// Joins two values by what the upper one is.
///
/// A wrapper that `jp` cannot read, for its unknown strategy for example, is a value like any other and stands as it is written.
pub(super) fn join(lower: Located, upper: Located) -> Located {
    match Wrapped::of(&upper) {
        Some(Wrapped::List) => return join_list(lower, upper),
        Some(Wrapped::Text) => return join_text(lower, &upper),
        Some(Wrapped::Map) => {}
        None if merges_by_key(&upper) => {}
        None => return replace(lower, upper),
    }
    match upper.value {
        LocatedValue::Table(_) => join_map(lower, upper),
        _ => replace(lower, upper),
    }
}

fn replace(lower: Located, upper: Located) -> Located {
    Located {
        value: upper.value,
        origins: together(lower.origins, upper.origins),
    }
}

fn join_map(lower: Located, upper: Located) -> Located {
    let origins = together(lower.origins.clone(), upper.origins.clone());
    let lower = if matches!(lower.value, LocatedValue::Table(_)) {
        lower
    } else {
        Located {
            value: LocatedValue::Table(IndexMap::new()),
            origins: lower.origins,
        }
    };
    let value = match (map::Parts::of(lower), map::Parts::of(upper)) {
        (Some(lower), Some(upper)) => {
            let joined = map::join_parts(lower, upper, &|_, lower, upper| join(lower, upper));
            LocatedValue::Table(joined.entries)
        }
        (Some(only), None) | (None, Some(only)) => LocatedValue::Table(only.entries),
        (None, None) => LocatedValue::Null,
    };
    Located { value, origins }
}

fn join_list(lower: Located, upper: Located) -> Located {
    let lower = match lower.value {
        LocatedValue::List(_) => lower,
        _ => Located {
            value: LocatedValue::List(Vec::new()),
            origins: lower.origins,
        },
    };
    list::plain(list::join(lower, upper, Strategy::Append))
}

fn join_text(lower: Located, upper: &Located) -> Located {
    let settings = WrapperSettings::of(upper);
    let separator = settings.separator;
    let base = lower.value.as_str().unwrap_or_default();
    let own = upper.get(VALUE).and_then(|own| own.value.as_str());
    let own = own.unwrap_or_default();
    let text = match settings.strategy {
        Some(Strategy::Append) => format!("{base}{separator}{own}"),
        Some(Strategy::Prepend) => format!("{own}{separator}{base}"),
        Some(Strategy::Replace) => own.to_owned(),
        None => String::new(),
    };
    Located {
        value: LocatedValue::String(text),
        origins: together(lower.origins, upper.origins.clone()),
    }
}
