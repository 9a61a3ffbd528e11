//! Tests of the pure rules of the framework.
#![cfg(test)]

mod answers;
mod call_limits;
mod decisions;
mod directories;
mod known_tokens;
mod organisations;
