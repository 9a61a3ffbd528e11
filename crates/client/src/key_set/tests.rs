//! Tests of how long a key set counts as fresh.

use reqwest::header::{CACHE_CONTROL, HeaderMap, HeaderValue};

use super::read_max_age;

fn check(fields: &[&'static str], expected_seconds: u64) {
    let mut headers = HeaderMap::new();
    for field in fields {
        headers.append(CACHE_CONTROL, HeaderValue::from_static(field));
    }
    assert_eq!(
        read_max_age(&headers).as_secs(),
        expected_seconds,
        "for {fields:?}"
    );
}

#[test]
fn max_age_is_read_and_bounded() {
    check(&[], 300);
    check(&["public, max-age=60"], 60);
    check(&["public", "Max-Age=120"], 120);
    check(&["max-age=\"90\""], 90);
    check(&["max-age=999999999"], 3600);
    check(&["max-age=99999999999999999999999"], 0);
    check(&["max-age=soon"], 0);
    check(&["max-age=60, no-store"], 0);
    check(&["no-cache"], 0);
}
