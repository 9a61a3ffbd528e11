//! Canonical JSON, signatures, keys, thumbprints and the tokens made of them.
//!
//! This crate knows nothing about chains, HTTP, files or clocks. The time is an argument `now`,
//! in Unix seconds. Numbers such as `S-21` name decisions of the written specification.

pub mod access_token;
pub mod algorithm;
pub mod assertion;
pub mod authenticator;
pub mod base64url;
pub mod canonical;
pub mod certificate;
pub mod client_assertion;
pub mod jwk;
pub mod jws;
pub mod key;
pub mod keyring;
pub mod provenance;
pub mod random;
pub mod seal;
