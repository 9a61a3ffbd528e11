//! Proves the holder of subscriptions, who manages webhooks: an API key (S-26), or a client with a token (S-74).

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use http::request::Parts;
use observe::clock::Clock;
use observe::trace;
use signing::random;
use storage::api_keys::ClientAccount;
use storage::{Read, api_keys, clients, framework};
use tokens::access::BoundToken;
use tokens::api_key;
use tokens::framework::new_client;
use tokens::registry::Scope;
use web::authorization;
use web::problem::Problem;
use web::rate_limit_fields;
use web::secret::{NewSecret, digest};

use crate::WebhookManagement;

const FIELD: &str = "x-api-key";

/// Proof that a request carries one credential: a valid API key, or a token of the scope `transaction-status`
/// that is bound to the connection's certificate (S-74).
#[derive(Debug, Clone)]
pub struct Holder {
    account: i64,
    participant: String,
    credential: Credential,
    clock: Clock,
}

#[derive(Debug, Clone)]
enum Credential {
    /// The id of the API key.
    Key(i64),
    /// The account of its client is the client's own, apart from all API keys.
    Token(BoundToken),
}

/// Proves the holder of each request to a path that exists, and counts it (S-14).
pub async fn admit(
    State(webhooks): State<Arc<WebhookManagement>>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let holder = match Holder::prove(&webhooks, &parts).await {
        Ok(holder) => holder,
        Err(problem) => return problem.into_response(),
    };
    let bucket = holder.bucket();
    trace::note_caller(&bucket);
    parts.extensions.insert(holder);
    let answering = next.run(Request::from_parts(parts, body));
    let limits = webhooks.rate_limits.as_deref();
    rate_limit_fields::answer_within(limits, &bucket, answering).await
}

impl Holder {
    /// Refuses a request with two credentials. Otherwise somebody in between could add its own key to the
    /// request of another, and own the new subscription.
    async fn prove(webhooks: &WebhookManagement, parts: &Parts) -> Result<Self, Problem> {
        let has_key = parts.headers.contains_key(FIELD);
        match (has_key, authorization::has_bearer(&parts.headers)) {
            (true, false) => Self::prove_key(webhooks, &parts.headers).await,
            (false, true) => Self::prove_token(webhooks, parts).await,
            (false, false) => Err(no_credential()),
            (true, true) => Err(two_credentials()),
        }
    }

    /// Compares the digest of the secret part in constant time, so that the duration reveals
    /// nothing.
    async fn prove_key(webhooks: &WebhookManagement, headers: &HeaderMap) -> Result<Self, Problem> {
        let text = read_field(headers)?;
        let (key, secret) = api_key::split(text).ok_or_else(unknown_key)?;
        let found = webhooks
            .storage
            .lookup(move |read| api_keys::find_api_key(read, key))
            .await?;
        let now = webhooks.clock.now_seconds();
        let found = found.filter(|key| key.is_valid(now));
        let stored = found.as_ref().map_or("", |key| key.digest.as_str());
        let is_right = random::constant_time_eq(digest(secret).as_bytes(), stored.as_bytes());
        let found = found.filter(|_key| is_right).ok_or_else(unknown_key)?;
        Ok(Self {
            account: found.account,
            participant: found.participant,
            credential: Credential::Key(key),
            clock: webhooks.clock.clone(),
        })
    }

    /// Proves token, binding and scope. The client's first call makes its account.
    async fn prove_token(webhooks: &WebhookManagement, parts: &Parts) -> Result<Self, Problem> {
        let tokens = &webhooks.tokens;
        let snapshot = tokens.registry.snapshot().await?;
        let scope = Scope::TransactionStatus;
        let bound = authorization::prove(tokens, &snapshot, parts, scope).await?;
        let found = match find_account(webhooks, &bound).await? {
            Some(found) => found,
            // A client of the framework needs no registration.
            None if bound.membership().is_some() => {
                admit_client(webhooks, &bound).await?;
                let found = find_account(webhooks, &bound).await?;
                found.ok_or_else(ended_client)?
            }
            None => return Err(ended_client()),
        };
        let account = match found.account {
            Some(account) => account,
            None => open_account(webhooks, &bound).await?,
        };
        Ok(Self {
            account,
            participant: found.participant,
            credential: Credential::Token(bound),
            clock: webhooks.clock.clone(),
        })
    }

    /// Proves within a transaction that the credential is still valid. It may have ended or been revoked since
    /// the request began.
    pub(crate) fn prove_again(&self, read: &mut Read<'_>) -> Result<(), Problem> {
        match &self.credential {
            Credential::Key(key) => {
                let found = api_keys::find_api_key(read, *key)?;
                let is_good = found.is_some_and(|key| key.is_valid(self.clock.now_seconds()));
                is_good.then_some(()).ok_or_else(unknown_key)
            }
            Credential::Token(token) => Ok(token.prove_again(read)?),
        }
    }

    /// The name of the holder's participant.
    pub fn participant(&self) -> &str {
        &self.participant
    }

    /// The id of the account, to which subscriptions belong (S-92).
    pub fn account(&self) -> i64 {
        self.account
    }

    /// The id of the API key. The account of a client takes the place of one.
    pub(crate) fn key(&self) -> i64 {
        match self.credential {
            Credential::Key(key) => key,
            Credential::Token(_) => self.account,
        }
    }

    /// Names the holder for the rate limit and the log. A client shares the limit of its queries.
    fn bucket(&self) -> Arc<str> {
        match &self.credential {
            Credential::Key(_) => Arc::from(format!("api-key {}", self.account)),
            Credential::Token(token) => Arc::clone(&token.client().id),
        }
    }
}

async fn find_account(
    webhooks: &WebhookManagement,
    token: &BoundToken,
) -> Result<Option<ClientAccount>, Problem> {
    let id = Arc::clone(&token.client().id);
    let finding = webhooks
        .storage
        .lookup(move |read| api_keys::find_client_account(read, &id));
    Ok(finding.await?)
}

/// Makes the rows of a client of the framework and of its organisation, to which an account can belong (S-74).
async fn admit_client(webhooks: &WebhookManagement, token: &BoundToken) -> Result<(), Problem> {
    let token = token.clone();
    let now = webhooks.clock.now_seconds();
    let admitting = webhooks.storage.write(move |write| {
        token.prove_again(write)?;
        let client = token.client();
        let (Some(membership), None) =
            (token.membership(), clients::find_client(write, &client.id)?)
        else {
            return Ok::<_, Problem>(());
        };
        let participant = framework::ensure_member(write, membership.organisation(), now)?;
        let scopes = client.scopes.iter().map(|scope| scope.as_str().to_owned());
        let row = new_client(&client.id, scopes.collect(), now);
        Ok(clients::insert_client(write, &row, participant)?)
    });
    admitting.await
}

/// Makes the account of a client, or opens the ended one again.
async fn open_account(webhooks: &WebhookManagement, token: &BoundToken) -> Result<i64, Problem> {
    let token = token.clone();
    let now = webhooks.clock.now_seconds();
    webhooks
        .storage
        .write(move |write| {
            // A client that was disabled meanwhile must not open it again.
            token.prove_again(write)?;
            let id = &token.client().id;
            Ok::<_, Problem>(api_keys::open_client_account(write, id, now)?)
        })
        .await
}

/// Only `admit` adds a holder to a request.
impl<S: Sync> FromRequestParts<S> for Holder {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts
            .extensions
            .remove::<Self>()
            .ok_or_else(|| Problem::Internal("a route without a proven holder".to_owned()))
    }
}

/// The complete API key, made once its id is known. It is shown once and not stored.
pub fn to_key(secret: &NewSecret, id: i64) -> String {
    api_key::to_text(id, &secret.secret)
}

/// The id of a key, and the digest of its secret part. `None`: the text is no key.
pub fn identify(key: &str) -> Option<(i64, String)> {
    let (id, secret) = api_key::split(key)?;
    Some((id, digest(secret)))
}

/// The refusal of a key that is unknown, has ended or was revoked.
pub(crate) fn unknown_key() -> Problem {
    Problem::ApiKeyInvalid("The API key is not known, has ended or was revoked.")
}

/// The refusal of a client that was disabled or lost the scope since its token was read.
fn ended_client() -> Problem {
    Problem::TokenInvalid("The operator ended this client's tokens. Get a new token.")
}

/// The refusal of a request without a credential.
pub(crate) fn no_credential() -> Problem {
    Problem::OneCredential(
        "Send your API key in the field X-Api-Key, or an access token in the field Authorization.",
    )
}

/// The refusal of a request with two credentials.
pub(crate) fn two_credentials() -> Problem {
    Problem::OneCredential("Send either an API key or an access token, not both.")
}

/// Reads the field `X-Api-Key`.
fn read_field(headers: &HeaderMap) -> Result<&str, Problem> {
    let mut fields = headers.get_all(FIELD).iter();
    let field = fields.next().ok_or_else(no_credential)?;
    if fields.next().is_some() {
        return Err(Problem::ApiKeyInvalid("Send one X-Api-Key field only."));
    }
    Ok(field.to_str().unwrap_or_default().trim())
}
