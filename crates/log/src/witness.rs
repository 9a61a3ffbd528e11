//! The call `add-checkpoint` of a witness (C2SP tlog-witness): its body, and its decision.

use std::fmt::{self, Write as _};

use thiserror::Error;

use crate::checkpoint::SignedCheckpoint;
use crate::note::{MAX_NOTE_BYTES, VerifierKey};
use crate::proof::verify_consistency;
use crate::text::{Malformed, parse_decimal, split_hashes, write_hashes};
use crate::tree::{Hash, MAX_PROOF_HASHES, TreeHead, digest};

/// The longest body that is read, in bytes.
pub const MAX_BODY_BYTES: usize = MAX_NOTE_BYTES + 4096;

/// The body of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// The size of the checkpoint that the witness cosigned last, or 0.
    pub old_size: u64,
    /// The consistency proof from that size; empty for 0.
    pub proof: Vec<Hash>,
    /// The new checkpoint.
    pub checkpoint: SignedCheckpoint,
}

/// Why a witness does not cosign, with the status of its answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// 404: no configured log has this origin.
    #[error("this witness does not know the log {0:?}")]
    UnknownOrigin(String),
    /// 403: no known key of the log signed, or its signature does not verify.
    #[error("no key that this witness knows for the log signed the checkpoint")]
    NotSigned,
    /// 400: the old size is above the checkpoint's size.
    #[error("the old size is above the size of the checkpoint")]
    OldSizeAbove,
    /// 409: the witness cosigned another size last. The answer's body is this number and a newline.
    #[error("the checkpoint that this witness cosigned last has size {0}")]
    Conflict(u64),
    /// 422: the tree is not a continuation of the one that the witness cosigned last.
    #[error("the checkpoint does not continue the one that this witness cosigned last")]
    NotConsistent,
}

/// The SHA-256 of an origin in hexadecimal: its part of the path at which a witness shows its checkpoint.
pub fn hash_origin(origin: &str) -> String {
    let mut name = String::new();
    for byte in digest(&[origin.as_bytes()]) {
        let _infallible = write!(name, "{byte:02x}");
    }
    name
}

impl AddCheckpoint {
    /// Reads a body. It is written back identically.
    ///
    /// # Errors
    /// [`Malformed`] for another form, and for more than 63 hashes.
    pub fn parse(body: &str) -> Result<Self, Malformed> {
        let malformed = Malformed {
            format: "body of add-checkpoint",
            reason: "it must be `old N`, at most 63 hashes in base64, an empty line and a checkpoint",
        };
        if body.len() > MAX_BODY_BYTES {
            return Err(malformed);
        }
        let read = || {
            let (old_size, rest) = body.strip_prefix("old ")?.split_once('\n')?;
            let (proof, checkpoint) = split_hashes(rest, MAX_PROOF_HASHES)?;
            Some((parse_decimal(old_size)?, proof, checkpoint))
        };
        let (old_size, proof, checkpoint) = read().ok_or(malformed)?;
        Ok(Self {
            old_size,
            proof,
            checkpoint: SignedCheckpoint::parse_any_root(checkpoint)?,
        })
    }

    /// Decides whether a witness cosigns. `logs` are the keys that it knows, and `latest` is the head
    /// of this origin that it cosigned last, or [`TreeHead::empty`].
    ///
    /// The caller reads `latest` and stores the new head in one transaction, before it answers.
    ///
    /// # Errors
    /// The [`Refusal`] of the first check that fails.
    pub fn check(&self, logs: &[VerifierKey], latest: &TreeHead) -> Result<(), Refusal> {
        let new = self.checkpoint.checkpoint();
        let mut keys = logs
            .iter()
            .filter(|key| key.name() == new.origin)
            .peekable();
        if keys.peek().is_none() {
            return Err(Refusal::UnknownOrigin(new.origin.clone()));
        }
        let mut is_signed = false;
        for key in keys {
            let verified = self.checkpoint.verify(key);
            is_signed |= verified.map_err(|_| Refusal::NotSigned)?.is_some();
        }
        if !is_signed {
            return Err(Refusal::NotSigned);
        }
        if self.old_size > new.head.size {
            return Err(Refusal::OldSizeAbove);
        }
        if self.old_size != latest.size {
            return Err(Refusal::Conflict(latest.size));
        }
        let is_consistent = match self.old_size {
            0 => self.proof.is_empty() && new.is_possible(),
            _ => verify_consistency(latest, &new.head, &self.proof).is_ok(),
        };
        is_consistent.then_some(()).ok_or(Refusal::NotConsistent)
    }
}

impl fmt::Display for AddCheckpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hashes = write_hashes(&self.proof);
        write!(
            formatter,
            "old {}\n{hashes}\n{}",
            self.old_size, self.checkpoint
        )
    }
}
