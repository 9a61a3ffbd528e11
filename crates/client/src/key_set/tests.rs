//! Tests of the time for which a key set is fresh.

use reqwest::header::{CACHE_CONTROL, HeaderMap, HeaderValue};

use super::read_max_age;

#[test]
fn max_age_is_read_and_limited() {
    let cases: [(&[&'static str], u64); 9] = [
        (&[], 300),
        (&["public, max-age=60"], 60),
        (&["public", "Max-Age=120"], 120),
        (&["max-age=\"90\""], 90),
        (&["max-age=999999999"], 3600),
        (&["max-age=99999999999999999999999"], 0),
        (&["max-age=soon"], 0),
        (&["max-age=60, no-store"], 0),
        (&["no-cache"], 0),
    ];
    for (fields, expected_seconds) in cases {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(CACHE_CONTROL, HeaderValue::from_static(field));
        }
        let seconds = read_max_age(&headers).as_secs();
        assert_eq!(seconds, expected_seconds, "for {fields:?}");
    }
}
