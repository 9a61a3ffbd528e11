//! Evidence packs as files: fetched, saved, read and verified.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use client::{Client, ClientError, printable};
use evidence::pack::PackError;
use evidence::{Pack, Refusal, Report};
use log::policy::{MAX_POLICY_BYTES, Policy};
use signing::canonical::CanonicalError;

/// Why there is no pack, or why it does not verify.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The service refused or was not reached, or a file cannot be read.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The service sent something else.
    #[error("the service sent no evidence pack: {0}")]
    NoPack(PackError),
    /// The file has neither an answer nor a pack.
    #[error("{} is neither a saved answer nor an evidence pack: {reason}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// Why it is no pack.
        reason: PackError,
    },
    /// The file has a pack already.
    #[error("{} is an evidence pack already: --only UPRN leaves the other properties out", .0.display())]
    Complete(PathBuf),
    /// The pack shows none of the properties of `--only`.
    #[error(transparent)]
    NotShown(PackError),
    /// The pack has no canonical form.
    #[error(transparent)]
    Unwritable(#[from] CanonicalError),
    /// The pack could not be saved.
    #[error("cannot save the pack to {}: {source}", path.display())]
    Save {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The result could not be written out.
    #[error("cannot write the result: {0}")]
    Write(#[from] io::Error),
    /// The policy cannot be used.
    #[error("{} is no policy: {reason}", path.display())]
    Policy {
        /// The file of `--policy`.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A pack was given without a policy.
    #[error("this is an evidence pack: pass --policy FILE with the policy that you hold")]
    NoPolicy,
    /// The pack does not verify.
    #[error("refused: {0}")]
    Refused(Refusal),
}

/// Gets the pack of an answer. `is_past` says that it has `asOf`.
pub(super) async fn fetch(
    client: &Client,
    answer: &[u8],
    is_past: bool,
) -> Result<Pack, EvidenceError> {
    let bytes = client.make_evidence(answer, is_past).await?;
    Pack::parse(&bytes).map_err(EvidenceError::NoPack)
}

/// Saves a pack and says so.
pub(super) fn save(pack: &Pack, path: &Path, out: &mut dyn Write) -> Result<(), EvidenceError> {
    let bytes = pack.to_bytes()?;
    std::fs::write(path, &bytes).map_err(|source| EvidenceError::Save {
        path: path.to_owned(),
        source,
    })?;
    let name = printable(&path.to_string_lossy());
    writeln!(
        out,
        "evidence pack of {} bytes in {name}: `onward verify {name} --policy POLICY` verifies it",
        bytes.len()
    )?;
    Ok(out.flush()?)
}

/// Whether a file has a pack.
pub(super) fn is_pack(content: &[u8]) -> bool {
    Pack::parse(content).is_ok()
}

/// Verifies a pack with the policy of a file. The inner error says why it does not verify.
pub(super) fn verify(pack: &[u8], policy: &Path) -> Result<Result<Report, Refusal>, EvidenceError> {
    let limit_bytes = u64::try_from(MAX_POLICY_BYTES).unwrap_or(u64::MAX);
    let text = client::sandbox::read_file(policy, limit_bytes)?;
    let unusable = |reason: String| EvidenceError::Policy {
        path: policy.to_owned(),
        reason,
    };
    let text = String::from_utf8(text).map_err(|error| unusable(error.to_string()))?;
    let policy = Policy::parse(&text).map_err(|error| unusable(error.to_string()))?;
    Ok(evidence::verify(pack, &policy))
}
