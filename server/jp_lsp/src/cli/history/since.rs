//! How far back to look: `30d`, `12h`, `2w`, or a date.

use std::{str::FromStr, time::Duration};

use jp_conversation::Timestamp;

/// How far back to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// So long before now.
    Age(Duration),
    /// From the beginning of a day, in UTC.
    Day(Timestamp),
}

/// Why a text says nothing of how far back to look.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "write a number of hours, days or weeks such as `12h`, `30d` or `2w`, or a date such as `2026-11-01`"
)]
pub struct SinceError;

impl Since {
    /// The moment from which on calls count.
    #[must_use]
    pub fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Age(age) => now.earlier_by(age),
            Self::Day(day) => day,
        }
    }
}

impl FromStr for Since {
    type Err = SinceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const HOUR: u64 = 60 * 60;
        let units = [("h", HOUR), ("d", 24 * HOUR), ("w", 7 * 24 * HOUR)];
        for (unit, seconds) in units {
            let Some(number) = text.strip_suffix(unit) else {
                continue;
            };
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
            let number = number.parse::<u64>().ok().filter(|_| is_number);
            let seconds = number.and_then(|number| number.checked_mul(seconds));
            return seconds
                .map(Duration::from_secs)
                .map(Self::Age)
                .ok_or(SinceError);
        }
        let day = format!("{text} 00:00:00").parse();
        day.map(Self::Day).map_err(|_| SinceError)
    }
}

#[cfg(test)]
#[path = "since_tests.rs"]
mod tests;
