//! Authenticates texts that a caller keeps for the service, such as a cookie.

use std::fmt;

use aws_lc_rs::hkdf::{HKDF_SHA256, Prk};
use aws_lc_rs::hmac::{self, HMAC_SHA256};

use crate::base64url;
use crate::seal::SealError;

/// Keys for HMAC-SHA256 (RFC 2104). The first one makes tags; each of them verifies. `Debug` does not
/// show them.
pub struct Authenticator {
    first: hmac::Key,
    earlier: Vec<hmac::Key>,
}

impl Authenticator {
    /// Derives a key for one purpose from each secret of 32 random bytes (RFC 5869 section 2.3). A key
    /// of another purpose has no relation to it.
    pub(crate) fn derive<'s>(
        first: &[u8],
        earlier: impl Iterator<Item = &'s [u8]>,
        purpose: &str,
    ) -> Result<Self, SealError> {
        let derive = |secret: &[u8]| {
            let secret = Prk::new_less_safe(HKDF_SHA256, secret);
            let info = [purpose.as_bytes()];
            let key = secret.expand(&info, HMAC_SHA256);
            key.map(hmac::Key::from).map_err(|_| SealError::Library)
        };
        Ok(Self {
            first: derive(first)?,
            earlier: earlier.map(derive).collect::<Result<_, _>>()?,
        })
    }

    /// The tag of a text, in base64url.
    pub fn tag(&self, text: &str) -> String {
        base64url::encode(hmac::sign(&self.first, text.as_bytes()).as_ref())
    }

    /// Whether one of the keys made this tag of this text. Takes the same time for each wrong tag.
    pub fn verify(&self, text: &str, tag: &str) -> bool {
        let Ok(tag) = base64url::decode_strict(tag) else {
            return false;
        };
        let mut keys = std::iter::once(&self.first).chain(&self.earlier);
        keys.any(|key| hmac::verify(key, text.as_bytes(), &tag).is_ok())
    }
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Authenticator")
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crate::seal::{KeyEncryptionKey, KeyEncryptionKeys};

    #[test]
    fn a_tag_belongs_to_text_key_and_purpose() {
        let line = || KeyEncryptionKey::generate().unwrap().to_base64url();
        let (old, new) = (line(), line());
        let derive = |lines: &str, purpose| {
            let keys = KeyEncryptionKeys::parse(lines).unwrap();
            keys.derive_authenticator(purpose).unwrap()
        };
        let tag = derive(&old, "cookie").tag("text");
        let both = format!("{new}\n{old}");
        for (lines, purpose, text, is_right) in [
            (&old, "cookie", "text", true),
            // While the key is replaced, the old one still verifies.
            (&both, "cookie", "text", true),
            (&new, "cookie", "text", false),
            (&old, "token", "text", false),
            (&old, "cookie", "texts", false),
        ] {
            let verified = derive(lines, purpose).verify(text, &tag);
            assert_eq!(verified, is_right, "{purpose} {text}");
        }
        for forged in ["", "AAAA", &tag[1..], &format!("{tag}A")] {
            assert!(!derive(&old, "cookie").verify("text", forged), "{forged}");
        }
        assert!(!derive(&both, "cookie").verify("text", &format!("{tag}=")));
    }
}
