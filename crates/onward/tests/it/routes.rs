//! The tests of each route, in the file of the route's name.

mod chain;
mod health;
mod jwks;
mod listing;
mod metrics;
mod standard;
mod token;
mod webhook;
