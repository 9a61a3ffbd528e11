//! Where private keys are kept: sealed in the store, or in a PKCS#11 token.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};

use observe::clock::Stopwatch;
use signing::seal::KeyEncryptionKeys;

use crate::key_error::KeyError;
use crate::limits;
use crate::pkcs11::Token;

/// Opens private keys, and keeps new ones.
#[derive(Debug)]
pub struct KeySafe {
    /// Seals private keys in the store.
    pub sealing: KeyEncryptionKeys,
    /// Keeps the keys that sign answers and events, if there is one.
    pub token: Option<Arc<Token>>,
}

/// The settings of a [`KeySafe`].
#[derive(Debug, Clone, Copy)]
pub struct KeySafeSettings<'a> {
    /// Where the key-encryption key is.
    pub source: KeySource<'a>,
    /// The path of the PKCS#11 module; empty: no token.
    pub module: &'a str,
    /// The label of the token.
    pub label: &'a str,
    /// The path of the file with the PIN of the token's user.
    pub pin_file: &'a str,
}

impl KeySafeSettings<'_> {
    /// Reads the key-encryption key and opens the token. Blocks.
    ///
    /// # Errors
    /// The errors of [`KeySource::read`], [`KeyError::PinFile`] and [`KeyError::Token`].
    pub fn open(&self) -> Result<KeySafe, KeyError> {
        let sealing = self.source.read()?;
        let token = if self.module.is_empty() {
            None
        } else {
            let read = std::fs::read_to_string(self.pin_file);
            let pin = read.map_err(|error| KeyError::PinFile {
                path: self.pin_file.to_owned(),
                reason: error.to_string(),
            })?;
            let opened = Token::open(Path::new(self.module), self.label, pin.trim());
            Some(Arc::new(opened?))
        };
        Ok(KeySafe { sealing, token })
    }
}

impl From<KeyEncryptionKeys> for KeySafe {
    fn from(sealing: KeyEncryptionKeys) -> Self {
        Self {
            sealing,
            token: None,
        }
    }
}

/// Where the key-encryption key is.
#[derive(Debug, Clone, Copy)]
pub enum KeySource<'a> {
    /// The path of a file.
    File(&'a str),
    /// A command for `sh`, which prints it.
    Command(&'a str),
}

impl KeySource<'_> {
    /// Reads the keys: one a line in base64url. Blocks, for a command up to 30 s.
    ///
    /// # Errors
    /// [`KeyError::KeyFile`] and [`KeyError::KeyCommand`].
    pub fn read(self) -> Result<KeyEncryptionKeys, KeyError> {
        let parse = |text: String| {
            let wrong = "it must hold 32 bytes in base64url, or up to 8 such lines";
            KeyEncryptionKeys::parse(&text).map_err(|_error| wrong.to_owned())
        };
        match self {
            Self::File(path) => {
                let read = std::fs::read_to_string(path).map_err(|error| error.to_string());
                read.and_then(parse).map_err(|reason| KeyError::KeyFile {
                    path: path.to_owned(),
                    reason,
                })
            }
            Self::Command(command) => run(command)
                .and_then(parse)
                .map_err(|reason| KeyError::KeyCommand { reason }),
        }
    }
}

/// The standard output of a command. Its standard error is this program's.
fn run(command: &str) -> Result<String, String> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = shell.spawn().map_err(|error| error.to_string())?;
    let output = child.stdout.take().ok_or("it has no output")?;
    let (send, read) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = output
            .take(limits::KEY_COMMAND_OUTPUT_MAX)
            .read_to_string(&mut text);
        // Nobody waits any more if it took too long.
        drop(send.send(read.map(|_length| text)));
    });
    let Ok(text) = read.recv_timeout(limits::KEY_COMMAND_TIMEOUT) else {
        // It may have ended meanwhile.
        drop(child.kill());
        drop(child.wait());
        let seconds = limits::KEY_COMMAND_TIMEOUT.as_secs();
        return Err(format!("it printed nothing within {seconds} s"));
    };
    let text = text.map_err(|error| error.to_string())?;
    // It has closed its output, and ends soon.
    let waited = Stopwatch::start();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if waited.elapsed() > limits::KEY_COMMAND_TIMEOUT {
            drop(child.kill());
            drop(child.wait());
            return Err("it does not end".to_owned());
        }
        std::thread::sleep(limits::KEY_COMMAND_PAUSE);
    };
    if status.success() {
        Ok(text)
    } else {
        Err(format!("it failed with {status}"))
    }
}
