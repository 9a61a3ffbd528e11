//! Onward: the state of property chains in England and Wales, signed.
//!
//! The program's parts: addresses and routes, access, settings, commands.

pub mod access;
pub mod answer;
pub mod app;
pub mod commands;
pub mod config;
pub mod context;
pub mod delivery;
pub mod directory;
pub mod door;
pub mod files;
pub mod form;
pub mod generate;
pub mod housekeeping;
pub mod import;
pub mod keys;
pub mod leaving;
pub mod limits;
pub mod listener;
pub mod management;
pub mod metrics;
pub mod oauth;
pub mod openapi;
pub mod problem;
pub mod property_search;
pub mod published;
pub mod rate_limit;
pub mod registry;
pub mod router;
pub mod routes;
pub mod sandbox;
pub mod server;
pub mod signers;
pub mod tls;
pub mod webhooks;
pub mod wire;
