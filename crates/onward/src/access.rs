//! Who calls with an access token: checks that end in a proof.

use std::net::IpAddr;
use std::sync::Arc;

use http::HeaderMap;
use http::header;
use observe::trace;
use signing::access_token::{self, AccessTokenClaims, TokenRefusal};
use signing::canonical;
use signing::certificate::{Subject, Thumbprint};

use crate::app::App;
use crate::problem::Problem;
use crate::registry::{Client, Scope, Snapshot};

/// What is known of the connection that a request came on.
#[derive(Debug, Clone)]
pub struct Peer {
    /// Its address.
    pub address: IpAddr,
    /// Its certificate, verified against the configured authorities.
    pub certificate: Option<PeerCertificate>,
}

/// What is known of a peer's certificate.
#[derive(Debug, Clone)]
pub struct PeerCertificate {
    /// To which tokens are bound.
    pub thumbprint: Thumbprint,
    /// Whose it is, where that can be read.
    pub subject: Option<Arc<Subject>>,
}

impl PeerCertificate {
    /// The certificate whose DER encoding is `der`.
    pub fn of_der(der: &[u8]) -> Self {
        Self {
            thumbprint: Thumbprint::of_der(der),
            subject: Subject::of_der(der).map(Arc::new),
        }
    }
}

impl Peer {
    /// The peer of a request, as the door noted it.
    pub fn of(parts: &http::request::Parts) -> Result<Self, Problem> {
        let peer = parts.extensions.get::<Self>().cloned();
        peer.ok_or_else(|| Problem::Internal("a request without its peer".to_owned()))
    }
}

/// Proof that a request carries an access token of ours that is valid now and
/// bound to the certificate it came with (RFC 8705 section 3), of a client
/// that is still active and still has the scope that the call needs.
#[derive(Debug)]
pub struct BoundToken {
    client: Arc<Client>,
}

impl BoundToken {
    /// Checks a request's token. 401 comes before 403.
    pub async fn prove(
        app: &App,
        snapshot: &Snapshot,
        headers: &HeaderMap,
        peer: Peer,
        scope: Scope,
    ) -> Result<Self, Problem> {
        let text = read_bearer(headers)?;
        let claims = verify(app, snapshot, text)
            .map_err(|refusal| Problem::TokenInvalid(describe(refusal)))?;
        // FAPI 2.0 section 5.3.3: validity, integrity, expiration and revocation.
        if snapshot.revoked.has(&claims.jti) {
            return Err(Problem::TokenInvalid(
                "The token was revoked. Get a new token.",
            ));
        }
        check_binding(&claims, &peer, scope)?;
        let client = app
            .registry
            .find_client(snapshot, &claims.client_id)
            .await?
            .filter(|client| client.is_active)
            .ok_or(Problem::TokenInvalid(
                "The client of this token is not registered any more.",
            ))?;
        if client.has_ended(&claims) {
            return Err(Problem::TokenInvalid(
                "The operator ended this client's tokens. Get a new token.",
            ));
        }
        let is_granted = claims.scope.split(' ').any(|name| name == scope.as_str());
        // S-23: a scope that was withdrawn since counts as missing.
        if !is_granted || !client.has_scope(scope) {
            return Err(Problem::ScopeInsufficient(scope.as_str()));
        }
        trace::note_client(&client.id);
        Ok(Self { client })
    }

    /// The client that called.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The client that called, for a proof of more than this.
    pub fn into_client(self) -> Arc<Client> {
        self.client
    }
}

/// The token of the `Authorization` field; the scheme's case does not matter
/// (RFC 9110 section 11.1). Tokens anywhere else are not looked at (RFC 6750
/// section 2; FAPI 2.0 section 5.3.3).
fn read_bearer(headers: &HeaderMap) -> Result<&str, Problem> {
    let mut fields = headers.get_all(header::AUTHORIZATION).iter();
    let Some(field) = fields.next() else {
        return Err(Problem::TokenMissing);
    };
    if fields.next().is_some() {
        return Err(Problem::TokenInvalid("Send one Authorization field only."));
    }
    let text = field.to_str().map_err(|_error| Problem::TokenMissing)?;
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim()),
        Some(_) | None => Err(Problem::TokenMissing),
    }
}

/// Signature and times (RFC 9068 section 4). A signature that was verified
/// once is not verified again while the registry stands, but the token must
/// not have expired since.
pub(crate) fn verify(
    app: &App,
    snapshot: &Snapshot,
    text: &str,
) -> Result<Arc<AccessTokenClaims>, TokenRefusal> {
    let now = app.clock.now_seconds();
    let digest = canonical::digest(text.as_bytes());
    if let Some(claims) = snapshot.verified_tokens.get(&digest) {
        if claims.exp <= now {
            return Err(TokenRefusal::Expired);
        }
        return Ok(claims);
    }
    let find_key = |kid: &str| snapshot.keyring.find_token_key(kid).cloned();
    let issuer = &app.config.auth_url;
    let claims = access_token::verify(text, find_key, issuer, &app.config.base_url, now)?;
    let claims = Arc::new(claims);
    snapshot.verified_tokens.insert(digest, Arc::clone(&claims));
    Ok(claims)
}

/// S-24: a bound token counts only on a connection with its certificate; an
/// unbound one only for `listing`.
fn check_binding(claims: &AccessTokenClaims, peer: &Peer, scope: Scope) -> Result<(), Problem> {
    if claims.certificate.is_none() {
        return match scope {
            Scope::Listing => Ok(()),
            Scope::TransactionStatus => Err(Problem::TokenInvalid(
                "This call needs a token that is bound to a certificate.",
            )),
        };
    }
    let Some(certificate) = &peer.certificate else {
        return Err(Problem::TokenInvalid(
            "Present the client certificate that the token was issued with.",
        ));
    };
    if access_token::is_bound_to(claims, &certificate.thumbprint) {
        Ok(())
    } else {
        Err(Problem::TokenInvalid(
            "The token is bound to another certificate. Use the one that it was issued with.",
        ))
    }
}

fn describe(refusal: TokenRefusal) -> &'static str {
    match refusal {
        TokenRefusal::Malformed => "This is not an access token of this service.",
        TokenRefusal::UnknownKey | TokenRefusal::BadSignature => {
            "The signature of the token does not verify. Get a new token."
        }
        TokenRefusal::WrongIssuer => "The token comes from another issuer.",
        TokenRefusal::WrongAudience => "The token is meant for another service.",
        TokenRefusal::Expired => "The token has expired. Get a new token.",
        TokenRefusal::NotYet => "The token is not valid yet. Check your clock.",
    }
}
