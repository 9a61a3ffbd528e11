//! Times compared with a model, and hostile texts.

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::assertion::Profile;
use signing::base64url;

use super::{check, claims, sign};
use crate::fixture::{ABSENT, NOW};

fn any_time() -> impl Strategy<Value = i64> {
    prop_oneof![NOW - 700..NOW + 700, any::<i64>()]
}

proptest! {
    #[test]
    fn times_agree_with_the_model(
        exp in any_time(),
        iat in proptest::option::of(any_time()),
        nbf in proptest::option::of(any_time()),
        fapi2: bool,
    ) {
        let claim = |time: Option<i64>| time.map_or(json!(ABSENT), Value::from);
        let change = json!({"exp": exp, "iat": claim(iat), "nbf": claim(nbf)});
        let (profile, lifetime) = if fapi2 { (Profile::Fapi2, 300) } else { (Profile::Sector, 3600) };
        let started = |time: Option<i64>| time.is_none_or(|time| time <= NOW + 60);
        let expected = (NOW + 1..=NOW + lifetime).contains(&exp) && started(iat) && started(nbf);
        let assertion = sign(&claims(&change));
        prop_assert_eq!(check(&assertion, profile, None).is_ok(), expected);
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,200}", header in "\\PC{0,40}", payload in "\\PC{0,80}") {
        let [header, payload] = [header, payload].map(|part| base64url::encode(part.as_bytes()));
        for text in [text, format!("{header}.{payload}.AA")] {
            prop_assert!(check(&text, Profile::Sector, None).is_err());
        }
    }
}
