//! Onward: the state of property chains in England and Wales, signed.
//!
//! The program: its commands and the sandbox.

pub mod commands;
mod limits;
pub mod sandbox;
pub mod signals;
