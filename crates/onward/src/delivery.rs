//! Delivery of events: where they may be sent, and sending them (S-31, S-35).

pub mod address;
pub mod callback;
pub mod resolver;
pub mod sender;
