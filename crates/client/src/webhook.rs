//! Webhook management: subscribe, test and look after one's subscriptions (S-30 to S-37).

pub mod wire;

use std::fmt;

use reqwest::header::HeaderValue;
use reqwest::{Method, RequestBuilder};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::connection::{Answer, Trust, check_https, open_connection, send};
use crate::problem::Problem;
use crate::query::read_retry_after;
use crate::{ClientError, printable};

use self::wire::{
    Data, DeliveryPage, Replayed, Simulated, Simulation, Subscribed, Subscription, SubscriptionWish,
};

const API_KEY_HEADER: &str = "x-api-key";

/// Webhook management with one API key, which sees its own subscriptions and no others.
pub struct WebhookClient {
    base_url: String,
    api_key: HeaderValue,
    connection: reqwest::Client,
}

impl WebhookClient {
    /// A client of the service at `base_url`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ClientError::Credential`] when the address or the key cannot be used.
    pub fn new(base_url: &str, api_key: &str, trust: &Trust) -> Result<Self, ClientError> {
        check_https("the base address", base_url)?;
        let mut api_key = HeaderValue::from_str(api_key.trim()).map_err(|_| {
            // Without the key in the text: it is a secret.
            let reason = "it holds characters that no key has".to_owned();
            ClientError::Credential {
                what: "the API key",
                reason,
            }
        })?;
        api_key.set_sensitive(true);
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            api_key,
            connection: open_connection(trust, None)?,
        })
    }

    /// Subscribes, or replaces what the subscription of the same URL asks for (S-30).
    ///
    /// # Errors
    /// [`ClientError::Webhook`] when the service refuses; [`ClientError::Unreachable`].
    pub async fn subscribe(&self, wish: &SubscriptionWish) -> Result<Subscribed, ClientError> {
        let answer = self
            .call(Method::POST, "subscribe", Some(json!(wish)))
            .await?;
        Ok(Subscribed {
            is_new: answer.status == 201,
            subscription: read(&answer)?,
        })
    }

    /// Has a test event sent to the key's own active subscriptions (S-33).
    ///
    /// # Errors
    /// [`ClientError::Webhook`]: 409 when no subscription hears the type, 422 for wrong values.
    pub async fn simulate(&self, simulation: &Simulation) -> Result<Simulated, ClientError> {
        let body = Some(json!(simulation));
        read(&self.call(Method::POST, "simulate", body).await?)
    }

    /// The key's subscriptions, the oldest first.
    ///
    /// # Errors
    /// As all calls of this client.
    pub async fn list_subscriptions(&self) -> Result<Vec<Subscription>, ClientError> {
        let answer = self.call(Method::GET, "subscriptions", None).await?;
        let list: Data<Vec<Subscription>> = read(&answer)?;
        Ok(list.data)
    }

    /// One subscription.
    ///
    /// # Errors
    /// [`ClientError::Webhook`]: 404 when the key has no such subscription.
    pub async fn show_subscription(&self, id: &str) -> Result<Subscription, ClientError> {
        read(&self.call(Method::GET, &path(&[id])?, None).await?)
    }

    /// Removes a subscription with all that it is owed.
    ///
    /// # Errors
    /// As for [`Self::show_subscription`].
    pub async fn delete_subscription(&self, id: &str) -> Result<(), ClientError> {
        self.call(Method::DELETE, &path(&[id])?, None).await?;
        Ok(())
    }

    /// Makes a disabled subscription active again; what it is still owed goes out.
    ///
    /// # Errors
    /// As for [`Self::show_subscription`].
    pub async fn enable_subscription(&self, id: &str) -> Result<Subscription, ClientError> {
        read(
            &self
                .call(Method::POST, &path(&[id, "enable"])?, None)
                .await?,
        )
    }

    /// A page of deliveries with their attempts, the newest first; pages count from 1.
    ///
    /// # Errors
    /// As for [`Self::show_subscription`].
    pub async fn list_deliveries(&self, id: &str, page: u32) -> Result<DeliveryPage, ClientError> {
        let path = format!("{}?page={page}", path(&[id, "deliveries"])?);
        read(&self.call(Method::GET, &path, None).await?)
    }

    /// Has one delivery sent again, whatever became of it.
    ///
    /// # Errors
    /// [`ClientError::Webhook`]: 404, or 409 while the subscription is disabled.
    pub async fn redeliver(&self, id: &str, delivery_id: &str) -> Result<(), ClientError> {
        let path = path(&[id, "deliveries", delivery_id, "redeliver"])?;
        self.call(Method::POST, &path, None).await?;
        Ok(())
    }

    /// Has the events since `since`, an RFC 3339 time, sent again with their old ids. Where the
    /// answer has a `next_since`, a replay since then brings the rest.
    ///
    /// # Errors
    /// [`ClientError::Webhook`]: 404, 422, or 409 while the subscription is disabled.
    pub async fn replay(&self, id: &str, since: &str) -> Result<Replayed, ClientError> {
        let body = Some(json!({ "since": since }));
        let answer = self
            .call(Method::POST, &path(&[id, "replay"])?, body)
            .await?;
        read(&answer)
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Answer, ClientError> {
        let url = format!("{}/api/v1/webhook/{path}", self.base_url);
        let request: RequestBuilder = self
            .connection
            .request(method, &url)
            .header(API_KEY_HEADER, self.api_key.clone());
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let answer = send(&url, request).await?;
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        let problem = Box::new(Problem::parse(answer.status, &answer.body));
        if answer.status == 429 {
            return Err(ClientError::RateLimited {
                retry_after_seconds: read_retry_after(&answer),
                problem,
            });
        }
        Err(ClientError::Webhook(problem))
    }
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("WebhookClient")
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

/// What the caller can do about a refusal.
pub(crate) fn advice(problem: &Problem) -> &'static str {
    match problem.status {
        401 => "check the API key: it may be revoked, or belong to another service",
        404 => "list the subscriptions: this API key has no such one",
        409 => "subscribe or enable first: an active subscription of this API key is needed",
        413 | 422 => "correct the values named above and ask again",
        300..=399 => "redirects are not followed: correct the address of the service",
        500..=599 => "try again later; if it stays, tell the operator of the service",
        _ => "check the address of the service and the request",
    }
}

/// The path below `subscriptions`, of ids and words that need no escape. Another id would name
/// another resource.
fn path(segments: &[&str]) -> Result<String, ClientError> {
    let mut path = "subscriptions".to_owned();
    for segment in segments {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if segment.is_empty() || !segment.bytes().all(is_plain) {
            return Err(ClientError::Credential {
                what: "the id",
                reason: format!("`{}` is no id of this service", printable(segment)),
            });
        }
        path.push('/');
        path.push_str(segment);
    }
    Ok(path)
}

fn read<T: DeserializeOwned>(answer: &Answer) -> Result<T, ClientError> {
    serde_json::from_slice(&answer.body)
        .map_err(|error| unexpected(answer, &format!("it is not as documented ({error})")))
}

fn unexpected(answer: &Answer, reason: &str) -> ClientError {
    ClientError::UnexpectedAnswer {
        url: answer.url.clone(),
        reason: printable(reason),
    }
}

#[cfg(test)]
mod tests;
