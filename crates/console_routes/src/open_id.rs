//! Sign-in with the OpenID provider of an organisation (OpenID Connect Core 1.0): the authorization
//! code flow with PKCE (RFC 7636), and the ID token's checks.
//!
//! The browser keeps the secret of a sign-in in a cookie. `state`, `nonce` and the code verifier are
//! digests of it, so that no node has to remember a sign-in that has begun. A sign-in calls the provider
//! once, and few do at the same time.

mod id_token;
mod provider;

use std::sync::Arc;

use observe::clock::Clock;
use outbound::callback::CallbackUrl;
use outbound::client::{FetchError, FormAuthentication, OutboundClient};
use serde_json::Value;
use signing::authenticator::Authenticator;
use signing::{base64url, canonical, random};
use tokens::client_keys::{KeysError, PublishedKeys};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::form_urlencoded::Serializer;
use web::form::Form;

use self::id_token::{IdTokenRefusal, IdTokenRules};
use self::provider::{KnownProvider, Provider, ProviderError};
use super::refused_sign_ins::RefusedSignIns;
use crate::limits;

/// Bytes of an answer of the token endpoint that are read at most.
const TOKEN_ANSWER_BYTES_MAX: usize = 64 * 1024;

/// The provider with which people sign in.
#[derive(Debug)]
pub struct OpenId {
    /// The provider's issuer, as the operator set it.
    pub issuer: String,
    client_id: String,
    client_secret: Option<String>,
    redirect_uri: String,
    /// Authenticates the cookies of sign-ins.
    authenticator: Authenticator,
    outbound: OutboundClient,
    clock: Clock,
    provider: KnownProvider,
    keys: PublishedKeys,
    places: Arc<Semaphore>,
    refusals: RefusedSignIns,
}

/// The place of one sign-in among those that may call the provider at once, until it is dropped.
#[derive(Debug)]
pub struct Place {
    _permit: OwnedSemaphorePermit,
}

/// The settings of sign-in.
#[derive(Debug)]
pub struct OpenIdSettings {
    /// The provider's issuer.
    pub issuer: String,
    /// The console's id at the provider.
    pub client_id: String,
    /// The console's secret at the provider; `None` for a public client.
    pub client_secret: Option<String>,
    /// Where the provider sends the browser back to.
    pub redirect_uri: String,
    /// Authenticates the cookies of sign-ins. All nodes have the same.
    pub authenticator: Authenticator,
}

/// The account with which somebody signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The claim `iss`.
    pub issuer: String,
    /// The claim `sub`.
    pub subject: String,
}

/// Why nobody is signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInRefusal {
    /// The browser has no cookie of this sign-in, or `state` belongs to another one.
    #[error("this sign-in was not begun in this browser, or it has ended already")]
    WrongState,
    /// The sign-in was used before.
    #[error("this sign-in has ended already")]
    Used,
    /// Too many sign-ins call the provider.
    #[error("too many sign-ins are under way")]
    Busy,
    /// The answer names another provider (RFC 9207).
    #[error("the answer is of another provider")]
    WrongIssuer,
    /// The provider refused. The text is its error code.
    #[error("the provider answered: {0}")]
    Refused(String),
    /// The provider cannot be reached, or its answers cannot be used.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The token endpoint gave no token.
    #[error("the provider gave no token: {0}")]
    NoToken(String),
    /// The provider's keys cannot be used.
    #[error("the keys of the provider: {0}")]
    Keys(#[from] KeysError),
    /// The ID token is refused.
    #[error("the ID token: {0}")]
    IdToken(#[from] IdTokenRefusal),
}

impl SignInRefusal {
    /// The name of this kind of refusal in the log.
    fn kind(&self) -> &'static str {
        match self {
            Self::WrongState => "state",
            Self::Used => "used",
            Self::Busy => "busy",
            Self::WrongIssuer => "issuer",
            Self::Refused(_) => "refused",
            Self::Provider(_) => "provider",
            Self::NoToken(_) => "no_token",
            Self::Keys(_) => "keys",
            Self::IdToken(_) => "id_token",
        }
    }
}

impl From<FetchError> for SignInRefusal {
    fn from(error: FetchError) -> Self {
        Self::NoToken(error.to_string())
    }
}

/// The secret of a sign-in that has begun, which the browser keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun(String);

impl Begun {
    /// Draws a secret.
    pub fn draw() -> Result<Self, random::RandomError> {
        random::token(32).map(Self)
    }

    /// Reads the secret from the cookie.
    pub fn read(cookie: &str) -> Self {
        Self(cookie.to_owned())
    }

    /// The cookie's value.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn state(&self) -> String {
        self.derive("state")
    }

    fn nonce(&self) -> String {
        self.derive("nonce")
    }

    /// 43 characters (RFC 7636 section 4.1).
    fn code_verifier(&self) -> String {
        self.derive("code_verifier")
    }

    /// RFC 7636 section 4.2, `S256`.
    fn code_challenge(&self) -> String {
        base64url::encode(&canonical::digest(self.code_verifier().as_bytes()))
    }

    fn derive(&self, name: &str) -> String {
        let text = format!("onward sign-in {name} {}", self.0);
        base64url::encode(&canonical::digest(text.as_bytes()))
    }
}

impl OpenId {
    /// Makes the relying party. It contacts the provider when somebody signs in.
    pub fn new(settings: OpenIdSettings, outbound: OutboundClient, clock: Clock) -> Self {
        Self {
            issuer: settings.issuer,
            client_id: settings.client_id,
            client_secret: settings.client_secret,
            redirect_uri: settings.redirect_uri,
            authenticator: settings.authenticator,
            outbound,
            clock,
            provider: KnownProvider::default(),
            keys: PublishedKeys::default(),
            places: Arc::new(Semaphore::new(limits::SIGN_INS_AT_ONCE)),
            refusals: RefusedSignIns::new(),
        }
    }

    /// Authenticates the cookies of sign-ins.
    pub fn authenticator(&self) -> &Authenticator {
        &self.authenticator
    }

    /// Writes to the log that nobody was signed in.
    pub(crate) fn note_refusal(&self, refusal: &SignInRefusal) {
        self.refusals.note(refusal.kind(), refusal);
    }

    /// The URL to which the browser goes to sign in (OpenID Connect Core section 3.1.2.1).
    pub(crate) async fn authorization_url(&self, begun: &Begun) -> Result<String, SignInRefusal> {
        let provider = self.provider().await?;
        let parameters = Serializer::new(String::new())
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client_id)
            .append_pair("redirect_uri", &self.redirect_uri)
            .append_pair("scope", "openid")
            .append_pair("state", &begun.state())
            .append_pair("nonce", &begun.nonce())
            .append_pair("code_challenge", &begun.code_challenge())
            .append_pair("code_challenge_method", "S256")
            .finish();
        let endpoint = provider.authorization_endpoint.as_str();
        let joint = if endpoint.contains('?') { '&' } else { '?' };
        Ok(format!("{endpoint}{joint}{parameters}"))
    }

    /// Checks that the answer belongs to the sign-in that began in this browser.
    pub(crate) fn check_state(begun: &Begun, answer: &Form) -> Result<(), SignInRefusal> {
        let state = answer.find("state").unwrap_or_default();
        if random::constant_time_eq(state.as_bytes(), begun.state().as_bytes()) {
            Ok(())
        } else {
            Err(SignInRefusal::WrongState)
        }
    }

    /// Takes a place among the sign-ins that may call the provider at once.
    pub(crate) fn take_place(&self) -> Result<Place, SignInRefusal> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        place
            .map(|permit| Place { _permit: permit })
            .map_err(|_taken| SignInRefusal::Busy)
    }

    /// Checks the rest of the provider's answer, redeems the code and checks the ID token.
    pub async fn finish(
        &self,
        begun: &Begun,
        answer: &Form,
        place: Place,
    ) -> Result<Account, SignInRefusal> {
        let provider = self.provider().await?;
        // RFC 9207 section 2.4: a provider that sends `iss` sends its own, always.
        match answer.find("iss") {
            Some(issuer) if issuer != self.issuer => return Err(SignInRefusal::WrongIssuer),
            None if provider.sends_issuer => return Err(SignInRefusal::WrongIssuer),
            Some(_) | None => {}
        }
        if let Some(error) = answer.find("error") {
            return Err(SignInRefusal::Refused(shorten(error)));
        }
        let code = answer.find("code").unwrap_or_default();
        if code.is_empty() {
            return Err(SignInRefusal::Refused("no code".to_owned()));
        }
        let token = self.redeem(&provider, begun, code).await?;
        let subject = self.verify(&provider, begun, &token).await?;
        drop(place);
        Ok(Account {
            issuer: self.issuer.clone(),
            subject,
        })
    }

    /// Exchanges the code for an ID token (OpenID Connect Core section 3.1.3).
    async fn redeem(
        &self,
        provider: &Provider,
        begun: &Begun,
        code: &str,
    ) -> Result<String, SignInRefusal> {
        let verifier = begun.code_verifier();
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect_uri),
            ("code_verifier", &verifier),
        ];
        let authentication = match &self.client_secret {
            Some(secret) if provider.takes_basic => Some(FormAuthentication {
                user: &self.client_id,
                password: secret,
            }),
            Some(secret) => {
                form.extend([
                    ("client_id", self.client_id.as_str()),
                    ("client_secret", secret),
                ]);
                None
            }
            None => {
                form.push(("client_id", &self.client_id));
                None
            }
        };
        let answer = self
            .outbound
            .post_form(
                &provider.token_endpoint,
                &form,
                authentication,
                TOKEN_ANSWER_BYTES_MAX,
            )
            .await?;
        let answer: Value = serde_json::from_slice(&answer)
            .map_err(|error| SignInRefusal::NoToken(error.to_string()))?;
        let token = answer.get("id_token").and_then(Value::as_str);
        let token = token.ok_or_else(|| SignInRefusal::NoToken("no id_token".to_owned()))?;
        Ok(token.to_owned())
    }

    async fn verify(
        &self,
        provider: &Provider,
        begun: &Begun,
        token: &str,
    ) -> Result<String, SignInRefusal> {
        let now = self.clock.now_seconds();
        let kid = id_token::read_kid(token)?;
        let keys = self
            .keys
            .find(&self.outbound, &provider.jwks_uri, kid.as_deref(), now)
            .await?;
        let rules = IdTokenRules {
            issuer: &self.issuer,
            client_id: &self.client_id,
            nonce: &begun.nonce(),
        };
        Ok(id_token::check(token, &keys, &rules, now)?)
    }

    async fn provider(&self) -> Result<Provider, ProviderError> {
        let Self {
            outbound,
            issuer,
            clock,
            ..
        } = self;
        self.provider.find(outbound, issuer, clock).await
    }
}

/// Shortens a text of the provider for a page or a log line.
fn shorten(text: &str) -> String {
    let shown = text.chars().filter(|letter| !letter.is_control());
    shown.take(100).collect()
}

/// Parses an address of the provider. The operator chose the provider, so it may be in any network.
fn parse_url(text: &str) -> Option<CallbackUrl> {
    CallbackUrl::parse_written(text).ok()
}
