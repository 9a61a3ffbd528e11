//! The sandbox's own witness. With it evidence packs reach level 4 without a network. Its name says whose it is.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::{fs, io};

use witness::Directory;

use super::SandboxError;

/// Its folder, in the folder of the sandbox.
const FOLDER: &str = "witness";
/// Keeps its port, in that folder.
const PORT_FILE: &str = "port";
/// Verifiers print it, so it says that nobody else saw the log.
pub(crate) const NAME: &str = "sandbox-own-witness";

/// The witness before it serves.
#[derive(Debug)]
pub(crate) struct OwnWitness {
    pub(crate) directory: PathBuf,
    /// A port of this machine that was free at the first start, and the same one later where it is free.
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
        let listener = listen(&directory).map_err(SandboxError::new)?;
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

/// Takes the port of the last start, else any free one, which it keeps for the next start.
fn listen(directory: &Path) -> io::Result<TcpListener> {
    let file = directory.join(PORT_FILE);
    let port = fs::read_to_string(&file).ok();
    let port = port.and_then(|text| text.trim().parse::<u16>().ok());
    if let Some(listener) = port.and_then(|port| TcpListener::bind(("127.0.0.1", port)).ok()) {
        return Ok(listener);
    }
    let listener = TcpListener::bind("127.0.0.1:0")?;
    fs::write(&file, listener.local_addr()?.port().to_string())?;
    Ok(listener)
}
