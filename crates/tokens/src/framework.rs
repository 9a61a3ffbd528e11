//! Access tokens of the framework that somebody else runs (S-67 to S-72).

use std::sync::Arc;

use framework::answer::ActiveToken;
use framework::call_limits::{CallLimits, CallRefusal};
use framework::directory::ACTIVE;
use framework::known_tokens::{Found, KnownTokens, Periods, TokenDigest, Verdict};
use observe::clock::Clock;
use signing::access_token::AccessTokenClaims;
use signing::certificate::PeerCertificate;
use storage::clients::{self, StoredClient};
use storage::framework as members;
use storage::{Read, Storage, api_keys};

use self::authorities::Authorities;
use self::flights::Flights;
use self::issuer::Issuer;
use crate::access_refusal::AccessRefusal;
use crate::api_key;
use crate::limits;
use crate::registry::{Client, Registry, Scope, Snapshot};

pub mod authorities;
pub mod directory;
mod flights;
pub mod issuer;

const NO_CERTIFICATE: &str = "Present the client certificate that the token was issued with.";
const OTHER_CERTIFICATE: &str =
    "The token is bound to another certificate. Use the one that it was issued with.";
const INACTIVE: &str = "The framework does not know this token, or it has ended. Get a new token.";
const BLOCKED: &str = "The operator of this service disabled this client.";
const OTHER_ISSUER: &str = "The client of this token belongs to another issuer.";
const OTHER_ORGANISATION: &str =
    "The client of this token belongs to another organisation than the certificate.";
const BRANCHES_CHANGED: &str =
    "The operator changed this client's branches. Send the request again.";
/// The key set of a client that gets no token here.
pub const NO_KEYS: &str = r#"{"keys":[]}"#;
const NO_ORGANISATION: &str =
    "The certificate of this connection names no organisation of the framework.";
/// Tells the caller that its organisation takes no part in the framework.
pub const NOT_ACTIVE: &str =
    "The organisation of this certificate is not active in the framework's directory.";

/// The one outside issuer that is trusted, and everything that this node knows from it (S-67).
#[derive(Debug)]
pub struct Framework {
    clock: Clock,
    storage: Storage,
    registry: Arc<Registry>,
    settings: FrameworkSettings,
    issuer: Issuer,
    authorities: Authorities,
    known: KnownTokens,
    limits: CallLimits,
    flights: Flights,
}

/// The names of the framework, all from the operator.
#[derive(Debug, Clone)]
pub struct FrameworkSettings {
    /// The framework's issuer identifier.
    pub issuer: String,
    /// The audience that stands for this service in its tokens.
    pub audience: String,
    /// The scopes of its tokens that count.
    pub scopes: Vec<Scope>,
    /// The address of its directory.
    pub directory_url: String,
    /// The id of this service's organisation in its directory.
    pub organisation_id: String,
    /// How long answers are used.
    pub periods: Periods,
}

/// Why the framework's client is accepted: the facts that a transaction proves again.
#[derive(Debug, Clone)]
pub struct Membership {
    /// The address of the directory that lists the organisation.
    source: String,
    /// The id of the organisation.
    organisation: String,
}

/// A token that the framework called active, of a client that may call.
#[derive(Debug)]
pub struct FrameworkToken {
    /// The token in the form of our own.
    pub claims: Arc<AccessTokenClaims>,
    /// The client, registered or not.
    pub client: Arc<Client>,
    /// The client's organisation.
    pub membership: Membership,
}

impl Framework {
    /// Nothing is known yet.
    pub fn new(
        settings: FrameworkSettings,
        issuer: Issuer,
        authorities: Authorities,
        registry: Arc<Registry>,
    ) -> Self {
        Self {
            clock: issuer.clock().clone(),
            storage: registry.storage().clone(),
            registry,
            known: KnownTokens::new(settings.periods),
            settings,
            issuer,
            authorities,
            limits: CallLimits::default(),
            flights: Flights::default(),
        }
    }

    /// The names of the framework.
    pub fn settings(&self) -> &FrameworkSettings {
        &self.settings
    }

    /// The calls to the issuer, and their metrics.
    pub fn issuer(&self) -> &Issuer {
        &self.issuer
    }

    /// Accepts a token of the framework. The caller checks the binding of the accepted token and its scope.
    pub(crate) async fn accept(
        &self,
        snapshot: &Snapshot,
        text: &str,
        certificate: Option<&PeerCertificate>,
    ) -> Result<FrameworkToken, AccessRefusal> {
        let certificate = certificate.ok_or(AccessRefusal::TokenInvalid(NO_CERTIFICATE))?;
        let now = self.clock.now_seconds();
        let digest = TokenDigest::of(text);
        let known = self.known.find_known(digest, now);
        if known.is_some_and(|known| known.certificate != certificate.thumbprint) {
            return Err(AccessRefusal::TokenInvalid(OTHER_CERTIFICATE));
        }
        self.refuse_api_key(text).await?;
        let organisation = self.authorities.find_organisation(certificate, now);
        let organisation =
            organisation.ok_or(AccessRefusal::OrganisationRefused(NO_ORGANISATION))?;
        let membership = Membership {
            source: self.settings.directory_url.clone(),
            organisation,
        };
        let proving = membership.clone();
        self.storage
            .lookup(move |read| proving.prove(read, now))
            .await?;
        let active = self.find(text, digest, &membership.organisation).await?;
        let client = self.find_client(snapshot, &active).await?;
        let registered = client.organisation_id.as_deref();
        if registered.is_some_and(|id| id != membership.organisation) {
            return Err(AccessRefusal::TokenInvalid(OTHER_ORGANISATION));
        }
        Ok(FrameworkToken {
            claims: Arc::new(self.claims_of(&active, digest)),
            client,
            membership,
        })
    }

    /// A stored API key is never sent to the framework (S-68).
    async fn refuse_api_key(&self, text: &str) -> Result<(), AccessRefusal> {
        let Some((id, secret)) = api_key::split(text) else {
            return Ok(());
        };
        let digest = signing::base64url::encode(&signing::canonical::digest(secret.as_bytes()));
        let found = self
            .storage
            .lookup(move |read| api_keys::find_api_key(read, id))
            .await?;
        if found.is_some_and(|key| key.digest == digest) {
            return Err(AccessRefusal::TokenInvalid(
                "This is an API key. Send it in the field X-Api-Key.",
            ));
        }
        Ok(())
    }

    /// The state of a token, from memory or from the issuer. Calls about one token wait for the first of them.
    async fn find(
        &self,
        text: &str,
        digest: TokenDigest,
        organisation: &str,
    ) -> Result<Arc<ActiveToken>, AccessRefusal> {
        let now = self.clock.now_seconds();
        match self.known.find(digest, now) {
            Found::Active(token) => return Ok(token),
            Found::Inactive => return Err(AccessRefusal::TokenInvalid(INACTIVE)),
            Found::Ask { .. } => {}
        }
        let asking = self.ask(text, digest, organisation);
        let verdict = self.flights.join(digest, asking).await?;
        match verdict {
            Verdict::Active(token) => Ok(token),
            Verdict::Inactive => Err(AccessRefusal::TokenInvalid(INACTIVE)),
            Verdict::Refused(why) => Err(AccessRefusal::TokenInvalid(why)),
            Verdict::Away => Err(AccessRefusal::IssuerAway),
        }
    }

    /// Asks the issuer, unless the organisation causes too many calls. While all organisations together do, a known
    /// token is used as if the issuer were away.
    async fn ask(
        &self,
        text: &str,
        digest: TokenDigest,
        organisation: &str,
    ) -> Result<Verdict, AccessRefusal> {
        let began = self.clock.now_seconds();
        let is_known = match self.known.find(digest, began) {
            // The call that this one waited for has answered.
            Found::Active(token) => return Ok(Verdict::Active(token)),
            Found::Inactive => return Ok(Verdict::Inactive),
            Found::Ask { is_known } => is_known,
        };
        let now = self.clock.now_milliseconds();
        let permit = match self.limits.begin(organisation, is_known, now) {
            Ok(permit) => permit,
            // Otherwise an organisation could keep its own revoked token by asking about others.
            Err(CallRefusal::OfOrganisation) => return Err(AccessRefusal::TooManyTokens),
            Err(CallRefusal::OfAll) => {
                let known = self.known.find_known(digest, began).map(Verdict::Active);
                return known.ok_or(AccessRefusal::IssuerBusy);
            }
        };
        let outcome = self.issuer.ask(text, &self.settings).await;
        drop(permit);
        let ended = self.clock.now_seconds();
        Ok(self.known.note(digest, outcome, began, ended))
    }

    /// The row of the client, or a client without branches. A row of our own issuer never serves the token (S-71).
    async fn find_client(
        &self,
        snapshot: &Snapshot,
        token: &ActiveToken,
    ) -> Result<Arc<Client>, AccessRefusal> {
        let registry = &self.registry;
        if let Some(client) = registry.find_client(snapshot, &token.client_id).await? {
            if !client.of_framework {
                return Err(AccessRefusal::TokenInvalid(OTHER_ISSUER));
            }
            if !client.is_active {
                return Err(AccessRefusal::TokenInvalid(BLOCKED));
            }
            return Ok(client);
        }
        let id = token.client_id.clone();
        let is_blocked = self
            .storage
            .lookup(move |read| members::is_blocked(read, &id))
            .await?;
        if is_blocked {
            return Err(AccessRefusal::TokenInvalid(BLOCKED));
        }
        let scopes = self.settings.scopes.iter().copied();
        let scopes = scopes.filter(|scope| *scope != Scope::Listing).collect();
        Ok(Arc::new(Client::of_framework(&token.client_id, scopes)))
    }

    /// The token in the form of our own. Scopes that do not count are left out.
    fn claims_of(&self, token: &ActiveToken, digest: TokenDigest) -> AccessTokenClaims {
        let counts = |name: &&str| {
            let scope = Scope::parse(name);
            scope.is_some_and(|scope| self.settings.scopes.contains(&scope))
        };
        let scopes: Vec<_> = token.scope.split(' ').filter(counts).collect();
        AccessTokenClaims {
            iss: self.settings.issuer.clone(),
            sub: token.client_id.clone(),
            client_id: token.client_id.clone(),
            aud: self.settings.audience.clone(),
            scope: scopes.join(" "),
            iat: 0,
            exp: token.expires_at,
            jti: digest.to_base64url(),
            certificate: Some(token.certificate.to_base64url()),
            generation: 0,
        }
    }
}

impl Membership {
    /// The id of the organisation.
    pub fn organisation(&self) -> &str {
        &self.organisation
    }

    /// Checks that the organisation is an active member, by a directory that is not too old (S-72, S-73).
    ///
    /// # Errors
    /// [`AccessRefusal::OrganisationRefused`], [`AccessRefusal::DirectoryOld`].
    pub(crate) fn prove(&self, read: &mut Read<'_>, now: i64) -> Result<(), AccessRefusal> {
        let found = members::find_membership(read, &self.source, &self.organisation)?;
        if now - found.adopted_at >= limits::FRAMEWORK_DIRECTORY_SECONDS_MAX {
            return Err(AccessRefusal::DirectoryOld);
        }
        self.prove_active(&found)
    }

    fn prove_active(&self, found: &members::Membership) -> Result<(), AccessRefusal> {
        let status = found.status.as_deref();
        if status == Some(ACTIVE) {
            return Ok(());
        }
        tracing::debug!(organisation = self.organisation, status, "no active member");
        Err(AccessRefusal::OrganisationRefused(NOT_ACTIVE))
    }

    /// Proves within a transaction that the client may still call.
    pub(crate) fn prove_client_again(
        &self,
        read: &mut Read<'_>,
        client: &Client,
        needed: Scope,
    ) -> Result<(), AccessRefusal> {
        self.prove_active(&members::find_membership(
            read,
            &self.source,
            &self.organisation,
        )?)?;
        let Some(found) = clients::find_client(read, &client.id)? else {
            let is_blocked =
                client.organisation_id.is_some() || members::is_blocked(read, &client.id)?;
            return (!is_blocked)
                .then_some(())
                .ok_or(AccessRefusal::TokenInvalid(BLOCKED));
        };
        let mut scopes = found.scopes.iter().filter_map(|name| Scope::parse(name));
        if !found.is_active || !scopes.any(|scope| scope == needed) {
            return Err(AccessRefusal::TokenInvalid(BLOCKED));
        }
        if found.branches != client.branches {
            return Err(AccessRefusal::TokenInvalid(BRANCHES_CHANGED));
        }
        if !found.of_framework || found.organisation_id != self.organisation {
            return Err(AccessRefusal::TokenInvalid(OTHER_ISSUER));
        }
        Ok(())
    }
}

/// The row of a client of the framework, without branches. It has no keys, so it gets no token here.
pub fn new_client(id: &str, scopes: Vec<String>, now: i64) -> StoredClient {
    StoredClient {
        id: id.to_owned(),
        participant: String::new(),
        name: id.to_owned(),
        profile: "sector".to_owned(),
        jwks: NO_KEYS.to_owned(),
        jwks_uri: None,
        assertion_algorithm: None,
        certificate_bound: true,
        accepted_certificate: Vec::new(),
        scopes,
        introspects: Vec::new(),
        branches: Vec::new(),
        is_active: true,
        of_framework: true,
        organisation_id: String::new(),
        token_generation: 0,
        created_at: now,
    }
}
