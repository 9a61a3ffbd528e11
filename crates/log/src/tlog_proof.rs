//! Proofs that anybody verifies offline (C2SP tlog-proof v1).

use std::fmt;

use thiserror::Error;

use crate::checkpoint::SignedCheckpoint;
use crate::note::MAX_NOTE_BYTES;
use crate::policy::{Policy, PolicyRefusal, Witnessed};
use crate::proof::{WrongProof, verify_inclusion};
use crate::text::{
    Malformed, decode_base64, encode_base64, parse_decimal, split_hashes, write_hashes,
};
use crate::tree::{Hash, MAX_PROOF_HASHES};

const HEADER: &str = "c2sp.org/tlog-proof@v1\n";
/// The longest proof that is read, in bytes.
pub const MAX_PROOF_BYTES: usize = 2 * MAX_NOTE_BYTES;

/// An entry's place in a log, the way to the root, and the checkpoint with this root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlogProof {
    /// Data of the application, never empty. Nothing authenticates it.
    pub extra: Option<Vec<u8>>,
    /// The index of the entry, from 0.
    pub index: u64,
    /// The inclusion proof, from the leaf's sibling upwards.
    pub hashes: Vec<Hash>,
    /// The checkpoint.
    pub checkpoint: SignedCheckpoint,
}

/// Why a proof does not prove that an entry was logged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotProved {
    /// The policy does not accept the checkpoint.
    #[error(transparent)]
    Policy(#[from] PolicyRefusal),
    /// The hashes do not lead from the entry to the root.
    #[error("the entry is not in the log at this place: {0}")]
    Inclusion(#[from] WrongProof),
}

impl TlogProof {
    /// Reads a proof. It is written back identically.
    ///
    /// # Errors
    /// [`Malformed`] for another form, and for more than 63 hashes.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let malformed = Malformed {
            format: "tlog-proof",
            reason: "it must be the header, `index N`, hashes in base64, an empty line and a checkpoint",
        };
        if text.len() > MAX_PROOF_BYTES {
            return Err(malformed);
        }
        let read = || {
            let rest = text.strip_prefix(HEADER)?;
            let (extra, rest) = match rest.strip_prefix("extra ") {
                None => (None, rest),
                Some(rest) => {
                    let (extra, rest) = rest.split_once('\n')?;
                    let extra = decode_base64(extra).filter(|extra| !extra.is_empty())?;
                    (Some(extra), rest)
                }
            };
            let (index, rest) = rest.strip_prefix("index ")?.split_once('\n')?;
            let (hashes, checkpoint) = split_hashes(rest, MAX_PROOF_HASHES)?;
            Some((extra, parse_decimal(index)?, hashes, checkpoint))
        };
        let (extra, index, hashes, checkpoint) = read().ok_or(malformed)?;
        Ok(Self {
            extra,
            index,
            hashes,
            checkpoint: SignedCheckpoint::parse(checkpoint)?,
        })
    }

    /// Verifies that the entry with the hash `leaf` is in the log, and that `policy` knows the log.
    /// The caller looks at [`Witnessed::quorum`] for the quorum of witnesses.
    ///
    /// # Errors
    /// [`NotProved`].
    pub fn verify(&self, leaf: &Hash, policy: &Policy) -> Result<Witnessed, NotProved> {
        let witnessed = policy.check(&self.checkpoint)?;
        verify_inclusion(self.index, leaf, &self.hashes, &witnessed.checkpoint.head)?;
        Ok(witnessed)
    }
}

impl fmt::Display for TlogProof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(HEADER)?;
        if let Some(extra) = &self.extra {
            writeln!(formatter, "extra {}", encode_base64(extra))?;
        }
        let hashes = write_hashes(&self.hashes);
        write!(
            formatter,
            "index {}\n{hashes}\n{}",
            self.index, self.checkpoint
        )
    }
}
