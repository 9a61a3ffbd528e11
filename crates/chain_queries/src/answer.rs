//! Makes signed answers. Caches documents by version and signatures by content.

use std::sync::Arc;

use axum::body::Bytes;
use chain::ids::{ChainId, ListingId};
use observe::clock;
use observe::trace;
use quick_cache::sync::Cache;
use signing::base64url;
use signing::canonical;
use signing::key::SigningKey;
use signing::provenance::{PayloadHash, Provenance};
use storage::address_search::CurrentListing;
use storage::sealing::SealedVersion;
use storage::{Read, Storage, sealed, state};
use tokens::signers::Signers;
use tracing::Instrument as _;
use web::problem::Problem;

use crate::answered_times::AnsweredTimes;
use crate::limits;
use crate::metrics::AnswerMetrics;
use crate::past::Past;
use crate::sealing;
use crate::wire::chains;

/// The settings of signed answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerSettings {
    /// The memory of the caches of documents and answers, in mebibytes.
    pub cache_mebibytes: u64,
    /// How long a signature is reused (S-13), in seconds; 0: never.
    pub signature_reuse_seconds: i64,
}

/// The caches and parts that make signed answers.
#[derive(Debug)]
pub struct Answers {
    documents: Cache<DocumentKey, Arc<[u8]>, ByLength>,
    signatures: Cache<SignatureKey, Arc<Signature>>,
    bodies: Cache<BodyKey, Arc<Signed>, ByLength>,
    signers: Arc<Signers>,
    reuse_seconds: i64,
    metrics: Arc<AnswerMetrics>,
    /// Keeps the state at a time as an answer gave it.
    pub(crate) times: AnsweredTimes,
}

/// The digest of the content, the key, and the span of time in which the signature is reused.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct SignatureKey {
    digest: [u8; 32],
    kid: String,
    span: i64,
}

#[derive(Debug)]
struct Signature {
    value: String,
    signed_at: String,
}

/// Everything that the body of an answer for one value depends on, except signing key and time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BodyKey {
    chain: ChainId,
    version: i64,
    rows: u64,
    queried: String,
    past: Option<Past>,
}

/// The chain, its version, and how many properties the document lacks because they were erased. So no node goes
/// on showing one that was erased.
type DocumentKey = (ChainId, i64, i64);

/// The rendered document of a chain.
#[derive(Debug, Clone)]
pub struct Document {
    /// The chain.
    pub chain: ChainId,
    /// The version of the chain.
    pub version: i64,
    /// How many properties it lacks because they were erased.
    pub erased: i64,
    bytes: Arc<[u8]>,
}

impl std::ops::Deref for Document {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A signed answer.
#[derive(Debug, Clone)]
pub struct Signed {
    /// The complete envelope of document 1.
    pub body: Bytes,
    /// The id of the key that signed it.
    pub kid: String,
    /// When it was signed, RFC 3339.
    pub signed_at: String,
    /// When the reuse of its signature ends (S-13), in Unix seconds.
    pub valid_before: i64,
}

/// Weighs entries by their bytes, so that the memory of a cache is bounded.
#[derive(Debug, Clone)]
struct ByLength;

impl quick_cache::Weighter<DocumentKey, Arc<[u8]>> for ByLength {
    fn weight(&self, _key: &DocumentKey, document: &Arc<[u8]>) -> u64 {
        document.len() as u64 + 96
    }
}

impl quick_cache::Weighter<BodyKey, Arc<Signed>> for ByLength {
    fn weight(&self, key: &BodyKey, signed: &Arc<Signed>) -> u64 {
        (signed.body.len() + key.queried.len()) as u64 + 256
    }
}

impl Answers {
    /// Makes empty caches of the configured sizes.
    pub fn new(
        settings: AnswerSettings,
        signers: Arc<Signers>,
        metrics: Arc<AnswerMetrics>,
    ) -> Self {
        // Half for documents, half for complete answers.
        let bytes_max = settings.cache_mebibytes.max(1) * 1024 * 512;
        let items = usize::try_from(bytes_max / 4096).unwrap_or(usize::MAX);
        Self {
            documents: Cache::with_weighter(items, bytes_max, ByLength),
            signatures: Cache::new(limits::SIGNATURES_CACHED_MAX),
            bodies: Cache::with_weighter(items, bytes_max, ByLength),
            signers,
            reuse_seconds: settings.signature_reuse_seconds,
            metrics,
            times: AnsweredTimes::default(),
        }
    }

    /// The document of the chain that the current listing is in; `None` if the listing was withdrawn
    /// since it was read.
    pub(crate) async fn find_document(
        &self,
        storage: &Storage,
        current: &CurrentListing,
    ) -> Result<Option<Document>, Problem> {
        if let Some(known) = self.find_known((current.chain, current.version, 0)) {
            return Ok(Some(known));
        }
        let listing = current.listing;
        let built = storage
            .read(move |read| build_document(read, listing))
            .instrument(trace::step("store read"))
            .await?;
        if let Some(document) = &built {
            self.metrics.documents_built.inc();
            let key = (document.chain, document.version, 0);
            self.documents.insert(key, Arc::clone(&document.bytes));
        }
        Ok(built)
    }

    /// The document of a version, if this node has it.
    fn find_known(&self, key: DocumentKey) -> Option<Document> {
        let bytes = self.documents.get(&key)?;
        let (chain, version, erased) = key;
        Some(Document {
            chain,
            version,
            erased,
            bytes,
        })
    }

    /// The document of a version, which may be a past one, and of which the store has just said how many
    /// properties were erased. `None` if it is not kept.
    pub(crate) async fn find_version(
        &self,
        storage: &Storage,
        (chain, version, erased): DocumentKey,
    ) -> Result<Option<Document>, Problem> {
        if let Some(known) = self.find_known((chain, version, erased)) {
            return Ok(Some(known));
        }
        let reading = storage
            .read(move |read| sealed::find_version(read, sealing::seal, chain, version))
            .instrument(trace::step("store read"));
        let found: Option<SealedVersion> = reading.await?;
        let Some(found) = found else {
            return Ok(None);
        };
        let mut bytes = sealing::open(&found.sealed).map_err(|reason| {
            Problem::Internal(format!("version {version} of chain {chain}: {reason}"))
        })?;
        // As `render_chain` leaves it out.
        bytes.pop();
        let bytes: Arc<[u8]> = bytes.into();
        let erased = found.erased;
        let key = (chain, version, erased);
        self.documents.insert(key, Arc::clone(&bytes));
        Ok(Some(Document {
            chain,
            version,
            erased,
            bytes,
        }))
    }

    /// The cached answer for one value, if this key signed it and its signature may still be
    /// reused. `wanted` names the chain's version, so the answer is as fresh as a newly rendered
    /// one.
    pub(crate) fn find_signed(
        &self,
        wanted: &BodyKey,
        key: &SigningKey,
        now: i64,
    ) -> Option<Arc<Signed>> {
        let known = self.bodies.get(wanted)?;
        let is_valid = now < known.valid_before && known.kid == key.kid();
        is_valid.then(|| {
            self.metrics.signatures_reused.inc();
            known
        })
    }

    /// Caches the answer for one value. `shown` names the chain and version that it shows.
    pub fn keep(&self, shown: BodyKey, signed: &Arc<Signed>) {
        if self.reuse_seconds > 0 {
            self.bodies.insert(shown, Arc::clone(signed));
        }
    }

    /// Makes the complete envelope of document 1 around `data`, which is canonical JSON.
    pub async fn sign(
        &self,
        data: Vec<u8>,
        key: &Arc<SigningKey>,
        now: i64,
    ) -> Result<Arc<Signed>, Problem> {
        let digest = canonical::digest(&data);
        let data = Bytes::from(data);
        let mut valid_before = now;
        let signature = if self.reuse_seconds > 0 {
            // Spans end at different times for different contents, so that not all signatures are
            // renewed at once.
            let offset = (i64::from(digest[0]) << 8 | i64::from(digest[1])) % self.reuse_seconds;
            let span = (now + offset) / self.reuse_seconds;
            valid_before = (span + 1) * self.reuse_seconds - offset;
            let wanted = SignatureKey {
                digest,
                kid: key.kid().to_owned(),
                span,
            };
            match self.signatures.get_value_or_guard_async(&wanted).await {
                Ok(known) => {
                    self.metrics.signatures_reused.inc();
                    known
                }
                // Other requests for the same content wait for this guard.
                Err(guard) => {
                    let made = self.make_signature(data.clone(), key, now).await?;
                    // This fails only if the entry was evicted meanwhile, which is harmless.
                    drop(guard.insert(Arc::clone(&made)));
                    made
                }
            }
        } else {
            self.make_signature(data.clone(), key, now).await?
        };
        Ok(Arc::new(Signed {
            body: envelope(&data, &digest, key, &signature)?,
            kid: key.kid().to_owned(),
            signed_at: signature.signed_at.clone(),
            valid_before,
        }))
    }

    async fn make_signature(
        &self,
        data: Bytes,
        key: &Arc<SigningKey>,
        now: i64,
    ) -> Result<Arc<Signature>, Problem> {
        let signing = Arc::clone(key);
        let value = self.signers.sign(move || signing.sign(&data)).await?;
        self.metrics.signatures.inc();
        Ok(Arc::new(Signature {
            value: base64url::encode(&value),
            signed_at: clock::to_rfc3339(now),
        }))
    }
}

impl BodyKey {
    /// The key of the answer that shows this version of a chain for the value `queried`. `rows` is
    /// the size of its page, and `past` is for an answer about the past.
    pub fn new(chain: ChainId, version: i64, queried: &str, rows: u64, past: Option<Past>) -> Self {
        Self {
            chain,
            version,
            rows,
            queried: queried.to_owned(),
            past,
        }
    }

    /// The key of the answer about one version.
    pub(crate) fn of_version(chain: ChainId, version: i64, past: Past) -> Self {
        // No query has pages of no rows.
        Self::new(chain, version, "", 0, Some(past))
    }
}

/// Renders the present chain of a listing, which may be another one by now. All rows are read in one
/// transaction (S-4).
fn build_document(read: &mut Read<'_>, listing: ListingId) -> Result<Option<Document>, Problem> {
    let Some(state) = state::find_chain_state_of_listing(read, listing)? else {
        return Ok(None);
    };
    let bytes =
        chains::render_chain(&state).map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(Some(Document {
        chain: state.chain.id(),
        version: state.version,
        erased: 0,
        bytes: bytes.into(),
    }))
}

fn envelope(
    data: &[u8],
    digest: &[u8; 32],
    key: &SigningKey,
    signature: &Signature,
) -> Result<Bytes, Problem> {
    let provenance = Provenance {
        alg: key.algorithm().as_str().to_owned(),
        kid: key.kid().to_owned(),
        payload_hash: PayloadHash {
            alg: "SHA-256".to_owned(),
            value: base64url::encode(digest),
        },
        signature: signature.value.clone(),
        signed_at: signature.signed_at.clone(),
    };
    let provenance = canonical::to_canonical(&provenance)
        .map_err(|error| Problem::Internal(error.to_string()))?;
    let mut body = Vec::with_capacity(data.len() + provenance.len() + 32);
    body.extend_from_slice(b"{\"data\":");
    body.extend_from_slice(data);
    body.extend_from_slice(b",\"provenance\":");
    body.extend_from_slice(&provenance);
    body.push(b'}');
    Ok(Bytes::from(body))
}
