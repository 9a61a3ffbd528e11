//! A witness (C2SP tlog-witness): it cosigns the checkpoints of logs, and only one history of each log.
//!
//! This crate knows nothing about sockets, clocks and settings. The caller gives it the body of a call and the
//! time, and gets the answer. [`Directory`] keeps the key and the checkpoint that was cosigned last for each
//! log. A checkpoint is on disk before its cosignature leaves this crate.

mod directory;
mod fault;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::StatusCode;
use log::checkpoint::SignedCheckpoint;
use log::note::{SignatureLine, VerifierKey, WitnessKey};
use log::witness::{AddCheckpoint, Refusal, hash_origin};
use log::{Malformed, TreeHead};

pub use self::directory::Directory;
pub use self::fault::Fault;

const TEXT: &str = "text/plain; charset=utf-8";
const TREE_SIZE: &str = "text/x.tlog.size";

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status of HTTP.
    pub status: StatusCode,
    /// The media type of the body.
    pub content_type: &'static str,
    /// The body.
    pub body: String,
}

/// A witness with the logs that it knows.
#[derive(Debug)]
pub struct Witness {
    directory: Directory,
    key: WitnessKey,
    logs: Vec<VerifierKey>,
    /// By [`hash_origin`] of the log's origin. The lock lasts from the check to the file, so that there is one
    /// decision at a time.
    latest: Mutex<HashMap<String, Cosigned>>,
}

/// The checkpoint of a log that was cosigned last, with the signatures of known keys only.
#[derive(Debug)]
struct Cosigned {
    checkpoint: SignedCheckpoint,
    /// The time of the cosignature, in Unix seconds.
    time: u64,
}

impl Witness {
    /// Reads the checkpoints that were cosigned last. `logs` are the keys of logs; a log may have several.
    ///
    /// # Errors
    /// [`Fault::File`] if a file cannot be read, or is not of this witness and this log.
    pub fn open(
        directory: Directory,
        key: WitnessKey,
        logs: Vec<VerifierKey>,
    ) -> Result<Self, Fault> {
        let mut latest = HashMap::new();
        for log in &logs {
            let name = hash_origin(log.name());
            let Some(checkpoint) = directory.read(&name)? else {
                continue;
            };
            let time = checkpoint.verify(key.verifier()).ok().flatten();
            let is_of_log = checkpoint.checkpoint().origin == log.name();
            let Some(time) = time.filter(|_| is_of_log) else {
                return Err(directory.refused(
                    &name,
                    "this key did not cosign it for this log: start with the `witness.key` and the name that \
                     belong to it, and leave its content unaltered",
                ));
            };
            latest.insert(name, Cosigned { checkpoint, time });
        }
        Ok(Self {
            directory,
            key,
            logs,
            latest: Mutex::new(latest),
        })
    }

    /// The public key.
    pub fn verifier(&self) -> &VerifierKey {
        self.key.verifier()
    }

    /// Answers the call `add-checkpoint` at `now`, in Unix seconds. Blocks while it writes.
    ///
    /// # Errors
    /// A [`Fault`] of the files, the clock or the cryptographic library. Then nothing is cosigned.
    pub fn add_checkpoint(&self, body: &[u8], now: u64) -> Result<Answer, Fault> {
        let call = match str::from_utf8(body).map(AddCheckpoint::parse) {
            Ok(Ok(call)) => call,
            Ok(Err(malformed)) => return Ok(refuse(StatusCode::BAD_REQUEST, malformed)),
            Err(error) => return Ok(refuse(StatusCode::BAD_REQUEST, error)),
        };
        let name = hash_origin(&call.checkpoint.checkpoint().origin);
        let mut latest = self.lock();
        let last = latest.get(&name);
        let head = last.map_or_else(TreeHead::empty, |last| last.checkpoint.checkpoint().head);
        if let Err(refusal) = call.check(&self.logs, &head) {
            return Ok(answer_to(&refusal));
        }
        // Whoever repeats a public checkpoint causes one write a second at most.
        if let Some(line) = last.and_then(|last| self.find_cosignature(last, &call, now)) {
            return Ok(cosigned(line));
        }
        // A cosignature states that no larger tree was seen until its time (C2SP tlog-cosignature). With the
        // clock set back, it would contradict the last one.
        if let Some(last) = last.filter(|last| now < last.time) {
            return Err(Fault::Clock(last.time));
        }
        let line = call.checkpoint.cosign(&self.key, now)?;
        let checkpoint = self.keep_known(&call.checkpoint, &line)?;
        self.directory.write(&name, &checkpoint)?;
        let kept = Cosigned {
            checkpoint,
            time: now,
        };
        latest.insert(name, kept);
        Ok(cosigned(&line))
    }

    /// The cosignature of this second, if it is of the same checkpoint.
    fn find_cosignature<'a>(
        &self,
        last: &'a Cosigned,
        call: &AddCheckpoint,
        now: u64,
    ) -> Option<&'a SignatureLine> {
        let is_same = last.checkpoint.checkpoint() == call.checkpoint.checkpoint();
        let mut lines = last.checkpoint.lines().iter();
        let line = lines.find(|line| self.verifier().is_named_by(line));
        line.filter(|_| is_same && last.time == now)
    }

    /// The checkpoint that was cosigned last for the log of which `origin_hash` is the SHA-256 of the origin, in
    /// hexadecimal. `None`: there is none.
    pub fn checkpoint(&self, origin_hash: &str) -> Option<String> {
        let latest = self.lock();
        latest
            .get(origin_hash)
            .map(|last| last.checkpoint.to_string())
    }

    /// The checkpoint with this cosignature and the signatures that `check` has verified. Anybody may have added
    /// other lines.
    fn keep_known(
        &self,
        signed: &SignedCheckpoint,
        cosignature: &SignatureLine,
    ) -> Result<SignedCheckpoint, Malformed> {
        let checkpoint = signed.checkpoint();
        let is_known = |line: &&SignatureLine| {
            let mut keys = self.logs.iter();
            keys.any(|key| key.name() == checkpoint.origin && key.is_named_by(line))
        };
        let lines = signed.lines().iter().filter(is_known);
        let lines: String = lines.map(ToString::to_string).collect();
        SignedCheckpoint::parse(&format!("{checkpoint}\n{lines}{cosignature}"))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Cosigned>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cosigned(line: &SignatureLine) -> Answer {
    Answer {
        status: StatusCode::OK,
        content_type: TEXT,
        body: line.to_string(),
    }
}

fn answer_to(refusal: &Refusal) -> Answer {
    match refusal {
        Refusal::Conflict(size) => Answer {
            status: StatusCode::CONFLICT,
            content_type: TREE_SIZE,
            body: format!("{size}\n"),
        },
        Refusal::UnknownOrigin(_) => refuse(StatusCode::NOT_FOUND, refusal),
        Refusal::NotSigned => refuse(StatusCode::FORBIDDEN, refusal),
        Refusal::OldSizeAbove => refuse(StatusCode::BAD_REQUEST, refusal),
        Refusal::NotConsistent => refuse(StatusCode::UNPROCESSABLE_ENTITY, refusal),
    }
}

fn refuse(status: StatusCode, reason: impl fmt::Display) -> Answer {
    Answer {
        status,
        content_type: TEXT,
        body: format!("{reason}\n"),
    }
}
