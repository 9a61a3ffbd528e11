//! Calls of listing and chain management (document 2).

use reqwest::Method;
use serde_json::Value;

use crate::connection::{check_https, send};
use crate::query::read_refusal;
use crate::{Client, ClientError, printable};

/// A call that writes something.
#[derive(Clone, Debug)]
pub struct ListingCall {
    /// The method, such as `PUT`.
    pub method: Method,
    /// The address, such as `https://listings.example/api/v1/listing`.
    pub url: String,
    /// The body. Calls without one ignore it (S-45).
    pub body: Value,
    /// The `Idempotency-Key`: the same call with the same key is done once (S-52).
    pub idempotency_key: String,
}

impl Client {
    /// Makes a call of listing and chain management with this access token, and returns the answer.
    ///
    /// # Errors
    /// [`ClientError::Refused`] and [`ClientError::RateLimited`] if the service refuses,
    /// [`ClientError::UnexpectedAnswer`], and errors of the connection.
    pub async fn call_listings(
        &self,
        call: &ListingCall,
        token: &str,
    ) -> Result<Value, ClientError> {
        check_https("the listing address", &call.url)?;
        let request = self.mutual_tls().request(call.method.clone(), &call.url);
        let request = request.header("idempotency-key", &call.idempotency_key);
        let answer = send(&call.url, request.bearer_auth(token).json(&call.body)).await?;
        if !(200..300).contains(&answer.status) {
            return Err(read_refusal(&answer, ClientError::Refused));
        }
        serde_json::from_slice(&answer.body)
            .map_err(|error| answer.unexpected(printable(&error.to_string())))
    }
}
