//! How long a provider asks to wait.
//!
//! ```text
//! retry-after: 20
//! retry-after: Sun, 22 Nov 2026 16:00:20 GMT
//! retry-after-ms: 1500
//! ```

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

/// The header of OpenAI's that is finer than seconds.
const MILLISECONDS: HeaderName = HeaderName::from_static("retry-after-ms");

/// The wait that the headers of an answer ask for, as a number or as a date; one that is past is none.
///
/// A date is counted from the provider's own clock, where it says what time it has.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &HeaderName| Some(headers.get(name)?.to_str().ok()?.trim());
    let number = |name: &HeaderName| text(name)?.parse::<f64>().ok();
    if let Some(milliseconds) = number(&MILLISECONDS) {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    if let Some(seconds) = number(&RETRY_AFTER) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name: &HeaderName| OffsetDateTime::parse(text(name)?, &Rfc2822).ok();
    let until = date(&RETRY_AFTER)?;
    let now = date(&DATE).unwrap_or_else(OffsetDateTime::now_utc);
    (until - now).try_into().ok()
}

#[cfg(test)]
#[path = "retry_after_tests.rs"]
mod tests;
