//! The chain query. It returns an answer only after verifying it.

use std::time::SystemTime;

use reqwest::RequestBuilder;
use reqwest::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use signing::provenance::{ProvenanceError, verify_envelope};
use tokio::sync::Mutex;

use crate::connection::{Answer, Endpoints, Trust, check_https, open_connection, send};
use crate::key_set::CachedKeySet;
use crate::problem::Problem;
use crate::sandbox::{HISTORY_SCOPES, QUERY_SCOPE};
use crate::token::{CachedToken, Credentials, IssuedToken, request_token};
use crate::verify::{VerifiedAnswer, read_page};
use crate::wire::{AddressSuggestion, AddressSuggestions, ListingCount};
use crate::{ClientError, Clock, printable};

/// A query for the chains of some properties.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainQuery {
    /// The properties, 1 to 100 of them (S-3).
    pub input: ChainInput,
    /// Chains on a page, 1 to 100. The service's default is 15.
    pub rows: Option<u8>,
    /// The page, counted from 1. The service's default is 1.
    pub page: Option<u32>,
    /// Whether the answer also says why each value led to a chain or to none (S-58).
    pub explain: bool,
    /// The time of which the answer gives the state, RFC 3339 (S-60). The client then needs the scope
    /// `transaction-history` besides.
    pub as_of: Option<String>,
}

/// The properties that a query names.
#[derive(Clone, Debug, PartialEq)]
pub enum ChainInput {
    /// UPRNs of at most 12 digits.
    Uprns(Vec<u64>),
    /// Addresses or postcodes of 1 to 200 characters. An address may be incomplete.
    Addresses(Vec<String>),
}

/// A client of the chain query that caches its access token and the key set.
///
/// Any number of tasks can share one client. While one task requests a token, the others wait for
/// that token.
pub struct Client {
    endpoints: Endpoints,
    credentials: Credentials,
    mutual_tls: reqwest::Client,
    public_tls: reqwest::Client,
    clock: Clock,
    token: Mutex<CachedToken>,
    /// The token for queries about past times.
    history_token: Mutex<CachedToken>,
    key_set: Mutex<CachedKeySet>,
}

impl Client {
    /// A client of the service at `endpoints`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ClientError::Credential`] that names the address, certificate or key that cannot be used.
    pub fn new(
        endpoints: Endpoints,
        credentials: Credentials,
        trust: &Trust,
        clock: Clock,
    ) -> Result<Self, ClientError> {
        Ok(Self {
            endpoints: endpoints.normalise()?,
            mutual_tls: open_connection(trust, Some(&credentials.identity().to_pem()))?,
            // The key set is public, so its download needs no client certificate.
            public_tls: open_connection(trust, None)?,
            credentials,
            clock,
            token: Mutex::default(),
            history_token: Mutex::default(),
            key_set: Mutex::default(),
        })
    }

    /// Sends the query and verifies the answer.
    ///
    /// If the service no longer accepts the cached token, the client requests a new one and sends
    /// the query once more. It retries nothing else.
    ///
    /// # Errors
    /// Any [`ClientError`]. [`ClientError::RateLimited`] says how long to wait. [`ClientError::Shape`] also
    /// if the answer is not about the time that the query asks for.
    pub async fn query_chains(&self, query: &ChainQuery) -> Result<VerifiedAnswer, ClientError> {
        let url = format!("{}/api/v1/standard/chains", self.endpoints.base_url);
        let request = self.mutual_tls.post(&url).form(&form_fields(query));
        let request = match query.page {
            Some(page) => request.query(&[("page", page)]),
            None => request,
        };
        let scopes = query.as_of.as_ref().map_or(QUERY_SCOPE, |_| HISTORY_SCOPES);
        let answer = self.send_with_token(&url, request, scopes).await?;
        let verified = self.verify_body(answer.body).await?;
        // An older service does not know `asOf` and answers with the present state.
        if verified.page().as_of.is_some() == query.as_of.is_some() {
            return Ok(verified);
        }
        let wrong_time = "the answer is not about the time that was asked for";
        Err(ClientError::Shape(serde::de::Error::custom(wrong_time)))
    }

    /// Lists at most `limit` (1 to 20) properties that an address may mean, the most likely first.
    /// The caller can then query one of them by UPRN. The list is not signed.
    ///
    /// # Errors
    /// Any [`ClientError`] except [`ClientError::NotGenuine`] and [`ClientError::Shape`].
    pub async fn suggest_addresses(
        &self,
        text: &str,
        limit: u8,
    ) -> Result<Vec<AddressSuggestion>, ClientError> {
        let url = format!("{}/api/v1/standard/addresses", self.endpoints.base_url);
        let request = self.mutual_tls.get(&url);
        let request = request.query(&[("q", text), ("limit", &limit.to_string())]);
        let answer = self.send_with_token(&url, request, QUERY_SCOPE).await?;
        let list: AddressSuggestions = serde_json::from_slice(&answer.body)
            .map_err(|error| answer.unexpected(error.to_string()))?;
        Ok(list.data)
    }

    /// Counts the listings of the client's branches, at the address of listing and chain management, with
    /// this access token.
    ///
    /// # Errors
    /// [`ClientError::Refused`] and [`ClientError::RateLimited`] if the service refuses,
    /// [`ClientError::UnexpectedAnswer`], and errors of the connection.
    pub async fn count_listings(
        &self,
        listing_base_url: &str,
        token: &str,
    ) -> Result<u64, ClientError> {
        check_https("the listing address", listing_base_url)?;
        let url = format!("{}/api/v1/listing", listing_base_url.trim_end_matches('/'));
        let request = self.mutual_tls.get(&url).query(&[("per_page", 1)]);
        let answer = send(&url, request.bearer_auth(token)).await?;
        if answer.status != 200 {
            return Err(read_refusal(&answer, ClientError::Refused));
        }
        let list: ListingCount = serde_json::from_slice(&answer.body)
            .map_err(|error| answer.unexpected(printable(&error.to_string())))?;
        Ok(list.meta.pagination.total)
    }

    /// Requests a new access token with these scopes, or with all scopes of the client if there is
    /// none. The client does not keep it.
    ///
    /// # Errors
    /// [`ClientError::Token`] if the service refuses, and errors of the connection.
    pub async fn request_token(&self, scopes: &[String]) -> Result<IssuedToken, ClientError> {
        self.issue_token(&scopes.join(" "), self.now()).await
    }

    async fn issue_token(&self, scope: &str, now: SystemTime) -> Result<IssuedToken, ClientError> {
        let (connection, auth_url) = (&self.mutual_tls, &self.endpoints.auth_url);
        request_token(connection, auth_url, &self.credentials, scope, now).await
    }

    /// The cache of the token with these scopes.
    fn cache(&self, scopes: &str) -> &Mutex<CachedToken> {
        if scopes == QUERY_SCOPE {
            &self.token
        } else {
            &self.history_token
        }
    }

    async fn access_token(&self, scopes: &str) -> Result<String, ClientError> {
        let mut cached = self.cache(scopes).lock().await;
        let now = self.now();
        if let Some(token) = cached.usable_at(now) {
            return Ok(token);
        }
        let issued = self.issue_token(scopes, now).await?;
        cached.replace(&issued, now);
        Ok(issued.access_token)
    }

    /// Verifies an answer against the published key set. If the cached set does not hold the
    /// answer's key, the key may be newer, so the client downloads the set again, once.
    async fn verify_body(&self, body: Vec<u8>) -> Result<VerifiedAnswer, ClientError> {
        let mut cached = self.key_set.lock().await;
        let (connection, url) = (&self.public_tls, self.endpoints.jwks_url.as_str());
        let no_keys = |error| ClientError::KeySet(Box::new(error));
        let keys = cached.obtain(connection, url, self.now()).await;
        let keys = keys.map_err(no_keys)?;
        let envelope = match verify_envelope(&body, keys) {
            Err(ProvenanceError::UnknownKey(_)) => {
                cached.forget();
                let newer = cached.obtain(connection, url, self.now()).await;
                verify_envelope(&body, newer.map_err(no_keys)?)?
            }
            first => first?,
        };
        read_page(&envelope, body)
    }

    /// The address of the service.
    pub(crate) fn base_url(&self) -> &str {
        &self.endpoints.base_url
    }

    /// Sends a request with the access token, and once more with a new token if the service no
    /// longer accepts the cached one. Every status but 200 is an error.
    pub(crate) async fn send_with_token(
        &self,
        url: &str,
        request: RequestBuilder,
        scopes: &str,
    ) -> Result<Answer, ClientError> {
        let again = request.try_clone();
        let token = self.access_token(scopes).await?;
        let mut answer = send(url, request.bearer_auth(&token)).await?;
        if refuses_token(&answer)
            && let Some(again) = again
        {
            self.cache(scopes).lock().await.forget(&token);
            let renewed = self.access_token(scopes).await?;
            answer = send(url, again.bearer_auth(&renewed)).await?;
        }
        if answer.status == 200 {
            return Ok(answer);
        }
        Err(read_refusal(&answer, ClientError::Refused))
    }

    /// The connection with the client's certificate.
    pub(crate) fn mutual_tls(&self) -> &reqwest::Client {
        &self.mutual_tls
    }

    fn now(&self) -> SystemTime {
        (self.clock)()
    }
}

fn form_fields(query: &ChainQuery) -> Vec<(&'static str, String)> {
    let (input_type, values) = match &query.input {
        ChainInput::Uprns(uprns) => ("uprn", uprns.iter().map(u64::to_string).collect()),
        ChainInput::Addresses(addresses) => ("address", addresses.clone()),
    };
    let mut fields = vec![("inputType", input_type.to_owned())];
    fields.extend(values.into_iter().map(|value| ("value[]", value)));
    fields.extend(query.rows.map(|rows| ("rows", rows.to_string())));
    fields.extend(query.as_of.iter().map(|time| ("asOf", time.clone())));
    if query.explain {
        fields.push(("explain", "true".to_owned()));
    }
    fields
}

/// True if a new token could help: 401 with `invalid_token` (RFC 6750, section 3.1).
fn refuses_token(answer: &Answer) -> bool {
    let mut fields = answer.headers.get_all(WWW_AUTHENTICATE).iter();
    answer.status == 401
        && fields.any(|field| {
            field
                .to_str()
                .is_ok_and(|text| text.contains("invalid_token"))
        })
}

/// Reads a refusal: [`ClientError::RateLimited`] for a 429, otherwise the error that `other` makes.
pub(crate) fn read_refusal(
    answer: &Answer,
    other: impl FnOnce(Box<Problem>) -> ClientError,
) -> ClientError {
    let problem = Box::new(Problem::parse(answer.status, &answer.body));
    if answer.status != 429 {
        return other(problem);
    }
    ClientError::RateLimited {
        retry_after_seconds: read_retry_after(answer),
        problem,
    }
}

/// `Retry-After` in seconds (RFC 9110, section 10.2.3). A date counts as absent.
fn read_retry_after(answer: &Answer) -> Option<u64> {
    let field = answer.headers.get(RETRY_AFTER)?.to_str().ok()?;
    field.trim().parse().ok()
}

#[cfg(test)]
mod tests;
