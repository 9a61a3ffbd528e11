//! Answers kept for requests that are sent again with the same `Idempotency-Key` (S-52).

use crate::{Read, Result, Write};

/// The first answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// Digest of the request's body, to tell a repetition from another request.
    pub body_digest: String,
    /// HTTP status of the answer.
    pub status: i64,
    /// Body of the answer.
    pub body: String,
}

/// Which request an answer belongs to. The three texts make an index entry, so
/// the caller holds them to 2,000 bytes together.
#[derive(Debug, Clone, Copy)]
pub struct AnswerKey<'a> {
    /// Who asked.
    pub client_id: &'a str,
    /// What was asked.
    pub path: &'a str,
    /// The client's own key for the request.
    pub key: &'a str,
}

/// Finds the answer to a request; an expired one counts no more. To be called in
/// the transaction that would do the request's work, so that two equal requests
/// at once do it once.
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

/// Keeps an answer, in place of an expired one if there is one.
pub fn keep_answer(
    write: &mut Write<'_>,
    request: &AnswerKey<'_>,
    answer: &KeptAnswer,
    expires_at: i64,
) -> Result<()> {
    write.execute(
        "insert into idempotency (client_id, path, request_key, body_digest, status, body, \
         expires_at) values ($1, $2, $3, $4, $5, $6, $7) \
         on conflict (client_id, path, request_key) do update set \
         body_digest = excluded.body_digest, status = excluded.status, body = excluded.body, \
         expires_at = excluded.expires_at",
        &[
            request.client_id.into(),
            request.path.into(),
            request.key.into(),
            (&answer.body_digest).into(),
            answer.status.into(),
            (&answer.body).into(),
            expires_at.into(),
        ],
    )?;
    Ok(())
}

/// Forgets at most `limit` answers that have expired by `now`; gives their number.
pub fn delete_expired_answers(write: &mut Write<'_>, now: i64, limit: i64) -> Result<u64> {
    write.execute(
        "delete from idempotency where (client_id, path, request_key) in \
         (select client_id, path, request_key from idempotency where expires_at <= $1 \
         order by expires_at limit $2)",
        &[now.into(), limit.into()],
    )
}
