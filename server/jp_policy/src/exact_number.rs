//! Numbers that compare by value and never lose a digit.
//!
//! ```toml
//! { arg = "/count", const = 9007199254740993, mode = "ask" } # not equal to 9007199254740992
//! { arg = "/count", const = 1.0, mode = "ask" }              # equal to 1
//! ```

use std::{
    cmp::Ordering,
    hash::{Hash, Hasher},
};

use serde_json::{Number, Value};

/// 2^127: every double of a smaller magnitude that has no fraction fits an `i128`.
const INTEGER_LIMIT: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// A JSON number with the order of the real numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExactNumber {
    /// A whole number.
    Integer(i128),
    /// A finite double that has a fraction or that no `i128` holds.
    Real(f64),
}

impl ExactNumber {
    /// The value of `number`, or `None` for one that is not finite.
    pub(crate) fn new(number: &Number) -> Option<Self> {
        if let Some(integer) = number.as_i64() {
            return Some(Self::Integer(i128::from(integer)));
        }
        if let Some(integer) = number.as_u64() {
            return Some(Self::Integer(i128::from(integer)));
        }
        number.as_f64().and_then(Self::from_real)
    }

    fn from_real(real: f64) -> Option<Self> {
        if !real.is_finite() {
            return None;
        }
        if real.fract() == 0.0 && real.abs() < INTEGER_LIMIT {
            #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
            return Some(Self::Integer(real as i128));
        }
        Some(Self::Real(real))
    }

    /// Whether the number is whole.
    pub(crate) fn is_integer(self) -> bool {
        match self {
            Self::Integer(_) => true,
            Self::Real(real) => real.fract() == 0.0,
        }
    }

    /// The number as a JSON value, or `None` when no JSON value holds exactly this number.
    pub(crate) fn to_value(self) -> Option<Value> {
        match self {
            Self::Integer(integer) => {
                if let Ok(integer) = i64::try_from(integer) {
                    return Some(Value::from(integer));
                }
                if let Ok(integer) = u64::try_from(integer) {
                    return Some(Value::from(integer));
                }
                let real = nearest(integer);
                (Self::from_real(real) == Some(self)).then(|| Value::from(real))
            }
            Self::Real(real) => Number::from_f64(real).map(Value::Number),
        }
    }

    /// A number that a JSON value can hold, strictly between `low` and `high`; `None` for a bound is infinity.
    ///
    /// With `whole`, only whole numbers are considered.
    pub(crate) fn between(low: Option<Self>, high: Option<Self>, whole: bool) -> Option<Self> {
        let fits = |candidate: &Self| {
            low.is_none_or(|low| low < *candidate)
                && high.is_none_or(|high| *candidate < high)
                && (!whole || candidate.is_integer())
                && candidate.to_value().is_some()
        };
        let mut candidates: Vec<Option<Self>> = Vec::new();
        match (low, high) {
            (None, None) => candidates.push(Some(Self::Integer(0))),
            (Some(low), _) => candidates.push(low.next_integer()),
            (None, Some(high)) => candidates.push(high.previous_integer()),
        }
        if let (Some(low), Some(high)) = (low, high) {
            candidates.push(Self::from_real(low.real() / 2.0 + high.real() / 2.0));
        }
        if let Some(low) = low {
            let mut real = low.real();
            for _ in 0..3 {
                candidates.push(Self::from_real(real));
                real = real.next_up();
            }
        }
        if let Some(high) = high {
            let mut real = high.real();
            for _ in 0..3 {
                candidates.push(Self::from_real(real));
                real = real.next_down();
            }
        }
        candidates.into_iter().flatten().find(fits)
    }

    fn next_integer(self) -> Option<Self> {
        match self {
            Self::Integer(integer) => integer.checked_add(1).map(Self::Integer),
            Self::Real(real) => Self::from_real(real.ceil()),
        }
    }

    fn previous_integer(self) -> Option<Self> {
        match self {
            Self::Integer(integer) => integer.checked_sub(1).map(Self::Integer),
            Self::Real(real) => Self::from_real(real.floor()),
        }
    }

    fn real(self) -> f64 {
        match self {
            Self::Integer(integer) => nearest(integer),
            Self::Real(real) => real,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "the nearest double is wanted")]
fn nearest(integer: i128) -> f64 {
    integer as f64
}

fn integer_to_real(integer: i128, real: f64) -> Ordering {
    if real >= INTEGER_LIMIT {
        return Ordering::Less;
    }
    if real < -INTEGER_LIMIT {
        return Ordering::Greater;
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    let floor = real.floor() as i128;
    // A `Real` in this range has a fraction, so it lies strictly above its floor.
    if integer <= floor {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}

impl Ord for ExactNumber {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(left), Self::Integer(right)) => left.cmp(right),
            (Self::Real(left), Self::Real(right)) => left.total_cmp(right),
            (Self::Integer(left), Self::Real(right)) => integer_to_real(*left, *right),
            (Self::Real(left), Self::Integer(right)) => integer_to_real(*right, *left).reverse(),
        }
    }
}

impl PartialOrd for ExactNumber {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ExactNumber {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ExactNumber {}

impl Hash for ExactNumber {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Integer(integer) => integer.hash(state),
            Self::Real(real) => real.to_bits().hash(state),
        }
    }
}

#[cfg(test)]
#[path = "exact_number_tests.rs"]
mod tests;
