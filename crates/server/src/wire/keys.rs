//! The published key set, for its description only: the keyring writes it.

use utoipa::ToSchema;

/// A JWK set (RFC 7517 section 5).
#[derive(Debug, ToSchema)]
#[expect(
    dead_code,
    reason = "it describes what signing::keyring::Keyring publishes"
)]
pub(crate) struct KeySet {
    /// The keys that sign next and now, and those that signed before.
    keys: Vec<PublishedKey>,
}

/// The public half of a signing key.
#[derive(Debug, ToSchema)]
#[expect(
    dead_code,
    reason = "it describes what signing::keyring::Keyring publishes"
)]
struct PublishedKey {
    /// The algorithm it signs with.
    #[schema(pattern = "^RS256$")]
    alg: String,
    /// Its id, which signatures name.
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

/// What the key is for.
#[derive(Debug, ToSchema)]
#[schema(as = KeyUse, rename_all = "lowercase")]
#[expect(
    dead_code,
    reason = "it describes what signing::keyring::Keyring publishes"
)]
enum Use {
    Sig,
}
