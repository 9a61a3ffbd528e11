//! The commands, run as programs.
