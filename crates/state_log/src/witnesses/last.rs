//! Asks the witnesses for the checkpoint that they cosigned last, before a node takes the log over (S-61).

use std::sync::Arc;

use log::checkpoint::SignedCheckpoint;
use log::note::{MAX_NOTE_BYTES, VerifierKey};
use log::witness::hash_origin;
use storage::state_log::{self, StoredLog};
use tokio::task::JoinSet;

use crate::StateLog;
use crate::fault::Fault;
use crate::thread::on_thread;
use crate::witnesses::has_signed;

/// The checkpoints of a log that witnesses cosigned last. The log and the witnesses signed each of them.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The number of the log.
    pub(crate) log: i64,
    pub(crate) checkpoints: Vec<SignedCheckpoint>,
}

/// Asks all witnesses at once. `None`: there are none, or the store has no log yet.
///
/// The answers are older than any later read of the store, so an intact store continues them.
///
/// # Errors
/// [`Fault::NoWitness`] if none answers.
pub(crate) async fn ask(log: &Arc<StateLog>) -> Result<Option<Seen>, Fault> {
    let Some(witnesses) = &log.witnesses else {
        return Ok(None);
    };
    let finding = on_thread(log, |log| {
        Ok(log.storage.read_blocking(state_log::find_newest)?)
    });
    let Some(newest) = finding.await? else {
        return Ok(None);
    };
    let mut seen = Seen {
        log: newest.number,
        checkpoints: Vec::new(),
    };
    let newest = Arc::new(newest);
    let mut asking = JoinSet::new();
    for place in 0..witnesses.settings.named.len() {
        let (log, newest) = (Arc::clone(log), Arc::clone(&newest));
        asking.spawn(async move { ask_one(&log, &newest, place).await });
    }
    let (mut has_answer, mut reasons) = (false, Vec::new());
    while let Some(asked) = asking.join_next().await {
        match asked {
            Ok(Ok(found)) => {
                has_answer = true;
                seen.checkpoints.extend(found);
            }
            Ok(Err(reason)) => reasons.push(reason),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    if has_answer {
        Ok(Some(seen))
    } else {
        Err(Fault::NoWitness(reasons.join("; ")))
    }
}

/// The checkpoint that one witness cosigned last. `None`: it cosigned none of this log.
async fn ask_one(
    log: &StateLog,
    newest: &StoredLog,
    place: usize,
) -> Result<Option<SignedCheckpoint>, String> {
    let witnesses = log.witnesses.as_ref().ok_or("it is not in the settings")?;
    let witness = &witnesses.settings.named[place];
    let named = |reason: String| format!("{}: {reason}", witness.name);
    let path = format!("/{}/checkpoint", hash_origin(&newest.origin));
    let client = &witnesses.client;
    let answer = client.get(&witness.url, &path, MAX_NOTE_BYTES).await;
    let answer = answer.map_err(|error| named(error.to_string()))?;
    match answer.status {
        200 => {}
        404 => {
            let stored = SignedCheckpoint::parse(&newest.witnessed);
            return if stored.is_ok_and(|stored| has_signed(&stored, &witness.key)) {
                Err(named(
                    "it cosigned this log, and does not know it any more".to_owned(),
                ))
            } else {
                Ok(None)
            };
        }
        status => return Err(named(format!("it answers with status {status}"))),
    }
    let text = String::from_utf8(answer.body).map_err(|error| named(error.to_string()))?;
    let checkpoint = SignedCheckpoint::parse(&text).map_err(|error| named(error.to_string()))?;
    let key = VerifierKey::parse(&newest.verifier).map_err(|error| error.to_string())?;
    let is_of_log = checkpoint.checkpoint().origin == newest.origin;
    if is_of_log && has_signed(&checkpoint, &key) && has_signed(&checkpoint, &witness.key) {
        Ok(Some(checkpoint))
    } else {
        let reason = "its checkpoint has no signature of this log and its own";
        Err(named(reason.to_owned()))
    }
}
