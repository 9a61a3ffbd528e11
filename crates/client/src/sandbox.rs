//! `sandbox.json`: where a running sandbox listens, and the credentials it made.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{ClientError, Endpoints};

/// The name of the file within the sandbox's directory.
pub const SANDBOX_FILE_NAME: &str = "sandbox.json";

/// The largest `sandbox.json` that is read, in bytes.
const SANDBOX_FILE_LIMIT_BYTES: u64 = 1024 * 1024;

/// The scope that the chain query needs (S-23).
const QUERY_SCOPE: &str = "transaction-status";

/// The whole of `sandbox.json`, its members in the order of the file.
///
/// File names in it are absolute, or relative to the sandbox's directory; after [`load`] they can
/// be opened as they are.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SandboxFile {
    /// Address of the chain query and of webhook management.
    pub base_url: String,
    /// Address of the token endpoint's host, which is also the issuer.
    pub auth_url: String,
    /// Full address of the key set.
    pub jwks_url: String,
    /// Address of the participant directory.
    pub directory_url: String,
    /// Address of the listing and chain-management API.
    pub listing_base_url: String,
    /// Address of health and metrics.
    pub ops_url: String,
    /// The certificate authority that issued every certificate of the sandbox, PEM.
    pub ca_file: PathBuf,
    /// The configuration that operator commands take.
    pub config_file: PathBuf,
    /// The registered OAuth clients.
    pub clients: Vec<SandboxClient>,
    /// The API keys for webhook management.
    pub api_keys: Vec<SandboxApiKey>,
    /// A server certificate with which a local receiver can listen.
    pub callback: SandboxCallback,
    /// Ids that are worth trying.
    pub samples: SandboxSamples,
}

/// One OAuth client of the sandbox with all its key files.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SandboxClient {
    /// The name to choose it by.
    pub name: String,
    /// Its client id, a URL.
    pub client_id: String,
    /// The scopes that are assigned to it.
    pub scopes: Vec<String>,
    /// The branches that it may act for.
    pub branches: Vec<u64>,
    /// Its TLS client certificate, PEM.
    pub certificate_file: PathBuf,
    /// The private key of that certificate, PEM.
    pub key_file: PathBuf,
    /// The private key that signs its assertions, PKCS #8 PEM.
    pub assertion_key_file: PathBuf,
    /// The id of that key in the client's registered key set.
    pub assertion_kid: String,
    /// The algorithm of that key: `PS256`, `ES256`, `EdDSA` or `RS256`.
    pub assertion_alg: String,
    /// Whether its tokens are always bound to its certificate (S-24).
    pub certificate_bound: bool,
}

/// One API key of the sandbox.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SandboxApiKey {
    /// The participant that it belongs to.
    #[serde(rename = "participantName")]
    pub participant_name: String,
    /// The key itself.
    pub key: String,
}

/// A server certificate for `localhost`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SandboxCallback {
    /// The certificate, PEM.
    pub certificate_file: PathBuf,
    /// Its private key, PEM.
    pub key_file: PathBuf,
}

/// Ids of the sample data that are worth trying.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SandboxSamples {
    /// A property in a straight chain.
    pub uprn_in_chain: u64,
    /// A property in a split chain.
    pub uprn_split: u64,
    /// A property that stands alone.
    pub uprn_alone: u64,
    /// The address of a property.
    pub address: String,
    /// A listing.
    pub listing_id: u64,
    /// A branch.
    pub branch_id: u64,
}

/// Reads `sandbox.json` of the sandbox in `dir`, with its file names resolved against `dir`.
///
/// # Errors
/// [`ClientError::File`] when it cannot be read, which most often means that no sandbox runs there;
/// [`ClientError::Sandbox`] when it is not what a sandbox writes.
pub fn load(dir: &Path) -> Result<SandboxFile, ClientError> {
    let path = dir.join(SANDBOX_FILE_NAME);
    let text = read_file(&path, SANDBOX_FILE_LIMIT_BYTES)?;
    let mut file: SandboxFile =
        serde_json::from_slice(&text).map_err(|source| ClientError::Sandbox { path, source })?;
    file.resolve_paths(dir);
    Ok(file)
}

impl SandboxFile {
    /// The client called `name`, or the first one that may query chains.
    ///
    /// # Errors
    /// [`ClientError::UnknownClient`], which names those that there are.
    pub fn client(&self, name: Option<&str>) -> Result<&SandboxClient, ClientError> {
        let wanted = |client: &&SandboxClient| match name {
            Some(name) => client.name == name,
            None => client.scopes.iter().any(|scope| scope == QUERY_SCOPE),
        };
        self.clients.iter().find(wanted).ok_or_else(|| {
            let names: Vec<&str> = self
                .clients
                .iter()
                .map(|client| client.name.as_str())
                .collect();
            ClientError::UnknownClient {
                names: names.join(", "),
            }
        })
    }

    /// The addresses that a query needs.
    pub fn endpoints(&self) -> Endpoints {
        Endpoints {
            base_url: self.base_url.clone(),
            auth_url: self.auth_url.clone(),
            jwks_url: self.jwks_url.clone(),
        }
    }

    fn resolve_paths(&mut self, dir: &Path) {
        let mut paths = vec![
            &mut self.ca_file,
            &mut self.config_file,
            &mut self.callback.certificate_file,
            &mut self.callback.key_file,
        ];
        for client in &mut self.clients {
            paths.push(&mut client.certificate_file);
            paths.push(&mut client.key_file);
            paths.push(&mut client.assertion_key_file);
        }
        for path in paths {
            // Joining an absolute path leaves it as it is.
            *path = dir.join(&*path);
        }
    }
}

/// Reads a file of at most `limit_bytes`.
///
/// # Errors
/// [`ClientError::File`] when it cannot be read or is larger.
pub fn read_file(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, ClientError> {
    use std::io::Read;

    let failed = |source| ClientError::File {
        path: path.to_owned(),
        source,
    };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut content = Vec::new();
    // One byte more than allowed tells a file that is too large from one that just fits.
    file.take(limit_bytes.saturating_add(1))
        .read_to_end(&mut content)
        .map_err(failed)?;
    if u64::try_from(content.len()).is_ok_and(|length| length > limit_bytes) {
        let text = format!("it is larger than {limit_bytes} bytes");
        return Err(failed(std::io::Error::new(
            std::io::ErrorKind::FileTooLarge,
            text,
        )));
    }
    Ok(content)
}

#[cfg(test)]
mod tests;
