//! The two texts of a refusal, and the words of a profile.

use serde_json::json;
use signing::algorithm::Algorithm::{Es256, Ps256, Rs256};
use signing::assertion::{AssertionRefusal, Profile};
use signing::jws::Unverified;

use super::{check, claims};
use crate::fixture::{key, sign_raw};

const PROFILES: [Profile; 2] = [Profile::Sector, Profile::Fapi2];

/// RFC 6749 section 5.2.
#[test]
fn descriptions_keep_to_the_characters_of_rfc_6749() {
    for refusal in all_refusals() {
        let description = refusal.description();
        let is_allowed = |byte| matches!(byte, 0x20..=0x21 | 0x23..=0x5B | 0x5D..=0x7E);
        let is_clean = description.bytes().all(is_allowed) && !description.contains("  ");
        assert!(is_clean, "{refusal:?}: {description}");
        assert!(!refusal.to_string().contains('\n'), "one line: {refusal:?}");
        if let AssertionRefusal::ClaimMissing(claim) = refusal {
            assert!(description.contains(claim), "{claim} is in: {description}");
        }
    }
    for (profile, limit) in PROFILES.into_iter().zip(["3600", "300"]) {
        let ahead_seconds = 3601;
        let refusal = AssertionRefusal::LivesTooLong {
            ahead_seconds,
            profile,
        };
        assert!(refusal.description().contains(limit));
    }
}

#[test]
fn a_hostile_kid_does_not_fill_the_log() {
    let header = json!({"alg": "ES256", "kid": "x".repeat(4000)});
    let assertion = sign_raw(&header, &claims(&json!({})), key(Es256, 0));
    let refusal = check(&assertion, Profile::Sector, None).unwrap_err();
    assert!(refusal.to_string().len() < 400);
}

#[test]
fn profiles_are_written_and_read_as_one_word() {
    for (profile, word) in PROFILES.into_iter().zip(["sector", "fapi2"]) {
        assert_eq!(profile.as_str(), word);
        assert_eq!(Profile::parse(word), Some(profile));
    }
    for other in ["", "Sector", "FAPI2", "fapi2 "] {
        assert_eq!(Profile::parse(other), None);
    }
}

fn all_refusals() -> Vec<AssertionRefusal> {
    let (algorithm, pinned) = (Rs256, Ps256);
    let hostile = || "\"\\\n".to_owned();
    let mut refusals = vec![
        AssertionRefusal::from(Unverified::parse("x").unwrap_err()),
        AssertionRefusal::AlgorithmNotPinned { algorithm, pinned },
        AssertionRefusal::UnknownKey(hostile()),
        AssertionRefusal::BadSignature,
        AssertionRefusal::IssuerIsNotSubject {
            issuer: hostile(),
            subject: hostile(),
        },
        AssertionRefusal::WrongClient,
        AssertionRefusal::ClaimControl("sub"),
        AssertionRefusal::AudienceInArray,
        AssertionRefusal::SeveralAudiences(2),
        AssertionRefusal::Expired { late_seconds: 1 },
        AssertionRefusal::NotYet {
            claim: "iat",
            ahead_seconds: 61,
        },
    ];
    for claim in ["iss", "sub", "aud", "exp", "jti", "nbf", "iat"] {
        refusals.push(AssertionRefusal::ClaimMissing(claim));
        refusals.push(AssertionRefusal::ClaimMistyped(claim));
        refusals.push(AssertionRefusal::ClaimLength { claim, chars: 0 });
    }
    for profile in PROFILES {
        let (audience, ahead_seconds) = (hostile(), 3601);
        refusals.push(AssertionRefusal::AlgorithmNotAllowed { algorithm, profile });
        refusals.push(AssertionRefusal::WrongAudience { audience, profile });
        refusals.push(AssertionRefusal::LivesTooLong {
            ahead_seconds,
            profile,
        });
    }
    refusals
}
