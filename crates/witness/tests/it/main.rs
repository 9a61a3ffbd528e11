//! The witness, driven through its door.
#![cfg(test)]

mod answers;
mod fixture;
mod history;
mod kept;
