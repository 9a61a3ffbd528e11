//! Asks the witnesses to cosign the newest checkpoint.

use std::collections::HashMap;
use std::sync::Arc;

use log::Hash;
use log::checkpoint::SignedCheckpoint;
use log::note::SignatureLine;
use log::proof::prove_consistency;
use log::tile::read_node;
use log::witness::AddCheckpoint;
use observe::outage::Outage;
use storage::StorageError;
use storage::lease::Lease;
use storage::state_log;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::StateLog;
use crate::fault::Fault;
use crate::limits::{
    COSIGNATURE_BYTES_MAX, INTERVAL, LEASE_MILLISECONDS, WITNESS_INTERVAL_MILLISECONDS,
};
use crate::thread::on_thread;
use crate::tree::stored_place;
use crate::witnesses::has_signed;

/// The size that a witness cosigned last, by the number of the log and the place of the witness.
type Sizes = HashMap<(i64, usize), u64>;

/// A checkpoint, and the witnesses that did not cosign it.
#[derive(Debug)]
struct Round {
    log: i64,
    /// The checkpoint with the log's signature alone.
    signed: SignedCheckpoint,
    /// The same with the known cosignatures.
    cosigned: SignedCheckpoint,
    missing: Vec<usize>,
    /// The size in the newest checkpoint that the quorum cosigned.
    witnessed_size: u64,
    /// Unix seconds.
    asked_at: i64,
}

/// Asks until `stop` turns true.
pub(crate) async fn run(log: Arc<StateLog>, mut stop: watch::Receiver<bool>) {
    if log.witnesses.is_none() || log.file().is_err() {
        return;
    }
    let outage = Outage::new("the newest checkpoint of the log cannot be shown to witnesses");
    let (mut sizes, mut asked_at) = (Sizes::new(), None);
    loop {
        tokio::select! {
            () = tokio::time::sleep(INTERVAL) => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
        let now = log.clock.now_milliseconds();
        // A clock that was set back does not end the work.
        let is_soon = |at: i64| (now - at).abs() < WITNESS_INTERVAL_MILLISECONDS;
        if asked_at.is_some_and(is_soon) {
            continue;
        }
        let begun = on_thread(&log, StateLog::begin_round).await;
        let Some(round) = outage.note(begun).flatten() else {
            continue;
        };
        asked_at = Some(now);
        tokio::select! {
            () = ask(&log, round, &mut sizes) => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// Asks each witness at once, and stores the cosignatures as soon as they are a quorum.
async fn ask(log: &Arc<StateLog>, round: Round, sizes: &mut Sizes) {
    let Some(witnesses) = &log.witnesses else {
        return;
    };
    let mut cosigned = round.cosigned.clone();
    let round = Arc::new(round);
    let mut asking = JoinSet::new();
    for place in round.missing.iter().copied() {
        let known = sizes.get(&(round.log, place)).copied();
        let (log, round) = (Arc::clone(log), Arc::clone(&round));
        asking.spawn(async move { (place, cosign(log, round, place, known).await) });
    }
    while let Some(asked) = asking.join_next().await {
        let Ok((place, outcome)) = asked else {
            continue;
        };
        let line = match outcome {
            Ok(line) => line,
            Err(reason) => {
                witnesses.note(place, Err(reason));
                continue;
            }
        };
        witnesses.note(place, Ok(()));
        let size = round.signed.checkpoint().head.size;
        sizes.insert((round.log, place), size);
        cosigned.add(line);
        if witnesses.is_quorum(&cosigned) {
            let (text, round) = (cosigned.to_string(), Arc::clone(&round));
            let storing = on_thread(log, move |log| log.store_round(&round, text)).await;
            if let Err(error) = storing {
                tracing::warn!(%error, "the cosignatures of witnesses could not be stored");
            }
        }
    }
}

/// The cosignature of one witness, or why there is none.
async fn cosign(
    log: Arc<StateLog>,
    round: Arc<Round>,
    place: usize,
    known: Option<u64>,
) -> Result<SignatureLine, String> {
    let witnesses = log.witnesses.as_ref().ok_or("it is not in the settings")?;
    let witness = &witnesses.settings.named[place];
    let size = round.signed.checkpoint().head.size;
    let mut old_size = known.unwrap_or(round.witnessed_size);
    // The second call is for a witness that cosigned another size last.
    for _call in 0..2 {
        let number = round.log;
        let proving = on_thread(&log, move |log| log.prove_growth(number, old_size, size));
        let call = AddCheckpoint {
            old_size,
            proof: proving.await.map_err(|fault| fault.to_string())?,
            checkpoint: round.signed.clone(),
        };
        let (client, path) = (&witnesses.client, "/add-checkpoint");
        let calling = client.post(&witness.url, path, call.to_string(), COSIGNATURE_BYTES_MAX);
        let answer = calling.await.map_err(|error| error.to_string())?;
        let body = String::from_utf8(answer.body).unwrap_or_default();
        match answer.status {
            200 => {
                let lines = SignatureLine::parse_all(&body).map_err(|error| error.to_string())?;
                let line = lines.into_iter().find(|line| witness.key.is_named_by(line));
                let line = line.ok_or("the answer has no cosignature of its key")?;
                let mut checked = round.signed.clone();
                checked.add(line.clone());
                let is_signed = has_signed(&checked, &witness.key);
                return is_signed
                    .then_some(line)
                    .ok_or_else(|| "its cosignature does not verify".to_owned());
            }
            409 => {
                let last = body.strip_suffix('\n').and_then(|size| size.parse().ok());
                old_size = last.ok_or("its answer 409 has no size")?;
                if old_size > size {
                    return Err(format!(
                        "it cosigned {old_size} entries of this log, and the newest checkpoint has {size}: was the \
                         store restored?"
                    ));
                }
            }
            status => return Err(format!("it answers with status {status}")),
        }
    }
    Err("it answers 409 to the size that it named".to_owned())
}

impl StateLog {
    /// The checkpoint to ask for. `None`: all witnesses cosigned the newest one, or another node appends and asks.
    /// Blocks.
    fn begin_round(&self) -> Result<Option<Round>, Fault> {
        let (owner, now) = (self.node.clone(), self.clock.now_milliseconds());
        let reading = self.storage.read_blocking(move |read| {
            let lease = Lease {
                owner: &owner,
                now,
                until: now + LEASE_MILLISECONDS,
            };
            // Asking takes no lease: the node that appends keeps it while witnesses fail.
            let is_free = state_log::is_lease_free(read, lease)?;
            let newest = state_log::find_newest(read)?;
            Ok::<_, StorageError>(newest.filter(|_| is_free))
        });
        let (Some(log), Some(witnesses)) = (reading?, &self.witnesses) else {
            return Ok(None);
        };
        // Before the first entry there is nothing to prove.
        if log.signed_size == 0 {
            return Ok(None);
        }
        let cosigned = SignedCheckpoint::parse(log.shown())?;
        let missing = witnesses.list_missing(&cosigned);
        if missing.is_empty() {
            return Ok(None);
        }
        Ok(Some(Round {
            log: log.number,
            signed: SignedCheckpoint::parse(&log.checkpoint)?,
            cosigned,
            missing,
            witnessed_size: log.witnessed_size.unsigned_abs(),
            asked_at: self.clock.now_seconds(),
        }))
    }

    /// Proves that the tree of `size` entries continues the tree of `old` entries. Blocks.
    fn prove_growth(&self, log: i64, old: u64, size: u64) -> Result<Vec<Hash>, Fault> {
        if old == 0 {
            return Ok(Vec::new());
        }
        self.storage.read_blocking(move |read| {
            let proved = prove_consistency(old, size, &mut |node| {
                read_node(node, size, &mut |tile| {
                    let (level, place) = stored_place(tile.content(), tile.index());
                    let content = state_log::find_tile(read, log, level, place)?;
                    Ok::<_, StorageError>(content.unwrap_or_default())
                })
            });
            proved.map_err(|error| Fault::Damaged(error.to_string()))
        })
    }

    /// Stores a checkpoint with the cosignatures of a quorum. Blocks.
    fn store_round(&self, round: &Round, text: String) -> Result<(), Fault> {
        let (number, asked_at) = (round.log, round.asked_at);
        let size = round.signed.checkpoint().head.size;
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        let storing = self.storage.write_under_row_locks_blocking(move |write| {
            state_log::store_witnessed(write, number, size, &text, asked_at)
        });
        Ok(storing?)
    }
}
