//! Sealing: only the same key, the same context and the unaltered text open it.

use std::collections::HashSet;

use proptest::prelude::*;
use signing::base64url;
use signing::seal::{KeyEncryptionKey, KeyEncryptionKeys, SealError};

const CONTEXT: &str = "token key 1";
const PLAINTEXT: &[u8] = b"-----BEGIN PRIVATE KEY-----";
const MAX_PLAINTEXT_BYTES: usize = 64 * 1024;

fn generate() -> KeyEncryptionKey {
    KeyEncryptionKey::generate().unwrap()
}

#[test]
fn a_sealed_text_opens_again_and_its_key_can_be_written_down() {
    let key = generate();
    let written = key.to_base64url();
    assert_eq!(written.len(), 43);
    let read = KeyEncryptionKey::from_base64url(&written).unwrap();
    let longest = vec![0; MAX_PLAINTEXT_BYTES];
    for plaintext in [&b""[..], PLAINTEXT, &longest] {
        let sealed = key.seal(plaintext, CONTEXT).unwrap();
        assert_eq!(read.open(&sealed, CONTEXT).unwrap(), plaintext);
    }
    let too_long = key.seal(&[&longest[..], &[0]].concat(), CONTEXT);
    assert_eq!(too_long, Err(SealError::TooLong));
    assert_eq!(format!("{key:?}"), "KeyEncryptionKey { .. }");
}

#[test]
fn a_key_of_another_length_or_spelling_is_refused() {
    let mut texts = [0, 16, 31, 33]
        .map(|bytes| base64url::encode(&vec![1; bytes]))
        .to_vec();
    texts.push(format!("{}=", base64url::encode(&[1; 32])));
    texts.push("not base64url!".to_owned());
    for text in texts {
        let refusal = KeyEncryptionKey::from_base64url(&text).unwrap_err();
        assert_eq!(refusal, SealError::Key, "{text}");
    }
}

#[test]
fn another_key_context_or_form_does_not_open() {
    let key = generate();
    let sealed = key.seal(PLAINTEXT, CONTEXT).unwrap();
    assert_eq!(generate().open(&sealed, CONTEXT), Err(SealError::Refused));
    for context in ["", "token key 2", "token key 1 ", "Token key 1"] {
        let refusal = key.open(&sealed, context);
        assert_eq!(refusal, Err(SealError::Refused), "{context:?}");
    }
    let encoded = sealed.strip_prefix("v1.").unwrap();
    let zeros = |bytes| format!("v1.{}", base64url::encode(&vec![0; bytes]));
    for (text, expected) in [
        (String::new(), SealError::Malformed),
        ("v1.".to_owned(), SealError::Malformed),
        (encoded.to_owned(), SealError::Malformed),
        (format!("v2.{encoded}"), SealError::Malformed),
        (format!("{sealed}="), SealError::Malformed),
        (format!("{sealed}\n"), SealError::Malformed),
        (zeros(11), SealError::Malformed),
        (zeros(12), SealError::Refused),
        (zeros(28), SealError::Refused),
        (format!("v1.{}", "A".repeat(200_000)), SealError::TooLong),
    ] {
        let start: String = text.chars().take(40).collect();
        assert_eq!(key.open(&text, CONTEXT), Err(expected), "{start}");
    }
}

#[test]
fn a_nonce_is_never_used_again() {
    let key = generate();
    let nonces = (0..1000).map(|_| {
        let sealed = key.seal(PLAINTEXT, CONTEXT).unwrap();
        base64url::decode_strict(&sealed[3..]).unwrap()[..12].to_vec()
    });
    assert_eq!(nonces.collect::<HashSet<_>>().len(), 1000);
}

proptest! {
    #[test]
    fn sealing_keeps_every_plaintext(plaintext: Vec<u8>, context in "\\PC{0,40}") {
        let key = generate();
        let sealed = key.seal(&plaintext, &context).unwrap();
        prop_assert_eq!(key.open(&sealed, &context).unwrap(), plaintext);
    }

    #[test]
    fn no_altered_text_opens(position: prop::sample::Index, replacement in "[A-Za-z0-9_.=-]") {
        let key = generate();
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
        prop_assert!(generate().open(&text, CONTEXT).is_err());
        prop_assert!(KeyEncryptionKey::from_base64url(&text).is_err());
    }
}

#[test]
fn a_tag_belongs_to_text_key_and_purpose() {
    let line = || KeyEncryptionKey::generate().unwrap().to_base64url();
    let (old, new) = (line(), line());
    let derive = |lines: &str, purpose| {
        let keys = KeyEncryptionKeys::parse(lines).unwrap();
        keys.derive_authenticator(purpose).unwrap()
    };
    let tag = derive(&old, "cookie").tag("text");
    let both = format!("{new}\n{old}");
    for (lines, purpose, text, is_right) in [
        (&old, "cookie", "text", true),
        // While the key is replaced, the old one still verifies.
        (&both, "cookie", "text", true),
        (&new, "cookie", "text", false),
        (&old, "token", "text", false),
        (&old, "cookie", "texts", false),
    ] {
        let verified = derive(lines, purpose).verify(text, &tag);
        assert_eq!(verified, is_right, "{purpose} {text}");
    }
    for forged in ["", "AAAA", &tag[1..], &format!("{tag}A")] {
        assert!(!derive(&old, "cookie").verify("text", forged), "{forged}");
    }
    assert!(!derive(&both, "cookie").verify("text", &format!("{tag}=")));
}
