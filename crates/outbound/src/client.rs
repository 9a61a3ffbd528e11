//! The HTTP client for addresses that others chose: bounded calls to checked addresses only (S-35).

use std::collections::HashMap;
use std::future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use observe::clock::Stopwatch;
use reqwest::Certificate;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};

use crate::callback::{CallbackRefusal, CallbackUrl};
use crate::limits;
use crate::networks::AllowedNetworks;
use crate::resolver::{Resolver, Resolving, SystemResolver, resolve_allowed};

mod disturbance;
mod error;
mod fetch;
mod identity;
mod operator;
mod retry_after;
#[cfg(test)]
mod tests;

pub use disturbance::{Disturbance, Disturbed};
pub use error::{OutboundError, SendError};
pub use fetch::{FetchError, FormAuthentication};
pub use identity::IdentityPem;
pub use operator::{NoOperatorUrl, OperatorAnswer, OperatorClient, OperatorUrl};

/// How the client sends. The default follows S-35 and allows public addresses only.
#[derive(Debug, Clone)]
pub struct OutboundSettings {
    /// Networks that events may go to although they are not public.
    pub allowed: AllowedNetworks,
    /// Whether to send without TLS to addresses that say so. [`CallbackUrl::parse_chosen`] alone reads such.
    pub plain_http: bool,
    /// PEM files of authorities that are trusted besides the operating system's.
    pub ca_files: Vec<PathBuf>,
    /// The certificate that the client presents, with its intermediates and its private key, PEM; `None`: none.
    pub identity: Option<IdentityPem>,
    /// How long finding the host, connecting and the TLS handshake may take together.
    pub connect_timeout: Duration,
    /// How long an attempt may take, with connecting and the answer's body.
    pub attempt_timeout: Duration,
    /// Bytes of the answer's body that are read at most.
    pub answer_bytes_max: usize,
    /// Looks hosts up.
    pub resolver: Arc<dyn Resolver>,
    /// Lets attempts go wrong on purpose, in a sandbox.
    pub disturbance: Option<Arc<dyn Disturbance>>,
}

/// Sends events and fetches key sets. Clones share the connections.
#[derive(Debug, Clone)]
pub struct OutboundClient {
    http: reqwest::Client,
    settings: Arc<OutboundSettings>,
    /// The running lookups for new subscriptions, by API key. Keys without one are absent.
    lookups: Arc<Mutex<HashMap<i64, usize>>>,
}

/// The content of one attempt.
#[derive(Debug, Clone)]
pub struct Attempt<'a> {
    /// The callback.
    pub url: &'a CallbackUrl,
    /// The signed event, which is the body.
    pub jwt: Bytes,
    /// The event's id, the same in every attempt.
    pub event_id: &'a str,
    /// The number of the attempt, from 1.
    pub number: u32,
    /// Unix time, for a `Retry-After` that is a date.
    pub now_seconds: i64,
}

/// The result of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpOutcome {
    /// The answer's status, if one came. An error may have followed.
    pub status: Option<u16>,
    /// How long the subscriber asks to wait, at most [`limits::RETRY_AFTER_MAX`].
    pub retry_after: Option<Duration>,
    /// Why there is no complete answer, or why it is no success.
    pub error: Option<SendError>,
    /// The beginning of the answer's body as text, at most [`limits::CALLBACK_ANSWER_KEPT_BYTES`].
    /// `None` if the body is empty.
    pub answer: Option<String>,
    /// The error with its causes, for the operator's log only: it can name addresses of the
    /// operator's network.
    pub detail: Option<String>,
    /// How long the attempt took.
    pub duration: Duration,
}

/// The part of an answer that is kept even if its body never ends.
struct Head {
    status: u16,
    retry_after: Option<Duration>,
    body: Vec<u8>,
}

impl Head {
    /// Keeps the part of a chunk that is within the limit.
    fn keep(&mut self, chunk: &[u8]) {
        let room = limits::CALLBACK_ANSWER_KEPT_BYTES - self.body.len();
        self.body.extend(chunk.iter().take(room));
    }

    /// The kept part of the body as text. PostgreSQL stores no zero characters.
    fn text(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.body);
        (!text.is_empty()).then(|| text.replace('\0', "\u{fffd}"))
    }
}

/// An attempt that was broken off: the reason, and the text for the log.
type Failure = (SendError, Option<String>);

impl Default for OutboundSettings {
    fn default() -> Self {
        Self {
            allowed: AllowedNetworks::default(),
            plain_http: false,
            ca_files: Vec::new(),
            identity: None,
            connect_timeout: limits::CALLBACK_CONNECT_TIMEOUT,
            attempt_timeout: limits::CALLBACK_ATTEMPT_TIMEOUT,
            answer_bytes_max: limits::CALLBACK_ANSWER_BYTES_MAX,
            resolver: Arc::new(SystemResolver::default()),
            disturbance: None,
        }
    }
}

impl HttpOutcome {
    /// Whether the event is delivered: any 2xx (S-35), read in time to its end or to the limit. An
    /// answer that breaks off is no success, because the subscriber may have failed after it began
    /// to answer. A repeated event is recognised by its id; a lost event is not noticed.
    pub fn is_success(&self) -> bool {
        self.error.is_none()
            && self
                .status
                .is_some_and(|status| (200..300).contains(&status))
    }
}

impl OutboundClient {
    /// Reads the authorities and makes the client.
    pub fn open(settings: OutboundSettings) -> Result<Self, OutboundError> {
        // This fails only when a provider is installed already, which is then used.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let settings = Arc::new(settings);
        let mut builder = reqwest::Client::builder()
            .https_only(!settings.plain_http)
            .tls_certs_merge(read_authorities(&settings.ca_files)?)
            .dns_resolver(CheckedResolver(Arc::clone(&settings)))
            // A redirect or a proxy would lead to an unchecked address.
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(settings.connect_timeout)
            .pool_max_idle_per_host(limits::CALLBACK_IDLE_CONNECTIONS_MAX)
            .pool_idle_timeout(limits::CALLBACK_IDLE_TIMEOUT)
            // Over HTTP/2 all subscriptions at one host would share a connection and its streams: a receiver that
            // never answers one subscriber would hold back the others.
            .http1_only()
            .user_agent(concat!("Onward/", env!("CARGO_PKG_VERSION")));
        if let Some(identity) = &settings.identity {
            builder = builder.identity(identity.parse()?);
        }
        let http = builder
            .build()
            .map_err(|error| OutboundError::Unusable(error::describe(&error)))?;
        Ok(Self {
            http,
            settings,
            lookups: Arc::default(),
        })
    }

    /// Parses and checks the callback of a new subscription of an API key (S-31). A name that does
    /// not exist or is not found in time is accepted, because each attempt checks again. So is a
    /// name while too many names of this key are being looked up.
    pub async fn accept_callback(
        &self,
        api_key: i64,
        text: &str,
    ) -> Result<CallbackUrl, CallbackRefusal> {
        let url = CallbackUrl::parse(text, &self.settings.allowed)?;
        let resolver = SubscriberResolver {
            settings: &self.settings,
            lookups: &self.lookups,
            api_key,
        };
        url.check_resolution(&resolver, &self.settings.allowed)
            .await?;
        Ok(url)
    }

    /// Makes one attempt, which ends within the attempt's timeout unless it is disturbed.
    pub async fn send(&self, attempt: &Attempt<'_>) -> HttpOutcome {
        let Some(disturbance) = &self.settings.disturbance else {
            return self.send_undisturbed(attempt).await;
        };
        let disturbed = disturbance.draw_attempt(attempt.number);
        tokio::time::sleep(disturbed.delay).await;
        disturbed.of(self.send_undisturbed(attempt).await)
    }

    async fn send_undisturbed(&self, attempt: &Attempt<'_>) -> HttpOutcome {
        let watch = Stopwatch::start();
        let mut head = None;
        let exchange = self.exchange(attempt, &mut head);
        let ended = tokio::time::timeout(self.settings.attempt_timeout, exchange).await;
        let failure = match ended {
            Ok(ended) => ended.err(),
            Err(_elapsed) => Some((SendError::Timeout, None)),
        };
        let (error, detail) = failure.map_or((None, None), |(error, detail)| (Some(error), detail));
        HttpOutcome {
            status: head.as_ref().map(|head| head.status),
            answer: head.as_ref().and_then(Head::text),
            retry_after: head.and_then(|head| head.retry_after),
            error,
            detail,
            duration: watch.elapsed(),
        }
    }

    /// Sends the event and reads the answer. Sets `head` before it reads the body, because the
    /// timeout may cancel it at any await.
    async fn exchange(
        &self,
        attempt: &Attempt<'_>,
        head: &mut Option<Head>,
    ) -> Result<(), Failure> {
        // The resolver is not asked for a literal address, so it is checked here.
        if let Some(address) = attempt.url.literal()
            && !self.settings.allowed.allows(address)
        {
            return Err((SendError::AddressForbidden, Some(address.to_string())));
        }
        let failed = |error: reqwest::Error| {
            let error = error.without_url();
            (SendError::classify(&error), Some(error::describe(&error)))
        };
        let request = self
            .http
            .post(attempt.url.url().clone())
            .header(CONTENT_TYPE, "application/jwt")
            .header("webhook-id", attempt.event_id)
            .header("webhook-attempt", attempt.number)
            .body(attempt.jwt.clone());
        let mut response = request.send().await.map_err(failed)?;
        let status = response.status();
        let head = head.insert(Head {
            status: status.as_u16(),
            body: Vec::new(),
            retry_after: (!status.is_success())
                .then(|| read_retry_after(response.headers(), attempt.now_seconds))
                .flatten(),
        });
        if status.is_redirection() {
            return Err((SendError::RedirectRefused, None));
        }
        // Only the beginning of the body is kept. The rest is read so that the connection can be
        // used again; a body past the limit closes the connection.
        let mut unread = self.settings.answer_bytes_max;
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            head.keep(&chunk);
            match unread.checked_sub(chunk.len()) {
                Some(rest) => unread = rest,
                None => break,
            }
        }
        Ok(())
    }
}

fn read_retry_after(headers: &HeaderMap, now_seconds: i64) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    retry_after::parse(text, now_seconds)
}

fn read_authorities(files: &[PathBuf]) -> Result<Vec<Certificate>, OutboundError> {
    let mut authorities = Vec::new();
    for path in files {
        let refused = |reason: String| OutboundError::CaFile {
            path: path.clone(),
            reason,
        };
        let pem = std::fs::read(path).map_err(|error| refused(error.to_string()))?;
        let read = Certificate::from_pem_bundle(&pem);
        let read = read.map_err(|error| refused(error::describe(&error)))?;
        if read.is_empty() {
            return Err(refused("it holds no PEM certificate".to_owned()));
        }
        authorities.extend(read);
    }
    Ok(authorities)
}

/// Looks names up for new subscriptions of one API key, few at once.
#[derive(Debug)]
struct SubscriberResolver<'a> {
    settings: &'a OutboundSettings,
    lookups: &'a Arc<Mutex<HashMap<i64, usize>>>,
    api_key: i64,
}

impl Resolver for SubscriberResolver<'_> {
    fn resolve(&self, name: &str) -> Resolving {
        let Some(place) = LookupPlace::take(self.lookups, self.api_key) else {
            return Box::pin(future::ready(Err(io::ErrorKind::WouldBlock.into())));
        };
        let resolving = self.settings.resolver.resolve(name);
        // The place is held to the end of the lookup, however long the caller waits.
        let looking = tokio::spawn(async move {
            let found = resolving.await;
            drop(place);
            found
        });
        Box::pin(async move { looking.await.map_err(io::Error::other).flatten() })
    }
}

/// The place of one lookup for a new subscription, until it is dropped.
#[derive(Debug)]
struct LookupPlace {
    lookups: Arc<Mutex<HashMap<i64, usize>>>,
    api_key: i64,
}

impl LookupPlace {
    /// `None` if the API key has none left.
    fn take(lookups: &Arc<Mutex<HashMap<i64, usize>>>, api_key: i64) -> Option<Self> {
        let mut running = lookups.lock().unwrap_or_else(PoisonError::into_inner);
        let count = running.entry(api_key).or_default();
        if *count >= limits::LOOKUPS_OF_SUBSCRIBER_MAX {
            return None;
        }
        *count += 1;
        let lookups = Arc::clone(lookups);
        Some(Self { lookups, api_key })
    }
}

impl Drop for LookupPlace {
    fn drop(&mut self) {
        let mut running = self.lookups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = running.get_mut(&self.api_key) {
            *count -= 1;
            if *count == 0 {
                running.remove(&self.api_key);
            }
        }
    }
}

/// Checks the addresses of a name at each connection. The connection goes to the checked addresses,
/// without a second lookup that could return others.
struct CheckedResolver(Arc<OutboundSettings>);

impl reqwest::dns::Resolve for CheckedResolver {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let settings = Arc::clone(&self.0);
        let resolving = settings.resolver.resolve(name.as_str());
        Box::pin(async move {
            let addresses = resolve_allowed(resolving, &settings.allowed).await?;
            // Port 0 means the port of the URL.
            let sockets = addresses
                .into_iter()
                .map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(sockets) as reqwest::dns::Addrs)
        })
    }
}
