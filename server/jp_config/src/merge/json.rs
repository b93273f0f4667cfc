//! Free-form data: `options`, `template.values`.
//!
//! ```toml
//! [conversation.tools.t.options]
//! web.port = 3000                                          # tables merge deeply
//! hosts = ["a"]                                            # everything else replaces
//! words = { value = ["x"], strategy = "append" }           # unless it says otherwise, at any depth
//! ```

use indexmap::IndexMap;

use super::{Located, LocatedValue, list, located::together, map, text::separator};

/// Joins two values by what the upper one is.
///
/// A wrapper that `jp` cannot read, for its unknown strategy for example, is a value like any other and stands as it is written.
pub(super) fn join(lower: Located, upper: Located) -> Located {
    let wrapped = match &upper.value {
        LocatedValue::Table(table) if table.contains_key("strategy") => table.get("value"),
        _ => None,
    };
    match wrapped.map(|item| &item.value) {
        Some(LocatedValue::List(_)) => return join_list(lower, upper),
        Some(LocatedValue::String(_)) => return join_text(lower, upper),
        Some(LocatedValue::Table(_)) | None => {}
        Some(_) => return replace(lower, upper),
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
    let LocatedValue::Table(table) = &upper.value else {
        return replace(lower, upper);
    };
    if !is_list_wrapper(table) {
        return replace(lower, upper);
    }
    let lower = match lower.value {
        LocatedValue::List(_) => lower,
        _ => Located {
            value: LocatedValue::List(Vec::new()),
            origins: lower.origins,
        },
    };
    list::plain(list::join(lower, upper, crate::schema::Strategy::Append))
}

fn is_list_wrapper(table: &IndexMap<String, Located>) -> bool {
    table.iter().all(|(key, item)| match key.as_str() {
        "strategy" => is_one_of(item, &["append", "prepend", "replace"]),
        "dedup" => {
            matches!(item.value, LocatedValue::Null | LocatedValue::Boolean(_))
                || is_one_of(item, &["true", "false", "inherit"])
        }
        "discard_when_merged" => item.value.as_bool().is_some(),
        _ => true,
    })
}

fn join_text(lower: Located, upper: Located) -> Located {
    let LocatedValue::Table(table) = &upper.value else {
        return replace(lower, upper);
    };
    if !is_text_wrapper(table) {
        return replace(lower, upper);
    }
    let word = |key: &str| table.get(key).and_then(|item| item.value.as_str());
    let base = lower.value.as_str().unwrap_or_default();
    let own = word("value").unwrap_or_default();
    let separator = separator(word("separator"));
    let text = match word("strategy") {
        Some("append") => format!("{base}{separator}{own}"),
        Some("prepend") => format!("{own}{separator}{base}"),
        Some(_) => own.to_owned(),
        None => String::new(),
    };
    Located {
        value: LocatedValue::String(text),
        origins: together(lower.origins, upper.origins),
    }
}

fn is_text_wrapper(table: &IndexMap<String, Located>) -> bool {
    table.iter().all(|(key, item)| match key.as_str() {
        "value" => true,
        "strategy" => is_one_of(item, &["append", "prepend", "replace"]),
        "separator" => is_one_of(item, &["none", "space", "line", "paragraph"]),
        "discard_when_merged" => {
            matches!(item.value, LocatedValue::Null | LocatedValue::Boolean(_))
        }
        _ => false,
    })
}

/// Whether a value is one of some words, or `null`, which stands for none of them.
fn is_one_of(item: &Located, words: &[&str]) -> bool {
    match &item.value {
        LocatedValue::Null => true,
        LocatedValue::String(text) => words.contains(&text.as_str()),
        _ => false,
    }
}
