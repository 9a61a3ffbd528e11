//! How the program is observed: time, spans and log lines. This crate knows nothing about the
//! work that is observed.

pub mod clock;
pub mod outage;
pub mod sums;
pub mod telemetry;
pub mod trace;
