//! Maps whose table form names a strategy.
//!
//! ```toml
//! labels = { team = "core" }                                            # merges deeply
//! labels = { value = { team = "core" }, strategy = "replace" }          # starts over
//! ```

use indexmap::{IndexMap, map::Entry};

use super::{
    Located, LocatedValue,
    located::{Origin, together},
};
use crate::schema::{
    MapStrategy, Wrapped,
    wrapper::{DISCARD, STRATEGY, VALUE, discards},
};

/// A map with what its wrapper says.
pub(super) struct Parts {
    pub(super) entries: IndexMap<String, Located>,
    strategy: Option<Located>,
    discard: bool,
    wrapped: bool,
    origins: Vec<Origin>,
}

impl Parts {
    /// The parts of a table: of a wrapper only where `value` is a table and `strategy` one that maps have.
    ///
    /// Nothing for any other value.
    pub(super) fn of(located: Located) -> Option<Self> {
        let is_wrapper = Wrapped::of(&located) == Some(Wrapped::Map);
        let discard = discards(&located);
        let origins = located.origins;
        let LocatedValue::Table(mut table) = located.value else {
            return None;
        };
        let plain = |entries| Self {
            entries,
            strategy: None,
            discard: false,
            wrapped: false,
            origins,
        };
        if !is_wrapper {
            return Some(plain(table));
        }
        let strategy = table
            .shift_remove(STRATEGY)
            .filter(|item| item.value != LocatedValue::Null);
        let entries = match table.shift_remove(VALUE).map(|item| item.value) {
            Some(LocatedValue::Table(entries)) => entries,
            _ => IndexMap::new(),
        };
        Some(Self {
            strategy,
            discard,
            wrapped: true,
            ..plain(entries)
        })
    }

    /// What the wrapper says, else that equal keys merge.
    fn strategy(&self) -> MapStrategy {
        self.strategy
            .as_ref()
            .and_then(|item| MapStrategy::parse(item.value.as_str()?))
            .unwrap_or(MapStrategy::DeepMerge)
    }

    fn located(self) -> Located {
        let origins = self.origins;
        let at = |value| Located {
            value,
            origins: origins.clone(),
        };
        let entries = at(LocatedValue::Table(self.entries));
        let (true, Some(strategy)) = (self.wrapped, self.strategy) else {
            return entries;
        };
        let mut table =
            IndexMap::from([(VALUE.to_owned(), entries), (STRATEGY.to_owned(), strategy)]);
        if self.discard {
            let discard = at(LocatedValue::Boolean(true));
            table.insert(DISCARD.to_owned(), discard);
        }
        at(LocatedValue::Table(table))
    }
}

/// Joins two maps, equal keys by `merge` where the strategy is to merge them.
pub(super) fn join(
    lower: Located,
    upper: Located,
    merge: &dyn Fn(&str, Located, Located) -> Located,
) -> Located {
    if !matches!(upper.value, LocatedValue::Table(_)) {
        return lower;
    }
    let Some(lower) = Parts::of(lower) else {
        return upper;
    };
    let Some(upper) = Parts::of(upper) else {
        return lower.located();
    };
    join_parts(lower, upper, merge).located()
}

/// [`join`] of what is read already.
pub(super) fn join_parts(
    lower: Parts,
    upper: Parts,
    merge: &dyn Fn(&str, Located, Located) -> Located,
) -> Parts {
    if lower.discard {
        return upper;
    }
    let strategy = upper.strategy();
    if strategy == MapStrategy::Replace {
        return upper;
    }
    let mut joined = upper;
    let own = std::mem::replace(&mut joined.entries, lower.entries);
    for (key, value) in own {
        match joined.entries.entry(key) {
            Entry::Vacant(slot) => {
                slot.insert(value);
            }
            Entry::Occupied(mut slot) => match strategy {
                MapStrategy::Keep => {}
                MapStrategy::DeepMerge => {
                    let before = std::mem::replace(slot.get_mut(), nothing());
                    let merged = merge(slot.key(), before, value);
                    slot.insert(merged);
                }
                MapStrategy::Merge | MapStrategy::Replace => {
                    slot.insert(value);
                }
            },
        }
    }
    joined.origins = together(lower.origins, joined.origins);
    joined
}

pub(super) fn nothing() -> Located {
    Located {
        value: LocatedValue::Missing,
        origins: Vec::new(),
    }
}

/// The map after a layer that does not mention it.
pub(super) fn pass_over(lower: Located) -> Located {
    let origins = lower.origins.clone();
    let Some(parts) = Parts::of(lower) else {
        return nothing();
    };
    let entries = if parts.discard {
        IndexMap::new()
    } else {
        parts.entries
    };
    Located {
        value: LocatedValue::Table(entries),
        origins,
    }
}

/// The entries alone.
pub(super) fn plain(located: Located) -> Located {
    let origins = located.origins.clone();
    match Parts::of(located) {
        Some(parts) => Located {
            value: LocatedValue::Table(parts.entries),
            origins,
        },
        None => Located {
            value: LocatedValue::Missing,
            origins,
        },
    }
}
