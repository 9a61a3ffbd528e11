//! The key with which a caller names a change, so that a repetition of the request changes nothing (S-52).

use http::HeaderMap;
use signing::{base64url, canonical};
use web::form::Form;
use web::refusal::Refusal;

use crate::limits;

const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The key of one request, and a digest of the request.
#[derive(Debug, Clone)]
pub struct RequestKey {
    pub(crate) path: String,
    pub(crate) key: String,
    /// The digest of the method and the body.
    pub(crate) digest: String,
}

impl RequestKey {
    /// Reads the `Idempotency-Key` of a request. `None` if the request has none.
    pub(crate) fn read(
        headers: &HeaderMap,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> Result<Option<Self>, Refusal> {
        let mut fields = headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(field) = fields.next() else {
            return Ok(None);
        };
        let is_only = fields.next().is_none();
        let text = field.to_str().ok().filter(|_| is_only);
        let key = text.ok_or_else(key_malformed)?;
        Self::new(key, path, &[method.as_bytes(), b" ", body].concat()).map(Some)
    }

    /// The key of a form of the console, its field `idempotency_key`. A form that is sent again has the same
    /// fields.
    pub fn of_form(path: &str, form: &Form) -> Result<Self, Refusal> {
        let identity = format!("FORM {}", form.to_urlencoded());
        let key = form.find("idempotency_key").unwrap_or_default().trim();
        Self::new(key, path, identity.as_bytes())
    }

    /// A key of at most 255 visible ASCII characters.
    fn new(key: &str, path: &str, identity: &[u8]) -> Result<Self, Refusal> {
        let is_sane = (1..=limits::IDEMPOTENCY_KEY_CHARACTERS_MAX).contains(&key.len())
            && key.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_sane {
            return Err(key_malformed());
        }
        Ok(Self {
            path: path.to_owned(),
            key: key.to_owned(),
            digest: base64url::encode(&canonical::digest(identity)),
        })
    }

    /// Refuses a key that was used for a request with another digest.
    pub(crate) fn check(&self, kept_digest: &str) -> Result<(), Refusal> {
        if kept_digest == self.digest {
            Ok(())
        } else {
            Err(key_reused())
        }
    }
}

/// The refusal of a malformed key.
pub(crate) fn key_malformed() -> Refusal {
    let detail = format!(
        "must be sent once, with 1 to {} visible ASCII characters",
        limits::IDEMPOTENCY_KEY_CHARACTERS_MAX
    );
    Refusal::invalid("value_invalid", "Idempotency-Key", detail)
}

/// The refusal of a key that was used for another write.
pub(crate) fn key_reused() -> Refusal {
    let detail = "this key was used with another body; take a new key for a new request";
    let code = "idempotency_key_reused";
    Refusal::invalid(code, "Idempotency-Key", detail.to_owned()).passing()
}
