//! Lists whose table form names a strategy.
//!
//! ```toml
//! access.fs = [{ path = "src" }]                                                # appends
//! access.fs = { value = [{ path = "src" }], strategy = "replace" }              # starts over
//! access.fs = { value = [{ path = "src" }], dedup = true }                      # drops equal elements, also of later layers
//! access.fs = { value = [{ path = "src" }], discard_when_merged = true }        # goes as soon as a later layer says something
//! ```

use std::collections::HashSet;

use indexmap::IndexMap;

use super::{Located, LocatedValue, Origin, located::together};
use crate::schema::{
    Strategy, WrapperSettings,
    wrapper::{DEDUP, DISCARD, STRATEGY, VALUE},
};

/// A list with what its wrapper says.
struct Parts {
    items: Vec<Located>,
    strategy: Option<Located>,
    dedup: Option<bool>,
    discard: bool,
    wrapped: bool,
    origins: Vec<Origin>,
}

/// Whether a value is of a type that a list may be written as.
fn is_list(located: &Located) -> bool {
    matches!(
        located.value,
        LocatedValue::List(_) | LocatedValue::String(_) | LocatedValue::Table(_)
    )
}

impl Parts {
    /// A plain list, without anything that a wrapper says.
    fn plain(items: Vec<Located>, origins: Vec<Origin>) -> Self {
        Self {
            items,
            strategy: None,
            dedup: None,
            discard: false,
            wrapped: false,
            origins,
        }
    }

    /// The parts of a list, a wrapper, or the mode that stands for one rule (RFD D25).
    fn of(located: Located) -> Self {
        let origins = located.origins.clone();
        let settings = WrapperSettings::of(&located);
        let LocatedValue::Table(mut table) = located.value else {
            return Self::plain(rules_of(located), origins);
        };
        let strategy = table
            .shift_remove(STRATEGY)
            .filter(|item| item.value.as_str().is_some());
        let items = table.shift_remove(VALUE).map(rules_of);
        Self {
            strategy,
            dedup: settings.dedup,
            discard: settings.discards,
            wrapped: true,
            ..Self::plain(items.unwrap_or_default(), origins)
        }
    }

    fn strategy(&self) -> Option<Strategy> {
        Strategy::parse(self.strategy.as_ref()?.value.as_str()?)
    }

    /// The partial value: plain where nothing but elements is left to say.
    fn located(self) -> Located {
        let origins = self.origins;
        let at = |value| Located {
            value,
            origins: origins.clone(),
        };
        let items = LocatedValue::List(self.items);
        if !self.wrapped {
            return Located {
                value: items,
                origins,
            };
        }
        let mut table = IndexMap::from([(VALUE.to_owned(), at(items))]);
        if let Some(strategy) = self.strategy {
            table.insert(STRATEGY.to_owned(), strategy);
        }
        if let Some(dedup) = self.dedup {
            table.insert(DEDUP.to_owned(), at(LocatedValue::Boolean(dedup)));
        }
        if self.discard {
            let discard = at(LocatedValue::Boolean(true));
            table.insert(DISCARD.to_owned(), discard);
        }
        at(LocatedValue::Table(table))
    }
}

/// Joins two lists; `default` is what a list without a strategy does.
///
/// A value of the wrong type is reported where it stands, and sets nothing.
pub(super) fn join(lower: Located, upper: Located, default: Strategy) -> Located {
    match (is_list(&lower), is_list(&upper)) {
        (true, true) => join_parts(Parts::of(lower), Parts::of(upper), default).located(),
        (_, false) => lower,
        (false, true) => upper,
    }
}

fn join_parts(lower: Parts, upper: Parts, default: Strategy) -> Parts {
    let dedup = upper.dedup.or(lower.dedup).unwrap_or(false);
    let strategy = upper.strategy().unwrap_or(default);
    let mut joined = upper;
    if !lower.discard {
        match strategy {
            Strategy::Replace => {}
            Strategy::Append => {
                let own = std::mem::replace(&mut joined.items, lower.items);
                joined.items.extend(own);
                joined.origins = together(lower.origins, joined.origins);
            }
            Strategy::Prepend => {
                joined.items.extend(lower.items);
                joined.origins = together(lower.origins, joined.origins);
            }
        }
    }
    if dedup {
        deduplicate(&mut joined.items);
        joined.wrapped = true;
    }
    joined.dedup = dedup.then_some(true);
    joined
}

/// The list after a layer that does not mention it.
pub(super) fn pass_over(lower: Located) -> Located {
    if !is_list(&lower) {
        return lower;
    }
    let parts = Parts::of(lower);
    let origins = parts.origins.clone();
    let nothing = Parts::plain(Vec::new(), Vec::new());
    let mut passed = join_parts(parts, nothing, Strategy::Append);
    // An emptied list still comes from where it was written.
    passed.origins = origins;
    passed.located()
}

/// The list over a layer that does not mention it.
pub(super) fn over_nothing(upper: Located) -> Located {
    if !is_list(&upper) {
        return upper;
    }
    let nothing = Parts::plain(Vec::new(), Vec::new());
    join_parts(nothing, Parts::of(upper), Strategy::Append).located()
}

/// Lists that only append, without a wrapper.
pub(super) fn append(lower: Located, upper: Located) -> Located {
    match (lower.value, upper.value) {
        (LocatedValue::List(mut items), LocatedValue::List(more)) => {
            items.extend(more);
            Located {
                value: LocatedValue::List(items),
                origins: together(lower.origins, upper.origins),
            }
        }
        (value @ LocatedValue::List(_), _) => Located {
            value,
            origins: lower.origins,
        },
        (_, value) => Located {
            value,
            origins: upper.origins,
        },
    }
}

/// The elements alone.
pub(super) fn plain(located: Located) -> Located {
    let parts = if is_list(&located) {
        Parts::of(located)
    } else {
        Parts::plain(Vec::new(), located.origins)
    };
    Located {
        value: LocatedValue::List(parts.items),
        origins: parts.origins,
    }
}

pub(super) fn deduplicate(list: &mut Vec<Located>) {
    let mut seen = HashSet::new();
    list.retain(|item| seen.insert(item.to_json().to_string()));
}

/// The rules of a policy value: a mode alone is a single rule without a condition (RFD D25).
#[must_use]
pub fn rules_of(located: Located) -> Vec<Located> {
    match located.value {
        LocatedValue::List(items) => items,
        LocatedValue::String(_) => {
            let origins = located.origins.clone();
            let table = IndexMap::from([("mode".to_owned(), located)]);
            vec![Located {
                value: LocatedValue::Table(table),
                origins,
            }]
        }
        _ => Vec::new(),
    }
}
