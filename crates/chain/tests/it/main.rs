//! The rules of property chains, by example and compared with a naive model.
#![cfg(test)]

mod catalogue;
mod ends;
mod ids;
mod link;
mod model;
mod progress;
mod sample;
mod state;
mod words;
