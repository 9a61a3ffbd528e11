//! `/shares`.

mod revoke;
