//! The schema of an evidence pack. It only describes it: crate `evidence` writes packs.

use utoipa::ToSchema;

use super::envelope::{ChainData, PayloadHash};
use super::shape::Summary;

/// Proof that each chain of an answer was a state of this service. Crate `evidence` of the source code says how
/// to verify it; `onward verify` and `examples/python/verify_evidence.py` do.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes evidence::pack::Pack")]
pub struct EvidencePack<'a> {
    answer: EvidenceAnswer<'a>,
    /// The form of the pack.
    #[schema(minimum = 1, maximum = 1)]
    form: u32,
    /// All statements about the key that signed the answer.
    #[schema(min_items = 1)]
    keys: Vec<EvidenceKey>,
    /// The state of each chain in the answer.
    #[schema(min_items = 1)]
    states: Vec<EvidenceState>,
}

/// The signed parts of the answer.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes evidence::pack::Answer")]
struct EvidenceAnswer<'a> {
    data: ChainData<'a>,
    provenance: EvidenceSignature,
}

/// The signature over `data`, without the time, which nothing proves.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes evidence::pack::Signature")]
struct EvidenceSignature {
    /// `RS256`.
    #[schema(pattern = "^RS256$")]
    alg: String,
    /// Id of the key.
    kid: String,
    payload_hash: PayloadHash,
    /// The signature, base64url.
    #[schema(pattern = "^[A-Za-z0-9_-]+$")]
    signature: String,
}

/// A statement about a key, and its place in the log.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes evidence::pack::LoggedKey")]
struct EvidenceKey {
    /// A C2SP tlog-proof.
    proof: String,
    statement: KeyStatement,
}

/// A change of a signing key.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes evidence::entry::KeyStatement")]
struct KeyStatement {
    /// The time of the change.
    #[schema(format = DateTime)]
    at: String,
    /// The form of the statement.
    #[schema(minimum = 1, maximum = 1)]
    form: u32,
    jwk: EvidenceJwk,
    /// Id of the key.
    kid: String,
    /// From when a revoked key is not to be believed.
    #[schema(nullable = false, format = DateTime)]
    not_believed_from: Option<String>,
    /// `provenance`.
    #[schema(pattern = "^provenance$")]
    purpose: String,
    state: EvidenceKeyState,
    /// `key`.
    #[schema(rename = "type", pattern = "^key$")]
    kind: String,
}

/// The new state of a key.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes evidence::entry::KeyState")]
enum EvidenceKeyState {
    Next,
    Current,
    Retired,
    Revoked,
}

/// The public key.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes the RSA keys of a key set")]
struct EvidenceJwk {
    /// `RS256`.
    #[schema(nullable = false, pattern = "^RS256$")]
    alg: Option<String>,
    /// The exponent, base64url.
    e: String,
    /// Id of the key.
    #[schema(nullable = false)]
    kid: Option<String>,
    /// `RSA`.
    #[schema(pattern = "^RSA$")]
    kty: String,
    /// The modulus, base64url.
    n: String,
    /// `sig`.
    #[schema(rename = "use", pattern = "^sig$")]
    usage: String,
}

/// A state, what opens its commitment, and its place in the log.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes evidence::pack::LoggedState")]
struct EvidenceState {
    /// Opens the entry of the log, base64url.
    nonce: String,
    /// Opens the digest of each property.
    opened: Vec<OpenedProperty>,
    /// A C2SP tlog-proof.
    proof: String,
    statement: StateStatement,
}

/// Opens the digest of a property.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes evidence::pack::Opened")]
struct OpenedProperty {
    /// The place of the property in the state, from 0.
    index: usize,
    /// The salt, base64url.
    salt: String,
}

/// A version of a chain. The properties are salted digests.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes evidence::entry::StateStatement")]
struct StateStatement {
    /// Id of the chain.
    #[schema(format = "uuid")]
    chain: String,
    /// The form of the statement.
    #[schema(minimum = 1, maximum = 1)]
    form: u32,
    /// The digest of each property, base64url.
    properties: Vec<String>,
    /// When the version was recorded.
    #[schema(format = DateTime)]
    recorded_at: String,
    summary: Summary,
    /// `state`.
    #[schema(rename = "type", pattern = "^state$")]
    kind: String,
    /// The number of the version.
    #[schema(minimum = 1)]
    version: i64,
}
