//! Signed notes (C2SP signed-note) and the keys that sign them, with Ed25519 alone.

use std::fmt;

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use thiserror::Error;

use crate::text::{Malformed, decode_base64, encode_base64};
use crate::tree::{MAX_SIZE, digest};

/// The longest note that is read, in bytes.
pub const MAX_NOTE_BYTES: usize = 64 * 1024;
/// The most signatures of a note that is read.
pub const MAX_SIGNATURES: usize = 100;
/// The longest name of a key, in bytes.
pub const MAX_NAME_BYTES: usize = 255;

const ID_BYTES: usize = 4;
const KEY_BYTES: usize = 32;

/// The two signature types that this crate knows, with the byte that stands for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// `01`: a log signs the text of its checkpoint.
    Log = 1,
    /// `04`: a witness signs a time and the text (tlog-cosignature, `cosignature/v1`).
    Witness = 4,
}

/// A public key with its name: `NAME+HEX(key id)+BASE64(type ‖ public key)`.
///
/// The key id is the beginning of `SHA-256(NAME ‖ 0A ‖ type ‖ public key)`, four bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    kind: KeyKind,
    public: [u8; KEY_BYTES],
}

/// A line under a note: `— NAME BASE64(key id ‖ signature)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureLine {
    name: String,
    id: [u8; ID_BYTES],
    signature: Vec<u8>,
}

/// A text with signatures, which are not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    lines: Vec<SignatureLine>,
}

/// A line names a known key, but the key did not sign the text. A reader refuses the whole note.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the signature of {0:?} does not verify: the text or the signature was changed")]
pub struct BadSignature(pub String);

/// The cryptographic library failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the cryptographic library could not sign; try again")]
pub struct CannotSign;

impl VerifierKey {
    /// Reads a key.
    ///
    /// # Errors
    /// [`Malformed`] for another spelling, another signature type, or an id of another key.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let read = || {
            let (name, rest) = text.split_once('+')?;
            let (_id, key) = rest.split_once('+')?;
            let bytes = decode_base64(key)?;
            let (kind, public) = bytes.split_first()?;
            let kind = [KeyKind::Log, KeyKind::Witness]
                .into_iter()
                .find(|known| *known as u8 == *kind)?;
            let public = public.try_into().ok()?;
            let key = Self::new(name, kind, public).ok()?;
            // The id and the spelling follow from the rest.
            (key.to_string() == text).then_some(key)
        };
        read().ok_or(Malformed {
            format: "verifier key",
            reason: "copy the key NAME+ID+KEY unaltered; its type must be 1 (log) or 4 (witness)",
        })
    }

    /// Gives a public key a name.
    ///
    /// # Errors
    /// [`Malformed`] for an empty or long name, and one with white space, `+` or control characters.
    pub fn new(name: &str, kind: KeyKind, public: [u8; KEY_BYTES]) -> Result<Self, Malformed> {
        if !is_name(name) {
            return Err(Malformed {
                format: "key name",
                reason: "use 1 to 255 bytes without white space, + and control characters",
            });
        }
        Ok(Self {
            name: name.to_owned(),
            kind,
            public,
        })
    }

    /// The name, which for a log is its origin.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the key signs as a log or as a witness.
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The Ed25519 public key (RFC 8032 section 5.1.5).
    pub fn public_key(&self) -> &[u8; KEY_BYTES] {
        &self.public
    }

    /// The id that stands in signature lines.
    pub fn id(&self) -> [u8; ID_BYTES] {
        let kind = [self.kind as u8];
        let hash = digest(&[self.name.as_bytes(), b"\n", &kind, &self.public]);
        [hash[0], hash[1], hash[2], hash[3]]
    }

    /// Whether `line` is for this key.
    pub fn is_named_by(&self, line: &SignatureLine) -> bool {
        line.name == self.name && line.id == self.id()
    }

    /// Verifies a line that names this key. Returns the time of a witness, in Unix seconds, and 0 for
    /// a log, which signs no time.
    fn verify(&self, text: &str, line: &SignatureLine) -> Option<u64> {
        let (time, message, signature) = match self.kind {
            KeyKind::Log => (0, text.to_owned(), line.signature.as_slice()),
            KeyKind::Witness => {
                let (time, signature) = line.signature.split_first_chunk()?;
                let time = u64::from_be_bytes(*time);
                // tlog-cosignature bounds the time; tlog-witness forbids a cosignature without one.
                let time = Some(time).filter(|time| (1..=MAX_SIZE).contains(time))?;
                (time, cosigned_message(text, time), signature)
            }
        };
        let key = UnparsedPublicKey::new(&ED25519, &self.public);
        key.verify(message.as_bytes(), signature).ok()?;
        Some(time)
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = u32::from_be_bytes(self.id());
        let key = [&[self.kind as u8], self.public.as_slice()].concat();
        write!(formatter, "{}+{id:08x}+{}", self.name, encode_base64(&key))
    }
}

impl SignatureLine {
    /// Reads lines, such as the answer of a witness.
    ///
    /// # Errors
    /// [`Malformed`] unless there are 1 to 100 lines in their one spelling, each of another key.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, Malformed> {
        let malformed = Malformed {
            format: "list of note signatures",
            reason: "it must be 1 to 100 lines of a dash, a key name and base64, one for each key",
        };
        if text.len() > MAX_NOTE_BYTES {
            return Err(malformed);
        }
        let lines = text.strip_suffix('\n').ok_or(malformed)?;
        let lines = lines.split('\n').take(MAX_SIGNATURES + 1).map(Self::parse);
        let lines: Vec<_> = lines.collect::<Option<_>>().ok_or(malformed)?;
        let repeats = |(index, line): (usize, &Self)| {
            let earlier = lines.iter().take(index);
            earlier.into_iter().any(|other| other.is_of_same_key(line))
        };
        if lines.len() > MAX_SIGNATURES || lines.iter().enumerate().any(repeats) {
            return Err(malformed);
        }
        Ok(lines)
    }

    fn parse(line: &str) -> Option<Self> {
        let (name, signature) = line.strip_prefix("— ")?.split_once(' ')?;
        let bytes = decode_base64(signature)?;
        let (id, signature) = bytes.split_first_chunk()?;
        let has_both = is_name(name) && !signature.is_empty();
        has_both.then(|| Self {
            name: name.to_owned(),
            id: *id,
            signature: signature.to_vec(),
        })
    }

    fn is_of_same_key(&self, other: &Self) -> bool {
        self.name == other.name && self.id == other.id
    }
}

impl fmt::Display for SignatureLine {
    /// The line with its newline.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [self.id.as_slice(), &self.signature].concat();
        writeln!(formatter, "— {} {}", self.name, encode_base64(&bytes))
    }
}

impl Note {
    /// Reads a note.
    ///
    /// # Errors
    /// [`Malformed`] for a note over 64 KiB, with control characters other than newlines, or without
    /// its form: text, an empty line, signature lines.
    pub fn parse(note: &str) -> Result<Self, Malformed> {
        let malformed = Malformed {
            format: "signed note",
            reason: "it must be at most 64 KiB of text, an empty line and signature lines",
        };
        let is_plain = !note.bytes().any(|byte| byte < b' ' && byte != b'\n');
        if note.len() > MAX_NOTE_BYTES || !is_plain {
            return Err(malformed);
        }
        // The last empty line separates the text, which may have empty lines itself.
        let (text, lines) = note.rsplit_once("\n\n").ok_or(malformed)?;
        Ok(Self {
            text: format!("{text}\n"),
            lines: SignatureLine::parse_all(lines)?,
        })
    }

    pub(crate) fn new(text: String, line: SignatureLine) -> Self {
        let lines = vec![line];
        Self { text, lines }
    }

    /// The text, with its last newline.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signature lines, not verified.
    pub fn lines(&self) -> &[SignatureLine] {
        &self.lines
    }

    /// Adds a line. It replaces an earlier line of the same key.
    pub(crate) fn add(&mut self, line: SignatureLine) {
        self.lines.retain(|other| !other.is_of_same_key(&line));
        self.lines.push(line);
    }

    /// Verifies the signature of `key`; `None` when the note has none. The number is the time of a
    /// witness in Unix seconds, and 0 for a log.
    ///
    /// # Errors
    /// [`BadSignature`] when a line names the key and does not verify.
    pub fn verify(&self, key: &VerifierKey) -> Result<Option<u64>, BadSignature> {
        let Some(line) = self.lines.iter().find(|line| key.is_named_by(line)) else {
            return Ok(None);
        };
        let time = key.verify(&self.text, line);
        time.map(Some).ok_or_else(|| BadSignature(key.name.clone()))
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.text)?;
        self.lines.iter().try_for_each(|line| line.fmt(formatter))
    }
}

/// The private key of a log, which signs checkpoints. `Debug` shows the public key only.
#[derive(Debug)]
pub struct LogKey(Pair);

/// The private key of a witness, which cosigns checkpoints. `Debug` shows the public key only.
#[derive(Debug)]
pub struct WitnessKey(Pair);

impl LogKey {
    /// Makes the key of the log with this origin from 32 secret random bytes (RFC 8032 section 5.1.5).
    ///
    /// # Errors
    /// As [`VerifierKey::new`].
    pub fn from_seed(origin: &str, seed: &[u8; 32]) -> Result<Self, Malformed> {
        Pair::from_seed(origin, KeyKind::Log, seed).map(Self)
    }

    /// The public key.
    pub fn verifier(&self) -> &VerifierKey {
        &self.0.verifier
    }

    /// Signs the text of a note.
    pub(crate) fn sign(&self, text: &str) -> Result<SignatureLine, CannotSign> {
        self.0.sign(&[], text)
    }
}

impl WitnessKey {
    /// Makes the key of the witness with this name from 32 secret random bytes. A log and a witness
    /// need different bytes.
    ///
    /// # Errors
    /// As [`VerifierKey::new`].
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, Malformed> {
        Pair::from_seed(name, KeyKind::Witness, seed).map(Self)
    }

    /// The public key.
    pub fn verifier(&self) -> &VerifierKey {
        &self.0.verifier
    }

    /// Signs a time and the text of a checkpoint.
    pub(crate) fn sign(&self, text: &str, time: u64) -> Result<SignatureLine, CannotSign> {
        let message = cosigned_message(text, time);
        self.0.sign(&time.to_be_bytes(), &message)
    }
}

struct Pair {
    verifier: VerifierKey,
    private: Ed25519KeyPair,
}

impl Pair {
    fn from_seed(name: &str, kind: KeyKind, seed: &[u8; 32]) -> Result<Self, Malformed> {
        let unusable = Malformed {
            format: "private key",
            reason: "the cryptographic library refuses it; make a new one",
        };
        let private = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| unusable)?;
        let public = private.public_key().as_ref().try_into();
        Ok(Self {
            verifier: VerifierKey::new(name, kind, public.map_err(|_| unusable)?)?,
            private,
        })
    }

    fn sign(&self, before: &[u8], message: &str) -> Result<SignatureLine, CannotSign> {
        let signature = self.private.try_sign(message.as_bytes());
        let signature = signature.map_err(|_| CannotSign)?;
        Ok(SignatureLine {
            name: self.verifier.name.clone(),
            id: self.verifier.id(),
            signature: [before, signature.as_ref()].concat(),
        })
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.verifier.fmt(formatter)
    }
}

fn cosigned_message(text: &str, time: u64) -> String {
    format!("cosignature/v1\ntime {time}\n{text}")
}

/// The key names of signed-note, without control characters and at most 255 bytes.
fn is_name(name: &str) -> bool {
    let is_allowed = |letter: char| letter >= ' ' && !letter.is_whitespace() && letter != '+';
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name.chars().all(is_allowed)
}
