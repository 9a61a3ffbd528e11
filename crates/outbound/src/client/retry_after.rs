//! Parses `Retry-After` (RFC 9110 section 10.2.3), up to the longest wait that is honoured (S-35).

use std::time::{Duration, UNIX_EPOCH};

use crate::limits::RETRY_AFTER_MAX;

/// Parses seconds, or a date in any of HTTP's three forms. A past date is a wait of zero. Any other
/// text is ignored.
pub(super) fn parse(text: &str, now_seconds: i64) -> Option<Duration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|next| next.is_ascii_digit()) {
        // Digits fail to parse only when the number is too large, and then the cap applies.
        let wait = text.parse().map_or(RETRY_AFTER_MAX, Duration::from_secs);
        return Some(wait.min(RETRY_AFTER_MAX));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let date = date.duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = Duration::from_secs(now_seconds.try_into().unwrap_or_default());
    Some(date.saturating_sub(now).min(RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seconds_and_dates_up_to_an_hour() {
        // Sun, 06 Nov 1994 08:49:37 GMT, RFC 9110's own example.
        let moment = 784_111_777;
        for (text, now_seconds, expected) in [
            ("0", 0, Some(0)),
            ("120", 0, Some(120)),
            (" 120 ", 0, Some(120)),
            ("3600", 0, Some(3600)),
            ("3601", 0, Some(3600)),
            ("99999999999999999999999999", 0, Some(3600)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", moment - 90, Some(90)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", moment - 90, Some(90)),
            ("Sun Nov  6 08:49:37 1994", moment - 90, Some(90)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", moment + 1, Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0, Some(3600)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", i64::MIN, Some(3600)),
            ("", 0, None),
            ("-1", 0, None),
            ("+1", 0, None),
            ("1.5", 0, None),
            ("soon", 0, None),
            ("Sun, 06 Nov 1994 08:49:37 +0100", 0, None),
        ] {
            let expected = expected.map(Duration::from_secs);
            assert_eq!(parse(text, now_seconds), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic_or_wait_longer(text in ".*", now_seconds in any::<i64>()) {
            prop_assert!(parse(&text, now_seconds).is_none_or(|wait| wait <= RETRY_AFTER_MAX));
        }
    }
}
