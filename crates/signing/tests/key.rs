//! Signing keys: made, read, written, used and published.

#![expect(
    clippy::unwrap_used,
    reason = "a test whose case cannot be set up must fail"
)]

use std::sync::LazyLock;

use proptest::prelude::*;
use signing::algorithm::Algorithm;
use signing::jwk::{JwkSet, PublicKey, VerifyError};
use signing::key::{KeyError, RsaSize, SigningKey};

/// The public key of RFC 8037 appendix A.2.
const ED25519_X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
/// RFC 8037 appendix A.1, the private key in the PKCS#8 form of RFC 8410.
const ED25519_PEM: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
";

static RSA: LazyLock<SigningKey> =
    LazyLock::new(|| SigningKey::generate(Algorithm::Rs256).unwrap());
static P256: LazyLock<SigningKey> =
    LazyLock::new(|| SigningKey::generate(Algorithm::Es256).unwrap());
static ED25519: LazyLock<SigningKey> =
    LazyLock::new(|| SigningKey::from_pkcs8_pem(ED25519_PEM, Algorithm::EdDsa).unwrap());

#[test]
fn each_key_verifies_with_its_own_algorithms_only() {
    let message = b"a message";
    for key in [&*RSA, &*P256, &*ED25519] {
        let signature = key.sign(message).unwrap();
        let pinned = key.public_key();
        assert_eq!(pinned.pinned(), Some(key.algorithm()));
        let mut jwk = pinned.to_jwk();
        jwk.as_object_mut().unwrap().remove("alg");
        let open = PublicKey::from_jwk(&jwk).unwrap();
        for algorithm in Algorithm::ALL {
            let refused = Err(VerifyError::AlgorithmNotAllowed);
            let bad = Err(VerifyError::BadSignature);
            let own = algorithm == key.algorithm();
            assert_eq!(pinned.fits(algorithm), own);
            assert_eq!(
                pinned.verify(algorithm, message, &signature),
                if own { Ok(()) } else { refused }
            );
            let other_rsa = key.algorithm() == Algorithm::Rs256 && algorithm == Algorithm::Ps256;
            assert_eq!(open.fits(algorithm), own || other_rsa);
            assert_eq!(
                open.verify(algorithm, message, &signature),
                match (own, other_rsa) {
                    (true, _) => Ok(()),
                    (false, true) => bad,
                    (false, false) => refused,
                }
            );
        }
        for wrong in [&signature[1..], &[&signature[..], &[0]].concat(), &[]] {
            assert_eq!(
                pinned.verify(key.algorithm(), message, wrong),
                Err(VerifyError::BadSignature)
            );
        }
    }
}

#[test]
fn a_signing_key_survives_its_pem() {
    let ps256 = SigningKey::from_pkcs8_pem(&RSA.to_pkcs8_pem().unwrap(), Algorithm::Ps256).unwrap();
    // One RSA key has one name, whichever algorithm it serves.
    assert_eq!(ps256.kid(), RSA.kid());
    for key in [&*RSA, &ps256, &*P256, &*ED25519] {
        let pem = key.to_pkcs8_pem().unwrap();
        assert!(pem.lines().all(|line| line.len() <= 64));
        let again = SigningKey::from_pkcs8_pem(&pem, key.algorithm()).unwrap();
        assert_eq!(again.kid(), key.kid());
        assert_eq!(again.algorithm(), key.algorithm());
        assert_eq!(key.public_key().kid(), Some(key.kid()));
        assert_eq!(key.kid(), key.public_key().thumbprint());
        let signature = again.sign(b"m").unwrap();
        key.public_key()
            .verify(key.algorithm(), b"m", &signature)
            .unwrap();
        let windows = pem.replace('\n', "\r\n");
        assert!(SigningKey::from_pkcs8_pem(&windows, key.algorithm()).is_ok());
    }
    assert_eq!(ED25519.to_pkcs8_pem().unwrap(), ED25519_PEM);
    assert_eq!(ED25519.public_key().to_jwk()["x"], ED25519_X);
}

#[test]
fn a_wrong_private_key_is_refused() {
    for algorithm in Algorithm::ALL {
        for key in [&*RSA, &*P256, &*ED25519] {
            let fits = match key.algorithm() {
                Algorithm::Rs256 | Algorithm::Ps256 => {
                    matches!(algorithm, Algorithm::Rs256 | Algorithm::Ps256)
                }
                Algorithm::Es256 | Algorithm::EdDsa => key.algorithm() == algorithm,
            };
            let read = SigningKey::from_pkcs8_pem(&key.to_pkcs8_pem().unwrap(), algorithm);
            assert_eq!(read.err(), (!fits).then_some(KeyError::WrongKey(algorithm)));
        }
    }
    for text in [
        String::new(),
        "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n".to_owned(),
        ED25519_PEM.replace("PRIVATE", "EC PRIVATE"),
        ED25519_PEM.replace("PRIVATE", "ENCRYPTED PRIVATE"),
        ED25519_PEM.repeat(2),
        ED25519_PEM.replace('9', "!"),
        ED25519_PEM.replace("MC4C", "MC4C====MC4C"),
        format!("{ED25519_PEM}{}", " ".repeat(17_000)),
    ] {
        let read = SigningKey::from_pkcs8_pem(&text, Algorithm::EdDsa);
        assert_eq!(read.err(), Some(KeyError::NotPem), "{text}");
    }
    for algorithm in [Algorithm::Es256, Algorithm::EdDsa] {
        let made = SigningKey::generate_rsa(algorithm, RsaSize::Bits2048);
        assert_eq!(made.err(), Some(KeyError::NotRsa(algorithm)));
    }
}

#[test]
fn rsa_keys_have_the_size_that_was_asked_for() {
    for (size, bytes) in [
        (RsaSize::Bits2048, 256),
        (RsaSize::Bits3072, 384),
        (RsaSize::Bits4096, 512),
    ] {
        let key = SigningKey::generate_rsa(Algorithm::Ps256, size).unwrap();
        assert_eq!(key.sign(b"").unwrap().len(), bytes);
        assert_eq!(key.algorithm(), Algorithm::Ps256);
        assert_eq!(key.public_key().to_jwk()["alg"], "PS256");
    }
}

#[test]
fn a_published_key_has_public_members_only() {
    let names = |key: &SigningKey| {
        let jwk = key.public_key().to_jwk();
        let names: Vec<_> = jwk.as_object().unwrap().keys().cloned().collect();
        assert_eq!(jwk["use"], "sig");
        assert_eq!(jwk["kid"], key.kid());
        assert_eq!(jwk["alg"], key.algorithm().as_str());
        let read = PublicKey::from_jwk(&jwk).unwrap();
        assert_eq!(read.to_jwk(), jwk);
        names.join(" ")
    };
    assert_eq!(names(&RSA), "alg e kid kty n use");
    assert_eq!(names(&P256), "alg crv kid kty use x y");
    assert_eq!(names(&ED25519), "alg crv kid kty use x");
}

#[test]
fn debug_output_shows_nothing_of_a_private_key() {
    let shown = format!("{:?}", *ED25519);
    let expected = format!(
        "SigningKey {{ kid: {:?}, alg: \"EdDSA\", .. }}",
        ED25519.kid()
    );
    assert_eq!(shown, expected);
}

#[test]
fn algorithm_names_are_exact() {
    for algorithm in Algorithm::ALL {
        assert_eq!(Algorithm::parse(algorithm.as_str()), Some(algorithm));
    }
    for name in [
        "none", "None", "HS256", "RS384", "ES512", "eddsa", "Ed25519", " RS256", "",
    ] {
        assert_eq!(Algorithm::parse(name), None);
    }
}

fn shared<T: Send + Sync>() {}

#[test]
fn keys_are_shared_between_threads() {
    shared::<SigningKey>();
    shared::<PublicKey>();
    shared::<JwkSet>();
}

proptest! {
    #[test]
    fn no_text_makes_the_pem_reader_panic(text in ".{0,200}") {
        let inside = format!("-----BEGIN PRIVATE KEY-----{text}-----END PRIVATE KEY-----");
        for algorithm in Algorithm::ALL {
            prop_assert!(SigningKey::from_pkcs8_pem(&text, algorithm).is_err());
            prop_assert!(SigningKey::from_pkcs8_pem(&inside, algorithm).is_err());
        }
    }
}
