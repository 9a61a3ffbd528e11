//! Proof that a client authenticated with `private_key_jwt` (RFC 7523, S-21).

use std::sync::Arc;

use observe::trace;
use signing::assertion::{self, AssertionRefusal, AssertionRules, CheckedAssertion};
use signing::base64url;
use signing::canonical;
use signing::certificate::PeerCertificate;
use signing::jwk::JwkSet;
use signing::jws::Unverified;
use storage::assertion::{insert_used_assertion, was_used};
use storage::{StorageError, Write};
use tracing::Instrument as _;

use crate::context::{ClientRefusal, TokenContext};
use crate::rate_limit::Allowance;
use crate::registry::{Client, ClientKeys, Snapshot};

const USED_BEFORE: &str =
    "client_assertion was used before: make a new one, with a new jti, for each request";

/// One text for every failure before the signature is verified, so that a caller without the key does
/// not learn which clients are registered, nor how.
const NOT_PROVEN: &str = "the client is not registered, client_assertion is not signed with a \
     registered key and algorithm, or the key set at the client's jwks_uri cannot be used";

/// The endpoint that a client calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// `/token`.
    Token,
    /// `/introspect`.
    Introspection,
    /// `/revoke`.
    Revocation,
}

/// The fields that a client sends to authenticate. Nothing in them is proven yet.
#[derive(Debug, PartialEq, Eq)]
pub struct Credentials {
    /// The signed assertion of RFC 7523.
    pub client_assertion: String,
    /// The form field `client_id`: optional, and equal to the assertion's `sub` (S-21).
    pub client_id: Option<String>,
    /// The endpoint that got them.
    pub endpoint: Endpoint,
}

/// Proof of a client with an assertion that was not used before.
#[derive(Debug)]
pub struct VerifiedAssertion {
    client: Arc<Client>,
}

/// Proof of a client with a valid assertion, which may have been used before.
#[derive(Debug)]
pub struct UnusedAssertion {
    client: Arc<Client>,
    checked: CheckedAssertion,
}

impl VerifiedAssertion {
    /// Checks the assertion, and last uses it up with one atomic insert, for all nodes. An
    /// assertion that fails a check is not used up, so nobody can use up another client's `jti`.
    pub async fn prove(
        context: &TokenContext,
        snapshot: &Snapshot,
        credentials: &Credentials,
        certificate: Option<&PeerCertificate>,
        allowance: &mut Option<Allowance>,
    ) -> Result<Self, ClientRefusal> {
        let unused = UnusedAssertion::check(context, snapshot, credentials, certificate).await?;
        unused.use_up(context, allowance, |_write| Ok(())).await
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }
}

impl UnusedAssertion {
    /// Parses the assertion, finds the client, and checks key, signature and claims. Also checks
    /// the certificate of the connection if the client needs one (S-24).
    pub async fn check(
        context: &TokenContext,
        snapshot: &Snapshot,
        credentials: &Credentials,
        certificate: Option<&PeerCertificate>,
    ) -> Result<Self, ClientRefusal> {
        let unverified = Unverified::parse(&credentials.client_assertion).map_err(|error| {
            tracing::debug!(%error, "client assertion refused");
            ClientRefusal::InvalidClient(
                "client_assertion is not a signed JWT that is accepted here",
            )
        })?;
        let client_id = assertion::read_client_id(&unverified).map_err(|error| refuse(&error))?;
        let client = context.registry.find_client(snapshot, &client_id).await?;
        let Some(client) = client.filter(|client| client.is_active && !client.of_framework) else {
            tracing::debug!(
                ?client_id,
                "client assertion of an unknown or disabled client"
            );
            return Err(ClientRefusal::InvalidClient(NOT_PROVEN));
        };
        let settings = &context.settings;
        let rules = AssertionRules {
            profile: client.profile,
            issuer: &settings.issuer,
            token_endpoint: &settings.token_endpoint,
            called_endpoint: match credentials.endpoint {
                Endpoint::Token => &settings.token_endpoint,
                Endpoint::Introspection => &settings.introspection_endpoint,
                Endpoint::Revocation => &settings.revocation_endpoint,
            },
            pinned: client.assertion_algorithm,
        };
        let now = context.clock.now_seconds();
        let keys = find_keys(context, &client, unverified.kid(), now).await?;
        let checked = assertion::check(&unverified, &keys, &rules, &client_id, now)
            .map_err(|error| refuse(&error))?;
        // Whoever calls has the client's key, perhaps with another certificate.
        trace::note_caller(&client.id);
        let named = credentials.client_id.as_deref();
        if named.is_some_and(|named| named != client_id) {
            return Err(ClientRefusal::InvalidRequest(
                "client_id differs from the sub of client_assertion",
            ));
        }
        check_certificate(&client, certificate)?;
        Ok(Self { client, checked })
    }

    /// The client. The assertion may still be a copy.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Counts the request for its client (S-14), uses the assertion up and, if it was new, runs
    /// `also` in the same transaction.
    ///
    /// The count comes after the signature was verified, so that no stranger uses up the client's
    /// limit. It comes before the write, so that a client past its limit costs the others nothing
    /// and can send its assertion again later.
    pub async fn use_up(
        self,
        context: &TokenContext,
        allowance: &mut Option<Allowance>,
        also: impl Fn(&mut Write<'_>) -> Result<(), StorageError> + Send + 'static,
    ) -> Result<VerifiedAssertion, ClientRefusal> {
        let client_id = self.checked.client_id().to_owned();
        let jti_digest = base64url::encode(&canonical::digest(self.checked.jti().as_bytes()));
        let (id, digest) = (client_id.clone(), jti_digest.clone());
        let was_used = context
            .storage
            .lookup(move |read| was_used(read, &id, &digest))
            .await?;
        if was_used {
            return Err(ClientRefusal::InvalidClient(USED_BEFORE));
        }
        let limits = context.rate_limits.as_ref();
        *allowance = limits.map(|limits| limits.count(&self.client.id));
        if let Some(wait) = allowance.as_ref().and_then(Allowance::wait) {
            return Err(ClientRefusal::RateLimited(wait));
        }
        let expires_at = self.checked.expires_at();
        let is_fresh = context
            .storage
            .write(move |write| {
                let is_fresh = insert_used_assertion(write, &client_id, &jti_digest, expires_at)?;
                if is_fresh {
                    also(write)?;
                }
                Ok::<_, StorageError>(is_fresh)
            })
            .instrument(trace::step("store write"))
            .await?;
        if !is_fresh {
            return Err(ClientRefusal::InvalidClient(USED_BEFORE));
        }
        Ok(VerifiedAssertion {
            client: self.client,
        })
    }
}

/// Checks that a certificate is present if the client needs one (S-24), and that the client may call
/// with it.
fn check_certificate(
    client: &Client,
    certificate: Option<&PeerCertificate>,
) -> Result<(), ClientRefusal> {
    let Some(certificate) = certificate else {
        if client.certificate_bound {
            return Err(ClientRefusal::InvalidClient(
                "present your client certificate on this connection",
            ));
        }
        return Ok(());
    };
    if client.accepted_certificate.accepts(certificate) {
        return Ok(());
    }
    tracing::debug!(
        client_id = &*client.id,
        thumbprint = ?certificate.thumbprint,
        names = ?certificate.names,
        "another client's certificate refused"
    );
    Err(ClientRefusal::InvalidClient(
        "the certificate on this connection is not registered for this client",
    ))
}

/// The client's keys, from the registry or from its address.
async fn find_keys(
    context: &TokenContext,
    client: &Client,
    kid: Option<&str>,
    now: i64,
) -> Result<Arc<JwkSet>, ClientRefusal> {
    let url = match &client.keys {
        ClientKeys::Inline(keys) => return Ok(Arc::clone(keys)),
        ClientKeys::Published(url) => url,
    };
    let keys = context
        .client_keys
        .find(&context.outbound, url, kid, now)
        .await;
    keys.map_err(|reason| {
        // The fetch has logged a warning already, once for all callers that wait for it.
        tracing::debug!(client_id = %client.id, %reason, "the key set at jwks_uri cannot be used");
        ClientRefusal::InvalidClient(NOT_PROVEN)
    })
}

fn refuse(error: &AssertionRefusal) -> ClientRefusal {
    tracing::debug!(%error, "client assertion refused");
    ClientRefusal::InvalidClient(if error.is_unproven() {
        NOT_PROVEN
    } else {
        error.description()
    })
}
