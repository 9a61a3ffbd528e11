//! One attempt to deliver an event: POST to a callback, within bounds, to checked addresses (S-35).

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use observe::clock::Stopwatch;
use reqwest::Certificate;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use tokio::sync::Semaphore;

use crate::callback::{CallbackRefusal, CallbackUrl};
use crate::limits;
use crate::networks::AllowedNetworks;
use crate::resolver::{Resolver, SystemResolver, resolve_allowed};

mod error;
mod fetch;
mod retry_after;
#[cfg(test)]
mod tests;

pub use error::SendError;
pub use fetch::FetchError;

/// How the program sends. The default is what S-35 says, to public addresses only.
#[derive(Debug, Clone)]
pub struct OutboundSettings {
    /// Networks that events may go to although they are not public.
    pub allowed: AllowedNetworks,
    /// PEM files of authorities that are trusted besides those of the operating system.
    pub ca_files: Vec<PathBuf>,
    /// How long finding the host, connecting and the TLS handshake may take together.
    pub connect_timeout: Duration,
    /// How long an attempt may take, with all of the above and the answer's body.
    pub attempt_timeout: Duration,
    /// Bytes of the answer's body that are read at most.
    pub answer_bytes_max: usize,
    /// Looks hosts up.
    pub resolver: Arc<dyn Resolver>,
}

/// Sends events. One for the program; a clone shares the connections.
#[derive(Debug, Clone)]
pub struct OutboundClient {
    http: reqwest::Client,
    settings: Arc<OutboundSettings>,
    /// Lookups for those who subscribe: their names may be such that nobody answers for, and
    /// must not take the threads that look up for others.
    lookups: Arc<Semaphore>,
}

/// Why there can be no sender, in one sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// A file of authorities cannot be used.
    #[error("cannot use {} as authorities of callbacks: {reason}", path.display())]
    CaFile {
        /// Which file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The library refused the settings, or the system has no authorities.
    #[error(
        "cannot send to callbacks: {0}; install the system's certificate authorities, or name some in callback_ca_file"
    )]
    Unusable(String),
}

/// What one attempt sends.
#[derive(Debug, Clone)]
pub struct Attempt<'a> {
    /// Where to.
    pub url: &'a CallbackUrl,
    /// The signed event, the body as it is.
    pub jwt: Bytes,
    /// The event's id, the same in every attempt.
    pub event_id: &'a str,
    /// Which attempt this is, from 1.
    pub number: u32,
    /// Unix time, for a `Retry-After` that is a date.
    pub now_seconds: i64,
}

/// What came of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpOutcome {
    /// The answer's status, as soon as there was one; an error may have followed.
    pub status: Option<u16>,
    /// How long the subscriber asks to wait, at most [`limits::RETRY_AFTER_MAX`].
    pub retry_after: Option<Duration>,
    /// Why there is no whole answer, or why it does not count.
    pub error: Option<SendError>,
    /// The error with its causes, for the operator's log only: it can name inner addresses.
    pub detail: Option<String>,
    /// How long the attempt took.
    pub duration: Duration,
}

/// The part of an answer that counts even if its body never ends.
struct Head {
    status: u16,
    retry_after: Option<Duration>,
}

/// An attempt that was broken off: the reason, and the text for the log.
type Failure = (SendError, Option<String>);

impl Default for OutboundSettings {
    fn default() -> Self {
        Self {
            allowed: AllowedNetworks::default(),
            ca_files: Vec::new(),
            connect_timeout: limits::CALLBACK_CONNECT_TIMEOUT,
            attempt_timeout: limits::CALLBACK_ATTEMPT_TIMEOUT,
            answer_bytes_max: limits::CALLBACK_ANSWER_BYTES_MAX,
            resolver: Arc::new(SystemResolver::new(limits::CALLBACK_RESOLVE_TIMEOUT)),
        }
    }
}

impl HttpOutcome {
    /// Whether the event is delivered: any 2xx (S-35), read to its end or to the limit in time.
    /// A subscriber that broke off within its answer may have failed after it began to answer;
    /// sending again can be recognised by the event's id, and an event that is lost cannot.
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
        // Fails only when a provider is installed already, and then that one is used.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let settings = Arc::new(settings);
        let http = reqwest::Client::builder()
            .https_only(true)
            .tls_certs_merge(read_authorities(&settings.ca_files)?)
            .dns_resolver(CheckedResolver(Arc::clone(&settings)))
            // A redirect or a proxy would lead to an address that nobody has checked.
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(settings.connect_timeout)
            .pool_max_idle_per_host(limits::CALLBACK_IDLE_CONNECTIONS_MAX)
            .pool_idle_timeout(limits::CALLBACK_IDLE_TIMEOUT)
            .http2_max_header_list_size(limits::CALLBACK_HEADER_BYTES_MAX)
            .http2_keep_alive_interval(limits::CALLBACK_PROBE_INTERVAL)
            .http2_keep_alive_timeout(limits::CALLBACK_PROBE_INTERVAL)
            .user_agent(concat!("Onward/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| OutboundError::Unusable(error::describe(&error)))?;
        Ok(Self {
            http,
            settings,
            lookups: Arc::new(Semaphore::new(limits::SUBSCRIBED_LOOKUPS_MAX)),
        })
    }

    /// Reads and checks what a subscriber gives as its callback (S-31). A name that cannot be
    /// looked up in time is accepted, as one that does not exist: each attempt looks again.
    pub async fn accept_callback(&self, text: &str) -> Result<CallbackUrl, CallbackRefusal> {
        let OutboundSettings {
            allowed, resolver, ..
        } = &*self.settings;
        let url = CallbackUrl::parse(text, allowed)?;
        let place = self.lookups.acquire();
        if let Ok(_place) = tokio::time::timeout(limits::CALLBACK_RESOLVE_TIMEOUT, place).await {
            url.check_resolution(&**resolver, allowed).await?;
        }
        Ok(url)
    }

    /// Makes one attempt. It ends within the attempt's timeout, whatever the other side does.
    pub async fn send(&self, attempt: &Attempt<'_>) -> HttpOutcome {
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
            retry_after: head.and_then(|head| head.retry_after),
            error,
            detail,
            duration: watch.elapsed(),
        }
    }

    /// Sends and reads the answer; what is known of it goes to `head` at once, because the whole
    /// may be cut off at any await.
    async fn exchange(
        &self,
        attempt: &Attempt<'_>,
        head: &mut Option<Head>,
    ) -> Result<(), Failure> {
        // An address in place of a name is connected to without asking the resolver.
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
        *head = Some(Head {
            status: status.as_u16(),
            retry_after: (!status.is_success())
                .then(|| read_retry_after(response.headers(), attempt.now_seconds))
                .flatten(),
        });
        if status.is_redirection() {
            return Err((SendError::RedirectRefused, None));
        }
        // The body says nothing that counts. It is read so that the connection can be used again;
        // one that is longer than the limit costs its sender the connection.
        let mut unread = self.settings.answer_bytes_max;
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
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

/// Hands on only addresses that were checked, at each connection: what a name said at an earlier
/// time counts for nothing, and between this check and the connection nobody looks again.
struct CheckedResolver(Arc<OutboundSettings>);

impl reqwest::dns::Resolve for CheckedResolver {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let settings = Arc::clone(&self.0);
        let resolving = settings.resolver.resolve(name.as_str());
        Box::pin(async move {
            let addresses = resolve_allowed(resolving, &settings.allowed).await?;
            // Port 0 stands for the URL's.
            let sockets = addresses
                .into_iter()
                .map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(sockets) as reqwest::dns::Addrs)
        })
    }
}
