//! The commands, run as programs.

mod api_key;
mod audit_log;
mod backup;
mod branch;
mod client;
mod failures;
mod folder;
mod generate;
mod import;
mod interrupted;
mod keys;
mod link;
mod listen;
mod listing;
mod logs;
mod packaging;
mod participant;
mod pkcs11;
pub(crate) mod program;
mod sandbox;
mod sandbox_again;
mod serve;
mod stores;
mod subscription;
mod tables;
mod traces;
