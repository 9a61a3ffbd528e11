//! `POST {console_url}/shares/{share}/revoke`: ends a share link.

pub(crate) mod revoke;
