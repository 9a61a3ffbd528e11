//! Metadata documents at well-known paths (RFC 8615).

pub(crate) mod oauth_authorization_server;
pub(crate) mod oauth_protected_resource;
pub(crate) mod openid_configuration;
