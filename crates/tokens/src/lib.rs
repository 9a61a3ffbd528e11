//! Clients, signing keys and access tokens.
//!
//! This crate decides which client called, which token it gets and which token is valid. It knows
//! nothing about HTTP, milestones or deliveries.

pub mod access;
pub mod access_refusal;
pub mod api_key;
pub mod client_keys;
pub mod context;
pub mod framework;
pub mod grant;
pub mod key_error;
pub mod key_import;
pub mod key_source;
pub mod keys;
pub mod limits;
pub mod pkcs11;
pub mod rate_limit;
pub mod registry;
mod revoked_tokens;
pub mod shown_keys;
pub mod signers;
pub mod verified_assertion;
