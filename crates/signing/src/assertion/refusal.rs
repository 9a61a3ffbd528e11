//! Why a client assertion is refused: one text for the log, another for the caller.

use thiserror::Error;

use super::{MAX_CLOCK_SKEW_SECONDS, MAX_ID_CHARS, Profile};
use crate::algorithm::Algorithm;
use crate::jws::JwsError;

/// Why an assertion is refused. `Display` is for the log and shows the values;
/// [`Self::description`] is for the caller.
#[derive(Debug, Error)]
pub enum AssertionRefusal {
    /// The assertion is not a compact JWS with a JSON object as payload.
    #[error("the assertion is not an acceptable JWS: {0}")]
    Malformed(#[from] JwsError),
    /// The client's profile does not allow the algorithm.
    #[error("alg {} is not allowed in the profile {}", algorithm.as_str(), profile.as_str())]
    AlgorithmNotAllowed {
        /// The header's `alg`.
        algorithm: Algorithm,
        /// The client's profile.
        profile: Profile,
    },
    /// The client registered another algorithm.
    #[error("alg {} is not the registered {}", algorithm.as_str(), pinned.as_str())]
    AlgorithmNotPinned {
        /// The header's `alg`.
        algorithm: Algorithm,
        /// The registered algorithm.
        pinned: Algorithm,
    },
    /// No registered key has the header's `kid`.
    #[error("kid {0:?} is not among the client's registered keys")]
    UnknownKey(String),
    /// No registered key verifies the signature.
    #[error("the signature does not verify with the client's registered keys")]
    BadSignature,
    /// A required claim is absent.
    #[error("the claim {0} is missing")]
    ClaimMissing(&'static str),
    /// A claim has the wrong JSON type.
    #[error("the claim {0} has the wrong JSON type")]
    ClaimMistyped(&'static str),
    /// A string claim is empty or too long.
    #[error("the claim {claim} has {chars} characters; it must have 1 to {MAX_ID_CHARS}")]
    ClaimLength {
        /// The claim's name.
        claim: &'static str,
        /// How many characters it has.
        chars: usize,
    },
    /// A string claim contains a control character.
    #[error("the claim {0} contains a control character")]
    ClaimControl(&'static str),
    /// `iss` and `sub` differ.
    #[error("iss {issuer:?} is not sub {subject:?}")]
    IssuerIsNotSubject {
        /// The claim `iss`, shortened.
        issuer: String,
        /// The claim `sub`, shortened.
        subject: String,
    },
    /// `sub` is not the client that the keys belong to.
    #[error("the assertion names another client, not the owner of the keys")]
    WrongClient,
    /// `aud` is an array with one member, which FAPI 2.0 does not allow.
    #[error("aud is an array; the profile fapi2 needs a plain string")]
    AudienceInArray,
    /// `aud` has several members.
    #[error("aud names {0} audiences; only one is accepted")]
    SeveralAudiences(usize),
    /// `aud` is not this server.
    #[error("aud {audience:?} is not accepted in the profile {}", profile.as_str())]
    WrongAudience {
        /// The claim `aud`, shortened.
        audience: String,
        /// The client's profile.
        profile: Profile,
    },
    /// `exp` is not in the future.
    #[error("exp was {late_seconds} s ago")]
    Expired {
        /// How long ago `exp` was.
        late_seconds: i64,
    },
    /// `exp` is too far in the future.
    #[error(
        "exp is {ahead_seconds} s ahead; the profile {} allows {}",
        profile.as_str(),
        profile.max_lifetime_seconds()
    )]
    LivesTooLong {
        /// How far ahead `exp` is.
        ahead_seconds: i64,
        /// The client's profile.
        profile: Profile,
    },
    /// `nbf` or `iat` is too far in the future.
    #[error("{claim} is {ahead_seconds} s ahead; {MAX_CLOCK_SKEW_SECONDS} are allowed")]
    NotYet {
        /// `nbf` or `iat`.
        claim: &'static str,
        /// How far ahead it is.
        ahead_seconds: i64,
    },
}

impl AssertionRefusal {
    /// Whether the check that failed is the signature, or comes before it: the caller has proven nothing.
    pub const fn is_unproven(&self) -> bool {
        matches!(
            self,
            Self::AlgorithmNotAllowed { .. }
                | Self::AlgorithmNotPinned { .. }
                | Self::UnknownKey(_)
                | Self::BadSignature
        )
    }

    /// The `error_description` for the caller, in the characters of RFC 6749 section 5.2. It repeats
    /// nothing from the request and does not tell an unknown key from a bad signature.
    pub fn description(&self) -> &'static str {
        match self {
            Self::Malformed(_) => {
                "client_assertion must be a compact JWS: three unpadded base64url parts, alg \
                 PS256, ES256, EdDSA or RS256, no crit or embedded key, claims a JSON object"
            }
            Self::AlgorithmNotAllowed { .. } => {
                "the client is registered for FAPI 2.0: sign client_assertion with PS256, ES256 \
                 or EdDSA"
            }
            Self::AlgorithmNotPinned { .. } => {
                "sign client_assertion with the algorithm that the client registered"
            }
            Self::UnknownKey(_) | Self::BadSignature => {
                "sign client_assertion with a key of the client's registered key set, and name \
                 it in kid"
            }
            Self::ClaimMissing(claim)
            | Self::ClaimMistyped(claim)
            | Self::ClaimControl(claim)
            | Self::ClaimLength { claim, .. } => describe_claim(claim),
            Self::IssuerIsNotSubject { .. } | Self::WrongClient => {
                "iss and sub of client_assertion must both be the client id"
            }
            Self::AudienceInArray => {
                "aud of client_assertion must be the issuer as a plain string, not an array"
            }
            Self::SeveralAudiences(_) => "aud of client_assertion must name this issuer only",
            Self::WrongAudience { profile, .. } => match profile {
                Profile::Sector => {
                    "aud of client_assertion must be exactly the issuer or the token endpoint \
                     from this server's metadata"
                }
                Profile::Fapi2 => {
                    "aud of client_assertion must be exactly the issuer from this server's \
                     metadata"
                }
            },
            Self::Expired { .. } => {
                "client_assertion has expired: make a new one for each request and check the clock"
            }
            Self::LivesTooLong { profile, .. } => match profile {
                Profile::Sector => "exp of client_assertion must be at most 3600 seconds ahead",
                Profile::Fapi2 => "exp of client_assertion must be at most 300 seconds ahead",
            },
            Self::NotYet { .. } => {
                "iat and nbf of client_assertion must not be in the future: check the clock"
            }
        }
    }
}

/// The first characters of a caller's text, to bound the log.
pub(super) fn shorten(text: &str) -> String {
    text.chars().take(MAX_ID_CHARS).collect()
}

fn describe_claim(claim: &str) -> &'static str {
    match claim {
        "iss" | "sub" => {
            "client_assertion needs iss and sub, both the client id, a string of 1 to 256 \
             characters, none of them a control character"
        }
        "aud" => "client_assertion needs aud, the issuer as a string",
        "exp" => "client_assertion needs exp, an integer of Unix seconds",
        "jti" => "client_assertion needs jti, a fresh string of 1 to 256 characters",
        "nbf" | "iat" => "nbf and iat of client_assertion must be integers of Unix seconds",
        _ => "a claim of client_assertion is missing or of the wrong type",
    }
}
