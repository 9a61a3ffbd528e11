//! Schemas of the published key set. They only describe it: the keyring writes it.

use utoipa::ToSchema;

/// A JWK set (RFC 7517 section 5).
#[derive(Debug, ToSchema)]
#[expect(
    dead_code,
    reason = "it describes the output of signing::keyring::Keyring"
)]
pub struct KeySet {
    /// The next, current and former signing keys.
    keys: Vec<PublishedKey>,
}

/// The public half of a signing key.
#[derive(Debug, ToSchema)]
#[expect(
    dead_code,
    reason = "it describes the output of signing::keyring::Keyring"
)]
struct PublishedKey {
    /// Signature algorithm.
    #[schema(pattern = "^RS256$")]
    alg: String,
    /// Key id. Signatures refer to their key by this id.
    kid: String,
    #[schema(pattern = "^RSA$")]
    kty: String,
    r#use: Use,
    /// RSA public exponent, base64url.
    #[schema(pattern = "^[A-Za-z0-9_-]+$")]
    e: String,
    /// RSA modulus, base64url.
    #[schema(pattern = "^[A-Za-z0-9_-]+$")]
    n: String,
}

/// Use of a key: signatures only.
#[derive(Debug, ToSchema)]
#[schema(as = KeyUse, rename_all = "lowercase")]
#[expect(
    dead_code,
    reason = "it describes the output of signing::keyring::Keyring"
)]
enum Use {
    Sig,
}
