//! Sealing: only the same key, the same context and the unaltered text open it.

use proptest::prelude::*;
use signing::base64url;
use signing::seal::{KeyEncryptionKey, MAX_PLAINTEXT_BYTES, SealError};

const CONTEXT: &str = "token key 1";
const PLAINTEXT: &[u8] = b"-----BEGIN PRIVATE KEY-----";

#[test]
fn what_is_sealed_opens_again() {
    let key = KeyEncryptionKey::generate().unwrap();
    let longest = vec![0; MAX_PLAINTEXT_BYTES];
    for plaintext in [&b""[..], PLAINTEXT, &longest] {
        let sealed = key.seal(plaintext, CONTEXT).unwrap();
        assert_eq!(key.open(&sealed, CONTEXT).unwrap(), plaintext);
    }
}

#[test]
fn the_key_survives_being_written_down() {
    let key = KeyEncryptionKey::generate().unwrap();
    let written = key.to_base64url();
    assert_eq!(written.len(), 43);
    let read = KeyEncryptionKey::from_base64url(&written).unwrap();
    let sealed = key.seal(PLAINTEXT, CONTEXT).unwrap();
    assert_eq!(read.open(&sealed, CONTEXT).unwrap(), PLAINTEXT);
}

#[test]
fn a_key_of_another_length_or_spelling_is_refused() {
    let padded = format!("{}=", base64url::encode(&[1; 32]));
    for text in [
        String::new(),
        base64url::encode(&[1; 16]),
        base64url::encode(&[1; 31]),
        base64url::encode(&[1; 33]),
        padded,
        "not base64url!".to_owned(),
    ] {
        assert_eq!(
            KeyEncryptionKey::from_base64url(&text).unwrap_err(),
            SealError::Key
        );
    }
}

#[test]
fn another_key_or_context_does_not_open() {
    let key = KeyEncryptionKey::generate().unwrap();
    let sealed = key.seal(PLAINTEXT, CONTEXT).unwrap();
    let other = KeyEncryptionKey::generate().unwrap();
    assert_eq!(other.open(&sealed, CONTEXT), Err(SealError::Refused));
    for context in ["", "token key 2", "token key 1 ", "Token key 1"] {
        assert_eq!(
            key.open(&sealed, context),
            Err(SealError::Refused),
            "{context:?}"
        );
    }
}

#[test]
fn a_text_of_another_form_is_refused() {
    let key = KeyEncryptionKey::generate().unwrap();
    let sealed = key.seal(PLAINTEXT, CONTEXT).unwrap();
    let encoded = sealed.strip_prefix("v1.").unwrap();
    let rows = [
        (String::new(), SealError::Malformed),
        ("v1.".to_owned(), SealError::Malformed),
        (encoded.to_owned(), SealError::Malformed),
        (format!("v2.{encoded}"), SealError::Malformed),
        (format!("{sealed}="), SealError::Malformed),
        (format!("{sealed}\n"), SealError::Malformed),
        (
            format!("v1.{}", base64url::encode(&[0; 11])),
            SealError::Malformed,
        ),
        (
            format!("v1.{}", base64url::encode(&[0; 12])),
            SealError::Refused,
        ),
        (
            format!("v1.{}", base64url::encode(&[0; 28])),
            SealError::Refused,
        ),
        (format!("v1.{}", "A".repeat(200_000)), SealError::TooLong),
    ];
    for (text, expected) in rows {
        let start: String = text.chars().take(40).collect();
        assert_eq!(key.open(&text, CONTEXT), Err(expected), "{start}");
    }
}

#[test]
fn too_long_a_plaintext_is_refused() {
    let key = KeyEncryptionKey::generate().unwrap();
    let plaintext = vec![0; MAX_PLAINTEXT_BYTES + 1];
    assert_eq!(key.seal(&plaintext, CONTEXT), Err(SealError::TooLong));
}

#[test]
fn a_nonce_is_never_used_again() {
    let key = KeyEncryptionKey::generate().unwrap();
    let nonces: std::collections::HashSet<Vec<u8>> = (0..1000)
        .map(|_| {
            let sealed = key.seal(PLAINTEXT, CONTEXT).unwrap();
            base64url::decode_strict(&sealed[3..]).unwrap()[..12].to_vec()
        })
        .collect();
    assert_eq!(nonces.len(), 1000);
}

#[test]
fn debug_shows_nothing_of_the_key() {
    let key = KeyEncryptionKey::generate().unwrap();
    assert_eq!(format!("{key:?}"), "KeyEncryptionKey { .. }");
}

proptest! {
    #[test]
    fn sealing_keeps_every_plaintext(plaintext: Vec<u8>, context in "\\PC{0,40}") {
        let key = KeyEncryptionKey::generate().unwrap();
        let sealed = key.seal(&plaintext, &context).unwrap();
        prop_assert_eq!(key.open(&sealed, &context).unwrap(), plaintext);
    }

    #[test]
    fn no_altered_text_opens(position: prop::sample::Index, replacement in "[A-Za-z0-9_.=-]") {
        let key = KeyEncryptionKey::generate().unwrap();
        let sealed = key.seal(PLAINTEXT, CONTEXT).unwrap();
        let position = position.index(sealed.len());
        let mut altered = sealed.clone();
        altered.replace_range(position..=position, &replacement);
        prop_assume!(altered != sealed);
        prop_assert!(key.open(&altered, CONTEXT).is_err());
        prop_assert!(key.open(&sealed[..position], CONTEXT).is_err(), "cut short");
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,100}") {
        let key = KeyEncryptionKey::generate().unwrap();
        prop_assert!(key.open(&text, CONTEXT).is_err());
        prop_assert!(KeyEncryptionKey::from_base64url(&text).is_err());
    }
}
