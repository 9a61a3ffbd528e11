//! The token endpoint's rules: reading the request, proving the client, granting.

pub mod error;
pub mod grant;
pub mod request;
pub mod verified_assertion;
