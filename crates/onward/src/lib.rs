//! The `onward` program: its commands and the sandbox.

pub mod commands;
pub mod failure;
mod limits;
pub mod registration;
pub mod sandbox;
pub mod signals;
mod supervisor;
