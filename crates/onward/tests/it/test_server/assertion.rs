//! Client assertions, right ones and wrong ones.

use serde_json::{Map, Value, json};
use signing::base64url;
use signing::key::SigningKey;

use super::{AUTH_URL, BEGINNING};

/// An assertion whose members a test may change before it is signed.
#[derive(Debug, Clone)]
pub(crate) struct Assertion {
    pub(crate) header: Map<String, Value>,
    pub(crate) claims: Map<String, Value>,
}

impl Assertion {
    /// A right one, at the beginning of the test.
    pub(crate) fn of(client_id: &str, key: &SigningKey) -> Self {
        let header = json!({"alg": key.algorithm().as_str(), "kid": key.kid(), "typ": "JWT"});
        let claims = json!({
            "iss": client_id,
            "sub": client_id,
            "aud": AUTH_URL,
            "iat": BEGINNING,
            "exp": BEGINNING + 120,
            "jti": uuid::Uuid::new_v4().to_string(),
        });
        let object = |value: Value| value.as_object().unwrap().clone();
        Self {
            header: object(header),
            claims: object(claims),
        }
    }

    /// Sets a claim; null removes it.
    pub(crate) fn claim(mut self, name: &str, value: Value) -> Self {
        set(&mut self.claims, name, value);
        self
    }

    /// Sets a header member; null removes it.
    pub(crate) fn member(mut self, name: &str, value: Value) -> Self {
        set(&mut self.header, name, value);
        self
    }

    /// Signs with whatever the key can do, whatever the header says.
    pub(crate) fn sign(&self, key: &SigningKey) -> String {
        let input = self.signing_input();
        let signature = key.sign(input.as_bytes()).unwrap();
        format!("{input}.{}", base64url::encode(&signature))
    }

    /// Header and claims, to which a test may put any signature.
    pub(crate) fn signing_input(&self) -> String {
        let part = |object: &Map<String, Value>| {
            base64url::encode(Value::from(object.clone()).to_string().as_bytes())
        };
        format!("{}.{}", part(&self.header), part(&self.claims))
    }
}

fn set(object: &mut Map<String, Value>, name: &str, value: Value) {
    if value.is_null() {
        object.remove(name);
    } else {
        object.insert(name.to_owned(), value);
    }
}
