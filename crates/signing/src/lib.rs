//! Canonical JSON, signatures, keys and thumbprints: bytes in, signatures out.
//!
//! This crate knows nothing about chains, HTTP, files or clocks: `now` is an
//! argument, in Unix seconds.

pub mod access_token;
pub mod algorithm;
pub mod assertion;
pub mod base64url;
pub mod canonical;
pub mod certificate;
pub mod jwk;
pub mod jws;
pub mod key;
pub mod keyring;
pub mod peer_certificate;
pub mod provenance;
pub mod random;
pub mod seal;
