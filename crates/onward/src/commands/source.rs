//! The service to query and the credentials for it: a sandbox, or a service named by options.

use std::path::{Path, PathBuf};

use clap::Args;
use client::sandbox::{AUDITOR, QUERY_SCOPE, SandboxFile, load, read_file};
use client::token::IssuedToken;
use client::{Client, ClientError, ClientFiles, Clock, Credentials, Endpoints, Trust};

/// The default sandbox, if this directory has one.
const DEFAULT_SANDBOX: &str = "onward-sandbox";
/// The largest certificate or key file that is read, in bytes.
pub(crate) const KEY_FILE_LIMIT_BYTES: u64 = 1024 * 1024;
/// The value of `--ca` that means the operating system's authorities.
const SYSTEM_TRUST: &str = "system";
/// The path of the chain query.
const CHAIN_QUERY: &str = "/api/v1/standard/chains";

/// A sandbox, or a service with everything that calling it needs. `onward query`, `onward token`
/// and `onward preflight` share these options.
#[derive(Args, Debug)]
pub(super) struct SourceArgs {
    /// The directory of a running sandbox [default: ./onward-sandbox, if there is one]
    #[arg(long, value_name = "DIR")]
    sandbox: Option<PathBuf>,

    /// The client of the sandbox that calls [default: the first that may query]
    #[arg(long, value_name = "NAME")]
    client: Option<String>,

    /// The base address of the service, instead of a sandbox; requires the options below.
    #[arg(
        long,
        value_name = "URL",
        conflicts_with_all = ["sandbox", "client"],
        requires_all = ["auth_url", "jwks_url", "ca", "certificate", "key", "client_id",
                        "assertion_key"]
    )]
    base_url: Option<String>,

    /// The address of listings, for a client with the scope `listing`.
    #[arg(long, value_name = "URL", requires = "base_url")]
    listing_base_url: Option<String>,

    /// The address of the auth listener, which is also the issuer.
    #[arg(long, value_name = "URL", requires = "base_url")]
    auth_url: Option<String>,

    /// The address of the key set that verifies signatures.
    #[arg(long, value_name = "URL", requires = "base_url")]
    jwks_url: Option<String>,

    /// The certificate authorities to trust, PEM; `system` for the authorities of the operating
    /// system.
    #[arg(long, value_name = "FILE", requires = "base_url")]
    ca: Option<PathBuf>,

    /// The TLS client certificate, PEM.
    #[arg(long, value_name = "FILE", requires = "base_url")]
    certificate: Option<PathBuf>,

    /// The private key of that certificate, PEM.
    #[arg(long, value_name = "FILE", requires = "base_url")]
    key: Option<PathBuf>,

    /// The client id, a URL.
    #[arg(long, value_name = "ID", requires = "base_url")]
    client_id: Option<String>,

    /// The private key that signs client assertions, PKCS #8 PEM.
    #[arg(long, value_name = "FILE", requires = "base_url")]
    assertion_key: Option<PathBuf>,

    /// The algorithm of that key: PS256, ES256, `EdDSA` or RS256.
    #[arg(long, value_name = "ALG", default_value = "PS256")]
    assertion_alg: String,

    /// The id of that key in the client's registered key set [default: none is sent]
    // A thumbprint is a usual id, and one of 64 begins with a hyphen.
    #[arg(
        long,
        value_name = "KID",
        requires = "base_url",
        allow_hyphen_values = true
    )]
    assertion_kid: Option<String>,
}

/// The reasons why the service to call cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file cannot be read, or a credential cannot be used.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Neither a sandbox nor a service was named.
    #[error(
        "no service to ask: start `onward sandbox` here, or pass --sandbox DIR, or name a service \
         with --base-url and the options that go with it"
    )]
    NoService,
}

/// A service to call: its addresses, and the files with which a client calls it.
pub(super) struct Service {
    pub(super) endpoints: Endpoints,
    /// The address of listing and chain management, if it is known.
    pub(super) listing_base_url: Option<String>,
    /// The authorities to trust, PEM; the word `system` for the operating system's.
    pub(super) ca: PathBuf,
    pub(super) files: ClientFiles,
    /// The sandbox, if the service is one.
    pub(super) sandbox: Option<SandboxFile>,
}

impl SourceArgs {
    /// With the sandbox's client that may ask about this time, unless another one or a service is named.
    pub(super) fn for_time(self, is_past: bool) -> Self {
        if is_past {
            self.with_sandbox_client(AUDITOR)
        } else {
            self
        }
    }

    /// With this client of a sandbox, unless another one or a service is named.
    fn with_sandbox_client(self, name: &str) -> Self {
        let default = self.base_url.is_none().then(|| name.to_owned());
        Self {
            client: self.client.or(default),
            ..self
        }
    }

    /// Finds the service of `--base-url`, or the sandbox.
    pub(super) fn find_service(&self) -> Result<Service, SourceError> {
        if let Some(named) = self.named_service() {
            return Ok(named);
        }
        let sandbox = load(&find_sandbox(self.sandbox.as_deref()).ok_or(SourceError::NoService)?)?;
        let client = sandbox.client(self.client.as_deref())?;
        Ok(Service {
            endpoints: sandbox.endpoints(),
            listing_base_url: Some(sandbox.listing_base_url.clone()),
            ca: sandbox.ca_file.clone(),
            files: client.files(),
            sandbox: Some(sandbox),
        })
    }

    /// The service of `--base-url`; `None` when the option is absent. clap requires the other options
    /// together with it.
    fn named_service(&self) -> Option<Service> {
        Some(Service {
            endpoints: Endpoints {
                base_url: self.base_url.clone()?,
                auth_url: self.auth_url.clone()?,
                jwks_url: self.jwks_url.clone()?,
            },
            listing_base_url: self.listing_base_url.clone(),
            ca: self.ca.clone()?,
            files: ClientFiles {
                client_id: self.client_id.clone()?,
                certificate: self.certificate.clone()?,
                key: self.key.clone()?,
                assertion_key: self.assertion_key.clone()?,
                assertion_alg: self.assertion_alg.clone(),
                assertion_kid: self.assertion_kid.clone(),
            },
            sandbox: None,
        })
    }

    /// A line of `curl` that calls the service with this token: the chain query, or the list of the
    /// client's listings if the token is for listings only.
    pub(super) fn curl_line(&self, issued: &IssuedToken) -> Result<String, SourceError> {
        let service = self.find_service()?;
        let mut words = vec!["curl".to_owned()];
        let mut option = |name: &str, value: &str| words.push(format!("{name} {}", quote(value)));
        if service.ca.as_os_str() != SYSTEM_TRUST {
            option("--cacert", &service.ca.to_string_lossy());
        }
        option("--cert", &service.files.certificate.to_string_lossy());
        option("--key", &service.files.key.to_string_lossy());
        let authorization = format!("Authorization: Bearer {}", issued.access_token);
        option("--header", &authorization);
        let mut scopes = issued.scope.split(' ');
        let url = match &service.listing_base_url {
            Some(url) if !scopes.any(|scope| scope == QUERY_SCOPE) => {
                format!("{}/api/v1/listing", url.trim_end_matches('/'))
            }
            Some(_) | None => {
                let sample = service
                    .sandbox
                    .as_ref()
                    .map(|file| file.samples.uprn_in_chain);
                let uprn = sample.map_or_else(|| "UPRN".to_owned(), |uprn| uprn.to_string());
                option("--form", "inputType=uprn");
                option("--form", &format!("value[]={uprn}"));
                format!("{}{CHAIN_QUERY}", service.endpoints.base_url)
            }
        };
        words.push(quote(&url));
        Ok(words.join(" "))
    }
}

/// A word of a shell's line, in quotes unless it is plain.
fn quote(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-:=".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Opens a client of the service that `args` name.
pub(super) fn open_client(args: &SourceArgs, clock: Clock) -> Result<Client, SourceError> {
    let service = args.find_service()?;
    let credentials = Credentials::read(&service.files)?;
    let trust = read_trust(&service.ca)?;
    Ok(Client::new(service.endpoints, credentials, &trust, clock)?)
}

/// The named directory, or `./onward-sandbox` if it holds a sandbox.
pub(crate) fn find_sandbox(named: Option<&Path>) -> Option<PathBuf> {
    let default = Path::new(DEFAULT_SANDBOX);
    let usual = || {
        default
            .join(client::sandbox::SANDBOX_FILE_NAME)
            .is_file()
            .then_some(default)
    };
    named.or_else(usual).map(Path::to_owned)
}

/// The authorities of a PEM file, or the operating system's for the word `system`.
pub(crate) fn read_trust(ca: &Path) -> Result<Trust, ClientError> {
    if ca.as_os_str() == SYSTEM_TRUST {
        return Ok(Trust::System);
    }
    read_file(ca, KEY_FILE_LIMIT_BYTES).map(Trust::Only)
}
