//! States, entries and packs: what they commit to, and each change that is refused.
#![cfg(test)]

mod commit;
mod fixture;
mod vectors;
mod verify;
