//! Schemas of document 1's answer. They only describe it: the program assembles the answer from
//! bytes that are already rendered and signed.

use utoipa::ToSchema;

use super::explanation::ValueExplanation;
use super::shape::{ChainDocument, Pagination, Property, Summary};

/// Signed chains.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes the output of `answer::envelope`")]
pub struct ChainAnswer<'a> {
    data: ChainData<'a>,
    provenance: Provenance,
    /// One entry for each value of the query, in its order. Present only with `explain=true`, and not
    /// signed.
    explanation: Option<Vec<ValueExplanation>>,
    /// The names of fields and URL parameters that the query ignored: unknown ones, and `page` in the
    /// form. At most 10 are named. Present only with `explain=true`, and not signed.
    #[serde(rename = "ignoredFields")]
    ignored_fields: Option<Vec<String>>,
}

/// The signed object. The service signs and sends it in canonical form (RFC 8785).
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes the output of `render_data`")]
pub(super) struct ChainData<'a> {
    /// The time of which the answer gives the state. Present only if the query has `asOf`.
    #[schema(nullable = false, format = DateTime)]
    #[serde(rename = "asOf")]
    as_of: Option<String>,
    /// One chain for each value that matched, in the order of the request.
    data: Vec<Chain<'a>>,
    /// How many sales of these chains at that time were erased, and are left out. Absent if none was.
    #[schema(nullable = false, minimum = 1)]
    erased: Option<i64>,
    pagination: Pagination,
}

/// A signed version of a chain.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes the output of `answer::envelope`")]
pub struct VersionAnswer<'a> {
    data: VersionData<'a>,
    provenance: Provenance,
}

/// The signed object. The service signs and sends it in canonical form (RFC 8785).
#[derive(Debug, ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes the output of `render_version`")]
struct VersionData<'a> {
    /// When the version was recorded.
    #[schema(format = DateTime)]
    as_of: String,
    chain: KeptChain<'a>,
    /// How many sales of this version were erased, and are left out. Absent if none was.
    #[schema(nullable = false, minimum = 1)]
    erased: Option<i64>,
    /// The number of the version.
    #[schema(minimum = 1)]
    version: i64,
}

/// A chain as it was. The last version of a chain that is gone has no sales.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes the documents of `sealing::seal`")]
struct KeptChain<'a> {
    /// Id of the chain.
    #[schema(format = "uuid")]
    chain_id: String,
    /// Absent in the last version of a chain without sales.
    #[schema(nullable = false)]
    chain_summary: Option<Summary>,
    /// The chain that all sales moved into. Only in the last version of a chain that became a part of
    /// another one.
    #[schema(nullable = false, format = "uuid")]
    dissolved_into: Option<String>,
    /// All properties of the chain, from bottom to top. Empty if the last sale was withdrawn.
    #[schema(nullable = false)]
    properties: Option<Vec<Property<'a>>>,
}

/// The chain that a queried value led to.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes the output of `render_data`")]
struct Chain<'a> {
    #[serde(flatten)]
    document: ChainDocument<'a>,
    /// For a query by address, the value exactly as sent. For a query by UPRN, the address of
    /// the property.
    #[serde(rename = "queriedAddress")]
    queried_address: String,
}

/// The signature over `data`. To verify it, convert `data` to canonical form (RFC 8785) and
/// compare its digest with `payloadHash`. Then check the signature with the key `kid` of the
/// published key set.
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
    /// Signature over the canonical bytes, base64url.
    #[schema(pattern = "^[A-Za-z0-9_-]+$")]
    signature: String,
    /// When the signature was made. The service may reuse a signature of the same content for
    /// up to five minutes.
    #[schema(format = DateTime)]
    signed_at: String,
}

/// The digest of the canonical bytes of `data`.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes signing::provenance::PayloadHash")]
pub(super) struct PayloadHash {
    /// `SHA-256`.
    #[schema(pattern = "^SHA-256$")]
    alg: String,
    /// The digest, base64url.
    #[schema(pattern = "^[A-Za-z0-9_-]{43}$")]
    value: String,
}
