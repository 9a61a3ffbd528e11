//! The commands, run as programs.

mod client;
mod failures;
mod folder;
mod generate;
mod import;
mod interrupted;
mod program;
mod sandbox;
mod sandbox_again;
mod serve;
mod tables;
