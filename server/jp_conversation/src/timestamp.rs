//! Times as conversations write them: `"2026-03-18 13:19:12.069123"`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{OffsetDateTime, PrimitiveDateTime, UtcOffset};

use crate::error::ConversationError;

const WRITTEN: &[BorrowedFormatItem<'static>] =
    format_description!("[year]-[month]-[day] [hour]:[minute]:[second].[subsecond digits:1+]");
const WITHOUT_FRACTION: &[BorrowedFormatItem<'static>] =
    format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");

/// A moment in UTC.
///
/// Written as `YYYY-MM-DD HH:MM:SS.f` without an offset, the fraction as short as it can be (`.0` when it is zero).
/// RFC 3339 is read too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(OffsetDateTime);

impl Timestamp {
    /// 1970-01-01, what an event without a readable time gets.
    pub const EPOCH: Self = Self(OffsetDateTime::UNIX_EPOCH);

    /// The current time, to the microsecond.
    #[must_use]
    pub fn now() -> Self {
        Self::from_datetime(OffsetDateTime::now_utc())
    }

    /// A point in time, cut to the microsecond.
    #[must_use]
    pub fn from_datetime(datetime: OffsetDateTime) -> Self {
        let utc = datetime.to_offset(UtcOffset::UTC);
        Self(utc.replace_microsecond(utc.microsecond()).unwrap_or(utc))
    }

    /// The time as a value of the `time` crate, in UTC.
    #[must_use]
    pub const fn datetime(self) -> OffsetDateTime {
        self.0
    }

    /// The moment so long before this one; 1970 where that is earlier.
    #[must_use]
    pub fn earlier_by(self, duration: std::time::Duration) -> Self {
        let duration = time::Duration::try_from(duration).ok();
        let moment = duration.and_then(|duration| self.0.checked_sub(duration));
        moment.map_or(Self::EPOCH, Self).max(Self::EPOCH)
    }

    /// Tenths of a second since 1970, the number in a conversation id; 0 for an earlier time.
    #[must_use]
    pub fn deciseconds(self) -> u64 {
        u64::try_from(self.0.unix_timestamp_nanos() / 100_000_000).unwrap_or(0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.format(WRITTEN).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for Timestamp {
    type Err = ConversationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        PrimitiveDateTime::parse(text, WRITTEN)
            .or_else(|_| PrimitiveDateTime::parse(text, WITHOUT_FRACTION))
            .map(PrimitiveDateTime::assume_utc)
            .or_else(|_| {
                OffsetDateTime::parse(text, &Rfc3339).map(|time| time.to_offset(UtcOffset::UTC))
            })
            .map(Self)
            .map_err(|_| ConversationError::InvalidTimestamp {
                text: text.to_owned(),
            })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
#[path = "timestamp_tests.rs"]
mod tests;
