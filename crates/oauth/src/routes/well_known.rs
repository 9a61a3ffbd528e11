//! Metadata documents at well-known paths (RFC 8615).

pub mod oauth_authorization_server;
pub mod oauth_protected_resource;
pub mod openid_configuration;
