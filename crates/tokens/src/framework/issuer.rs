//! Calls to the framework's introspection endpoint (RFC 7662), with `private_key_jwt` over mutual TLS (S-69).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use framework::answer::{self, Expected};
use framework::known_tokens::Outcome;
use observe::clock::Clock;
use observe::outage::Outage;
use outbound::callback::CallbackUrl;
use outbound::client::{FetchError, OutboundClient};
use signing::client_assertion;
use signing::key::SigningKey;

use super::FrameworkSettings;
use crate::limits;
use crate::signers::{Signers, SigningError};

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The framework's introspection endpoint.
#[derive(Debug)]
pub struct Issuer {
    clock: Clock,
    signers: Arc<Signers>,
    outbound: OutboundClient,
    url: CallbackUrl,
    signer: AssertionSigner,
    counts: Counts,
    outage: Outage,
}

/// The client that this service is at the framework.
#[derive(Debug, Clone)]
pub struct AssertionSigner {
    /// The client id.
    pub client_id: String,
    /// The key that signs assertions.
    pub key: Arc<SigningKey>,
    /// The id of the key at the framework; `None`: the framework tries each registered key.
    pub kid: Option<String>,
}

/// The calls of this node.
#[derive(Debug, Default)]
struct Counts {
    answered: AtomicU64,
    bad_requests: AtomicU64,
    away: AtomicU64,
}

impl Issuer {
    /// The endpoint at this address. `outbound` presents this service's certificate at the framework.
    pub fn new(
        outbound: OutboundClient,
        url: CallbackUrl,
        signer: AssertionSigner,
        (clock, signers): (Clock, Arc<Signers>),
    ) -> Self {
        Self {
            clock,
            signers,
            outbound,
            url,
            signer,
            counts: Counts::default(),
            outage: Outage::new("the framework's introspection endpoint is away"),
        }
    }

    /// Time.
    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The client for the framework's hosts.
    pub fn outbound(&self) -> &OutboundClient {
        &self.outbound
    }

    /// How many calls were answered, were refused with 400, and got no usable answer.
    pub fn calls(&self) -> [u64; 3] {
        let counts = &self.counts;
        [&counts.answered, &counts.bad_requests, &counts.away]
            .map(|count| count.load(Ordering::Relaxed))
    }

    /// Asks about a token. No text of the issuer or of the token gets into the log.
    pub(super) async fn ask(&self, text: &str, settings: &FrameworkSettings) -> Outcome {
        let asked = self.call(text, settings).await;
        // The log has one line when it goes away, and one when it answers again.
        let outcome = self.outage.note(asked).unwrap_or(Outcome::Away);
        let count = match &outcome {
            Outcome::Answered(_) => &self.counts.answered,
            Outcome::BadRequest => &self.counts.bad_requests,
            Outcome::Away => &self.counts.away,
        };
        count.fetch_add(1, Ordering::Relaxed);
        outcome
    }

    /// Asks about a text that is no token. Each readable answer and the status 400 are right.
    ///
    /// # Errors
    /// What is wrong with the answer, for the operator.
    pub async fn probe(&self, settings: &FrameworkSettings) -> Result<(), String> {
        self.call("no-token", settings).await.map(drop)
    }

    async fn call(&self, text: &str, settings: &FrameworkSettings) -> Result<Outcome, String> {
        let signed = self.sign_assertion().await;
        let assertion = signed.map_err(|error| format!("no assertion can be signed: {error}"))?;
        let form = [
            ("token", text),
            ("client_id", &self.signer.client_id),
            ("client_assertion_type", ASSERTION_TYPE),
            ("client_assertion", &assertion),
        ];
        let (bytes_max, timeout) = (
            limits::FRAMEWORK_ANSWER_BYTES_MAX,
            limits::FRAMEWORK_ANSWER_TIMEOUT,
        );
        let asking = self
            .outbound
            .post_form_for_json(&self.url, &form, bytes_max, timeout);
        match asking.await {
            Ok(body) => {
                let expected = Expected {
                    issuer: &settings.issuer,
                    audience: &settings.audience,
                };
                let read = answer::read(&body, expected, self.clock.now_seconds());
                read.map(Outcome::Answered)
                    .map_err(|error| error.to_string())
            }
            Err(FetchError::Status(400)) => Ok(Outcome::BadRequest),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The audience is the introspection endpoint, which the sector's resource servers name.
    async fn sign_assertion(&self) -> Result<String, SigningError> {
        let signer = self.signer.clone();
        let (audience, now) = (self.url.as_str().to_owned(), self.clock.now_seconds());
        let sign = move || {
            let (client_id, kid) = (&signer.client_id, signer.kid.as_deref());
            client_assertion::sign(client_id, &signer.key, kid, &audience, now)
        };
        self.signers.sign(sign).await
    }
}
