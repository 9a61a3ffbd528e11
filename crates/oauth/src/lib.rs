//! Access tokens, and the documents from which clients configure themselves: token endpoint, introspection,
//! revocation, metadata, key set and directory.

mod answer;
pub mod directory;
pub mod error;
mod limits;
pub mod outcome;
mod request;
pub mod routes;
pub mod wire;
