//! Writes a change, its history and its kept answer in one transaction.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use chain::consent::ForeignLinks;
use chain::ids::ChainId;
use http::{HeaderName, HeaderValue, StatusCode};
use observe::clock::Clock;
use observe::trace;
use storage::idempotency::{self, AnswerKey, KeptAnswer};
use storage::{Storage, StorageError, Write};
use tracing::Instrument as _;
use web::problem::Problem;
use web::refusal::Class;

use super::author::Author;
use super::caller::BranchCaller;
use super::quotas;
use super::request_key::RequestKey;
use crate::ListingManagement;
use crate::limits;

const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The answer to a change, in a form that can be kept under a key (S-52).
pub trait Answer: Sized + Send + 'static {
    /// The HTTP status and the text to keep.
    fn to_kept(&self) -> (StatusCode, String);

    /// Reads the kept answer to a request of this path.
    fn of_kept(path: &str, status: StatusCode, text: String) -> Self;
}

/// The first answer to a request, or its repetition.
#[derive(Debug)]
pub struct Written<T> {
    /// The answer, or the refusal by a rule.
    pub outcome: Result<T, Problem>,
    is_replayed: bool,
}

impl<T: IntoResponse> IntoResponse for Written<T> {
    fn into_response(self) -> Response {
        let mut response = self.outcome.into_response();
        if self.is_replayed {
            let headers = response.headers_mut();
            headers.insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}

/// Runs `work` in one transaction. With a key, the same transaction keeps the first answer and repeats
/// it for 24 h (S-52). `work` may run again after a conflict.
///
/// A refusal rolls the transaction back, so that it changes nothing. With a key, a transaction of its
/// own keeps the refusal.
pub async fn write<T: Answer>(
    management: &ListingManagement,
    caller: BranchCaller,
    key: Option<RequestKey>,
    work: impl Fn(&mut Write<'_>, &Author<'_>) -> Result<T, Problem> + Send + Sync + 'static,
) -> Result<Written<T>, Problem> {
    let quota = match management.quotas.refuse_change(caller.actor()) {
        None if key.is_some() => quotas::refuse_kept_answer(management, caller.actor()).await?,
        refusal => refusal,
    };
    let pending = Arc::new(PendingWrite {
        caller,
        key,
        quota,
        clock: management.clock.clone(),
        foreign_links: management.foreign_links,
        offer_idle_seconds: management.offer_idle_seconds,
        work,
    });
    let storage = management.storage.clone();
    let sealed_bytes = management.quotas.sealed_bytes.clone();
    let charging = async move {
        let done = Arc::clone(&pending).run(&storage).await?;
        if let Some(sealed_bytes) = &sealed_bytes
            && !done.changed.is_empty()
        {
            let (actor, changed) = (pending.caller.actor(), done.changed.clone());
            quotas::charge_sealed(sealed_bytes, &storage, actor, changed).await;
        }
        Ok::<_, Problem>(done)
    };
    // A caller that hangs up pays too.
    let charging = tokio::spawn(charging.instrument(trace::step("store write")));
    let done = charging.await;
    let done = done.map_err(|error| Problem::Internal(error.to_string()))??;
    if done.is_due {
        management.wake.wake();
    }
    Ok(done.written)
}

/// One write of a caller.
struct PendingWrite<W> {
    caller: BranchCaller,
    key: Option<RequestKey>,
    /// The refusal of one more change, or of one more kept answer.
    quota: Option<Problem>,
    /// Each attempt has its own time, because it may have waited.
    clock: Clock,
    foreign_links: ForeignLinks,
    offer_idle_seconds: i64,
    work: W,
}

/// The end of a transaction.
struct Done<T> {
    written: Written<T>,
    /// Whether lanes have something new.
    is_due: bool,
    /// The chains that changed.
    changed: Vec<ChainId>,
    /// Whether the caller's branches have changed since the answer was kept.
    has_other_branches: bool,
}

/// The end of a trial, which is always rolled back.
enum Trial {
    /// The caller may make the call.
    Allowed,
    /// The caller may not, or the store failed.
    Ended(Problem),
}

impl<T, W> PendingWrite<W>
where
    T: Answer,
    W: Fn(&mut Write<'_>, &Author<'_>) -> Result<T, Problem> + Send + Sync + 'static,
{
    async fn run(self: Arc<Self>, storage: &Storage) -> Result<Done<T>, Problem> {
        let this = Arc::clone(&self);
        match storage.write(move |write| this.attempt(write)).await {
            Ok(done) if done.has_other_branches => {
                self.refuse_stranger(storage).await?;
                Ok(done)
            }
            Err(problem) if self.key.is_some() && is_final(&problem) => {
                storage
                    .write(move |write| self.keep_refusal(write, &problem))
                    .await
            }
            ended => ended,
        }
    }

    fn attempt(&self, write: &mut Write<'_>) -> Result<Done<T>, Problem> {
        self.caller.prove_again(write)?;
        if let Some(done) = self.replay(write)? {
            return Ok(done);
        }
        if let Some(refusal) = &self.quota {
            return Err(refusal.clone());
        }
        let answer = (self.work)(write, &self.author())?;
        if let Some(key) = &self.key {
            self.keep(write, key, answer.to_kept())?;
        }
        Ok(Done::first(Ok(answer), write))
    }

    /// Keeps a refusal, unless the same request was answered meanwhile.
    fn keep_refusal(&self, write: &mut Write<'_>, problem: &Problem) -> Result<Done<T>, Problem> {
        self.caller.prove_again(write)?;
        if let Some(done) = self.replay(write)? {
            return Ok(done);
        }
        if let Some(key) = &self.key {
            let (status, failure) = problem.to_failure();
            let text = serde_json::to_string(&failure);
            let text = text.map_err(|error| Problem::Internal(error.to_string()))?;
            self.keep(write, key, (status, text))?;
        }
        Ok(Done::first(Err(problem.clone()), write))
    }

    /// Refuses the repetition of an answer to a caller who may not make the call any more. This tries
    /// the call and rolls it back.
    async fn refuse_stranger(self: &Arc<Self>, storage: &Storage) -> Result<(), Problem> {
        let this = Arc::clone(self);
        let trying = storage.write(move |write| match (this.work)(write, &this.author()) {
            // Where the listing is gone, nobody can tell whether it would be the caller's now.
            Err(Problem::Refused(refusal))
                if matches!(refusal.class, Class::Forbidden | Class::Unknown) =>
            {
                Err::<(), _>(Trial::Ended(refusal.into()))
            }
            Ok(_) | Err(_) => Err(Trial::Allowed),
        });
        match trying.await {
            Err(Trial::Ended(problem)) => Err(problem),
            Ok(()) | Err(Trial::Allowed) => Ok(()),
        }
    }

    fn author(&self) -> Author<'_> {
        let now_milliseconds = self.clock.now_milliseconds();
        Author {
            caller: &self.caller,
            now: now_milliseconds / 1000,
            now_milliseconds,
            foreign_links: self.foreign_links,
            offer_idle_seconds: self.offer_idle_seconds,
        }
    }

    /// The kept answer to the same request, if there is one. Refuses a key of another request.
    fn replay(&self, write: &mut Write<'_>) -> Result<Option<Done<T>>, Problem> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let now = self.clock.now_seconds();
        let Some(kept) = idempotency::find_answer(write, &self.answer_key(key), now)? else {
            return Ok(None);
        };
        key.check(&kept.body_digest)?;
        let status = u16::try_from(kept.status).ok();
        let status = status.and_then(|status| StatusCode::from_u16(status).ok());
        let unreadable = || Problem::Internal("a kept answer is unreadable".to_owned());
        let status = status.ok_or_else(unreadable)?;
        let outcome = if status.is_client_error() {
            let failure = serde_json::from_str(&kept.body).map_err(|_error| unreadable())?;
            Err(Problem::of_failure(status, failure))
        } else {
            Ok(T::of_kept(&key.path, status, kept.body))
        };
        Ok(Some(Done {
            written: Written {
                outcome,
                is_replayed: true,
            },
            is_due: false,
            changed: Vec::new(),
            has_other_branches: kept.branches_digest != Some(self.caller.digest_branches()),
        }))
    }

    fn answer_key<'a>(&'a self, key: &'a RequestKey) -> AnswerKey<'a> {
        AnswerKey {
            client_id: self.caller.actor(),
            path: &key.path,
            key: &key.key,
        }
    }

    fn keep(
        &self,
        write: &mut Write<'_>,
        key: &RequestKey,
        answer: (StatusCode, String),
    ) -> Result<(), StorageError> {
        let (status, body) = answer;
        let kept = KeptAnswer {
            body_digest: key.digest.clone(),
            status: i64::from(status.as_u16()),
            body,
            branches_digest: Some(self.caller.digest_branches()),
        };
        let expires_at = self.clock.now_seconds() + limits::IDEMPOTENCY_SECONDS;
        idempotency::keep_answer(write, &self.answer_key(key), &kept, expires_at)
    }
}

/// Whether a key keeps this refusal.
fn is_final(problem: &Problem) -> bool {
    let is_passing = matches!(problem, Problem::Refused(refusal) if refusal.is_passing);
    matches!(problem, Problem::ValuesInvalid(_) | Problem::Refused(_)) && !is_passing
}

impl<T> Done<T> {
    fn first(outcome: Result<T, Problem>, write: &Write<'_>) -> Self {
        Self {
            written: Written {
                outcome,
                is_replayed: false,
            },
            is_due: write.has_enqueued(),
            changed: write.changed_chains(),
            has_other_branches: false,
        }
    }
}

impl From<StorageError> for Trial {
    fn from(error: StorageError) -> Self {
        Self::Ended(error.into())
    }
}
