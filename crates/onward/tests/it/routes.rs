//! The tests of each route, in the file of the route's name.

mod address;
mod branch;
mod chain;
mod changes;
mod checkpoint;
mod console;
mod docs;
pub(crate) mod evidence;
mod health;
mod home;
mod introspect;
mod jwks;
mod listing;
mod metrics;
mod milestone_group;
mod milestone_type;
mod openapi_json;
mod participants;
mod revoke;
mod standard;
mod tile;
mod token;
mod webhook;
mod well_known;
