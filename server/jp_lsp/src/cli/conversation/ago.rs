//! How long ago something was, in a few words.
//!
//! ```text
//! just now    5 minutes ago    3 hours ago    12 days ago    2026-01-20
//! ```

use jp_analysis::recorded::age;
use jp_conversation::Timestamp;

const MINUTE: i64 = 60;
const MONTH: i64 = 30 * 24 * 60 * MINUTE;

/// How long before `now` a moment was; from a month on, and where the clocks disagree, its date.
pub(super) fn ago(then: Timestamp, now: Timestamp) -> String {
    let seconds = (now.datetime() - then.datetime()).whole_seconds();
    if (-MINUTE + 1..MONTH).contains(&seconds) {
        return age(seconds);
    }
    let date = then.to_string();
    date.split(' ').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
#[path = "ago_tests.rs"]
mod tests;
