//! Webhook management: subscribing, and test events (S-30 to S-33).

pub mod wire;

use std::fmt;

use reqwest::RequestBuilder;
use reqwest::header::HeaderValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::connection::{Answer, Trust, check_https, open_connection, send};
use crate::query::read_refusal;
use crate::{ClientError, printable};

use self::wire::{
    Delivery, List, Simulated, Simulation, Subscribed, Subscription, SubscriptionRequest,
    WatchChange,
};

const API_KEY_HEADER: &str = "x-api-key";

/// A client of webhook management with one API key.
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
        // The API key is a secret, so the error does not show it.
        let unusable = |_| ClientError::Credential {
            what: "the API key",
            reason: "it contains characters that no key has".to_owned(),
        };
        let mut api_key = HeaderValue::from_str(api_key.trim()).map_err(unusable)?;
        api_key.set_sensitive(true);
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            api_key,
            connection: open_connection(trust, None)?,
        })
    }

    /// Subscribes, or replaces the subscription of the same callback URL (S-30).
    ///
    /// # Errors
    /// [`ClientError::Webhook`] when the service refuses, or [`ClientError::Unreachable`].
    pub async fn subscribe(&self, wish: &SubscriptionRequest) -> Result<Subscribed, ClientError> {
        let answer = self.post("subscribe", wish).await?;
        Ok(Subscribed {
            is_new: answer.status == 201,
            subscription: read(&answer)?,
        })
    }

    /// Asks the service to send a test event to the API key's active subscriptions (S-33).
    ///
    /// # Errors
    /// [`ClientError::Webhook`]: 409 when no subscription receives the type, 422 for wrong values.
    pub async fn simulate(&self, simulation: &Simulation) -> Result<Simulated, ClientError> {
        read(&self.post("simulate", simulation).await?)
    }

    /// Lists the API key's subscriptions, the oldest first.
    ///
    /// # Errors
    /// [`ClientError::Webhook`] when the service refuses, or [`ClientError::Unreachable`].
    pub async fn list_subscriptions(&self) -> Result<Vec<Subscription>, ClientError> {
        let url = self.url("subscriptions");
        let request = self.connection.get(&url);
        let list: List<Subscription> = read(&self.call(&url, request).await?)?;
        Ok(list.data)
    }

    /// Lists the newest deliveries of one of the API key's subscriptions, with their attempts. Texts
    /// that come from the receiver are safe for a terminal.
    ///
    /// # Errors
    /// [`ClientError::Webhook`]: 404 when the key has no such subscription.
    pub async fn list_deliveries(&self, subscription: &str) -> Result<Vec<Delivery>, ClientError> {
        let url = self.url(&format!("subscriptions/{subscription}/deliveries"));
        let request = self.connection.get(&url);
        let list: List<Delivery> = read(&self.call(&url, request).await?)?;
        Ok(list
            .data
            .into_iter()
            .map(Delivery::made_printable)
            .collect())
    }

    /// Deletes one of the API key's subscriptions, with its pending deliveries.
    ///
    /// # Errors
    /// [`ClientError::Webhook`]: 404 when the key has no such subscription.
    pub async fn delete_subscription(&self, subscription: &str) -> Result<(), ClientError> {
        let url = self.url(&format!("subscriptions/{subscription}"));
        let request = self.connection.delete(&url);
        self.call(&url, request).await?;
        Ok(())
    }

    /// Adds a property to the watch of a subscription, or removes it.
    ///
    /// # Errors
    /// [`ClientError::Webhook`]: 409 when the subscription has no watch.
    pub async fn change_watch(
        &self,
        subscription: &str,
        change: &WatchChange<'_>,
    ) -> Result<(), ClientError> {
        let url = self.url(&format!("subscriptions/{subscription}/watch"));
        let request = self.connection.patch(&url).json(change);
        self.call(&url, request).await?;
        Ok(())
    }

    async fn post(&self, path: &str, body: &impl Serialize) -> Result<Answer, ClientError> {
        let url = self.url(path);
        self.call(&url, self.connection.post(&url).json(body)).await
    }

    fn url(&self, path: &str) -> String {
        format!("{}/api/v1/webhook/{path}", self.base_url)
    }

    async fn call(&self, url: &str, request: RequestBuilder) -> Result<Answer, ClientError> {
        let request = request.header(API_KEY_HEADER, self.api_key.clone());
        let answer = send(url, request).await?;
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        Err(read_refusal(&answer, ClientError::Webhook))
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

fn read<T: DeserializeOwned>(answer: &Answer) -> Result<T, ClientError> {
    serde_json::from_slice(&answer.body).map_err(|error| {
        let reason = format!("it does not have the documented form ({error})");
        answer.unexpected(printable(&reason))
    })
}

#[cfg(test)]
mod tests;
