//! The checks of the client assertion in a token request (RFC 7523, S-21), except replay.

use serde_json::{Map, Value};

use crate::algorithm::Algorithm;
use crate::jwk::JwkSet;
use crate::jws::{Unverified, VerifiedClaims};

pub use self::refusal::AssertionRefusal;

mod refusal;

/// How far `iat` and `nbf` may be in the future (S-21).
const MAX_CLOCK_SKEW_SECONDS: i64 = 60;

/// The longest client id and `jti`, in characters.
pub const MAX_ID_CHARS: usize = 256;

/// The set of rules that a client registered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The sector's rules (S-21).
    Sector,
    /// The FAPI 2.0 Security Profile's narrower rules.
    Fapi2,
}

impl Profile {
    /// The word that is stored and shown: `sector` or `fapi2`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sector => "sector",
            Self::Fapi2 => "fapi2",
        }
    }

    /// Reads the word that [`Self::as_str`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "sector" => Some(Self::Sector),
            "fapi2" => Some(Self::Fapi2),
            _ => None,
        }
    }

    /// How far ahead `exp` may be: an hour, and 5 minutes under FAPI 2.0 (S-21).
    pub(crate) fn max_lifetime_seconds(self) -> i64 {
        match self {
            Self::Sector => 3600,
            Self::Fapi2 => 300,
        }
    }

    /// Whether the profile allows `algorithm`. FAPI 2.0 section 5.4.1 allows PS256, ES256 and EdDSA
    /// only.
    pub fn allows(self, algorithm: Algorithm) -> bool {
        match algorithm {
            Algorithm::Ps256 | Algorithm::Es256 | Algorithm::EdDsa => true,
            Algorithm::Rs256 => self == Self::Sector,
        }
    }
}

/// The rules that an assertion must follow.
#[derive(Clone, Copy, Debug)]
pub struct AssertionRules<'a> {
    /// The profile that the client registered for.
    pub profile: Profile,
    /// The configured issuer identifier, never one from the request.
    pub issuer: &'a str,
    /// The configured URL of the token endpoint, which `sector` accepts as an audience.
    pub token_endpoint: &'a str,
    /// The configured URL of the endpoint that got the assertion, which `sector` accepts as an audience too. It is
    /// no audience at any other endpoint.
    pub called_endpoint: &'a str,
    /// The algorithm that the client registered, if any.
    pub pinned: Option<Algorithm>,
}

/// An assertion that passed every check except replay. Only [`check`] makes a value.
///
/// As the last step the caller stores the pair of client id and `jti` until `expires_at`, and
/// refuses the request when the pair is stored already. This step is last, so that a refused
/// assertion uses up no `jti`. It is atomic, so that only one of parallel uses succeeds.
#[derive(Clone, Debug)]
pub struct CheckedAssertion {
    client_id: String,
    jti: String,
    expires_at: i64,
}

impl CheckedAssertion {
    /// The authenticated client.
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// The assertion's id, which the client may use once until `expires_at`.
    pub fn jti(&self) -> &str {
        &self.jti
    }

    /// The assertion's `exp`, Unix seconds.
    pub fn expires_at(&self) -> i64 {
        self.expires_at
    }
}

/// Reads the client id that the assertion names, to find that client's keys and rules. It is not
/// verified: only [`check`] authenticates.
///
/// # Errors
/// An [`AssertionRefusal`] unless `iss` and `sub` are the same string of 1 to [`MAX_ID_CHARS`]
/// characters without control characters (RFC 7523 section 3, items 1 and 2).
pub fn read_client_id(unverified: &Unverified) -> Result<String, AssertionRefusal> {
    let claims = unverified.unverified_claims()?;
    let subject = read_client(&claims)?;
    Ok(subject.to_owned())
}

/// Checks an assertion of the client `client_id` at `now` (Unix seconds), in this order:
/// algorithm, key, signature, client, audience, times, `jti`.
///
/// The caller must finish with the replay check, which needs storage: see [`CheckedAssertion`].
///
/// # Errors
/// The [`AssertionRefusal`] of the first check that fails. The caller answers `invalid_client`,
/// 401 (RFC 6749 section 5.2).
pub fn check(
    unverified: &Unverified,
    keys: &JwkSet,
    rules: &AssertionRules<'_>,
    client_id: &str,
    now: i64,
) -> Result<CheckedAssertion, AssertionRefusal> {
    check_algorithm(unverified.algorithm(), rules)?;
    let verified = verify_signature(unverified, keys)?;
    let claims = verified.claims();
    // RFC 7523 section 3 items 1 and 2. The keys and rules belong to `client_id`, so they must not
    // authenticate another client.
    if read_client(claims)? != client_id {
        return Err(AssertionRefusal::WrongClient);
    }
    check_audience(claims, rules)?;
    let expires_at = check_times(claims, rules.profile, now)?;
    Ok(CheckedAssertion {
        client_id: client_id.to_owned(),
        // RFC 7523 section 3 item 7 makes `jti` optional. Without it nothing would stop a replay.
        jti: read_id(claims, "jti")?.to_owned(),
        expires_at,
    })
}

/// The registration decides the algorithm, not the header (RFC 8725 section 3.1). A registered
/// algorithm that the profile does not allow is refused.
fn check_algorithm(
    algorithm: Algorithm,
    rules: &AssertionRules<'_>,
) -> Result<(), AssertionRefusal> {
    if !rules.profile.allows(algorithm) {
        return Err(AssertionRefusal::AlgorithmNotAllowed {
            algorithm,
            profile: rules.profile,
        });
    }
    match rules.pinned {
        Some(pinned) if pinned != algorithm => {
            Err(AssertionRefusal::AlgorithmNotPinned { algorithm, pinned })
        }
        Some(_) | None => Ok(()),
    }
}

/// So many keys are tried for an assertion without a `kid`. Everybody who knows a client's id can send
/// one, and each try costs a verification.
const KEYS_TRIED_MAX: usize = 16;

/// RFC 7523 section 3 item 9. A `kid` selects the key; without it each registered key is tried
/// (S-21).
fn verify_signature(
    unverified: &Unverified,
    keys: &JwkSet,
) -> Result<VerifiedClaims, AssertionRefusal> {
    let verified = match unverified.kid() {
        Some(kid) => {
            let key = keys
                .find(kid)
                .ok_or_else(|| AssertionRefusal::UnknownKey(refusal::shorten(kid)))?;
            unverified.verify(key).ok()
        }
        None => keys
            .keys()
            .iter()
            .take(KEYS_TRIED_MAX)
            .find_map(|key| unverified.verify(key).ok()),
    };
    if let Some(verified) = verified {
        return Ok(verified);
    }
    // A payload that is not an object has its own refusal.
    unverified.unverified_claims()?;
    Err(AssertionRefusal::BadSignature)
}

fn read_client(claims: &Map<String, Value>) -> Result<&str, AssertionRefusal> {
    let issuer = read_id(claims, "iss")?;
    let subject = read_id(claims, "sub")?;
    if issuer != subject {
        return Err(AssertionRefusal::IssuerIsNotSubject {
            issuer: refusal::shorten(issuer),
            subject: refusal::shorten(subject),
        });
    }
    // The client is looked up before the signature is verified, and some stores refuse a NUL.
    if subject.chars().any(char::is_control) {
        return Err(AssertionRefusal::ClaimControl("sub"));
    }
    Ok(subject)
}

/// RFC 7523 section 3 item 3, but for one audience only: any of several servers could pass the
/// assertion on (CVE-2025-27370). FAPI 2.0 section 5.3.2.1 item 8 asks for the issuer as a string.
fn check_audience(
    claims: &Map<String, Value>,
    rules: &AssertionRules<'_>,
) -> Result<(), AssertionRefusal> {
    let is_sector = rules.profile == Profile::Sector;
    let audience = match claims.get("aud") {
        None => return Err(AssertionRefusal::ClaimMissing("aud")),
        Some(Value::String(audience)) => audience,
        Some(Value::Array(audiences)) => match audiences.as_slice() {
            [Value::String(audience)] if is_sector => audience,
            [Value::String(_)] => return Err(AssertionRefusal::AudienceInArray),
            [_, _, ..] => return Err(AssertionRefusal::SeveralAudiences(audiences.len())),
            [] | [_] => return Err(AssertionRefusal::ClaimMistyped("aud")),
        },
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            return Err(AssertionRefusal::ClaimMistyped("aud"));
        }
    };
    // RFC 8414 section 3.3: an issuer with an added slash is another issuer.
    let endpoints = [rules.token_endpoint, rules.called_endpoint];
    if audience == rules.issuer || (is_sector && endpoints.contains(&audience.as_str())) {
        return Ok(());
    }
    Err(AssertionRefusal::WrongAudience {
        audience: refusal::shorten(audience),
        profile: rules.profile,
    })
}

/// Checks the times by RFC 7523 section 3 items 4 to 6 and returns `exp`.
fn check_times(
    claims: &Map<String, Value>,
    profile: Profile,
    now: i64,
) -> Result<i64, AssertionRefusal> {
    let expires_at = read_seconds(claims, "exp")?.ok_or(AssertionRefusal::ClaimMissing("exp"))?;
    if expires_at <= now {
        return Err(AssertionRefusal::Expired {
            late_seconds: now.saturating_sub(expires_at),
        });
    }
    // The bound limits how long a stolen assertion works and its `jti` must be stored.
    let ahead_seconds = expires_at.saturating_sub(now);
    if ahead_seconds > profile.max_lifetime_seconds() {
        return Err(AssertionRefusal::LivesTooLong {
            ahead_seconds,
            profile,
        });
    }
    check_not_ahead(claims, "nbf", now)?;
    check_not_ahead(claims, "iat", now)?;
    Ok(expires_at)
}

fn check_not_ahead(
    claims: &Map<String, Value>,
    claim: &'static str,
    now: i64,
) -> Result<(), AssertionRefusal> {
    let ahead_seconds = read_seconds(claims, claim)?.map_or(0, |time| time.saturating_sub(now));
    if ahead_seconds > MAX_CLOCK_SKEW_SECONDS {
        return Err(AssertionRefusal::NotYet {
            claim,
            ahead_seconds,
        });
    }
    Ok(())
}

/// A required string of 1 to [`MAX_ID_CHARS`] characters.
fn read_id<'a>(
    claims: &'a Map<String, Value>,
    name: &'static str,
) -> Result<&'a str, AssertionRefusal> {
    let text = claims
        .get(name)
        .ok_or(AssertionRefusal::ClaimMissing(name))?
        .as_str()
        .ok_or(AssertionRefusal::ClaimMistyped(name))?;
    let chars = text.chars().count();
    if chars == 0 || chars > MAX_ID_CHARS {
        return Err(AssertionRefusal::ClaimLength { claim: name, chars });
    }
    Ok(text)
}

/// An optional JSON integer. A string is refused, not skipped (CVE-2026-25537), and so is a
/// fraction, although RFC 7519 section 2 allows it.
fn read_seconds(
    claims: &Map<String, Value>,
    name: &'static str,
) -> Result<Option<i64>, AssertionRefusal> {
    match claims.get(name) {
        None => Ok(None),
        Some(value) => value
            .as_i64()
            .map(Some)
            .ok_or(AssertionRefusal::ClaimMistyped(name)),
    }
}
