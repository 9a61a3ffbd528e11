//! Reads the framework's directory into the store: one node every five minutes (S-73).

use std::collections::BTreeMap;

use framework::directory::{self, Adoption, DirectoryRefusal, Organisation};
use observe::clock::Clock;
use outbound::callback::CallbackUrl;
use outbound::client::{FetchError, OutboundClient};
use storage::framework::{self as members, AdoptedAnswer, Member};
use storage::{Storage, StorageError};

use crate::limits;

/// The reader of the directory.
#[derive(Debug)]
pub struct DirectoryReader {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// The client for the framework's hosts.
    pub outbound: OutboundClient,
    /// The address of the directory.
    pub url: CallbackUrl,
    /// The id of this service's organisation there.
    pub organisation_id: String,
}

/// Why an answer is not adopted.
#[derive(Debug, thiserror::Error)]
pub enum ReadingError {
    /// No answer came.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The answer is not one that may be adopted.
    #[error(transparent)]
    Refused(#[from] DirectoryRefusal),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The thread that reads the answer ended.
    #[error("the program ends")]
    Stopped,
}

/// The result of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    /// It is not time yet, or another node reads it.
    NotDue,
    /// An answer was adopted. So many known organisations were missing and stay.
    Adopted {
        /// Their number.
        kept_though_missing: usize,
    },
}

impl DirectoryReader {
    /// Reads and adopts the directory, if that is due and no other node does.
    pub async fn read_if_due(&self) -> Result<Round, ReadingError> {
        let now = self.clock.now_seconds();
        if !self.is_due(now).await? {
            return Ok(Round::NotDue);
        }
        let body = self.fetch().await?;
        let known = self.storage.read(members::list_members).await?;
        let own = self.organisation_id.clone();
        // A large answer takes a while.
        let deciding = tokio::task::spawn_blocking(move || {
            let listed = directory::read(&body, &own)?;
            let known: BTreeMap<_, _> = known.into_iter().map(to_organisation).collect();
            Ok::<_, DirectoryRefusal>(directory::compare(&known, listed))
        });
        let adoption = deciding.await.map_err(|_ended| ReadingError::Stopped)??;
        let kept_though_missing = adoption.kept_though_missing;
        let answer = to_answer(adoption);
        let is_adopted = self
            .storage
            .write_at_length(move |write| members::adopt(write, &answer, now))
            .await?;
        if !is_adopted {
            return Ok(Round::NotDue);
        }
        Ok(Round::Adopted {
            kept_though_missing,
        })
    }

    /// Reads the directory, and says whether its answer can be adopted. Nothing is stored.
    pub async fn check(&self) -> Result<(), ReadingError> {
        let body = self.fetch().await?;
        directory::read(&body, &self.organisation_id)?;
        Ok(())
    }

    async fn fetch(&self) -> Result<Vec<u8>, FetchError> {
        let (bytes_max, timeout) = (
            framework::limits::DIRECTORY_BYTES_MAX,
            limits::FRAMEWORK_DIRECTORY_TIMEOUT,
        );
        self.outbound
            .fetch_json(&self.url, bytes_max, timeout)
            .await
    }

    /// Claims the round for this node.
    async fn is_due(&self, now: i64) -> Result<bool, StorageError> {
        let state = self.storage.lookup(members::find_directory).await?;
        let source = self.url.as_str().to_owned();
        let pauses = (
            limits::FRAMEWORK_DIRECTORY_PAUSE_SECONDS,
            limits::FRAMEWORK_DIRECTORY_RETRY_SECONDS,
        );
        // Most rounds end here, without a write.
        let is_early = state.is_some_and(|state| {
            let age = now - state.tried_at;
            let pause = if state.adopted_at < state.tried_at {
                pauses.1
            } else {
                pauses.0
            };
            state.source == source && (0..pause).contains(&age)
        });
        if is_early {
            return Ok(false);
        }
        self.storage
            .write(move |write| members::begin_reading(write, &source, now, pauses))
            .await
    }
}

fn to_organisation((id, member): (String, Member)) -> (String, Organisation) {
    let organisation = Organisation {
        id: member.organisation_id,
        name: member.name,
        status: member.status,
    };
    (id, organisation)
}

fn to_answer(adoption: Adoption) -> AdoptedAnswer {
    let to_member = |one: Organisation| Member {
        organisation_id: one.id,
        name: one.name,
        status: one.status,
    };
    AdoptedAnswer {
        changed: adoption.changed.into_iter().map(to_member).collect(),
        gone: adoption.gone,
        kept_though_missing: i64::try_from(adoption.kept_though_missing).unwrap_or(i64::MAX),
    }
}
