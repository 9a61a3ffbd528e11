//! The sandbox's own witness. With it evidence packs reach level 4 without a network. Its name says whose it is.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use witness::Directory;

use super::SandboxError;

/// Its folder, in the folder of the sandbox.
const FOLDER: &str = "witness";
/// Verifiers print it, so it says that nobody else saw the log.
pub(crate) const NAME: &str = "sandbox-own-witness";

/// The witness before it serves.
#[derive(Debug)]
pub(crate) struct OwnWitness {
    pub(crate) directory: PathBuf,
    /// Any free port of this machine.
    pub(crate) listener: TcpListener,
    pub(crate) url: String,
    /// The value of `state_log_witnesses`.
    pub(super) setting: String,
}

impl OwnWitness {
    /// Makes its key if it has none, and takes a port.
    pub(super) fn prepare(sandbox: &Path) -> Result<Self, SandboxError> {
        let directory = sandbox.join(FOLDER);
        let held = Directory::hold(&directory).map_err(SandboxError::new)?;
        let key = held.key(NAME).map_err(SandboxError::new)?;
        let listener = TcpListener::bind("127.0.0.1:0").map_err(SandboxError::new)?;
        listener.set_nonblocking(true).map_err(SandboxError::new)?;
        let address = listener.local_addr().map_err(SandboxError::new)?;
        let url = format!("http://{address}");
        let setting = format!("[\"witness {NAME} {} {url}\"]", key.verifier());
        Ok(Self {
            directory,
            listener,
            url,
            setting,
        })
    }
}
