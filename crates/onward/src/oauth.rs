//! The token endpoint's rules, and its neighbours': reading a request, proving the client, granting,
//! looking at tokens and giving them up.

pub mod answer;
pub mod client_keys;
pub mod error;
pub mod grant;
pub mod request;
pub mod revoked_tokens;
pub mod verified_assertion;
