//! Signing keys: made, read, written, used and published.

use std::sync::LazyLock;

use proptest::prelude::*;
use signing::algorithm::Algorithm::{self, EdDsa, Es256, Ps256, Rs256};
use signing::jwk::{JwkSet, PublicKey, VerifyError};
use signing::key::{KeyError, RsaSize, SigningKey};

use crate::fixture::{as_ps256, key, names};

/// The public key of RFC 8037 appendix A.2.
const ED25519_X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
/// RFC 8037 appendix A.1, the private key in the PKCS#8 form of RFC 8410.
const ED25519_PEM: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
";

static ED25519: LazyLock<SigningKey> =
    LazyLock::new(|| SigningKey::from_pkcs8_pem(ED25519_PEM, EdDsa).unwrap());

/// RFC 8725 section 3.1.
#[test]
fn each_key_verifies_with_its_own_algorithms_only() {
    let message = b"a message";
    for key in [key(Rs256, 0), key(Es256, 0), &*ED25519] {
        let signature = key.sign(message).unwrap();
        let pinned = key.public_key();
        assert_eq!(pinned.pinned(), Some(key.algorithm()));
        let mut jwk = pinned.to_jwk();
        jwk.as_object_mut().unwrap().remove("alg");
        let open = PublicKey::from_jwk(&jwk).unwrap();
        for algorithm in Algorithm::ALL {
            let is_own = algorithm == key.algorithm();
            let is_other_rsa = key.algorithm() == Rs256 && algorithm == Ps256;
            let not_allowed = Err(VerifyError::AlgorithmNotAllowed);
            let expected = if is_own { Ok(()) } else { not_allowed };
            assert_eq!(pinned.verify(algorithm, message, &signature), expected);
            assert_eq!(pinned.fits(algorithm), is_own);
            let bad = Err(VerifyError::BadSignature);
            let expected = if is_other_rsa { bad } else { expected };
            assert_eq!(open.verify(algorithm, message, &signature), expected);
            assert_eq!(open.fits(algorithm), is_own || is_other_rsa);
        }
        for wrong in [&signature[1..], &[&signature[..], &[0]].concat(), &[]] {
            let verified = pinned.verify(key.algorithm(), message, wrong);
            assert_eq!(verified, Err(VerifyError::BadSignature));
        }
    }
}

#[test]
fn a_signing_key_is_read_from_the_pem_that_it_wrote() {
    let rs256 = key(Rs256, 0);
    let ps256 = as_ps256(rs256);
    // One RSA key has one id, whichever algorithm it serves.
    assert_eq!(ps256.kid(), rs256.kid());
    for key in [rs256, &ps256, key(Es256, 0), &*ED25519] {
        let pem = key.to_pkcs8_pem().unwrap();
        assert!(pem.lines().all(|line| line.len() <= 64));
        // RFC 7468 section 2 allows text around the block, and each form of line end.
        let with_text = format!("Bag Attributes\n  friendlyName: k\n{pem}\nthe end");
        for text in [&pem, &pem.replace('\n', "\r\n"), &with_text] {
            let read = SigningKey::from_pkcs8_pem(text, key.algorithm()).unwrap();
            assert_eq!(read.kid(), key.kid());
            assert_eq!(read.algorithm(), key.algorithm());
            let signature = read.sign(b"m").unwrap();
            let verified = key.public_key().verify(key.algorithm(), b"m", &signature);
            assert_eq!(verified, Ok(()));
        }
        assert_eq!(key.public_key().kid(), Some(key.kid()));
        assert_eq!(key.kid(), key.public_key().thumbprint());
    }
    assert_eq!(ED25519.to_pkcs8_pem().unwrap(), ED25519_PEM);
    assert_eq!(ED25519.public_key().to_jwk()["x"], ED25519_X);
}

#[test]
fn a_wrong_private_key_is_refused() {
    for algorithm in Algorithm::ALL {
        for key in [key(Rs256, 0), key(Es256, 0), &*ED25519] {
            let is_rsa = key.algorithm() == Rs256 && algorithm == Ps256;
            let fits = is_rsa || key.algorithm() == algorithm;
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
        let read = SigningKey::from_pkcs8_pem(&text, EdDsa);
        assert_eq!(read.err(), Some(KeyError::NotPem), "{text}");
    }
}

#[test]
fn rsa_keys_have_the_size_that_was_asked_for() {
    let sizes = [RsaSize::Bits2048, RsaSize::Bits3072, RsaSize::Bits4096];
    for (size, bits) in sizes.into_iter().zip([2048, 3072, 4096]) {
        let key = SigningKey::generate_rsa(Ps256, size).unwrap();
        assert_eq!(key.sign(b"").unwrap().len() * 8, bits);
        assert_eq!(key.public_key().rsa_bits(), Some(bits));
        assert_eq!(RsaSize::of(key.public_key()), Some(size));
        assert_eq!(key.public_key().to_jwk()["alg"], "PS256");
    }
    for algorithm in [Es256, EdDsa] {
        let made = SigningKey::generate_rsa(algorithm, RsaSize::Bits2048);
        assert_eq!(made.err(), Some(KeyError::NotRsa(algorithm)));
        assert_eq!(RsaSize::of(key(algorithm, 0).public_key()), None);
    }
}

#[test]
fn a_published_key_has_public_members_only() {
    for (key, expected) in [
        (key(Rs256, 0), "alg e kid kty n use"),
        (key(Es256, 0), "alg crv kid kty use x y"),
        (key(EdDsa, 0), "alg crv kid kty use x"),
    ] {
        let jwk = key.public_key().to_jwk();
        assert_eq!(names(&jwk), expected);
        assert_eq!(jwk["use"], "sig");
        assert_eq!(jwk["kid"], key.kid());
        assert_eq!(jwk["alg"], key.algorithm().as_str());
        assert_eq!(PublicKey::from_jwk(&jwk).unwrap().to_jwk(), jwk);
    }
    let kid = ED25519.kid();
    let shown = format!("SigningKey {{ kid: {kid:?}, alg: \"EdDSA\", .. }}");
    assert_eq!(format!("{:?}", *ED25519), shown);
}

/// RFC 7515 section 4.1.1.
#[test]
fn algorithm_names_are_exact() {
    for algorithm in Algorithm::ALL {
        assert_eq!(Algorithm::parse(algorithm.as_str()), Some(algorithm));
    }
    let names = "none None HS256 RS384 ES512 eddsa Ed25519".split(' ');
    for name in names.chain([" RS256", ""]) {
        assert_eq!(Algorithm::parse(name), None, "{name:?}");
    }
}

#[test]
fn keys_are_shared_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<SigningKey>();
    check::<PublicKey>();
    check::<JwkSet>();
}

proptest! {
    #[test]
    fn no_text_makes_the_pem_reader_panic(text in ".{0,200}") {
        let inside = format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----");
        for algorithm in Algorithm::ALL {
            prop_assert!(SigningKey::from_pkcs8_pem(&text, algorithm).is_err());
            prop_assert!(SigningKey::from_pkcs8_pem(&inside, algorithm).is_err());
        }
    }
}
