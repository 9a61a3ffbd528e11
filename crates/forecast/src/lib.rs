//! How long sales take, which sale holds up its chain, and when the chain is likely to exchange.
//!
//! This crate counts how long the steps of past sales took, and applies the counts to chains under
//! way. It knows nothing about I/O, clocks, randomness, JSON or SQL: facts, counts and the present
//! day are arguments. Everything is calculated on a grid of days, and nothing is drawn by chance.
//!
//! The rules have numbers: R0 to R5 are the rules that decide which sale holds up its chain.

pub mod bottleneck;
pub mod chase;
pub mod counts;
pub mod day;
pub mod distribution;
pub mod durations;
pub mod figures;
pub mod gathering;
mod landmarks;
pub mod outlook;
pub mod path;
pub mod prediction;
pub mod sale;
pub mod silence;
pub mod step;
pub mod tables;
pub mod track;

#[cfg(test)]
mod tests;

/// The version of the rules in this crate. It rises with every change of a result.
pub const RULE_VERSION: i64 = 1;

/// How far back the tables of durations look: 24 months, in days.
pub const WINDOW_DAYS: i32 = 730;
