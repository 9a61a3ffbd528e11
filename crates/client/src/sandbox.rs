//! `sandbox.json`: the addresses and credentials of a running sandbox.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{ClientError, ClientFiles, Endpoints};

/// The name of the file in the sandbox's directory.
pub const SANDBOX_FILE_NAME: &str = "sandbox.json";

/// The largest `sandbox.json` that is read, in bytes.
const SANDBOX_FILE_LIMIT_BYTES: u64 = 1024 * 1024;

/// The scope that the chain query needs (S-23).
pub const QUERY_SCOPE: &str = "transaction-status";

/// The scopes that a query about a past time needs (S-60).
pub const HISTORY_SCOPES: &str = "transaction-status transaction-history";

/// The sandbox's client that may query past times.
pub const AUDITOR: &str = "Example Auditor";

/// The content of `sandbox.json`, with its members in the order of the file.
///
/// File names are absolute, or relative to the sandbox's directory. [`load`] resolves them.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SandboxFile {
    /// The address of the chain query and of webhook management.
    pub base_url: String,
    /// The address of the token endpoint's host, which is also the issuer.
    pub auth_url: String,
    /// The full address of the key set.
    pub jwks_url: String,
    /// The address of the participant directory.
    pub directory_url: String,
    /// The address of the listing and chain-management API.
    pub listing_base_url: String,
    /// The address of health checks and metrics.
    pub ops_url: String,
    /// The certificate authority of all the sandbox's certificates, PEM.
    pub ca_file: PathBuf,
    /// The settings file, for operator commands.
    pub config_file: PathBuf,
    /// The registered OAuth clients.
    pub clients: Vec<SandboxClient>,
    /// The API keys for webhook management.
    pub api_keys: Vec<SandboxApiKey>,
    /// A server certificate for a local receiver.
    pub callback: SandboxCallback,
    /// The link that opens the console's page of people.
    #[serde(default)]
    pub console_url: String,
    /// The policy that verifies evidence packs.
    #[serde(default)]
    pub policy_file: PathBuf,
    /// The address of the sandbox's own witness.
    #[serde(default)]
    pub witness_url: String,
    /// Ids and an address to query.
    pub samples: SandboxSamples,
}

/// One OAuth client of the sandbox with all its key files.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SandboxClient {
    /// The client's name, unique in the file.
    pub name: String,
    /// The client id, a URL.
    pub client_id: String,
    /// The scopes that are assigned to the client.
    pub scopes: Vec<String>,
    /// The branches that the client may act for.
    pub branches: Vec<u64>,
    /// The TLS client certificate, PEM.
    pub certificate_file: PathBuf,
    /// The private key of that certificate, PEM.
    pub key_file: PathBuf,
    /// The private key for client assertions, PKCS #8 PEM.
    pub assertion_key_file: PathBuf,
    /// The id of the assertion key in the client's registered key set.
    pub assertion_kid: String,
    /// The algorithm of the assertion key: `PS256`, `ES256`, `EdDSA` or `RS256`.
    pub assertion_alg: String,
    /// True if all its tokens are bound to its certificate (S-24).
    pub certificate_bound: bool,
}

/// One API key of the sandbox.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SandboxApiKey {
    /// The participant to which the key belongs.
    #[serde(rename = "participantName")]
    pub participant_name: String,
    /// The API key.
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

/// Ids and an address of the sample data, to query.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SandboxSamples {
    /// A property in a straight chain.
    pub uprn_in_chain: u64,
    /// A property in a split chain.
    pub uprn_split: u64,
    /// A property without links.
    pub uprn_alone: u64,
    /// The address of a property.
    pub address: String,
    /// The id of a listing.
    pub listing_id: u64,
    /// The id of a branch.
    pub branch_id: u64,
    /// A UPRN for which each query gets 429.
    #[serde(default)]
    pub uprn_rate_limited: u64,
    /// A UPRN for which each query gets 503.
    #[serde(default)]
    pub uprn_unavailable: u64,
    /// A property that no listing sells.
    #[serde(default)]
    pub uprn_not_listed: u64,
    /// An address that two properties have.
    #[serde(default)]
    pub address_ambiguous: String,
}

/// Reads `sandbox.json` of the sandbox in `dir`, and resolves its file names against `dir`.
///
/// # Errors
/// [`ClientError::File`] when the file cannot be read, most often because no sandbox runs there.
/// [`ClientError::Sandbox`] when the file has another shape.
pub fn load(dir: &Path) -> Result<SandboxFile, ClientError> {
    let path = dir.join(SANDBOX_FILE_NAME);
    let text = read_file(&path, SANDBOX_FILE_LIMIT_BYTES)?;
    let mut file: SandboxFile =
        serde_json::from_slice(&text).map_err(|source| ClientError::Sandbox { path, source })?;
    file.resolve_paths(dir);
    Ok(file)
}

impl SandboxClient {
    /// The files of the client, and the names under which it is registered.
    pub fn files(&self) -> ClientFiles {
        ClientFiles {
            client_id: self.client_id.clone(),
            certificate: self.certificate_file.clone(),
            key: self.key_file.clone(),
            assertion_key: self.assertion_key_file.clone(),
            assertion_alg: self.assertion_alg.clone(),
            assertion_kid: Some(self.assertion_kid.clone()),
        }
    }
}

impl SandboxFile {
    /// The client called `name`, or without a name the first client that may query chains.
    ///
    /// # Errors
    /// [`ClientError::UnknownClient`], which names the sandbox's clients.
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
            &mut self.policy_file,
            &mut self.callback.certificate_file,
            &mut self.callback.key_file,
        ];
        for client in &mut self.clients {
            paths.push(&mut client.certificate_file);
            paths.push(&mut client.key_file);
            paths.push(&mut client.assertion_key_file);
        }
        for path in paths {
            // Joining an absolute path does not change it.
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
    // One more byte than allowed shows that a file is too large.
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
