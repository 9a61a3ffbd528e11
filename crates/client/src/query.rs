//! The chain query: ask, verify, and hand over only what verified.

use std::time::SystemTime;

use reqwest::RequestBuilder;
use reqwest::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use signing::provenance::{ProvenanceError, verify_envelope};
use tokio::sync::Mutex;

use crate::connection::{Answer, Endpoints, Trust, open_connection, send};
use crate::key_set::KeptKeySet;
use crate::problem::Problem;
use crate::token::{Credentials, KeptToken, request_token};
use crate::verify::{VerifiedAnswer, read_page};
use crate::wire::{AddressSuggestion, AddressSuggestions};
use crate::{ClientError, Clock};

/// What to ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainQuery {
    /// The properties, 1 to 100 (S-3).
    pub input: ChainInput,
    /// Chains a page, 1 to 100; the service's default is 15.
    pub rows: Option<u8>,
    /// The page, counted from 1; the service's default is 1.
    pub page: Option<u32>,
}

/// The properties that a query names.
#[derive(Clone, Debug, PartialEq)]
pub enum ChainInput {
    /// By UPRN, each of at most 12 digits.
    Uprns(Vec<u64>),
    /// By address, complete or not, or a postcode alone; each of 1 to 200 characters.
    Addresses(Vec<String>),
}

/// A connection to the service that keeps its token and its key set between queries.
///
/// One client serves any number of tasks at once; while a token is fetched, the others wait for
/// that one instead of fetching their own.
pub struct Client {
    endpoints: Endpoints,
    credentials: Credentials,
    mutual_tls: reqwest::Client,
    public_tls: reqwest::Client,
    clock: Clock,
    token: Mutex<KeptToken>,
    key_set: Mutex<KeptKeySet>,
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
            mutual_tls: open_connection(trust, Some(&credentials.identity_pem()))?,
            // The key set is public: no certificate is presented for it.
            public_tls: open_connection(trust, None)?,
            credentials,
            clock,
            token: Mutex::new(KeptToken::empty()),
            key_set: Mutex::new(KeptKeySet::empty()),
        })
    }

    /// Asks for chains and verifies the answer.
    ///
    /// A token that the service no longer accepts is renewed once. Nothing else is retried.
    ///
    /// # Errors
    /// Any [`ClientError`]; [`ClientError::RateLimited`] says how long to wait.
    pub async fn query_chains(&self, query: &ChainQuery) -> Result<VerifiedAnswer, ClientError> {
        let url = format!("{}/api/v1/standard/chains", self.endpoints.base_url);
        let request = self.mutual_tls.post(&url).form(&form_fields(query));
        let request = match query.page {
            Some(page) => request.query(&[("page", page)]),
            None => request,
        };
        let answer = self.send_with_token(&url, request).await?;
        self.verify_body(answer.body).await
    }

    /// Lists the properties that an address may mean, the most likely first: at most `limit` of
    /// them, 1 to 20. It is for choosing one to ask for by UPRN; the list is not signed.
    ///
    /// A token that the service no longer accepts is renewed once. Nothing else is retried.
    ///
    /// # Errors
    /// Any [`ClientError`] but those of signatures.
    pub async fn suggest_addresses(
        &self,
        text: &str,
        limit: u8,
    ) -> Result<Vec<AddressSuggestion>, ClientError> {
        let url = format!("{}/api/v1/standard/addresses", self.endpoints.base_url);
        let request = self.mutual_tls.get(&url);
        let request = request.query(&[("q", text), ("limit", &limit.to_string())]);
        let answer = self.send_with_token(&url, request).await?;
        let list: AddressSuggestions = serde_json::from_slice(&answer.body).map_err(|error| {
            ClientError::UnexpectedAnswer {
                url,
                reason: error.to_string(),
            }
        })?;
        Ok(list.data)
    }

    /// The access token: the kept one until 30 s before its expiry, then a new one.
    ///
    /// # Errors
    /// [`ClientError::Token`] when the service refuses; [`ClientError::Unreachable`].
    pub async fn access_token(&self) -> Result<String, ClientError> {
        let mut kept = self.token.lock().await;
        let now = self.now();
        if let Some(token) = kept.at(now) {
            return Ok(token);
        }
        let auth_url = &self.endpoints.auth_url;
        let issued = request_token(&self.mutual_tls, auth_url, &self.credentials, now).await?;
        kept.keep(&issued, now);
        Ok(issued.access_token)
    }

    /// Verifies an answer against the published key set. A key set that does not hold the answer's
    /// key is fetched again once: the key may be newer than the kept set.
    ///
    /// # Errors
    /// As [`verify_answer`](crate::verify_answer), and [`ClientError::Unreachable`].
    pub async fn verify_body(&self, body: Vec<u8>) -> Result<VerifiedAnswer, ClientError> {
        let mut kept = self.key_set.lock().await;
        let (connection, url) = (&self.public_tls, self.endpoints.jwks_url.as_str());
        let keys = kept.obtain(connection, url, self.now()).await?;
        let envelope = match verify_envelope(&body, keys) {
            Err(ProvenanceError::UnknownKey(_)) => {
                kept.forget();
                verify_envelope(&body, kept.obtain(connection, url, self.now()).await?)?
            }
            first => first?,
        };
        read_page(&envelope, body)
    }

    /// Sends a request with the access token, a second time with a new one if the service no
    /// longer accepts the kept one. Gives answers with status 200 only.
    async fn send_with_token(
        &self,
        url: &str,
        request: RequestBuilder,
    ) -> Result<Answer, ClientError> {
        let again = request.try_clone();
        let token = self.access_token().await?;
        let mut answer = send(url, request.bearer_auth(&token)).await?;
        if refuses_token(&answer)
            && let Some(again) = again
        {
            self.token.lock().await.forget(&token);
            let renewed = self.access_token().await?;
            answer = send(url, again.bearer_auth(&renewed)).await?;
        }
        if answer.status == 200 {
            Ok(answer)
        } else {
            Err(read_refusal(&answer))
        }
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
    fields
}

/// Whether a new token could help: 401 with `invalid_token` (RFC 6750, section 3.1).
fn refuses_token(answer: &Answer) -> bool {
    let mut fields = answer.headers.get_all(WWW_AUTHENTICATE).iter();
    answer.status == 401
        && fields.any(|field| {
            field
                .to_str()
                .is_ok_and(|text| text.contains("invalid_token"))
        })
}

fn read_refusal(answer: &Answer) -> ClientError {
    let problem = Box::new(Problem::parse(answer.status, &answer.body));
    if answer.status != 429 {
        return ClientError::Refused(problem);
    }
    ClientError::RateLimited {
        retry_after_seconds: read_retry_after(answer),
        problem,
    }
}

/// `Retry-After` in seconds (RFC 9110, section 10.2.3); the form with a date counts as none.
pub(crate) fn read_retry_after(answer: &Answer) -> Option<u64> {
    let field = answer.headers.get(RETRY_AFTER)?.to_str().ok()?;
    field.trim().parse().ok()
}

#[cfg(test)]
mod tests;
