//! The service to query and the credentials for it: a sandbox, or a service named by options.

use std::path::{Path, PathBuf};

use clap::Args;
use client::sandbox::{QUERY_SCOPE, load, read_file};
use client::token::{IssuedToken, parse_assertion_key};
use client::{Client, ClientError, Clock, Credentials, Endpoints, Trust};

/// The default sandbox, if this directory has one.
const DEFAULT_SANDBOX: &str = "onward-sandbox";
/// The largest certificate or key file that is read, in bytes.
pub(crate) const KEY_FILE_LIMIT_BYTES: u64 = 1024 * 1024;
/// The value of `--ca` that means the operating system's authorities.
const SYSTEM_TRUST: &str = "system";
/// The path of the chain query.
const CHAIN_QUERY: &str = "/api/v1/standard/chains";

/// A sandbox, or a service with everything that calling it needs. `onward query` and `onward token`
/// share these options.
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
    #[arg(long, value_name = "KID", requires = "base_url")]
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

/// A call of the service, for a line of `curl`.
struct Call {
    ca: PathBuf,
    certificate: PathBuf,
    key: PathBuf,
    url: String,
    /// The property that the call asks for. `None` if it is no chain query.
    uprn: Option<String>,
}

impl SourceArgs {
    /// A line of `curl` that calls the service with this token: the chain query, or the list of the
    /// client's branches if the token is for listings only.
    pub(super) fn curl_line(&self, issued: &IssuedToken) -> Result<String, SourceError> {
        let call = self.find_call(&issued.scope)?;
        let mut words = vec!["curl".to_owned()];
        let mut option = |name: &str, value: &str| words.push(format!("{name} {}", quote(value)));
        if call.ca.as_os_str() != SYSTEM_TRUST {
            option("--cacert", &call.ca.to_string_lossy());
        }
        option("--cert", &call.certificate.to_string_lossy());
        option("--key", &call.key.to_string_lossy());
        let authorization = format!("Authorization: Bearer {}", issued.access_token);
        option("--header", &authorization);
        if let Some(uprn) = &call.uprn {
            option("--form", "inputType=uprn");
            option("--form", &format!("value[]={uprn}"));
        }
        words.push(quote(&call.url));
        Ok(words.join(" "))
    }

    fn find_call(&self, scope: &str) -> Result<Call, SourceError> {
        if let (Some(base_url), Some(ca), Some(certificate), Some(key)) =
            (&self.base_url, &self.ca, &self.certificate, &self.key)
        {
            return Ok(Call {
                ca: ca.clone(),
                certificate: certificate.clone(),
                key: key.clone(),
                url: format!("{base_url}{CHAIN_QUERY}"),
                uprn: Some("UPRN".to_owned()),
            });
        }
        let sandbox = load(&find_sandbox(self.sandbox.as_deref()).ok_or(SourceError::NoService)?)?;
        let client = sandbox.client(self.client.as_deref())?;
        let may_query = scope.split(' ').any(|scope| scope == QUERY_SCOPE);
        Ok(Call {
            ca: sandbox.ca_file.clone(),
            certificate: client.certificate_file.clone(),
            key: client.key_file.clone(),
            url: if may_query {
                format!("{}{CHAIN_QUERY}", sandbox.base_url)
            } else {
                format!("{}/api/v1/branch", sandbox.listing_base_url)
            },
            uprn: may_query.then(|| sandbox.samples.uprn_in_chain.to_string()),
        })
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
    match open_named_service(args, &clock)? {
        Some(client) => Ok(client),
        None => open_sandbox(args, clock),
    }
}

/// Opens the service of `--base-url`; `None` when the option is absent. clap requires the other
/// options together with it.
fn open_named_service(args: &SourceArgs, clock: &Clock) -> Result<Option<Client>, SourceError> {
    let (Some(base_url), Some(auth_url), Some(jwks_url), Some(client_id)) = (
        &args.base_url,
        &args.auth_url,
        &args.jwks_url,
        &args.client_id,
    ) else {
        return Ok(None);
    };
    let (Some(ca), Some(certificate), Some(key), Some(assertion_key)) =
        (&args.ca, &args.certificate, &args.key, &args.assertion_key)
    else {
        return Ok(None);
    };
    let endpoints = Endpoints {
        base_url: base_url.clone(),
        auth_url: auth_url.clone(),
        jwks_url: jwks_url.clone(),
    };
    let pem = read_file(assertion_key, KEY_FILE_LIMIT_BYTES)?;
    let credentials = Credentials {
        client_id: client_id.clone(),
        certificate_pem: read_file(certificate, KEY_FILE_LIMIT_BYTES)?,
        key_pem: read_file(key, KEY_FILE_LIMIT_BYTES)?,
        assertion_key: parse_assertion_key(&pem, &args.assertion_alg)?,
        assertion_kid: args.assertion_kid.clone(),
    };
    Ok(Some(Client::new(
        endpoints,
        credentials,
        &read_trust(ca)?,
        clock.clone(),
    )?))
}

fn open_sandbox(args: &SourceArgs, clock: Clock) -> Result<Client, SourceError> {
    let dir = find_sandbox(args.sandbox.as_deref()).ok_or(SourceError::NoService)?;
    let sandbox = load(&dir)?;
    let credentials = Credentials::read(sandbox.client(args.client.as_deref())?)?;
    let trust = Trust::Only(read_file(&sandbox.ca_file, KEY_FILE_LIMIT_BYTES)?);
    Ok(Client::new(
        sandbox.endpoints(),
        credentials,
        &trust,
        clock,
    )?)
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
