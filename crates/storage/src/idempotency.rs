//! Answers to requests with an `Idempotency-Key`, for repetitions of the request (S-52).

use crate::quotas::{Used, add_used};
use crate::{Read, Result, Write};

/// Bytes on disk of an answer beside its texts.
const OVERHEAD_BYTES: usize = 200;

/// The stored answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// Digest of the request's body. Another digest means another request.
    pub body_digest: String,
    /// HTTP status of the answer.
    pub status: i64,
    /// Body of the answer.
    pub body: String,
    /// Digest of the branches for which the caller acted. `None`: an older program kept the answer.
    pub branches_digest: Option<String>,
}

impl KeptAnswer {
    /// The bytes that the answer takes on disk, about. Its key stands in the table and in an index.
    fn count_bytes(&self, request: &AnswerKey<'_>) -> i64 {
        let key = request.client_id.len() + request.path.len() + request.key.len();
        let bytes = OVERHEAD_BYTES + 2 * key + self.body_digest.len() + self.body.len();
        i64::try_from(bytes).unwrap_or(i64::MAX)
    }
}

/// The request of an answer. An index holds the three texts, so callers bound them to 2,000 bytes
/// together.
#[derive(Debug, Clone, Copy)]
pub struct AnswerKey<'a> {
    /// The client that sent the request.
    pub client_id: &'a str,
    /// The path of the request.
    pub path: &'a str,
    /// The `Idempotency-Key` of the request.
    pub key: &'a str,
}

/// Finds an answer that has not expired. The transaction of the request must call this, so that two
/// equal requests at the same time run once.
pub fn find_answer(
    read: &mut Read<'_>,
    request: &AnswerKey<'_>,
    now: i64,
) -> Result<Option<KeptAnswer>> {
    read.query_one(
        "select body_digest, status, body, branches_digest from idempotency \
         where client_id = $1 and path = $2 and request_key = $3 and expires_at > $4",
        &[
            request.client_id.into(),
            request.path.into(),
            request.key.into(),
            now.into(),
        ],
        |row| {
            Ok(KeptAnswer {
                body_digest: row.text(0)?,
                status: row.integer(1)?,
                body: row.text(2)?,
                branches_digest: row.optional_text(3)?,
            })
        },
    )
}

/// Stores an answer, or replaces an expired one, and adds its bytes to the total of the client.
pub fn keep_answer(
    write: &mut Write<'_>,
    request: &AnswerKey<'_>,
    answer: &KeptAnswer,
    expires_at: i64,
) -> Result<()> {
    let bytes = answer.count_bytes(request);
    add_used(write, request.client_id, Used::KeptBytes, bytes, expires_at)?;
    write.execute(
        "insert into idempotency (client_id, path, request_key, body_digest, status, body, \
         expires_at, bytes, branches_digest) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
         on conflict (client_id, path, request_key) do update set \
         body_digest = excluded.body_digest, status = excluded.status, body = excluded.body, \
         expires_at = excluded.expires_at, bytes = excluded.bytes, \
         branches_digest = excluded.branches_digest",
        &[
            request.client_id.into(),
            request.path.into(),
            request.key.into(),
            (&answer.body_digest).into(),
            answer.status.into(),
            (&answer.body).into(),
            expires_at.into(),
            i64::try_from(answer.body.len()).unwrap_or(i64::MAX).into(),
            answer.branches_digest.as_deref().into(),
        ],
    )?;
    Ok(())
}
