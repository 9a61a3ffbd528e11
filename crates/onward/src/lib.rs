//! The `onward` program: its commands and the sandbox.

pub mod commands;
mod limits;
pub mod sandbox;
pub mod signals;
mod supervisor;
