use pretty_assertions::assert_eq;
use reqwest::header::HeaderValue;

use super::*;

fn asked(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
    let headers = headers
        .iter()
        .map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        })
        .collect();
    retry_after(&headers)
}

#[test]
fn seconds_and_milliseconds() {
    assert_eq!(asked(&[]), None);
    assert_eq!(
        asked(&[("retry-after", " 20 ")]),
        Some(Duration::from_secs(20))
    );
    assert_eq!(
        asked(&[("retry-after", "1.5")]),
        Some(Duration::from_millis(1500))
    );
    assert_eq!(
        asked(&[("retry-after", "2"), ("retry-after-ms", "1500")]),
        Some(Duration::from_millis(1500))
    );
    for nonsense in ["", "soon", "-1", "NaN", "inf", "1e300"] {
        assert_eq!(asked(&[("retry-after", nonsense)]), None, "{nonsense}");
    }
}

#[test]
fn dates_count_from_the_clock_of_the_provider() {
    let until = |date: &'static str| {
        asked(&[
            ("date", "Sun, 22 Nov 2026 16:00:00 GMT"),
            ("retry-after", date),
        ])
    };
    assert_eq!(
        until("Sun, 22 Nov 2026 16:00:20 GMT"),
        Some(Duration::from_secs(20))
    );
    assert_eq!(until("Sun, 22 Nov 2026 15:00:00 GMT"), None);
    assert_eq!(until("Sun, 32 Nov 2026 15:00:00 GMT"), None);
    assert!(asked(&[("retry-after", "Fri, 22 Nov 2999 16:00:20 GMT")]).is_some());
}
