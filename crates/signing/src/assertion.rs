//! The client assertion of the token request (RFC 7523, S-21): every check but replay.

use serde_json::{Map, Value};

use crate::algorithm::Algorithm;
use crate::jwk::JwkSet;
use crate::jws::{Unverified, VerifiedClaims};

pub use self::refusal::AssertionRefusal;

mod refusal;

/// How far `iat` and `nbf` may lie in the future (S-21).
pub const MAX_CLOCK_SKEW_SECONDS: i64 = 60;

/// The longest client id and `jti`, in characters.
pub const MAX_ID_CHARS: usize = 256;

/// Which set of rules a client registered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The sector's rules (S-21).
    Sector,
    /// The FAPI 2.0 Security Profile's narrower rules.
    Fapi2,
}

impl Profile {
    /// The stored and printed word: `sector` or `fapi2`.
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

    /// How far ahead `exp` may lie: 10 minutes, and 5 under FAPI 2.0 (S-21).
    pub fn max_lifetime_seconds(self) -> i64 {
        match self {
            Self::Sector => 600,
            Self::Fapi2 => 300,
        }
    }

    /// Whether the profile takes `algorithm`. FAPI 2.0 section 5.4.1 allows
    /// PS256, ES256 and EdDSA only.
    pub fn allows(self, algorithm: Algorithm) -> bool {
        match algorithm {
            Algorithm::Ps256 | Algorithm::Es256 | Algorithm::EdDsa => true,
            Algorithm::Rs256 => self == Self::Sector,
        }
    }
}

/// What an assertion is held to.
#[derive(Clone, Copy, Debug)]
pub struct AssertionRules<'a> {
    /// The profile that the client registered for.
    pub profile: Profile,
    /// The configured issuer identifier; never taken from the request, whose
    /// author could choose it.
    pub issuer: &'a str,
    /// The configured token endpoint URL, an audience for `sector` only.
    pub token_endpoint: &'a str,
    /// The one algorithm that the client registered, if it registered one.
    pub pinned: Option<Algorithm>,
}

/// An assertion that passed every check but replay; only [`check`] makes one.
///
/// It may still be a copy. The caller finishes by recording (client id, `jti`)
/// until `expires_at` in storage, atomically and as the last step, and refuses
/// the request when that pair is already there. Last, so that a refused
/// assertion uses up no `jti`; atomic, so that of parallel uses one succeeds.
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

    /// The assertion's id, single use for this client until `expires_at`.
    pub fn jti(&self) -> &str {
        &self.jti
    }

    /// The assertion's `exp`, Unix seconds.
    pub fn expires_at(&self) -> i64 {
        self.expires_at
    }
}

/// Reads who the assertion claims to come from, to look up that client's keys
/// and rules. Nothing is verified yet: only [`check`] authenticates.
///
/// # Errors
/// An [`AssertionRefusal`] unless `iss` and `sub` are the same string of 1 to
/// [`MAX_ID_CHARS`] characters (RFC 7523 section 3, items 1 and 2).
pub fn read_client_id(unverified: &Unverified) -> Result<String, AssertionRefusal> {
    let claims = unverified.unverified_claims()?;
    let subject = read_client(&claims)?;
    Ok(subject.to_owned())
}

/// Checks an assertion of the client `client_id` at `now` (Unix seconds), in
/// this order: algorithm, key, signature, client, audience, times, `jti`.
///
/// The replay check is not here, because it needs storage: see
/// [`CheckedAssertion`] for how the caller must finish.
///
/// # Errors
/// An [`AssertionRefusal`] that names the first check that failed; the answer
/// to the caller is `invalid_client`, 401 (RFC 6749 section 5.2).
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
    // RFC 7523 section 3 items 1 and 2; equal to the client whose keys and
    // rules were used, or another client's keys would authenticate this one.
    if read_client(claims)? != client_id {
        return Err(AssertionRefusal::WrongClient);
    }
    check_audience(claims, rules)?;
    let expires_at = check_times(claims, rules.profile, now)?;
    Ok(CheckedAssertion {
        client_id: client_id.to_owned(),
        jti: read_jti(claims)?.to_owned(),
        expires_at,
    })
}

/// The registration decides the algorithm, not the header (RFC 8725 section
/// 3.1). A pin does not widen the profile.
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

/// RFC 7523 section 3 item 9. With a `kid`, that key only; without one, each
/// registered key that fits the algorithm (S-21).
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
            .find_map(|key| unverified.verify(key).ok()),
    };
    if let Some(verified) = verified {
        return Ok(verified);
    }
    // A payload that is no object fails too; the log should say which it was.
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
    // It is looked up before anything is verified, and not every store takes a NUL.
    if subject.chars().any(char::is_control) {
        return Err(AssertionRefusal::ClaimControl("sub"));
    }
    Ok(subject)
}

/// RFC 7523 section 3 item 3, narrowed: one audience only, since an assertion
/// for several servers can be passed on by any of them (CVE-2025-27370), and
/// under FAPI 2.0 (section 5.3.2.1 item 8) the issuer as a plain string.
fn check_audience(
    claims: &Map<String, Value>,
    rules: &AssertionRules<'_>,
) -> Result<(), AssertionRefusal> {
    let sector = rules.profile == Profile::Sector;
    let audience = match claims.get("aud") {
        None => return Err(AssertionRefusal::ClaimMissing("aud")),
        Some(Value::String(audience)) => audience,
        Some(Value::Array(audiences)) => match audiences.as_slice() {
            [Value::String(audience)] if sector => audience,
            [Value::String(_)] => return Err(AssertionRefusal::AudienceInArray),
            [_, _, ..] => return Err(AssertionRefusal::SeveralAudiences(audiences.len())),
            [] | [_] => return Err(AssertionRefusal::ClaimMistyped("aud")),
        },
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            return Err(AssertionRefusal::ClaimMistyped("aud"));
        }
    };
    // Compared byte by byte: an issuer with a slash added is another issuer
    // (RFC 8414 section 3.3).
    if audience == rules.issuer || (sector && audience == rules.token_endpoint) {
        return Ok(());
    }
    Err(AssertionRefusal::WrongAudience {
        audience: refusal::shorten(audience),
        profile: rules.profile,
    })
}

/// RFC 7523 section 3 items 4 to 6. Returns `exp`.
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
    // Without an upper bound, a stolen assertion serves for as long as its
    // author liked, and its jti must be remembered as long.
    let ahead_seconds = expires_at.saturating_sub(now);
    if ahead_seconds > profile.max_lifetime_seconds() {
        return Err(AssertionRefusal::LivesTooLong {
            ahead_seconds,
            profile,
        });
    }
    for claim in ["nbf", "iat"] {
        if let Some(seconds) = read_seconds(claims, claim)?
            && seconds > now.saturating_add(MAX_CLOCK_SKEW_SECONDS)
        {
            return Err(AssertionRefusal::NotYet {
                claim,
                ahead_seconds: seconds.saturating_sub(now),
            });
        }
    }
    Ok(expires_at)
}

/// Required, beyond RFC 7523 section 3 item 7, because without it nothing
/// stops a replay.
fn read_jti(claims: &Map<String, Value>) -> Result<&str, AssertionRefusal> {
    read_id(claims, "jti")
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

/// An optional JSON integer. RFC 7519 section 2 would allow a fraction; a
/// string or a fraction is refused rather than skipped or rounded
/// (CVE-2026-25537 was a string that was skipped).
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
