//! The whole of document 1's answer, for its description only: it is put
//! together from bytes that were rendered and signed before.

use utoipa::ToSchema;

use super::shape::{ChainDocument, Pagination};

/// Chains, signed.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes what `answer::envelope` writes")]
pub(crate) struct ChainAnswer<'a> {
    data: ChainData<'a>,
    provenance: Provenance,
}

/// What is signed: this whole object, in its canonical form (RFC 8785), which
/// is the form in which it is sent.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes what `render_data` writes")]
struct ChainData<'a> {
    /// One chain for each value that matched, in the order asked.
    data: Vec<Chain<'a>>,
    pagination: Pagination,
}

/// The chain that a queried value led to.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes what `render_data` writes")]
struct Chain<'a> {
    #[serde(flatten)]
    document: ChainDocument<'a>,
    /// Asked by address: the value exactly as sent. Asked by UPRN: the
    /// address of the property.
    #[serde(rename = "queriedAddress")]
    queried_address: String,
}

/// The signature over `data`. To verify it, bring `data` into its canonical
/// form (RFC 8785), compare its digest with `payloadHash`, and check the
/// signature with the key that `kid` names in the published key set.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes signing::provenance::Provenance")]
struct Provenance {
    /// `RS256`.
    #[schema(pattern = "^RS256$")]
    alg: String,
    /// Id of the signing key in the published key set.
    kid: String,
    payload_hash: PayloadHash,
    /// Signature of the canonical bytes, base64url.
    #[schema(pattern = "^[A-Za-z0-9_-]+$")]
    signature: String,
    /// When the signature was made. One of the same content may be up to five
    /// minutes old.
    #[schema(format = DateTime)]
    signed_at: String,
}

/// The digest of the canonical bytes.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes signing::provenance::PayloadHash")]
struct PayloadHash {
    /// `SHA-256`.
    #[schema(pattern = "^SHA-256$")]
    alg: String,
    /// The digest, base64url.
    #[schema(pattern = "^[A-Za-z0-9_-]{43}$")]
    value: String,
}
