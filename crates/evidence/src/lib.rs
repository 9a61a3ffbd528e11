//! Evidence of past states (S-61 to S-63): what enters the log, and the pack that proves a state offline.
//!
//! This crate knows nothing about stores, HTTP or clocks. JCS is RFC 8785, base64url has no padding,
//! and every hash is SHA-256.
//!
//! # Entries of the log
//!
//! | Entry | Bytes |
//! |---|---|
//! | state | `01 ‖ SHA-256(nonce ‖ JCS(`[`entry::StateStatement`]`))`: 33 bytes |
//! | key | `02 ‖ JCS(`[`entry::KeyStatement`]`)` |
//! | service | `03 ‖ JCS(`[`entry::ServiceStatement`]`)` |
//!
//! A statement of a state has a digest of each property: `SHA-256(salt ‖ JCS(property))`. These bytes
//! are authenticated to make salts and nonces, with HMAC-SHA-256 under a secret of 32 bytes:
//!
//! | Value | Secret | Message (`\n` is one byte) |
//! |---|---|---|
//! | salt | the listing's | `onward/property-salt/v1\nCHAIN\nVERSION\nINDEX` |
//! | nonce | the store's | `onward/state-nonce/v1\nCHAIN\nVERSION` |
//!
//! CHAIN is the chain's id as in the document. VERSION and INDEX are decimals; indexes count from 0.
//! When the secret of a listing is deleted, no one can open its digests again. The digests stay, so the
//! other properties of the chain can still be shown.
//!
//! # The pack
//!
//! `application/vnd.onward.evidence+json`: one JSON object in its RFC 8785 form, see [`pack::Pack`].
//! A pack with any other spelling of the same values is refused.
//!
//! The pack has the signed parts of an answer, not all its bytes: nothing signs `signedAt` and
//! `explanation`, so they prove nothing. [`verify::verify`] needs a policy (C2SP tlog-policy), which the
//! reader holds already. Form 1 has no qualified time stamp, so level 5 is never reached.

pub mod commit;
pub mod entry;
mod homes;
pub mod pack;
pub mod verify;

pub use self::entry::FORM;
pub use self::pack::Pack;
pub use self::verify::{Level, Refusal, Report, verify};

/// The media type of a pack.
pub const MEDIA_TYPE: &str = "application/vnd.onward.evidence+json";
