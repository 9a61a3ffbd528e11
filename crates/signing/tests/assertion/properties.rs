//! Times against a model, and hostile texts.

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::assertion::Profile;
use signing::base64url;

use crate::fixture::{ABSENT, KEYS, NOW, check, claims, sign, sign_raw};

proptest! {
    #[test]
    fn times_agree_with_the_model(
        exp in any_time(),
        iat in proptest::option::of(any_time()),
        nbf in proptest::option::of(any_time()),
        fapi2: bool,
    ) {
        let absent = json!(ABSENT);
        let change = json!({
            "exp": exp,
            "iat": iat.map_or(absent.clone(), Value::from),
            "nbf": nbf.map_or(absent, Value::from),
        });
        let (profile, lifetime) = if fapi2 { (Profile::Fapi2, 300) } else { (Profile::Sector, 600) };
        let started = |time: Option<i64>| time.is_none_or(|time| time <= NOW + 60);
        let expected = (NOW + 1..=NOW + lifetime).contains(&exp) && started(iat) && started(nbf);
        let assertion = sign_raw(&json!({"alg": "EdDSA"}), &claims(change), &KEYS.eddsa);
        prop_assert_eq!(check(&assertion, profile, None).is_ok(), expected);
    }

    #[test]
    fn no_single_changed_character_passes(
        position: prop::sample::Index,
        replacement in "[A-Za-z0-9._=-]",
    ) {
        let good = sign(&claims(json!({})));
        let position = position.index(good.len());
        let mut changed = good.clone();
        changed.replace_range(position..=position, &replacement);
        prop_assume!(changed != good);
        prop_assert!(check(&changed, Profile::Sector, None).is_err());
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,200}", header in "\\PC{0,40}", payload in "\\PC{0,80}") {
        prop_assert!(check(&text, Profile::Sector, None).is_err());
        let encoded = format!(
            "{}.{}.AA",
            base64url::encode(header.as_bytes()),
            base64url::encode(payload.as_bytes()),
        );
        prop_assert!(check(&encoded, Profile::Fapi2, None).is_err());
    }
}

fn any_time() -> impl Strategy<Value = i64> {
    prop_oneof![NOW - 700..NOW + 700, any::<i64>()]
}
