//! Documents at paths that are the same everywhere (RFC 8615).

pub(crate) mod oauth_authorization_server;
pub(crate) mod oauth_protected_resource;
pub(crate) mod openid_configuration;
