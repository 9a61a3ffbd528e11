//! Answers to requests with an `Idempotency-Key`, for repetitions of the request (S-52).

use crate::{Read, Result, Write};

/// The stored answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// Digest of the request's body. Another digest means another request.
    pub body_digest: String,
    /// HTTP status of the answer.
    pub status: i64,
    /// Body of the answer.
    pub body: String,
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
        "select body_digest, status, body from idempotency \
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
            })
        },
    )
}

/// Stores an answer, or replaces an expired one.
pub fn keep_answer(
    write: &mut Write<'_>,
    request: &AnswerKey<'_>,
    answer: &KeptAnswer,
    expires_at: i64,
) -> Result<()> {
    write.execute(
        "insert into idempotency (client_id, path, request_key, body_digest, status, body, \
         expires_at, bytes) values ($1, $2, $3, $4, $5, $6, $7, $8) \
         on conflict (client_id, path, request_key) do update set \
         body_digest = excluded.body_digest, status = excluded.status, body = excluded.body, \
         expires_at = excluded.expires_at, bytes = excluded.bytes",
        &[
            request.client_id.into(),
            request.path.into(),
            request.key.into(),
            (&answer.body_digest).into(),
            answer.status.into(),
            (&answer.body).into(),
            expires_at.into(),
            i64::try_from(answer.body.len()).unwrap_or(i64::MAX).into(),
        ],
    )?;
    Ok(())
}

/// Deletes at most `limit` expired answers. Returns their number.
pub fn delete_expired_answers(write: &mut Write<'_>, now: i64, limit: i64) -> Result<u64> {
    write.execute(
        "delete from idempotency where (client_id, path, request_key) in \
         (select client_id, path, request_key from idempotency where expires_at <= $1 \
         order by expires_at limit $2)",
        &[now.into(), limit.into()],
    )
}
