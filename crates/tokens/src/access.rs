//! Access tokens of requests: the only code that accepts a token, and checks its binding.

use std::sync::Arc;

use framework::decision::{Decision, decide};
use observe::trace;
use signing::access_token::{self, AccessTokenClaims, TokenRefusal};
use signing::certificate::PeerCertificate;
use storage::{Read, StorageError, clients, registry, revoked_tokens};

use crate::access_refusal::AccessRefusal;
use crate::context::TokenContext;
use crate::framework::{FrameworkToken, Membership};
use crate::registry::{Client, Scope, Snapshot};

const REVOKED: &str = "The token was revoked. Get a new token.";
const OTHER_ISSUER: &str = "The token comes from another issuer.";
const ENDED: &str = "The operator ended this client's tokens. Get a new token.";

/// Proof that a text is a valid access token. Its signature, times, revocation and client were
/// checked (RFC 9068 section 4; FAPI 2.0 section 5.3.4).
///
/// It does not prove the binding to a certificate: [`BoundToken`] does.
#[derive(Debug, Clone)]
pub struct AcceptedToken {
    claims: Arc<AccessTokenClaims>,
    client: Arc<Client>,
    /// The membership of a client of the framework; `None`: this service issued the token.
    membership: Option<Membership>,
}

/// Why a text is no valid token of our own.
enum NotOwn {
    /// The token is not valid.
    Refused(&'static str),
    /// The framework decides about it (S-68).
    OfFramework,
}

impl From<FrameworkToken> for AcceptedToken {
    fn from(token: FrameworkToken) -> Self {
        Self {
            claims: token.claims,
            client: token.client,
            membership: Some(token.membership),
        }
    }
}

/// Proof of an accepted token with the needed scope. A bound token came on a connection with its
/// certificate (S-24; RFC 8705 section 3).
#[derive(Debug, Clone)]
pub struct BoundToken {
    token: AcceptedToken,
    scope: Scope,
    /// The revision of the registry at which this was proved.
    revision: i64,
}

impl AcceptedToken {
    /// Checks a token of this service or of the framework.
    async fn accept(
        context: &TokenContext,
        snapshot: &Snapshot,
        text: &str,
        certificate: Option<&PeerCertificate>,
    ) -> Result<Self, AccessRefusal> {
        let refusal = match verify(context, snapshot, text) {
            Ok(claims) => return Self::accept_claims(context, snapshot, claims).await,
            Err(refusal) => refusal,
        };
        match (refusal, &context.framework) {
            (NotOwn::OfFramework, Some(framework)) => {
                let accepting = framework.accept(snapshot, text, certificate);
                // Other requests need no room for this future.
                Ok(Box::pin(accepting).await?.into())
            }
            (NotOwn::OfFramework, None) => Err(AccessRefusal::TokenInvalid(OTHER_ISSUER)),
            (NotOwn::Refused(why), _) => Err(AccessRefusal::TokenInvalid(why)),
        }
    }

    /// The token if this service issued it and it is valid. Nobody asks the framework.
    async fn accept_issued(
        context: &TokenContext,
        snapshot: &Snapshot,
        text: &str,
    ) -> Result<Option<Self>, StorageError> {
        let Ok(claims) = verify(context, snapshot, text) else {
            return Ok(None);
        };
        match Self::accept_claims(context, snapshot, claims).await {
            Ok(token) => Ok(Some(token)),
            Err(AccessRefusal::Storage(error)) => Err(error),
            Err(_refused) => Ok(None),
        }
    }

    /// Checks a token whose signature and times are right.
    async fn accept_claims(
        context: &TokenContext,
        snapshot: &Snapshot,
        claims: Arc<AccessTokenClaims>,
    ) -> Result<Self, AccessRefusal> {
        if snapshot.revoked.has(&claims.jti) {
            return Err(AccessRefusal::TokenInvalid(REVOKED));
        }
        let client = context
            .registry
            .find_client(snapshot, &claims.client_id)
            .await?
            .filter(|client| client.is_active && !client.of_framework)
            .ok_or(AccessRefusal::TokenInvalid(
                "The client of this token is not registered any more.",
            ))?;
        if claims.generation != client.token_generation {
            return Err(AccessRefusal::TokenInvalid(ENDED));
        }
        Ok(Self {
            claims,
            client,
            membership: None,
        })
    }

    /// The token if it is valid and was issued to this client; otherwise `None`. RFC 7662 section 2.2
    /// and RFC 7009 section 2.2 let nobody learn why.
    pub async fn accept_own(
        context: &TokenContext,
        snapshot: &Snapshot,
        text: &str,
        client: &Client,
    ) -> Result<Option<Self>, StorageError> {
        let token = Self::accept_issued(context, snapshot, text).await?;
        Ok(token.filter(|token| token.is_of(client)))
    }

    /// The token if it is valid and this client may see it: a token of its own, or one with a scope that it may
    /// introspect as a resource server (S-75); otherwise `None`.
    pub async fn accept_shown(
        context: &TokenContext,
        snapshot: &Snapshot,
        text: &str,
        client: &Client,
    ) -> Result<Option<Self>, StorageError> {
        let token = Self::accept_issued(context, snapshot, text).await?;
        let is_shown =
            |token: &Self| token.is_of(client) || token.scopes_shown_to(client).next().is_some();
        Ok(token.filter(is_shown))
    }

    /// Whether the token was issued to this client.
    pub fn is_of(&self, client: &Client) -> bool {
        self.client.id == client.id
    }

    /// The scopes of the token that a resource server may introspect.
    pub fn scopes_shown_to(&self, server: &Client) -> impl Iterator<Item = Scope> {
        self.scopes()
            .filter(|scope| server.introspects.contains(scope))
    }

    /// The claims.
    pub fn claims(&self) -> &AccessTokenClaims {
        &self.claims
    }

    /// The scopes that the token carries and the client still has, in the token's order (S-23).
    pub fn scopes(&self) -> impl Iterator<Item = Scope> {
        let names = self.claims.scope.split(' ');
        let scopes = names.filter_map(Scope::parse);
        scopes.filter(|scope| self.client.has_scope(*scope))
    }
}

impl BoundToken {
    /// Checks the token of a request. The binding comes before the scope (401 before 403).
    pub async fn prove(
        context: &TokenContext,
        snapshot: &Snapshot,
        text: &str,
        certificate: Option<&PeerCertificate>,
        scope: Scope,
    ) -> Result<Self, AccessRefusal> {
        let token = AcceptedToken::accept(context, snapshot, text, certificate).await?;
        check_binding(&token.claims, certificate, scope)?;
        trace::note_caller(&token.client.id);
        let revision = snapshot.revision;
        let bound = Self {
            token,
            scope,
            revision,
        };
        bound.require(scope)?;
        Ok(bound)
    }

    /// Refuses a token without this scope.
    pub fn require(&self, scope: Scope) -> Result<(), AccessRefusal> {
        if self.token.scopes().any(|held| held == scope) {
            return Ok(());
        }
        Err(AccessRefusal::ScopeInsufficient(scope))
    }

    /// Proves within a transaction that the operator has ended nothing since: the body of a request may take
    /// its time. A token that expires meanwhile stays good for this request.
    ///
    /// # Errors
    /// [`AccessRefusal::TokenInvalid`], also when the client acts for other branches now.
    pub fn prove_again(&self, read: &mut Read<'_>) -> Result<(), AccessRefusal> {
        self.prove_scope_again(read, self.scope)
    }

    /// As [`BoundToken::prove_again`], with another scope than the one of [`BoundToken::prove`].
    ///
    /// # Errors
    /// Those of [`BoundToken::prove_again`].
    pub fn prove_scope_again(
        &self,
        read: &mut Read<'_>,
        needed: Scope,
    ) -> Result<(), AccessRefusal> {
        // Whatever ends a token raises the revision, so this is one statement in the usual case.
        if registry::find_revision(read)? == self.revision {
            return Ok(());
        }
        let AcceptedToken {
            claims,
            client,
            membership,
        } = &self.token;
        if let Some(membership) = membership {
            membership.prove_client_again(read, client, needed)?;
            return Ok(());
        }
        if revoked_tokens::is_revoked(read, &claims.jti)? {
            return Err(AccessRefusal::TokenInvalid(REVOKED));
        }
        let found = clients::find_client(read, &client.id)?;
        let found = found.filter(|found| {
            let mut scopes = found.scopes.iter().filter_map(|name| Scope::parse(name));
            found.is_active
                && !found.of_framework
                && found.token_generation == client.token_generation
                && scopes.any(|scope| scope == needed)
        });
        match found {
            None => Err(AccessRefusal::TokenInvalid(ENDED)),
            Some(found) if found.branches != client.branches => Err(AccessRefusal::TokenInvalid(
                "The operator changed this client's branches. Send the request again.",
            )),
            Some(_found) => Ok(()),
        }
    }

    /// The organisation of a client of the framework; `None`: this service issued the token.
    pub fn membership(&self) -> Option<&Membership> {
        self.token.membership.as_ref()
    }

    /// The client that called.
    pub fn client(&self) -> &Arc<Client> {
        &self.token.client
    }
}

/// Checks signature and times. The signature is verified once for each state of the keys, the
/// expiry each time.
fn verify(
    context: &TokenContext,
    snapshot: &Snapshot,
    text: &str,
) -> Result<Arc<AccessTokenClaims>, NotOwn> {
    let now = context.clock.now_seconds();
    let refused = |refusal| NotOwn::Refused(describe(refusal));
    if let Some(claims) = snapshot.verified_tokens.get(text) {
        if claims.exp <= now {
            return Err(refused(TokenRefusal::Expired));
        }
        return Ok(claims);
    }
    let settings = &context.settings;
    if let Some(framework) = &context.framework {
        match decide(text, &settings.issuer, &framework.settings().issuer) {
            Decision::Own => {}
            Decision::Framework => return Err(NotOwn::OfFramework),
            Decision::Nobody(why) => return Err(NotOwn::Refused(why)),
        }
    }
    let find_key = |kid: &str| snapshot.keyring.find_token_key(kid).cloned();
    let verified = access_token::verify(text, find_key, &settings.issuer, &settings.audience, now);
    let claims = verified.map_err(refused)?;
    let claims = Arc::new(claims);
    let verified = &snapshot.verified_tokens;
    verified.insert(text.into(), Arc::clone(&claims));
    Ok(claims)
}

/// S-24: a bound token is valid only on a connection with its certificate. An unbound token is
/// valid only for `listing`.
fn check_binding(
    claims: &AccessTokenClaims,
    certificate: Option<&PeerCertificate>,
    scope: Scope,
) -> Result<(), AccessRefusal> {
    if claims.certificate.is_none() {
        return match scope {
            Scope::Listing => Ok(()),
            Scope::TransactionStatus | Scope::TransactionHistory => {
                Err(AccessRefusal::TokenInvalid(
                    "This call needs a token that is bound to a certificate.",
                ))
            }
        };
    }
    let Some(certificate) = certificate else {
        return Err(AccessRefusal::TokenInvalid(
            "Present the client certificate that the token was issued with.",
        ));
    };
    if access_token::is_bound_to(claims, &certificate.thumbprint) {
        Ok(())
    } else {
        Err(AccessRefusal::TokenInvalid(
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
        TokenRefusal::WrongIssuer => OTHER_ISSUER,
        TokenRefusal::WrongAudience => "The token is meant for another service.",
        TokenRefusal::Expired => "The token has expired. Get a new token.",
        TokenRefusal::NotYet => "The token is not valid yet. Check your clock.",
    }
}
