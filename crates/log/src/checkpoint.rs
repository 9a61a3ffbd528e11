//! Checkpoints (C2SP tlog-checkpoint): the head of a log's tree, signed by the log and its witnesses.

use std::fmt;

use crate::note::{BadSignature, CannotSign, LogKey, Note, SignatureLine, VerifierKey, WitnessKey};
use crate::text::{Malformed, decode_hash, encode_base64, parse_decimal};
use crate::tree::TreeHead;

const MALFORMED: Malformed = Malformed {
    format: "checkpoint",
    reason: "it must be three lines: the origin, the tree's size and its root in base64",
};

/// A checkpoint without signatures: the origin, which is the name of the log, and the head of its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The origin.
    pub origin: String,
    /// Size and root.
    pub head: TreeHead,
}

/// A checkpoint with signatures, of which none is verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCheckpoint {
    checkpoint: Checkpoint,
    note: Note,
}

impl Checkpoint {
    /// Reads the three lines.
    fn parse(text: &str) -> Option<Self> {
        let (origin, rest) = text
            .split_once('\n')
            .filter(|(origin, _)| !origin.is_empty())?;
        let (size, root) = rest.split_once('\n')?;
        let head = TreeHead {
            size: parse_decimal(size)?,
            root: decode_hash(root.strip_suffix('\n')?)?,
        };
        let origin = origin.to_owned();
        Some(Self { origin, head })
    }

    /// The empty tree has one root (RFC 6962 section 2.1).
    pub(crate) fn is_possible(&self) -> bool {
        self.head.size > 0 || self.head == TreeHead::empty()
    }
}

impl fmt::Display for Checkpoint {
    /// The text that is signed.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = encode_base64(&self.head.root);
        write!(formatter, "{}\n{}\n{root}\n", self.origin, self.head.size)
    }
}

impl SignedCheckpoint {
    /// Reads a signed checkpoint. It is written back identically.
    ///
    /// # Errors
    /// [`Malformed`] for a note or a checkpoint with another form, and for extension lines.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let signed = Self::parse_any_root(text)?;
        let is_possible = signed.checkpoint.is_possible();
        is_possible.then_some(signed).ok_or(MALFORMED)
    }

    /// As [`SignedCheckpoint::parse`], also for an empty tree with another root.
    pub(crate) fn parse_any_root(text: &str) -> Result<Self, Malformed> {
        let note = Note::parse(text)?;
        let checkpoint = Checkpoint::parse(note.text()).ok_or(MALFORMED)?;
        Ok(Self { checkpoint, note })
    }

    /// The checkpoint of the log with `key` and this head. The same head gives the same bytes again.
    ///
    /// A log must never sign two heads of which neither tree is the beginning of the other. The
    /// caller stores the head before it signs.
    ///
    /// # Errors
    /// [`CannotSign`] when the cryptographic library fails.
    pub fn sign(head: TreeHead, key: &LogKey) -> Result<Self, CannotSign> {
        let origin = key.verifier().name().to_owned();
        let checkpoint = Checkpoint { origin, head };
        let text = checkpoint.to_string();
        let line = key.sign(&text)?;
        let note = Note::new(text, line);
        Ok(Self { checkpoint, note })
    }

    /// Makes the cosignature of a witness at `time`, in Unix seconds from 1.
    ///
    /// The witness states that it saw no later head of this log that is not consistent with this one.
    ///
    /// # Errors
    /// [`CannotSign`] when the cryptographic library fails.
    pub fn cosign(&self, key: &WitnessKey, time: u64) -> Result<SignatureLine, CannotSign> {
        key.sign(self.note.text(), time)
    }

    /// Adds a signature. It replaces an earlier one of the same key.
    pub fn add(&mut self, line: SignatureLine) {
        self.note.add(line);
    }

    /// The origin and the head. Nobody has verified them yet.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The signature lines, not verified.
    pub fn lines(&self) -> &[SignatureLine] {
        self.note.lines()
    }

    /// As [`Note::verify`].
    ///
    /// # Errors
    /// [`BadSignature`] when a line names the key and does not verify.
    pub fn verify(&self, key: &VerifierKey) -> Result<Option<u64>, BadSignature> {
        self.note.verify(key)
    }
}

impl fmt::Display for SignedCheckpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.note.fmt(formatter)
    }
}
